"""Events as lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gavelport_engine.shipping import events as ev
from gavelport_engine.shipping.data import CITIES, DATA, GOODS, NEWS, ORDERS, REGIONS
from gavelport_engine.shipping.table import BANK, SHIP_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from gavelport_engine.shipping.events import Event

_ENDS = {"years": "the last year has ended", "last_player": "one company is left"}


def order_in_words(card: int) -> str:
    """Return an Order: `O33 (1 Machinery to New York, $220M)`."""
    order = ORDERS[card]
    return f"{order.id} ({order.count} {GOODS[order.good].name} to {CITIES[order.city].name}, ${order.reward}M)"


def goods_in_words(cargo: tuple[int, ...]) -> str:
    """Return containers: `2 Grain, 1 Coffee`."""
    return ", ".join(f"{cargo.count(good)} {GOODS[good].name}" for good in dict.fromkeys(cargo)) or "nothing"


def _party(seat: int) -> str:
    return "the Bank" if seat == BANK else f"seat {seat}"


def _moved(e: ev.Moved) -> str:
    way = ", ".join(DATA.space_names[space] for space in e.path)
    return f"seat {e.seat} moves {SHIP_NAMES[e.ship]}: {way}{' (boost)' if e.boost else ''}"


def _sold(e: ev.Sold) -> str:
    goal = "" if e.order is None else f", for Order {ORDERS[e.order].id}"
    return f"seat {e.seat} sells {GOODS[e.good].name} from {SHIP_NAMES[e.ship]} for ${e.price}M{goal}"


def _opened(e: ev.OrderOpened) -> str:
    return f"slot {e.slot}: {'empty' if e.card is None else order_in_words(e.card)}"


def _drawn(e: ev.OrderDrawn) -> str:
    return f"seat {e.seat} draws a hidden Order{'' if e.card is None else f': {order_in_words(e.card)}'}"


def _asset(e: ev.AssetSold) -> str:
    if e.ship is not None:
        return f"seat {e.seat} must sell {SHIP_NAMES[e.ship]}"
    if e.region is not None:
        return f"seat {e.seat} must sell a factory in {REGIONS[e.region].name}"
    return f"seat {e.seat} must sell a share"


def _bankrupt(e: ev.Bankrupt) -> str:
    shown = f"; its Orders were {', '.join(ORDERS[card].id for card in e.orders)}" if e.orders else ""
    return f"seat {e.seat} is bankrupt{shown}"


_WORDS: dict[type, Callable[[Any], str]] = {
    ev.TurnBegan: lambda e: f"turn {e.turn}: seat {e.seat}, {e.ap} AP",
    ev.Payment: lambda e: f"{_party(e.payer)} pays {_party(e.payee)} ${e.amount}M ({e.purpose})",
    ev.Moved: _moved,
    ev.Bought: lambda e: f"seat {e.seat} loads {e.count} {GOODS[e.good].name} on {SHIP_NAMES[e.ship]}",
    ev.Sold: _sold,
    ev.OrderTaken: lambda e: f"seat {e.seat} takes Order {order_in_words(e.card)} from slot {e.slot}",
    ev.OrderOpened: _opened,
    ev.OrderDrawn: _drawn,
    ev.OrderCounted: lambda e: f"Order {ORDERS[e.card].id} of seat {e.seat}: {e.done} of {ORDERS[e.card].count}",
    ev.OrderCompleted: lambda e: f"seat {e.seat} completes Order {ORDERS[e.card].id}",
    ev.Reshuffled: lambda e: f"the discard of {e.cards} Orders is shuffled into a new deck",
    ev.ShipBought: lambda e: f"seat {e.seat} buys {SHIP_NAMES[e.ship]}",
    ev.Built: lambda e: f"seat {e.seat} builds a factory in {REGIONS[e.region].name}",
    ev.Produced: lambda e: f"seat {e.seat} produces {GOODS[REGIONS[e.region].good].name}",
    ev.Pushed: lambda e: f"{GOODS[e.good].name}: a container of {_party(e.owner)} comes in",
    ev.Removed: lambda e: f"{GOODS[e.good].name}: a container of {_party(e.owner)} is taken away",
    ev.TrackMoved: lambda e: f"seat {e.seat} stands on track space {e.space} ({e.bonus})",
    ev.ApBought: lambda e: f"seat {e.seat} buys {e.count} AP",
    ev.StockMoved: lambda e: f"stock of seat {e.seat}: {e.before} to {e.after}",
    ev.NewsDrawn: lambda e: f"News {NEWS[e.card].id}: {NEWS[e.card].title}",
    ev.Owed: lambda e: f"seat {e.seat} must raise ${e.due}M ({e.purpose})",
    ev.AssetSold: _asset,
    ev.Waived: lambda e: f"${e.amount}M are waived for seat {e.seat}",
    ev.CargoLost: lambda e: f"seat {e.seat} loses {SHIP_NAMES[e.ship]}'s cargo: {goods_in_words(e.cargo)}",
    ev.Bankrupt: _bankrupt,
    ev.AccountsBegan: lambda e: f"accounts of year {e.year}",
    ev.YearBegan: lambda e: f"year {e.year} begins",
    ev.Over: lambda e: f"the game is over: {_ENDS[e.end]}",
}


def event_in_words(event: Event) -> str:
    """Return an event as a line."""
    return _WORDS[type(event)](event)
