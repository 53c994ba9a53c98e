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


class Poller:
    """Stands for grpc.aio: a queue, and a byte for each operation in it; those of a dead loop make the reader raise."""

    __module__ = "grpc._cython.cygrpc"

    def __init__(self, wake: socket.socket, operations: list[str]) -> None:
        self.wake = wake
        self.queue = operations
        self.done: list[str] = []

    def ready(self) -> None:
        self.wake.recv(1)
        while self.queue:
            operation = self.queue.pop(0)
            if operation == "dead":
                raise RuntimeError("Event loop is closed")
            if operation == "broken":
                raise RuntimeError("broken")
            self.done.append(operation)


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


@pytest.mark.parametrize("operations", [["a", "dead", "b"], ["dead", "dead", "a", "b"], ["a", "b", "dead"]])
def test_operations_of_a_dead_loop_cost_no_others(operations: list[str]) -> None:
    complaints: list[dict[str, Any]] = []
    loop = BurstLoop()
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.send(b"1" * len(operations))
        poller = Poller(ours, operations)
        loop.add_reader(ours, poller.ready)
        loop.run_until_complete(idle_turns())
        loop.remove_reader(ours)
    loop.close()
    assert poller.done == ["a", "b"]
    assert complaints == []


def test_any_other_failure_of_the_reader_is_not_hidden() -> None:
    complaints: list[dict[str, Any]] = []
    loop = BurstLoop()
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.send(b"1")
        loop.add_reader(ours, Poller(ours, ["broken"]).ready)
        loop.run_until_complete(idle_turns())
        loop.remove_reader(ours)
    loop.close()
    assert [str(context["exception"]) for context in complaints] == ["broken"]


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
