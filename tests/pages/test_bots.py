"""The list of all bots, with whose they are."""

import re
from contextlib import closing
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from gavelport_server.pages import bots
from gavelport_server.pages.site import site
from gavelport_server.pages.source import DataFolderSource
from gavelport_server.storage.sql import SqlStore
from starlette.testclient import TestClient

from tests.pages.folders import HOSTILE, NAMES, OWNERS, QUOTES, record

TRADER = NAMES["container"][1]
ALL = {*NAMES["container"], *NAMES["shipping"]}


def listed(html: str) -> dict[str, str]:
    """Return the bots of the list, each with what stands behind its name."""
    cells = re.findall(r'<td><a class="name"[^>]*>(.*?)</a>(?: <span class="dim">(.*?)</span>)?</td>', html)
    return {unescape(bot): unescape(owner) for bot, owner in cells}


def test_the_list_says_whose_the_bots_are(client: TestClient) -> None:
    html = client.get("/bots").text
    assert listed(html) == dict.fromkeys(ALL, "") | dict(zip(NAMES["container"], OWNERS, strict=True))
    assert OWNERS[2] not in html


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"q": "TRADER"}, {TRADER}),
        ({"q": "NORTH"}, {HOSTILE, "north"}),
        ({"owner": OWNERS[0]}, {HOSTILE}),
        ({"owner": OWNERS[2]}, {QUOTES}),
        ({"owner": "north"}, set()),
        ({"owner": OWNERS[0], "q": "trader"}, set()),
    ],
)
def test_it_is_narrowed_by_name_and_owner(client: TestClient, query: dict[str, str], expected: set[str]) -> None:
    html = client.get("/bots", params=query).text
    assert set(listed(html)) == expected
    chosen = re.findall(r"<option selected>(.*?)</option>", html)
    assert [unescape(one) for one in chosen] == [query[name] for name in query if name == "owner"]
    assert ('<a href="/bots">Show all</a>' in html) == (not expected)


def test_a_tournaments_bots_are_nobodys_whatever_they_are_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(SqlStore.in_folder(tmp_path, create=True)) as store:
        store.add_owner("ann")
        for bot in (HOSTILE, QUOTES):
            store.add_bot(bot, "ann")
        store.open_tournament(record("container"))
        with closing(DataFolderSource(tmp_path)) as source:
            client = TestClient(site(source), backend="trio")
            assert listed(client.get("/bots").text)[HOSTILE] == ""
            assert 'id="owner"' not in client.get("/bots").text
            store.open_tournament(replace(record("shipping"), kind="practice", entrants=()))
            for bot in (HOSTILE, QUOTES):
                store.add_entrant(record("shipping").identity, bot, "1")
            assert listed(client.get("/bots?owner=ann").text) == {HOSTILE: "ann", QUOTES: "ann"}
            monkeypatch.setattr(bots, "PAGE", 1)
            assert 'href="/bots?owner=ann&amp;page=2"' in client.get("/bots?owner=ann").text
