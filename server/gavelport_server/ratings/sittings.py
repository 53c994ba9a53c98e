"""Matches as sittings of one bot beside another, for the report on gifts (`collusion.py`)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Ints: TypeAlias = NDArray[np.int64]


class Dealing(NamedTuple):
    """All dealings of a kind between two seats in a match, one of which may have given by them."""

    kind: str
    giver: int
    taker: int
    amount: int
    """What was given."""
    goods: int
    """How much was dealt in; 0 where the gift is all there is."""


@dataclass(frozen=True, slots=True)
class TableMatch:
    """A match, for the report: who sat there, by seat, the dealings, and the ranks."""

    block: int
    """Which deal at which table; a ladder's matches have one each."""
    bots: tuple[str, ...]
    dealings: tuple[Dealing, ...]
    ranks: tuple[int, ...]


class Slots:
    """Every sitting of every bot beside every other; sorted by giver, all arrays alike."""

    def __init__(self, matches: Sequence[TableMatch]) -> None:
        """Take matches, those of one block together. Raises ValueError for a bot that sits twice at a table."""
        self.matches = len(matches)
        self.names = sorted({bot for match in matches for bot in match.bots})
        kinds = sorted({dealing.kind for match in matches for dealing in match.dealings})
        slots, figures, self._met = _gathered(matches, self.names, kinds)
        order = np.lexsort((slots[:, 2], slots[:, 0], slots[:, 1]))
        sitting, self.giver, self.taker = slots[order].T
        values: Floats = figures[order]
        self.gain = values[:, 0]
        self._gifts: list[Floats] = [values[:, 1 + 2 * number] for number in range(len(kinds))]
        """By kind, what the giver gave the taker, in a match on average."""
        goods = [values[:, 2 + 2 * number] for number in range(len(kinds))]
        self._goods: list[Floats] = [each if each.any() else np.ones_like(each) for each in goods]
        """By kind, how much the two dealt in; of mere gifts there is a chance in every match."""
        self.gift: Floats = np.sum([np.zeros(len(order)), *self._gifts], axis=0)
        bounds = np.searchsorted(self.giver, np.arange(len(self.names) + 1))
        self.of_giver = [(int(start), int(stop)) for start, stop in pairwise(bounds)]
        _, beside = np.unique(np.stack((self.giver, sitting)), axis=1, return_inverse=True)
        self._beside: Ints = beside.reshape(-1)
        self._pair_up(sitting)

    def _pair_up(self, sitting: Ints) -> None:
        """Find for each slot that of the same two in the same sitting, the other way round."""
        there = np.lexsort((self.taker, self.giver, sitting))
        back = np.lexsort((self.giver, self.taker, sitting))
        reverse = np.empty(len(there), dtype=np.int64)
        reverse[there] = back
        self.one_way = np.flatnonzero(self.giver < self.taker)
        self.way_back = reverse[self.one_way]
        bots = max(1, len(self.names))
        keys, self.pair = np.unique(self.giver[self.one_way] * bots + self.taker[self.one_way], return_inverse=True)
        self.pairs = len(keys)
        self.pair_bots = np.stack((keys // bots, keys % bots), axis=1)

    def by_kind(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield gifts and goods of each kind of dealing."""
        return zip(self._gifts, self._goods, strict=True)

    def shared(self, one: int, other: int) -> int:
        """Return in how many matches two bots met."""
        return self._met[one, other]

    def totals(self, values: Floats) -> Floats:
        """Return sums over sittings, giver by taker."""
        size = len(self.names)
        return sums_by(self.giver * size + self.taker, values, size * size).reshape(size, size)

    def to_third_seats(self, values: Floats) -> Floats:
        """Return for each slot what its giver gave in that sitting to all but its taker."""
        all_of_sitting = sums_by(self._beside, values)
        return all_of_sitting[self._beside] - values

    def means(self, values: Floats) -> Floats:
        """Return means over sittings, giver by taker; 0 where the two never met."""
        return ratio(self.totals(values), self.totals(np.ones_like(values)))

    def canonical(self) -> bytes:
        """Return bytes that are the same for the same matches, in whatever order they came."""
        return b"".join(part.tobytes() for part in (self.giver, self.taker, self.gift))


def sums_by(places: Ints, values: Floats, size: int = 0) -> Floats:
    """Return at each place the sum of the values that belong there."""
    return np.bincount(places, values, size).astype(np.float64)


def ratio(above: Floats, below: Floats) -> Floats:
    """Return the quotients, 0 where there is nothing below."""
    return np.divide(above, below, out=np.zeros_like(above, np.float64), where=below > 0)


def _gathered(
    matches: Sequence[TableMatch], names: Sequence[str], kinds: Sequence[str]
) -> tuple[Ints, Floats, Counter[tuple[int, int]]]:
    """Return (sitting, giver, taker) of each slot, its figures, and how often each two bots met.

    The figures are means over the sitting's matches: the giver's gain against third seats; by kind, gifts and goods.
    """
    numbers = {name: number for number, name in enumerate(names)}
    columns = {kind: 1 + 2 * number for number, kind in enumerate(kinds)}
    strengths = _strengths([([numbers[bot] for bot in one.bots], one.ranks) for one in matches], len(names))
    sums: dict[tuple[int, int, int], list[float]] = {}
    times: Counter[tuple[int, int, int]] = Counter()
    for match in matches:
        bots = [numbers[bot] for bot in match.bots]
        if len(set(bots)) != len(bots):
            raise ValueError(f"block {match.block}: a bot sits twice at a table: {', '.join(match.bots)}")
        for seat, bot in enumerate(bots):
            surplus = [
                _score(match.ranks, seat, other) - 0.5 - strengths[bot] + strengths[opponent] if other != seat else 0.0
                for other, opponent in enumerate(bots)
            ]
            for other, companion in enumerate(bots):
                if other != seat:
                    key = match.block, bot, companion
                    times[key] += 1
                    row = sums.setdefault(key, [0.0] * (1 + 2 * len(kinds)))
                    row[0] += (sum(surplus) - surplus[other]) / max(1, len(bots) - 2)
        for kind, giver, taker, amount, goods in match.dealings:
            row = sums[match.block, bots[giver], bots[taker]]
            row[columns[kind]] += amount
            row[columns[kind] + 1] += goods
    keys = np.array(list(sums), dtype=np.int64).reshape(-1, 3)
    values = np.array(list(sums.values()), dtype=float).reshape(-1, 1 + 2 * len(kinds))
    met: Counter[tuple[int, int]] = Counter()
    for (_, bot, companion), count in times.items():
        met[bot, companion] += count
    values /= np.array([times[key] for key in sums], dtype=float).reshape(-1, 1)
    return keys, values, met


def _score(ranks: Sequence[int], seat: int, other: int) -> float:
    return 0.5 if ranks[seat] == ranks[other] else float(ranks[seat] < ranks[other])


def _strengths(matches: Sequence[tuple[Sequence[int], Sequence[int]]], bots: int) -> Floats:
    """Return what each bot scores against one opponent beyond ½, by least squares: score = ½ + own − other's."""
    played, scored = np.zeros((bots, bots)), np.zeros(bots)
    for table, ranks in matches:
        for seat, bot in enumerate(table):
            for other, opponent in enumerate(table):
                if other != seat:
                    played[bot, opponent] += 1
                    scored[bot] += _score(ranks, seat, other) - 0.5
    found: Floats = np.asarray(np.linalg.lstsq(np.diag(played.sum(1)) - played, scored, rcond=None)[0], float)
    return found
