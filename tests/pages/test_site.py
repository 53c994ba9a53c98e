"""Every page with the data of small tournaments: status, escaping, headers, and what is asked amiss."""

import re
import shutil
from contextlib import closing
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import pytest
from gavelport_server.archive.fits import read_fit
from gavelport_server.archive.playback import Playback
from gavelport_server.archive.replay import decode_replay
from gavelport_server.archive.verify import verify_stored
from gavelport_server.conduct.folder import LOCK
from gavelport_server.pages import shelf
from gavelport_server.pages.bots import income_of
from gavelport_server.pages.rendering import POLICY
from gavelport_server.pages.replays import Replays
from gavelport_server.pages.site import site
from gavelport_server.pages.source import DataFolderSource
from gavelport_server.storage.sql import SqlStore
from gavelport_server.storage.store import Kind
from starlette.testclient import TestClient

from tests.pages.folders import HOSTILE, IDENTITY, LADDER, NAMES, NOTE, QUOTES, fill, record

CUP = IDENTITY["container"][:12]
PAGES = [
    "/",
    "/standings",
    f"/tournaments/{CUP}",
    f"/tournaments/{IDENTITY['shipping']}",
    f"/tournaments/{CUP}?sort=money&q=SCRIPT",
    f"/ladders/{LADDER}",
    "/bots",
    "/bots?q=trader",
    *(f"/bots/{quote(name, safe='')}" for name in sorted({*NAMES["container"], *NAMES["shipping"]})),
    f"/bots/{quote(HOSTILE, safe='')}?in={CUP}",
    f"/bots/{quote(HOSTILE, safe='')}/money?in={CUP}",
    "/bots/north/money",
    "/matches",
    f"/matches?of={CUP}&bot={quote(QUOTES)}",
    "/matches?game=shipping",
    "/matches/container-0",
    "/matches/shipping-1?view=spectator",
    "/docs",
    "/docs/first-bot",
    "/docs/protocol",
    "/docs/rules/container",
    "/docs/rules/shipping",
]


