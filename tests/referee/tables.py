"""Matches of Toy for the tests: a core that is driven by hand, with a clock that is turned by hand."""

from __future__ import annotations

from typing import TypeVar

from gavelport_server.referee.commands import Ask, Command, Finish
from gavelport_server.referee.core import MatchCore
from gavelport_server.referee.report import ClockSetting, MatchReport, MatchSetup, SeatName
from gavelport_server.referee.states import Duty

from tests.referee.toy import TOY, Options

CLOCK = ClockSetting(bank_ms=10_000, increment_ms=100, cap_ms=2_000, allowance_ms=100)
FULL_S = 2.1
"""A whole decision's time, allowance included."""

C = TypeVar("C", bound=Command)


def setup(seats: int = 3, rounds: int = 4, clock: ClockSetting = CLOCK) -> MatchSetup:
    """A match of Toy."""
    names = tuple(SeatName(f"bot{seat}", "1") for seat in range(seats))
    return MatchSetup("toy-match", TOY, Options(seats, rounds), bytes(32), names, clock)


def of(kind: type[C], commands: list[Command], seat: int | None = None) -> list[C]:
    """The commands of one kind, to one seat where one is named."""
    return [c for c in commands if isinstance(c, kind) and (seat is None or getattr(c, "seat", None) == seat)]


class Table:
    """A core, what it asked last of each seat, and all that it told each seat."""

    def __init__(self, seats: int = 3, rounds: int = 4, clock: ClockSetting = CLOCK, *, start: bool = True) -> None:
        self.core = MatchCore(setup(seats, rounds, clock))
        self.now = 0.0
        self.asked: dict[int, Ask] = {}
        self.told: list[list[Command]] = [[] for _ in range(seats)]
        if start:
            self.take(self.core.start(self.now))

    def take(self, commands: list[Command]) -> list[Command]:
        """Book commands as a driver would carry them out."""
        for command in commands:
            if isinstance(command, Finish):
                self.asked.clear()
                continue
            self.told[command.seat].append(command)
            if isinstance(command, Ask):
                self.asked[command.seat] = command
        return commands

    def answer(self, seat: int, action: object = 1, decision_id: int | None = None, note: str = "") -> list[Command]:
        """Answer the seat's open decision, or one named."""
        number = self.asked[seat].decision_id if decision_id is None else decision_id
        return self.take(self.core.answer(seat, number, action, note, self.now))

    def wait(self, seconds: float) -> list[Command]:
        """Let time pass, with a tick at its end."""
        self.now += seconds
        return self.take(self.core.tick(self.now))

    def open(self) -> list[int]:
        """The seats with an open decision."""
        return [seat.number for seat in self.core._seats if seat.duty is Duty.ASKED]

    def retire(self, seat: int) -> None:
        """Let a seat run into its time until it is retired, while the others answer."""
        while self.core._seats[seat].duty is not Duty.RETIRED:
            for other in self.open():
                if other != seat:
                    self.answer(other)
            if seat in self.open():
                self.wait(FULL_S)

    def play_out(self) -> MatchReport:
        """Answer everything that is open until the match is over."""
        while self.core.report is None:
            for seat in self.open():
                self.answer(seat)
        return self.core.report
