"""Swiss: those of like standing meet, and nobody meets the same opponents again while there are others (design 5).

For fields too large to let everybody meet everybody. A draw, over `seating.py`'s meetings and the scores so far:

1. Who sits out: those who have played most; among equals, those who stand lowest.
2. The others, in the order of their standing, fill the tables from the top. Entrants then change places as long as that
   lowers, first, the meetings there have been between those at a table and, second, how far apart they stand, as the
   sum over pairs of the square of their distance in places. Where some meet again nevertheless, the search begins anew
   from several other seatings, and the best that it finds counts.

Once everybody has met everybody, those meet who have met least, as in a round robin, and the standing only decides
between such tables.
"""

from __future__ import annotations

import hashlib
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

from gavelport_server.pairing.schedule import check_field

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from gavelport_server.pairing.seating import Group

STARTS = 12
"""Seatings that the search begins from: the one by standing, and others that are shuffled."""


class Swiss:
    """Each round seats each entrant at most once, at ⌊entrants / seats⌋ tables.

    After any round no two entrants differ by more than one block of matches. Raises ValueError where the entrants do
    not fill a table.
    """

    by_standing = True

    def __init__(self, entrants: int, seats: int) -> None:
        check_field(entrants, seats)
        self.tables = entrants // seats
        self._seats = seats
        self._blocks = [0] * entrants
        """Blocks that each entrant has played."""
        self._met = [[0] * entrants for _ in range(entrants)]

    def draw(self, scores: Sequence[Fraction]) -> list[Group]:
        """Return the next block's tables, the highest first."""
        entrants = range(len(scores))
        standing = sorted(entrants, key=lambda one: (-scores[one], self._lot(0, one)))
        by_need = sorted(standing, key=lambda one: self._blocks[one])  # stable: by standing among equals
        seated = set(by_need[: self._seats * self.tables])
        in_order = [one for one in standing if one in seated]
        cost = self._cost(in_order)
        tables = self._improved(in_order, cost)
        if self._meet_again(tables):
            lots = [sorted(in_order, key=partial(self._lot, start)) for start in range(1, STARTS)]
            found = [tables, *(self._improved(lot, cost) for lot in lots)]
            tables = min(found, key=lambda each: sum(cost[pair] for table in each for pair in combinations(table, 2)))
        places = {one: place for place, one in enumerate(in_order)}
        groups = sorted((tuple(sorted(table)) for table in tables), key=lambda group: min(places[one] for one in group))
        for group in groups:
            for one in group:
                self._blocks[one] += 1
            for one, other in combinations(group, 2):
                self._met[one][other] += 1
                self._met[other][one] += 1
        return groups

    def _meet_again(self, tables: Sequence[Sequence[int]]) -> bool:
        return any(self._met[one][other] for table in tables for one, other in combinations(table, 2))

    def _lot(self, start: int, entrant: int) -> bytes:
        """Return a sort key that is drawn by lot, anew in every block and for every seating."""
        return hashlib.sha256(b"swiss %d %d %d" % (sum(self._blocks), start, entrant)).digest()

    def _cost(self, in_order: Sequence[int]) -> dict[tuple[int, int], int]:
        """Return what it costs that two sit at one table: one meeting before is worse than all distances together."""
        most = len(in_order) ** 4
        return {
            (one, other): self._met[one][other] * most + (place - elsewhere) ** 2
            for place, one in enumerate(in_order)
            for elsewhere, other in enumerate(in_order)
        }

    def _improved(self, order: Sequence[int], cost: dict[tuple[int, int], int]) -> list[list[int]]:
        """Return tables filled in an order, after the best exchanges of two entrants until none lowers the cost."""
        tables = [list(order[first : first + self._seats]) for first in range(0, len(order), self._seats)]
        while True:
            with_table = {
                (one, t): sum(cost[one, other] for other in tables[t]) for one in order for t in range(self.tables)
            }
            best, places = 0, None
            for t, u in combinations(range(self.tables), 2):
                for i, one in enumerate(tables[t]):
                    for j, other in enumerate(tables[u]):
                        gain = with_table[one, t] + with_table[other, u] - with_table[one, u] - with_table[other, t]
                        gain += 2 * cost[one, other]  # the two do not meet, before or after
                        if gain > best:
                            best, places = gain, (t, i, u, j)
            if places is None:
                return tables
            t, i, u, j = places
            tables[t][i], tables[u][j] = tables[u][j], tables[t][i]
