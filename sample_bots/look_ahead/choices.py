"""The actions that are worth looking into: a handful of each kind."""

from collections.abc import Iterator

from gavelport_engine.container.actions import (
    ISLAND,
    SEA,
    Accept,
    Action,
    Bid,
    Buy,
    BuyFactory,
    BuyWarehouse,
    Load,
    Pass,
    Reject,
    RepayLoan,
    Reprice,
    Sail,
)
from gavelport_engine.container.goods import COLOURS, EMPTY_STORE, Store, colours_of, plus
from gavelport_engine.container.scoring import card_values
from gavelport_engine.container.table import Table
from gavelport_sdk import container as c

RESERVE = 1
FACTORY_PRICES, HARBOUR_PRICES = (2, 3), (4, 5)
BID_SHARES = (0.0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.95)  # of a lot's worth
HOPE = 0.7
WORTH_LOADING = 6  # dollars on the card


def choices(table: Table, seat: int, cash: int, card: int) -> list[Action]:
    """Return a seat's candidates for a decision, each once; none where the mild answer does."""
    match table.phase:
        case "action":
            found = _acts(table, seat, cash, card)
        case "bid":
            worth = c.lot_worth(table.boards[seat].island, table.boards[table.seat].cargo, card, HOPE)
            purse = max(0, cash - RESERVE - table.boards[seat].loans)
            found = (Bid(min(purse, int(share * max(0.0, worth)))) for share in BID_SHARES)
        case "sale":
            assert table.auction is not None
            winner = table.auction.winners[0]
            bid = (table.auction.bids[winner] or 0) + (table.auction.extra[winner] or 0)
            found = iter((Accept(winner), Reject()) if bid <= cash else (Accept(winner),))
        case _:
            found = iter(())
    return list(dict.fromkeys(found))


def _acts(table: Table, seat: int, cash: int, card: int) -> Iterator[Action]:
    board = table.boards[seat]
    spare = cash - RESERVE - board.loans
    if board.loans and spare >= 10 and table.loans_repaid < 2:
        yield RepayLoan()
    yield Pass()
    price = c.next_factory_price(board)
    if price is not None and price <= spare:
        makers = [sum(colour in other.factories for other in table.boards) for colour in range(COLOURS)]
        free = [colour for colour in range(COLOURS) if colour not in board.factories]
        yield BuyFactory(min(free, key=lambda colour: (makers[colour], -table.supply[colour])))
    price = c.next_warehouse_price(board)
    if price is not None and price <= spare:
        yield BuyWarehouse()
    if not table.produced and cash >= 1:
        for price in FACTORY_PRICES:
            made = c.produce(table, seat, price)
            if any(made.make):
                yield made
    for price in HARBOUR_PRICES:
        for seller, other in enumerate(table.boards):
            take = c.cheapest(other.factory_store, c.harbour_space(board), spare)
            if seller != seat and any(take):
                goods = plus(colours_of(take), colours_of(board.harbour_store))
                yield Buy(seller, take, c.placed(EMPTY_STORE, goods, price))
    if any(board.harbour_store):
        for price in (3, *HARBOUR_PRICES):
            if (store := c.repriced(board.harbour_store, price)) != board.harbour_store:
                yield Reprice(store)
    yield from _voyages(table, seat, spare, card)


def _voyages(table: Table, seat: int, spare: int, card: int) -> Iterator[Action]:
    board = table.boards[seat]
    for seller, other in enumerate(table.boards):
        if seller == seat or not any(other.harbour_store):
            continue
        for take in _cargoes(other.harbour_store, c.ship_space(board), spare, card):
            if any(take) and board.ship_at == SEA:
                yield Sail(seller, take)
            elif any(take) and board.ship_at == seller:
                yield Load(take)
    if board.ship_at != SEA:
        yield Sail(SEA)
    elif any(board.cargo):
        yield Sail(ISLAND)


def _cargoes(harbour: Store, room: int, spare: int, card: int) -> Iterator[Store]:
    """Yield what might be taken from a harbour: as much as possible, and only what is good at home."""
    yield c.cheapest(harbour, room, spare)
    values = card_values(card, c.ALL_FIVE)
    wanted = tuple(n if values[colour] >= WORTH_LOADING else 0 for colour, n in enumerate(colours_of(harbour)))
    yield c.cheapest(harbour, room, spare, wanted)
