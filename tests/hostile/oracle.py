"""A second referee, small and slow, that says what each seat must be told: messages whole, to the last number.

It was written from the protocol (`docs/protocol.md`) and shares with the real one the engine and the codecs alone. It
plays whatever the real one is given, and `said` collects, by seat, what must have been sent: without sentences, which
are for people.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gavelport.v1 import game_pb2
from gavelport.v1 import referee_pb2 as pb
from gavelport_codecs.errors import CodecError
from gavelport_codecs.registry import codec_for
from gavelport_engine.game import Trace
from gavelport_engine.rng import commitment

if TYPE_CHECKING:
    from gavelport_server.referee.report import MatchSetup

TRIES = 3
MAX_FAULTS = 5
MOST_UNTOLD = 64
MAX_NOTE_BYTES = 1024


@dataclass
class Place:
    """One seat as the oracle sees it."""

    bank_ms: int
    is_here: bool = True
    is_gone: bool = False
    is_retired: bool = False
    is_asked: bool = False
    asked: int = 0
    tries: int = 0
    started: float = 0.0
    limit_ms: int = 0
    deadline: float = 0.0
    charged_ms: int = 0
    charges_ms: list[int] = field(default_factory=list)
    faults: int = 0
    refusals: int = 0
    by_default: set[int] = field(default_factory=set)
    settled: tuple[Any, int, str | None, str] | None = None
    events: list[game_pb2.GameEvent] = field(default_factory=list)
    told: int = 0
    events_only: bool = False


class Oracle:
    """What must happen in one match."""

    def __init__(self, setup: MatchSetup, now: float) -> None:
        self.setup = setup
        self.game = setup.game
        self.codec = codec_for(setup.game.id)
        self.state = setup.game.initial_state(setup.options, setup.seed)
        self.seats = [Place(setup.clock.bank_ms) for _ in setup.seats]
        self.said: list[list[pb.PlayResponse]] = [[] for _ in setup.seats]
        self.is_over = False
        self.end = pb.PlayResponse()
        self.acting: tuple[int, ...] = ()
        self.sealed = False
        self.record: list[tuple[int, int, Any, int, str | None, str]] = []
        """Turn, seat, action, charge, fault, note."""
        self._now = now

    # -- inputs

    def start(self) -> None:
        """Begin; seats that are away or gone are marked so beforehand."""
        for seat, place in enumerate(self.seats):
            if place.is_here:
                self._begin(seat)
        self._heard(self.game.opening(self.setup.options, self.setup.seed))
        self._go_on()

    def answer(self, seat: int, answer: pb.Answer, now: float) -> bool:
        """Judge an answer; return whether it was one to an open decision."""
        if self.is_over:
            return False
        place = self.seats[seat]
        was_open = place.is_asked and answer.decision_id == place.asked
        if self.wait(now):
            return was_open
        if place.is_retired:
            self._refuse(seat, answer.decision_id, "retired")
        elif not 0 < answer.decision_id <= place.asked:
            self._refuse(seat, answer.decision_id, "wrong_decision")
        elif place.is_asked and answer.decision_id == place.asked:
            self._judge(seat, answer)
        elif answer.decision_id in place.by_default:
            self._refuse(seat, answer.decision_id, "too_late")
        else:
            self._refuse(seat, answer.decision_id, "already_answered")
        return was_open

    def wait(self, now: float) -> bool:
        """Let time pass; return whether the match is over.

        Defaults are played for whoever is out of time; what follows is asked from now on.
        """
        self._now = now
        late = [seat for seat in self.acting if self.seats[seat].is_asked and now >= self.seats[seat].deadline]
        for seat in late:
            place = self.seats[seat]
            self._default(seat, "timeout" if place.is_here else "disconnected", place.limit_ms)
            if place.is_here:
                self._say(seat, refused=pb.Refused(decision_id=place.asked, code="timeout"))
        if late:
            self._go_on()
        return self.is_over

    def lose(self, seat: int, now: float) -> None:
        """The seat's stream is gone."""
        if not self.is_over:
            self.wait(now)
        self.seats[seat].is_here = False

    def come_back(self, seat: int, now: float, seen: int) -> None:
        """The seat has a new stream, and has seen so many events."""
        place = self.seats[seat]
        if self.is_over or self.wait(now):
            return
        place.is_here = True
        self._begin(seat)
        if seen > len(place.events):
            self._say(seat, refused=pb.Refused(code="unknown_event"))
            seen = 0
        place.told = seen
        self._tell(seat, is_return=True)
        if place.is_asked:
            self._ask(seat, self._left_ms(place))

    def leave(self, seat: int, now: float) -> None:
        """The seat's process has ended."""
        if self.is_over or self.wait(now):
            return
        place = self.seats[seat]
        place.is_here, place.is_gone = False, True
        if place.is_asked:
            self._default(seat, "disconnected", self._elapsed_ms(place))
            self._go_on()

    def deadline(self) -> float | None:
        """When the next default is due."""
        if self.is_over:
            return None
        return min((self.seats[seat].deadline for seat in self.acting if self.seats[seat].is_asked), default=None)

    # -- one answer

    def _judge(self, seat: int, answer: pb.Answer) -> None:
        code, fault, action = "", "unreadable", None
        if len(answer.note.encode()) > MAX_NOTE_BYTES:
            code = "note_too_long"
        elif not answer.HasField("action"):
            code = "unreadable"
        else:
            try:
                action = self.codec.decode_action(answer.action)
            except CodecError:
                code = "unreadable"
            else:
                found = self.game.fault(self.state, seat, action)
                if found is not None:
                    code, fault = found.code, "illegal"
        place = self.seats[seat]
        if not code:
            self._settle(seat, action, self._elapsed_ms(place), None, answer.note)
            self._go_on()
            return
        place.tries -= 1
        place.refusals += 1
        if place.tries:
            self._refuse(seat, answer.decision_id, code)
            return
        self._default(seat, fault, self._elapsed_ms(place))
        self._refuse(seat, answer.decision_id, code, is_closed=True)
        self._go_on()

    def _refuse(self, seat: int, decision_id: int, code: str, *, is_closed: bool = False) -> None:
        place = self.seats[seat]
        is_open = place.is_asked and not is_closed
        tries, left = (place.tries, self._left_ms(place)) if is_open else (0, 0)
        self._say(seat, refused=pb.Refused(decision_id=decision_id, code=code, tries_left=tries, time_ms=left))

    def _default(self, seat: int, fault: str, charged_ms: int) -> None:
        place = self.seats[seat]
        place.faults += 1
        place.by_default.add(place.asked)
        self._settle(seat, self.game.default(self.state, seat), charged_ms, fault, "")

    def _settle(self, seat: int, action: Any, charged_ms: int, fault: str | None, note: str) -> None:
        place = self.seats[seat]
        place.is_asked = False
        place.bank_ms -= charged_ms
        place.charged_ms = charged_ms
        place.charges_ms.append(charged_ms)
        place.settled = (action, charged_ms, fault, note)

    def _elapsed_ms(self, place: Place) -> int:
        passed = int((self._now - place.started) * 1000) - self.setup.clock.allowance_ms
        return min(place.limit_ms, max(0, passed))

    def _left_ms(self, place: Place) -> int:
        return max(0, int((place.deadline - self._now) * 1000))

    # -- steps

    def _go_on(self) -> None:
        if any(self.seats[seat].is_asked for seat in self.acting):
            return
        while not any(self.seats[seat].is_asked for seat in self.acting):
            self._close()
            self.acting = self.game.to_act(self.state)
            if not self.acting:
                self._end()
                return
            self._open()
        for seat, place in enumerate(self.seats):
            if place.is_here and len(place.events) - place.told > MOST_UNTOLD:
                self._tell(seat)
        for seat in self.acting:
            if self.seats[seat].is_here and self.seats[seat].is_asked:
                self._ask(seat, self.seats[seat].limit_ms + self.setup.clock.allowance_ms)

    def _open(self) -> None:
        clock = self.setup.clock
        for seat in self.acting:
            place = self.seats[seat]
            self.sealed = self.game.decision(self.state, seat).sealed
            if place.is_retired:
                place.settled = (self.game.default(self.state, seat), 0, "retired", "")
                continue
            place.is_asked = True
            place.asked += 1
            place.tries = TRIES
            place.bank_ms += clock.increment_ms
            place.limit_ms = min(clock.cap_ms, place.bank_ms)
            place.started = self._now
            place.deadline = self._now + (place.limit_ms + clock.allowance_ms) / 1000
            if place.is_gone:
                self._default(seat, "disconnected", 0)

    def _close(self) -> None:
        actions = {}
        turn = self.game.turn(self.state)
        for seat in self.acting:
            place = self.seats[seat]
            assert place.settled is not None
            action, charged_ms, fault, note = place.settled
            actions[seat] = action
            self.record.append((turn, seat, action, charged_ms, fault, note))
            place.settled = None
            place.is_retired = place.faults >= MAX_FAULTS
        if actions:
            trace = Trace[Any]()
            self.game.apply_in_place(self.state, actions, trace)
            self._heard(trace)

    def _heard(self, trace: Trace[Any]) -> None:
        for event in trace.events:
            for seat, place in enumerate(self.seats):
                seen = self.game.visible(event, seat)
                if seen is not None:
                    place.events.append(game_pb2.GameEvent.FromString(self.codec.event(seen)))

    def _end(self) -> None:
        self.is_over = True
        retired = tuple(seat for seat, place in enumerate(self.seats) if place.is_retired)
        outcome = self.game.outcome(self.state, retired)
        end = pb.MatchEnd(
            end=outcome.end,
            ranks=outcome.ranks,
            totals=outcome.totals,
            terminations=[
                pb.TERMINATION_RETIRED if place.is_retired else pb.TERMINATION_NORMAL for place in self.seats
            ],
            match_id=self.setup.match_id,
        )
        self.end = pb.PlayResponse(match_end=end)
        for seat, place in enumerate(self.seats):
            if place.is_here:
                if place.told < len(place.events):
                    self._tell(seat)
                self._say(seat, match_end=end)

    # -- messages

    def _say(self, seat: int, **message: Any) -> None:
        response = pb.PlayResponse(**message)
        getattr(response, next(iter(message))).match_id = self.setup.match_id
        self.said[seat].append(response)

    def _begin(self, seat: int) -> None:
        setup, clock = self.setup, self.setup.clock
        beginning = self.game.initial_state(setup.options, setup.seed)
        start = pb.MatchStart(
            game=setup.game.id,
            options=self.codec.options(setup.options),
            seat=seat,
            seats=[pb.Seat(bot=name.bot, version=name.version) for name in setup.seats],
            clock=pb.Clock(
                bank_ms=clock.bank_ms,
                increment_ms=clock.increment_ms,
                cap_ms=clock.cap_ms,
                allowance_ms=clock.allowance_ms,
            ),
            commitment=commitment(setup.seed, setup.match_id),
            deal=self.codec.deal(beginning, seat),
        )
        self._say(seat, match_start=start)

    def _observation(self, seat: int) -> game_pb2.GameObservation:
        return game_pb2.GameObservation.FromString(self.codec.observed(self.codec.public(self.state), self.state, seat))

    def _tell(self, seat: int, *, is_return: bool = False) -> None:
        place = self.seats[seat]
        while True:
            part = place.events[place.told : place.told + MOST_UNTOLD]
            place.told += len(part)
            events = pb.Events(events=part, last_event=place.told)
            is_last = place.told == len(place.events)
            if is_return and is_last:
                events.observation.CopyFrom(self._observation(seat))
            self._say(seat, events=events)
            if is_last:
                return

    def _ask(self, seat: int, time_ms: int) -> None:
        place = self.seats[seat]
        asked = self.game.decision(self.state, seat)
        decision = pb.Decision(
            decision_id=place.asked,
            phase=asked.phase,
            kinds=asked.space.kinds(),
            sealed=asked.sealed,
            time_ms=time_ms,
            bank_ms=place.bank_ms,
            charged_ms=place.charged_ms,
            events=place.events[place.told :],
            last_event=len(place.events),
        )
        if not place.events_only:
            decision.observation.CopyFrom(self._observation(seat))
        place.told = len(place.events)
        self._say(seat, decision=decision)
