"""A live match watched in a real browser, from the first to the last decision, the way that a server's pages go."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import trio
from axe_playwright_python.sync_playwright import Axe
from gavelport_engine.game import Checkpoint
from gavelport_server.archive.files import ReplayFolder
from gavelport_server.archive.replay import encode_replay
from gavelport_server.conduct.folder import Playing, open_folder
from gavelport_server.pages.elsewhere import Elsewhere
from gavelport_server.pages.server import serve_http
from gavelport_server.pages.shield import Shield
from gavelport_server.referee.report import MatchReport
from playwright.sync_api import Browser, Page, expect
from starlette.routing import Mount, Router

from tests.archive.play import played_match
from tests.pages.browser import CHROMIUM, THEMES, WIDTHS, Theme, visit
from tests.pages.browser import served as browser_served
from tests.pages.folders import IDENTITY, SHORT, fill, report_of
from tests.pages.live import AT_CANARY, Rich, Stage, positions
from tests.pages.shown import CONTAINER, SHIPPING, container_expected, shipping_expected

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium: apt-get install chromium"),
]
MATCH = {
    "container": played_match(1, game=Rich(), seats=3, options=SHORT["container"], match_id="rich-1"),
    "shipping": report_of("shipping", 1),
}


@contextmanager
def served(data: Path, stage: Stage) -> Iterator[tuple[str, Callable[[Callable[[], Any]], None]]]:
    """Serve a stage's matches beside a folder; give the URL, and what runs something where the matches are."""
    ready, urls = threading.Event(), list[str]()
    over: list[tuple[trio.lowlevel.TrioToken, trio.CancelScope]] = []

    async def serve() -> None:
        async with trio.open_nursery() as nursery:
            pages = Elsewhere(data, live=stage)
            nursery.start_soon(pages.run)
            urls.append(await nursery.start(serve_http, Shield(Router([Mount("/", pages)])), "127.0.0.1:0"))
            over.append((trio.lowlevel.current_trio_token(), nursery.cancel_scope))
            ready.set()

    thread = threading.Thread(target=trio.run, args=(serve,))
    thread.start()
    assert ready.wait(30)
    token, scope = over[0]
    try:
        yield urls[0], lambda act: trio.from_thread.run_sync(act, trio_token=token)
    finally:
        token.run_sync_soon(scope.cancel)
        thread.join(30)


def hidden_orders(report: MatchReport, decisions: int) -> set[str]:
    """Return the names of the Orders that lie face down after so many decisions."""
    game, setup = report.setup.game, report.setup
    state = game.initial_state(setup.options, setup.seed)
    for one in [one for one in report.record if not isinstance(one, Checkpoint)][:decisions]:
        game.apply_in_place(state, {one.seat: one.action}, None)
    position = game.to_notation(state)
    return {order["card"] for seat in position["seats"] for order in seat["orders"] if order["hidden"]}


def listened(page: Page) -> list[str]:
    """Return the list of all that a page is told as it happens, as it comes off the wire."""
    told: list[str] = []
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.on("Network.eventSourceMessageReceived", lambda message: told.append(message["data"]))
    return told


