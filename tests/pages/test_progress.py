"""What pages say while a tournament is being played, and before anything was."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from gavelport_server.conduct.folder import LOCK, Playing, open_folder, playing_in
from gavelport_server.pages.site import site
from gavelport_server.pages.source import DataFolderSource
from gavelport_server.storage.sql import SqlStore
from starlette.testclient import TestClient

from tests.pages.folders import IDENTITY, LADDER, fill, record

CUP = IDENTITY["container"]


def test_a_page_says_how_far_a_tournament_is(tmp_path: Path) -> None:
    with open_folder(tmp_path) as folder:
        fill(tmp_path, folder.store, "container", 5)
        with closing(DataFolderSource(tmp_path)) as source:
            client = TestClient(site(source), backend="trio")
            assert "Being played" not in client.get(f"/tournaments/{CUP}").text
            folder.note(Playing(CUP, 300))
            html = client.get(f"/tournaments/{CUP}").text
            assert "Being played</b>: 5 of 300 matches" in html
            assert '<progress max="300" value="5"' in html
            assert "progress.js" in html
            assert "data-running" in html
            folder.note(Playing("another", 12))
            assert "Being played" not in client.get(f"/tournaments/{CUP}").text


def test_afterwards_the_page_is_an_archive(tmp_path: Path) -> None:
    store = SqlStore.in_folder(tmp_path, create=True)
    fill(tmp_path, store, "container", 5)
    store.close()
    (tmp_path / LOCK).write_text(f"999999999\n{CUP} 300\n")
    with closing(DataFolderSource(tmp_path)) as source:
        html = TestClient(site(source), backend="trio").get(f"/tournaments/{CUP}").text
    assert "Being played" not in html
    assert "progress.js" not in html


@pytest.mark.parametrize(
    ("lock", "found"),
    [
        ("OURS\n", Playing("", 0)),
        ("OURS\nabc 12\n", Playing("abc", 12)),
        ("OURS\nabc 12\ndef 7\n", Playing("def", 7)),
        ("OURS\nabc", Playing("abc", 0)),
        ("1\n", Playing("", 0)),
        ("", None),
        ("junk\n", None),
        ("999999999\nabc 12\n", None),
    ],
)
def test_what_a_lock_says(tmp_path: Path, lock: str, found: Playing | None) -> None:
    (tmp_path / LOCK).write_text(lock.replace("OURS", str(os.getpid())))
    assert playing_in(tmp_path) == found


def test_a_ladder_without_bots_or_matches_is_friendly(tmp_path: Path) -> None:
    store = SqlStore.in_folder(tmp_path, create=True)
    store.open_tournament(replace(record("container"), identity=LADDER, name="New", kind="ladder", entrants=()))
    with closing(DataFolderSource(tmp_path)) as source:
        client = TestClient(site(source), backend="trio")
        html = client.get(f"/ladders/{LADDER}").text
        assert "No bot plays here yet." in html
        assert "in its name" not in html
        assert 'id="curves"' not in html
        for path in ("/", "/standings", "/bots", "/matches", f"/ladders/{LADDER}/curves.json"):
            assert client.get(path).status_code == 200
        store.add_entrant(LADDER, "first", "1")
        html = client.get(f"/ladders/{LADDER}?q=none").text
        assert "in its name" in html
        assert client.get("/bots/first").status_code == 200
    store.close()
