"""What the fuzzer gives its inputs to."""

from __future__ import annotations

import inspect
import logging
import sys
import tempfile
import zlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog
import trio
import trio.testing
from gavelport.v1 import referee_pb2 as pb
from gavelport.v1 import replay_pb2
from gavelport_codecs.registry import codec_for
from gavelport_engine.registry import GAMES
from gavelport_engine.rng import Stream
from gavelport_server.archive import journal_format, packing
from gavelport_server.archive.errors import JournalError, ReplayError
from gavelport_server.archive.journal import FOLDER, Segments
from gavelport_server.archive.journal_entries import (
    InputKind,
    MatchEntry,
    PastInput,
    entry_bytes,
    entry_of,
    input_bytes,
    input_of,
)
from gavelport_server.archive.journal_format import Entry, EntryKind, Header, header_bytes, record_bytes
from gavelport_server.archive.packing import unpack
from gavelport_server.archive.playback import Difference
from gavelport_server.archive.replay import FRAMES, decode_frames, encode_replay
from gavelport_server.archive.verify import verify, verify_stored
from gavelport_server.conduct.hub import Hub
from gavelport_server.conduct.match import conduct_match
from gavelport_server.lobby.desks import SERVICES
from gavelport_server.referee.report import ClockSetting, MatchSetup, SeatName
from gavelport_server.transport.link import ServiceError
from gavelport_server.transport.methods import rpc_of
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from tests.archive.play import played_match
from tests.hostile.fuzz_packages import Packages
from tests.hostile.mutations import mutate
from tests.lobby.world import ADMIN, ANN, ANT, BOB, VISITOR, House

if TYPE_CHECKING:
    import queue
    import random
    from collections.abc import Iterator

    from gavelport_server.lobby.gate import Caller
    from gavelport_server.transport.link import StatusCode
    from google.protobuf.descriptor import MethodDescriptor

    Inbox = queue.SimpleQueue[bytes]
    Outbox = queue.SimpleQueue[BaseException | None]

OPTIONS: dict[str, dict[str, object]] = {
    "container": {"seats": 3, "max_rounds": 12},
    "shipping": {"seats": 3, "years": 3},
}
CLOCK = ClockSetting(bank_ms=2000, increment_ms=500, cap_ms=1000, allowance_ms=0)
LONGEST_FRAME = 2**16 - 1
"""Of an input; its length stands in two bytes."""
STEP_S = 0.02
"""Between two inputs: as many as the hub takes of what answers nothing, so that it is no flood."""


def log_errors() -> None:
    """Let the log tell of errors alone, such as why a match is void."""
    errors = structlog.make_filtering_bound_logger(logging.ERROR)
    structlog.configure(wrapper_class=errors, logger_factory=structlog.PrintLoggerFactory(sys.stderr))


class _Link:
    """A stream whose other end takes everything."""

    peer = "fuzz"

    def __init__(self, token: str) -> None:
        self.metadata = {"authorization": f"Bearer {token}"}
        self.is_closed = False
        self.asked = 0
        self.sent: Counter[str] = Counter()

    def send(self, message: bytes) -> None:
        response = pb.PlayResponse.FromString(message)
        kind = response.WhichOneof("message")
        assert kind is not None
        self.sent[kind] += 1
        if kind == "decision":
            self.asked = response.decision.decision_id

    def close(self, code: StatusCode, text: str) -> None:
        self.is_closed = True

    def cancel(self) -> None:
        self.is_closed = True


