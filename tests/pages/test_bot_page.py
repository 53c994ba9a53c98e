"""The page of a bot: its versions, its faults, whom it met, and what there is to download."""

import re
import shutil
from collections import Counter
from contextlib import closing
from html import unescape
from pathlib import Path
from urllib.parse import quote

import pytest
from gavelport_server.archive.playback import Playback
from gavelport_server.archive.replay import decode_replay
from gavelport_server.pages.shelf import Shelf
from gavelport_server.pages.site import site
from gavelport_server.pages.source import DataFolderSource, StoreSource
from gavelport_server.pages.versions import versions_of
from gavelport_server.storage.memory import MemoryStore
from gavelport_server.storage.sql import SqlStore
from starlette.testclient import TestClient

from tests.pages.folders import HOSTILE, IDENTITY, LADDER, NAMES, QUOTES
from tests.storage.build import result, tournament

CUP = IDENTITY["container"][:12]
TRADER = NAMES["container"][1]


def path(bot: str, rest: str = "") -> str:
    return f"/bots/{quote(bot, safe='')}{rest}"


def test_versions_begin_and_end_with_the_elo_of_their_matches(folder: Path) -> None:
    with closing(SqlStore.in_folder(folder, create=False)) as store:
        changes = [one for one in reversed(store.rating_changes(LADDER)) if one.bot == HOSTILE]
    with closing(DataFolderSource(folder)) as source, closing(Shelf(source)) as shelf:
        new, old = versions_of(shelf, shelf.competition(LADDER), HOSTILE)
    for version, name in ((new, "2"), (old, "1")):
        own = [one for one in changes if one.version == name]
        assert (version.version, version.matches, version.start, version.end) == (
            name,
            len(own),
            own[0].before,
            own[-1].after,
        )
        assert (version.since, version.until) == (own[0].finished_at, own[-1].finished_at)
    assert (old.first, new.first) == (1, 4)
    assert old.end == new.start != 1500


def test_in_a_tournament_a_version_has_its_own_elo(folder: Path) -> None:
    with closing(DataFolderSource(folder)) as source, closing(Shelf(source)) as shelf:
        cup = shelf.competition(CUP)
        (only,) = versions_of(shelf, cup, HOSTILE)
        row = next(one for one in cup.rows if one.entrant.bot == HOSTILE)
    assert (only.matches, only.start, only.first) == (6, 1500, 1)
    assert only.end == pytest.approx(row.elo)


def faults_by_version(folder: Path, identity: str, bot: str) -> dict[str, int]:
    """Return by version a bot's faults in the results that count."""
    found: Counter[str] = Counter()
    with closing(SqlStore.in_folder(folder, create=False)) as store:
        record = next(one for one in store.tournaments() if one.identity == identity)
        for result in store.results(identity):
            for seat in result.seats:
                entrant = record.entrants[seat.entrant]
                if entrant.bot == bot and not result.void_reason:
                    found[entrant.version] += sum(times for _, times in seat.faults)
    return found


@pytest.mark.parametrize("identity", [LADDER, IDENTITY["container"]])
@pytest.mark.parametrize("bot", NAMES["container"])
def test_faults_are_counted_by_version(client: TestClient, folder: Path, identity: str, bot: str) -> None:
    counted = faults_by_version(folder, identity, bot)
    html = client.get(path(bot, f"?in={identity[:12]}")).text
    table = html[html.index('id="versions"') : html.index("Head to head</h2>")]
    told = re.findall(r'<b>([^<]*)</b>.*?<td class="n"><span class="(?:bad|dim)">(\d+)</span></td>', table)
    assert dict(told) == {version: str(faults) for version, faults in counted.items()}
    total = re.search(r"<dt>Faults</dt><dd>(\d+) ", html)
    assert total is not None
    assert sum(counted.values()) == int(total[1])


