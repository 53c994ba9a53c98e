"""Positions of Container to start a test from, as notation."""

import copy
from typing import Any

from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.table import State

Json = dict[str, Any]


def _seat(card: str, colour: str) -> Json:
    return {
        "cash": 20,
        "loans": 0,
        "card": card,
        "factories": [colour, None, None, None],
        "warehouses": 1,
        "factory_store": {"2": {colour: 1}},
        "harbour_store": {},
        "ship": {"at": "sea", "cargo": {}},
        "island": {},
    }


def position(changes: Json | None = None) -> Json:
    """A quiet middle of a three-seat game, seat 0 to move, with changes by dotted path."""
    base: Json = {
        "game": "container",
        "options": CONTAINER.options_to_notation(CONTAINER.options({"seats": 3})),
        "turn": 31,
        "seat": 0,
        "phase": "action",
        "actions_left": 2,
        "produced": False,
        "sold_domestic": False,
        "loans_taken": 0,
        "loans_repaid": 0,
        "quiet_turns": 0,
        "busy": False,
        "supply": {"black": 11, "white": 11, "brown": 12, "tan": 11, "orange": 12},
        "removed": {},
        "seats": [_seat("A", "black"), _seat("B", "white"), _seat("C", "tan")],
        "auction": None,
    }
    for path, value in (changes or {}).items():
        *inner, last = path.split(".")
        part: Any = base
        for key in inner:
            part = part[int(key)] if isinstance(part, list) else part[key]
        if isinstance(part, list):
            part[int(last)] = copy.deepcopy(value)
        else:
            part[last] = copy.deepcopy(value)
    return base


def state(changes: Json | None = None) -> State:
    """The same as a state."""
    return CONTAINER.from_notation(position(changes))


def played(changes: Json, *steps: tuple[int, Json]) -> State:
    """A state after steps (seat, action), each of which must be legal."""
    at = state(changes)
    for seat, action in steps:
        value = CONTAINER.action_from_notation(action)
        assert CONTAINER.fault(at, seat, value) is None, (seat, action)
        CONTAINER.apply_in_place(at, {seat: value}, None)
    return at


LOT: Json = {"seats.0.ship.cargo": {"tan": 2, "white": 1}}
TO_ISLAND = (0, {"type": "sail", "to": "island"})


def bid(seat: int, amount: int, loans: int = 0) -> tuple[int, Json]:
    """A step that bids."""
    return seat, {"type": "bid", "amount": amount, "loans": loans}
