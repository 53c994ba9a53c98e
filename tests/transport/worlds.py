"""One stage for every transport: a recording listener, and clients that look the same."""

import queue
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import grpc
import pytest
import trio
from gavelport_server.transport import home
from gavelport_server.transport.bridge import PLAY_METHOD, serve
from gavelport_server.transport.limits import Limits
from gavelport_server.transport.link import Link, LostReason, StatusCode
from gavelport_server.transport.memory import MemoryTransport, Status, StreamEnded

PATIENCE_S = 20
"""How long a condition may take on a busy machine; nothing waits that long unless it is broken."""
DEFAULT = Limits()


class Client(Protocol):
    async def send(self, message: bytes) -> None: ...
    async def receive(self) -> bytes: ...
    async def half_close(self) -> None: ...
    def cancel(self) -> None: ...


def nothing(*_: object) -> None:
    """A hook that does nothing."""


@dataclass
class Recorder:
    """A listener that keeps what it is told; `on_...` hooks let a test act inside the call."""

    links: list[Link] = field(default_factory=list)
    received_by: dict[Link, list[bytes]] = field(default_factory=dict)
    stamps: list[float] = field(default_factory=list)
    lost_by: dict[Link, list[LostReason]] = field(default_factory=dict)
    on_opened: Callable[[Link], object] = nothing
    on_received: Callable[[Link, bytes], object] = nothing
    on_lost: Callable[[Link], object] = nothing
    _changed: trio.Event = field(default_factory=trio.Event)

    def opened(self, link: Link) -> None:
        self.links.append(link)
        self.received_by[link] = []
        self.lost_by[link] = []
        self._tell()
        self.on_opened(link)

    def received(self, link: Link, message: bytes, at: float) -> None:
        self.received_by[link].append(message)
        self.stamps.append(at)
        self._tell()
        self.on_received(link, message)

    def lost(self, link: Link, reason: LostReason) -> None:
        self.lost_by[link].append(reason)
        self._tell()
        self.on_lost(link)

    def _tell(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def until(self, condition: Callable[[], object]) -> None:
        with trio.fail_after(PATIENCE_S):
            while not condition():
                await self._changed.wait()

    async def until_lost(self, link: Link) -> LostReason:
        await self.until(lambda: self.lost_by[link])
        (reason,) = self.lost_by[link]
        return reason


class GrpcClient:
    """A real client: the synchronous one, in threads, on a connection of its own."""

    def __init__(self, target: str, metadata: Mapping[str, str]) -> None:
        self._channel = grpc.insecure_channel(target, options=[("grpc.use_local_subchannel_pool", 1)])
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        method: Any = self._channel.stream_stream(PLAY_METHOD)
        self._call = method(iter(self._out.get, None), metadata=tuple(metadata.items()), wait_for_ready=True)

    async def send(self, message: bytes) -> None:
        await trio.lowlevel.checkpoint()
        self._out.put(message)

    async def receive(self) -> bytes:
        return await trio.to_thread.run_sync(self._next, abandon_on_cancel=True)

    def _next(self) -> bytes:
        try:
            message = next(self._call, None)
        except grpc.RpcError:
            message = None
        if message is None:
            raise StreamEnded(Status(StatusCode(self._call.code().value[0]), self._call.details()))
        assert isinstance(message, bytes)
        return message

    async def half_close(self) -> None:
        await trio.lowlevel.checkpoint()
        self._out.put(None)

    def cancel(self) -> None:
        self._call.cancel()

    def close(self) -> None:
        self._out.put(None)
        self._channel.close()


class Stage:
    """What a scenario gets: the listener, and a way to connect clients to it."""

    def __init__(self, recorder: Recorder, connect: Callable[[Mapping[str, str]], Client]) -> None:
        self.recorder = recorder
        self.connect = connect

    async def join(self, metadata: Mapping[str, str] | None = None) -> tuple[Client, Link]:
        known = len(self.recorder.links)
        client = self.connect(metadata or {})
        await self.recorder.until(lambda: len(self.recorder.links) > known)
        return client, self.recorder.links[-1]


@asynccontextmanager
async def memory_stage(limits: Limits) -> AsyncIterator[Stage]:
    recorder = Recorder()
    transport = MemoryTransport(recorder, limits)
    try:
        yield Stage(recorder, transport.connect)
    finally:
        await transport.aclose()


@asynccontextmanager
async def bridge_stage(limits: Limits) -> AsyncIterator[Stage]:
    recorder = Recorder()
    clients: list[GrpcClient] = []

    async with serve(recorder, limits=limits) as bridge:

        def connect(metadata: Mapping[str, str]) -> Client:
            clients.append(GrpcClient(bridge.target, metadata))
            return clients[-1]

        yield Stage(recorder, connect)
    for client in clients:
        client.close()


@dataclass(frozen=True)
class World:
    name: str
    run: Callable[..., Any]
    stage: Callable[[Limits], Any]


MEMORY = World("memory", trio.run, memory_stage)
THREAD = World("thread", trio.run, bridge_stage)
GUEST = World("guest", home.run, bridge_stage)


def play(world: World, scenario: Callable[[Stage], Awaitable[None]], limits: Limits) -> Stage:
    """Run a scenario and shut the transport down; every link must then have been lost exactly once."""

    async def main() -> Stage:
        with trio.fail_after(2 * PATIENCE_S):
            async with world.stage(limits) as stage:
                await scenario(stage)
        assert isinstance(stage, Stage)
        return stage

    stage = world.run(main)
    assert isinstance(stage, Stage)
    assert {len(reasons) for reasons in stage.recorder.lost_by.values()} <= {1}, stage.recorder.lost_by
    return stage


def everywhere(
    *worlds: World, limits: Limits = DEFAULT
) -> Callable[[Callable[[Stage], Awaitable[None]]], Callable[[World], None]]:
    """Make an asynchronous scenario a test that runs in each of the worlds (all of them by default)."""

    def decorate(scenario: Callable[[Stage], Awaitable[None]]) -> Callable[[World], None]:
        @pytest.mark.parametrize("world", worlds or (MEMORY, THREAD, GUEST), ids=lambda world: world.name)
        def test(world: World) -> None:
            play(world, scenario, limits)

        test.__name__ = scenario.__name__
        return test

    return decorate


async def status_of(client: Client) -> Status:
    """Read what is left, and how the stream ended."""
    with trio.fail_after(PATIENCE_S):
        while True:
            try:
                await client.receive()
            except StreamEnded as ended:
                return ended.status
