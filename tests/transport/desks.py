"""Desks that do as they are told, a door that is open to everybody, and a server with both."""

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import trio
from gavelport.v1 import archive_pb2, lobby_pb2, spectate_pb2
from gavelport_server.transport.bridge import serve
from gavelport_server.transport.client import Client
from gavelport_server.transport.limits import Limits
from gavelport_server.transport.link import Link, ServiceError, StatusCode
from gavelport_server.transport.services import Call, Services

from tests.transport.worlds import Recorder, World

SECRET = "the hidden card is a joker"
PATIENCE_S = 20


@dataclass(frozen=True)
class Visitor:
    token_id: str


@dataclass
class OpenDoor:
    """Lets everybody in who brings a token; the token is the id."""

    shown: list[Call] = field(default_factory=list)
    closed: set[str] = field(default_factory=set)
    listeners: list[Callable[[str], None]] = field(default_factory=list)

    async def admit(self, call: Call) -> Visitor:
        await trio.lowlevel.checkpoint()
        self.shown.append(call)
        token = call.authorization.removeprefix("Bearer ")
        if token == "late":
            raise ServiceError(StatusCode.RESOURCE_EXHAUSTED, "not so often", retry_s=2.5)
        if token == "trap":
            raise LookupError(SECRET)
        if not token:
            raise ServiceError(StatusCode.UNAUTHENTICATED, "no token")
        return Visitor(token)

    def is_open(self, token_id: str) -> bool:
        return token_id not in self.closed

    def on_revoked(self, call: Callable[[str], None]) -> None:
        self.listeners.append(call)

    def revoke(self, token_id: str) -> None:
        self.closed.add(token_id)
        for call in self.listeners:
            call(token_id)


class Lobby:
    """A desk that does as the name of the bot says."""

    def __init__(self) -> None:
        self.ended: list[str] = []
        """How uploads ended."""
        self.sent = 0
        """Requests of uploads."""

    def register_bot(self, caller: Visitor, request: lobby_pb2.RegisterBotRequest) -> lobby_pb2.RegisterBotResponse:
        return answered(request.name, caller)

    async def list_bots(self, caller: Visitor, request: lobby_pb2.ListBotsRequest) -> lobby_pb2.ListBotsResponse:
        if caller.token_id == "sleeper":
            await trio.sleep(PATIENCE_S)
        if caller.token_id == "leaker":
            raise LookupError(SECRET)
        return lobby_pb2.ListBotsResponse(bots=[lobby_pb2.Bot(name=caller.token_id)])

    def submit(self, caller: Visitor) -> Generator[None, lobby_pb2.SubmitRequest | None, lobby_pb2.SubmitResponse]:
        if caller.token_id == "refused":
            raise ServiceError(StatusCode.FAILED_PRECONDITION, "nothing is taken here")
        came = 0
        try:
            while (request := (yield)) is not None:
                assert threading.current_thread() is not threading.main_thread(), "a step runs in a worker thread"
                came += len(request.chunk)
                self.sent += 1
                if request.chunk == b"leak":
                    raise LookupError(SECRET)
                if request.chunk == b"enough":
                    return lobby_pb2.SubmitResponse(submission=lobby_pb2.Submission(bot="early", id=came))
                if request.chunk == b"never":
                    yield
        except GeneratorExit:
            self.ended.append("closed")
            raise
        self.ended.append("whole")
        return lobby_pb2.SubmitResponse(submission=lobby_pb2.Submission(bot=caller.token_id, id=came))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *_: "no message"


def answered(name: str, caller: Visitor) -> lobby_pb2.RegisterBotResponse:
    assert threading.current_thread() is not threading.main_thread(), "a plain method runs in a worker thread"
    if name == "leak":
        raise LookupError(SECRET)
    if name == "refuse":
        raise ServiceError(StatusCode.ALREADY_EXISTS, "that name is taken — ☂")
    return lobby_pb2.RegisterBotResponse(bot=lobby_pb2.Bot(name=name, owner=caller.token_id))


