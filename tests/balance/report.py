"""What matches say about the balance of a game: points by strategy, seat, turn order and home city, with intervals.

Blocks are independent of each other, the matches of one are not. So each figure is a mean over blocks, and its 95 %
interval comes from how the blocks differ. Seat, turn order and home city are measured as points beyond what the same
bot has on average, which takes the strategies out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from tests.balance.matches import Match

Z = 1.96
LEAST_EFFECT = 2.0
"""Points; a smaller difference is no matter, however certain."""

Factor = Callable[[Match, int], str]


def _seat(match: Match, seat: int) -> str:
    return str(seat)


def _place(match: Match, seat: int) -> str:
    return str(match.places[seat] + 1)


def _home(match: Match, seat: int) -> str:
    return match.homes[seat]


def _bot(match: Match, seat: int) -> str:
    return match.bots[seat]


FACTORS: dict[str, Factor] = {"Seat": _seat, "Place in the first turn order": _place, "Home city": _home}


class Figure(NamedTuple):
    """A mean over blocks and half the width of its 95 % interval."""

    mean: float
    margin: float

    def __str__(self) -> str:
        return f"{self.mean:.1f} ± {self.margin:.1f}"

    @property
    def is_lopsided(self) -> bool:
        """Whether, read as a difference, it is neither small nor chance."""
        return abs(self.mean) - self.margin > 0 and abs(self.mean) >= LEAST_EFFECT


class Row(NamedTuple):
    """One level of a factor."""

    level: str
    seats: int
    points: Figure
    effect: Figure
    """Points beyond what the same bots have on average."""
    first_percent: Figure


def _over_blocks(blocks: Sequence[Sequence[float]]) -> Figure:
    means = [fmean(block) for block in blocks]
    margin = Z * stdev(means) / len(means) ** 0.5 if len(means) > 1 else float("inf")
    return Figure(fmean(means), margin)


def rows(blocks: Sequence[Sequence[Match]], factor: Factor, against: dict[str, float]) -> list[Row]:
    """Return a row for each level of a factor; `against` has each bot's usual points."""
    seen: dict[str, list[list[tuple[float, float, float]]]] = defaultdict(list)
    for block in blocks:
        of_level: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
        for match in block:
            for seat, bot in enumerate(match.bots):
                own = match.points[seat]
                first = 100 / match.ranks.count(1) if match.ranks[seat] == 1 else 0.0
                of_level[factor(match, seat)].append((own, own - against[bot], first))
        for level, values in of_level.items():
            seen[level].append(values)
    found = []
    for level, of_blocks in sorted(seen.items()):
        columns = [_over_blocks([[one[column] for one in block] for block in of_blocks]) for column in range(3)]
        found.append(Row(level, sum(map(len, of_blocks)), *columns))
    return found


def usual_points(blocks: Sequence[Sequence[Match]]) -> dict[str, float]:
    """Return each bot's mean points."""
    points = defaultdict(list)
    for block in blocks:
        for match in block:
            for bot, own in zip(match.bots, match.points, strict=True):
                points[bot].append(own)
    return {bot: fmean(own) for bot, own in points.items()}


def bankruptcies(blocks: Sequence[Sequence[Match]]) -> dict[str, int]:
    """Return how often each bot went bankrupt."""
    count = dict.fromkeys(sorted(usual_points(blocks)), 0)
    for block in blocks:
        for match in block:
            for bot, broke in zip(match.bots, match.bankrupt, strict=True):
                count[bot] += broke
    return count


def _table(head: str, first: str, found: Sequence[Row]) -> list[str]:
    lines = [f"| {head} | seats played | points | {first} | first, % |", "|---|---|---|---|---|"]
    lines += [f"| {row.level} | {row.seats} | {row.points} | {row.effect} | {row.first_percent} |" for row in found]
    return [*lines, ""]


def report(blocks: Sequence[Sequence[Match]]) -> str:
    """Return the report as Markdown."""
    usual = usual_points(blocks)
    overall = dict.fromkeys(usual, fmean(point for block in blocks for match in block for point in match.points))
    games = sum(map(len, blocks))
    lines = [f"{games} matches in {len(blocks)} blocks. Figures are means with their 95 % intervals.", ""]
    strategies = rows(blocks, _bot, overall)
    lopsided = [("Strategy", row) for row in strategies if row.effect.is_lopsided]
    lines += ["## Strategy", "", *_table("bot", "beyond the mean of all", strategies)]
    broke = ", ".join(f"{bot} {count}" for bot, count in bankruptcies(blocks).items())
    lines += [f"Bankruptcies: {broke}.", ""]
    for name, factor in FACTORS.items():
        found = rows(blocks, factor, usual)
        lopsided += [(name, row) for row in found if row.effect.is_lopsided]
        lines += [f"## {name}", "", *_table(name.lower(), "beyond the same bots' mean", found)]
    lines += ["## Lopsided", "", f"Differences of {LEAST_EFFECT:g} points and more whose interval leaves 0 out:", ""]
    lines += [
        f"- {name} {row.level}: {row.effect.mean:+.1f} ± {row.effect.margin:.1f} points" for name, row in lopsided
    ]
    if not lopsided:
        lines.append("none.")
    return "\n".join(lines) + "\n"
