"""What spectators cost a match: measured side by side, in one process, so that a busy machine slows both alike."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import trio
from gavelport_server.cli.watch import OneMatch
from gavelport_server.conduct.ladder.listing import RunningMatch
from gavelport_server.conduct.ladder.spectate import SpectatorFeed
from gavelport_server.conduct.match import conduct_match
from gavelport_server.pages.elsewhere import Elsewhere
from gavelport_server.pages.server import serve_http
from gavelport_server.pages.shield import Shield
from gavelport_server.referee.report import Played
from starlette.routing import Mount, Router

from tests.conduct.bots import Bot, Table, match_setup

SPECTATORS = 50
ROUNDS = 5
MOST_SHARE = 0.25
"""Of a core, for all of them beyond the first: what they cost goes by time, not by decisions. Paces are printed."""
SLOW = """
import socket, sys, time
port, path, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
sockets = []
for number in range(count):
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    one.bind((f"127.0.1.{1 + number}", 0))
    one.connect(("127.0.0.1", port))
    one.sendall(f"GET {path} HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n".encode())
    one.setblocking(False)
    sockets.append(one)
while True:
    time.sleep(1)
    for one in sockets:
        try:
            one.recv(500)
        except OSError:
            pass
"""


@dataclass
class Pace:
    """How fast a match went, and what it cost this process, its bots' part included."""

    decisions_per_s: float
    cpu_us: float


class Current:
    """The match that is played now."""

    one: OneMatch | None = None

    def running(self) -> Sequence[RunningMatch]:
        return [] if self.one is None else self.one.running()

    def spectate(self, match_id: str) -> SpectatorFeed | None:
        return None if self.one is None else self.one.spectate(match_id)


async def played(current: Current, pages: Elsewhere, port: int, number: int, spectators: int) -> Pace:
    setup = match_setup(4, f"match-{number}", max_rounds=40)
    one = current.one = OneMatch(setup)
    table = Table()
    slow = None
    if spectators:
        path = f"/matches/{setup.match_id}/stream"
        command = [sys.executable, "-c", SLOW, str(port), path, str(spectators)]
        slow = await trio.lowlevel.open_process(command)
        with trio.fail_after(60):
            while pages._crowd._present.total() < spectators:  # noqa: ASYNC110
                await trio.sleep(0.1)
            await trio.sleep(1)
    try:
        async with trio.open_nursery() as nursery:
            for seat in range(4):
                nursery.start_soon(Bot(table.connect(seat)).play)
            for session in table.sessions:
                await session.wait_connected()
            began, cpu = time.perf_counter(), time.process_time()
            report = await conduct_match(setup, table.sessions, reveal=True, watch=one.watch)
            took, cost = time.perf_counter() - began, time.process_time() - cpu
            one.end(report.outcome)
    finally:
        if slow is not None:
            slow.kill()
            await slow.wait()
    decisions = sum(isinstance(each, Played) for each in report.record)
    return Pace(decisions / took, 1e6 * cost / decisions)


@pytest.mark.long
async def test_slow_spectators_do_not_slow_a_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    current = Current()
    paces: dict[int, list[Pace]] = {0: [], 1: [], SPECTATORS: []}
    async with trio.open_nursery() as nursery:
        pages = Elsewhere(tmp_path, live=current)
        nursery.start_soon(pages.run)
        url = await nursery.start(serve_http, Shield(Router([Mount("/", pages)])), "127.0.0.1:0")
        port = int(url.rpartition(":")[2])
        for number in range(ROUNDS):
            for spectators, found in paces.items():
                found.append(await played(current, pages, port, 10 * number + spectators, spectators))
        nursery.cancel_scope.cancel()
    median = {
        spectators: (
            statistics.median(one.decisions_per_s for one in found),
            statistics.median(one.cpu_us for one in found),
        )
        for spectators, found in paces.items()
    }
    share = (median[SPECTATORS][1] - median[1][1]) * median[SPECTATORS][0] / 1e6
    with capsys.disabled():
        for spectators, (pace, cost) in median.items():
            print(f"\n{spectators:3} slow spectators: {pace:,.0f} decisions/s, {cost:,.0f} µs CPU a decision", end="")
        print(f"; those beyond the first take {100 * share:.1f} % of a core", end="")
    assert share < MOST_SHARE