class _Play:
    """The hub in a running match."""

    game = ""

    def __init__(self, *, is_planted: bool) -> None:
        self.seen: Counter[str] = Counter()
        self._codec: Any = codec_for(self.game)
        if is_planted:
            decode_action = self._codec.decode_action

            def planted(message: Any) -> Any:
                action = decode_action(message)
                return action if len(repr(action)) % 7 else 1 // 0

            setattr(self._codec, "decode_action", planted)  # noqa: B010 - a method

    def setup(self) -> MatchSetup:
        game, names = GAMES[self.game], tuple(SeatName(f"bot{seat}", "1") for seat in range(3))
        return MatchSetup("m", game, game.options(OPTIONS[self.game]), bytes(32), names, CLOCK)

    def seeds(self) -> Iterator[bytes]:
        """Yield what the bots of a random match say."""
        setup, rng = self.setup(), Stream(bytes(32), "fuzz")
        state = setup.game.initial_state(setup.options, setup.seed)
        said = [pb.PlayRequest(heartbeat=pb.Heartbeat(number=7))]
        hello = pb.Hello(protocol_version=1, sdk="x", games=["container@1"], max_matches=2, session_token="t")
        hello.resume.add(match_id="m", last_event=3)
        said.append(pb.PlayRequest(hello=hello))
        for number in range(1, 120):
            acting = setup.game.to_act(state)
            actions = {seat: setup.game.decision(state, seat).space.sample(rng) for seat in acting}
            if not actions:
                break
            setup.game.apply_in_place(state, actions, None)
            for action in actions.values():
                answer = pb.Answer(match_id="m", decision_id=number, action=self._codec.action(action), note="n" * 3)
                said.append(pb.PlayRequest(answer=answer))
        for request in said:
            yield request.SerializeToString()

    def mutated(self, data: bytes, rng: random.Random) -> bytes | None:
        """Return the input changed as a message, or None where it is none."""
        return mutated_as(pb.PlayRequest, data, rng)

    def run(self, inbox: Inbox, outbox: Outbox) -> None:
        """Take inputs for ever."""
        log_errors()
        clock = trio.testing.MockClock()
        trio.run(self._live, inbox, outbox, clock, clock=clock)

    async def _live(self, inbox: Inbox, outbox: Outbox, clock: trio.testing.MockClock) -> None:
        self._hub = Hub()
        self._sessions = [self._hub.admit(f"t{seat}", SeatName(f"bot{seat}", "1")) for seat in range(3)]
        self._links = [self._connected(seat) for seat in range(3)]
        while True:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._conduct, nursery.cancel_scope)
                await trio.testing.wait_all_tasks_blocked()
                self._is_over = False
                while not self._is_over:
                    self._take(inbox.get())
                    clock.jump(STEP_S)
                    await trio.lowlevel.checkpoint()
                    outbox.put(None)

    async def _conduct(self, scope: trio.CancelScope) -> None:
        await conduct_match(self.setup(), self._sessions, reveal=True)  # a void match raises
        self.seen["matches"] += 1
        self._is_over = True

    def _connected(self, seat: int) -> _Link:
        link = _Link(f"t{seat}")
        self._hub.opened(link)
        hello = pb.Hello(protocol_version=1, max_matches=2)
        self._hub.received(link, pb.PlayRequest(hello=hello).SerializeToString(), trio.current_time())
        return link

    def _take(self, data: bytes) -> None:
        asked = [seat for seat in range(3) if (place := self._sessions[seat].places.get("m")) and _is_asked(place)]
        seat = asked[len(data) % len(asked)] if asked else 0
        link = self._links[seat]
        if link.is_closed:
            self._hub.lost(link, None)  # type: ignore[arg-type]
            link = self._links[seat] = self._connected(seat)
        now = trio.current_time()
        self._hub.received(link, data, now)
        self.seen["inputs"] += 1
        try:
            request = pb.PlayRequest.FromString(data)
        except DecodeError:
            self.seen["no message"] += 1
            return
        if request.WhichOneof("message") == "answer" and not link.is_closed:
            # Once more as an answer to what is asked, which bytes changed at random hardly ever are.
            request.answer.match_id, request.answer.decision_id = "m", link.asked
            before = link.sent["refused"]
            self._hub.received(link, request.SerializeToString(), now)
            self.seen["refused" if link.sent["refused"] > before else "taken"] += 1


def _is_asked(place: Any) -> bool:
    return bool(place._match.core._seats[place._seat].duty.value == "asked")


class Container(_Play):
    """PlayRequest in a match of Container."""

    game = "container"


class Shipping(_Play):
    """PlayRequest in a match of Shipping."""

    game = "shipping"


class _Plain:
    """A target that needs no trio."""

    def __init__(self, *, is_planted: bool) -> None:
        self.seen: Counter[str] = Counter()
        self._is_planted = is_planted

    def mutated(self, data: bytes, rng: random.Random) -> bytes | None:
        """Return the input changed as what it is, or None where it is not."""
        return None

    def run(self, inbox: Inbox, outbox: Outbox) -> None:
        """Take inputs for ever."""
        while True:
            data = inbox.get()
            self.seen["inputs"] += 1
            self.take(data)
            if self._is_planted and data[:1] == b"\x07":
                raise ZeroDivisionError
            outbox.put(None)

    def take(self, data: bytes) -> None:
        """Take one input."""
        raise NotImplementedError


