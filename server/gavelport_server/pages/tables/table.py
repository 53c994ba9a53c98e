"""What a game's table tells the viewer: the interface, and what several games need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gavelport_engine.game import Json, Outcome, Viewer

    from gavelport_server.archive.playback import Step

FULL: Literal["full"] = "full"
View: TypeAlias = "Viewer | Literal['full']"
"""Whose eyes: everything, a seat's, or a spectator's."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A decision that one may want to jump to."""

    number: int
    kind: str
    """`auction`, `tie` (an auction that was tied), `seizure`, `news`, `order`."""
    label: str

    def as_json(self) -> Json:
        """Return the mark for the page."""
        return {"at": self.number, "kind": self.kind, "label": self.label}


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A line of the explained final scoring: what, by seat how much, and by seat why."""

    what: str
    amounts: Sequence[int]
    reasons: Sequence[str]

    def as_json(self) -> Json:
        """Return the line for the page."""
        return {"what": self.what, "amounts": list(self.amounts), "reasons": list(self.reasons)}


class Table(Protocol):
    """One match, told step by step to one pair of eyes. What those may not see is not told."""

    LEFT: ClassVar[Mapping[str, str]]
    """Those lines of the final scoring that are worth money which never was paid, and what to call it."""

    def fixed(self) -> Json:
        """Return what does not change in a match and the drawing needs: prices, cards, a map."""
        ...

    def prompt(self, phase: str) -> str:
        """Return what is asked of a seat, after its name: "sells: accept or reject?"."""
        ...

    def band(self, turn: int, state: Any) -> tuple[str, str]:
        """Return in which stretch of the match a turn lies, and that in short or empty: ("round 3", "3")."""
        ...

    def now(self, state: Any) -> Json:
        """Return, by seat, what the position is worth now; None for what is hidden.

        Of a running match the position is what a spectator sees of it.
        """
        ...

    def payment(self, event: Any) -> tuple[int, int, int] | None:
        """Return payer, payee (−1: the bank) and amount where an event is a payment."""
        ...

    def shown(self, step: Step) -> Json:
        """Return what is drawn with a decision and does not follow from the positions, in the notation."""
        ...

    def take(self, step: Step, state: Any) -> None:
        """Take note of a decision; `state` is the position after it.

        Of a running match that is what a spectator sees, and with decisions from before it was joined, the present.
        """
        ...

    def asked(self, seen: Any) -> Sequence[int]:
        """Return the seats that must answer in a running match, by what a spectator sees of it."""
        ...

    def marks(self) -> Sequence[Mark]:
        """Return what there is to jump to, after the last step."""
        ...

    def extras(self) -> Json:
        """Return what the game has beside the table, after the last step: its auctions."""
        ...

    def scoring(self, outcome: Outcome, state: Any) -> Sequence[ScoreLine]:
        """Return how the final result comes about; the amounts of a seat add up to its total."""
        ...

    def income(self, events: Sequence[Any]) -> Sequence[tuple[int, str, int]]:
        """Return whom the events of a decision brought or cost money, for what, and how much: (seat, what, amount)."""
        ...


TableOf: TypeAlias = "Callable[[Any, Sequence[str], View], Table]"
"""Made of a match's options, what to call its seats, and whose eyes."""
