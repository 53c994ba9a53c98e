"""Bots, hub and two matches over the memory transport, each message of the server compared with what must come.

What the hub owes is worked out here, what a match owes in `oracle.py`. Bytes reach the hub in the call that sends them
(`Wire.send`), so that nothing is left to trio's order of tasks but the matches' own deadlines.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import trio
import trio.testing
from gavelport.v1 import referee_pb2 as pb
from gavelport_server.archive.journal_entries import input_of
from gavelport_server.archive.replay import encode_replay
from gavelport_server.archive.verify import verify_stored
from gavelport_server.conduct.hub import Hub
from gavelport_server.conduct.match import conduct_match
from gavelport_server.conduct.resume import rebuilt
from gavelport_server.referee.report import MatchReport, MatchSetup, Played, SeatName
from gavelport_server.transport.link import Link, Listener, LostReason, StatusCode
from gavelport_server.transport.memory import MemoryTransport, Status
from google.protobuf.message import DecodeError

from tests.hostile.oracle import Oracle

if TYPE_CHECKING:
    from collections.abc import Callable

    from gavelport_server.conduct.session import Session

HELLO_S = 5.0
IDLE_PER_S = 50.0
IDLE_BURST = 200
MALFORMED_MOST = 20


class Strict:
    """A listener in front of the hub that remembers what the hub raised; the transport's guard would only log it."""

    def __init__(self, inner: Listener) -> None:
        self._inner = inner
        self.raised: list[Exception] = []

    def opened(self, link: Link) -> None:
        self._keep(self._inner.opened, link)

    def received(self, link: Link, message: bytes, at: float) -> None:
        self._keep(self._inner.received, link, message, at)

    def lost(self, link: Link, reason: LostReason) -> None:
        self._keep(self._inner.lost, link, reason)

    def _keep(self, call: Any, *args: Any) -> None:
        try:
            call(*args)
        except Exception as error:
            self.raised.append(error)
            raise


class Log:
    """A match's log whose disk takes no time."""

    def __init__(self) -> None:
        self.inputs: list[bytes] = []

    def put(self, entry: bytes) -> None:
        self.inputs.append(entry)

    def when_synced(self, call: Callable[[], None]) -> None:
        call()

    def when_broken(self, call: Callable[[], None]) -> None:
        """Nothing: it never is."""


@dataclass(eq=False)
class Wire:
    """A bot's end of one stream, and what must come on it."""

    bot: Bot
    link: Any
    opened_at: float
    expected: list[pb.PlayResponse] = field(default_factory=list)
    status: StatusCode | None = None
    """How it must have ended."""
    said_hello: bool = False
    malformed: int = 0
    idle: float = 0.0
    idle_at: float = 0.0
    sent: list[bytes] = field(default_factory=list)

    def taken(self) -> list[pb.PlayResponse]:
        """Receive all that waits."""
        messages = []
        while self.link.queue:
            message = self.link.queue.popleft()
            self.link.taken(message)
            messages.append(pb.PlayResponse.FromString(message))
        return messages


@dataclass(eq=False)
class Bot:
    """A bot process: its session at the hub, its streams, and what it was told."""

    number: int
    token: str
    session: Session
    wires: list[Wire] = field(default_factory=list)
    resume_tokens: list[str] = field(default_factory=list)
    """All that it was ever given; the last is good."""
    decisions: dict[str, pb.Decision] = field(default_factory=dict)
    """The latest, by match."""
    last_events: dict[str, int] = field(default_factory=dict)
    is_gone: bool = False
    places: dict[str, tuple[Oracle, int]] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)

    def wire(self) -> Wire | None:
        """The stream that is the bot's at the moment."""
        return next((wire for wire in self.wires if wire.said_hello and wire.status is None), None)

    def hears_of(self, match_id: str) -> bool:
        """Whether something about a match waits to be received."""
        wire = self.wire()
        return wire is not None and match_id in _by_match(list(map(pb.PlayResponse.FromString, wire.link.queue)))


