"""The page of a ladder: filters in its address, marks, and the matrix that leads to matches."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from gavelport_server.lobby.board import AWAY
from gavelport_server.pages import crosstable
from gavelport_server.pages.accounts import Account, accounts_of
from gavelport_server.storage.memory import MemoryStore
from starlette.testclient import TestClient

from tests.pages.folders import HOSTILE, IDENTITY, LADDER, NAMES, OWNERS, QUOTES

PAGE = f"/ladders/{LADDER}"
TRADER = NAMES["container"][1]
ALL = {HOSTILE, TRADER, QUOTES}


def shown(html: str) -> list[str]:
    """Return the bots in the table, in its order."""
    table = html[html.index('id="standings"') : html.index('class="grid2"')]
    return [unescape(one) for one in re.findall(r'<a class="name"[^>]*>(.*?)</a>', table)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, ALL),
        ({"q": "TRADER"}, {TRADER}),
        ({"q": "north-q"}, {HOSTILE}),
        ({"q": "nobody at all"}, set()),
        ({"owner": OWNERS[0]}, {HOSTILE}),
        ({"owner": OWNERS[2]}, {QUOTES}),
        ({"owner": "north"}, set()),
        ({"owner": OWNERS[0], "q": "trader"}, set()),
        ({"hide": "house"}, ALL - {TRADER}),
        ({"hide": "inactive"}, ALL - {QUOTES}),
        ({"hide": ["house", "inactive"]}, {HOSTILE}),
        ({"hide": "provisional"}, set()),
    ],
)
def test_filters_are_in_the_address(client: TestClient, query: dict[str, str | list[str]], expected: set[str]) -> None:
    html = client.get(PAGE, params=query).text
    assert set(shown(html)) == expected
    assert f"{len(expected)} of 3 bots" in html
    for kind in ("provisional", "house", "inactive"):
        is_checked = f'value="{kind}" checked' in html
        assert is_checked == (kind in query.get("hide", ()))


@pytest.mark.parametrize("page", ["/", "/standings"])
def test_those_that_lead_are_the_same_on_all_pages(client: TestClient, page: str) -> None:
    html = unescape(client.get(page).text)
    start = html.index(">Open ladder</a>")
    of_ladder = html[start : html.index("</section>" if page == "/" else "</tr>", start)]
    places = [of_ladder.find(bot) for bot in (TRADER, HOSTILE)]
    assert -1 < places[0] < places[1]
    assert QUOTES not in of_ladder, "it is inactive, and has no place"


def test_what_is_chosen_stays_when_the_order_is_changed(client: TestClient) -> None:
    html = client.get(f"{PAGE}?hide=house&hide=inactive&q=script&owner=north-quay&sort=elo").text
    links = [unescape(one) for one in re.findall(r'<th scope="col"[^>]*><a href="([^"]*)"', html)]
    assert f"{PAGE}?q=script&owner=north-quay&hide=house&hide=inactive&sort=faults" in links
    assert f"{PAGE}?q=script&owner=north-quay&hide=house&hide=inactive" in links
    assert html.count("aria-sort") == 1


@pytest.mark.parametrize("query", ["hide=luck", "hide=house&hide=", "rows=0", "columns=x"])
def test_other_filters_are_refused(client: TestClient, query: str) -> None:
    answer = client.get(f"{PAGE}?{query}")
    assert answer.status_code == 400
    assert "unknown filter" in answer.text.lower() or "numbered from 1" in answer.text


def test_a_bot_that_left_has_no_place(client: TestClient) -> None:
    html = client.get(PAGE).text
    assert shown(html)[-1] == QUOTES
    table = html[html.index('id="standings"') : html.index('class="grid2"')]
    lines = table.split("<tr")[2:]
    assert ["inactive</span>" in line for line in lines] == [False, False, True]
    assert re.findall(r'c-rk">(.*?)</td>', table) == ["1", "2", "–"]


def test_owners_are_told_on_ladders_alone(client: TestClient) -> None:
    html = client.get(PAGE).text
    assert "· north-quay</span>" in html
    assert "&lt;b&gt;two-tides&lt;/b&gt;" in html
    assert OWNERS[2] not in html
    cup = client.get(f"/tournaments/{IDENTITY['container']}").text
    assert "north-quay" not in cup
    assert 'id="hide"' not in cup


def test_who_was_not_connected_for_two_weeks_is_inactive() -> None:
    store, now = MemoryStore(), datetime(2030, 1, 20, tzinfo=UTC)
    store.add_owner("ann")
    store.add_owner("house", is_house=True)
    for bot, owner in (("late", "ann"), ("early", "ann"), ("banned", "ann"), ("ours", "house")):
        store.add_bot(bot, owner)
    store.seen(["late", "banned", "ours"], (now - AWAY).isoformat())
    store.seen(["early"], (now - AWAY - timedelta(seconds=1)).isoformat())
    store.set_status("banned", "banned", "for a test")
    assert accounts_of(store, now) == {
        "late": Account("ann", is_house=False, is_inactive=False),
        "early": Account("ann", is_house=False, is_inactive=True),
        "banned": Account("ann", is_house=False, is_inactive=True),
        "ours": Account("house", is_house=True, is_inactive=False),
    }


def test_a_cell_leads_to_the_matches_of_the_two(client: TestClient) -> None:
    html = client.get(PAGE).text
    matrix = html[html.index('id="matrix"') : html.index('class="legend"')]
    found = re.findall(r'<td class="few" title="(.*?)"><a href="(.*?)">', matrix)
    assert len(found) == 6
    words, href = next((unescape(one), unescape(two)) for one, two in found if unescape(one).startswith(f"{TRADER} ab"))
    assert re.search(r"\d+ % of 6; chance \d+ % \(<?\d+ to >?\d+\)$", words)
    listed = client.get(href)
    assert listed.text.count('class="order"') == 7  # with the void one
    assert 'name="against" value="' in listed.text


def test_matches_are_listed_by_two_bots(client: TestClient) -> None:
    def matches(**given: str) -> int:
        return client.get("/matches", params=given).text.count('class="order"')

    assert matches(bot=TRADER, against=QUOTES) == 13
    assert matches(bot=TRADER, against=QUOTES, of=LADDER) == 7
    assert matches(bot=HOSTILE, against="north") == 6
    assert matches(bot=TRADER, against="north") == 0
    assert matches(against="north") == 6


def test_every_part_of_a_large_matrix_can_be_asked_for(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crosstable, "CROSSED", 2)
    best = shown(client.get(PAGE).text)
    met = set()
    for down in (1, 2):
        for across in (1, 2):
            html = client.get(f"{PAGE}?rows={down}&columns={across}").text
            matrix = html[html.index('id="matrix"') : html.index('class="legend"')]
            met |= set(re.findall(r'href="(/matches\?.*?)"', matrix))
            assert f'value="{down}" selected>{("1–2", "3–3")[down - 1]}' in html
    assert len(met) == len(best) * (len(best) - 1)
    assert client.get(f"{PAGE}?rows=3").status_code == 404


def test_intervals_far_beyond_all_ratings_leave_the_axis(client: TestClient) -> None:
    html = client.get(PAGE).text.replace("−", "-")
    ends = re.search(r'class="ends"><span>(-?\d+)</span>.*?<span>(-?\d+)</span></span>', html)
    ratings = [int(one) for one in re.findall(r'<td class="n rt c-rt">(\d+)</td>', html)]
    widths = re.findall(r'aria-label="95 % interval (-?\d+) to (-?\d+)"', html)
    assert ends is not None
    assert len(ratings) == 3
    assert min(int(low) for low, _ in widths) < min(ratings) - 1000
    assert min(ratings) - 350 <= int(ends[1]) < min(ratings)
    assert max(ratings) < int(ends[2]) <= max(ratings) + 350