class ReplayFile(_Plain):
    """Frames of a replay, one after the other each with its length before it; and a file whose seal is right."""

    def seeds(self) -> Iterator[bytes]:
        """Yield replays of short matches."""
        for name, options in OPTIONS.items():
            short = options | ({"max_rounds": 2} if name == "container" else {})
            stored = encode_replay(played_match(seats=3, game=GAMES[name], options=short, faults={2: "timeout"}))
            yield b"\x01" + stored[: -packing._SEAL_FRAME_BYTES]
            yield b"\x00" + b"".join(len(frame).to_bytes(2) + frame for frame in unpack(stored))

    def mutated(self, data: bytes, rng: random.Random) -> bytes | None:
        """Return the input with one of its frames changed as a message."""
        frames, rest = [], data[1:]
        if data[:1] != b"\x00":
            return None
        while rest:
            length = int.from_bytes(rest[:2])
            frames.append(rest[2 : 2 + length])
            rest = rest[2 + length :]
        if frames:
            place = rng.randrange(len(frames))
            frames[place] = mutated_as(replay_pb2.ReplayFrame, frames[place], rng) or b""
        if any(len(frame) > LONGEST_FRAME for frame in frames):
            return None
        return b"\x00" + b"".join(len(frame).to_bytes(2) + frame for frame in frames)

    def take(self, data: bytes) -> None:
        """Read and verify it."""
        try:
            if data[:1] == b"\x01":
                verify_stored(packing._sealed(data[1:]))
            else:
                verify(decode_frames(_frames(data[1:])))
            self.seen["true"] += 1
        except (ReplayError, Difference, DecodeError) as error:
            self.seen[type(error).__name__] += 1


def mutated_as(kind: Any, data: bytes, rng: random.Random) -> bytes | None:
    """Return a serialised message changed as a message of its kind, or None where it is none."""
    try:
        message = kind.FromString(data)
        mutate(message, rng)
        return bytes(message.SerializeToString())
    except (DecodeError, ValueError):
        return None


def _frames(data: bytes) -> list[replay_pb2.ReplayFrame]:
    frames = []
    for _ in FRAMES:
        length = int.from_bytes(data[:2])
        frames.append(replay_pb2.ReplayFrame.FromString(data[2 : 2 + length]))
        data = data[2 + length :]
    return frames


def _record(body: bytes) -> bytes:
    """Return a whole record around entries."""
    head = journal_format._RECORD.pack(journal_format._RECORD_MAGIC, len(body), 1)
    return head + zlib.crc32(body, zlib.crc32(head)).to_bytes(4, "little") + body


class JournalFile(_Plain):
    """An entry's payload, a whole segment, or the entries of a record."""

    def seeds(self) -> Iterator[bytes]:
        """Yield entries of all kinds, and a segment."""
        names = (SeatName("a", "1"), SeatName("b", "2"), SeatName("c", "3"))
        game = GAMES["container"]
        setup = MatchSetup("m", game, game.options(OPTIONS["container"]), bytes(32), names, CLOCK)
        entry = entry_bytes(MatchEntry(setup, "ladder", "rated", bytes(32)))
        inputs = [
            PastInput(InputKind.START, 1.0),
            PastInput(InputKind.ANSWER, 1.5, 0, 0, 1.4, 1, "note", b"\x0a\x02\x1a\x00"),
            PastInput(InputKind.ANSWER, 1.5, 0, 0, 1.4, 1, "", b"", "unreadable", "words"),
            PastInput(InputKind.BACK, 2.0, 2, 7),
        ]
        yield b"\x00" + entry
        for each in inputs:
            yield b"\x01" + input_bytes(each)
        with tempfile.TemporaryDirectory() as folder:
            segments = Segments(Path(folder))
            segments.recover()
            segments.append([Entry(EntryKind.MATCH, 1, entry)])
            segments.append([Entry(EntryKind.INPUT, 1, input_bytes(each)) for each in inputs])
            segments.close()
            yield b"\x03" + record_bytes(1, [Entry(EntryKind.MATCH, 1, b""), Entry(EntryKind.END, 1, b"")])[20:]
            yield b"\x02" + next((Path(folder) / FOLDER).glob("*.log")).read_bytes()

    def take(self, data: bytes) -> None:
        """Read it."""
        kind, rest = data[:1], data[1:]
        try:
            if kind == b"\x00":
                entry_of(rest)
            elif kind == b"\x01":
                input_of(rest)
            else:
                if kind == b"\x03":
                    rest = header_bytes(Header(1, 1, 1)) + _record(rest)
                with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
                    journal = Path(folder) / FOLDER
                    journal.mkdir()
                    (journal / "00000001.log").write_bytes(rest)
                    segments = Segments(Path(folder))
                    try:
                        segments.recover()
                    finally:
                        segments.close()
            self.seen["read"] += 1
        except JournalError:
            self.seen["refused"] += 1