class World:
    """Everything of one sequence."""

    def __init__(self, bots: int, clock: trio.testing.MockClock, *, is_logged: bool) -> None:
        self.clock = clock
        self.logs: dict[str, Log] = {}
        self.is_logged = is_logged
        self.hub = Hub()
        self.strict = Strict(self.hub)
        self.transport = MemoryTransport(self.strict)
        names = [SeatName(f"bot{number}", "1") for number in range(bots)]
        self.bots = [Bot(n, f"token-{n}", self.hub.admit(f"token-{n}", name)) for n, name in enumerate(names)]
        self.oracles: dict[str, Oracle] = {}
        self.seated: dict[str, list[Bot]] = {}
        self.reports: dict[str, MatchReport] = {}
        self.messages = 0
        self._duties: dict[str, Any] = {}

    # -- matches

    async def begin(self, nursery: trio.Nursery, setup: MatchSetup, bots: list[Bot]) -> None:
        """Begin a match between bots."""
        oracle = self.oracles[setup.match_id] = Oracle(setup, trio.current_time())
        self.seated[setup.match_id] = bots
        for seat, bot in enumerate(bots):
            place = oracle.seats[seat]
            bot.places[setup.match_id] = (oracle, seat)
            place.is_here, place.is_gone = bot.wire() is not None, bot.is_gone
            place.events_only = bot.session.events_only

        async def conduct() -> None:
            sessions = [bot.session for bot in bots]
            log = self.logs.setdefault(setup.match_id, Log()) if self.is_logged else None
            self.reports[setup.match_id] = await conduct_match(setup, sessions, reveal=False, log=log)

        nursery.start_soon(conduct)
        await trio.testing.wait_all_tasks_blocked()
        if setup.match_id not in self.reports:
            self._duties[setup.match_id] = bots[0].session.places[setup.match_id]._match.core._seats  # type: ignore[attr-defined]
        oracle.start()
        await self.check()

    # -- what bots do

    def connect(self, bot: Bot, authorization: str | None = None) -> Wire:
        """Open a stream."""
        authorization = f"Bearer {bot.token}" if authorization is None else authorization
        is_known = authorization == f"Bearer {bot.token}" and not bot.is_gone
        wire = Wire(bot, None, trio.current_time(), idle_at=trio.current_time())
        if is_known:
            for other in bot.wires:
                if not other.said_hello and other.status is None:
                    self._fence(other)
        else:
            wire.status = StatusCode.UNAUTHENTICATED
        bot.wires.append(wire)
        wire.link = self.transport.connect({"authorization": authorization}).link
        return wire

    def send(self, wire: Wire, content: bytes) -> None:
        """Let bytes arrive, and work out what must follow."""
        wire.sent.append(content)
        self.messages += 1
        now = trio.current_time()
        if wire.status is None:
            self._must_follow(wire, content, now)
        wire.link.receive(content)

    def lose(self, wire: Wire, *, politely: bool) -> None:
        """End a stream from the bot's side."""
        if wire.status is not None:
            return
        ends_with, reason = (
            (StatusCode.OK, LostReason.ENDED) if politely else (StatusCode.CANCELLED, LostReason.CANCELLED)
        )
        wire.link.end(Status(ends_with, ""), reason)
        wire.status = ends_with
        wire.expected.clear()
        self._forgotten(wire)

    def leave(self, bot: Bot) -> None:
        """The bot's process ends, and the server knows."""
        bot.is_gone = True
        for wire in bot.wires:
            if wire.status is None and wire.said_hello:
                wire.status = StatusCode.UNAVAILABLE
                wire.said_hello = False
        bot.session.gone("exit code 1")
        for oracle, seat in bot.places.values():
            oracle.leave(seat, trio.current_time())

    async def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.clock.jump(seconds)
        await self.settle()

    async def settle(self) -> None:
        """Let everything happen that is due."""
        await trio.testing.wait_all_tasks_blocked()
        now = trio.current_time()
        for bot in self.bots:
            for wire in bot.wires:
                if not wire.said_hello and wire.status is None and now >= wire.opened_at + HELLO_S:
                    self._drop(wire, StatusCode.DEADLINE_EXCEEDED)
        for oracle in self.oracles.values():
            while (deadline := oracle.deadline()) is not None and deadline <= now:
                oracle.wait(now)

    # -- what must follow

    def _must_follow(self, wire: Wire, content: bytes, now: float) -> None:
        try:
            request = pb.PlayRequest.FromString(content)
        except DecodeError:
            self._malformed(wire)
            return
        kind = request.WhichOneof("message")
        if not wire.said_hello:
            if kind == "hello":
                self._hello(wire, request.hello, now)
            else:
                self._drop(wire, StatusCode.INVALID_ARGUMENT)
            return
        is_idle = True
        if kind == "answer":
            answer = request.answer
            oracle, seat = wire.bot.places.get(answer.match_id, (None, 0))
            if oracle is None or oracle.is_over:
                self._notice(wire, "unknown_match", answer.match_id)
            else:
                is_idle = not oracle.answer(seat, answer, now)
                self._collect()
        elif kind == "heartbeat":
            wire.expected.append(pb.PlayResponse(heartbeat=request.heartbeat))
        elif kind == "hello":
            self._notice(wire, "hello_twice")
        else:
            self._malformed(wire)
            return
        if is_idle:
            wire.idle = max(0.0, wire.idle - (now - wire.idle_at) * IDLE_PER_S) + 1
            wire.idle_at = now
            if wire.idle > IDLE_BURST:
                self._drop(wire, StatusCode.RESOURCE_EXHAUSTED)

    def _hello(self, wire: Wire, hello: pb.Hello, now: float) -> None:
        if hello.protocol_version != 1:
            self._drop(wire, StatusCode.FAILED_PRECONDITION)
            return
        bot = wire.bot
        if bot.is_gone:
            self._drop(wire, StatusCode.UNAUTHENTICATED)
            return
        for other in bot.wires:
            if other is not wire and other.status is None:
                self._fence(other)
        wire.said_hello = True
        resumed = bool(bot.resume_tokens) and hello.session_token == bot.resume_tokens[-1]
        limits = pb.Limits(max_message_bytes=65536, max_note_bytes=1024, tries=3, max_faults=5)
        wire.expected.append(pb.PlayResponse(welcome=pb.Welcome(limits=limits, resumed=resumed)))
        seen = {each.match_id: each.last_event if resumed else 0 for each in hello.resume}
        running = {match_id for match_id, (oracle, _) in bot.places.items() if not oracle.is_over}
        for match_id, (oracle, seat) in bot.places.items():
            oracle.seats[seat].events_only = hello.events_only
            if match_id in running:
                oracle.come_back(seat, now, seen.get(match_id, 0))
        self._collect()
        for match_id in seen:
            if match_id in running:
                continue
            if match_id in bot.places:
                wire.expected.append(bot.places[match_id][0].end)
            else:
                self._notice(wire, "unknown_match", match_id)

    def _notice(self, wire: Wire, code: str, match_id: str = "") -> None:
        kind = pb.NOTICE_KIND_FENCED if code == "fenced" else pb.NOTICE_KIND_PROTOCOL
        wire.expected.append(pb.PlayResponse(notice=pb.Notice(kind=kind, code=code, match_id=match_id)))

    def _malformed(self, wire: Wire) -> None:
        wire.malformed += 1
        if wire.malformed > MALFORMED_MOST:
            self._drop(wire, StatusCode.INVALID_ARGUMENT)
        else:
            self._notice(wire, "malformed")

    def _fence(self, wire: Wire) -> None:
        self._notice(wire, "fenced")
        wire.status = StatusCode.ABORTED

    def _drop(self, wire: Wire, status: StatusCode) -> None:
        wire.status = status
        self._forgotten(wire)

    def _forgotten(self, wire: Wire) -> None:
        if wire.said_hello:
            for oracle, seat in wire.bot.places.values():
                oracle.lose(seat, trio.current_time())
            self._collect()

    def _collect(self) -> None:
        """Give what the oracles said to the streams on which it must have been sent."""
        for match_id, oracle in self.oracles.items():
            for seat, said in enumerate(oracle.said):
                wire = self.seated[match_id][seat].wire()
                if wire is not None:
                    wire.expected += said
                said.clear()

    # -- whether it did

    async def check(self) -> None:
        """Compare all that came with all that must have come."""
        await self.settle()
        self._collect()
        assert not self.strict.raised, self.strict.raised
        for bot in self.bots:
            for wire in bot.wires:
                self._compare(wire)
            bot.wires = [wire for wire in bot.wires if wire.status is None]
        for match_id, seats in self._duties.items():
            oracle = self.oracles[match_id]
            if not oracle.is_over:
                assert [_of_core(seat) for seat in seats] == [_of_oracle(place) for place in oracle.seats]
            assert oracle.is_over == (match_id in self.reports), match_id

    def _compare(self, wire: Wire) -> None:
        came, must = _by_match(wire.taken()), _by_match(wire.expected)
        wire.expected.clear()
        for message in came.get("", []):
            if message.WhichOneof("message") == "welcome":
                assert message.welcome.session_token not in wire.bot.resume_tokens
                wire.bot.resume_tokens.append(message.welcome.session_token)
        for message in (each for messages in came.values() for each in messages):
            self._learn(wire.bot, message)
        for messages in came.values():
            for message in messages:
                _strip(message)
        for messages in must.values():
            for message in messages:
                _strip(message)
        assert came == must, f"bot {wire.bot.number} was told {came}, not {must}"
        status = wire.link.status
        assert (None if status is None else status.code) == wire.status, f"bot {wire.bot.number}"

    def _learn(self, bot: Bot, message: pb.PlayResponse) -> None:
        kind = message.WhichOneof("message")
        if kind == "decision":
            bot.decisions[message.decision.match_id] = message.decision
        elif kind == "match_end":
            assert not message.match_end.is_void
            bot.ended.add(message.match_end.match_id)
        if kind in ("decision", "events"):
            part = getattr(message, kind)
            bot.last_events[part.match_id] = part.last_event

    def check_reports(self, *, verify: bool) -> None:
        """Compare the finished matches with the oracles' records; verify replays and logs."""
        for match_id, oracle in self.oracles.items():
            report = self.reports[match_id]
            rows = [
                (e.turn, e.seat, e.action, e.charged_ms, e.fault, e.note)
                for e in report.record
                if isinstance(e, Played)
            ]
            assert rows == oracle.record
            clock = report.setup.clock
            for place, figures in zip(oracle.seats, report.figures, strict=True):
                assert figures.decisions == place.asked == len(place.charges_ms)
                assert figures.refusals == place.refusals
                assert sum(count for _, count in figures.faults) == place.faults
                assert figures.charged_ms == sum(place.charges_ms)
                assert place.bank_ms == clock.bank_ms + place.asked * clock.increment_ms - figures.charged_ms >= 0
            if verify:
                verify_stored(encode_replay(report))
                if self.is_logged:
                    past = map(input_of, self.logs[match_id].inputs)
                    assert rebuilt(report.setup, past).report == report


