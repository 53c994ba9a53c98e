"""The core of a match: what comes in, when, and what is to be done about it (design 4).

No trio, gRPC, clock or storage here. Each method of `MatchCore` is one input, with the time as an argument (seconds of
any monotonic clock), and returns the commands that follow from it (`commands.py`), to be carried out in their order.
`deadline()` says when `tick` is due. The states of a seat and their transitions are tables in `states.py`.

A match is a row of steps. A step asks all seats that the game says must act, all at once, and closes when none is
waited for any more. Until then no input changes the position, and nothing at all is told to anybody but the seat that
the input came from: so sealed answers stay sealed, and who has answered cannot be seen, nor read off the time, number
or size of messages. A step of one seat is the same thing with one seat.

A bot's slip never raises: it is refused, and costs a try or the decision. What raises is a bug of ours and voids the
match.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gavelport_engine.game import Trace

from gavelport_server.referee.codes import Code
from gavelport_server.referee.commands import Ask, Begin, Finish, Refuse, Tell, Unreadable
from gavelport_server.referee.report import MatchReport
from gavelport_server.referee.seat import Seat
from gavelport_server.referee.states import Duty, Happening, Presence, Sighting, TransitionError, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_engine.game import Checkpoint

    from gavelport_server.referee.commands import Command
    from gavelport_server.referee.report import FaultReason, MatchSetup, Played

TRIES = 3
"""Answers a decision: after so many that cannot be taken the default is played."""
MAX_FAULTS = 5
"""Faults a match: with so many the seat is retired."""
BACKLOG_EVENTS = 64
"""A seat that nothing is asked is told events once there are more than these, and never more in one message."""


class MatchCore:
    """One match from its first decision to its report. Inputs after the end are answered by no commands."""

    def __init__(self, setup: MatchSetup) -> None:
        self.setup = setup
        self._game = setup.game
        self.state = setup.game.initial_state(setup.options, setup.seed)
        """The position; an observation of it belongs to the commands of the latest input."""
        self.step = 0
        self.report: MatchReport | None = None
        self._seats = [Seat(number, setup.clock) for number in range(setup.game.seats(setup.options))]
        if len(self._seats) != len(setup.seats):
            raise ValueError(f"{len(setup.seats)} names for a game of {len(self._seats)} seats")
        self._acting: list[Seat] = []
        self._record: list[Played | Checkpoint] = []
        self.has_started = False
        """Whether `start` was given."""
        self._deadline_s = math.inf

    # -- inputs

    def start(self, now: float) -> list[Command]:
        """Begin the match. Seats that are not there are to be reported by `lost` or `gone` before."""
        if self.has_started:
            raise TransitionError("a match starts once")
        self.has_started = True
        commands: list[Command] = [Begin(seat.number) for seat in self._seats if seat.presence is Presence.HERE]
        self._happened(self._game.opening(self.setup.options, self.setup.seed))
        self._advance(now, commands)
        return commands

    def answer(
        self, seat: int, decision_id: int, action: object, note: str, now: float, arrived: float | None = None
    ) -> list[Command]:
        """Take what the seat answered, or refuse it. `action` is the game's typed action, or Unreadable.

        What is charged, and whether it is too late, goes by when the answer arrived (left out: now); the clocks of
        decisions that are asked in consequence start now, so that a busy server costs no bot its time.
        """
        commands: list[Command] = []
        if arrived is None:
            arrived = now
        if arrived >= self._deadline_s:
            self._expire(arrived, now, commands)
        if self.report is not None:
            return commands
        answering = self._seats[seat]
        verdict = answering.verdict(decision_id)
        if verdict is not Verdict.JUDGE:
            self._refuse_unasked(answering, decision_id, verdict, now, commands)
            return commands
        if isinstance(action, Unreadable):
            self._refuse(answering, "unreadable", action.code, action.sentence, arrived, commands)
        elif (fault := self._game.fault(self.state, seat, action)) is not None:
            self._refuse(answering, "illegal", fault.code, fault.sentence, arrived, commands)
        else:
            answering.take(self._game.turn(self.state), action, note, answering.clock.stop(arrived))
        if answering.duty is not Duty.ASKED:
            self._advance(now, commands)
        return commands

    def tick(self, now: float) -> list[Command]:
        """Play the default for every decision whose time is out."""
        commands: list[Command] = []
        if now >= self._deadline_s:
            self._expire(now, now, commands)
        return commands

    def lost(self, seat: int, now: float) -> list[Command]:
        """Take note that no messages reach the seat. Its clock runs on."""
        commands = self.tick(now)
        if self.report is None:
            self._seats[seat].sight(Sighting.LOST)
        return commands

    def back(self, seat: int, now: float, last_event: int = 0) -> list[Command]:
        """Tell a seat that came back the match, the events after `last_event`, the present, and its open decision."""
        commands = self.tick(now)
        if self.report is not None:
            return commands
        returning = self._seats[seat]
        returning.sight(Sighting.BACK)
        if not self.has_started:
            return commands
        commands.append(Begin(seat))
        if not 0 <= last_event <= len(returning.events):
            sentence = f"event {last_event} was never sent; all events follow from the first"
            commands.append(Refuse(seat, 0, Code.UNKNOWN_EVENT, sentence, 0, 0))
            last_event = 0
        returning.told = last_event
        self._tell(returning, commands, is_return=True)
        if returning.duty is Duty.ASKED:
            commands.append(self._ask(returning, returning.clock.left_ms(now)))
        return commands

    def gone(self, seat: int, now: float, why: str = "") -> list[Command]:
        """Take note that the seat's process has ended for good: its decisions are played by default at once.

        `why` says in words how it ended, for a first fault.
        """
        commands = self.tick(now)
        if self.report is not None:
            return commands
        leaving = self._seats[seat]
        leaving.sight(Sighting.LEFT)
        leaving.why_gone = why or leaving.why_gone
        if leaving.duty is Duty.ASKED:
            self._play_default(leaving, "disconnected", leaving.why_gone, leaving.clock.stop(now))
            self._advance(now, commands)
        return commands

    def asks(self, seat: int, decision_id: int) -> bool:
        """Return whether this decision of the seat is open."""
        return self._seats[seat].verdict(decision_id) is Verdict.JUDGE

    def presences(self) -> list[Presence]:
        """Return whether messages reach the bots, by seat."""
        return [seat.presence for seat in self._seats]

    @property
    def record(self) -> Sequence[Played | Checkpoint]:
        """What has taken effect so far, in order; sealed answers stand in it once they are revealed."""
        return self._record

    def deadline(self) -> float:
        """Return when `tick` is due, infinity where nothing is waited for."""
        return self._deadline_s

    # -- steps

    def _advance(self, now: float, commands: list[Command]) -> None:
        """Unless somebody is waited for: close the step and open others until somebody is, or the match is over."""
        for seat in self._acting:
            if seat.duty is Duty.ASKED:
                self._set_deadline()
                return
        is_waiting = False
        while not is_waiting:
            self._close()
            numbers = self._game.to_act(self.state)
            if not numbers:
                self._finish(commands)
                return
            is_waiting = self._open(numbers, now)
        for seat in self._seats:
            if len(seat.events) - seat.told > BACKLOG_EVENTS and seat.presence is Presence.HERE:
                self._tell(seat, commands)
        commands += [
            self._ask(seat, seat.clock.time_ms())
            for seat in self._acting
            if seat.duty is Duty.ASKED and seat.presence is Presence.HERE
        ]
        self._set_deadline()

    def _open(self, numbers: tuple[int, ...], now: float) -> bool:
        """Open a step for all who must act; return whether anybody is waited for."""
        self.step += 1
        is_waiting = False
        self._acting = [self._seats[number] for number in numbers]
        for seat in self._acting:
            seat.open(self._game.decision(self.state, seat.number), TRIES)
            if seat.duty is Duty.RETIRED:
                seat.play_retired(self._game.turn(self.state), self._game.default(self.state, seat.number))
                continue
            seat.clock.start(now)
            if seat.presence is Presence.GONE:
                self._play_default(seat, "disconnected", seat.why_gone, 0)
            else:
                is_waiting = True
        return is_waiting

    def _close(self) -> None:
        """Let the settled decisions of all who were asked take effect together, seats ascending in the record."""
        if not self._acting:
            return
        played = [seat.close() for seat in self._acting]
        self._record += played
        trace: Trace[Any] = Trace()
        self._game.apply_in_place(self.state, {each.seat: each.action for each in played}, trace)
        self._happened(trace)
        for seat in self._acting:
            if seat.duty is Duty.IDLE and seat.faults >= MAX_FAULTS:
                seat.happen(Happening.RETIRE)
        self._acting = []

    def _happened(self, trace: Trace[Any]) -> None:
        self._record += trace.checkpoints
        visible, events = self._game.visible, trace.events
        for seat in self._seats:
            number = seat.number
            seat.events += [seen for event in events if (seen := visible(event, number)) is not None]

    def _finish(self, commands: list[Command]) -> None:
        self._deadline_s = math.inf
        for seat in self._seats:
            if seat.presence is Presence.HERE and seat.told < len(seat.events):
                self._tell(seat, commands)
        retired = tuple(seat.number for seat in self._seats if seat.duty is Duty.RETIRED)
        self.report = MatchReport(
            setup=self.setup,
            record=tuple(self._record),
            outcome=self._game.outcome(self.state, retired),
            retired=retired,
            figures=tuple(seat.figures() for seat in self._seats),
        )
        commands.append(Finish(self.report))

    # -- one seat

    def _expire(self, at: float, now: float, commands: list[Command]) -> None:
        """Play the default for all whose time was out at an instant; go on from now."""
        for seat in self._acting:
            if seat.duty is not Duty.ASKED or not seat.clock.is_over(at):
                continue
            if seat.presence is Presence.HERE:
                why = f"no answer within {seat.clock.time_ms()} ms; the default was played"
                self._play_default(seat, "timeout", why, seat.clock.run_out())
                commands.append(Refuse(seat.number, seat.decision_id, Code.TIMEOUT, why, 0, 0))
            else:
                why = f"not connected within {seat.clock.time_ms()} ms"
                self._play_default(seat, "disconnected", why, seat.clock.run_out())
        self._advance(now, commands)

    def _refuse(
        self, seat: Seat, reason: FaultReason, code: str, sentence: str, now: float, commands: list[Command]
    ) -> None:
        """Refuse an answer to the open decision; with the last try gone, play the default."""
        seat.refuse()
        if seat.tries_left:
            seat.happen(Happening.REFUSE)
            left_ms = seat.clock.left_ms(now)
        else:
            self._play_default(seat, reason, f"{code}: {sentence}", seat.clock.stop(now))
            left_ms = 0
        if seat.presence is Presence.HERE:
            commands.append(Refuse(seat.number, seat.decision_id, code, sentence, seat.tries_left, left_ms))

    def _refuse_unasked(
        self, seat: Seat, decision_id: int, verdict: Verdict, now: float, commands: list[Command]
    ) -> None:
        """Refuse an answer to anything but the open decision; nothing changes."""
        if verdict is Verdict.RETIRED:
            code, sentence = Code.RETIRED, "the seat is retired; its decisions are no longer asked"
        elif verdict is Verdict.WRONG:
            code, sentence = Code.WRONG_DECISION, f"decision {decision_id} was never asked of this seat"
        elif decision_id in seat.defaulted:
            code, sentence = Code.TOO_LATE, f"the default was played for decision {decision_id}"
        else:
            code, sentence = Code.ALREADY_ANSWERED, f"decision {decision_id} was answered before"
        is_open = seat.duty is Duty.ASKED
        if seat.presence is Presence.HERE:
            left_ms = seat.clock.left_ms(now) if is_open else 0
            tries_left = seat.tries_left if is_open else 0
            commands.append(Refuse(seat.number, decision_id, code, sentence, tries_left, left_ms))

    def _play_default(self, seat: Seat, reason: FaultReason, why: str, charged_ms: int) -> None:
        turn, action = self._game.turn(self.state), self._game.default(self.state, seat.number)
        seat.play_default(turn, action, reason, why, charged_ms)

    def _ask(self, seat: Seat, time_ms: int) -> Ask:
        assert seat.decision is not None
        events, seat.told = seat.events[seat.told :], len(seat.events)
        return Ask(
            seat.number,
            seat.decision_id,
            self.step,
            seat.decision,
            time_ms,
            seat.clock.bank_ms,
            seat.last_charged_ms,
            events,
            seat.told,
        )

    def _tell(self, seat: Seat, commands: list[Command], *, is_return: bool = False) -> None:
        """Tell all that the seat was not told, in messages of bounded length; the last has the present on a return."""
        while True:
            events = seat.events[seat.told : seat.told + BACKLOG_EVENTS]
            seat.told += len(events)
            is_last = seat.told == len(seat.events)
            commands.append(Tell(seat.number, events, seat.told, self.step, is_return=is_return and is_last))
            if is_last:
                return

    def _set_deadline(self) -> None:
        deadline_s = math.inf
        for seat in self._acting:
            if seat.duty is Duty.ASKED and seat.clock.deadline_s < deadline_s:
                deadline_s = seat.clock.deadline_s
        self._deadline_s = deadline_s
