"""The loop calls grpc.aio's reader once a burst, and leaves other readers alone."""

import asyncio
import socket
from typing import Any

import grpc.aio
import pytest
from gavelport_server.transport import loop as room
from gavelport_server.transport.loop import BurstLoop


class Reader:
    """Reads one byte a call, as grpc.aio does."""

    def __init__(self, wake: socket.socket) -> None:
        self.wake = wake
        self.calls = 0

    def ready(self) -> None:
        self.wake.recv(1)
        self.calls += 1


class GrpcReader(Reader):
    __module__ = "grpc._cython.cygrpc"


async def idle_turns() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize(("kind", "calls"), [(GrpcReader, 1), (Reader, 5)])
def test_five_wake_bytes_are_one_call_for_grpc_and_five_for_others(kind: type[Reader], calls: int) -> None:
    loop = BurstLoop()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        reader = kind(ours)
        theirs.send(b"11111")
        loop.add_reader(ours, reader.ready)
        loop.run_until_complete(idle_turns())
        assert reader.calls == calls
        theirs.send(b"1")
        loop.run_until_complete(idle_turns())
        assert reader.calls == calls + 1
        loop.remove_reader(ours)
    loop.close()


def test_the_reader_of_the_real_grpc_is_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    wrapped: list[Any] = []
    original = room._once_a_burst

    def spy(*args: Any) -> Any:
        wrapped.append(args)
        return original(*args)

    async def start() -> None:
        grpc.aio.init_grpc_aio()
        grpc.aio.shutdown_grpc_aio()

    monkeypatch.setattr(room, "_once_a_burst", spy)
    loop = BurstLoop()
    asyncio.set_event_loop(loop)
    loop.run_until_complete(start())
    asyncio.set_event_loop(None)
    loop.close()
    assert len(wrapped) == 1
