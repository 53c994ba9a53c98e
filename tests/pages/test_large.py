"""Pages of a ladder of a thousand bots, a hundred thousand matches: light, and there in time. Figures are printed."""

import gzip
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from gavelport_server.pages.site import site
from gavelport_server.pages.source import StoreSource
from gavelport_server.storage.sql import SqlStore
from starlette.testclient import TestClient

from tests.pages.folders import LADDER
from tests.pages.large import fill, made_up

BOTS, MATCHES = 1_000, 100_000
MOST_BYTES = 60_000
"""Of a page as it is sent, compressed."""
MOST_S = 10.0
"""Machines differ, and tests share them."""


class Changing(StoreSource):
    """A source that may be another one at each look."""

    def revision(self) -> object:
        return object()


@pytest.mark.long
def test_a_thousand_bots_are_shown_fast(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(SqlStore.in_folder(tmp_path, create=True)) as store:
        fill(store, BOTS, MATCHES)
        app = site(Changing(store, tmp_path))
        client = TestClient(app, backend="trio")
        page = f"/ladders/{LADDER}"

        def look(path: str) -> str:
            began = time.perf_counter()
            answer = client.get(path)
            took, weight = time.perf_counter() - began, len(gzip.compress(answer.content))
            with capsys.disabled():
                print(f"\n{path}: {len(answer.content):,} bytes, {weight:,} sent, {1000 * took:.0f} ms", end="")
            assert answer.status_code == 200
            assert weight < MOST_BYTES
            assert took < MOST_S
            return answer.text

        assert "still being read" in look(page)
        began = time.process_time()
        app.state.shelf.warm()
        with capsys.disabled():
            print(f"\nall read: {time.process_time() - began:.1f} s of processor time", end="")
        of_ladder = (page, f"{page}?page=10", f"{page}?sort=elo", f"{page}?q=bot_09", f"{page}/curves.json?of=1,2,3")
        for path in ("/", "/standings", *of_ladder, "/bots", "/bots/bot_0500", "/matches", "/matches?bot=bot_0500"):
            assert "still being read" not in look(path)
        (more,) = made_up(BOTS, 1, first=MATCHES)
        store.append_result(LADDER, replace(more, finished_at="2031-01-01T10:00:00+00:00"))
        assert f"{MATCHES + 1:,}" in look(page)