@pytest.mark.parametrize("game", MATCH)
def test_a_match_is_watched_from_the_first_to_the_last_decision(browser: Browser, tmp_path: Path, game: str) -> None:
    report = MATCH[game]
    match_id = report.setup.match_id
    stage = Stage(report)
    show = stage.shows[match_id]
    expected = positions(report)
    ReplayFolder(tmp_path / "plays").folder.mkdir(parents=True)
    with served(tmp_path, stage) as (url, do), visit(browser) as window:
        page = window.page
        told = listened(page)
        page.goto(f"{url}/live")
        page.get_by_role("link", name="watch match").click()
        expect(page.locator("#state")).to_have_text("Live")
        page_at_first = page_before_last = page.content()
        fixed: dict[str, Any] = {}
        for decisions, position in expected:
            page.wait_for_function("said => document.querySelector('.pos b')?.textContent === said", arg=str(decisions))
            if game == "container":
                assert page.evaluate(CONTAINER) == container_expected(position)
            else:
                fixed = fixed or json.loads(next(one for one in told if one.startswith("{")))["fixed"]
                shown = shipping_expected(position, fixed)
                for seat in shown["seats"]:
                    seat["orders"] = [[card or "face down", is_hidden] for card, is_hidden in seat["orders"]]
                assert page.evaluate(SHIPPING) == shown
            if decisions == expected[-1][0]:
                break
            if game == "container":
                assert page.locator(".card").count() == 0
            elif decisions:
                assert [one for one in hidden_orders(report, decisions) if one in told[-1]] == []
            page_before_last = page.content()
            do(show.step)
        if game == "container":
            received = "".join([page_at_first, *told[:-1], page_before_last])
            assert len(received) > 10_000
            assert AT_CANARY.findall(received) == []
            assert AT_CANARY.search(told[-1])  # it would have been found: with the last decision all is open
        ReplayFolder(tmp_path / "plays").put(match_id, encode_replay(report))
        do(show.end)
        expect(page.get_by_role("status")).to_contain_text("The match is over")
        assert page.get_by_role("link", name="To the replay").get_attribute("href") == (
            f"/matches/{match_id}#d={expected[-1][0] + 1}"
        )
        said = "Verified" if game == "shipping" else "Not true"  # no seed deals so much cash
        expect(page.locator("#verdict")).to_contain_text(said, timeout=20_000)
        if game == "shipping":
            assert page.url.endswith(f"#d={expected[-1][0] + 1}")
        assert window.said == []


def test_one_may_step_back_while_it_goes_on(browser: Browser, tmp_path: Path) -> None:
    stage = Stage(MATCH["container"])
    show = stage.shows["rich-1"]
    with served(tmp_path, stage) as (url, do), visit(browser) as window:
        page = window.page
        page.goto(f"{url}/matches/rich-1")
        place, present = page.locator(".pos b"), page.locator(".present")
        expect(present).to_have_text("Live")
        for number in range(1, 6):
            do(show.step)
            expect(place).to_have_text(str(number))
        page.keyboard.press("ArrowLeft")
        page.get_by_role("button", name="One step back").click()
        expect(place).to_have_text("3")
        expect(present).to_have_text("2 new")
        do(show.step)
        expect(present).to_have_text("3 new")
        expect(place).to_have_text("3")
        page.keyboard.press("Home")
        expect(place).to_have_text("0")
        page.get_by_role("button", name="One step on").click()
        expect(place).to_have_text("1")
        page.locator(".log a").nth(2).click()
        expect(place).to_have_text("2")
        present.click()
        expect(place).to_have_text("6")
        expect(present).to_have_text("Live")
        page.keyboard.press("Home")
        page.keyboard.press("End")
        expect(present).to_have_text("Live")
        assert window.said == []


def test_whoever_joins_late_finds_what_was_revealed_so_far(browser: Browser, tmp_path: Path) -> None:
    report = played_match(
        1, game=Rich(), seats=3, options=SHORT["container"], match_id="rich-1", faults={3: "timeout", 7: "illegal"}
    )
    stage = Stage(report)
    show = stage.shows["rich-1"]
    phases = [position["phase"] for _, position in positions(report)]
    auctions = sum(one == "sale" and then != "sale" for one, then in pairwise(phases[:80]))
    assert auctions > 1
    with served(tmp_path, stage) as (url, do), visit(browser) as window:
        page = window.page
        told = listened(page)
        do(lambda: [show.step() for _ in range(79)])
        page.goto(f"{url}/matches/rich-1")
        present = page.locator(".present")
        expect(present).to_have_text("Live")
        expect(page.locator(".auctions tbody tr")).to_have_count(auctions)
        expect(page.locator(".time .mk.f")).to_have_count(2)
        decisions = int(page.locator(".pos b").inner_text())
        expect(page.locator(".time input")).to_have_value(str(decisions + 1))
        page.locator(".auctions a").first.click()
        expect(page.locator(".panel.auction h2")).to_have_text(f"Auction 1 of {auctions}")
        expect(page.locator(".status .where")).to_contain_text("is not kept here")
        do(show.step)
        expect(page.locator(".time input")).to_have_attribute("max", str(show.at_decision() + 1))
        page.keyboard.press("Shift+F")
        expect(page.locator(".time .mk.cur.f")).to_have_count(1)
        expect(present).to_have_text("1 new")
        present.click()
        expect(present).to_have_text("Live")
        while show.ends and not (page.locator(".auctions tbody tr").count() > auctions):
            do(show.step)
            page.wait_for_timeout(20)
        assert page.locator(".auctions tbody tr").count() > auctions
        page.locator(".time input").fill(str(decisions + 1))
        expect(page.locator(".pos b")).to_have_text(str(decisions))
        expect(present).to_have_text(re.compile(r"\d+ new"))
        text = "".join([page.content(), *told])
        assert len(text) > 10_000
        assert not show.is_over
        assert AT_CANARY.findall(text) == []
        assert window.said == []