class Checker(HTMLParser):
    """Finds what the policy would refuse, and what a name has broken out of."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: list[str] = []
        self.links: set[str] = set()
        self._in_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._in_script = tag == "script"
        if tag == "style" or (tag == "script" and not given.get("src")) or tag == "img":
            self.bad.append(f"<{tag}>")
        self.bad += [f"{tag} {name}" for name in given if name == "style" or name.startswith("on")]
        for name in ("href", "src"):
            if (address := given.get(name)) is not None:
                self.links.add(address)
                if re.match(r"(?i)(https?:)?//|javascript:|data:", address):
                    self.bad.append(f"{tag} {address}")

    def handle_data(self, data: str) -> None:
        if self._in_script and data.strip():
            self.bad.append(f"script with text {data!r}")

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False


def checked(html: str) -> Checker:
    checker = Checker()
    checker.feed(html)
    return checker


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_whole_and_its_links_lead_somewhere(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text[:500]
    assert NOTE not in answer.text
    if answer.text.startswith("<!doctype"):
        assert answer.headers["content-security-policy"] == POLICY
    page = checked(answer.text)
    assert page.bad == [] or path.startswith("/docs/")
    for link in page.links:
        if link.startswith("/") and "/docs/" not in path:
            assert client.get(link).status_code == 200, link


def test_the_checker_sees_what_a_name_could_do() -> None:
    page = checked(f'<p style="x">{HOSTILE}<a onclick="x" href="//elsewhere">{QUOTES}</a>')
    assert page.bad == [
        "p style",
        "<script>",
        "script with text 'alert(1)'",
        "a onclick",
        "a //elsewhere",
        "<img>",
        "img onerror",
    ]


def test_hostile_names_are_shown_as_they_are(client: TestClient) -> None:
    html = client.get(f"/tournaments/{CUP}").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert HOSTILE not in html


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/nowhere", 404, "No such page"),
        ("/bots/nobody", 404, "No such bot"),
        ("/bots/%00", 404, "No such bot"),
        (f"/bots/north?in={CUP}", 404, "The bot does not play there"),
        ("/matches/unknown", 404, "No such match"),
        ("/matches/..%2F..%2Fetc%2Fpasswd", 404, ""),
        ("/matches/%3Cscript%3E", 404, "No such match"),
        ("/matches/unknown/scene.json", 404, "No such match"),
        ("/matches/unknown/replay.zst", 404, "No such match"),
        ("/matches/container-0/scene.json?view=3", 404, "No such view"),
        ("/matches/container-0/scene.json?view=-1", 404, "No such view"),
        ("/tournaments/ffffffffffff", 404, "No such tournament"),
        ("/tournaments/c0", 404, "No such tournament"),
        ("/bots?page=2", 404, "The last page is 1"),
        ("/bots?page=999999999", 404, "The last page is 1"),
        ("/bots?page=99999999999999999999999999", 400, "Pages are numbered from 1"),
        ("/bots?page=-1", 400, "Pages are numbered from 1"),
        ("/bots?page=٣", 400, "Pages are numbered from 1"),
        (f"/tournaments/{CUP}?page=77", 404, "The last page is 1"),
        (f"/tournaments/{CUP}?sort=luck", 400, "A list can be sorted by"),
        ("/matches?beyond=junk", 400, "Go back to the beginning"),
        ("/docs/nothing", 404, "No such document"),
        ("/docs/../pyproject", 404, ""),
        ("/static/nothing.js", 404, "No such file"),
        ("/static/..%2Frendering.py", 404, ""),
        ("/static/%00", 404, "No such file"),
        (f"/static/{'x' * 300}", 404, "No such file"),
    ],
)
def test_what_is_asked_amiss_gets_a_friendly_page(client: TestClient, path: str, status: int, words: str) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert words in answer.text
    assert "Traceback" not in answer.text
    assert checked(answer.text).bad == []
    assert '<a href="/matches">' in answer.text


def test_other_methods_are_refused(client: TestClient) -> None:
    assert client.post("/matches").status_code == 405


def test_files_may_be_kept_under_their_address(client: TestClient) -> None:
    html = client.get("/").text
    style = re.search(r"/static/site\.css\?v=\w+", html)
    assert style is not None
    assert "immutable" in client.get(style[0]).headers["cache-control"]
    assert client.get("/static/site.css").headers["cache-control"] == "no-cache"


def test_a_scene_is_packed_and_kept(client: TestClient) -> None:
    first = client.get("/matches/container-0/scene.json")
    assert first.headers["content-encoding"] == "gzip"
    again = client.get("/matches/container-0/scene.json", headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 304
    plain = client.get("/matches/container-0/scene.json", headers={"accept-encoding": "identity"})
    assert plain.json() == first.json()


def test_downloads_are_the_replay_and_its_notation(client: TestClient, folder: Path) -> None:
    binary = client.get("/matches/container-0/replay.zst")
    copy, stored = decode_replay(binary.content), (folder / "replays" / "container-0.zst").read_bytes()
    assert NOTE in {choice.note for choice in decode_replay(stored).choices}
    assert NOTE not in {choice.note for choice in copy.choices}
    assert verify_stored(binary.content)[0].chain == decode_replay(stored).chain
    assert binary.headers["content-disposition"] == 'attachment; filename="container-0.zst"'
    lines = client.get("/matches/container-0/replay.jsonl").text.splitlines()
    assert lines[0].startswith('{"record":"header"')
    assert NOTE not in "".join(lines)


@pytest.fixture
def own_folder(folder: Path, tmp_path: Path) -> Path:
    """A copy that may be damaged."""
    return Path(shutil.copytree(folder, tmp_path / "data"))


def client_of(source: DataFolderSource) -> TestClient:
    return TestClient(site(source), backend="trio", raise_server_exceptions=False)


def test_a_damaged_replay_is_said_to_be_so(own_folder: Path) -> None:
    path = own_folder / "replays" / "container-0.zst"
    stored = bytearray(path.read_bytes())
    stored[len(stored) // 2] ^= 1
    path.write_bytes(stored)
    with closing(DataFolderSource(own_folder)) as source:
        client = client_of(source)
        for part in ("", "/scene.json", "/replay.jsonl"):
            answer = client.get(f"/matches/container-0{part}")
            assert answer.status_code == 500
            assert "The stored replay is damaged" in answer.text
            assert str(own_folder) not in answer.text
        assert client.get(f"/bots/{quote(HOSTILE, safe='')}/money?in={CUP}").status_code == 200
        assert client.get(f"/tournaments/{CUP}").status_code == 200


def test_a_replay_that_is_gone_is_said_to_be_so(own_folder: Path) -> None:
    (own_folder / "replays" / "container-1.zst").unlink()
    with closing(DataFolderSource(own_folder)) as source:
        answer = client_of(source).get("/matches/container-1")
    assert answer.status_code == 410
    assert "its replay is gone" in answer.text


def test_replays_of_a_block_that_is_being_played_are_sealed(tmp_path: Path) -> None:
    store = SqlStore.in_folder(tmp_path, create=True)
    fill(tmp_path, store, "container", 5)
    store.close()
    with closing(DataFolderSource(tmp_path)) as source:
        client = client_of(source)
        assert client.get("/matches/container-4/scene.json").status_code == 200
        (tmp_path / LOCK).write_text("1\n")
        page = client.get("/matches/container-4")
        assert (page.status_code, "The replay is sealed" in page.text) == (200, True)
        for part in ("scene.json", "replay.zst", "replay.jsonl"):
            assert client.get(f"/matches/container-4/{part}").status_code == 403
        assert client.get("/matches/container-2/scene.json").status_code == 200
        kept = tmp_path / "replays" / "container-4.zst"
        (kept.parent / "container-5.zst").write_bytes(kept.read_bytes())  # its result is still to be kept
        assert client.get("/matches/container-5/scene.json").status_code == 404
        assert "sealed" in client.get("/matches").text
        (tmp_path / LOCK).write_text("no process")
        assert client.get("/matches/container-4/scene.json").status_code == 200


def test_an_empty_folder_says_what_to_do(tmp_path: Path) -> None:
    store = SqlStore.in_folder(tmp_path, create=True)
    with closing(DataFolderSource(tmp_path)) as source:
        client = client_of(source)
        for path in ("/", "/standings"):
            assert "run-tournament --rounds 100" in client.get(path).text
        assert client.get("/bots").status_code == client.get("/matches").status_code == 200
        store.open_tournament(record("container"))
        assert client.get(f"/tournaments/{CUP}").status_code == 200
        assert client.get(f"/bots/{quote(HOSTILE, safe='')}").status_code == 200
    store.close()


def test_the_first_page_begins_with_ladders_and_leaves_out_practice_without_a_match(
    folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / "data")
    with closing(SqlStore.in_folder(tmp_path / "data", create=False)) as store:
        kinds: dict[str, Kind] = {"Later": "ladder", "Later practice": "practice"}
        for name, kind in kinds.items():
            store.open_tournament(replace(record("container"), identity=name, name=name, kind=kind, entrants=()))
    with closing(DataFolderSource(tmp_path / "data")) as source:
        html = client_of(source).get("/").text
    headings = [unescape(one) for one in re.findall(r'<h2><a href="[^"]*">([^<]*)</a>', html)]
    assert headings[:2] == ["Open ladder", "Later"]
    assert len(headings) == 4
    assert "practice" not in html


def test_a_ladder_is_told_by_bots_with_the_ratings_that_are_kept(client: TestClient, folder: Path) -> None:
    fit = read_fit(folder, LADDER)
    assert fit is not None
    html = client.get(f"/ladders/{LADDER}").text
    assert html.count("provisional</span>") == len(NAMES["container"]) == len(fit.bots)
    for bot in fit.bots:
        assert f'<td class="n rt c-rt">{bot.rating:.0f}</td>' in html
    assert "do not have the latest matches in them yet" in html
    assert "void</span>" in client.get(f"/matches?of={LADDER}").text
    curves = client.get(f"/ladders/{LADDER}/curves.json?of=0,1,2,99,x").json()["curves"]
    assert [len(one["x"]) for one in curves] == [6, 6, 6]
    store = SqlStore.in_folder(folder, create=False)
    changes = store.rating_changes(LADDER)
    store.close()
    first = [change for change in reversed(changes) if change.bot == HOSTILE]
    assert curves[0]["y"] == [round(change.after, 1) for change in first]


def test_the_money_adds_up_to_the_result(folder: Path) -> None:
    """Container's seats begin with $20, Shipping's companies with $600M, of which 200 make a point."""
    with closing(DataFolderSource(folder)) as source:
        replays = Replays(source)
        for match_id in ("container-0", "container-3"):
            flows, end = income_of(replays, match_id), replays.replay(match_id).end
            assert [20 + sum(flows[seat].values()) for seat in range(3)] == list(end.totals)
        flows, replay = income_of(replays, "shipping-1"), replays.replay("shipping-1")
    playback = Playback(replay)
    list(playback)
    boards = playback.state.table.boards
    assert [600 + sum(flows[seat].values()) for seat in range(3)] == [board.cash for board in boards]


def test_a_large_tournament_is_fitted_by_another_process(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "AT_ONCE", 0)
    with closing(DataFolderSource(folder)) as source:
        by_other = shelf.Shelf(source)
        first = by_other.competition(CUP)
        assert (first.has_fit, first.is_behind) == (False, True)
        future = by_other._fitting[IDENTITY["container"]][1]
        future.result(60)
        second = by_other.competition(CUP)
        assert (second.has_fit, second.is_behind) == (True, False)
        by_other.close()
        monkeypatch.undo()
        assert shelf.Shelf(source).competition(CUP).beats == second.beats
