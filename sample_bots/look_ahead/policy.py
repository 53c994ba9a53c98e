"""How everybody plays in a world that is imagined: a few quick rules, good enough to see where an action leads."""

from gavelport_engine.container.actions import (
    ISLAND,
    SEA,
    Accept,
    Action,
    Bid,
    Buy,
    Load,
    Pass,
    Reject,
    Sail,
)
from gavelport_engine.container.goods import EMPTY_STORE, colours_of, cost, plus
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.table import State
from gavelport_sdk import container as c
from worlds import HOPE

RESERVE = 1
FACTORY_PRICE, HARBOUR_PRICE = 2, 4
FREIGHT = 5  # what a container is hoped to bring at the island
GOOD_CARGO = 3


def quick(state: State, seat: int, share: float) -> Action:
    """Return what a seat does that bids such a share of a lot's worth."""
    table = state.table
    match table.phase:
        case "action":
            return _act(state, seat)
        case "bid":
            worth = c.lot_worth(table.boards[seat].island, table.boards[table.seat].cargo, state.cards[seat], HOPE)
            return Bid(max(0, min(int(share * worth), state.cash[seat] - RESERVE - table.boards[seat].loans)))
        case "sale":
            return sale(state, seat)
        case _:
            return CONTAINER.default(state, seat)


def sale(state: State, seat: int) -> Action:
    """Take the money, unless the lot is worth that much more at home."""
    board, auction = state.table.boards[seat], state.table.auction
    assert auction is not None
    winner = auction.winners[0]
    bid = (auction.bids[winner] or 0) + (auction.extra[winner] or 0)
    if bid <= state.cash[seat] and c.lot_worth(board.island, board.cargo, state.cards[seat], HOPE) > 3 * bid:
        return Reject()
    return Accept(winner)


def _act(state: State, seat: int) -> Action:
    table, board = state.table, state.table.boards[seat]
    spare = state.cash[seat] - RESERVE - board.loans
    loaded, at_sea = sum(board.cargo), board.ship_at == SEA
    if loaded >= GOOD_CARGO and (not at_sea or table.actions_left == 1):
        return Sail(ISLAND if at_sea else SEA)

    if not table.produced and spare >= 0 and c.factory_space(board):
        made = c.produce(table, seat, FACTORY_PRICE)
        if any(made.make):
            return made

    best = 0
    action: Action = Pass()
    if not at_sea:
        action = Sail(SEA)
    elif loaded and table.actions_left == 1:
        action = Sail(ISLAND)
    if spare > 0 and (room := c.harbour_space(board)):
        for seller, other in enumerate(table.boards):
            if seller != seat and any(other.factory_store):
                take = c.cheapest(other.factory_store, room, spare)
                gain = HARBOUR_PRICE * sum(take) - cost(take)
                if gain > best:
                    goods = plus(colours_of(take), colours_of(board.harbour_store))
                    best, action = gain, Buy(seller, take, c.placed(EMPTY_STORE, goods, HARBOUR_PRICE))

    if spare > 0 and (room := c.ship_space(board)):
        for seller, other in enumerate(table.boards):
            if seller != seat and any(other.harbour_store) and (at_sea or board.ship_at == seller):
                take = c.cheapest(other.harbour_store, room, spare)
                gain = FREIGHT * sum(take) - cost(take)
                if gain > best:
                    best, action = gain, Sail(seller, take) if at_sea else Load(take)
    return action
