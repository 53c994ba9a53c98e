"""A tournament's schedule in duplicate blocks, whatever its format (design 5).

A block is `seats` rounds in a row in which the same groups sit at the same tables over the same deals, each round
turned on by one seat, so that every bot has held every seat, and with it every card and start of the deal, against the
same company. A format draws the groups of one block after the other; `seating.py` draws the order around the table.

A schedule follows from the size of the field and, in formats that pair by standing, from the results of the blocks
before: from nothing else, and in whatever order those results came. So it is the same after any interruption, and the
schedule of fewer rounds is the beginning of that of more.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from gavelport_server.pairing.seating import Orders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_server.pairing.seating import Group


@dataclass(frozen=True, slots=True)
class Pairing:
    """Who meets whom at one table in one round. All numbers count from 0."""

    number: int
    """Place in the schedule."""
    round: int
    block: int
    rotation: int
    """Which round of its block."""
    table: int
    deal: int
    """Pairings of one deal are dealt alike: those of one block and table."""
    entrants: tuple[int, ...]
    """By seat."""


class Format(Protocol):
    """How the tables of a block are filled."""

    tables: int
    """So many in every round."""
    by_standing: bool
    """Whether a draw needs the results of all blocks before."""

    def draw(self, scores: Sequence[Fraction]) -> list[Group]:
        """Return the next block's tables, entrants ascending in each.

        `scores`, by entrant, are the shares of opponents left behind in the blocks before, a tie being half of one; ½
        for an entrant who has not played. Only formats that pair by standing look at them.
        """
        ...


class Schedule:
    """The pairings of a tournament's first rounds, as far as they are settled."""

    def __init__(self, form: Format, entrants: int, seats: int, rounds: int) -> None:
        self.matches = rounds * form.tables
        """So many there will be in all."""
        self.pairings: list[Pairing] = []
        """Those that are settled, from the first on."""
        self._format = form
        self._seats = seats
        self._rounds = rounds
        self._orders = Orders(entrants)
        self._doubled = [0] * entrants
        """Twice the opponents left behind, so that ties count in whole numbers."""
        self._opponents = [0] * entrants
        self._finished: set[int] = set()
        self._settle()

    def finish(self, number: int, ranks: Sequence[int]) -> list[Pairing]:
        """Take note of a match's ranks, by seat, and return the pairings that are settled by it.

        Raises ValueError for a match that is finished already or not settled yet.
        """
        if number in self._finished or not 0 <= number < len(self.pairings):
            raise ValueError(f"match {number} cannot be finished: it is not settled yet, or finished already")
        self._finished.add(number)
        for entrant, own in zip(self.pairings[number].entrants, ranks, strict=True):
            self._opponents[entrant] += len(ranks) - 1
            self._doubled[entrant] += sum((own < other) + (own <= other) for other in ranks) - 1  # not against itself
        return self._settle()

    def _settle(self) -> list[Pairing]:
        """Draw all blocks that can be drawn, and return their pairings."""
        known = len(self.pairings)
        while len(self.pairings) < self.matches:
            if self._format.by_standing and len(self._finished) < len(self.pairings):
                break
            self._draw_block()
        return self.pairings[known:]

    def _draw_block(self) -> None:
        tables = self._format.tables
        block = len(self.pairings) // (tables * self._seats)
        around = [self._orders.draw(group) for group in self._format.draw(self._scores())]
        for rotation in range(min(self._seats, self._rounds - block * self._seats)):
            for table, order in enumerate(around):
                self.pairings.append(
                    Pairing(
                        number=len(self.pairings),
                        round=block * self._seats + rotation,
                        block=block,
                        rotation=rotation,
                        table=table,
                        deal=block * tables + table,
                        entrants=order[-rotation:] + order[:-rotation] if rotation else order,
                    )
                )

    def _scores(self) -> list[Fraction]:
        return [
            Fraction(doubled, 2 * opponents) if opponents else Fraction(1, 2)
            for doubled, opponents in zip(self._doubled, self._opponents, strict=True)
        ]


def check_field(entrants: int, seats: int) -> None:
    """Raise ValueError where the entrants do not fill a table."""
    if not 2 <= seats <= entrants:
        raise ValueError(f"{entrants} entrants at tables of {seats}: a table takes at least 2 and all must be filled")
