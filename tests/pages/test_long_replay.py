"""A long replay: light, and there in time. Figures are printed."""

from __future__ import annotations

import gzip
import json
import time
import tracemalloc
from pathlib import Path

import pytest
from gavelport_server.archive.files import ReplayFolder
from gavelport_server.archive.replay import decode_replay, encode_replay
from gavelport_server.pages.scene import scene
from playwright.sync_api import Browser

from tests.archive.play import played_match
from tests.pages.browser import CHROMIUM, served, visit

MOST_S = 10.0
"""Machines differ, and tests share them."""
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
def test_a_replay_of_1500_decisions_opens_fast(
    tmp_path: Path, browser: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
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
    with served(tmp_path) as url, visit(browser) as window:
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
