"""Which pairs of bots give each other more than their habits explain: evidence, no verdict (docs/collusion.md).

Every bot has habits: some bid too much, some sell cheap. What A gives B when they share a table is held against what A
gives others (`habits.py`). Whatever is left over must not depend on who the companion is. So what is left over is dealt
out anew among all the seats that each giver ever sat with, hundreds of times; nobody plays more or less than it did. A
pair is flagged where it stands out more than the highest of any pair in nearly all of these deals, and weighs
something. As the highest of any pair is what counts, whole pools of honest bots are left alone, however many pairs
they have.

Matches of one deal at one table are not independent, and count as one sitting.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gavelport_server.ratings.habits import expected_gifts
from gavelport_server.ratings.sittings import Slots, ratio, sums_by

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gavelport_server.ratings.sittings import Floats, TableMatch

LEVEL = 0.004
"""Of deals, in which some pair may stand out as much as a flagged one. Measured, one honest pool in a hundred has a
pair flagged (docs/collusion.md), as habits are only estimated and gifts are of very unequal size."""
DEALS = 499
"""So often what is left over is dealt out anew."""
LEAST_SHARE = 0.5
"""Of what habits predict: what exceeds it by less may come from how two ways to play fit together."""
LEAST_SITTINGS = 20
"""Of a pair, below which nothing is said of it."""
_PRIOR_SITTINGS = 10.0
"""So many sittings' worth of all the giver's variance goes into that of a pair, which few sittings tell badly."""


@dataclass(frozen=True, slots=True)
class PairEvidence:
    """What the matches say of two bots. Amounts are means a match, in the game's own unit."""

    bots: tuple[str, str]
    matches: int
    sittings: int
    given: tuple[float, float]
    """By the first to the second, and back."""
    expected: tuple[float, float]
    """Likewise, as habits predict."""
    p: float
    """The chance that any pair of a pool without collusion shows as much."""
    gain: float
    """Of both together against the others at the table, beyond their strengths: wins of one opponent, a match."""
    gain_p: float
    """The chance that a pair gains as much without more to it; for this pair alone."""
    flagged: bool

    @property
    def excess(self) -> float:
        """Return what the two gave each other beyond their habits."""
        return sum(self.given) - sum(self.expected)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The report: all pairs that could be judged, the likeliest first."""

    matches: int
    pairs: tuple[PairEvidence, ...]
    untold: int
    """Pairs that met too seldom to say anything of."""

    @property
    def flagged(self) -> tuple[PairEvidence, ...]:
        """Return the pairs that are flagged."""
        return tuple(pair for pair in self.pairs if pair.flagged)


def collusion(matches: Iterable[TableMatch], least: float) -> Evidence:
    """Return the report on a pool's matches; the same for the same matches.

    Args:
        matches: Of one ladder or tournament, in any order.
        least: In the unit of gifts: a pair is flagged only if its gifts exceed what habits predict by so much a match,
            and by LEAST_SHARE of it.
    """
    slots = Slots(list(matches))
    if not slots.names:
        return Evidence(0, (), 0)
    expected = expected_gifts(slots)
    rng = np.random.default_rng(list(hashlib.sha256(slots.canonical()).digest()))
    gifts, gains = _Judged(slots, slots.gift - expected), _Judged(slots, slots.gain)
    tested = gifts.count >= LEAST_SITTINGS
    shown = gifts.score / _doubt(slots)
    above_any, above_own = np.ones(slots.pairs), np.ones(slots.pairs)
    for _ in range(DEALS):
        highest = max(gifts.dealt_anew(rng)[tested], default=0.0)
        above_any += highest >= shown
        above_own += gains.dealt_anew(rng) >= gains.score
    given, habits = slots.means(slots.gift), slots.means(expected)
    found = []
    for pair in np.flatnonzero(tested):
        a, b = (int(bot) for bot in slots.pair_bots[pair])
        p, usual = float(above_any[pair]) / (DEALS + 1), float(habits[a, b] + habits[b, a])
        found.append(
            PairEvidence(
                bots=(slots.names[a], slots.names[b]),
                matches=slots.shared(a, b),
                sittings=int(gifts.count[pair]),
                given=(float(given[a, b]), float(given[b, a])),
                expected=(float(habits[a, b]), float(habits[b, a])),
                p=p,
                gain=float(gains.mean[pair]) / 2,
                gain_p=float(above_own[pair]) / (DEALS + 1),
                flagged=bool(p <= LEVEL and gifts.mean[pair] >= max(least, LEAST_SHARE * usual)),
            )
        )
    found.sort(key=lambda each: (not each.flagged, each.p, -each.excess, each.bots))
    return Evidence(slots.matches, tuple(found), slots.pairs - len(found))


def _doubt(slots: Slots) -> Floats:
    """Return for each pair by how much what is expected of it, itself only estimated, widens the error of what is left.

    The more of its dealings a bot has with one other, the less its dealings with everybody else say of its habits.
    """
    weight = np.zeros_like(slots.gift)
    for gift, goods in slots.by_kind():
        weight += goods * ratio(gift.sum(), goods.sum())
    dealt = slots.totals(weight)
    beside = ratio(dealt, dealt.sum(1)[:, None] - dealt)
    first, second = slots.pair_bots.T
    wider: Floats = np.sqrt(1 + np.maximum(beside[first, second], beside[second, first]))
    return wider


class _Judged:
    """How far what is left over of each pair is from nothing, as it was and dealt out anew."""

    def __init__(self, slots: Slots, left_over: Floats) -> None:
        self._slots, self._left = slots, left_over
        self.count = sums_by(slots.pair, np.ones(len(slots.pair)), slots.pairs)
        bots = len(slots.names)
        spread = sums_by(slots.giver, left_over**2, bots) / sums_by(slots.giver, np.ones_like(left_over), bots)
        first, second = slots.pair_bots.T
        self._usual = spread[first] + spread[second]
        self.mean, self.score = self._judge(left_over)

    def dealt_anew(self, rng: np.random.Generator) -> Floats:
        """Return the scores with each giver's left-overs dealt out anew among all the seats that it sat with."""
        dealt = self._left.copy()
        for start, stop in self._slots.of_giver:
            rng.shuffle(dealt[start:stop])
        return self._judge(dealt)[1]

    def _judge(self, left_over: Floats) -> tuple[Floats, Floats]:
        """Return the mean of each pair in both directions, and by how many standard errors it is above nothing."""
        slots, count = self._slots, np.maximum(self.count, 1.0)
        both = left_over[slots.one_way] + left_over[slots.way_back]
        mean = sums_by(slots.pair, both, slots.pairs) / count
        squares = np.maximum(sums_by(slots.pair, both**2, slots.pairs) - count * mean**2, 0.0)
        drawn = (squares + _PRIOR_SITTINGS * self._usual) / (count - 1 + _PRIOR_SITTINGS)
        variance = np.maximum(squares / np.maximum(count - 1, 1.0), drawn)
        return mean, mean / np.sqrt(np.maximum(variance, 1e-12) / count)
