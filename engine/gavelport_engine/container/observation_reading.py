"""Observations out of the notation (`container-notation.md`, "Who sees what")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine import reading
from gavelport_engine.container.observe import observation
from gavelport_engine.container.position_reading import from_notation
from gavelport_engine.container.table import CARD_NAMES, Observation
from gavelport_engine.errors import NotationError
from gavelport_engine.game import SPECTATOR

if TYPE_CHECKING:
    from gavelport_engine.game import Json, Viewer

_ENOUGH = 10**9
"""Stands for cash that is masked while the rest is read: it covers every bid."""


def observation_from_notation(value: object) -> Observation:
    """Return an observation: a position with `viewer`, masked. Raises NotationError with the place.

    Both forms of a finished game are read: all shown, or held back by a referee.
    """
    if type(value) is not dict or "viewer" not in value:
        raise NotationError("", "expected an observation: an object with the key 'viewer'")
    position = {key: part for key, part in value.items() if key != "viewer"}
    seats = [
        reading.mapping(seat, f"seats.{number}", ("cash", "card"), seat if isinstance(seat, dict) else ())
        for number, seat in enumerate(reading.listing(position.get("seats"), "seats"))
    ]
    viewer: Viewer = SPECTATOR
    if value["viewer"] is not None:
        viewer = reading.whole(value["viewer"], "viewer", 0, len(seats) - 1)
    masked = _masked(seats, viewer, shown=position.get("phase") == "over")
    position["seats"] = _filled(seats, masked, position)
    seen = observation(from_notation(position), viewer)
    if masked:
        seen.everyone = None
    return seen


def _masked(seats: list[Json], viewer: Viewer, *, shown: bool) -> list[int]:
    """Return the seats whose cash and card are masked: all but the viewer's, or none where shown."""
    others = [seat for seat in range(len(seats)) if seat != viewer]
    masked = [seat for seat in others if seats[seat]["cash"] is None]
    for seat in others:
        for key in ("cash", "card"):
            hidden = seats[seat][key] is None
            if hidden != bool(masked) or not (hidden or shown):
                raise NotationError(f"seats.{seat}.{key}", "is null for all seats but the viewer's own")
    return masked


def _filled(seats: list[Json], masked: list[int], position: Json) -> list[Json]:
    """Return the seats with values of no meaning where they are masked."""
    known = {seat["card"] for seat in seats}
    cards = [card for card in CARD_NAMES if card not in known]
    filled = [dict(seat) for seat in seats]
    for seat in masked:
        broke = position.get("phase") == "interest" and position.get("seat") == seat
        filled[seat]["cash"] = 0 if broke else _ENOUGH  # only who is broke is asked (3.2)
        if not cards:
            raise NotationError("seats", "more seats than there are value cards (1.4)")
        filled[seat]["card"] = cards.pop()
    return filled
