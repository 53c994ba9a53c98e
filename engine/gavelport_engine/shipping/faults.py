"""Why an action cannot be taken, a code and a sentence each, in the order of `shipping.md 16`.

Every check asks a `Space`, that is what the acting seat may know, so no sentence can tell it more.
Nothing here raises, whatever is given as an action.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gavelport_engine.errors import Fault
from gavelport_engine.reading import shown
from gavelport_engine.shipping import actions as act
from gavelport_engine.shipping import legal
from gavelport_engine.shipping.action_notation import ASSET_KEYS, FIELDS, MALFORMED, NAMES
from gavelport_engine.shipping.data import (
    AP,
    CITIES,
    COSTS,
    GOODS,
    NO_REGION,
    ORDER_IDS,
    PORTS,
    REGIONS,
    ROW_CAPACITY,
    SPACES,
)
from gavelport_engine.shipping.market import owed_for
from gavelport_engine.shipping.money import FLOOR, TOP
from gavelport_engine.shipping.movement import BOOST_SPACES, Way, canals_on, cost, is_open, is_path, limit
from gavelport_engine.shipping.news import closed_canal
from gavelport_engine.shipping.orders import MOST_ORDERS, can_draw, may_hold_more
from gavelport_engine.shipping.table import LARGE_SHIPS, SHIP_KINDS, SHIP_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from gavelport_engine.shipping.space import Space
    from gavelport_engine.shipping.table import Ship

CODES = {
    "E01": "the game is over",
    "E02": "the seat is not asked for anything now",
    MALFORMED: "the action cannot be read: unknown id, field, ship, region, good, slot or kind, or a number below 1",
    "E04": "this kind of action does not answer the question that is asked",
    "E10": "the ship is not owned",
    "E11": "the ship has already moved this turn (6.2)",
    "E12": "the path is empty, leaves the edges, repeats a space or returns to its start (6.4)",
    "E13": "the path passes through a port (6.5)",
    "E14": "the path is too long, needs a boost, or has one that it does not need (6.3, 6.6)",
    "E15": "a canal is closed by News (12.5)",
    "E20": "the ship is not docked (8.1, 8.4)",
    "E21": "nothing is produced here, or the city does not sell this good (5.6)",
    "E22": "the row has fewer containers than asked (8.1)",
    "E23": "there is not enough free capacity (6.1)",
    "E24": "the good is not aboard (8.4)",
    "E25": "the Order named is not own, not active, or does not match (8.5)",
    "E30": "no more ships of this kind can be owned (10.1)",
    "E31": "no more Orders can be held (10.4)",
    "E32": "there is no such card: the slot, or the deck and the discard, are empty (10.8)",
    "E33": "no more factories can stand in the region (9.1)",
    "E34": "the region is not open, and no own ship is docked there (9.2)",
    "E35": "there is no unmarked factory (9.3)",
    "E36": "the row is full (9.3)",
    "E37": "no more of this good can be produced this quarter (9.5)",
    "E40": "the stock value is at the end of its track (11.2, 11.3)",
    "E41": "a share was already sold this quarter (11.3)",
    "E42": "additional AP were already bought this turn (4.4)",
    "E50": "the AP do not suffice (4.2, 6.6)",
    "E51": "the cash does not suffice (4.7)",
    "E60": "the ship or factory that is to be sold is not owned (13.5)",
    "E70": "the options, or the data file, describe no game (2.1, 18.1)",
}
"""Every code there is, with what it means."""

_MISSING = object()


def fault_in(space: Space, action: object) -> Fault | None:
    """Return why an action cannot be taken in a space, or None."""
    kind = type(action)
    fields = FIELDS.get(kind)
    if fields is None:
        return Fault(MALFORMED, f"{shown(action)} is no action of this game")
    for field in fields:
        value = getattr(action, field.key, _MISSING)
        if not field.form.holds(value):
            got = "nothing" if value is _MISSING else shown(value)
            return Fault(MALFORMED, f"{NAMES[kind]}: {field.key} must be {field.form.what}, got {got}")
    if isinstance(action, act.SellAsset):
        for key in ("ship", "region"):
            if (getattr(action, key) is not None) != (key in ASSET_KEYS[action.asset]):
                return Fault(MALFORMED, f"sell_asset: {key} is named exactly when that is what is sold")
    if (kind is act.SellAsset) != (space.table.phase == "raise"):
        asked = "money must be raised: sell_asset" if space.table.phase == "raise" else "a turn's action is asked for"
        return Fault("E04", f"{NAMES[kind]} is no answer now: {asked}")
    return _CHECKS[kind](space, action)


def _no_ap(space: Space, needed: int, what: str) -> Fault | None:
    left = space.table.ap
    return None if needed <= left else Fault("E50", f"{what} takes {shown(needed)} AP, {left} are left")


def _no_cash(space: Space, needed: int, what: str) -> Fault | None:
    cash = space.board.cash
    return None if needed <= cash else Fault("E51", f"{what} costs ${shown(needed)}M, there are ${cash}M in hand (4.7)")


def _costs(space: Space, ap: int, money: int, what: str) -> Fault | None:
    return _no_ap(space, ap, what) or _no_cash(space, money, what)


def _ship(space: Space, number: int) -> Ship | Fault:
    return space.board.ships[number] or Fault("E10", f"ship {SHIP_NAMES[number]} is not owned")


def _move(space: Space, action: act.Move) -> Fault | None:
    """6."""
    ship = _ship(space, action.ship)
    if isinstance(ship, Fault):
        return ship
    if ship.moved:
        return Fault("E11", f"ship {SHIP_NAMES[action.ship]} has already moved this turn (6.2)")
    path, most = action.path, limit(ship)
    if not is_path(ship.at, path):
        return Fault("E12", f"a path leads from {SPACES[ship.at]} along edges, and visits no space twice (6.4)")
    if any(space_on_way < PORTS for space_on_way in path[:-1]):
        return Fault("E13", "only the last space of a path may be a port (6.5)")
    boosted = most < len(path) <= most + BOOST_SPACES
    if boosted != action.boost or len(path) > most + BOOST_SPACES:
        return Fault("E14", f"the ship moves {most} spaces, with a boost exactly {most + BOOST_SPACES} (6.3, 6.6)")
    way = Way(path, canals_on(ship.at, path))
    if not is_open(space.table, way.canals):
        return Fault("E15", f"the canal {closed_canal(space.table)} is closed in this quarter (12.5)")
    if action.boost and not legal.can_boost(space):
        return Fault("E50", "a boost takes a free boost or 1 AP, there is neither (6.6)")
    return _no_cash(space, cost(space.table, space.seat, way), "the path")


def _docked(space: Space, number: int) -> Ship | Fault:
    ship = _ship(space, number)
    if isinstance(ship, Fault) or ship.at < PORTS:
        return ship
    return Fault("E20", f"ship {SHIP_NAMES[number]} is at sea")


def _buy(space: Space, action: act.Buy) -> Fault | None:
    """8.1, 8.2."""
    ship = _docked(space, action.ship)
    if isinstance(ship, Fault):
        return ship
    region = CITIES[ship.at].region
    if region == NO_REGION:
        return Fault("E21", f"{SPACES[ship.at]} produces nothing (5.6)")
    good, count = REGIONS[region].good, action.count
    there = len(space.table.rows[good])
    if count > there:
        return Fault("E22", f"the {GOODS[good].name} row has {there} containers, {shown(count)} are asked (8.1)")
    free = legal.CAPACITY[action.ship] - len(ship.cargo)
    if count > free:
        return Fault("E23", f"{count} containers do not fit, there is room for {free} (6.1)")
    due = owed_for(space.table, space.seat, good, count)
    return _costs(space, AP["buy_container"] * count, due, "the purchase")


def _sell(space: Space, action: act.Sell) -> Fault | None:
    """8.4, 8.5."""
    ship = _docked(space, action.ship)
    if isinstance(ship, Fault):
        return ship
    name = GOODS[action.good].name
    if action.good not in CITIES[ship.at].sells:
        return Fault("E21", f"{SPACES[ship.at]} does not sell {name} (5.6)")
    if action.good not in ship.cargo:
        return Fault("E24", f"no {name} container is aboard {SHIP_NAMES[action.ship]}")
    if action.order is not None and action.order not in legal.orders_for(space, action.good, ship.at):
        card = ORDER_IDS[action.order]
        return Fault("E25", f"{card} is no own active Order for {name} in {SPACES[ship.at]} (8.5)")
    return None


def _buy_ship(space: Space, action: act.BuyShip) -> Fault | None:
    """10.1."""
    numbers = SHIP_KINDS[action.kind]
    if all(space.board.ships[number] is not None for number in numbers):
        return Fault("E30", f"{len(numbers)} {action.kind} ships are owned, that is the limit (10.1)")
    return _costs(space, AP["buy_ship"], COSTS[f"{action.kind}_ship"], f"a {action.kind} ship")


def _five_orders(space: Space) -> Fault | None:
    if may_hold_more(space.board):
        return None
    return Fault("E31", f"{MOST_ORDERS} Orders are held, that is the limit (10.4)")


def _buy_order(space: Space, action: act.BuyOrder) -> Fault | None:
    """10.2."""
    full = _five_orders(space)
    if full is not None:
        return full
    if space.table.open_orders[action.slot] is None:
        return Fault("E32", f"slot {action.slot} is empty")
    return _costs(space, AP["face_up_order"], COSTS["face_up_order"], "a face-up Order")


def _draw_order(space: Space, action: act.DrawOrder) -> Fault | None:
    """10.3."""
    full = _five_orders(space)
    if full is not None:
        return full
    if not can_draw(space.table):
        return Fault("E32", "the Order deck and its discard are empty (10.8)")
    return _costs(space, AP["hidden_order"], COSTS["hidden_order"], "a hidden Order")


def _build(space: Space, action: act.Build) -> Fault | None:
    """9.1, 9.2."""
    built = space.board.built[action.region]
    name = REGIONS[action.region].name
    if built >= legal.MOST_FACTORIES:
        return Fault("E33", f"{built} factories stand in {name}, that is the limit (9.1)")
    if not built and not legal.is_docked_in(space, action.region):
        return Fault("E34", f"the first factory in {name} needs an own ship docked there (9.2)")
    return _costs(space, AP["factory"], COSTS["factory"], "a factory")


def _produce(space: Space, action: act.Produce) -> Fault | None:
    """9.3, 9.5."""
    region = REGIONS[action.region]
    if space.board.built[action.region] <= space.board.marked[action.region]:
        return Fault("E35", f"no factory in {region.name} is left to produce this year (9.3)")
    if len(space.table.rows[region.good]) >= ROW_CAPACITY:
        return Fault("E36", f"the {GOODS[region.good].name} row is full (9.3)")
    most = legal.quarter_limit(space)
    if space.table.produced[region.good] >= most:
        both = f", 2 with both large ships ({', '.join(SHIP_NAMES[ship] for ship in LARGE_SHIPS)})"
        return Fault("E37", f"{most} of {GOODS[region.good].name} a quarter{both if most == 1 else ''} (9.5)")
    return _costs(space, AP["produce"], COSTS["produce"], "producing")


def _buy_share(space: Space, action: act.BuyShare) -> Fault | None:
    """11.2."""
    if space.board.stock >= TOP:
        return Fault("E40", f"the stock value is {TOP}, the top (11.2)")
    return _costs(space, AP["share_buy"], COSTS["share_buy"], "a share")


def _at_floor(space: Space) -> Fault | None:
    return Fault("E40", f"the stock value is {FLOOR}: no share is left to sell") if space.board.stock <= FLOOR else None


def _sell_share(space: Space, action: act.SellShare) -> Fault | None:
    """11.3."""
    low = _at_floor(space)
    if low is None and space.table.share_sold:
        return Fault("E41", "one share a quarter, and it was sold (11.3)")
    return low


def _buy_ap(space: Space, action: act.BuyAp) -> Fault | None:
    """4.4."""
    if space.table.ap_bought:
        return Fault("E42", "one purchase of AP a turn, and it was made (4.4)")
    return _no_cash(space, COSTS["extra_ap"] * action.count, "the AP asked for")


def _nothing_wrong(space: Space, action: object) -> Fault | None:
    return None


def _sell_asset(space: Space, action: act.SellAsset) -> Fault | None:
    """13.5."""
    if action.ship is not None:
        if space.board.ships[action.ship] is None:
            return Fault("E60", f"ship {SHIP_NAMES[action.ship]} is not owned (13.5)")
    elif action.region is not None:
        if not space.board.built[action.region]:
            return Fault("E60", f"no factory is owned in {REGIONS[action.region].name} (13.5)")
    else:
        return _at_floor(space)
    return None


_CHECKS: dict[type, Callable[[Space, Any], Fault | None]] = {
    act.Move: _move,
    act.Buy: _buy,
    act.Sell: _sell,
    act.BuyShip: _buy_ship,
    act.BuyOrder: _buy_order,
    act.DrawOrder: _draw_order,
    act.Build: _build,
    act.Produce: _produce,
    act.BuyShare: _buy_share,
    act.SellShare: _sell_share,
    act.BuyAp: _buy_ap,
    act.EndTurn: _nothing_wrong,
    act.SellAsset: _sell_asset,
}
