"""Services over real sockets: what a desk does, what its callers are told, and what must never be told."""

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
import trio
from gavelport.v1 import archive_pb2, lobby_pb2, spectate_pb2
from gavelport_server.transport import calls, linked, services
from gavelport_server.transport.bridge import serve
from gavelport_server.transport.client import Client
from gavelport_server.transport.limits import Limits
from gavelport_server.transport.link import ServiceError, StatusCode
from gavelport_server.transport.services import MAX_STREAMS, Services
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from structlog.testing import capture_logs

from tests.transport.desks import (
    PATIENCE_S,
    Archive,
    House,
    Lobby,
    OpenDoor,
    Spectate,
    at_home,
    bots,
    downloaded,
    register,
    watched,
)
from tests.transport.worlds import GUEST, THREAD, Recorder, World

BOTH = pytest.mark.parametrize("world", [THREAD, GUEST], ids=lambda world: world.name)


@BOTH
def test_all_kinds_of_method_answer(world: World) -> None:
    def act(house: House) -> list[object]:
        with house.client("ann") as client:
            return [ask(client) for ask in (register("x"), bots, downloaded(5), watched("3"))]

    assert at_home(world, act) == ["x of ann", "ann", 5, [0, 1, 2]]


@BOTH
def test_refusals_are_told(world: World) -> None:
    def act(house: House) -> list[tuple[str, str]]:
        return [
            house.code(register("refuse")),
            house.code(downloaded(5), "refused"),
            house.code(watched("unknown")),
            *(house.code(ask, "") for ask in (register("x"), bots, downloaded(1), watched("1"))),
        ]

    assert at_home(world, act) == [
        ("ALREADY_EXISTS", "that name is taken — ☂"),
        ("NOT_FOUND", "no further"),
        ("NOT_FOUND", "no such match runs"),
        *[("UNAUTHENTICATED", "no token")] * 4,
    ]


@BOTH
@pytest.mark.parametrize(
    ("ask", "token"),
    [
        (register("leak"), "me"),
        (bots, "leaker"),
        (downloaded(5), "leaker"),
        (watched("leak"), "me"),
        (watched("many"), "me"),
        (bots, "trap"),
        (watched("1"), "trap"),
        (downloaded(1), "trap"),
        (lambda client: client.call(archive_pb2.ListMatchesRequest(), archive_pb2.ListMatchesResponse), "me"),
        (lambda client: client.call(lobby_pb2.ListTokensRequest(), lobby_pb2.ListTokensResponse), "me"),
    ],
    ids=[
        "thread",
        "trio",
        "stream",
        "link",
        "link later",
        "door",
        "door of a link",
        "door of a stream",
        "none",
        "text",
    ],
)
def test_what_a_desk_raises_is_logged_and_never_told(world: World, ask: Callable[[Client], Any], token: str) -> None:
    with capture_logs() as logs:
        code, text = at_home(world, lambda house: house.code(ask, token))
    (entry,) = [entry for entry in logs if entry["log_level"] == "error"]
    assert (code, text) == ("INTERNAL", f"internal error {entry['error_id']}")
    assert entry["exc_info"]


def test_when_to_try_again_is_told() -> None:
    def act(house: House) -> float | None:
        with house.client("late") as client, pytest.raises(ServiceError, match="not so often") as refused:
            bots(client)
        return refused.value.retry_s

    assert at_home(THREAD, act) == 2.5


def raw(house: House, method: str, message: bytes) -> tuple[str, str]:
    """How a call with such bytes is refused."""
    with grpc.insecure_channel(house.target) as channel:
        streams = method.endswith(("Watch", "DownloadReplays"))
        call: Any = (channel.unary_stream if streams else channel.unary_unary)(method)
        metadata = [("authorization", "Bearer me")]
        take: Callable[[Any], Any] = list if streams else str
        with pytest.raises(grpc.RpcError) as refused:
            take(call(message, metadata=metadata, timeout=PATIENCE_S))
        error: Any = refused.value
        return error.code().name, error.details()


def test_a_request_that_cannot_be_read_or_is_too_long_is_refused() -> None:
    methods = ("LobbyService/RegisterBot", "ReplayService/DownloadReplays", "SpectateService/Watch")

    def act(house: House) -> list[tuple[str, str]]:
        return [
            raw(house, f"/gavelport.v1.{method}", message) for message in (b"\xff", bytes(70_000)) for method in methods
        ]

    found = at_home(THREAD, act)
    assert found[:3] == [
        ("INVALID_ARGUMENT", f"the request cannot be read as gavelport.v1.{name}Request")
        for name in ("RegisterBot", "DownloadReplays", "Watch")
    ]
    assert {code for code, _ in found[3:]} == {"RESOURCE_EXHAUSTED"}


def test_a_method_or_service_that_there_is_not_is_unimplemented() -> None:
    def act(house: House) -> set[str]:
        return {raw(house, f"/gavelport.v1.{name}", b"")[0] for name in ("LobbyService/Rob", "AdminService/GetStatus")}

    assert at_home(THREAD, act) == {"UNIMPLEMENTED"}


