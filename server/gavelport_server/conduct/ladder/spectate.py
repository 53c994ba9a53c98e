"""A running match as anybody may see it: played along with its record, once somebody looks (design 9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import structlog
from gavelport_engine.game import SPECTATOR, Checkpoint, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gavelport_engine.game import Outcome

    from gavelport_server.referee.report import MatchSetup, Played

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Shown:
    """What has happened since the last one, and the public table after it: the game's typed values."""

    events: tuple[Any, ...]
    observation: Any
    decisions: int
    """All that have taken effect so far."""


@dataclass(frozen=True, slots=True)
class Over:
    """The match has ended; without an outcome it is void."""

    outcome: Outcome | None


class SpectatorFeed:
    """Follows one match for all who look at it. What a spectator does with what it is told must be quick."""

    def __init__(self, setup: MatchSetup, record: Sequence[Played | Checkpoint]) -> None:
        self.setup = setup
        self._game = setup.game
        self._state: Any = setup.game.initial_state(setup.options, setup.seed)
        self._taken = self._decisions = 0
        self._told: list[Callable[[Shown | Over], None]] = []
        self._over: Over | None = None
        self._play(record)

    def attach(self, tell: Callable[[Shown | Over], None]) -> Shown:
        """Have `tell` told what happens from now on, in trio, the end at last; return the present."""
        if self._over is None:
            self._told.append(tell)
        return self._shown(())

    def detach(self, tell: Callable[[Shown | Over], None]) -> None:
        """Tell it nothing more."""
        if tell in self._told:
            self._told.remove(tell)

    def follow(self, record: Sequence[Played | Checkpoint]) -> None:
        """Show what is new in the record."""
        if self._over is not None or len(record) <= self._taken:
            return
        events = self._play(record)
        if self._told:
            self._tell(self._shown(events))

    def end(self, outcome: Outcome | None) -> None:
        """Tell the end."""
        if self._over is None:
            self._over = Over(outcome)
            self._tell(self._over)
            self._told.clear()

    def _play(self, record: Sequence[Played | Checkpoint]) -> tuple[Any, ...]:
        trace = Trace[Any]()
        for played in record[self._taken :]:
            if not isinstance(played, Checkpoint):
                self._game.apply_in_place(self._state, {played.seat: played.action}, trace)
                self._decisions += 1
        self._taken = len(record)
        seen = (self._game.visible(event, SPECTATOR) for event in trace.events)
        return tuple(event for event in seen if event is not None)

    def _shown(self, events: tuple[Any, ...]) -> Shown:
        return Shown(events, self._game.observation(self._state, SPECTATOR), self._decisions)

    def _tell(self, what: Shown | Over) -> None:
        for tell in tuple(self._told):
            try:
                tell(what)
            except Exception:  # noqa: BLE001  costs this spectator, and never the match
                _log.exception("spectator_failed", match=self.setup.match_id)
                self.detach(tell)
