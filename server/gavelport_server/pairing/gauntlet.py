"""Gauntlet: one bot plays every match, and the field takes turns against it (design 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_server.pairing.schedule import check_field
from gavelport_server.pairing.seating import Tables

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from gavelport_server.pairing.seating import Group


class Gauntlet:
    """One table a round, with the challenger at it.

    After any round no two of the field differ by more than one block of matches, and they meet each other as equally
    often as that allows. Raises ValueError where the entrants do not fill a table or the challenger is none of them.
    """

    tables = 1
    by_standing = False

    def __init__(self, entrants: int, seats: int, challenger: int) -> None:
        check_field(entrants, seats)
        if not 0 <= challenger < entrants:
            raise ValueError(f"the challenger is one of the {entrants} entrants, not number {challenger}")
        self._challenger = challenger
        self._field = [entrant for entrant in range(entrants) if entrant != challenger]
        self._tables = Tables(len(self._field), seats - 1, self.tables)

    def draw(self, scores: Sequence[Fraction]) -> list[Group]:
        """Return the next block's table; scores do not matter."""
        return [tuple(sorted([self._challenger, *(self._field[one] for one in self._tables.draw()[0])]))]
