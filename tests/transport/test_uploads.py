"""Services whose requests are a stream: what a desk is sent, and what ends it."""

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import grpc
import pytest
import trio
from gavelport.v1 import lobby_pb2
from gavelport_server.transport import calls, services
from gavelport_server.transport.client import Client
from gavelport_server.transport.link import ServiceError
from structlog.testing import capture_logs

from tests.transport.desks import PATIENCE_S, SECRET, House, at_home
from tests.transport.worlds import GUEST, THREAD, World

BOTH = pytest.mark.parametrize("world", [THREAD, GUEST], ids=lambda world: world.name)
METHOD = "/gavelport.v1.LobbyService/Submit"


def chunk(data: bytes) -> lobby_pb2.SubmitRequest:
    return lobby_pb2.SubmitRequest(chunk=data)


def sent(*chunks: bytes) -> Callable[[Client], tuple[str, int]]:
    def ask(client: Client) -> tuple[str, int]:
        requests = map(chunk, chunks)
        told = client.upload(requests, lobby_pb2.SubmitRequest, lobby_pb2.SubmitResponse).submission
        return told.bot, told.id

    return ask


def stalling(house: House, first: Iterable[bytes], act: Callable[[Any], Any]) -> tuple[str, str]:
    """How a call ends that sends these requests and then nothing, once `act` has been done to it."""
    stop = threading.Event()

    def requests() -> Iterator[bytes]:
        yield from first
        stop.wait(PATIENCE_S)

    with grpc.insecure_channel(house.target) as channel:
        method: Any = channel.stream_unary(METHOD)
        call = method.future(requests(), metadata=[("authorization", "Bearer me")], timeout=PATIENCE_S)
        act(call)
        try:
            with pytest.raises((grpc.RpcError, grpc.FutureCancelledError)) as ended:
                call.result()
        finally:
            stop.set()
        error: Any = ended.value
        return (error.code().name, str(error.details())) if isinstance(error, grpc.RpcError) else ("CANCELLED", "")


def nothing(_call: object) -> None:
    pass


@BOTH
def test_a_stream_of_requests_is_answered_at_its_end(world: World) -> None:
    def act(house: House) -> list[object]:
        with house.client("ann") as client:
            told = [sent(*[bytes(32_000)] * 100)(client), sent()(client), sent(b"enough", b"more")(client)]
        return [*told, *house.lobby.ended]

    assert at_home(world, act) == [("ann", 3_200_000), ("ann", 0), ("early", 6), "whole", "whole"]


@BOTH
@pytest.mark.parametrize(
    ("token", "chunks", "code", "text"),
    [
        ("", [b"x"], "UNAUTHENTICATED", "no token"),
        ("refused", [b"x"] * 50, "FAILED_PRECONDITION", "nothing is taken here"),
        ("me", [b"x", bytes(70_000)], "RESOURCE_EXHAUSTED", "Received message larger than max"),
    ],
)
def test_what_may_not_be_sent_is_refused(world: World, token: str, chunks: list[bytes], code: str, text: str) -> None:
    found, told = at_home(world, lambda house: house.code(sent(*chunks), token))
    assert (found, text in told) == (code, True)


@BOTH
@pytest.mark.parametrize("chunks", [[b"leak"], [b"x", b"leak", b"x"], [b"never"]])
def test_what_a_desk_raises_is_logged_and_never_told(world: World, chunks: list[bytes]) -> None:
    with capture_logs() as logs:
        code, text = at_home(world, lambda house: house.code(sent(*chunks)))
    (entry,) = [entry for entry in logs if entry["log_level"] == "error"]
    assert (code, text) == ("INTERNAL", f"internal error {entry['error_id']}")
    assert SECRET not in text


def test_a_request_that_cannot_be_read_ends_the_stream_and_its_desk() -> None:
    def act(house: House) -> tuple[str, str]:
        with grpc.insecure_channel(house.target) as channel:
            method: Any = channel.stream_unary(METHOD)
            with pytest.raises(grpc.RpcError) as refused:
                method(iter([b"\xff"]), metadata=[("authorization", "Bearer me")], timeout=PATIENCE_S)
        error: Any = refused.value
        closed(house)
        return error.code().name, error.details()

    assert at_home(THREAD, act) == (
        "INVALID_ARGUMENT",
        "the request cannot be read as gavelport.v1.SubmitRequest",
    )


def wait_until(reached: Callable[[], object]) -> None:
    for _ in range(100 * PATIENCE_S):
        if reached():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it did not happen")


def closed(house: House) -> None:
    """Wait until the desk has been closed before its end."""
    wait_until(lambda: house.lobby.ended)
    assert house.lobby.ended == ["closed"]


@BOTH
def test_whoever_goes_or_sends_nothing_ends_the_desk(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "READ_S", 0.2)

    def act(house: House) -> tuple[str, str]:
        ended = stalling(house, [chunk(b"x").SerializeToString()], nothing)
        closed(house)
        return ended

    code, text = at_home(world, act)
    assert code == "DEADLINE_EXCEEDED"
    assert text.startswith("not everything was sent within 0.2 s after what came before, and 600 s in all")

    def gone(house: House) -> tuple[str, str]:
        def cancel(call: Any) -> None:
            wait_until(lambda: house.lobby.sent == 1)
            call.cancel()

        ended = stalling(house, [chunk(b"x").SerializeToString()], cancel)
        closed(house)
        return ended

    monkeypatch.setattr(calls, "READ_S", 20.0)
    assert at_home(world, gone)[0] == "CANCELLED"


def test_a_stream_that_trickles_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "UPLOAD_S", 0.3)

    def act(house: House) -> str:
        def trickle() -> Iterator[lobby_pb2.SubmitRequest]:
            for _ in range(100):
                yield chunk(b"x")
                threading.Event().wait(0.05)

        with house.client() as client, pytest.raises(ServiceError) as refused:
            client.upload(trickle(), lobby_pb2.SubmitRequest, lobby_pb2.SubmitResponse)
        closed(house)
        return refused.value.text

    assert "and 0.3 s in all" in at_home(THREAD, act)


def test_a_revoked_token_ends_the_stream() -> None:
    def act(house: House) -> tuple[str, str]:
        def revoked() -> Iterator[lobby_pb2.SubmitRequest]:
            yield chunk(b"x")
            wait_until(lambda: house.lobby.sent == 1)
            trio.from_thread.run_sync(house.door.revoke, "me", trio_token=token)
            yield chunk(b"x")

        token = trio.from_thread.run_sync(trio.lowlevel.current_trio_token)
        with house.client() as client, pytest.raises(ServiceError) as refused:
            client.upload(revoked(), lobby_pb2.SubmitRequest, lobby_pb2.SubmitResponse)
        closed(house)
        return refused.value.code.name, refused.value.text

    assert at_home(THREAD, act) == ("UNAUTHENTICATED", services.CLOSED)
