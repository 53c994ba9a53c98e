"""The results that a whole-history fit works on: who sat in each match, with what rank, and the match's block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Results:
    """Finished matches at tables of one size, checked on construction.

    Nothing computed from them depends on the order of the matches, on who sat on which seat, or on how blocks are
    numbered; entrants' numbers only say whose figure is whose.
    """

    entrants: int
    """How many there are; they are numbered from 0, and need not all have played."""
    seated: Ints
    """(matches, seats): entrant numbers by seat."""
    ranks: Ints
    """(matches, seats): 1 for the first; only their order counts, and equal ranks are a tie."""
    blocks: Ints
    """(matches,): which block each match belongs to. Matches of one block share a deal and are not independent; in a
    tournament, two tables of one block of rounds have deals of their own and are two blocks here. With independent
    deals, every match is a block."""

    def __post_init__(self) -> None:
        """Raise ValueError, naming the first match at fault, where the arrays are no results."""
        if self.seated.ndim != 2 or self.ranks.shape != self.seated.shape or len(self.blocks) != len(self.seated):
            raise ValueError(
                "results are arrays seated (matches, seats), ranks (matches, seats) and blocks (matches,), not "
                f"{self.seated.shape}, {self.ranks.shape} and {self.blocks.shape}"
            )
        matches, seats = self.seated.shape
        if self.entrants < 1 or seats < 2:
            raise ValueError(f"results need an entrant and tables of 2 seats or more, not {self.entrants} and {seats}")
        if matches == 0:
            return
        in_order = np.sort(self.seated, axis=1)
        strange = (in_order[:, 0] < 0) | (in_order[:, -1] >= self.entrants)
        twice = (in_order[:, 1:] == in_order[:, :-1]).any(axis=1)
        for wrong, what in ((strange, f"an entrant not among the {self.entrants}"), (twice, "an entrant twice")):
            if wrong.any():
                match = int(np.argmax(wrong))
                raise ValueError(f"match {match} of the results seats {what}: {self.seated[match].tolist()}")

    @classmethod
    def of(cls, entrants: int, seats: int, matches: Iterable[tuple[Sequence[int], Sequence[int], int]]) -> Results:
        """Return the results of matches given one by one: entrants by seat, ranks by seat, block.

        Raises ValueError where a match has another number of seats or ranks than `seats`, and as the class does.
        """
        listed = list(matches)
        for number, (seated, ranks, _) in enumerate(listed):
            if len(seated) != seats or len(ranks) != seats:
                raise ValueError(f"match {number} of the results is not for {seats} seats: {seated!r}, {ranks!r}")
        return cls(
            entrants,
            np.array([seated for seated, _, _ in listed], np.int64).reshape(-1, seats),
            np.array([ranks for _, ranks, _ in listed], np.int64).reshape(-1, seats),
            np.array([block for _, _, block in listed], np.int64),
        )