class Services:
    """A request of any RPC with one request, by anybody who may call it: its number, who, and the request's bytes."""

    def __init__(self, *, is_planted: bool) -> None:
        self.seen: Counter[str] = Counter()
        self._is_planted = is_planted
        methods = [method for service in SERVICES.values() for method in service.methods]
        self._methods = [method for method in methods if not method.client_streaming]

    def seeds(self) -> Iterator[bytes]:
        """Yield an empty request of each RPC by each caller, and one that names what there is."""
        for number, method in enumerate(self._methods):
            filled = GetMessageClass(method.input_type)()
            for field in method.input_type.fields:
                if field.type == field.TYPE_STRING and not field.is_repeated:
                    setattr(filled, field.name, NAMES.get(field.name, "ant"))
            for place in range(len(CALLERS)):
                yield bytes((number, place))
                yield bytes((number, place)) + filled.SerializeToString()

    def mutated(self, data: bytes, rng: random.Random) -> bytes | None:
        """Return the input with its request changed as a message."""
        if len(data) < 2 or data[0] >= len(self._methods):
            return None
        request = mutated_as(GetMessageClass(self._methods[data[0]].input_type), data[2:], rng)
        return None if request is None else data[:2] + request

    def run(self, inbox: Inbox, outbox: Outbox) -> None:
        """Take inputs for ever."""
        log_errors()
        trio.run(self._live, inbox, outbox)

    async def _live(self, inbox: Inbox, outbox: Outbox) -> None:
        while True:
            with tempfile.TemporaryDirectory() as folder:
                house = House(Path(folder))
                house.play("m0", ("ant", "bee", "cow"))
                await trio.to_thread.run_sync(self._take_many, house, inbox, outbox)

    def _take_many(self, house: House, inbox: Inbox, outbox: Outbox) -> None:
        """Take inputs until the house is full; in a worker thread, as desks are called."""
        for _ in range(HOUSE_INPUTS):
            data = inbox.get()
            if self._is_planted and data[:1] == b"\x07":
                raise ZeroDivisionError
            if len(data) >= 2:
                self._take(
                    house, self._methods[data[0] % len(self._methods)], CALLERS[data[1] % len(CALLERS)], data[2:]
                )
            self.seen["inputs"] += 1
            outbox.put(None)

    def _take(self, house: House, method: MethodDescriptor, caller: Caller, content: bytes) -> None:
        rpc = rpc_of(method, house.desks.by_name[method.containing_service.name])
        if caller.scope not in rpc.scopes:
            self.seen["not for this caller"] += 1
            return
        try:
            request = rpc.parsed(content)
            if inspect.iscoroutinefunction(rpc.serve):
                trio.from_thread.run(rpc.serve, caller, request)
            elif len(inspect.signature(rpc.serve).parameters) == 3:
                link = _Link("watch")
                trio.from_thread.run_sync(rpc.serve, caller, request, link)()
            else:
                answer = rpc.serve(caller, request)
                for one in answer if rpc.is_pulled else [answer]:
                    one.SerializeToString()
            self.seen["answered"] += 1
        except ServiceError:
            self.seen["refused"] += 1


HOUSE_INPUTS = 500
"""After so many what they left behind is thrown away."""
NAMES = {"match_id": "m0", "ladder": "main", "owner": "ann", "identity": "l1"}
CALLERS = (ADMIN, ANN, BOB, ANT, VISITOR)
TARGETS: dict[str, type[Any]] = {
    "container": Container,
    "shipping": Shipping,
    "replay": ReplayFile,
    "journal": JournalFile,
    "services": Services,
    "packages": Packages,
}
