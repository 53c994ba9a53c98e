"""A running match as anybody may see it: played along with its record, once somebody looks (design 9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import structlog
from gavelport_engine.game import SPECTATOR, Checkpoint, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gavelport_engine.game import Outcome

    from gavelport_server.referee.report import FaultReason, MatchSetup, Played

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Faulted:
    """A decision for which the default was played."""

    decision: int
    """Counted from 1."""
    seat: int
    reason: FaultReason


@dataclass(frozen=True, slots=True)
class Moment:
    """What one decision made public, or the last of those that were sealed together: the game's typed values."""

    events: tuple[Any, ...]
    decisions: int
    """All that have taken effect so far."""
    faults: tuple[Faulted, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """What has happened since the last one, and the public table after it: the game's typed values."""

    events: tuple[Any, ...]
    observation: Any
    decisions: int
    """All that have taken effect so far."""
    faults: tuple[Faulted, ...] = ()


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
        self.past: list[Moment] = []
        """All that became public so far."""
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
        moments = self._play(record)
        if self._told:
            self._tell(self._shown(moments))

    def end(self, outcome: Outcome | None) -> None:
        """Tell the end."""
        if self._over is None:
            self._over = Over(outcome)
            self._tell(self._over)
            self._told.clear()

    def _play(self, record: Sequence[Played | Checkpoint]) -> Sequence[Moment]:
        moments = []
        for played in record[self._taken :]:
            if isinstance(played, Checkpoint):
                continue
            trace = Trace[Any]()
            self._game.apply_in_place(self._state, {played.seat: played.action}, trace)
            self._decisions += 1
            seen = (self._game.visible(event, SPECTATOR) for event in trace.events)
            events = tuple(event for event in seen if event is not None)
            # That an answer was sealed until now does not hide its fault: what it came to stands in the record as well.
            faults = (Faulted(self._decisions, played.seat, played.fault),) if played.fault else ()
            if events or faults:
                moments.append(Moment(events, self._decisions, faults))
        self._taken = len(record)
        self.past += moments
        return moments

    def _shown(self, moments: Sequence[Moment]) -> Shown:
        return Shown(
            tuple(event for one in moments for event in one.events),
            self._game.observation(self._state, SPECTATOR),
            self._decisions,
            tuple(fault for one in moments for fault in one.faults),
        )

    def _tell(self, what: Shown | Over) -> None:
        for tell in tuple(self._told):
            try:
                tell(what)
            except Exception:  # noqa: BLE001  costs this spectator, and never the match
                _log.exception("spectator_failed", match=self.setup.match_id)
                self.detach(tell)
