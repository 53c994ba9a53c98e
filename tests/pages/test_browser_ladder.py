"""The pages of a ladder and of a bot in a real browser: every control, and for everybody."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe
from gavelport_server.lobby.door import Door
from gavelport_server.pages import crosstable
from gavelport_server.pages.application import application
from gavelport_server.pages.metrics import Metrics
from gavelport_server.pages.site import site
from gavelport_server.pages.source import StoreSource
from playwright.sync_api import Browser, expect
from starlette.routing import Mount

from tests.lobby.world import House
from tests.pages.browser import CHROMIUM, Visit, running, visit
from tests.pages.folders import HOSTILE, IDENTITY, LADDER, NAMES, QUOTES
from tests.pages.test_owners import Well

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium: apt-get install chromium"),
]
PAGE = f"/ladders/{LADDER}"
CUP = IDENTITY["container"][:12]
BOT = f"/bots/{quote(QUOTES, safe='')}?in={CUP}"


def accused(window: Visit) -> list[str]:
    found = Axe().run(window.page).response["violations"]
    return [one["id"] for one in found if one["impact"] in ("serious", "critical")]


def test_a_ladder_is_filtered_in_place_and_the_address_keeps_it(window: Visit, url: str) -> None:
    page, rows = window.page, window.page.locator("#standings tbody tr")
    window.open(url + PAGE)
    expect(rows).to_have_count(3)
    page.get_by_label("house bots").check()
    page.wait_for_url("**hide=house**")
    expect(rows).to_have_count(2)
    page.get_by_label("inactive").check()
    expect(rows).to_have_count(1)
    page.get_by_label("house bots").uncheck()
    page.get_by_label("Owner").select_option("house")
    page.wait_for_url("**owner=house**")
    expect(page.locator("#standings")).to_contain_text("1 of 3 bots")
    expect(rows).to_contain_text(NAMES["container"][1])
    page.reload()
    expect(rows).to_have_count(1)
    assert page.get_by_label("inactive").is_checked()
    page.locator("#q").fill("north-quay")
    expect(page.locator("#standings")).to_contain_text("No bot here is all that.")
    page.get_by_role("link", name="Show all").click()
    expect(rows).to_have_count(3)
    page.locator("#standings th a", has_text="Faults").click()
    page.wait_for_url("**sort=faults**")
    expect(page.locator("#standings th[aria-sort]")).to_have_text("Faults")
    assert accused(window) == []


def test_the_last_of_several_quick_changes_counts(window: Visit, url: str) -> None:
    window.open(url + PAGE)
    window.page.evaluate(
        """() => {
          for (const value of ["inactive", "provisional", "house"]) {
            const box = document.querySelector(`.filters input[value="${value}"]`);
            box.checked = value !== "provisional";
            box.dispatchEvent(new Event("change", { bubbles: true }));
          }
        }"""
    )
    window.page.wait_for_url("**hide=house&hide=inactive**")
    expect(window.page.locator("#standings tbody tr")).to_have_count(1)


def test_without_scripts_the_form_does_the_same(browser: Browser, url: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(url + PAGE)
    page.get_by_label("house bots").check()
    page.locator("#q").fill("script")
    page.locator("#filters").get_by_role("button", name="Show").click()
    assert "q=script" in page.url
    assert "hide=house" in page.url
    expect(page.locator("#standings tbody tr")).to_have_count(1)
    page.goto(url + BOT)
    page.get_by_role("link", name="Its latest faulty matches").click()
    expect(page.locator("#faulty tbody tr").first).to_be_visible()
    context.close()


def test_parts_of_a_matrix_are_chosen_beside_the_filters(
    window: Visit, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crosstable, "CROSSED", 2)
    page = window.page
    window.open(f"{url}{PAGE}?hide=house")
    cells = page.locator("#matrix tbody td:not(.avg)")
    expect(cells).to_have_count(4)
    page.get_by_label("Columns").select_option("3–3")
    page.locator("p.filters").get_by_role("button", name="Show").click()
    page.wait_for_url("**columns=2**")
    assert "hide=house" in page.url
    expect(cells).to_have_count(2)
    expect(page.locator("#standings tbody tr")).to_have_count(2)
    page.locator("#matrix a").first.click()
    page.wait_for_url("**against=**")
    expect(page.locator("#list tbody tr")).to_have_count(7)
    page.locator("#against").fill("")
    page.wait_for_url(lambda address: "against=&" in address or "against" not in address)


def test_the_page_of_a_bot_loads_its_faults_and_draws_its_versions(window: Visit, url: str) -> None:
    page = window.page
    window.open(url + BOT)
    link = page.locator("#faulty td a", has_text=re.compile(r"^\d+$")).first
    expect(link).to_be_visible()
    assert accused(window) == []
    decision = link.inner_text()
    link.click()
    expect(page.locator(".pos b")).to_have_text(decision)
    window.open(f"{url}/bots/{quote(HOSTILE, safe='')}")
    expect(page.locator("#plot canvas")).to_have_count(1)
    expect(page.locator("#versions tbody tr")).to_have_count(2)


@pytest.mark.parametrize("width", [390, 1280])
def test_an_owner_is_told_by_a_form(browser: Browser, tmp_path: Path, width: int) -> None:
    house = House(tmp_path)
    house.play("m1", ("ant", "bee", "cow"))
    pages = site(StoreSource(house.store, house.data), is_served=True)
    app = application(house.desks.by_name, Well(), Metrics(), [Mount("/", pages)], Door(house.gate))
    with running(app, house.gate.run) as server, visit(browser, width) as window:
        page = window.page
        window.open(f"{server}/bots/ant")
        page.get_by_text("For its owner").click()
        page.get_by_label("Token").fill("not a token")
        page.get_by_role("button", name="Tell").click()
        expect(page.locator("main")).to_contain_text("This token does not open that")
        window.said.clear()  # the console tells of the 403
        page.go_back()
        page.get_by_text("For its owner").click()
        page.get_by_label("Token").fill(house.token("owner", owner="ann"))
        page.get_by_role("button", name="Tell").click()
        expect(page.locator("main")).to_contain_text("illegal: planted")
        assert page.url == f"{server}/bots/ant/faults"
        page.screenshot(path=tmp_path / f"owner-{width}.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert accused(window) == []
        assert window.said == []
