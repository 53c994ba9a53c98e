"""Which kinds of action are legal at all, and the figures behind it (`shipping.md 15.3`).

Everything here asks a `Space`, that is what the acting seat may know. A kind is legal when at least
one action of the kind is; `faults.py` judges single actions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.shipping import actions as act
from gavelport_engine.shipping.data import AP, CITIES, COSTS, LIMITS, NO_REGION, ORDERS, PORTS, REGIONS, ROW_CAPACITY
from gavelport_engine.shipping.market import owed_for
from gavelport_engine.shipping.money import FLOOR, TOP
from gavelport_engine.shipping.movement import BOOST_SPACES, Way, cost, is_open, limit, ways
from gavelport_engine.shipping.orders import can_draw, may_hold_more
from gavelport_engine.shipping.table import LARGE_SHIPS, SHIP_KINDS, SMALL_SHIPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gavelport_engine.shipping.space import Space
    from gavelport_engine.shipping.table import Ship

CAPACITY = tuple(
    LIMITS["large_capacity" if ship in LARGE_SHIPS else "small_capacity"] for ship in (*SMALL_SHIPS, *LARGE_SHIPS)
)
"""Containers by ship (6.1)."""

MOST_FACTORIES = LIMITS["factories_per_region"]
_REGION_OF = tuple(city.region for city in CITIES)


def docked(space: Space) -> list[tuple[int, Ship]]:
    """Return the seat's ships in ports, with their numbers."""
    return [(number, ship) for number, ship in enumerate(space.board.ships) if ship is not None and ship.at < PORTS]


# -- moves


def movable(space: Space) -> list[int]:
    """Return the ships that have not moved; every one has a legal move, for a way without toll or fee leads to sea."""
    return [number for number, ship in enumerate(space.board.ships) if ship is not None and not ship.moved]


def may_move(space: Space) -> bool:
    """6.2."""
    return any(ship is not None and not ship.moved for ship in space.board.ships)


def can_boost(space: Space) -> bool:
    """6.6."""
    return bool(space.table.boosts) or space.table.ap >= AP["boost"]


def near(space: Space, ship: Ship) -> tuple[Way, ...]:
    """Return the ways that a ship can go as far as distance is concerned, a boost included if there is one."""
    return ways(ship.at, limit(ship) + (BOOST_SPACES if can_boost(space) else 0))


def passable(space: Space, way: Way) -> bool:
    """Return whether a way is open and its tolls and fee can be paid (12.5, 6.9)."""
    table = space.table
    return is_open(table, way.canals) and cost(table, space.seat, way) <= space.board.cash


def as_move(number: int, ship: Ship, way: Way) -> act.Move:
    """Return a way as an action."""
    return act.Move(number, way.path, len(way.path) > limit(ship))


def moves(space: Space, number: int) -> list[act.Move]:
    """Return every legal move of a ship that may move, shorter ways before those they begin."""
    ship = space.board.ships[number]
    assert ship is not None
    return [as_move(number, ship, way) for way in near(space, ship) if passable(space, way)]


# -- containers


