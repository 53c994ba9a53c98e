"""The referee's commands as bytes of PlayResponse.

What is sent for every answer is spliced: events are serialised once each, the public part of the position once a step,
and only what differs from seat to seat is built anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gavelport.v1 import referee_pb2 as pb
from gavelport_codecs.splice import field
from gavelport_engine.rng import commitment

if TYPE_CHECKING:
    from gavelport_codecs.codec import Codec

    from gavelport_server.referee.commands import Ask, Refuse, Tell
    from gavelport_server.referee.report import MatchReport, MatchSetup


def _number(message: str, name: str) -> int:
    return int(pb.DESCRIPTOR.message_types_by_name[message].fields_by_name[name].number)


_DECISION = _number("PlayResponse", "decision")
_EVENTS = _number("PlayResponse", "events")
_DECISION_EVENTS = _number("Decision", "events")
_DECISION_OBSERVATION = _number("Decision", "observation")
_EVENTS_EVENTS = _number("Events", "events")
_EVENTS_OBSERVATION = _number("Events", "observation")


def match_start(setup: MatchSetup, codec: Codec, state: Any, seat: int) -> bytes:
    """Return the MatchStart of one seat; `state` is the position at the beginning."""
    clock = setup.clock
    message = pb.MatchStart(
        match_id=setup.match_id,
        game=setup.game.id,
        options=codec.options(setup.options),
        seat=seat,
        seats=[pb.Seat(bot=name.bot, version=name.version) for name in setup.seats],
        clock=pb.Clock(
            bank_ms=clock.bank_ms,
            increment_ms=clock.increment_ms,
            cap_ms=clock.cap_ms,
            allowance_ms=clock.allowance_ms,
        ),
        commitment=commitment(setup.seed, setup.match_id),
        deal=codec.deal(state, seat),
    )
    return pb.PlayResponse(match_start=message).SerializeToString()


def match_end(report: MatchReport, codec: Codec, state: Any, *, reveal: bool) -> bytes:
    """Return the MatchEnd, the same for all seats; seed and scores stand in it once the block is over (`reveal`)."""
    outcome = report.outcome
    message = pb.MatchEnd(
        match_id=report.setup.match_id,
        end=outcome.end,
        ranks=outcome.ranks,
        totals=outcome.totals,
        terminations=[
            pb.TERMINATION_RETIRED if seat in report.retired else pb.TERMINATION_NORMAL
            for seat in range(len(outcome.ranks))
        ],
    )
    if reveal:
        scores = [codec.score(line, state, seat) for seat, line in enumerate(outcome.scores)]
        message.reveal.CopyFrom(pb.Reveal(seed=report.setup.seed, scores=scores))
    return pb.PlayResponse(match_end=message).SerializeToString()


def void_end(match_id: str) -> bytes:
    """Return the MatchEnd of a match that counts for nothing."""
    return pb.PlayResponse(match_end=pb.MatchEnd(match_id=match_id, is_void=True)).SerializeToString()


def refused(match_id: str, refuse: Refuse) -> bytes:
    """Return a Refused."""
    message = pb.Refused(
        match_id=match_id,
        decision_id=refuse.decision_id,
        code=refuse.code,
        sentence=refuse.sentence,
        tries_left=refuse.tries_left,
        time_ms=refuse.time_ms,
    )
    return pb.PlayResponse(refused=message).SerializeToString()


def notice(kind: pb.NoticeKind.ValueType, code: str, sentence: str, match_id: str = "") -> bytes:
    """Return a Notice."""
    message = pb.Notice(kind=kind, code=code, sentence=sentence, match_id=match_id)
    return pb.PlayResponse(notice=message).SerializeToString()


class Encoder:
    """Decisions and Events of one match; keeps what need not be serialised twice."""

    def __init__(self, match_id: str, codec: Codec) -> None:
        self._match_id = match_id
        self._codec = codec
        self._step = -1
        self._public = b""
        # Fields of Decision. By identity: the core keeps every event that a seat may see as long as the match goes on,
        # so that ids stay unique.
        self._events: dict[int, bytes] = {}
        self._heads: dict[tuple[str, tuple[str, ...], bool], bytes] = {}
        self._numbers = pb.Decision()  # of the latest Decision; quicker than a new message each time

    def decision(self, ask: Ask, state: Any, *, with_observation: bool) -> bytes:
        """Return the Decision."""
        decision = ask.decision
        key = (decision.phase, decision.space.kinds(), decision.sealed)
        head = self._heads.get(key)
        if head is None:
            head = self._heads[key] = self._head(*key)
        numbers = self._numbers
        numbers.decision_id = ask.decision_id
        numbers.time_ms = ask.time_ms
        numbers.bank_ms = ask.bank_ms
        numbers.charged_ms = ask.charged_ms
        numbers.last_event = ask.last_event
        parts = [head, numbers.SerializeToString()]
        if with_observation:
            parts.append(field(_DECISION_OBSERVATION, self._observation(ask.step, state, ask.seat)))
        known = self._events
        parts += [known.get(id(event)) or self._event(event) for event in ask.events]
        return field(_DECISION, b"".join(parts))

    def _event(self, event: Any) -> bytes:
        encoded = self._events[id(event)] = field(_DECISION_EVENTS, self._codec.event(event))
        return encoded

    def events(self, tell: Tell, state: Any) -> bytes:
        """Return the Events."""
        parts = [pb.Events(match_id=self._match_id, last_event=tell.last_event).SerializeToString()]
        if tell.is_return:
            parts.append(field(_EVENTS_OBSERVATION, self._observation(tell.step, state, tell.seat)))
        parts += [field(_EVENTS_EVENTS, self._codec.event(event)) for event in tell.events]
        return field(_EVENTS, b"".join(parts))

    def _head(self, phase: str, kinds: tuple[str, ...], sealed: bool) -> bytes:
        return pb.Decision(match_id=self._match_id, phase=phase, kinds=kinds, sealed=sealed).SerializeToString()

    def _observation(self, step: int, state: Any, seat: int) -> bytes:
        if step != self._step:
            self._step, self._public = step, self._codec.public(state)
        return self._codec.observed(self._public, state, seat)
