"""What a check of a bot has found: what, where, and the remedy."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HEAD_LINES, TAIL_LINES = 6, 4
"""So much is kept of what a bot printed: the first lines, and of more the last."""


class Verdict(enum.StrEnum):
    """How a check went."""

    PASSED = "passed"
    WARNING = "warning"
    """Not as it should be, but a server takes the bot."""
    FAILED = "failed"
    LEFT_OUT = "left_out"
    """Not looked at, because of what failed before."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of a check."""

    check: str
    """What was looked at."""
    verdict: Verdict
    what: str
    """What was found."""
    where: str = ""
    remedy: str = ""
    printed: tuple[str, ...] = ()
    """What the bot printed meanwhile, where that may explain it."""


def shortened(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the first lines and, where there are more, the last ones."""
    if len(lines) <= HEAD_LINES + TAIL_LINES + 2:
        return tuple(lines)
    left_out = len(lines) - HEAD_LINES - TAIL_LINES
    return (*lines[:HEAD_LINES], f"… {left_out} lines …", *lines[-TAIL_LINES:])
