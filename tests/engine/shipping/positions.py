"""Positions of Shipping to start a test from, as notation."""

import copy
from typing import Any

from gavelport_engine.game import Trace
from gavelport_engine.shipping.actions import Action
from gavelport_engine.shipping.data import GOOD_IDS
from gavelport_engine.shipping.events import Event
from gavelport_engine.shipping.rules import SHIPPING
from gavelport_engine.shipping.table import State

Json = dict[str, Any]
GONE = object()
"""As a change: the key is taken out."""


def ship(at: str, cargo: Json | None = None, *, moved: bool = False) -> Json:
    return {"at": at, "cargo": cargo or {}, "moved": moved}


def order(card: str, done: int = 0, *, hidden: bool = False) -> Json:
    return {"card": card, "done": done, "hidden": hidden}


def _seat(home: str) -> Json:
    return {
        "cash": 600,
        "stock": 100,
        "track": 0,
        "home": home,
        "ships": {"S1": ship(home)},
        "factories": {},
        "orders": [],
        "completed": 0,
        "bankrupt": None,
    }


def position(changes: Json | None = None) -> Json:
    """A quiet second quarter of a three-seat game, seat 0 to move, with changes by dotted path."""
    base: Json = {
        "game": "shipping",
        "options": {"seats": 3, "years": 4, "no_elimination": False},
        "seed": "00" * 32,
        "year": 1,
        "quarter": 2,
        "start": 0,
        "turn": 4,
        "seat": 0,
        "phase": "turn",
        "ap": 3,
        "boosts": 0,
        "ap_bought": False,
        "share_sold": False,
        "produced": {},
        "pending": None,
        "terminal": {good: [None, None, None] for good in GOOD_IDS},
        "open_orders": ["O06", "O14", "O22", "O30"],
        "order_deck": ["O01", "O02", "O07", "O08"],
        "order_discard": [],
        "reshuffles": 0,
        "news_deck": ["N06", "N22"],
        "news": ["N24"],
        "seats": [_seat(home) for home in ("rotterdam", "santos", "shanghai")],
    }
    for path, value in (changes or {}).items():
        *inner, last = path.split(".")
        part: Any = base
        for key in inner:
            part = part[int(key)] if isinstance(part, list) else part[key]
        if isinstance(part, list):
            part[int(last)] = copy.deepcopy(value)
        elif value is GONE:
            del part[last]
        else:
            part[last] = copy.deepcopy(value)
    return base


QUIET: Json = {"ap": 0, "seat": 2}
"""Nobody's turn runs, the last one of the quarter is over."""
NEWS: Json = {**QUIET, "phase": "news", "news": []}
ACCOUNTS: Json = {**QUIET, "phase": "accounts", "quarter": 4}
LAST_ACCOUNTS: Json = {**ACCOUNTS, "year": 4, "turn": 48}
OWING: Json = {
    **ACCOUNTS,
    "options.no_elimination": True,
    "phase": "raise",
    "pending": {"seat": 0, "due": 700, "for": "maintenance"},
    "seats.0.stock": 70,
    "seats.0.ships": {"S1": ship("genoa", {"grain": 1}), "S2": ship("baja"), "L1": ship("rotterdam")},
    "seats.0.factories": {"europe": {"built": 2, "marked": 1}, "africa": {"built": 1, "marked": 1}},
}
"""Seat 0 must raise money, and has all that can be sold."""


def state(changes: Json | None = None) -> State:
    """The same as a state."""
    return SHIPPING.from_notation(position(changes))


def act_on(at: State, seat: int, action: Json) -> Trace[Event]:
    """Play an action, which must be legal, in place; return what happened."""
    value: Action = SHIPPING.action_from_notation(action)
    fault = SHIPPING.fault(at, seat, value)
    assert fault is None, (seat, action, fault)
    trace = Trace[Event]()
    SHIPPING.apply_in_place(at, {seat: value}, trace)
    return trace


def told(trace: Trace[Event]) -> list[Json]:
    """Events in the notation."""
    return [SHIPPING.event_to_notation(event) for event in trace.events]
