"""Helpers for bots that play Shipping: ways over the map, what goods cost and fetch, Orders, the year's accounts.

All work on the engine's own values (`gavelport_engine.shipping`): spaces, goods, regions and Order cards are indices in
the order of the data file, whose tables stand in `gavelport_engine.shipping.data`. Amounts are $M. Nothing here knows
more than the bot does.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from gavelport_engine.shipping.actions import Move
from gavelport_engine.shipping.bills import maintenance
from gavelport_engine.shipping.data import (
    CASH_PER_POINT,
    CITIES,
    COSTS,
    EDGES,
    GOODS,
    NO_REGION,
    ORDERS,
    PORTS,
    PRICES,
    REGIONS,
)
from gavelport_engine.shipping.data_checks import CANALS
from gavelport_engine.shipping.legal import CAPACITY
from gavelport_engine.shipping.market import owed_for, price
from gavelport_engine.shipping.movement import BOOST_SPACES, Way, cost, limit
from gavelport_engine.shipping.news import closed_canal, sale_bonus, toll
from gavelport_engine.shipping.table import Ship

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gavelport_engine.shipping.table import Board, Table

# -- ways, shipping.md 5 and 6


class Route(NamedTuple):
    """A way from one space to another, however many turns it takes."""

    path: tuple[int, ...]
    """The spaces entered, in order; ports only at the end."""
    cost: int
    """Tolls and dock fee as they are now, $M."""


def route(table: Table, seat: int, at: int, to: int) -> Route | None:
    """Return the way with the fewest spaces, and of these the one with the fewest canals, that is open now.

    Its path is empty where the ship is there already. None where a closed canal leaves no way.
    """
    if at == to:
        return Route((), 0)
    way = _ways_from(at, closed_canal(table)).get(to)
    return None if way is None else Route(way.path, cost(table, seat, way))


def distance(at: int, to: int) -> int:
    """Return the number of spaces between two spaces while all canals are open (5.7)."""
    return len(_ways_from(at, None)[to].path) if at != to else 0


def turns_for(spaces: int, aboard: int = 1) -> int:
    """Return how many turns a way takes a ship with so many containers aboard, without boosts (6.3)."""
    return -(-spaces // limit(Ship(0, (0,) * aboard)))


def move_towards(table: Table, seat: int, ship: int, to: int, *, boost: bool = False) -> Move | None:
    """Return the move that brings a ship as far as it goes this turn on its way to a space (6.3 to 6.6).

    With `boost` it goes one space further where the way is longer than the limit; that takes a free boost or 1 AP.
    None where the ship is not owned, has moved, is there already or has no way. Tolls and fee may still be too much for
    the cash: ask the decision's space.
    """
    vessel = table.boards[seat].ships[ship]
    if vessel is None or vessel.moved:
        return None
    found = route(table, seat, vessel.at, to)
    if found is None or not found.path:
        return None
    most = limit(vessel)
    is_boosted = boost and len(found.path) > most
    return Move(ship, found.path[: most + BOOST_SPACES * is_boosted], is_boosted)


@cache
def _ways_from(at: int, closed: str | None) -> dict[int, Way]:
    """Return the best way to every other space, by spaces, then canals."""
    best: dict[int, Way] = {at: Way((), ())}
    edge = [at]
    while edge:
        found: dict[int, Way] = {}
        for here in edge:
            if here < PORTS and here != at:
                continue
            for to, kind in EDGES[here]:
                if to in best or (kind in CANALS and kind == closed):
                    continue
                way = best[here]
                longer = Way((*way.path, to), (*way.canals, kind) if kind in CANALS else way.canals)
                if to not in found or len(longer.canals) < len(found[to].canals):
                    found[to] = longer
        best |= found
        edge = list(found)
    return best


# -- goods, shipping.md 7 and 8


def good_made_in(space: int) -> int | None:
    """Return the good that can be bought in a port; None at sea and in ports of no region."""
    if space >= PORTS or CITIES[space].region == NO_REGION:
        return None
    return REGIONS[CITIES[space].region].good


@cache
def ports_that_make(good: int) -> tuple[int, ...]:
    """Return the ports in which a good can be bought."""
    return tuple(port for port in range(PORTS) if good_made_in(port) == good)


@cache
def ports_that_take(good: int) -> tuple[int, ...]:
    """Return the ports in which a good can be sold."""
    return tuple(port for port, city in enumerate(CITIES) if good in city.sells)


def purchase_price(table: Table, seat: int, good: int, count: int = 1) -> int | None:
    """Return what `count` containers cost in one purchase now, own ones being free (8.2); None if there are fewer."""
    return owed_for(table, seat, good, count) if len(table.rows[good]) >= count else None


def sale_price(table: Table, good: int, space: int) -> int | None:
    """Return what a container of a good fetches at a port now (8.4); None where it is not taken."""
    if space >= PORTS or good not in CITIES[space].sells:
        return None
    return CITIES[space].bonus + price(table, good) + sale_bonus(table, good)


def room(board: Board, ship: int) -> int:
    """Return how many containers a ship still takes (6.1); 0 for one that is not owned."""
    vessel = board.ships[ship]
    return 0 if vessel is None else CAPACITY[ship] - len(vessel.cargo)


# -- trips: what ships can earn


class Trip(NamedTuple):
    """A way for a ship to earn: buy a good in a port, sell it in another."""

    source: int
    """Where it is bought; the ship's own place for what is aboard already."""
    good: int
    city: int
    """Where it is sold."""
    containers: int
    turns: int
    """Moves until it is sold, one a turn, without boosts; 0 where that can be done at once."""
    gain: int
    """Sales less purchase, tolls and dock fees, as they are all now, $M; Orders are left out."""


