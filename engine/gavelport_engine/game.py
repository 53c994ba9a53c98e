"""The game-neutral interface: what a Game is to the referee, the archive, bots and tools (design 2).

A `Game` holds rules and no state. Its state is plain, slotted data with a cheap copy. All that the world outside
learns of a state goes through two filters, `observation` and `visible`, whose viewer is required. Chance is drawn from
the seed alone (`rng.py`). What comes from outside is judged by `fault`, which answers with a value and never raises.

The laws that every game keeps are shipped in `conformance/` and run for each registered game.
"""

from __future__ import annotations

import enum
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from gavelport_engine.words import PlainWords

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from gavelport_engine.errors import Fault
    from gavelport_engine.rng import Rng
    from gavelport_engine.words import Words

Json: TypeAlias = "dict[str, Any]"
"""An object of the notation, ready for `json.dumps`."""


class Spectator(enum.Enum):
    """The viewer who has no seat. An enum, not a number, so that it can never index a seat by mistake."""

    SPECTATOR = "spectator"


SPECTATOR = Spectator.SPECTATOR
Viewer: TypeAlias = "int | Literal[Spectator.SPECTATOR]"

C = TypeVar("C")  # options
S = TypeVar("S")  # state
A = TypeVar("A")  # action
O = TypeVar("O")  # noqa: E741  observation; one letter as its siblings
E = TypeVar("E")  # event
A_co = TypeVar("A_co", covariant=True)


class ActionSpace(Protocol[A_co]):
    """What one seat may answer now. `contains` is the authority."""

    def kinds(self) -> tuple[str, ...]:
        """Return the notation's names of the kinds of action that are legal, in a fixed order."""
        ...

    def contains(self, action: object) -> bool:
        """Return whether the action is legal; anything at all may be asked."""
        ...

    def enumerate(self) -> Iterator[A_co] | None:
        """Return all legal actions in a fixed order, or None where the set is too large to list."""
        ...

    def sample(self, rng: Rng) -> A_co:
        """Return a legal action: uniform over the kinds that are legal, then over their parameters."""
        ...


@dataclass(frozen=True, slots=True)
class Decision(Generic[A]):
    """What is asked of one seat: the phase (a word of the game's notation) and the action space."""

    phase: str
    space: ActionSpace[A]
    sealed: bool
    """Whether nothing of the answer may reach anyone before all who are asked have answered (design 4)."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A place in a play where the archive pins the position: `record` is the notation's record without fingerprint."""

    record: Json
    fingerprint: bytes
    """32 bytes, of the position at that place."""


@dataclass(slots=True)
class Trace(Generic[E]):
    """What came of an `apply`: the events in the order in which they happened, and the checkpoints passed."""

    events: list[E] = field(default_factory=list)
    checkpoints: list[Checkpoint] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a finished play ended. `totals` are in the game's unit (`Game.total_unit`), one a seat, as is all else."""

    end: str
    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    """Competition ranks (1, 1, 3, …); seats that the referee retired stand below all others."""
    scores: tuple[Json, ...]
    """The notation's score lines."""


class Transfer(NamedTuple):
    """A dealing in which one seat may have given another something, and how much that was."""

    kind: str
    """In what way; amounts of one kind compare."""
    giver: int
    taker: int
    amount: int
    """In the unit of `Game.transfer_unit`; 0 where a dealing was fair."""
    goods: int
    """How much was dealt in, as fair dealings are counted by; 0 where the gift is all there is."""


