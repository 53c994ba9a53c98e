"""What only the real server has: addresses, services beside play, breakdowns, and a quiet end."""

import asyncio
import contextlib
import logging
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
import trio
from gavelport_server.transport import bridge, home, link
from gavelport_server.transport.bridge import serve
from gavelport_server.transport.home import TransportError
from gavelport_server.transport.limits import Limits
from gavelport_server.transport.link import LostReason, StatusCode
from gavelport_server.transport.memory import Status
from grpc_health.v1 import health_pb2, health_pb2_grpc
from structlog.testing import capture_logs

from tests.transport.worlds import (
    GUEST,
    PATIENCE_S,
    THREAD,
    GrpcClient,
    Recorder,
    Stage,
    World,
    everywhere,
    play,
    status_of,
)

BOTH = pytest.mark.parametrize("world", [THREAD, GUEST], ids=lambda world: world.name)
SECRET = "the hidden card is a joker"


@pytest.mark.parametrize("address", ["0.0.0.0:0", "192.0.2.1:5000", "[::]:0", "example.org:80", ":0"])
async def test_plaintext_off_this_machine_is_refused_with_the_way_out(address: str) -> None:
    with pytest.raises(TransportError, match=r"refusing to serve without TLS on .*listen on 127\.0\.0\.1"):
        async with serve(Recorder(), address=address):
            pytest.fail("it served")


@BOTH
def test_a_taken_port_is_a_clear_error(world: World) -> None:
    async def main() -> None:
        async with serve(Recorder()) as first:
            with pytest.raises(TransportError, match=f"cannot listen on '{first.target}'"):
                async with serve(Recorder(), address=first.target):
                    pytest.fail("it served")

    world.run(main)


@BOTH
def test_a_unix_socket_serves(world: World, tmp_path: Path) -> None:
    async def main() -> None:
        recorder = Recorder()
        async with serve(recorder, address=f"unix:{tmp_path / 'play'}") as server:
            client = GrpcClient(server.target, {})
            await recorder.until(lambda: recorder.links)
            recorder.links[0].send(b"hello")
            assert await client.receive() == b"hello"
        client.close()

    world.run(main)


@BOTH
def test_more_connections_than_it_may_have_are_closed_at_once(world: World, tmp_path: Path) -> None:
    """Silent ones too, that answer each ping: they would take the server's files and memory."""
    path = str(tmp_path / "play")

    def connected() -> socket.socket:
        made = socket.socket(socket.AF_UNIX)
        made.settimeout(PATIENCE_S)
        made.connect(path)
        return made

    async def main() -> None:
        recorder = Recorder()
        async with serve(recorder, address=f"unix:{path}", limits=Limits(max_connections=2)) as server:
            held = [connected() for _ in range(2)]
            for one in held:  # the server's first word
                assert await trio.to_thread.run_sync(one.recv, 9)
            with connected() as third, contextlib.suppress(ConnectionResetError):
                assert await trio.to_thread.run_sync(third.recv, 9) == b""
            for one in held:
                one.close()
            client = GrpcClient(server.target, {})  # tries again until there is room
            await recorder.until(lambda: recorder.links)
        client.close()

    world.run(main)


@BOTH
def test_the_health_service_says_serving(world: World) -> None:
    def check(target: str) -> int:
        with grpc.insecure_channel(target) as channel:
            request = health_pb2.HealthCheckRequest(service="gavelport.v1.RefereeService")
            stub: Any = health_pb2_grpc.HealthStub(channel)
            status: int = stub.Check(request, wait_for_ready=True).status
            return status

    async def main() -> None:
        async with serve(Recorder()) as server:
            assert await trio.to_thread.run_sync(check, server.target) == health_pb2.HealthCheckResponse.SERVING

    world.run(main)


