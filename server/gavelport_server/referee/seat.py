"""What the core keeps of one seat: its states, clock, open decision, events, faults and figures."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from gavelport_server.referee.clock import SeatClock
from gavelport_server.referee.report import Played, SeatFigures
from gavelport_server.referee.states import (
    DUTIES,
    PRESENCES,
    VERDICTS,
    Aim,
    Duty,
    Happening,
    Presence,
    Sighting,
    Verdict,
    follow,
)

if TYPE_CHECKING:
    from gavelport_engine.game import Decision

    from gavelport_server.referee.report import ClockSetting, FaultReason


class Seat:
    """One seat of a match. Every change of state goes through the tables of `states.py`."""

    __slots__ = (
        "_charges_ms",
        "_fault_counts",
        "_first_fault",
        "_refusals",
        "clock",
        "decision",
        "decision_id",
        "defaulted",
        "duty",
        "events",
        "faults",
        "last_charged_ms",
        "number",
        "presence",
        "settled",
        "told",
        "tries_left",
        "why_gone",
    )

    def __init__(self, number: int, setting: ClockSetting) -> None:
        self.number = number
        self.duty = Duty.IDLE
        self.presence = Presence.HERE
        self.why_gone = "the bot's process has ended"
        """Said of the defaults that are played for a seat that is gone."""
        self.clock = SeatClock(setting)
        self.decision_id = 0
        """Of the latest decision asked; they count from 1."""
        self.decision: Decision[Any] | None = None
        self.tries_left = 0
        self.settled: Played | None = None
        """How the latest decision was settled, until the step closes."""
        self.defaulted: set[int] = set()
        """Ids of the decisions that the default was played for."""
        self.events: list[Any] = []
        """All that the seat may see, from the match's beginning."""
        self.told = 0
        """How many of them the seat was told."""
        self.last_charged_ms = 0
        self._charges_ms: list[int] = []
        self.faults = 0
        """How many faults the seat has."""
        self._refusals = 0
        self._fault_counts: Counter[FaultReason] = Counter()
        self._first_fault = ""

    # -- states

    def happen(self, happening: Happening) -> None:
        """Move the duty."""
        self.duty = follow(DUTIES, self.duty, happening)

    def sight(self, sighting: Sighting) -> None:
        """Move the presence."""
        self.presence = follow(PRESENCES, self.presence, sighting)

    def verdict(self, decision_id: int) -> Verdict:
        """Return what becomes of an answer to this decision id."""
        if decision_id == self.decision_id and decision_id:
            aim = Aim.LATEST
        elif 0 < decision_id < self.decision_id:
            aim = Aim.EARLIER
        else:
            aim = Aim.NEVER_ASKED
        return VERDICTS[self.duty, aim]

    # -- one decision

    def open(self, decision: Decision[Any], tries: int) -> None:
        """Ask a decision, with its clock still to be started."""
        self.happen(Happening.OPEN)
        self.decision = decision
        if self.duty is Duty.ASKED:
            self.decision_id += 1
            self.tries_left = tries

    def refuse(self) -> None:
        """Count an answer that cannot be taken."""
        self.tries_left -= 1
        self._refusals += 1

    def take(self, turn: int, action: object, note: str, charged_ms: int) -> None:
        """Settle the open decision with the bot's action."""
        self.happen(Happening.TAKE)
        assert self.decision is not None
        self._settle(Played(turn, self.number, self.decision.phase, action, charged_ms, None, note))

    def play_default(self, turn: int, action: object, reason: FaultReason, why: str, charged_ms: int) -> None:
        """Settle the open decision with the default and count the fault; `why` says in words what went wrong."""
        self.happen(Happening.DEFAULT)
        assert self.decision is not None
        self.defaulted.add(self.decision_id)
        self._fault_counts[reason] += 1
        self.faults += 1
        if not self._first_fault:
            self._first_fault = f"decision {self.decision_id}: {reason}: {why}"
        self._settle(Played(turn, self.number, self.decision.phase, action, charged_ms, reason, ""))

    def play_retired(self, turn: int, action: object) -> None:
        """Settle a decision that a retired seat is not asked."""
        assert self.decision is not None
        self.settled = Played(turn, self.number, self.decision.phase, action, 0, "retired", "")

    def close(self) -> Played:
        """End the step for this seat and return how its decision was settled."""
        self.happen(Happening.CLOSE)
        settled, self.settled, self.decision = self.settled, None, None
        assert settled is not None
        return settled

    def _settle(self, settled: Played) -> None:
        self.settled = settled
        self.last_charged_ms = settled.charged_ms
        self._charges_ms.append(settled.charged_ms)

    # -- figures

    def figures(self) -> SeatFigures:
        """Return how the seat did."""
        return SeatFigures(
            decisions=len(self._charges_ms),
            charged_ms=sum(self._charges_ms),
            slowest_ms=max(self._charges_ms, default=0),
            refusals=self._refusals,
            faults=tuple(sorted(self._fault_counts.items())),
            first_fault=self._first_fault,
        )
