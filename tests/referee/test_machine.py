"""Whatever bots do, in whatever order, a match keeps its promises and comes to its end."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from gavelport_engine.game import Checkpoint
from gavelport_server.referee.commands import Ask, Begin, Command, Finish, Refuse, Tell, Unreadable
from gavelport_server.referee.core import BACKLOG_EVENTS, MAX_FAULTS, TRIES, MatchCore
from gavelport_server.referee.report import ClockSetting, FaultReason, Played
from gavelport_server.referee.seat import Seat
from gavelport_server.referee.states import Duty, Presence
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.referee.tables import setup
from tests.referee.toy import TOY

SEATS = 3
seats = st.integers(0, SEATS - 1)


class Match(RuleBasedStateMachine):
    """A match, and beside it what an onlooker expects of each seat."""

    kind = MatchCore

    def __init__(self) -> None:
        super().__init__()
        self.has_begun = False

    @initialize(
        rounds=st.integers(1, 12),
        bank_ms=st.integers(0, 5_000),
        cap_ms=st.integers(1, 3_000),
        allowance_ms=st.integers(0, 200),
    )
    def begin(self, rounds: int, bank_ms: int, cap_ms: int, allowance_ms: int) -> None:
        clock = ClockSetting(bank_ms, 50, cap_ms, allowance_ms)
        self.has_begun = True
        self.core = self.kind(setup(SEATS, rounds, clock))
        self.now = 0.0
        self.here = [True] * SEATS
        self.gone = [False] * SEATS
        self.heard: list[list[object]] = [[] for _ in range(SEATS)]
        self.ids = [0] * SEATS
        self.tries = [0] * SEATS
        self.finished = 0
        self.carry_out(self.core.start(0.0))

    def carry_out(self, commands: list[Command]) -> None:
        for command in commands:
            if isinstance(command, Finish):
                self.finished += 1
                assert command is commands[-1]
                continue
            assert self.here[command.seat], "nothing is said to a seat that is away"
            if isinstance(command, Begin):
                self.heard[command.seat] = []
            elif isinstance(command, Ask):
                assert command.decision_id >= self.ids[command.seat]  # some were missed while the seat was away
                self.ids[command.seat] = command.decision_id
                assert command.time_ms >= 0
                assert command.bank_ms >= 0
                assert len(command.events) <= BACKLOG_EVENTS
            elif isinstance(command, Refuse):
                assert 0 <= command.tries_left < TRIES or command.time_ms > 0
            if isinstance(command, Ask | Tell):
                self.heard[command.seat] += command.events
                assert command.last_event == len(self.heard[command.seat])

    def present(self, seat: int) -> bool:
        return self.here[seat] and not self.gone[seat]

    @precondition(lambda self: self.finished == 0)
    @rule(seat=seats, action=st.one_of(st.integers(-1, 11), st.text(max_size=2)), later=st.floats(0, 0.5))
    def answer_the_open_decision(self, seat: int, action: object, later: float) -> None:
        self.now += later
        if self.present(seat):
            self.carry_out(self.core.answer(seat, self.core._seats[seat].decision_id, action, "", self.now))

    @rule(seat=seats, decision_id=st.integers(-1, 30), action=st.integers(0, 9))
    def answer_another_decision(self, seat: int, decision_id: int, action: int) -> None:
        if not self.present(seat) or self.core.asks(seat, decision_id):
            return
        overdue = self.now >= self.core.deadline()
        before = TOY.to_notation(self.core.state), len(self.core._record)
        commands = self.core.answer(seat, decision_id, action, "", self.now)
        if not overdue:
            assert (TOY.to_notation(self.core.state), len(self.core._record)) == before
            assert all(isinstance(command, Refuse) for command in commands)
        self.carry_out(commands)

    @rule(seat=seats)
    def answer_unreadably(self, seat: int) -> None:
        if self.present(seat):
            junk = Unreadable("unreadable", "junk")
            self.carry_out(self.core.answer(seat, self.core._seats[seat].decision_id, junk, "", self.now))

    @rule(seconds=st.floats(0, 4))
    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.carry_out(self.core.tick(self.now))
        assert self.core.deadline() > self.now

    @rule(seat=seats)
    def lose(self, seat: int) -> None:
        if self.present(seat):
            commands = self.core.lost(seat, self.now)
            self.carry_out(commands)
            self.here[seat] = False

    @rule(seat=seats, seen=st.integers(-1, 40))
    def come_back(self, seat: int, seen: int) -> None:
        self.carry_out(self.core.tick(self.now))
        if self.gone[seat] or self.finished:
            return
        self.here[seat] = True
        commands = self.core.back(seat, self.now, seen)
        assert commands[0] == Begin(seat)
        known = seen if 0 <= seen <= len(self.core._seats[seat].events) else 0
        self.heard[seat] = self.core._seats[seat].events[:known]
        self.carry_out(commands[1:])
        assert self.heard[seat] == self.core._seats[seat].events, "a seat that is back has missed nothing"

    @rule(seat=seats)
    def leave(self, seat: int) -> None:
        if self.gone[seat]:
            return
        commands = self.core.gone(seat, self.now)
        self.here[seat] = False
        self.gone[seat] = True
        self.carry_out([c for c in commands if isinstance(c, Finish) or c.seat != seat])

    @invariant()
    def the_match_is_over_once_and_only_then(self) -> None:
        assert self.finished == (self.core.report is not None)
        assert (self.core.deadline() == math.inf) == bool(self.finished)

    @invariant()
    def somebody_is_waited_for_until_the_end(self) -> None:
        asked = [seat for seat in self.core._seats if seat.duty is Duty.ASKED]
        assert bool(asked) == (not self.finished)
        assert {seat.number for seat in asked} <= set(TOY.to_act(self.core.state))
        assert all(seat.presence is not Presence.GONE for seat in asked)

    @invariant()
    def clocks_never_run_below_zero(self) -> None:
        for seat in self.core._seats:
            assert seat.clock.bank_ms >= 0
            assert 0 <= seat.tries_left <= TRIES

    @invariant()
    def the_record_is_a_match_by_the_rules(self) -> None:
        state = TOY.initial_state(self.core.setup.options, self.core.setup.seed)
        faults = [0] * SEATS
        for one in self.core._record:
            if isinstance(one, Checkpoint):
                assert one.fingerprint == TOY.fingerprint(state)
                continue
            assert isinstance(one, Played)
            assert one.seat in TOY.to_act(state)
            if one.fault is not None:
                assert one.action == TOY.default(state, one.seat)
                faults[one.seat] += one.fault != "retired"
                assert (one.fault == "retired") <= (faults[one.seat] == MAX_FAULTS)
            TOY.apply_in_place(state, {one.seat: one.action}, None)
        assert all(count <= MAX_FAULTS for count in faults)
        assert TOY.to_notation(state) == TOY.to_notation(self.core.state)

    @invariant()
    def sealed_answers_stand_together_seats_ascending(self) -> None:
        rows = [(one.turn, one.phase == "guess", one.seat) for one in self.core._record if isinstance(one, Played)]
        assert rows == sorted(rows)

    def teardown(self) -> None:
        """Time alone brings every match to its end."""
        if not self.has_begun:
            return
        for _ in range(1000):
            if self.core.report is not None:
                break
            self.now = self.core.deadline()
            self.carry_out(self.core.tick(self.now))
        assert self.core.report is not None
        for seat, figures in enumerate(self.core.report.figures):
            faults = sum(count for _, count in figures.faults)
            assert (seat in self.core.report.retired) == (faults == MAX_FAULTS)
            assert bool(figures.first_fault) == bool(faults)
            if self.present(seat):
                assert self.heard[seat] == self.core._seats[seat].events


TestMatch = Match.TestCase
TestMatch.settings = settings(max_examples=50, stateful_step_count=40, deadline=None, derandomize=True)


# -- planted faults, which the machine must find


class TakesTwice(MatchCore):
    """A second answer to a sealed decision replaces the first."""

    def answer(
        self, seat: int, decision_id: int, action: object, note: str, now: float, arrived: float | None = None
    ) -> list[Command]:
        mine = self._seats[seat]
        is_legal = self._game.fault(self.state, seat, action) is None
        if mine.settled is not None and mine.settled.fault is None and is_legal:
            mine.settled = mine.settled._replace(action=action)
            self._record.append(mine.settled)
        return super().answer(seat, decision_id, action, note, now, arrived)


class Forgetful(MatchCore):
    """A seat that returns is not told the last event that it missed."""

    def back(self, seat: int, now: float, last_event: int = 0) -> list[Command]:
        commands = super().back(seat, now, last_event)
        return [replace(c, events=c.events[:-1]) if isinstance(c, Tell) else c for c in commands]


class Merciful(MatchCore):
    """A time that is out is counted as no fault."""

    def _play_default(self, seat: Seat, reason: FaultReason, why: str, charged_ms: int) -> None:
        super()._play_default(seat, reason, why, charged_ms)
        if reason == "timeout":
            seat._fault_counts[reason] -= 1


class Chatty(MatchCore):
    """A seat that is away is spoken to."""

    def lost(self, seat: int, now: float) -> list[Command]:
        return [*super().lost(seat, now), *(super().back(seat, now) if self.report is None else [])]


@pytest.mark.parametrize("fault", [TakesTwice, Forgetful, Merciful, Chatty])
def test_a_planted_fault_is_found(fault: type[MatchCore]) -> None:
    planted = type("Planted", (Match,), {"kind": fault})
    quick = settings(TestMatch.settings, max_examples=200, phases=[Phase.generate], database=None)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(planted, settings=quick)
