"""A server's pages come from a process of their own, which may fail without anybody but its readers noticing."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import structlog
import trio
from gavelport_server.conduct.ladder.listing import RunningMatch
from gavelport_server.pages import elsewhere, server
from gavelport_server.pages.elsewhere import Elsewhere
from gavelport_server.storage.sql import SqlStore
from starlette.routing import Mount, Router

from tests.conduct.test_process import are_gone

STUB = """
import sys, threading, http.server

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        said = f"{self.path} {self.headers.get('cookie')} {self.headers.get('accept')}".encode()
        if self.path == "/crash":
            import os
            os._exit(7)
        self.send_response(203)
        self.send_header("x-own", "yes")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for part in (said, b"."):
            self.wfile.write(b"%x\\r\\n%s\\r\\n" % (len(part), part))
        self.wfile.write(b"0\\r\\n\\r\\n")

    do_HEAD = do_GET

    def log_message(self, *_):
        pass

served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(served.server_address[1], flush=True)
threading.Thread(target=served.serve_forever, daemon=True).start()
sys.stdin.readline()
sys.stdin.read(1)
"""


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "pages_stub.py").write_text(STUB)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(elsewhere, "AGAIN_S", 0.1)
    return "pages_stub"


async def asked(port: int, path: str, head: str = "") -> str:
    told = b""
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        await stream.send_all(f"GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{head}\r\n".encode())
        with trio.fail_after(20):
            while part := await stream.receive_some():
                told += part
    return told.decode()


async def until(port: int, path: str, status: str) -> str:
    with trio.fail_after(30):
        while status not in (told := await asked(port, path)).partition("\r\n")[0]:  # noqa: ASYNC110
            await trio.sleep(0.1)
    return told


async def start(nursery: trio.Nursery, pages: Elsewhere) -> int:
    nursery.start_soon(pages.run)
    url = await nursery.start(server.serve_http, Router([Mount("/", pages)]), "127.0.0.1:0")
    return int(url.rpartition(":")[2])


async def test_what_is_asked_is_passed_on_and_what_is_answered_comes_back(tmp_path: Path, stub: str) -> None:
    async with trio.open_nursery() as nursery:
        port = await start(nursery, Elsewhere(tmp_path, module=stub))
        told = await until(port, "/some%20path?a=b%26", "203")
        assert "x-own: yes" in told
        assert "/some%20path?a=b%26 None None" in told
        told = await asked(port, "/", "cookie: secret\r\naccept: text/html\r\n")
        assert "/ None text/html" in told
        nursery.cancel_scope.cancel()


async def test_a_process_that_ends_is_started_anew(tmp_path: Path, stub: str) -> None:
    with structlog.testing.capture_logs() as logs:
        async with trio.open_nursery() as nursery:
            port = await start(nursery, Elsewhere(tmp_path, module=stub))
            assert "203" in (await asked(port, "/")).partition("\r\n")[0]  # it is waited for
            await asked(port, "/crash")
            await until(port, "/", "203")
            nursery.cancel_scope.cancel()
    assert ("pages_ended", 7) in [(line["event"], line.get("exit_code")) for line in logs]


async def test_a_process_that_does_not_start_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elsewhere, "START_S", 0.1)
    async with trio.open_nursery() as nursery:
        port = await start(nursery, Elsewhere(tmp_path, module="pages_that_are_not_there"))
        assert "the pages are being started; try again in a few seconds" in await asked(port, "/")
        told = await asked(port, "/", "accept: text/html\r\n")
        assert " 503 " in told.partition("\r\n")[0]
        assert "<p>The pages are being started; try again in a few seconds.</p>" in told
        nursery.cancel_scope.cancel()


async def test_a_process_that_hangs_is_ended_and_the_next_one_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("AGAIN_S", 0.1), ("PING_S", 0.05), ("ANSWER_S", 1.0)):
        monkeypatch.setattr(elsewhere, name, value)
    SqlStore.in_folder(tmp_path / "data", create=True).close()
    begun = processes(monkeypatch)
    with structlog.testing.capture_logs() as logs:
        async with trio.open_nursery() as nursery:
            port = await start(nursery, Elsewhere(tmp_path / "data"))
            await until(port, "/", "200")
            assert " 200 " in (await asked(port, "/", "x-alive: 1\r\n")).partition("\r\n")[0], "it asks, nobody else"
            begun[0].send_signal(signal.SIGSTOP)
            told = await until(port, "/", "200")
            assert "text/html" in told
            assert len(begun) == 2
            assert begun[0].returncode == -signal.SIGKILL
            assert begun[1].returncode is None
            nursery.cancel_scope.cancel()
    assert [line["event"] for line in logs if line["event"].startswith("pages")] == ["pages_silent"]


async def test_a_process_of_which_nothing_is_heard_is_ended(
    tmp_path: Path, stub: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = tmp_path / "pids"
    (tmp_path / f"{stub}.py").write_text(
        "import subprocess, sys\n"
        "worker = subprocess.Popen(['sleep', '600'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)\n"
        f"print(worker.pid, file=open({str(pids)!r}, 'a'), flush=True)\n"
        "sys.stdin.readline(); sys.stdin.read(1)"
    )
    monkeypatch.setattr(elsewhere, "BEGIN_S", 0.5)
    monkeypatch.setattr(elsewhere, "START_S", 0.1)
    begun = processes(monkeypatch)
    with structlog.testing.capture_logs() as logs:
        async with trio.open_nursery() as nursery:
            port = await start(nursery, Elsewhere(tmp_path, module=stub))
            with trio.fail_after(20):
                while len(begun) < 2 or not pids.exists():
                    assert "the pages are being started" in await asked(port, "/")
                nursery.cancel_scope.cancel()
    assert logs[0]["event"] == "pages_silent"
    with trio.fail_after(20):
        await are_gone(*map(int, pids.read_text().split()))


async def test_a_process_may_miss_a_ping_or_two(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [True, False, False, True, False, False, False]

    async def answered(port: int) -> bool:
        return answers.pop(0)

    monkeypatch.setattr(elsewhere, "_answers", answered)
    monkeypatch.setattr(elsewhere, "PING_S", 0.0)
    await elsewhere._until_silent(1)
    assert answers == []


def processes(monkeypatch: pytest.MonkeyPatch) -> list[trio.Process]:
    """Return the list to which the processes come that are started from now on."""
    begun: list[trio.Process] = []
    open_process = trio.lowlevel.open_process

    async def opened(*args: Any, **kwargs: Any) -> trio.Process:
        begun.append(await open_process(*args, **kwargs))
        return begun[-1]

    monkeypatch.setattr(trio.lowlevel, "open_process", opened)
    return begun


async def test_what_cannot_be_told_of_matches_costs_the_pages_alone(
    tmp_path: Path, stub: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elsewhere, "START_S", 60.0)
    looks = """
