"""Pages of a ladder of a thousand bots, and a long replay: light, and there in time. Figures are printed."""

from __future__ import annotations

import gzip
import json
import random
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from gavelport_server.archive.files import ReplayFolder
from gavelport_server.archive.replay import decode_replay, encode_replay
from gavelport_server.pages.scene import scene
from gavelport_server.pages.site import site
from gavelport_server.pages.source import StoreSource
from gavelport_server.storage.memory import MemoryStore
from gavelport_server.storage.store import Result, SeatResult
from starlette.testclient import TestClient

from tests.archive.play import played_match
from tests.pages.browser import CHROMIUM, chromium, served, visit
from tests.pages.folders import LADDER, record

BOTS, MATCHES, SEATS = 1_000, 4_000, 4
MOST_BYTES = 60_000
"""Of a page as it is sent, compressed."""
MOST_S = 10.0
"""Machines differ, and tests share them."""
SETTING = '{"clock":{},"options":{"seats":4},"seats":4}'


def large() -> MemoryStore:
    store, rng = MemoryStore(), random.Random(1)
    ladder = replace(record("container"), identity=LADDER, name="Large", kind="ladder", entrants=(), seats=SEATS)
    store.open_tournament(replace(ladder, options=SETTING))
    entrants = [store.add_entrant(LADDER, f"bot_{number:04}", "1") for number in range(BOTS)]
    for number in range(MATCHES):
        seated = rng.sample(entrants, SEATS)
        order = sorted(range(SEATS), key=lambda seat: rng.random() * BOTS / 2 + seated[seat])
        ranks = [order.index(seat) + 1 for seat in range(SEATS)]
        seats = tuple(
            SeatResult(entrant, rank, 50 - rank, False, 80, 10, 1, 0, (), "")
            for entrant, rank in zip(seated, ranks, strict=True)
        )
        finished_at = f"2030-01-{1 + number * 27 // MATCHES:02}T10:00:00+00:00"
        result = Result(f"m{number}", 0, 0, number, 0, 0, "two_colours", seats, "0" * 64, 1.0, finished_at)
        store.append_result(LADDER, result)
    return store


@pytest.mark.long
def test_a_thousand_bots_are_shown_fast(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    client = TestClient(site(StoreSource(large(), tmp_path)), backend="trio")
    page = f"/ladders/{LADDER}"
    of_ladder = (page, f"{page}?page=10", f"{page}?sort=elo", f"{page}?q=bot_09", f"{page}/curves.json?of=1,2,3")
    for path in ("/", "/standings", *of_ladder, "/bots", "/bots/bot_0500", "/matches", "/matches?bot=bot_0500"):
        began = time.perf_counter()
        answer = client.get(path)
        took, weight = time.perf_counter() - began, len(gzip.compress(answer.content))
        with capsys.disabled():
            print(f"\n{path}: {len(answer.content):,} bytes, {weight:,} sent, {1000 * took:.0f} ms", end="")
        assert answer.status_code == 200
        assert weight < MOST_BYTES
        assert took < MOST_S


LONG = {"supply_per_player": 8, "max_rounds": 160, "stall_rounds": 160}
MOST_OPEN_S = 10.0
STEPS = """
() => {
  const began = performance.now();
  for (let step = 0; step < 50; step += 1) {
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
    document.body.getBoundingClientRect();
  }
  return (performance.now() - began) / 50;
}
"""
"""How long a step takes, in milliseconds, with its layout."""


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium: apt-get install chromium")
def test_a_replay_of_1500_decisions_opens_fast(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the server takes for it, what is sent, and how long it is until the table stands in a browser."""
    report = played_match(1, seats=5, options=LONG, match_id="long")
    ReplayFolder(tmp_path / "plays").put("long", stored := encode_replay(report))
    replay = decode_replay(stored)
    decisions = len(replay.choices)
    assert decisions >= 1_500
    began = time.process_time()
    told = scene(replay, "full")
    took = time.process_time() - began
    raw = json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode()
    sent = gzip.compress(raw, 6)
    del told
    tracemalloc.start()
    scene(replay, "full")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    with served(tmp_path) as url, chromium() as browser, visit(browser) as window:
        window.page.goto(f"{url}/matches/long#d=1200")
        window.page.wait_for_selector(".transport")
        first = window.page.evaluate("performance.now()")
        window.page.reload()
        window.page.wait_for_selector(".transport")
        again = window.page.evaluate("performance.now()")
        step = window.page.evaluate(STEPS)
        heap = window.page.evaluate("performance.memory.usedJSHeapSize")
        assert window.said == []
    with capsys.disabled():
        print(
            f"\n{decisions:,} decisions: {len(stored):,} bytes stored; scene of {len(raw):,} bytes, {len(sent):,} sent",
            end="",
        )
        print(f"; server {took:.2f} s CPU, {most / 1e6:.1f} MB at most", end="")
        print(
            f"; table after {first / 1000:.2f} s, again {again / 1000:.2f} s",
            f"a step {step:.0f} ms, {heap / 1e6:.0f} MB",
            sep=", ",
            end="",
        )
    assert len(sent) < 60 * decisions
    assert took < MOST_S
    assert first < 1000 * MOST_OPEN_S
