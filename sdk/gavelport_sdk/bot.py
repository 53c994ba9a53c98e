"""The class that an author writes, and what it is told.

One instance plays one match. Its methods are called one at a time, in this order: `start`; then again and again
`events` (what happened) and `decide` (what to do); at last `finish`. A match that goes on after a lost connection goes
on with the same instance, which does not notice.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from gavelport_engine.game import ActionSpace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gavelport_engine.errors import Fault
    from gavelport_engine.game import Json
    from gavelport_engine.rng import Stream

A_co = TypeVar("A_co", covariant=True)


class Space(ActionSpace[A_co], Protocol[A_co]):
    """What may be answered: `contains`, `sample`, `enumerate` of the engine, and what a bot asks beside."""

    def fault(self, action: object) -> Fault | None:
        """Return why an action cannot be taken, or None; anything at all may be asked."""
        ...

    def default(self) -> A_co:
        """Return what the referee plays for a seat that does not answer: legal and mild."""
        ...


@dataclass(frozen=True, slots=True)
class SeatInfo:
    """Who sits on a seat."""

    bot: str
    version: str


@dataclass(frozen=True, slots=True)
class Clock:
    """A seat's clock, in milliseconds (design 4)."""

    bank_ms: int
    """To spend over the whole match."""
    increment_ms: int
    """Added to the bank with each decision."""
    cap_ms: int
    """The most for one decision."""
    allowance_ms: int
    """Of each decision's time, this much is the network's and never charged."""


@dataclass(frozen=True, slots=True)
class MatchInfo:
    """What a match is, from one seat."""

    match_id: str
    game: str
    """With its version: `container@1`."""
    options: Any
    """The game's own options; for Container `gavelport_engine.container.table.Options`."""
    seat: int
    """One's own."""
    seats: tuple[SeatInfo, ...]
    """All, by seat."""
    clock: Clock
    commitment: str
    """SHA-256(seed ‖ match id), hex: what the seed, published later, can be checked against."""
    deal: Mapping[str, Any]
    """What was dealt to this seat in secret, with the notation's names: `{"card": "C"}`."""


@dataclass(frozen=True, slots=True)
class DecisionInfo(Generic[A_co]):
    """What is asked now.

    A bot that names its game's actions, `decision: DecisionInfo[Action]` in its class, has them checked for types.
    """

    number: int
    """Counts the seat's decisions in the match, from 1."""
    phase: str
    """The notation's word."""
    kinds: tuple[str, ...]
    """The types of action that are legal now, by the notation's words."""
    sealed: bool
    """Whether others answer at the same time, unseen."""
    time_ms: int
    """How long there was, when it was asked, until the default is played; the network's allowance included."""
    bank_ms: int
    charged_ms: int
    """What the last decision was charged."""
    space: Space[A_co]
    """What may be answered, as the game tells: `contains(action)`, `fault(action)` (why not), `sample(rng)`,
    `default()` (legal and mild; what the referee plays for a seat that does not answer), and `enumerate()`, None where
    there are too many to list. It looks at the observation: use it in `decide` and `refused`, not later."""

    def default(self) -> A_co:
        """Return the action that the referee plays for a seat that does not answer: legal and mild."""
        return self.space.default()


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an answer was not taken."""

    code: str
    """For programs; the game's `fault_codes` and the referee's own."""
    sentence: str
    """For people."""
    tries_left: int
    """0: the default was played, and nothing can be answered any more."""
    time_ms: int
    """How long until the default is played."""
    action: Any
    """What was answered; None where nothing was (the time ran out)."""


@dataclass(frozen=True, slots=True)
class MatchOver:
    """How a match ended; lists are by seat."""

    match_id: str
    end: str
    """The notation's word."""
    ranks: tuple[int, ...]
    totals: tuple[int, ...]
    terminations: tuple[str, ...]
    """`normal`, or `retired`: too many faults."""
    is_void: bool
    """A fault of the server: the match counts for nothing and is played again."""
    seed: bytes | None
    """None while the match's block still runs."""
    scores: tuple[Json, ...] | None
    """Score lines with what was hidden, with the notation's names; None while the match's block still runs."""


class Bot:
    """A player. Subclass it, name `games`, write `decide`; the other methods may be left out.

    An exception that leaves any of these methods ends the process with exit code 1, its traceback on stderr with match
    and decision before it; the referee then plays the default for what is still asked.
    """

    games: ClassVar[tuple[str, ...]] = ()
    """The games that the bot plays, by name (`container`) or by name and version (`container@1`)."""
    version: ClassVar[str] = ""
    """Which of the bot's versions this is, for a ladder; left empty, it is the `version` of `bot.toml`."""

    match: MatchInfo
    """The match that this instance plays; there from `start` on."""
    decision: DecisionInfo[Any]
    """What is asked; there in `decide` and `refused`."""
    rng: Stream
    """Numbers that depend on match and seat alone: a bot that draws from here plays the same match the same way."""
    note: str = ""
    """Goes with the next answer into the replay, for the bot's owner alone, and is then empty again; 1,024 bytes."""

    def start(self, match: MatchInfo) -> None:
        """Begin a match."""

    def events(self, events: Sequence[Any]) -> None:
        """Hear what has happened since the last call, in order, as the game's events."""

    def decide(self, observation: Any) -> Any:
        """Return an action of the game; `observation` is all that the seat may see of the present."""
        raise NotImplementedError(f"{type(self).__name__} has no decide(self, observation); write one")

    def refused(self, refusal: Refusal) -> Any:
        """Answer again after a refusal: return another action, or None for the decision's default action.

        Without this method in the bot the reason is written to stderr and the default action answered, so that a slip
        costs one decision and no fault. With `tries_left` 0 the default has been played, and what is returned is not
        used.
        """
        said = f"{refusal.code}: {refusal.sentence}"
        sys.stderr.write(f"refused ({refusal.tries_left} tries left): {said}\n    action: {refusal.action!r}\n")

    def finish(self, end: MatchOver) -> None:
        """Hear how the match ended."""