def _by_match(messages: list[pb.PlayResponse]) -> dict[str, list[pb.PlayResponse]]:
    """Sort by match: between two matches no order is promised."""
    sorted_out: defaultdict[str, list[pb.PlayResponse]] = defaultdict(list)
    for message in messages:
        kind = message.WhichOneof("message")
        assert kind is not None
        sorted_out[getattr(getattr(message, kind), "match_id", "")].append(message)
    return dict(sorted_out)


def _strip(message: pb.PlayResponse) -> None:
    """Take out what is for people, and what is drawn by chance."""
    kind = message.WhichOneof("message")
    if kind in ("refused", "notice"):
        getattr(message, kind).sentence = ""
    elif kind == "welcome":
        message.welcome.session_token = message.welcome.server = ""


def _of_core(seat: Any) -> tuple[object, ...]:
    return (
        seat.duty.value == "asked",
        seat.duty.value == "retired",
        seat.presence.value,
        seat.decision_id,
        seat.tries_left if seat.duty.value == "asked" else 0,
        seat.clock.bank_ms,
        seat.faults,
    )


def _of_oracle(place: Any) -> tuple[object, ...]:
    return (
        place.is_asked,
        place.is_retired,
        "gone" if place.is_gone else "here" if place.is_here else "away",
        place.asked,
        place.tries if place.is_asked else 0,
        place.bank_ms,
        place.faults,
    )
