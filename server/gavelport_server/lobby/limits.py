"""How often somebody may call: token buckets, pure; the time is an argument."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable

_MOST_KEYS = 10_000
"""Buckets that are kept; when there are more, those that are full again are forgotten now and then."""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many at once, and so many a second for long."""

    burst: float
    per_s: float


class Buckets:
    """A bucket for each key, full at first."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._most = _MOST_KEYS
        self._left: dict[Hashable, tuple[float, float]] = {}
        """What is left in each bucket, and when that was."""

    def take(self, key: Hashable, now: float) -> float:
        """Take one out of a bucket and return 0; or return after how many seconds there will be one, taking none."""
        wait_s = self.wait(key, now)
        if wait_s:
            return wait_s
        self._left[key] = (self._now_left(key, now) - 1, now)
        if len(self._left) > self._most:
            self._left = {
                each: kept for each, kept in self._left.items() if self._now_left(each, now) < self._rate.burst
            }
            self._most = max(_MOST_KEYS, 2 * len(self._left))  # so that a call costs the same, however many call
        return 0.0

    def wait(self, key: Hashable, now: float) -> float:
        """Return after how many seconds there will be one in a bucket; 0 where there is."""
        return max(0.0, (1 - self._now_left(key, now)) / self._rate.per_s)

    def _now_left(self, key: Hashable, now: float) -> float:
        left, since = self._left.get(key, (self._rate.burst, now))
        return min(self._rate.burst, left + (now - since) * self._rate.per_s)