def most_bought(space: Space, number: int, ship: Ship) -> int:
    """Return how many containers a ship in port can buy at most (8.1, 8.2)."""
    region = _REGION_OF[ship.at]
    if region == NO_REGION:
        return 0
    table, good = space.table, REGIONS[region].good
    most = min(CAPACITY[number] - len(ship.cargo), len(table.rows[good]), table.ap // AP["buy_container"])
    while most > 0 and owed_for(table, space.seat, good, most) > space.board.cash:
        most -= 1
    return most


def buyers(space: Space) -> list[tuple[int, int]]:
    """Return the ships that can buy, each with how many containers at most."""
    if space.table.ap < AP["buy_container"]:
        return []
    found = [(number, most_bought(space, number, ship)) for number, ship in docked(space)]
    return [one for one in found if one[1] > 0]


def may_buy(space: Space) -> bool:
    """8.1."""
    return bool(buyers(space))


def orders_for(space: Space, good: int, city: int) -> list[int]:
    """Return the seat's Orders for a good in a city (8.5)."""
    return [card for card in space.hand if ORDERS[card].good == good and ORDERS[card].city == city]


def sales(space: Space) -> list[act.Sell]:
    """Return every sale: for each good aboard that the city sells, counted for none or for each Order that fits."""
    found = []
    for number, ship in docked(space):
        for good in dict.fromkeys(ship.cargo):
            if good in CITIES[ship.at].sells:
                found += [act.Sell(number, good, card) for card in (None, *orders_for(space, good, ship.at))]
    return found


def may_sell(space: Space) -> bool:
    """8.4."""
    return any(good in CITIES[ship.at].sells for _, ship in docked(space) for good in ship.cargo)


# -- ships and Orders


def kinds_of_ship(space: Space) -> list[str]:
    """Return the kinds of ship that can be bought (10.1)."""
    if space.table.ap < AP["buy_ship"]:
        return []
    ships, cash = space.board.ships, space.board.cash
    return [
        kind
        for kind, numbers in SHIP_KINDS.items()
        if cash >= COSTS[f"{kind}_ship"] and any(ships[number] is None for number in numbers)
    ]


def may_buy_ship(space: Space) -> bool:
    """10.1."""
    return bool(kinds_of_ship(space))


def filled_slots(space: Space) -> list[int]:
    """Return the slots with a face-up Order."""
    return [slot for slot, card in enumerate(space.table.open_orders) if card is not None]


def may_buy_order(space: Space) -> bool:
    """10.2, 10.4."""
    payable = space.table.ap >= AP["face_up_order"] and space.board.cash >= COSTS["face_up_order"]
    return payable and may_hold_more(space.board) and bool(filled_slots(space))


def may_draw_order(space: Space) -> bool:
    """10.3, 10.4, 10.8."""
    payable = space.table.ap >= AP["hidden_order"] and space.board.cash >= COSTS["hidden_order"]
    return payable and may_hold_more(space.board) and can_draw(space.table)


# -- factories


def is_docked_in(space: Space, region: int) -> bool:
    """Return whether one of the seat's ships is docked in a city of a region (9.2)."""
    return any(_REGION_OF[ship.at] == region for _, ship in docked(space))


def building_regions(space: Space) -> list[int]:
    """Return the regions in which a factory can be built (9.1, 9.2)."""
    if space.table.ap < AP["factory"] or space.board.cash < COSTS["factory"]:
        return []
    docks = {_REGION_OF[ship.at] for _, ship in docked(space)}
    return [
        region
        for region, built in enumerate(space.board.built)
        if built < MOST_FACTORIES and (built or region in docks)
    ]


def may_build(space: Space) -> bool:
    """9.1, 9.2."""
    return bool(building_regions(space))


def quarter_limit(space: Space) -> int:
    """Return how many containers of one good the seat produces in a quarter (9.5)."""
    both = all(space.board.ships[ship] is not None for ship in LARGE_SHIPS)
    return LIMITS["produce_per_good_two_large" if both else "produce_per_good"]


def producing_regions(space: Space) -> list[int]:
    """Return the regions in which the seat can produce (9.3)."""
    table, board = space.table, space.board
    if table.ap < AP["produce"] or board.cash < COSTS["produce"]:
        return []
    found = [region for region, built in enumerate(board.built) if built > board.marked[region]]
    if not found:
        return []
    most = quarter_limit(space)
    return [
        region
        for region in found
        if len(table.rows[REGIONS[region].good]) < ROW_CAPACITY and table.produced[REGIONS[region].good] < most
    ]


def may_produce(space: Space) -> bool:
    """9.3."""
    return bool(producing_regions(space))


# -- shares, AP, the end of the turn


def may_buy_share(space: Space) -> bool:
    """11.2."""
    board = space.board
    return space.table.ap >= AP["share_buy"] and board.cash >= COSTS["share_buy"] and board.stock < TOP


def may_sell_share(space: Space) -> bool:
    """11.3."""
    return space.board.stock > FLOOR and not space.table.share_sold


def most_ap(space: Space) -> int:
    """Return how many AP the seat can buy (4.4)."""
    return 0 if space.table.ap_bought else space.board.cash // COSTS["extra_ap"]


def may_buy_ap(space: Space) -> bool:
    """4.4."""
    return most_ap(space) > 0


def may_always(space: Space) -> bool:
    """Return True."""
    return True


# -- raising money


def assets(space: Space) -> Iterator[act.SellAsset]:
    """Yield every sale for a mandatory cost, in the order in which the default chooses (notation, "Defaults")."""
    board = space.board
    if board.stock > FLOOR:
        yield act.SellAsset("share")
    for numbers in (SMALL_SHIPS, LARGE_SHIPS):
        for number in reversed(numbers):
            if board.ships[number] is not None:
                yield act.SellAsset("ship", ship=number)
    for region, built in enumerate(board.built):
        if built:
            yield act.SellAsset("factory", region=region)