def test_a_version_without_a_match_has_no_faults(folder: Path, tmp_path: Path) -> None:
    own = shutil.copytree(folder, tmp_path / "data")
    with closing(SqlStore.in_folder(own, create=False)) as store:
        store.add_entrant(LADDER, HOSTILE, "3")
    with closing(DataFolderSource(own)) as source, closing(Shelf(source)) as shelf:
        versions = versions_of(shelf, shelf.competition(LADDER), HOSTILE)
        client = TestClient(site(source), backend="trio")
        html = client.get(path(HOSTILE)).text
    counted = faults_by_version(folder, LADDER, HOSTILE)
    assert all(counted[name] for name in ("1", "2"))
    assert [(one.version, one.matches, one.faults) for one in versions] == [
        ("3", 0, 0),
        *((one.version, one.matches, counted[one.version]) for one in versions[1:]),
    ]
    assert '<td class="n">0</td><td class="n"><span class="dim">0</span></td>' in html


def test_matches_and_faults_of_practice_are_counted(tmp_path: Path) -> None:
    store = MemoryStore()
    store.open_tournament(tournament(LADDER, entrants=0, kind="practice"))
    for bot, version in (("ann", "1"), ("bob", "1"), ("cat", "1"), ("ann", "2")):
        store.add_entrant(LADDER, bot, version)
    store.append_result(LADDER, result(0, entrants=(0, 1, 2)))
    store.append_result(LADDER, result(1, entrants=(1, 2, 3)))
    with closing(Shelf(StoreSource(store, tmp_path))) as shelf:
        versions = versions_of(shelf, shelf.competition(LADDER), "ann")
    assert [(one.version, one.matches, one.faults) for one in versions] == [("2", 1, 5), ("1", 1, 0)]


def test_the_page_says_since_when_which_version_plays(client: TestClient) -> None:
    html = client.get(path(HOSTILE)).text
    table = html[html.index('id="versions"') : html.index("Head to head</h2>")]
    assert re.findall(r"<b>(\d)</b>", table) == ["2", "1"]
    assert re.findall(r'tag[^>]*">(\w+)', table) == ["plays", "replaced"]
    assert "1 Jan 2030" in table
    told = client.get(path(HOSTILE, "/curves.json")).json()
    assert told["marks"] == [{"at": 1, "text": "1"}, {"at": 4, "text": "2"}]
    assert len(told["band"]) == 2
    assert client.get(path(HOSTILE, f"/curves.json?in={CUP}")).json()["band"] is None


def test_a_bot_that_left_is_said_to_be_inactive(client: TestClient) -> None:
    html = client.get(path(QUOTES)).text
    assert "inactive</span>" in html
    assert "<dt>Rank</dt><dd>–" in html
    assert ">plays<" not in html
    assert "inactive" not in client.get(path(QUOTES, f"?in={CUP}")).text


@pytest.mark.parametrize("bot", NAMES["container"])
def test_faults_lead_to_the_decisions_that_came_to_them(client: TestClient, folder: Path, bot: str) -> None:
    expected = set()
    for number in range(6):
        replay = decode_replay((folder / "replays" / f"container-{number}.zst").read_bytes())
        expected |= {
            f"/matches/container-{number}#d={step.number}"
            for step in Playback(replay)
            if step.choice.fault and replay.header.seats[step.seat].bot == bot
        }
    html = client.get(path(bot, f"/faults?in={CUP}")).text
    assert {unescape(one) for one in re.findall(r'href="(/matches/[^"]*#[^"]*)"', html)} == expected
    assert ("It was at fault in no match" in html) == (not expected)
    whole = client.get(path(bot, f"?in={CUP}")).text
    assert ('id="faulty"' in whole) == bool(expected)


def test_reasons_are_told_and_words_of_faults_are_not(client: TestClient) -> None:
    html = "".join(client.get(path(bot, f"/faults?in={CUP}")).text for bot in NAMES["container"])
    assert {"timeout", "illegal"} <= set(re.findall(r"timeout|illegal", html))
    assert "decision 4" not in html


def test_opponents_lead_to_the_matches_with_them(client: TestClient) -> None:
    html = client.get(path(TRADER)).text
    links = [unescape(one) for one in re.findall(r'href="(/matches\?[^"]*against[^"]*)"', html)]
    assert len(links) == 2
    for link in links:
        assert client.get(link).text.count('class="order"') == 7


def test_its_latest_replays_are_files(client: TestClient) -> None:
    html = client.get(path(TRADER)).text
    files = re.findall(r'href="(/matches/[^"]*\.zst)" download', html)
    assert files == [f"/matches/ladder-{number}/replay.zst" for number in (6, 5, 4, 3, 2)]
    assert "gavelport replays download" not in html
    assert "/api/v1" not in html
