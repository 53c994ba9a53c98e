"""The server's side of one match of Container as messages, for tests that play the server by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gavelport.v1 import referee_pb2 as wire
from gavelport_codecs.registry import codec_for
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.table import Options
from gavelport_engine.game import Trace
from gavelport_engine.rng import commitment
from gavelport_sdk import Bot
from gavelport_sdk.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gavelport_engine.container.events import Event
    from gavelport_sdk import MatchInfo, MatchOver, Refusal

CODEC = codec_for("container")
SEED = bytes(range(32))
OPTIONS = Options(seats=3)
LIMITS = wire.Limits(max_message_bytes=65_536, max_note_bytes=1_024, tries=3, max_faults=5)


def welcome(token: str = "session-1", *, resumed: bool = False) -> wire.PlayResponse:
    return wire.PlayResponse(welcome=wire.Welcome(session_token=token, server="script", limits=LIMITS, resumed=resumed))


def notice(
    code: str, kind: wire.NoticeKind.ValueType = wire.NOTICE_KIND_PROTOCOL, match_id: str = ""
) -> wire.PlayResponse:
    return wire.PlayResponse(notice=wire.Notice(kind=kind, code=code, sentence=f"this is {code}", match_id=match_id))


class Script:
    """A match in which the seat to move is the bot's, and every other seat plays its default."""

    def __init__(self, match_id: str = "m-1") -> None:
        self.match_id = match_id
        self.state = CONTAINER.initial_state(OPTIONS, SEED)
        self.seat = self.state.table.seat
        self.events: list[Event] = list(CONTAINER.opening(OPTIONS, SEED).events)
        self.told = 0
        self.number = 0

    def start(self, **changed: Any) -> wire.PlayResponse:
        message = wire.MatchStart(
            match_id=self.match_id,
            game="container@1",
            options=CODEC.options(OPTIONS),
            seat=self.seat,
            seats=[wire.Seat(bot=f"bot{seat}", version="1") for seat in range(3)],
            clock=wire.Clock(bank_ms=20_000, increment_ms=200, cap_ms=5_000, allowance_ms=100),
            commitment=commitment(SEED, self.match_id),
            deal=CODEC.deal(self.state, self.seat),
        )
        message.MergeFrom(wire.MatchStart(**changed))
        return wire.PlayResponse(match_start=message)

    def decision(self, *, is_again: bool = False) -> wire.PlayResponse:
        """Ask the bot for its next decision, or for the open one again."""
        self.number += not is_again
        asked = CONTAINER.decision(self.state, self.seat)
        message = wire.Decision(
            match_id=self.match_id,
            decision_id=self.number,
            phase=asked.phase,
            kinds=asked.space.kinds(),
            sealed=asked.sealed,
            time_ms=5_100,
            bank_ms=20_000,
            charged_ms=7,
            last_event=len(self.events),
        )
        message.events.extend(self._fresh())
        message.observation.MergeFromString(CODEC.observed(CODEC.public(self.state), self.state, self.seat))
        return wire.PlayResponse(decision=message)

    def tell(self) -> wire.PlayResponse:
        events = self._fresh()
        return wire.PlayResponse(events=wire.Events(match_id=self.match_id, last_event=len(self.events), events=events))

    def _fresh(self) -> list[Any]:
        fresh = [wire.Decision().events.add() for _ in self.events[self.told :]]
        for message, event in zip(fresh, self.events[self.told :], strict=True):
            message.MergeFromString(CODEC.event(event))
        self.told = len(self.events)
        return fresh

    def refused(self, code: str = "no_cash", tries_left: int = 2, number: int | None = None) -> wire.PlayResponse:
        return wire.PlayResponse(
            refused=wire.Refused(
                match_id=self.match_id,
                decision_id=self.number if number is None else number,
                code=code,
                sentence=f"because of {code}",
                tries_left=tries_left,
                time_ms=900,
            )
        )

    def play(self, action: Any) -> None:
        """Play the bot's action, and defaults until it is the bot's turn again."""
        trace: Trace[Event] = Trace()
        CONTAINER.apply_in_place(self.state, {self.seat: action}, trace)
        while (seats := CONTAINER.to_act(self.state)) and self.seat not in seats:
            CONTAINER.apply_in_place(self.state, {seat: CONTAINER.default(self.state, seat) for seat in seats}, trace)
        self.events += trace.events

    def end(self, **changed: Any) -> wire.PlayResponse:
        message = wire.MatchEnd(
            match_id=self.match_id,
            end="stalled",
            ranks=[1, 2, 2],
            totals=[30, -1, -1],
            terminations=[wire.TERMINATION_NORMAL, wire.TERMINATION_RETIRED, wire.TERMINATION_NORMAL],
        )
        message.MergeFrom(wire.MatchEnd(**changed))
        return wire.PlayResponse(match_end=message)


class Diary(Bot):
    """Plays the default and writes down what it is told; tests read it in `Diary.all`."""

    games = ("container",)
    version = "7"
    all: list[Diary] = []  # noqa: RUF012  emptied by a fixture before each test

    def __init__(self) -> None:
        self.heard: list[Event] = []
        self.lines: list[str] = []
        self.refusals: list[Refusal] = []
        self.end: MatchOver | None = None
        Diary.all.append(self)

    def start(self, match: MatchInfo) -> None:
        self.lines.append(f"start {match.match_id}")

    def events(self, events: Sequence[Any]) -> None:
        self.heard += events
        self.lines.append("events")

    def decide(self, observation: Any) -> Any:
        self.lines.append(f"decide {self.decision.number}")
        return self.decision.default()

    def refused(self, refusal: Refusal) -> Any:
        self.refusals.append(refusal)
        self.lines.append(f"refused {refusal.code}")

    def finish(self, end: MatchOver) -> None:
        self.end = end
        self.lines.append("finish")


def new(bot: Callable[[], Bot] = Diary, said: list[str] | None = None) -> Session:
    lines = [] if said is None else said
    return Session(bot, ("container",), version="7", max_matches=2, say=lines.append)


def begun(bot: Callable[[], Bot] = Diary) -> tuple[Session, Script]:
    """Return a session with a match that has started."""
    session, script = new(bot), Script()
    session.hello()
    assert session.react(welcome()) is None
    assert session.react(script.start()) is None
    return session, script


def hear_all(session: Session, responses: list[wire.PlayResponse]) -> None:
    for response in responses:
        session.react(response)


def action_in(request: wire.PlayRequest | None) -> Any:
    assert request is not None
    assert request.WhichOneof("message") == "answer"
    return CODEC.decode_action(request.answer.action)
