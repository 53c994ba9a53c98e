"""Who sits at which table, and in which order around it.

Both choices are greedy over counts of what has been, so that they need nothing but the past and a schedule is a prefix
of every longer one:

- *Tables*: of all ways to fill them, one in which those meet who have met least. The square of the meetings, summed
  over pairs, grows by twice the present count (and one) for each pair at a table, so the sum of present counts is what
  a set of tables costs. Exchanges lower it until none helps.
- *Orders*: each group that has a table to itself goes through all (seats − 1)! circular orders before it repeats one;
  among those left, the order is taken whose neighbours have followed each other least. So left and right neighbours
  cancel over a full cycle, and nearly so before (design 5).
"""

from __future__ import annotations

import hashlib
from itertools import combinations, permutations
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Group: TypeAlias = "tuple[int, ...]"


class Tables:
    """Draws the tables of one block after the other."""

    def __init__(self, entrants: int, seats: int, tables: int) -> None:
        self._seats = seats
        self._tables = tables
        self._blocks = [0] * entrants
        """Blocks that each entrant has played."""
        self._met = [[0] * entrants for _ in range(entrants)]

    def draw(self) -> list[Group]:
        """Return the next block's tables, entrants ascending in each; who is in none sits the block out.

        Those who have played least are seated first, so that nobody is ever more than one block ahead of another.
        """
        by_need = sorted(range(len(self._blocks)), key=self._need)
        seated = self._seats * self._tables
        tables = [by_need[start : start + self._seats] for start in range(0, seated, self._seats)]
        bench = by_need[seated:]
        while self._exchange(tables, bench):
            pass
        groups = sorted(tuple(sorted(table)) for table in tables)
        for group in groups:
            for entrant in group:
                self._blocks[entrant] += 1
            for one, other in combinations(group, 2):
                self._met[one][other] += 1
                self._met[other][one] += 1
        return groups

    def _need(self, entrant: int) -> tuple[int, bytes]:
        """Return a sort key: who has played least comes first.

        Among equals the order changes from block to block. Were it always the same, the search would start from the
        same tables and end in the same few again and again.
        """
        played = self._blocks[entrant]
        return played, hashlib.sha256(b"%d %d" % (sum(self._blocks), entrant)).digest()

    def _exchange(self, tables: list[list[int]], bench: list[int]) -> bool:
        """Make the best exchange of two entrants and return True, or False where none lowers the cost."""
        best, places = 0, None
        for one, other in combinations([*tables, bench], 2):
            for i, out in enumerate(one):
                for j, into in enumerate(other):
                    if other is bench and self._blocks[out] != self._blocks[into]:
                        continue  # who has played less than the other keeps the seat
                    gain = self._cost(one, i, out) - self._cost(one, i, into)
                    if other is not bench:
                        gain += self._cost(other, j, into) - self._cost(other, j, out)
                    if gain > best:
                        best, places = gain, (one, i, other, j)
        if places is None:
            return False
        one, i, other, j = places
        one[i], other[j] = other[j], one[i]
        return True

    def _cost(self, table: list[int], place: int, entrant: int) -> int:
        """Return how often an entrant has met the others of a table, were it at that place."""
        met = self._met[entrant]
        return sum(met[neighbour] for at, neighbour in enumerate(table) if at != place)


class Orders:
    """Draws circular orders for groups of entrants."""

    def __init__(self, entrants: int) -> None:
        self._followed = [[0] * entrants for _ in range(entrants)]
        """How often the second entrant has played directly after the first."""
        self._left: dict[Group, list[Group]] = {}

    def draw(self, group: Group) -> Group:
        """Return the group's next circular order, its first member first."""
        left = self._left.get(group)
        if not left:
            left = [(group[0], *rest) for rest in permutations(group[1:])]
            self._left[group] = left
        order = min(left, key=self._cost)  # of equals the first: permutations come in a fixed order
        left.remove(order)
        for one, other in neighbours(order):
            self._followed[one][other] += 1
        return order

    def _cost(self, order: Group) -> int:
        return sum(self._followed[one][other] for one, other in neighbours(order))


def neighbours(order: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pairs (one, the next around the table) of a circular order."""
    return [(one, order[(place + 1) % len(order)]) for place, one in enumerate(order)]
