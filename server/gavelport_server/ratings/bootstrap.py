"""How sure a whole-history fit is: the fit repeated with every block weighed anew.

A block is the unit because its matches, dealt alike, are not independent. Each repetition gives each block a random
weight from the exponential distribution (the Bayesian bootstrap: Rubin 1981; Xu et al. 2020, "Applications of the
fractional-random-weight bootstrap") instead of drawing blocks with replacement, since no entrant then drops out of a
repetition. The credit against the ghost is weighed likewise, by a gamma distribution of the same mean, so that an
entrant who never lost, whose rating hangs on that credit, gets the wide interval that it deserves.

Random numbers come from a hash of the results, in a form that does not depend on how entrants, matches, seats or
blocks are ordered or numbered: the same results give the same intervals.
"""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

import numpy as np

from gavelport_server.ratings.newton import slopes, strongest

if TYPE_CHECKING:
    from gavelport_server.ratings.choices import Choices
    from gavelport_server.ratings.results import Floats, Ints, Results

REPETITIONS = 2000
LEAST_CREDIT = 1e-6
"""Smaller random credits are taken for this: a strength of 14 beyond the field's is as good as endless."""
CHUNK_CELLS = 4_000_000
"""Repetitions are done so many at a time that their arrays stay below this many cells (32 MB)."""

NORMAL = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


def repeated_strengths(results: Results, choices: Choices, theta: Floats, repetitions: int) -> Floats:
    """Return the strengths of each repetition: (repetitions, entrants), the ghost's strength being 0.

    `theta` (entrants,) is the fit itself, from which each search begins.
    """
    entrants = choices.entrants
    order = np.argsort(np.round(theta, 6), kind="stable")
    place = np.empty(entrants, np.int64)
    place[order] = np.arange(entrants)
    digest, canonical = canonical_blocks(results, place)

    draw = np.random.Generator(np.random.PCG64(int.from_bytes(digest)))
    by_block = np.empty((repetitions, choices.blocks))
    by_block[:, canonical] = _exponential(draw, (repetitions, choices.blocks))
    # Gamma of shape and mean ½ (GHOST), as an exponential times the square of a random cosine.
    credit = _exponential(draw, (repetitions, 2, entrants))
    credit *= np.cos(2.0 * math.pi * draw.random((repetitions, 2, entrants))) ** 2
    credit = np.maximum(credit, LEAST_CREDIT)[:, :, place]

    derivatives = slopes(choices)
    size = max(1, CHUNK_CELLS // (choices.set_count + entrants * entrants))
    answer = np.empty((repetitions, entrants))
    for first in range(0, repetitions, size):
        rows = slice(first, min(first + size, repetitions))
        counts = [choices.counts(weights) for weights in by_block[rows]]
        answer[rows] = strongest(
            derivatives,
            np.array([of_sets for of_sets, _ in counts]),
            np.array([chosen for _, chosen in counts]),
            (credit[rows, 0], credit[rows, 1]),
            np.tile(theta, (len(counts), 1)),
        )
    return answer


def canonical_blocks(results: Results, place: Ints) -> tuple[bytes, Ints]:
    """Return a SHA-256 digest of the results and their blocks in an order that only their content gives.

    Blocks are numbered as in `Choices`. `place` says which number each entrant gets in the canonical form.
    """
    names, block_of = np.unique(results.blocks, return_inverse=True)
    matches: list[list[list[tuple[int, int]]]] = [[] for _ in names]
    placed = place[results.seated].tolist()
    for block, seated, ranks in zip(block_of.tolist(), placed, results.ranks.tolist(), strict=True):
        matches[block].append(
            sorted(zip(seated, (sum(other < rank for other in ranks) for rank in ranks), strict=True))
        )
    contents = [repr(sorted(block)) for block in matches]
    order = sorted(range(len(contents)), key=contents.__getitem__)
    content = "\n".join([f"bootstrap of {results.entrants} entrants", *(contents[block] for block in order)])
    return hashlib.sha256(content.encode()).digest(), np.array(order, np.int64)


def widening(blocks: int) -> float:
    """Return the factor by which deviations of repetitions fall short for an entrant with so many blocks (2 or more).

    Weights of mean 1 and variance 1 over n blocks reproduce (n − 1)/(n + 1) of the variance between estimates, and the
    normal distribution's tails are to be Student's with n − 1 degrees of freedom.
    """
    return math.sqrt((blocks + 1) / (blocks - 1)) * student(blocks - 1) / NORMAL


def student(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's distribution, to three digits."""
    if freedom <= 3:
        return (12.7062, 4.3027, 3.1824)[freedom - 1]
    z = NORMAL  # the expansion of Abramowitz and Stegun 26.7.5
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * freedom**4)
    )


def _exponential(draw: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return -np.log1p(-draw.random(shape))