import json, os, pathlib, sys
from gavelport_server.pages.live.wire import ALL, BEGIN, framed
line = b""
while not line.endswith(b"\\n"):
    line += os.read(0, 1)
first = pathlib.Path(__file__).with_name("first")
is_first = not first.exists()
first.touch()
os.write(json.loads(line)["live"], framed(ALL, BEGIN))
if is_first:
    os.read(0, 1)  # until it is ended, which it has to be
"""
    (tmp_path / f"{stub}.py").write_text(looks + STUB.replace("sys.stdin.readline()", ""))
    told: list[str] = []

    class Failing:
        def running(self) -> Sequence[RunningMatch]:
            told.append("asked")
            if len(told) == 1:
                raise RuntimeError("planted")
            return ()

        def spectate(self, match_id: str) -> None:
            raise AssertionError(match_id)

    with structlog.testing.capture_logs() as logs:
        async with trio.open_nursery() as nursery:
            port = await start(nursery, Elsewhere(tmp_path, module=stub, live=Failing()))
            assert "203" in (await asked(port, "/")).partition("\r\n")[0]  # it is told once the next one is there
            nursery.cancel_scope.cancel()
    assert "pages_failed" in [line["event"] for line in logs]
    assert told


@pytest.mark.long
async def test_the_real_pages_show_the_folder_and_go_with_the_server(tmp_path: Path) -> None:
    SqlStore.in_folder(tmp_path / "data", create=True).close()
    async with trio.open_nursery() as nursery:
        port = await start(nursery, Elsewhere(tmp_path / "data"))
        told = await until(port, "/", "200")
        assert "text/html" in told
        nursery.cancel_scope.cancel()
    with pytest.raises(OSError, match="connect"):
        await trio.open_tcp_stream("127.0.0.1", port)


async def test_without_its_server_the_process_ends(tmp_path: Path) -> None:
    SqlStore.in_folder(tmp_path / "data", create=True).close()
    process = await trio.lowlevel.open_process([sys.executable, "-m", elsewhere.MODULE], stdin=-1, stdout=-1)
    assert process.stdout is not None
    assert process.stdin is not None
    await process.stdin.send_all(json.dumps({"data": str(tmp_path / "data"), "database": None}).encode() + b"\n")
    assert (await process.stdout.receive_some(100)).strip().isdigit()
    await process.stdin.aclose()
    with trio.fail_after(20):
        assert await process.wait() == 0
    await process.stdout.aclose()