class Archive:
    """Answers with chunks, and tells how many it made."""

    def __init__(self) -> None:
        self.made = 0
        self.closed = threading.Event()

    def list_matches(self, caller: Visitor, request: archive_pb2.ListMatchesRequest) -> None:
        """Answer with nothing, which is a fault."""

    def download_replays(
        self, caller: Visitor, request: archive_pb2.DownloadReplaysRequest
    ) -> Generator[archive_pb2.DownloadReplaysResponse, None, None]:
        try:
            for number in range(int(request.match_id)):
                if number == 3 and caller.token_id == "leaker":
                    raise LookupError(SECRET)
                if number == 3 and caller.token_id == "refused":
                    raise ServiceError(StatusCode.NOT_FOUND, "no further")
                self.made += 1
                yield archive_pb2.DownloadReplaysResponse(data=bytes(60_000))
        finally:
            self.closed.set()

    def get_seat_view(
        self, caller: Visitor, request: archive_pb2.GetSeatViewRequest
    ) -> Generator[archive_pb2.GetSeatViewResponse, None, None]:
        yield archive_pb2.GetSeatViewResponse(line="{}")


class Spectate:
    """Keeps the links."""

    def __init__(self) -> None:
        self.links: list[Link] = []
        self.lost = 0

    def watch(self, caller: Visitor, request: spectate_pb2.WatchRequest, link: Link) -> Callable[[], None]:
        if request.match_id == "leak":
            raise LookupError(SECRET)
        if request.match_id == "unknown":
            raise ServiceError(StatusCode.NOT_FOUND, "no such match runs")
        self.links.append(link)
        for number in range(int(request.match_id)):
            link.send(event(number))
        if request.match_id == "3":
            link.close(StatusCode.OK, "")
        return self._gone

    def _gone(self) -> None:
        self.lost += 1


def event(number: int) -> bytes:
    events = spectate_pb2.WatchEvents(decisions=number)
    return spectate_pb2.WatchResponse(events=events).SerializeToString()


@dataclass
class House:
    target: str
    door: OpenDoor
    archive: Archive
    spectate: Spectate
    lobby: Lobby = field(default_factory=Lobby)

    @contextmanager
    def client(self, token: str = "me") -> Iterator[Client]:
        with Client(self.target, token) as client:
            yield client

    def code(self, ask: Callable[[Client], Any], token: str = "me") -> tuple[str, str]:
        """How a call that is refused is refused."""
        with self.client(token) as client, pytest.raises(ServiceError) as refused:
            ask(client)
        return refused.value.code.name, refused.value.text


def at_home(world: World, act: Callable[[House], Any], limits: Limits = Limits(), **settings: Any) -> Any:  # noqa: B008
    """What `act`, in a thread, makes of a server."""

    async def main() -> Any:
        house = House("", OpenDoor(), Archive(), Spectate())
        desks = {
            lobby_pb2.DESCRIPTOR.services_by_name["LobbyService"]: house.lobby,
            archive_pb2.DESCRIPTOR.services_by_name["ReplayService"]: house.archive,
            spectate_pb2.DESCRIPTOR.services_by_name["SpectateService"]: house.spectate,
        }
        bound = Services(desks, house.door, **settings)
        async with serve(Recorder(), services=bound, limits=limits) as bridge:
            house.target = bridge.target
            with trio.fail_after(2 * PATIENCE_S):
                result = await trio.to_thread.run_sync(act, house)
                while bound._calls or bound._streams or bound._links:  # noqa: ASYNC110 - nothing tells of it
                    await trio.sleep(0.01)
        return result

    return world.run(main)


def register(name: str) -> Callable[[Client], str]:
    def ask(client: Client) -> str:
        bot = client.call(lobby_pb2.RegisterBotRequest(name=name), lobby_pb2.RegisterBotResponse).bot
        return f"{bot.name} of {bot.owner}"

    return ask


def bots(client: Client) -> str:
    return client.call(lobby_pb2.ListBotsRequest(), lobby_pb2.ListBotsResponse).bots[0].name


def downloaded(number: int) -> Callable[[Client], int]:
    request = archive_pb2.DownloadReplaysRequest(match_id=str(number))
    return lambda client: len(list(client.stream(request, archive_pb2.DownloadReplaysResponse)))


def watched(match_id: str) -> Callable[[Client], list[int]]:
    request = spectate_pb2.WatchRequest(match_id=match_id)
    return lambda client: [each.events.decisions for each in client.stream(request, spectate_pb2.WatchResponse)]
