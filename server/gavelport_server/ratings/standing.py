"""The figures of a tournament's table: ratings by the whole history, each with how sure it is (design 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gavelport_server.ratings.bootstrap import REPETITIONS, repeated_strengths, widening
from gavelport_server.ratings.choices import choices
from gavelport_server.ratings.history import ANCHOR, POINTS, anchored, strengths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_server.ratings.results import Floats, Ints, Results

TAIL = 0.025
"""Intervals leave out this much on either side: they are 95 % intervals."""
DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Figures:
    """What a whole-history fit says of one entrant."""

    rating: float
    interval: tuple[float, float] | None
    """95 % interval of the rating; None with fewer than two blocks, which cannot tell how much blocks differ."""
    rank: int
    """Place by rating, from 1; equal ratings share the better place."""
    rank_interval: tuple[int, int]
    """Best and worst place that the results leave open, at 95 %."""
    matches: int
    blocks: int


@dataclass(frozen=True, slots=True)
class Chance:
    """How likely one entrant is to finish a match before another, a tie counting half."""

    p: float
    low: float
    high: float
    """95 % interval; 0 and 1 where one of the two has fewer than two blocks."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A whole-history fit."""

    entrants: tuple[Figures, ...]
    """By entrant number."""
    beats: tuple[tuple[Chance, ...], ...]
    """`beats[i][j]`: entrant i before entrant j; p is ½ where they are the same."""


def whole_history(results: Results, repetitions: int = REPETITIONS, field: Sequence[int] | None = None) -> Fit:
    """Return ratings, ranks and chances with their 95 % intervals.

    Args:
        results: all matches.
        repetitions: of the bootstrap.
        field: entrants by number; the fit is theirs alone, in this order: anchored among them, ranked among them. The
            others count as those whom they met. None: all entrants.
    """
    folded = choices(results)
    theta = strengths(folded)
    repeated = repeated_strengths(results, folded, theta, repetitions)
    matches = np.bincount(results.seated.ravel(), minlength=results.entrants)
    blocks = blocks_played(results)
    if field is not None:
        chosen = list(field)
        theta, repeated, matches, blocks = theta[chosen], repeated[:, chosen], matches[chosen], blocks[chosen]
    intervals = rating_intervals(theta, repeated, blocks)
    ratings = np.round(ANCHOR + POINTS * anchored(theta[None])[0], DECIMALS)
    figures = []
    beats = []
    for i in range(len(theta)):
        lead, leads = _leads(theta, repeated, blocks, i)
        figures.append(
            Figures(
                rating=float(ratings[i]),
                interval=(float(intervals[i, 0]), float(intervals[i, 1])) if blocks[i] >= 2 else None,
                rank=1 + int((ratings > ratings[i]).sum()),
                rank_interval=_open_ranks(leads, blocks, i),
                matches=int(matches[i]),
                blocks=int(blocks[i]),
            )
        )
        beats.append(_chances(lead, leads, blocks, i))
    return Fit(tuple(figures), tuple(beats))


def blocks_played(results: Results) -> Ints:
    """Return in how many blocks each entrant sat."""
    _, block = np.unique(results.blocks, return_inverse=True)
    pairs = np.unique(results.seated + block[:, None] * results.entrants)
    return np.bincount(pairs % results.entrants, minlength=results.entrants)


def rating_intervals(theta: Floats, repeated: Floats, blocks: Ints) -> Floats:
    """Return the intervals of the ratings, (entrants, 2); meaningless for entrants of fewer than two blocks."""
    here = anchored(theta[None])
    spread = (anchored(repeated) - here) * _widenings(blocks)
    return np.round(ANCHOR + POINTS * np.quantile(here + spread, [TAIL, 1 - TAIL], axis=0).T, DECIMALS)


def _widenings(blocks: Ints) -> Floats:
    return np.array([widening(max(2, number)) for number in blocks.tolist()])


def _leads(theta: Floats, repeated: Floats, blocks: Ints, i: int) -> tuple[Floats, Floats]:
    """Return by how much strength i leads each other, and so in each repetition, its deviation widened."""
    lead = theta[i] - theta
    return lead, lead + (repeated[:, i, None] - repeated - lead) * _widenings(np.minimum(blocks, blocks[i]))


def _chances(lead: Floats, leads: Floats, blocks: Ints, i: int) -> tuple[Chance, ...]:
    low, high = 1.0 / (1.0 + np.exp(-np.quantile(leads, [TAIL, 1 - TAIL], axis=0)))
    p = 1.0 / (1.0 + np.exp(-lead))
    known = (blocks >= 2) & (blocks[i] >= 2)
    known[i] = True
    low, high = np.where(known, low, 0.0), np.where(known, high, 1.0)
    return tuple(Chance(*(round(float(x), DECIMALS) for x in row)) for row in zip(p, low, high, strict=True))


def _open_ranks(leads: Floats, blocks: Ints, i: int) -> tuple[int, int]:
    """Return the best and the worst place of i: behind all who surely lead it, before all whom it surely leads.

    Surely means jointly at 95 %, over all others at once (Mogstad et al. 2024, "Inference for ranks"): the bounds of
    the leads, one percentile for all, contain all leads together in 95 % of the repetitions.
    """
    entrants = leads.shape[1]
    others = np.flatnonzero((np.arange(entrants) != i) & (blocks >= 2))
    if blocks[i] < 2 or not len(others):
        return 1, entrants
    in_order = np.sort(leads[:, others], axis=0)
    place = np.argsort(np.argsort(leads[:, others], axis=0, kind="stable"), axis=0)
    from_edge = np.minimum(place, len(leads) - 1 - place).min(axis=1)
    edge = int(np.quantile(from_edge, 2 * TAIL, method="lower"))
    ahead = int((in_order[len(leads) - 1 - edge] < 0.0).sum())
    behind = int((in_order[edge] > 0.0).sum())
    return 1 + ahead, entrants - behind
