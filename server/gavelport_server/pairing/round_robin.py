"""Round robin: everybody meets everybody, as equally often as the number of rounds allows (design 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_server.pairing.schedule import check_field
from gavelport_server.pairing.seating import Tables

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from gavelport_server.pairing.seating import Group


class RoundRobin:
    """Each round seats each entrant at most once, at ⌊entrants / seats⌋ tables.

    After any round no two entrants differ by more than one block of matches. Raises ValueError where the entrants do
    not fill a table.
    """

    by_standing = False

    def __init__(self, entrants: int, seats: int) -> None:
        check_field(entrants, seats)
        self.tables = entrants // seats
        self._tables = Tables(entrants, seats, self.tables)

    def draw(self, scores: Sequence[Fraction]) -> list[Group]:
        """Return the next block's tables; scores do not matter."""
        return self._tables.draw()
