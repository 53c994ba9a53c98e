"""A match in words: what its decisions and events are called, with names for the seats.

A game that has no words of its own is told by its notation (`PlainWords`), which is complete and dry.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_engine.game import AnyGame, Json


class Words(Protocol):
    """One match's decisions and events in words. Seats are called by the names that the constructor took."""

    def deal(self, deal: Json) -> tuple[str, dict[str, Sequence[str]]]:
        """Return what the deal says of the table as a sentence, and what to each seat: heading → by seat."""
        ...

    def turn(self, event: Any) -> tuple[int, int] | None:
        """Return turn and seat where the event begins a turn."""
        ...

    def action(self, action: Any, phase: str) -> str:
        """Return what the seat does in that phase: "buys a factory for tan"."""
        ...

    def event(self, event: Any) -> str | None:
        """Return what happened, or None where the action before it says the same."""
        ...

    def holdings(self, state: Any) -> str:
        """Return what each seat has now, in short, from seat 0; empty where that is nothing."""
        ...

    def end(self, end: str) -> str:
        """Return why the match ended: "two colours of the supply ran out"."""
        ...

    def score(self, line: Json) -> dict[str, str]:
        """Return a score line as a row: heading → figure."""
        ...


class PlainWords:
    """A match of any game, told by its notation; see `Words`."""

    def __init__(self, game: AnyGame, names: Sequence[str]) -> None:
        """Take the game, and what to call the seats."""
        self._game, self._names = game, names

    def deal(self, deal: Json) -> tuple[str, dict[str, Sequence[str]]]:
        """Return what is dealt, lists of one entry a seat as columns."""
        by_seat: dict[str, Sequence[str]] = {
            key: [str(entry) for entry in value]
            for key, value in deal.items()
            if isinstance(value, list) and len(value) == len(self._names)
        }
        rest = {key: value for key, value in deal.items() if key not in by_seat}
        return f"Dealt: {json.dumps(rest)}.", by_seat

    def turn(self, event: Any) -> tuple[int, int] | None:
        """Return turn and seat of the event `turn`, which all games' notations have."""
        written = self._game.event_to_notation(event)
        return (written["turn"], written["seat"]) if written["event"] == "turn" else None

    def action(self, action: Any, phase: str) -> str:
        """Return the action in the notation."""
        return json.dumps(self._game.action_to_notation(action))

    def event(self, event: Any) -> str | None:
        """Return the event in the engine's words."""
        return self._game.event_in_words(event)

    def holdings(self, state: Any) -> str:
        """Return nothing."""
        return ""

    def end(self, end: str) -> str:
        """Return the notation's word."""
        return end

    def score(self, line: Json) -> dict[str, str]:
        """Return the score line."""
        return {key: str(value) for key, value in line.items()}