class Game(ABC, Generic[C, S, A, O, E]):
    """The rules of one game at one version; see the module's opening for the contract."""

    name: ClassVar[str]
    version: ClassVar[int]
    least_seats: ClassVar[int]
    most_seats: ClassVar[int]
    total_unit: ClassVar[str]
    """The notation's word for `Outcome.totals`: "money", "points"."""
    pass_type: ClassVar[type]
    """The class of the action with which a seat does no more in its turn."""
    sealed_phases: ClassVar[tuple[str, ...]] = ()
    """The phases whose decisions are sealed."""
    transfer_unit: ClassVar[str] = ""
    """What `transfers` counts in, as it stands before an amount: "$"."""
    least_transfer: ClassVar[int] = 1
    """Whoever gives another less than this in a match, on average, gives nothing worth telling of."""
    fault_codes: ClassVar[Mapping[str, str]]
    """Every code that `fault` and `action_from_notation` can give, with what it means."""
    whole_keys: ClassVar[frozenset[str]] = frozenset()
    """Keys of the notation whose objects (bags, stores) conformance cases compare as a whole."""

    @property
    def id(self) -> str:
        """Return name and version, `container@1`; a change of any golden play-through changes the version."""
        return f"{self.name}@{self.version}"

    # -- options and beginning

    @abstractmethod
    def options(self, given: Mapping[str, object]) -> C:
        """Return validated options, defaults filled in. Raises OptionsError with every problem."""

    @abstractmethod
    def options_to_notation(self, options: C) -> Json:
        """Return the options in full, as they stand in a position."""

    @abstractmethod
    def seats(self, options: C) -> int:
        """Return the number of seats."""

    @abstractmethod
    def initial_state(self, options: C, seed: bytes) -> S:
        """Return the position at the first decision, dealt from a 32-byte seed.

        Whatever happens before the first decision (the first turn's beginning) has happened; its events are given
        by `opening`.
        """

    @abstractmethod
    def opening(self, options: C, seed: bytes) -> Trace[E]:
        """Return the events and checkpoints that lead to the first decision."""

    @abstractmethod
    def deal_to_notation(self, options: C, seed: bytes) -> Json:
        """Return the `deal` of an exported replay's header."""

    # -- play

    @abstractmethod
    def copy(self, state: S) -> S:
        """Return an independent copy, cheaply."""

    @abstractmethod
    def to_act(self, state: S) -> tuple[int, ...]:
        """Return the seats that must answer, ascending; several answer simultaneously; none: the play is over."""

    @abstractmethod
    def turn(self, state: S) -> int:
        """Return the number of turns started, from 1, to which a decision taken now belongs."""

    @abstractmethod
    def decision(self, state: S, seat: int) -> Decision[A]:
        """Return what is asked of a seat that is to act."""

    @abstractmethod
    def fault(self, state: S, seat: int, action: object) -> Fault | None:
        """Return why the action cannot be taken, or None. Never raises, whatever is given."""

    @abstractmethod
    def default(self, state: S, seat: int) -> A:
        """Return what is played for a seat that does not answer: legal, deterministic, mild."""

    @abstractmethod
    def apply_in_place(self, state: S, actions: Mapping[int, A], trace: Trace[E] | None) -> None:
        """Change the state by the actions of some or all seats that are to act, which must be without fault.

        In a simultaneous phase the seats may come one at a time or together, in any order, with the same result; the
        events of sealed answers come with the last one. With None for the trace neither events nor checkpoints
        are made: the form for playouts.
        """

    def apply(self, state: S, actions: Mapping[int, A]) -> tuple[S, Trace[E]]:
        """Return the next state and what happened; the given state is left as it was."""
        after, trace = self.copy(state), Trace[E]()
        self.apply_in_place(after, actions, trace)
        return after, trace

    # -- what is seen

    @abstractmethod
    def observation(self, state: S, viewer: Viewer) -> O:
        """Return all that the viewer may see of the present, as a value of its own."""

    @abstractmethod
    def visible(self, event: E, viewer: Viewer) -> E | None:
        """Return the event as the viewer may see it, or None."""

    @abstractmethod
    def observed_decision(self, observation: O) -> Decision[A] | None:
        """Return the viewer's own open decision, from what it may see alone; None when it is not to act."""

    # -- the end

    @abstractmethod
    def outcome(self, state: S, retired: Collection[int] = ()) -> Outcome:
        """Return how the finished play ended. Raises ValueError while somebody is to act."""

    # -- gifts

    def transfers(self, state: S, seat: int, action: A) -> Iterable[Transfer]:
        """Return the dealings with other seats in a legal action, in the position where it is taken, and their gifts.

        A gift is value that moves without return: prices off the market, bids above one's own value. A game in which
        nothing of the kind can be done has none.
        """
        return ()

    # -- notation

    @abstractmethod
    def to_notation(self, state: S) -> Json:
        """Return the whole position in the notation."""

    @abstractmethod
    def from_notation(self, position: object) -> S:
        """Return the position. Raises NotationError with the place.

        A position in a phase that is no decision (`start_turn` and its like) is played on to the next decision.
        """

    @abstractmethod
    def action_to_notation(self, action: A) -> Json:
        """Return the action in the notation."""

    @abstractmethod
    def action_from_notation(self, action: object) -> A:
        """Return the action. Raises NotationError where it cannot be read; whether it is legal is `fault`'s matter."""

    @abstractmethod
    def event_to_notation(self, event: E) -> Json:
        """Return the event in the notation."""

    def event_in_words(self, event: E) -> str:
        """Return the event as a line for people; a game may put it better than its notation."""
        return json.dumps(self.event_to_notation(event))

    def words(self, names: Sequence[str]) -> Words:
        """Return a match in words, the seats called by these names; a game may put it better."""
        return PlainWords(self, names)

    @abstractmethod
    def observation_to_notation(self, observation: O) -> Json:
        """Return the observation in the notation: the position with `viewer`, masked."""

    @abstractmethod
    def fingerprint(self, state: S) -> bytes:
        """Return the 32 bytes of SHA-256 over the position's canonical JSON."""


AnyGame: TypeAlias = "Game[Any, Any, Any, Any, Any]"


def competition_ranks(keys: list[Any], retired: Collection[int] = ()) -> tuple[int, ...]:
    """Return competition ranks by descending key; seats in `retired` rank below all others, among themselves by key."""
    full = [(seat not in retired, key) for seat, key in enumerate(keys)]
    return tuple(1 + sum(other > own for other in full) for own in full)
