"""What the referee's core wants done, as values. Whoever drives the core carries them out in the order given.

A command for a seat is only given while the seat is there; what it misses while away is told when it is back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_engine.game import Decision

    from gavelport_server.referee.report import MatchReport


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An input: an answer without an action that can be judged. `code` is one of `codes.Code`."""

    code: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Begin:
    """Tell the seat what the match is: at its start, and on a return."""

    seat: int


class Ask(NamedTuple):
    """Ask the seat for a decision. The position is `MatchCore.state` until the core's next input."""

    seat: int
    decision_id: int
    step: int
    """Counts the match's steps: seats that are asked in the same step see the same public part."""
    decision: Decision[Any]
    time_ms: int
    bank_ms: int
    charged_ms: int
    """What the seat's last decision was charged."""
    events: Sequence[Any]
    """Those since the last that the seat was told, as it may see them."""
    last_event: int
    """The number of the last of them; events count from 1 for each viewer."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """Tell the seat that its answer was not taken, or that the default was played (no tries left)."""

    seat: int
    decision_id: int
    code: str
    sentence: str
    tries_left: int
    time_ms: int


@dataclass(frozen=True, slots=True)
class Tell:
    """Tell the seat events without asking anything; with the present if it has just come back."""

    seat: int
    events: Sequence[Any]
    last_event: int
    step: int
    is_return: bool = False


@dataclass(frozen=True, slots=True)
class Finish:
    """The match is over. Seats that are there are told the end."""

    report: MatchReport


Command: TypeAlias = "Begin | Ask | Refuse | Tell | Finish"
