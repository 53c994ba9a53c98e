"""Figures for people: numbers in print, and where bars begin and end on a common axis."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NONE = "–"
WIDTH = 100.0
"""Of every drawing of a bar, in its own units."""
FEW_MEETINGS = 12
"""A share of fewer meetings gets no shade."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A range of values, drawn from 0 to WIDTH."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Return where the value is drawn, within the drawing."""
        share = (value - self.low) / (self.high - self.low)
        return round(WIDTH * min(1.0, max(0.0, share)), 2)

    def holds(self, value: float) -> bool:
        """Return whether the value is on the axis."""
        return self.low <= value <= self.high


def axis(values: Iterable[float], step: float = 50.0) -> Axis:
    """Return an axis of round ends around values; one step to each side where there is but one value, or none."""
    found = sorted(values)
    low = math.floor((found[0] if found else 1500.0) / step) * step
    high = math.ceil((found[-1] if found else 1500.0) / step) * step
    if high <= low:
        low, high = low - step, high + step
    return Axis(low, high)


def minus(value: float, decimals: int = 0) -> str:
    """Return a number with thousands apart and the minus sign of print."""
    text = f"{value:,.{decimals}f}"
    return (text[1:] if float(text.replace(",", "")) == 0 and text.startswith("-") else text).replace("-", "−")


def rating(value: float) -> str:
    """Return a rating, which has no thousands to set apart."""
    return f"{value:.0f}".replace("-", "−")


def amount(total: float, unit: str, decimals: int = 0) -> str:
    """Return a result in a game's unit: "$65", "−$3", "140"."""
    text = minus(total, decimals)
    if unit != "money":
        return text
    return f"−${text[1:]}" if text.startswith("−") else f"${text}"


def signed(value: float, decimals: int = 0) -> str:
    """Return a change, with its sign."""
    text = minus(value, decimals)
    return text if text.startswith("−") else f"+{text}"


def percent(share: float | None) -> str:
    """Return a share in per cent, without the sign."""
    if share is None:
        return NONE
    figure = 100 * share
    return "<1" if 0 < figure < 0.5 else ">99" if 99.5 < figure < 100 else f"{figure:.0f}"


def heat(share: float, meetings: int) -> str:
    """Return the class that shades a share: h-5 (rust) to h5 (blue), without a shade for few meetings."""
    if meetings < FEW_MEETINGS:
        return "few"
    return f"h{round((share - 0.5) * 10):d}"


def wilson(share: float, matches: int) -> tuple[float, float]:
    """Return the 95 % score interval of a share (Wilson 1927)."""
    z = 1.96
    middle = share + z * z / (2 * matches)
    spread = z * math.sqrt(share * (1 - share) / matches + z * z / (4 * matches * matches))
    bottom = 1 + z * z / matches
    return max(0.0, (middle - spread) / bottom), min(1.0, (middle + spread) / bottom)


def stretches(counts: Sequence[int]) -> list[tuple[float, float]]:
    """Return begin and width of each count's part of a bar."""
    total = sum(counts)
    found, begin = [], 0.0
    for count in counts:
        width = WIDTH * count / total if total else 0.0
        found.append((round(begin, 2), round(width, 2)))
        begin += width
    return found


def polyline(values: Sequence[float], width: float, height: float, most: int = 80) -> str:
    """Return the points of a small curve, at most so many, that fills width and height."""
    if len(values) < 2:
        return ""
    step = max(1, math.ceil(len(values) / most))
    kept = [*values[::step], values[-1]] if (len(values) - 1) % step else list(values[::step])
    low, high = min(kept), max(kept)
    spread = (high - low) or 1.0
    return " ".join(
        f"{width * place / (len(kept) - 1):.1f},{height - height * (value - low) / spread:.1f}"
        for place, value in enumerate(kept)
    )
