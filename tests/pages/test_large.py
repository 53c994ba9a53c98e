"""Pages of a ladder of a thousand bots: light, and there in time. Figures are printed."""

from __future__ import annotations

import gzip
import random
import time
from dataclasses import replace
from pathlib import Path

import pytest
from gavelport_server.pages.site import site
from gavelport_server.pages.source import StoreSource
from gavelport_server.storage.memory import MemoryStore
from gavelport_server.storage.store import Result, SeatResult
from starlette.testclient import TestClient

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
