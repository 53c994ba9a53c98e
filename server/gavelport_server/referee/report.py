"""What a finished match leaves behind: everything that the archive, the store and the tables of a tournament need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from gavelport_engine.game import AnyGame, Checkpoint, Outcome

FaultReason: TypeAlias = Literal["timeout", "illegal", "unreadable", "disconnected", "retired"]
"""Why the referee played the default instead of the bot (`container-notation.md`, "Exported replay")."""


@dataclass(frozen=True, slots=True)
class ClockSetting:
    """A seat's clock (design 4), in milliseconds."""

    bank_ms: int = 20_000
    """To spend over the whole match."""
    increment_ms: int = 200
    """Added to the bank with each decision."""
    cap_ms: int = 5_000
    """The most for one decision."""
    allowance_ms: int = 100
    """Of each decision's time, this much is the network's and never charged."""


@dataclass(frozen=True, slots=True)
class SeatName:
    """Who sits on a seat."""

    bot: str
    version: str


class Played(NamedTuple):
    """One decision as it took effect, in the order of the record."""

    turn: int
    seat: int
    phase: str
    action: Any
    """The game's typed action: the bot's, or with a fault the default."""
    charged_ms: int
    fault: FaultReason | None
    note: str
    """The bot's private note, empty without one."""


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """What is fixed before a match begins. The game's options are the game's own typed value."""

    match_id: str
    game: AnyGame
    options: Any
    seed: bytes
    seats: tuple[SeatName, ...]
    clock: ClockSetting


@dataclass(frozen=True, slots=True)
class SeatFigures:
    """How one seat did, beside its result: for tables, not for ratings."""

    decisions: int
    """Decisions that the bot was asked, those answered by default included."""
    charged_ms: int
    slowest_ms: int
    """The longest charged time of one decision."""
    refusals: int
    """Answers that were refused, whether or not a later try was taken."""
    faults: tuple[tuple[FaultReason, int], ...]
    """Faults by reason, `retired` left out: decisions played by default after retirement are no further faults."""
    first_fault: str
    """What first went wrong, in words (`decision 12: illegal: no_cash: …`); empty without a fault."""


@dataclass(frozen=True, slots=True)
class MatchReport:
    """A finished match."""

    setup: MatchSetup
    record: tuple[Played | Checkpoint, ...]
    outcome: Outcome
    """With the retired seats ranked below the others."""
    retired: tuple[int, ...]
    figures: tuple[SeatFigures, ...]
    """By seat."""
