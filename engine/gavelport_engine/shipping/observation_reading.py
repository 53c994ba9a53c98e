"""Observations out of the notation (`shipping-notation.md`, "Who sees what")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine import reading
from gavelport_engine.errors import NotationError
from gavelport_engine.game import SPECTATOR
from gavelport_engine.shipping.data import NEWS_IDS, ORDER_IDS
from gavelport_engine.shipping.observe import observation
from gavelport_engine.shipping.position_reading import from_notation
from gavelport_engine.shipping.table import PHASES, Observation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_engine.game import Json, Viewer

_NO_SEED = "0" * 64


def observation_from_notation(value: object) -> Observation:
    """Return an observation: a position with `viewer`, masked. Raises NotationError with the place.

    Both forms of a finished game are read: all shown, or held back by a referee.
    """
    if type(value) is not dict or "viewer" not in value:
        raise NotationError("", "expected an observation: an object with the key 'viewer'")
    position: Json = {key: part for key, part in value.items() if key != "viewer"}
    reading.one_of(position.get("phase"), "phase", PHASES)
    seats = reading.listing(position.get("seats"), "seats")
    viewer: Viewer = SPECTATOR
    if value["viewer"] is not None:
        viewer = reading.whole(value["viewer"], "viewer", 0, len(seats) - 1)
    shown = "seed" in position
    if shown and position["phase"] != "over":
        raise NotationError("seed", "is shown only when the game is over (15.1)")
    if not shown:
        position = _filled(position, seats, viewer)
    seen = observation(from_notation(position), viewer)
    if not shown:
        seen.everything = None
    return seen


def _filled(position: Json, seats: Sequence[object], viewer: Viewer) -> Json:
    """Return a position with cards of no meaning where they are masked."""
    masks = [_masked(seat, f"seats.{number}.orders", own=number == viewer) for number, seat in enumerate(seats)]
    orders = _unseen(position, ORDER_IDS)
    news = _unseen(position, NEWS_IDS)
    filled: list[object] = []
    for number, (seat, masked) in enumerate(zip(seats, masks, strict=True)):
        if not masked:
            filled.append(seat)
            continue
        assert isinstance(seat, dict)
        cards = iter(_some(orders, len(masked), f"seats.{number}.orders"))
        entries = [{**one, "card": next(cards)} if place in masked else one for place, one in enumerate(seat["orders"])]
        filled.append({**seat, "orders": entries})
    decks = {
        key: _some(cards, reading.whole(position.get(key), key), key)
        for key, cards in (("order_deck", orders), ("news_deck", news))
    }
    return {**position, "seats": filled, "seed": _NO_SEED, **decks}


def _masked(seat: object, path: str, *, own: bool) -> list[int]:
    """Return which of a seat's Orders are masked: the hidden ones, unless they are the viewer's own."""
    entries = reading.listing(seat.get("orders") if isinstance(seat, dict) else None, path)
    masked = []
    for place, entry in enumerate(entries):
        where = reading.joined(path, place)
        given = reading.mapping(entry, where, ("card", "done", "hidden"))
        due = reading.flag(given["hidden"], f"{where}.hidden") and not own
        if due != (given["card"] is None):
            raise NotationError(f"{where}.card", "is null for the hidden Orders of other seats, and for no others")
        if due:
            masked.append(place)
    return masked


def _unseen(position: Json, ids: Sequence[str]) -> list[str]:
    """Return the cards that stand nowhere in an observation."""
    seen = set(_texts(position))
    return [name for name in ids if name not in seen]


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _texts(part)]


def _some(cards: list[str], count: int, path: str) -> list[str]:
    """Return so many cards, taken out of the list."""
    if count > len(cards):
        raise NotationError(path, f"{count} cards are hidden here, {len(cards)} are not seen elsewhere")
    found = cards[:count]
    del cards[:count]
    return found