def test_a_page_comes_back_by_itself(browser: Browser, tmp_path: Path) -> None:
    """Cut off, a browser asks again, and is told the present."""
    stage = Stage(MATCH["shipping"])
    show = stage.shows["shipping-1"]
    with served(tmp_path, stage) as (url, do), visit(browser) as window:
        page = window.page
        page.goto(f"{url}/matches/shipping-1")
        expect(page.locator("#state")).to_have_text("Live")
        page.context.set_offline(True)
        do(lambda: [show.step() for _ in range(10)])
        page.context.set_offline(False)
        expect(page.locator(".pos b")).to_have_text("10", timeout=20_000)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_pages_fit_their_window_and_everybody(browser: Browser, tmp_path: Path, width: int, theme: Theme) -> None:
    """Besides, screenshots are left to be looked at."""
    stages = Stage(*MATCH.values()), Stage()
    for stage, names in zip(stages, (("live", "container", "shipping", "over"), ("none",)), strict=True):
        with served(tmp_path, stage) as (url, do):
            for show in stage.shows.values():
                do(lambda show=show: [show.step() for _ in range(60)])  # type: ignore[misc]
            for name in names:
                path = {"container": "/matches/rich-1", "shipping": "/matches/shipping-1", "over": "/matches/rich-1"}
                with visit(browser, width, theme) as window:
                    page = window.page
                    page.goto(url + path.get(name, "/live"))
                    expect(page.locator("#state")).to_have_attribute("data-state", "on")
                    if name in ("container", "shipping"):
                        page.wait_for_selector(".livebar")
                        do(lambda name=name: stage.shows[path[name].rpartition("/")[2]].step())  # type: ignore[misc]  # noqa: B023
                        page.wait_for_timeout(500)
                    if name == "over":
                        do(stage.shows["rich-1"].end)
                        page.wait_for_selector(".result")
                    page.screenshot(path=tmp_path / f"{name}-{width}-{theme}.png", full_page=True)
                    wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                    serious = [
                        (one["id"], one["nodes"][0]["html"][:200], one["nodes"][0]["failureSummary"][:300])
                        for one in Axe().run(page).response["violations"]
                        if one["impact"] in ("serious", "critical")
                    ]
                    assert (name, window.said, wider, serious) == (name, [], 0, [])


def test_a_tournament_page_follows_what_is_played(browser: Browser, tmp_path: Path) -> None:
    with open_folder(tmp_path) as folder:
        fill(tmp_path, folder.store, "container", 3)
        folder.note(Playing(IDENTITY["container"], 6))
        with browser_served(tmp_path) as url, visit(browser) as window:
            page = window.page
            page.goto(f"{url}/tournaments/{IDENTITY['container']}")
            expect(page.locator("#progress")).to_contain_text("3 of 6 matches")
            fill(tmp_path, folder.store, "container", 6, first=3)
            expect(page.locator("#progress")).to_contain_text("6 of 6 matches", timeout=30_000)
            expect(page.locator("#latest tbody tr")).to_have_count(6)
            folder.note(Playing("another", 1))
            expect(page.locator("#progress")).to_be_empty(timeout=30_000)
            assert window.said == []