async def echo(request: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
    return request


async def leak(request: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
    raise LookupError(SECRET)


async def leak_in_a_stream(request: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> AsyncIterator[bytes]:
    yield b"first"
    raise LookupError(SECRET)


async def refuse(request: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
    await context.abort(grpc.StatusCode.NOT_FOUND, "no such thing")


METHODS: dict[str, Any] = {
    "Echo": grpc.unary_unary_rpc_method_handler(echo),
    "Leak": grpc.unary_unary_rpc_method_handler(leak),
    "LeakStream": grpc.unary_stream_rpc_method_handler(leak_in_a_stream),
    "Refuse": grpc.unary_unary_rpc_method_handler(refuse),
}
HANDLERS = [grpc.method_handlers_generic_handler("test.Extra", METHODS)]


def outcome_of(target: str, method: str) -> tuple[object, str]:
    """What a client gets: an answer with no text, or a status with its text."""
    with grpc.insecure_channel(target) as channel:
        kind: Any = channel.unary_stream if method == "LeakStream" else channel.unary_unary
        try:
            answer = kind(f"/test.Extra/{method}")(b"x", wait_for_ready=True)
            return (list(answer) if method == "LeakStream" else answer), ""
        except grpc.RpcError as error:
            return error.code(), error.details() or ""


@BOTH
@pytest.mark.parametrize("method", ["Leak", "LeakStream"])
def test_what_a_handler_raises_is_logged_and_never_told(world: World, method: str) -> None:
    async def main() -> tuple[object, str]:
        async with serve(Recorder(), handlers=HANDLERS) as server:
            return await trio.to_thread.run_sync(outcome_of, server.target, method)

    with capture_logs() as logs:
        code, text = world.run(main)
    (entry,) = [entry for entry in logs if entry["event"] == "handler_failed"]
    assert code is grpc.StatusCode.INTERNAL
    assert text == f"internal error {entry['error_id']}"
    assert entry["exc_info"]


def test_without_the_sanitiser_the_text_would_be_told(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> tuple[object, str]:
        server = grpc.aio.server()
        server.add_generic_rpc_handlers(tuple(HANDLERS))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        outcome = await asyncio.to_thread(outcome_of, f"127.0.0.1:{port}", "Leak")
        await server.stop(None)
        return outcome

    with caplog.at_level(logging.CRITICAL):
        _, text = asyncio.run(main())
    assert SECRET in text, "grpc.aio no longer leaks; then the test above shows nothing"


@BOTH
def test_further_handlers_answer_and_refuse_as_they_please(world: World) -> None:
    async def main() -> list[tuple[object, str]]:
        async with serve(Recorder(), handlers=HANDLERS) as server:
            return [await trio.to_thread.run_sync(outcome_of, server.target, name) for name in ("Echo", "Refuse", "No")]

    echoed, refused, unknown = world.run(main)
    assert echoed == (b"x", "")
    assert refused == (grpc.StatusCode.NOT_FOUND, "no such thing")
    assert unknown[0] is grpc.StatusCode.UNIMPLEMENTED


@BOTH
def test_a_breakdown_of_the_asyncio_side_ends_the_context_with_its_cause(world: World) -> None:
    async def break_down(request: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
        def fail() -> None:
            raise ZeroDivisionError("planted")

        asyncio.get_running_loop().call_soon(fail)
        return b""

    handler = grpc.method_handlers_generic_handler(
        "test.Extra", {"Echo": grpc.unary_unary_rpc_method_handler(break_down)}
    )

    async def main() -> None:
        with trio.fail_after(PATIENCE_S):
            async with serve(Recorder(), handlers=[handler]) as server:
                await trio.to_thread.run_sync(outcome_of, server.target, "Echo")
                await trio.sleep_forever()

    with pytest.raises(TransportError, match="broke down") as caught:
        world.run(main)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@everywhere(THREAD, GUEST)
async def test_a_flood_from_one_bot_arrives_whole_and_in_order(stage: Stage) -> None:
    client, link = await stage.join()
    flood = [n.to_bytes(4, "big") for n in range(5000)]
    for message in flood:
        await client.send(message)
    await stage.recorder.until(lambda: len(stage.recorder.received_by[link]) == len(flood))
    assert stage.recorder.received_by[link] == flood


@everywhere(THREAD)
async def test_what_was_on_its_way_when_the_link_was_closed_is_not_received(stage: Stage) -> None:
    client, link = await stage.join()

    def close_late(_link: object, message: bytes) -> None:
        stream = link._stream  # type: ignore[attr-defined]
        while stream._posted < 3:  # The asyncio thread reads on while this one is here.
            assert time.monotonic() < deadline
        link.close(StatusCode.ABORTED, "enough")

    deadline = time.monotonic() + PATIENCE_S
    stage.recorder.on_received = close_late
    for word in (b"one", b"two", b"three"):
        await client.send(word)
    await stage.recorder.until_lost(link)
    assert stage.recorder.received_by[link] == [b"one"]


@everywhere(THREAD, GUEST)
async def test_many_streams_at_once_lose_no_message(stage: Stage) -> None:
    rounds = 50
    stage.recorder.on_received = lambda link, message: link.send(message)
    clients = [(await stage.join())[0] for _ in range(12)]

    async def play(client: Any) -> None:
        for number in range(rounds):
            await client.send(bytes([number]))
            assert await client.receive() == bytes([number])

    async with trio.open_nursery() as nursery:
        for client in clients:
            nursery.start_soon(play, client)
    assert [len(got) for got in stage.recorder.received_by.values()] == [rounds] * len(clients)


@everywhere(THREAD, GUEST)
async def test_a_task_of_trio_that_the_listener_wakes_runs_at_once(stage: Stage) -> None:
    woken = trio.Event()
    stage.recorder.on_received = lambda *_: woken.set()
    client, _ = await stage.join()
    await client.send(b"x")
    with trio.fail_after(PATIENCE_S):
        await woken.wait()


@everywhere(THREAD, GUEST)
async def test_a_deadline_that_the_listener_moves_holds(stage: Stage) -> None:
    scope = trio.CancelScope()

    def move(link: object, message: bytes) -> None:
        scope.deadline = trio.current_time()

    stage.recorder.on_received = move
    client, _ = await stage.join()
    with scope, trio.fail_after(PATIENCE_S):
        await client.send(b"x")
        await trio.sleep_forever()
    assert scope.cancelled_caught


BOT = """
import sys, threading, grpc
play = grpc.insecure_channel(sys.argv[1]).stream_stream("/gavelport.v1.RefereeService/Play")
call = play(iter(threading.Event().wait, None))
print(next(call).decode(), flush=True)
threading.Event().wait()
"""


@everywhere(THREAD, GUEST)
async def test_the_stage_can_be_left_with_streams_open(stage: Stage) -> None:
    for _ in range(5):
        await stage.join()


def start_bot(command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


async def in_bot_process(run: Callable[[Recorder, Any, Any], Any], limits: Limits = Limits()) -> Recorder:  # noqa: B008
    """A server and one bot process that reads one message and then nothing more."""
    recorder = Recorder(on_opened=lambda link: link.send(b"ready"))
    bots: list[subprocess.Popen[str]] = []
    try:
        with trio.fail_after(2 * PATIENCE_S):
            async with serve(recorder, limits=limits) as server:
                command = [sys.executable, "-c", BOT, server.target]
                bots.append(await trio.to_thread.run_sync(start_bot, command))
                assert bots[0].stdout is not None
                assert await trio.to_thread.run_sync(bots[0].stdout.readline) == "ready\n"
                await run(recorder, recorder.links[0], bots[0])
    finally:
        for bot in bots:
            bot.kill()
            bot.communicate()
    return recorder


@BOTH
def test_a_bot_that_is_killed_is_lost(world: World) -> None:
    async def kill(recorder: Recorder, link: Any, bot: Any) -> None:
        bot.kill()
        assert await recorder.until_lost(link) is LostReason.CANCELLED

    recorder = world.run(in_bot_process, kill)
    assert list(recorder.lost_by.values()) == [[LostReason.CANCELLED]]


@BOTH
def test_a_bot_process_that_never_reads_holds_up_neither_its_link_nor_the_end(world: World) -> None:
    async def stuff(recorder: Recorder, link: Any, bot: Any) -> None:
        while not recorder.lost_by[link]:  # Until sockets, flow control and the queue are full, and the grace is over.
            link.send(bytes(100_000))
            await trio.lowlevel.checkpoint()
        assert bot.poll() is None

    recorder = world.run(in_bot_process, stuff, Limits(close_grace_ms=50))
    assert list(recorder.lost_by.values()) == [[LostReason.OVERFLOW]]


@BOTH
def test_shutting_down_does_not_wait_for_a_bot_that_never_reads(world: World) -> None:
    async def fill(recorder: Recorder, link: Any, bot: Any) -> None:
        for _ in range(100):
            link.send(bytes(200_000))

    limits = Limits(close_grace_ms=50, max_queued_bytes=64 * 1024 * 1024)
    recorder = world.run(in_bot_process, fill, limits)
    assert list(recorder.lost_by.values()) == [[LostReason.SHUTDOWN]]


NOISY = """
import trio
from gavelport_server.transport import bridge, home, link
from gavelport_server.transport.bridge import serve
from gavelport_server.transport.limits import Limits
from tests.transport.worlds import GrpcClient, Recorder

async def main():
    recorder = Recorder()
    async with serve(recorder, limits=Limits(close_grace_ms=50, max_queued_bytes=1 << 30)) as server:
        clients = [GrpcClient(server.target, {}) for _ in range(8)]
        await recorder.until(lambda: len(recorder.links) == 8)
        clients[0].cancel()
        clients[1].close()
        recorder.links[2].cancel()
        for _ in range(100):
            recorder.links[3].send(bytes(200_000))
        for _ in range(100):
            recorder.links[4].send(bytes(200_000))
        recorder.links[4].cancel()
    for client in clients:
        client.close()
    assert all(len(reasons) == 1 for reasons in recorder.lost_by.values())

RUN(main)
"""


@pytest.mark.parametrize("runner", ["trio.run", "home.run"])
def test_nothing_is_written_to_stderr_when_streams_are_cut_off(runner: str) -> None:
    command = [sys.executable, "-c", NOISY.replace("RUN", runner)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    noise = [line for line in done.stderr.splitlines() if "fork" not in line]
    assert (done.returncode, noise) == (0, [])


def test_run_returns_and_raises_what_the_program_does() -> None:
    async def give(value: int) -> int:
        await trio.lowlevel.checkpoint()
        return value

    async def fail() -> None:
        raise ZeroDivisionError("planted")

    assert home.run(give, 7) == 7
    with pytest.raises(ZeroDivisionError, match="planted"):
        home.run(fail)


INTERRUPTED = """
import os, signal, trio
from gavelport_server.transport import bridge, home, link
from gavelport_server.transport.bridge import serve
from tests.transport.worlds import Recorder

async def main():
    async with serve(Recorder()):
        print("up", flush=True)
        await trio.sleep_forever()

try:
    home.run(main)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_an_interrupt_reaches_a_guest_program() -> None:
    command = [sys.executable, "-c", INTERRUPTED]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "up\n"
        program.send_signal(2)
        out, err = program.communicate(timeout=PATIENCE_S)
    assert (program.returncode, out, err) == (0, "interrupted\n", "")


def test_codes_are_those_of_grpc() -> None:
    by_name = {code.name: code.value[0] for code in grpc.StatusCode}
    assert {code.name: code.value for code in StatusCode}.items() <= by_name.items()


@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("ipv4:192.0.2.7:4711", "192.0.2.7"),
        ("ipv6:%5B2001:db8::7%5D:4711", "2001:db8::7"),
        ("ipv4:127.0.0.1:4711", ""),
        ("ipv6:%5B::1%5D:4711", ""),
        ("unix:", ""),
        ("unix:/run/play", ""),
    ],
)
def test_only_remote_addresses_are_counted_by_host(peer: str, host: str) -> None:
    assert link.remote_host(peer) == host


@BOTH
def test_a_host_has_no_more_streams_than_it_may(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "remote_host", lambda _: "192.0.2.7")  # As if these bots were on one remote machine.

    async def scenario(stage: Stage) -> None:
        client, link = await stage.join()
        await stage.join()
        status = await status_of(stage.connect({}))
        assert status == Status(StatusCode.RESOURCE_EXHAUSTED, "too many streams from this address")
        await client.half_close()
        await stage.recorder.until_lost(link)
        await status_of(client)
        await stage.join()

    play(world, scenario, Limits(max_streams_per_host=2))


@pytest.mark.long
@BOTH
def test_a_bot_that_is_stopped_is_lost_by_keepalive(world: World) -> None:
    async def stop(recorder: Recorder, link: Any, bot: Any) -> None:
        bot.send_signal(signal.SIGSTOP)
        assert await recorder.until_lost(link) is LostReason.CANCELLED

    world.run(in_bot_process, stop, Limits(keepalive_interval_ms=1000, keepalive_timeout_ms=1000))
