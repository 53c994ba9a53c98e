"""A seat's clock: bank, increment, cap and network allowance (design 4).

Pure: the time is an argument, in seconds of any monotonic clock. What is counted and recorded is whole milliseconds;
parts of a millisecond are never charged.

For each decision the increment is added to the bank. The bot may then spend min(cap, bank), and beyond that the
allowance, which is the network's: of the time that passed, the allowance is taken off before the rest is charged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gavelport_server.referee.report import ClockSetting


class SeatClock:
    """The clock of one seat over one match: started with each decision, stopped when that is settled."""

    __slots__ = ("_setting", "_started_s", "bank_ms", "deadline_s", "limit_ms")

    def __init__(self, setting: ClockSetting) -> None:
        self._setting = setting
        self._started_s = 0.0
        self.bank_ms = setting.bank_ms
        self.limit_ms = 0
        """The most that the running decision can be charged."""
        self.deadline_s = 0.0
        """When the default is played for the running decision."""

    def start(self, now: float) -> None:
        """Begin a decision: add the increment and set limit and deadline."""
        setting = self._setting
        self.bank_ms += setting.increment_ms
        self.limit_ms = min(setting.cap_ms, self.bank_ms)
        self._started_s = now
        self.deadline_s = now + (self.limit_ms + setting.allowance_ms) / 1000

    def is_over(self, now: float) -> bool:
        """Return whether the running decision's time is out; an answer at the very deadline is late."""
        return now >= self.deadline_s

    def left_ms(self, now: float) -> int:
        """Return how long until the default is played, allowance included, rounded down."""
        return max(0, int((self.deadline_s - now) * 1000))

    def time_ms(self) -> int:
        """Return the whole time of the running decision, allowance included."""
        return self.limit_ms + self._setting.allowance_ms

    def stop(self, now: float) -> int:
        """End the decision and return what it is charged: 0 up to the limit."""
        elapsed_ms = int((now - self._started_s) * 1000)
        charged_ms = min(self.limit_ms, max(0, elapsed_ms - self._setting.allowance_ms))
        self.bank_ms -= charged_ms
        return charged_ms

    def run_out(self) -> int:
        """End the decision as one whose time is out and return the charge: all of the limit."""
        self.bank_ms -= self.limit_ms
        return self.limit_ms