@BOTH
def test_a_call_that_takes_too_long_ends(world: World) -> None:
    code, text = at_home(world, lambda house: house.code(bots, "sleeper"), unary_s=0.1)
    assert code == "DEADLINE_EXCEEDED"
    assert "did not manage this within 0.1 s" in text


@BOTH
def test_a_caller_that_goes_ends_its_call(world: World) -> None:
    def act(house: House) -> bool:
        with grpc.insecure_channel(house.target) as channel:
            call: Any = channel.unary_unary("/gavelport.v1.LobbyService/ListBots")
            future = call.future(b"", metadata=[("authorization", "Bearer sleeper")])
            while not house.door.shown:
                threading.Event().wait(0.01)
            future.cancel()
        return bool(future.cancelled())

    # at_home waits until the server has forgotten the call, which is long before it would answer.
    assert at_home(world, act) is True


def test_a_slow_reader_holds_a_stream_back_and_goes() -> None:
    def act(house: House) -> int:
        with house.client() as client:
            answers = client.stream(
                archive_pb2.DownloadReplaysRequest(match_id="10000"), archive_pb2.DownloadReplaysResponse
            )
            next(answers)
            made, before = house.archive.made, -1
            while made != before:
                threading.Event().wait(0.3)
                made, before = house.archive.made, made
            answers.close()  # type: ignore[attr-defined] # it is a generator
        assert house.archive.closed.wait(PATIENCE_S), "the desk's generator is closed when the caller goes"
        return made

    made = at_home(THREAD, act)
    assert 1 <= made < 400, "6 MB of 600 fit into the buffers, and no more is made"


def test_a_reader_that_never_reads_on_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "WRITE_S", 0.2)

    def act(house: House) -> str:
        with house.client() as client:
            answers = client.stream(
                archive_pb2.DownloadReplaysRequest(match_id="10000"), archive_pb2.DownloadReplaysResponse
            )
            next(answers)
            assert house.archive.closed.wait(PATIENCE_S)
            with pytest.raises(ServiceError) as refused:
                list(answers)
        return refused.value.text

    assert "was not read within 0.2 s; read faster" in at_home(THREAD, act)


@BOTH
def test_a_link_whose_reader_is_too_slow_is_closed(world: World) -> None:
    code, text = at_home(world, lambda house: house.code(watched("400")), limits=Limits(max_queued_messages=20))
    assert (code, text) == ("RESOURCE_EXHAUSTED", "more than 20 messages are waiting to be read; read faster")


@BOTH
def test_a_link_is_told_lost_once_however_it_ends(world: World) -> None:
    def act(house: House) -> int:
        with house.client() as client:
            watched("3")(client)
            request = spectate_pb2.WatchRequest(match_id="1")
            answers = client.stream(request, spectate_pb2.WatchResponse)
            next(answers)
            answers.close()  # type: ignore[attr-defined] # it is a generator
            house.code(watched("leak"))
        return len(house.spectate.links)

    async def main() -> tuple[int, int]:
        house = House("", OpenDoor(), Archive(), Spectate())
        desks = {spectate_pb2.DESCRIPTOR.services_by_name["SpectateService"]: house.spectate}
        async with serve(Recorder(), services=Services(desks, house.door)) as bridge:
            house.target = bridge.target
            opened = await trio.to_thread.run_sync(act, house)
        return opened, house.spectate.lost

    assert world.run(main) == (2, 2)


def test_a_revoked_token_cuts_links_and_streams() -> None:
    def act(house: House) -> list[tuple[str, str]]:
        def revoke_then_read(request: Any, response: Any) -> tuple[str, str]:
            with house.client("ann") as client:
                answers = client.stream(request, response)
                next(answers)
                trio.from_thread.run_sync(house.door.revoke, "ann")
                with pytest.raises(ServiceError) as refused:
                    list(answers)
            house.door.closed.clear()
            return refused.value.code.name, refused.value.text

        return [
            revoke_then_read(spectate_pb2.WatchRequest(match_id="1"), spectate_pb2.WatchResponse),
            revoke_then_read(archive_pb2.DownloadReplaysRequest(match_id="10000"), archive_pb2.DownloadReplaysResponse),
        ]

    assert at_home(THREAD, act) == [("UNAUTHENTICATED", services.CLOSED)] * 2


