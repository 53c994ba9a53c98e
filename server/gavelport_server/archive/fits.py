"""A ladder's ratings by the whole history, as they are kept in a data folder: `fits/<identity>.json`.

They can be computed again at any time, so a file that cannot be read counts as none.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "fits"
LEADERS = 30
"""Of so many, by rating, the file says who beats whom."""


@dataclass(frozen=True, slots=True)
class BotFit:
    """What a fit says of a bot, by the matches of its version of today."""

    bot: str
    version: str
    rating: float
    low: float
    high: float
    rank_low: int
    rank_high: int
    """Best and worst place that the results leave open."""
    matches: int


@dataclass(frozen=True, slots=True)
class LadderFit:
    """A fit of a ladder. All intervals are at 95 %."""

    fitted_at: str
    """ISO 8601, UTC."""
    matches: int
    """From how many; those that count no more are left out."""
    repetitions: int
    seconds: float
    bots: tuple[BotFit, ...]
    """The best by rating first. Those that were away for long, and those with fewer than two matches, are left out."""
    leaders: tuple[str, ...]
    beats: tuple[tuple[float, ...], ...]
    """`beats[i][j]`: how likely leader i comes before leader j in a match."""
    spans: tuple[tuple[tuple[float, float], ...], ...]
    """`spans[i][j]`: the interval of that."""

    def of(self, bot: str) -> BotFit | None:
        """Return what the fit says of a bot, or None."""
        return next((one for one in self.bots if one.bot == bot), None)

    def chance(self, bot: str, other: str) -> float:
        """Return how likely a bot comes before another; 0 where the fit does not say."""
        if bot not in self.leaders or other not in self.leaders:
            return 0.0
        return self.beats[self.leaders.index(bot)][self.leaders.index(other)]

    def span(self, bot: str, other: str) -> tuple[float, float]:
        """Return the interval of that chance, of two leaders. Raises ValueError for others."""
        return self.spans[self.leaders.index(bot)][self.leaders.index(other)]


def fit_path(data: Path, identity: str) -> Path:
    """Return where a ladder's fit is, or would be."""
    return data / FOLDER / f"{identity}.json"


def write_fit(data: Path, identity: str, fit: LadderFit) -> None:
    """Put a fit in place of the one before; a reader sees the one or the other. Raises OSError."""
    path = fit_path(data, identity)
    path.parent.mkdir(exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(json.dumps(asdict(fit)), "utf-8")
    os.replace(new, path)  # noqa: PTH105  named after what it does


def read_fit(data: Path, identity: str) -> LadderFit | None:
    """Return a ladder's fit, or None where there is none yet."""
    try:
        said = json.loads(fit_path(data, identity).read_text("utf-8"))
        return LadderFit(
            **said
            | {
                "bots": tuple(BotFit(**one) for one in said["bots"]),
                "leaders": tuple(said["leaders"]),
                "beats": tuple(map(tuple, said["beats"])),
                "spans": tuple(tuple(map(tuple, row)) for row in said["spans"]),
            }
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
