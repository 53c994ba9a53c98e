"""Streams whose callers go at any moment: each is counted out once, and its desk let go."""

import threading
from collections.abc import Iterator
from typing import Any

import grpc
import trio
import trio.testing
from gavelport.v1 import lobby_pb2
from gavelport_server.transport.methods import Rpc
from gavelport_server.transport.services import MAX_STREAMS, Call, Services
from gavelport_server.transport.taken import Taken
from structlog.testing import capture_logs

from tests.transport.desks import PATIENCE_S, House, Lobby, OpenDoor, Visitor, at_home
from tests.transport.test_uploads import METHOD, chunk, wait_until
from tests.transport.worlds import THREAD

CALL = Call("Submit", frozenset({"bot"}), "Bearer me", "")


class SlowDoor(OpenDoor):
    """Lets in when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.opened = trio.Event()

    async def admit(self, call: Call) -> Visitor:
        await self.opened.wait()
        return await super().admit(call)


class Guarded(Lobby):
    """A desk one of whose steps takes as long as is wanted."""

    def __init__(self) -> None:
        super().__init__()
        self.entered, self.go_on = threading.Event(), threading.Event()

    def submit(self, caller: Visitor) -> Any:
        try:
            yield
            self.entered.set()
            assert self.go_on.wait(PATIENCE_S)
            yield
        finally:
            self.ended.append("closed")


def submit_of(desk: Lobby, door: OpenDoor) -> tuple[Services, Rpc]:
    services = Services({lobby_pb2.DESCRIPTOR.services_by_name["LobbyService"]: desk}, door)
    (rpcs,) = services.rpcs.values()
    return services, next(rpc for rpc in rpcs if rpc.method.name == "Submit")


async def test_whoever_goes_before_being_let_in_is_never_counted() -> None:
    door = SlowDoor()
    services, rpc = submit_of(Lobby(), door)
    for _ in range(MAX_STREAMS + 1):
        taken = Taken(services, rpc)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(taken.begin, CALL)
            await trio.testing.wait_all_tasks_blocked()
            await taken.end()
            door.opened.set()
        door.opened = trio.Event()
    door.opened.set()
    await Taken(services, rpc).begin(CALL)


async def test_a_step_that_was_given_up_is_let_end_before_its_desk_is_closed() -> None:
    desk = Guarded()
    services, rpc = submit_of(desk, OpenDoor())
    taken = Taken(services, rpc)
    await taken.begin(CALL)
    await taken.feed(None)
    with trio.CancelScope() as step:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(taken.feed, chunk(b"x"))
            await trio.to_thread.run_sync(desk.entered.wait)
            step.cancel()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(taken.end)
        await trio.testing.wait_all_tasks_blocked(0.01)
        assert desk.ended == []
        desk.go_on.set()
    assert desk.ended == ["closed"]


def test_cancelled_uploads_leave_their_token_its_streams() -> None:
    def act(house: House) -> bool:
        with grpc.insecure_channel(house.target) as channel:
            method: Any = channel.stream_unary(METHOD)

            def upload(requests: Iterator[bytes]) -> Any:
                return method.future(requests, metadata=[("authorization", "Bearer me")])

            for number in range(200):
                call = upload(iter([chunk(b"x").SerializeToString()] * 3))
                threading.Event().wait(number % 20 / 4000)
                call.cancel()

            def all_are_free() -> bool:
                """Whether as many uploads as a token may have are taken at once."""
                before, stop = house.lobby.sent, threading.Event()

                def held() -> Iterator[bytes]:
                    yield chunk(b"x").SerializeToString()
                    stop.wait(PATIENCE_S)

                uploads = [upload(held()) for _ in range(MAX_STREAMS)]
                wait_until(lambda: any(one.done() for one in uploads) or house.lobby.sent == before + MAX_STREAMS)
                are_free = not any(one.done() for one in uploads)
                stop.set()
                return are_free and all(one.result() for one in uploads)

            wait_until(all_are_free)
            return True

    with capture_logs() as logs:
        assert at_home(THREAD, act)
    assert [entry for entry in logs if entry["log_level"] == "error"] == []