def test_a_token_has_no_more_streams_and_calls_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    def act(house: House) -> list[tuple[str, str]]:
        with house.client("ann") as client:
            request = spectate_pb2.WatchRequest(match_id="1")
            streams = [client.stream(request, spectate_pb2.WatchResponse) for _ in range(MAX_STREAMS)]
            for one in streams:
                next(one)
            refused = [house.code(watched("1"), "ann")]
            monkeypatch.setattr(services, "MAX_CALLS", MAX_STREAMS)
            refused.append(house.code(bots, "ann"))
            with house.client("bob") as other:
                assert bots(other) == "bob"
            for one in streams:
                one.close()  # type: ignore[attr-defined] # it is a generator
        return refused

    assert at_home(THREAD, act) == [
        ("RESOURCE_EXHAUSTED", f"{most} with this token are {what}")
        for most, what in (
            (f"{MAX_STREAMS} streams", "open already; close one"),
            (f"{MAX_STREAMS} calls", "running already; wait until one is over"),
        )
    ]


def test_a_link_without_a_request_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linked, "REQUEST_S", 0.1)

    def act(house: House) -> str:
        stop = threading.Event()
        with grpc.insecure_channel(house.target) as channel:
            call: Any = channel.stream_stream("/gavelport.v1.SpectateService/Watch")

            def silence() -> Iterator[bytes]:
                stop.wait()
                yield from ()

            with pytest.raises(grpc.RpcError) as refused:
                next(call(silence(), metadata=[("authorization", "Bearer me")], timeout=PATIENCE_S))
            stop.set()
            error: Any = refused.value
            return str(error.details())

    assert at_home(THREAD, act) == "no request within 0.1 s"


def test_a_server_that_stops_ends_what_runs() -> None:
    def act(house: House, watching: trio.Event) -> None:
        with house.client() as client:
            answers = client.stream(spectate_pb2.WatchRequest(match_id="1"), spectate_pb2.WatchResponse)
            next(answers)
            trio.from_thread.run_sync(watching.set)
            with pytest.raises(ServiceError) as refused:
                list(answers)
            assert refused.value.code is StatusCode.UNAVAILABLE

    async def main() -> int:
        house = House("", OpenDoor(), Archive(), Spectate())
        desks = {spectate_pb2.DESCRIPTOR.services_by_name["SpectateService"]: house.spectate}
        watching = trio.Event()
        async with (
            trio.open_nursery() as nursery,
            serve(Recorder(), services=Services(desks, house.door)) as bridge,
        ):
            house.target = bridge.target
            nursery.start_soon(trio.to_thread.run_sync, act, house, watching)
            await watching.wait()
        return house.spectate.lost

    assert trio.run(main) == 1


def test_reflection_tells_the_services_only_where_it_is_asked_for() -> None:
    def names(target: str) -> list[str]:
        with grpc.insecure_channel(target) as channel:
            stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
            request = reflection_pb2.ServerReflectionRequest(list_services="")
            try:
                answer = next(stub.ServerReflectionInfo(iter([request]), timeout=PATIENCE_S))
            except grpc.RpcError as error:
                return [error.code().name]
            return [one.name for one in answer.list_services_response.service]

    async def main(reflects: bool) -> list[str]:
        desks = {lobby_pb2.DESCRIPTOR.services_by_name["LobbyService"]: Lobby()}
        async with serve(Recorder(), services=Services(desks, OpenDoor()), reflects=reflects) as bridge:
            return await trio.to_thread.run_sync(names, bridge.target)

    assert {"gavelport.v1.LobbyService", "gavelport.v1.RefereeService"} <= set(trio.run(main, True))
    assert trio.run(main, False) == ["UNIMPLEMENTED"]


def test_a_desk_without_a_method_and_an_rpc_without_scope_are_refused() -> None:
    service = spectate_pb2.DESCRIPTOR.services_by_name["SpectateService"]
    with pytest.raises(ValueError, match="object has no watch, which is to serve Watch"):
        Services({service: object()}, OpenDoor())


def test_streams_step_one_at_a_time_and_leave_time_to_others() -> None:
    """With four streams of steps that take 20 ms, no two overlap, and as long as each took nothing is made."""
    spans: list[tuple[float, float]] = []

    class Slow(Archive):
        def download_replays(self, caller: Any, request: Any) -> Iterator[archive_pb2.DownloadReplaysResponse]:  # type: ignore[override]
            for _ in range(5):
                began = time.monotonic()
                time.sleep(0.02)
                spans.append((began, time.monotonic()))
                yield archive_pb2.DownloadReplaysResponse(data=b"x")

    def act(target: str) -> None:
        with Client(target, "ann") as client:
            request = archive_pb2.DownloadReplaysRequest()

            def read() -> None:
                assert len(list(client.stream(request, archive_pb2.DownloadReplaysResponse))) == 5

            readers = [threading.Thread(target=read) for _ in range(4)]
            for one in readers:
                one.start()
            for one in readers:
                one.join(PATIENCE_S)

    async def main() -> None:
        bound = Services({archive_pb2.DESCRIPTOR.services_by_name["ReplayService"]: Slow()}, OpenDoor())
        async with serve(Recorder(), services=bound) as bridge:
            await trio.to_thread.run_sync(act, bridge.target)

    trio.run(main)
    assert len(spans) == 20
    for (began, ended), (following, _) in itertools.pairwise(spans):
        assert following - ended >= 0.9 * (ended - began)
