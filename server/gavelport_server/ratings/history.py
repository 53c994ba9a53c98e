"""Ratings from the whole history of results at once: Plackett–Luce with ties and a weak prior (design 6).

Model: `choices.py`. **Prior**: each entrant is credited with half a win and half a loss against one ghost (as in Turner
et al. 2020, "Modelling rankings in R: the PlackettLuce package"). It ties all entrants together, keeps one who never
lost finite, and weighs as much as a single drawn match.

**Scale**: 400/ln 10 points a unit of strength, so that 400 points are odds of 10 to 1. Only differences mean something;
the field is anchored at 1500, the strength of somebody who, meeting each entrant equally often, would score
half the points. (The plain mean would hand down the uncertainty of one hopeless entrant's rating to all.)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gavelport_server.ratings.choices import choices
from gavelport_server.ratings.newton import slopes, strongest

if TYPE_CHECKING:
    from gavelport_server.ratings.choices import Choices
    from gavelport_server.ratings.results import Floats, Results

POINTS = 400.0 / math.log(10.0)
"""Rating points a unit of strength."""
ANCHOR = 1500.0
GHOST = 0.5
"""Wins, and losses, against the ghost that every entrant is credited with."""


def history_ratings(results: Results) -> Floats:
    """Return the ratings of greatest likelihood, by entrant number; who has not played is rated as the ghost is."""
    here: Floats = anchored(strengths(choices(results))[None])[0]
    return ANCHOR + POINTS * here


def strengths(choices: Choices) -> Floats:
    """Return the strengths θ of greatest likelihood, by entrant number; the ghost's is 0."""
    weights, chosen = choices.counts(np.ones(choices.blocks))
    ghost = np.full((1, choices.entrants), GHOST)
    start = np.zeros((1, choices.entrants))
    theta: Floats = strongest(slopes(choices), weights[None], chosen[None], (ghost, ghost), start)[0]
    return theta


def anchored(theta: Floats) -> Floats:
    """Return strengths (rows, entrants) moved, row by row, so that strength 0 would score half against the field."""
    zero = np.median(theta, axis=1, keepdims=True)
    for _ in range(100):
        score = 1.0 / (1.0 + np.exp(zero - theta))
        climb = (score - 0.5).sum(axis=1, keepdims=True) / (score * (1.0 - score)).sum(axis=1, keepdims=True)
        # Cut as in newton.py; for one unknown the range of the step is its length.
        zero += np.sign(climb) * np.log1p(np.abs(climb))
        if np.abs(climb).max() < 1e-12:
            return theta - zero
    raise ArithmeticError("the field's anchor did not settle within 100 steps")
