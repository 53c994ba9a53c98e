"""What `show` asks of each game's words, and the games that have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from gavelport_server.archive.words.container import ContainerWords

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gavelport_engine.game import Json


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
        """Return what each seat has now, in short."""
        ...

    def end(self, end: str) -> str:
        """Return why the match ended: "two colours of the supply ran out"."""
        ...

    def score(self, line: Json) -> dict[str, str]:
        """Return a score line as a row: heading → figure."""
        ...


WORDS: dict[str, Callable[[Sequence[str]], Words]] = {"container": ContainerWords}
"""By the game's name."""
