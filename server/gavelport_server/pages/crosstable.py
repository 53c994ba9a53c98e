"""Who beats whom: the matrix of a ladder or tournament, and how sure the order of neighbours is."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from gavelport_server.pages.figures import heat, percent
from gavelport_server.pages.paging import Paging
from gavelport_server.pages.rendering import with_query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_server.conduct.summary import Row
    from gavelport_server.pages.shelf import Beats, Competition
    from gavelport_server.pages.standings import Line

CROSSED = 20
"""So many bots fit into a side of a matrix that can be read."""
NEIGHBOURS = 30


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the matrix: in per cent, how it is shaded, in words, and where the two's matches are listed."""

    text: str
    shade: str
    title: str
    href: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """A part of who finished above whom: some bots against some, in the order of the table."""

    down: Paging
    """Which bots have the rows."""
    across: Paging
    """Which have the columns."""
    columns: Sequence[Line]
    rows: Sequence[tuple[Line, Sequence[Cell | None]]]
    """None stands where a bot would meet itself."""
    length: int
    """Bots in all."""

    @property
    def parts(self) -> list[str]:
        """Return which bots there are to choose for a side, by places: "1–20", "21–37"."""
        return [f"{first + 1}–{min(first + CROSSED, self.length)}" for first in range(0, self.length, CROSSED)]


def matrix(competition: Competition, lines: Sequence[Line], down: int, across: int) -> Matrix:
    """Return the matrix's part with these numbers, from 1. Raises PageError beyond the last."""
    rows = Paging.of(len(lines), down, CROSSED)
    columns = Paging.of(len(lines), across, CROSSED)
    crossed = columns.cut(lines)
    return Matrix(
        down=rows,
        across=columns,
        columns=crossed,
        rows=[(line, [_cell(competition, line.row, other.row) for other in crossed]) for line in rows.cut(lines)],
        length=len(lines),
    )


def _cell(competition: Competition, row: Row, other_row: Row) -> Cell | None:
    own, other = row.entrant, other_row.entrant
    if other is own:
        return None
    met = competition.met(own.number, other.number)
    words = f"{own.bot} above {other.bot}: "
    if met is None or met.share is None:
        return Cell("", "none", f"{words}never met", "")
    words += f"{percent(met.share)} % of {met.matches}"
    if chance := competition.beats.get((own.number, other.number)):
        low, high = chance.interval
        words += f"; chance {percent(chance.p)} % ({percent(low)} to {percent(high)})"
    href = with_query("/matches", bot=own.bot, against=other.bot, of=competition.key)
    return Cell(percent(met.share), heat(met.share, met.matches), words, href)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Two that stand next to each other, and whether the order between them is more than luck."""

    above: Row
    below: Row
    gap: float
    chance: Beats
    verdict: str
    """`settled`, `likely` or `open`."""


def neighbours(competition: Competition, lines: Sequence[Line]) -> list[Neighbours]:
    """Return how sure the order is, down the table; empty without a fit."""
    found = []
    for one, other in pairwise(line for line in lines if not line.is_inactive):
        above, below = one.row, other.row
        chance = competition.beats.get((above.entrant.number, below.entrant.number))
        if chance is None or above.figures is None or below.figures is None:
            continue
        found.append(Neighbours(above, below, above.figures.rating - below.figures.rating, chance, _verdict(chance)))
    return found[:NEIGHBOURS]


def _verdict(chance: Beats) -> str:
    low = chance.interval[0]
    return "settled" if low > 0.5 else "likely" if 0.5 - low < (chance.p - 0.5) / 2 else "open"
