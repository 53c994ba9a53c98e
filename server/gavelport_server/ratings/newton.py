"""Strengths of greatest likelihood, by Newton's method, for one weighing of the blocks or many at once.

The log-likelihood of `choices.py` is concave and generalised self-concordant: along a step v its third derivative is at
most range(v) times its second. A step cut to log(1 + r)/r of its length, r being the range of v, therefore always
climbs, from anywhere, and soon becomes a whole Newton step (Sun and Tran-Dinh, 2019, "Generalized self-concordant
functions"). So there is no line search and nothing to tune.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from gavelport_server.ratings.choices import Choices
    from gavelport_server.ratings.results import Floats

TOLERANCE = 1e-6
"""A step shorter than this, in standard errors, is the last; the error that it leaves is about its square."""
MOST_STEPS = 300
DENSE_CELLS = 4_000_000
"""Up to so many cells (32 MB), sets times pairs of entrants are laid out for matrix products."""


class Slopes(Protocol):
    """The part of the derivatives that choices contribute."""

    def __call__(self, theta: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Return the slope of Σ_S w_S·log Σ exp(θ) and its curvature: (rows, entrants) and (rows, entrants, entrants).

        `theta` is (rows, entrants), `weights` (rows, sets).
        """
        ...


class DenseSlopes:
    """By matrix products: for many rows and few entrants."""

    def __init__(self, choices: Choices) -> None:
        entrants = choices.entrants
        self._member = np.zeros((choices.set_count, entrants))
        first = 0
        for rows in choices.sets:
            self._member[np.arange(first, first + len(rows))[:, None], rows] = 1.0
            first += len(rows)
        self._cells = np.tril_indices(entrants)
        self._both = self._member[:, self._cells[0]] * self._member[:, self._cells[1]]

    def __call__(self, theta: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """See `Slopes`."""
        rows, entrants = theta.shape
        worth = np.exp(theta)
        total = worth @ self._member.T
        share = weights / total
        slope = worth * (share @ self._member)
        curvature = np.empty((rows, entrants, entrants))
        i, j = self._cells
        curvature[:, i, j] = curvature[:, j, i] = -worth[:, i] * worth[:, j] * ((share / total) @ self._both)
        curvature[:, range(entrants), range(entrants)] += slope
        return slope, curvature


class SparseSlopes:
    """Set by set: for many entrants, each of whom sits in few of the sets."""

    def __init__(self, choices: Choices) -> None:
        self._sets = choices.sets

    def __call__(self, theta: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """See `Slopes`."""
        pairs = [self._row(*row) for row in zip(theta, weights, strict=True)]
        return np.array([slope for slope, _ in pairs]), np.array([curvature for _, curvature in pairs])

    def _row(self, theta: Floats, weights: Floats) -> tuple[Floats, Floats]:
        entrants = len(theta)
        worth = np.exp(theta)
        slope = np.zeros(entrants)
        lower = np.zeros(entrants * entrants)
        first = 0
        for members in self._sets:
            of_set = weights[first : first + len(members)]
            first += len(members)
            chance = worth[members]
            chance /= chance.sum(axis=1, keepdims=True)
            for i in range(members.shape[1]):
                expected = of_set * chance[:, i]
                slope += np.bincount(members[:, i], expected, entrants)
                for j in range(i + 1):  # members ascend, so the cell is on or below the diagonal
                    cell = members[:, i] * entrants + members[:, j]
                    lower += np.bincount(cell, expected * chance[:, j], entrants * entrants)
        square = lower.reshape(entrants, entrants)
        return slope, np.diag(slope + square.diagonal()) - square - square.T


def slopes(choices: Choices) -> Slopes:
    """Return the derivatives in the form that suits the number of entrants and sets."""
    dense = choices.set_count * choices.entrants**2 / 2 <= DENSE_CELLS
    return DenseSlopes(choices) if dense else SparseSlopes(choices)


def strongest(slopes: Slopes, weights: Floats, chosen: Floats, ghost: tuple[Floats, Floats], start: Floats) -> Floats:
    """Return the strengths θ of greatest likelihood, row by row: (rows, entrants), the ghost's strength being 0.

    `weights` (rows, sets) and `chosen` (rows, entrants) are the choices' counts; `ghost` holds how many wins and how
    many losses against the ghost each entrant is credited with, both (rows, entrants) and above 0; `start` is where
    the search begins. Raises ArithmeticError where it does not settle, which no finite counts should bring about.
    """
    theta = start.copy()
    wins, losses = ghost
    diagonal = np.arange(theta.shape[1])
    open_rows = np.arange(len(theta))
    for _ in range(MOST_STEPS):
        here = theta[open_rows]
        slope, curvature = slopes(here, weights[open_rows])
        beats_ghost = 1.0 / (1.0 + np.exp(-here))
        games = wins[open_rows] + losses[open_rows]
        climb = chosen[open_rows] - slope + wins[open_rows] - games * beats_ghost
        curvature[:, diagonal, diagonal] += games * beats_ghost * (1.0 - beats_ghost)
        step = np.linalg.solve(curvature, climb[:, :, None])[:, :, 0]
        length = (climb * step).sum(axis=1)  # squared, in standard errors
        # The ghost stands still, so it counts for the range of the step.
        span = np.maximum(step.max(axis=1), 0.0) - np.minimum(step.min(axis=1), 0.0)
        step *= (np.log1p(span) / np.where(span > 0.0, span, 1.0))[:, None]
        theta[open_rows] = here + step
        open_rows = open_rows[~(length <= TOLERANCE**2)]  # what is not a number stays open
        if not len(open_rows):
            return theta
    raise ArithmeticError(f"{len(open_rows)} of {len(theta)} fits did not settle within {MOST_STEPS} steps")
