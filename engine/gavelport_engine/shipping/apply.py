"""What each action does (`shipping.md 4` to 11).

Every function takes an action that is without fault and changes the state in place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gavelport_engine.shipping import actions as act
from gavelport_engine.shipping.data import (
    AP,
    BEYOND_TRACK_CASH,
    CITIES,
    COSTS,
    NO_ORDER_CASH,
    REGIONS,
    TRACK,
)
from gavelport_engine.shipping.events import (
    ApBought,
    Bought,
    Built,
    Moved,
    OrderTaken,
    Produced,
    ShipBought,
    Sold,
    TrackMoved,
)
from gavelport_engine.shipping.market import price, push
from gavelport_engine.shipping.money import pay, stock_down, stock_up
from gavelport_engine.shipping.movement import canals_on, fee_to
from gavelport_engine.shipping.news import sale_bonus, toll
from gavelport_engine.shipping.orders import count_for, draw_hidden, may_hold_more, open_slot, take
from gavelport_engine.shipping.table import BANK, SHIP_KINDS, Ship
from gavelport_engine.shipping.turn import end_turn, go_on_raising

if TYPE_CHECKING:
    from collections.abc import Callable

    from gavelport_engine.shipping.money import MaybeTrace
    from gavelport_engine.shipping.table import Board, State


def _ship(board: Board, number: int) -> Ship:
    ship = board.ships[number]
    assert ship is not None
    return ship


def _set_ship(board: Board, number: int, ship: Ship) -> None:
    board.ships = (*board.ships[:number], ship, *board.ships[number + 1 :])


def _one_more(counts: tuple[int, ...], place: int) -> tuple[int, ...]:
    return (*counts[:place], counts[place] + 1, *counts[place + 1 :])


def _move(state: State, seat: int, action: act.Move, trace: MaybeTrace) -> None:
    """Move a ship: boost, tolls and dock fee are paid at once (6)."""
    table = state.table
    board = table.boards[seat]
    ship = _ship(board, action.ship)
    if trace is not None:
        trace.events.append(Moved(seat, action.ship, action.path, action.boost))
    if action.boost:
        if table.boosts:
            table.boosts -= 1
        else:
            table.ap -= AP["boost"]
    canals = canals_on(ship.at, action.path)
    if canals:
        pay(table, seat, BANK, toll(table) * len(canals), "toll", trace)
    owner = fee_to(table, seat, action.path[-1])
    if owner is not None:
        pay(table, seat, owner, COSTS["dock_fee"], "dock_fee", trace)
    _set_ship(board, action.ship, Ship(action.path[-1], ship.cargo, moved=True))


def _buy(state: State, seat: int, action: act.Buy, trace: MaybeTrace) -> None:
    """Take the rightmost containers aboard; each is paid to its owner at the first price shown (8.2)."""
    table = state.table
    board = table.boards[seat]
    ship = _ship(board, action.ship)
    good = REGIONS[CITIES[ship.at].region].good
    each, row = price(table, good), table.rows[good]
    kept = len(row) - action.count
    table.ap -= AP["buy_container"] * action.count
    table.rows[good] = row[:kept]
    cargo = tuple(sorted((*ship.cargo, *(good for _ in range(action.count)))))
    _set_ship(board, action.ship, Ship(ship.at, cargo, ship.moved))
    if trace is not None:
        trace.events.append(Bought(seat, action.ship, good, action.count))
    for owner in reversed(row[kept:]):
        pay(table, seat, owner, each, "containers", trace)


def _sell(state: State, seat: int, action: act.Sell, trace: MaybeTrace) -> None:
    """Sell a container to the Bank (8.4), and count it for an Order if one is named (8.5)."""
    table = state.table
    board = table.boards[seat]
    ship = _ship(board, action.ship)
    good = action.good
    income = CITIES[ship.at].bonus + price(table, good) + sale_bonus(table, good)
    place = ship.cargo.index(good)
    _set_ship(board, action.ship, Ship(ship.at, ship.cargo[:place] + ship.cargo[place + 1 :], ship.moved))
    if trace is not None:
        trace.events.append(Sold(seat, action.ship, good, income, action.order))
    pay(table, BANK, seat, income, "sale", trace)
    if action.order is not None:
        count_for(state, seat, action.order, trace)


def _buy_ship(state: State, seat: int, action: act.BuyShip, trace: MaybeTrace) -> None:
    """Place the lowest free ship of a kind at the home city; it adds its AP at once (10.1, 4.3)."""
    table = state.table
    board = table.boards[seat]
    number = next(number for number in SHIP_KINDS[action.kind] if board.ships[number] is None)
    table.ap += AP["per_ship"] - AP["buy_ship"]
    _set_ship(board, number, Ship(board.home))
    if trace is not None:
        trace.events.append(ShipBought(seat, number))
    pay(table, seat, BANK, COSTS[f"{action.kind}_ship"], "ship", trace)


def _buy_order(state: State, seat: int, action: act.BuyOrder, trace: MaybeTrace) -> None:
    """Take a face-up Order and refill its slot (10.2)."""
    table = state.table
    card = table.open_orders[action.slot]
    assert card is not None
    table.ap -= AP["face_up_order"]
    pay(table, seat, BANK, COSTS["face_up_order"], "order", trace)
    take(state, seat, card, hidden=False)
    if trace is not None:
        trace.events.append(OrderTaken(seat, action.slot, card))
    open_slot(state, action.slot, trace)


def _draw_order(state: State, seat: int, action: act.DrawOrder, trace: MaybeTrace) -> None:
    """Draw a hidden Order (10.3)."""
    table = state.table
    table.ap -= AP["hidden_order"]
    pay(table, seat, BANK, COSTS["hidden_order"], "order", trace)
    draw_hidden(state, seat, trace)


def _build(state: State, seat: int, action: act.Build, trace: MaybeTrace) -> None:
    """Build a factory, unmarked (9.1)."""
    table = state.table
    board = table.boards[seat]
    table.ap -= AP["factory"]
    board.built = _one_more(board.built, action.region)
    if trace is not None:
        trace.events.append(Built(seat, action.region))
    pay(table, seat, BANK, COSTS["factory"], "factory", trace)


def _produce(state: State, seat: int, action: act.Produce, trace: MaybeTrace) -> None:
    """Pay, push, mark, move on the track (9.4)."""
    table = state.table
    board = table.boards[seat]
    good = REGIONS[action.region].good
    if trace is not None:
        trace.events.append(Produced(seat, action.region))
    table.ap -= AP["produce"]
    pay(table, seat, BANK, COSTS["produce"], "production", trace)
    push(table, good, seat, trace)
    board.marked = _one_more(board.marked, action.region)
    table.produced = _one_more(table.produced, good)
    _advance_on_track(state, seat, trace)


def _advance_on_track(state: State, seat: int, trace: MaybeTrace) -> None:
    """Move the Production Track marker on and apply its space (9.6, 9.7)."""
    table = state.table
    board = table.boards[seat]
    bonus, amount = "cash", BEYOND_TRACK_CASH
    if board.track < len(TRACK):
        bonus, amount = TRACK[board.track]
        board.track += 1
    if trace is not None:
        trace.events.append(TrackMoved(seat, board.track, bonus))
    if bonus == "ap":
        table.ap += amount
    elif bonus == "boost":
        table.boosts += amount
    elif bonus == "stock":
        for _ in range(amount):
            stock_up(table, seat, trace)
    elif bonus == "order":
        for _ in range(amount):
            if not (may_hold_more(board) and draw_hidden(state, seat, trace)):
                pay(table, BANK, seat, NO_ORDER_CASH, "track", trace)
    else:
        pay(table, BANK, seat, amount, "track", trace)


def _buy_share(state: State, seat: int, action: act.BuyShare, trace: MaybeTrace) -> None:
    """11.2."""
    state.table.ap -= AP["share_buy"]
    pay(state.table, seat, BANK, COSTS["share_buy"], "share", trace)
    stock_up(state.table, seat, trace)


def _sell_share(state: State, seat: int, action: act.SellShare, trace: MaybeTrace) -> None:
    """11.3."""
    state.table.share_sold = True
    stock_down(state.table, seat, trace)
    pay(state.table, BANK, seat, COSTS["share_sell"], "share", trace)


def _buy_ap(state: State, seat: int, action: act.BuyAp, trace: MaybeTrace) -> None:
    """4.4."""
    table = state.table
    table.ap_bought = True
    table.ap += action.count
    if trace is not None:
        trace.events.append(ApBought(seat, action.count))
    pay(table, seat, BANK, COSTS["extra_ap"] * action.count, "ap", trace)


def _end_turn(state: State, seat: int, action: act.EndTurn, trace: MaybeTrace) -> None:
    end_turn(state, trace)


def _sell_asset(state: State, seat: int, action: act.SellAsset, trace: MaybeTrace) -> None:
    go_on_raising(state, action, trace)


APPLY: dict[type, Callable[[State, int, Any, MaybeTrace], None]] = {
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
    act.EndTurn: _end_turn,
    act.SellAsset: _sell_asset,
}
