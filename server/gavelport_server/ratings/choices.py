"""Matches as choices, the form in which a Plackett–Luce model reads them.

A ranking is a chain of choices: the first is chosen out of all, the second out of those that are left, and so on. With
strengths θ, i is chosen out of a set S with probability exp(θᵢ) / Σⱼ∈S exp(θⱼ), so that the log-likelihood is
Σᵢ cᵢ·θᵢ − Σ_S w_S · log Σⱼ∈S exp(θⱼ), where cᵢ counts how often i was chosen and w_S how often S was chosen from. Those
counts are all that a fit needs to know of any number of matches.

**Ties** count as the average over all orders that break them: g equals are a random order among themselves, so each
subset of k of them (with those ranked below) is chosen from 1/C(g, k) times. Equals are treated alike, a tie between
two is half a win and half a loss, and no parameter is added.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gavelport_server.ratings.results import Floats, Ints, Results

LARGEST_KEY = 2**62


@dataclass(frozen=True, slots=True)
class Choices:
    """Every choice of some results. Records keep their block, so that blocks can be weighed differently."""

    entrants: int
    blocks: int
    sets: tuple[Ints, ...]
    """By size of set, from 2: (number of different sets, size), each row ascending."""
    scale: int
    """Counts are kept times this number, in which the fractions that ties make are whole: sums are then exact and do
    not depend on the order of the matches."""
    set_records: tuple[Ints, Ints, Ints]
    """Number of the set (counted through all sizes), block, count."""
    chosen_records: tuple[Ints, Ints, Ints]
    """Entrant, block, count."""

    @property
    def set_count(self) -> int:
        """How many different sets were chosen from."""
        return sum(len(rows) for rows in self.sets)

    def counts(self, block_weights: Floats) -> tuple[Floats, Floats]:
        """Return (w by set, c by entrant), where each block counts as many times as its weight says."""
        sums = []
        for (what, block, count), length in (
            (self.set_records, self.set_count),
            (self.chosen_records, self.entrants),
        ):
            sums.append(np.bincount(what, count * block_weights[block], length) / self.scale)
        return sums[0], sums[1]


def stages(groups: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield the sets that a ranking is chosen from, as places in the ranking, each with n where it counts 1/n times.

    `groups` are the sizes of the groups of equals, best first. Sets of one are left out: nothing is chosen there.
    """
    seats = sum(groups)
    start = 0
    for size in groups:
        below = tuple(range(start + size, seats))
        for remaining in range(size, 0, -1):
            if remaining + len(below) > 1:
                for equals in itertools.combinations(range(start, start + size), remaining):
                    yield equals + below, math.comb(size, remaining)
        start += size


def choices(results: Results) -> Choices:
    """Return the choices that results consist of."""
    matches, seats = results.seated.shape
    scale = math.lcm(*range(1, seats + 2))
    block_names, blocks = np.unique(results.blocks, return_inverse=True)
    by_rank = np.lexsort((results.seated, results.ranks), axis=1)
    seated = np.take_along_axis(results.seated, by_rank, axis=1)
    ranks = np.take_along_axis(results.ranks, by_rank, axis=1)
    # Which neighbours in the ranking are equal, as the bits of one number for each match.
    tied = (ranks[:, 1:] == ranks[:, :-1]) @ (1 << np.arange(seats - 1))

    found: dict[int, list[tuple[Ints, Ints, Ints]]] = {size: [] for size in range(2, seats + 1)}
    chosen = np.full((matches, seats), scale, np.int64)
    for pattern in np.unique(tied).tolist():
        rows = np.flatnonzero(tied == pattern)
        groups = _groups(pattern, seats)
        for places, of in stages(groups):
            times = np.full(len(rows), scale // of, np.int64)
            found[len(places)].append((np.sort(seated[rows[:, None], places], axis=1), blocks[rows], times))
        # Of the last group, one is never chosen: it is left over.
        chosen[rows, seats - groups[-1] :] = scale * (groups[-1] - 1) // groups[-1]

    sets, numbers, first = [], [], 0
    for size, parts in found.items():
        rows = np.concatenate([part[0] for part in parts] or [np.empty((0, size), np.int64)])
        _, where, number = np.unique(_keys(rows, results.entrants), return_index=True, return_inverse=True)
        sets.append(rows[where])
        numbers.append(number + first)
        first += len(where)
    everything = [part for parts in found.values() for part in parts]
    return Choices(
        entrants=results.entrants,
        blocks=len(block_names),
        sets=tuple(sets),
        scale=scale,
        set_records=(np.concatenate(numbers), _joined([p[1] for p in everything]), _joined([p[2] for p in everything])),
        chosen_records=(seated.ravel(), np.repeat(blocks, seats), chosen.ravel()),
    )


def _joined(parts: list[Ints]) -> Ints:
    return np.concatenate([*parts, np.empty(0, np.int64)])


def _groups(pattern: int, seats: int) -> tuple[int, ...]:
    """Return the sizes of the groups of equals, where bit k says that places k and k + 1 are equal."""
    groups = [1]
    for place in range(seats - 1):
        if pattern >> place & 1:
            groups[-1] += 1
        else:
            groups.append(1)
    return tuple(groups)


def _keys(rows: Ints, entrants: int) -> Ints:
    """Return one number for each row, in the rows' lexicographic order; equal rows get equal numbers."""
    keys = np.zeros(len(rows), np.int64)
    bound = 1
    for column in rows.T:
        if bound * entrants > LARGEST_KEY:
            different, keys = np.unique(keys, return_inverse=True)
            bound = len(different)
        keys = keys * entrants + column
        bound *= entrants
    return keys