def trips(table: Table, seat: int, at: int, count: int = 1) -> Iterator[Trip]:
    """Yield every trip on which an empty ship at a space could earn with so many containers.

    Left out are goods of which the Terminal has fewer, and ports that a closed canal cuts off. Cash is not looked at.
    """
    ways = _ways_from(at, closed_canal(table))
    for good in range(len(GOODS)):
        owed = purchase_price(table, seat, good, count)
        if owed is None:
            continue
        price_then = PRICES[good][len(table.rows[good]) - count]  # it rises with the purchase (7.5)
        for source in ports_that_make(good):
            way = ways.get(source)
            if way is not None:
                before = -(-len(way.path) // limit(_LIGHT))
                due = owed + (cost(table, seat, way) if way.path else 0)
                yield from _sales(table, seat, source, good, (count, count), price_then, (before, due))


def deliveries(table: Table, seat: int, at: int, cargo: Sequence[int]) -> Iterator[Trip]:
    """Yield every way in which a ship at a space could sell all of the first good that it has aboard."""
    if cargo:
        good = cargo[0]
        yield from _sales(table, seat, at, good, (cargo.count(good), len(cargo)), price(table, good), (0, 0))


def _sales(
    table: Table, seat: int, at: int, good: int, load: tuple[int, int], price_then: int, before: tuple[int, int]
) -> Iterator[Trip]:
    """Yield trips from a space to every port that takes a good.

    `load` is how many are sold of how many aboard, `before` the moves and $M that lie behind the ship then.
    """
    count, aboard = load
    moves, due = before
    speed = limit(_LIGHT if aboard < 2 else _TWO_ABOARD)
    fees = {board.home for owner, board in enumerate(table.boards) if owner != seat and board.bankrupt is None}
    toll_now, each = toll(table), price_then + sale_bonus(table, good)
    for city, spaces, canals in _sales_from(at, good, closed_canal(table)):
        owed = due + toll_now * canals
        if spaces and city in fees:
            owed += COSTS["dock_fee"]
        yield Trip(at, good, city, count, moves - (-spaces // speed), count * (CITIES[city].bonus + each) - owed)


_LIGHT, _TWO_ABOARD = Ship(0), Ship(0, (0, 0))


@cache
def _sales_from(at: int, good: int, closed: str | None) -> tuple[tuple[int, int, int], ...]:
    """Return the ports that take a good and can be reached from a space, with spaces and canals on the way."""
    ways = _ways_from(at, closed)
    found = [(city, ways[city]) for city in ports_that_take(good) if city in ways]
    return tuple((city, len(way.path), len(way.canals)) for city, way in found)


# -- Orders, shipping.md 10


class Wanted(NamedTuple):
    """What an Order still asks for."""

    card: int
    good: int
    city: int
    left: int
    """Containers still to be counted."""
    reward: int
    penalty: int


def wanted(board: Board, hand: Sequence[int]) -> list[Wanted]:
    """Return what the own Orders still ask for, in the order taken; `hand` is `observation.hand`."""
    found = []
    for held, card in zip(board.orders, hand, strict=True):
        order = ORDERS[card]
        found.append(Wanted(card, order.good, order.city, order.count - held.done, order.reward, order.penalty))
    return found


def orders_for(board: Board, hand: Sequence[int], good: int, space: int) -> list[Wanted]:
    """Return the own Orders for which a container sold at a port could count (8.5), the nearest to done first."""
    fitting = [order for order in wanted(board, hand) if (order.good, order.city) == (good, space)]
    return sorted(fitting, key=lambda order: order.left)


def completed_by(board: Board, hand: Sequence[int], cargo: Iterable[int]) -> list[Wanted]:
    """Return the own Orders that a cargo completes where it is sold for them, one container for one Order only.

    Orders for the same good share the containers by the highest reward.
    """
    aboard = list(cargo)
    done = []
    for order in sorted(wanted(board, hand), key=lambda order: -order.reward):
        if aboard.count(order.good) >= order.left:
            done.append(order)
            for _ in range(order.left):
                aboard.remove(order.good)
    return done


# -- the year's end and the score, shipping.md 13 and 14


def penalties(hand: Sequence[int]) -> int:
    """Return what the Orders of a hand cost at the last accounts (13.3), $M."""
    return sum(ORDERS[card].penalty for card in hand)


def after_accounts(table: Table, seat: int, hand: Sequence[int]) -> int:
    """Return what is left of the cash if this year's accounts were made now (13.2, 13.3); negative: what is missing.

    In the last year the penalties of the unfinished Orders are in it.
    """
    board = table.boards[seat]
    left = board.cash - maintenance(board)
    return left - penalties(hand) if table.year == table.options.years else left


def points(board: Board) -> int:
    """Return a seat's points as if the game were over now (14.1)."""
    return board.stock + board.cash // CASH_PER_POINT
