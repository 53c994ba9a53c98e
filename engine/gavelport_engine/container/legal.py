"""Which kinds of action are legal at all, and the figures behind it (`container.md 3` to 7).

Everything here asks a `Space`, that is what the acting seat may know. A kind is legal when at least
one action of the kind is; `faults.py` judges single actions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.container.actions import ISLAND, SEA
from gavelport_engine.container.auction import final_bid
from gavelport_engine.container.goods import COLOURS, Bag
from gavelport_engine.container.money import LOAN, MOST_LOANS
from gavelport_engine.container.prices import (
    FACTORY_PRICES,
    SHIP_CAPACITY,
    UNION_WAGE,
    WAREHOUSE_PRICES,
)

if TYPE_CHECKING:
    from gavelport_engine.container.space import Space
    from gavelport_engine.container.table import Board


def factory_room(board: Board) -> int:
    """Return how many containers the factory store still takes (1.6)."""
    return 2 * (len(board.factories) - board.factories.count(None)) - sum(board.factory_store)


def harbour_room(board: Board) -> int:
    """Return how many containers the harbour store still takes (1.6)."""
    return board.warehouses - sum(board.harbour_store)


def ship_room(board: Board) -> int:
    """Return how many containers the ship still takes (1.6)."""
    return SHIP_CAPACITY - sum(board.cargo)


def may_take_loan(space: Space) -> bool:
    """7.1, 7.3."""
    return space.board.loans < MOST_LOANS and space.table.loans_taken < MOST_LOANS


def most_repayments(space: Space, cash: int) -> int:
    """Return how many loans can be repaid with some cash now (7.2, 7.3)."""
    return min(space.board.loans, MOST_LOANS - space.table.loans_repaid, cash // LOAN)


def may_repay_loan(space: Space) -> bool:
    """7.2, 7.3."""
    return most_repayments(space, space.cash) > 0


def is_first_turn(space: Space) -> bool:
    """Return whether it is the seat's first turn of the game (4.2)."""
    return space.table.turn <= space.table.options.seats


def may_sell_domestic(space: Space) -> bool:
    """4.1, 4.2."""
    return (
        space.table.options.domestic_sale
        and not space.table.sold_domestic
        and not is_first_turn(space)
        and (any(space.board.factory_store) or any(space.board.harbour_store))
    )


def may_always(space: Space) -> bool:
    """Passing, re-pricing the harbour store and sailing somewhere always can be done (2.4, 5.3, 5.4)."""
    return True


def may_buy_factory(space: Space) -> bool:
    """5.1; with a slot free there always is a colour not owned."""
    factories = space.board.factories
    return None in factories and FACTORY_PRICES[factories.index(None)] <= space.cash


def may_buy_warehouse(space: Space) -> bool:
    """5.1."""
    owned = space.board.warehouses
    return owned < len(WAREHOUSE_PRICES) and WAREHOUSE_PRICES[owned] <= space.cash


def may_produce(space: Space) -> bool:
    """2.2, 5.2."""
    return not space.table.produced and space.cash >= UNION_WAGE


def producible(space: Space) -> Bag:
    """Return what the factories make, were there room: one each while the supply has it (5.2)."""
    factories, supply = space.board.factories, space.table.supply
    return tuple([int(c in factories and supply[c] > 0) for c in range(COLOURS)])


def sellers(space: Space) -> list[int]:
    """Return the other seats whose factory store has something that the cash pays for (5.3)."""
    end = COLOURS * space.cash  # the places of all prices up to the cash
    return [
        seat for seat, board in enumerate(space.table.boards) if any(board.factory_store[:end]) and seat != space.seat
    ]


def may_buy(space: Space) -> bool:
    """5.3, 5.7."""
    if harbour_room(space.board) <= 0:
        return False
    end, own = COLOURS * space.cash, space.board
    for board in space.table.boards:  # noqa: SIM110  quicker than `any`, and asked for every decision
        if board is not own and any(board.factory_store[:end]):
            return True
    return False


def destinations(space: Space) -> list[int]:
    """Return where the ship may sail, SEA and ISLAND before harbours (5.4, 5.6)."""
    if space.board.ship_at != SEA:
        return [SEA]
    found = [seat for seat in range(space.table.options.seats) if seat != space.seat]
    if any(space.board.cargo):
        found.insert(0, ISLAND)
    return found


def may_load(space: Space) -> bool:
    """5.5, 5.7."""
    at = space.board.ship_at
    if at < 0 or ship_room(space.board) <= 0:
        return False
    return any(space.table.boards[at].harbour_store[: COLOURS * space.cash])


def sale_price(space: Space) -> int:
    """Return the highest final bid (6.3)."""
    auction = space.table.auction
    assert auction is not None
    return final_bid(auction, auction.winners[0])


def may_reject(space: Space) -> bool:
    """6.3."""
    return space.cash >= sale_price(space)


def first_bid(space: Space) -> int:
    """Return what the seat has bid already in this auction; 0 in the first round (6.2)."""
    auction = space.table.auction
    assert auction is not None
    return auction.bids[space.seat] or 0 if space.table.phase == "extra_bid" else 0
