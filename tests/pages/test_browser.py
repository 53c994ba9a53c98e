"""The pages in a real browser: every one at three sizes, dark and light, every control, for everybody."""

import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe
from gavelport_server.pages.delta import applied
from playwright.sync_api import Browser, expect

from tests.pages.browser import CHROMIUM, THEMES, WIDTHS, Theme, Visit, visit
from tests.pages.folders import HOSTILE, IDENTITY, LADDER
from tests.pages.shown import CONTAINER, COVERED, SHIPPING, container_expected, shipping_expected

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium: apt-get install chromium"),
]
CUP = f"/tournaments/{IDENTITY['container']}"
PAGES = {
    "home": "/",
    "standings": "/standings",
    "tournament": CUP,
    "ladder": f"/ladders/{LADDER}",
    "bots": "/bots",
    "bot": f"/bots/{quote(HOSTILE, safe='')}",
    "matches": "/matches",
    "container": "/matches/container-0#d=40",
    "container-end": "/matches/container-1#d=9999",
    "shipping": "/matches/shipping-0#d=60",
    "docs": "/docs",
    "protocol": "/docs/protocol",
    "rules": "/docs/rules/container",
}
MOST_BYTES = 200_000


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_pages_fit_their_window_and_the_console_is_silent(
    browser: Browser, url: str, width: int, theme: Theme, tmp_path: Path
) -> None:
    for name, path in PAGES.items():
        with visit(browser, width, theme) as window:
            window.open(url + path)
            wider = window.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            window.page.screenshot(path=tmp_path / f"{name}-{width}-{theme}.png", full_page=True)
            assert (name, window.said, wider) == (name, [], 0)


@pytest.mark.parametrize(("width", "theme"), [(390, "light"), (1280, "light"), (1280, "dark")])
def test_axe_finds_nothing_serious(browser: Browser, url: str, width: int, theme: Theme) -> None:
    for name, path in PAGES.items():
        with visit(browser, width, theme) as window:
            window.open(url + path)
            found = [
                (one["id"], one["nodes"][0]["html"][:200], one["nodes"][0]["failureSummary"][:300])
                for one in Axe().run(window.page).response["violations"]
                if one["impact"] in ("serious", "critical")
            ]
            assert (name, found) == (name, [])


def test_axe_would_find_something(window: Visit, url: str) -> None:
    window.open(url)
    window.page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    assert "button-name" in {one["id"] for one in Axe().run(window.page).response["violations"]}


def test_pages_are_light(browser: Browser, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Without the replay; with everything that a browser asks for on a first visit."""
    for name, path in PAGES.items():
        with visit(browser) as window:
            window.open(url + path)
            loaded = window.page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
            with capsys.disabled():
                print(f"\n{name}: {window.bytes_:,} bytes, loaded in {loaded:.0f} ms", end="")
            assert window.bytes_ < MOST_BYTES


def test_the_theme_is_chosen_and_kept(window: Visit, url: str) -> None:
    page = window.page
    ground = "getComputedStyle(document.body).backgroundColor"
    window.open(url)
    light = page.evaluate(ground)
    page.get_by_role("button", name="Switch between light and dark").click()
    dark = page.evaluate(ground)
    assert dark != light
    window.open(f"{url}/bots")
    assert page.evaluate(ground) == dark


def test_standings_are_sorted_and_searched_in_place(window: Visit, url: str) -> None:
    page = window.page
    window.open(url + CUP)
    assert page.locator("#standings tbody tr").count() == 3
    page.locator("#sort").select_option("faults")
    page.wait_for_url("**sort=faults**")
    page.locator("#q").fill("trader")
    page.wait_for_url("**q=trader**")
    expect(page.locator("#standings tbody tr")).to_have_count(1)
    assert page.locator("#q").input_value() == "trader"
    page.go_back()
    expect(page.locator("#standings tbody tr")).to_have_count(3)


def test_curves_are_drawn_for_the_bots_that_are_chosen(window: Visit, url: str) -> None:
    page = window.page
    window.open(url + CUP)
    expect(page.locator("#plot canvas")).to_have_count(1)
    assert page.locator(".u-series").count() == 4
    values = page.locator(".u-series:last-child .u-value")
    expect(values).to_be_hidden()
    page.locator("#plot .u-over").hover()
    expect(values).to_have_text(re.compile(r"^\d{4}"))
    page.mouse.move(0, 0)
    expect(values).to_be_hidden()
    page.get_by_text("Bots drawn").click()
    page.locator(".picks input").first.uncheck()
    expect(page.locator(".u-series")).to_have_count(3)


@pytest.mark.parametrize("width", WIDTHS)
def test_each_curve_is_named_at_every_width(browser: Browser, url: str, width: int) -> None:
    with visit(browser, width) as window:
        window.open(url + CUP)
        names = window.page.locator(".u-series .u-label", has_text=re.compile("."))
        expect(names.filter(visible=True)).to_have_count(3)


def test_lists_of_bots_and_matches_are_filtered(window: Visit, url: str) -> None:
    page = window.page
    window.open(f"{url}/bots")
    page.locator("#q").fill("south")
    expect(page.locator("#list tbody tr")).to_have_count(1)
    window.open(f"{url}/matches")
    page.locator("#game").select_option("shipping")
    expect(page.locator("#list tbody tr")).to_have_count(6)
    page.locator("#of").select_option(IDENTITY["container"][:12])
    expect(page.locator("#list")).to_contain_text("No match fits")


def test_the_money_of_a_bot_is_added_up_on_its_page(window: Visit, url: str) -> None:
    window.open(url + PAGES["bot"])
    expect(window.page.locator("#money")).to_contain_text("island value at the end")


def cursor(window: Visit) -> int:
    found = re.search(r"#d=(\d+)$", window.page.url)
    assert found is not None
    return int(found[1])


def test_every_button_of_the_viewer(window: Visit, url: str) -> None:
    page = window.page
    window.open(f"{url}/matches/container-0#d=10")
    last = int(page.locator(".time input").get_attribute("max") or "")
    for name, expected in (
        ("Next decision", 11),
        ("Previous decision", 10),
        ("The end", last),
        ("First decision", 1),
    ):
        page.get_by_role("button", name=name, exact=True).click()
        assert cursor(window) == expected
    page.get_by_role("button", name="Next turn").click()
    turn = cursor(window)
    assert turn > 2
    page.get_by_role("button", name="Previous turn").click()
    assert cursor(window) == 1
    page.get_by_role("button", name="Next auction").click()
    expect(page.locator(".time .mk.cur.a").first).to_be_visible()
    page.get_by_role("button", name="First decision").click()
    page.get_by_role("button", name="Next fault").click()
    assert cursor(window) == 4
    speed = page.get_by_role("button", name="Speed")
    for text in ("2×", "5×", "20×", "1×"):
        speed.click()
        assert speed.inner_text() == text
    page.locator(".time input").fill("33")
    assert cursor(window) == 33
    mark = page.locator(".time .mk").last  # those before may be covered in part
    mark.click()
    assert mark.get_attribute("title") is not None
    assert (mark.get_attribute("title") or "").startswith(f"{cursor(window)}:")
    page.locator(".log a", has_text="passes").first.click()
    here = cursor(window)
    expect(page.locator(".log a[aria-current]")).to_have_attribute("href", f"#d={here}")
    page.locator(".auctions a").first.click()
    assert page.locator(".auctions tr[aria-current]").count() == 1
    page.locator(".chart").click(position={"x": 3, "y": 50})
    assert cursor(window) < 10
    for summary in ("#verdict", ".badge.plain summary"):
        page.locator(summary).click()
    expect(page.locator("#checked")).to_contain_text("decisions are legal")
    page.locator(".scores summary").last.click()
    expect(page.locator(".scores details").last).to_contain_text("Harbour store")


def test_every_key_of_the_viewer(window: Visit, url: str) -> None:
    page = window.page
    window.open(f"{url}/matches/container-0#d=10")
    last = int(page.locator(".time input").get_attribute("max") or "")
    for key, expected in (
        ("ArrowRight", 11),
        ("ArrowLeft", 10),
        ("End", last),
        ("Home", 1),
        ("f", 4),
        ("f", 8),
        ("Shift+F", 4),
    ):
        page.keyboard.press(key)
        assert (key, cursor(window)) == (key, expected)
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowRight")
    turn = cursor(window)
    assert turn > 1
    page.keyboard.press("Shift+ArrowLeft")
    assert cursor(window) < turn
    page.keyboard.press("End")
    page.keyboard.press("Shift+A")
    expect(page.locator(".time .mk.cur.a").first).to_be_visible()
    back = cursor(window)
    page.keyboard.press("Shift+A")
    page.keyboard.press("a")
    assert cursor(window) == back
    page.keyboard.press("3")
    assert page.get_by_role("button", name="Speed").inner_text() == "5×"
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    expect(page.locator(".pos b")).to_have_text(re.compile("[3-9]"))
    page.keyboard.press("Space")
    page.keyboard.press("l")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    expect(page.locator("input[name=view][value=spectator]")).to_be_checked()


def test_a_view_hides_what_its_viewer_may_not_see(window: Visit, url: str) -> None:
    page = window.page
    window.open(f"{url}/matches/container-0#d=40")
    assert page.locator(".plate .hid").count() == 0
    page.locator("label", has=page.locator("input[value=spectator]")).click()
    expect(page.locator(".plate .hid")).to_have_count(6)
    assert page.locator(".chart").count() == 0
    page.locator("label", has=page.locator("input[name=view][value='1']")).click()
    expect(page.locator(".plate .hid")).to_have_count(4)
    assert page.locator(".chart polyline").count() == 1
    assert cursor(window) == 40


@pytest.mark.parametrize("match", ["container-0", "shipping-0"])
def test_the_table_at_every_turn_is_the_engines_position(window: Visit, url: str, match: str) -> None:
    """What the page shows, read back; the scene's positions are compared with the engine's in `test_scene.py`."""
    page = window.page
    window.open(f"{url}/matches/{match}")
    scene = page.evaluate(f"fetch('/matches/{match}/scene.json').then((answer) => answer.json())")
    positions = [scene["start"]]
    for step in scene["steps"]:
        positions.append(applied(positions[-1], step.get("to", [])))
    stops = {turn["at"] for turn in scene["turns"]} | {one["at"] for one in scene["marks"]} | {len(positions)}
    for at in sorted(stops):
        page.evaluate(f"location.hash = '#d={at}'")
        expect(page.locator(".pos b")).to_have_text(str(at) if at < len(positions) else "end")
        position = positions[at - 1]
        if scene["game"] == "container":
            shown, expected = page.evaluate(CONTAINER), container_expected(position)
        else:
            shown, expected = page.evaluate(SHIPPING), shipping_expected(position, scene["fixed"])
        assert json.dumps(shown, sort_keys=True) == json.dumps(expected, sort_keys=True), at
    assert len(stops) > 10


IN_SIGHT = """
() => {
  const frame = document.querySelector(".log").getBoundingClientRect();
  const line = document.querySelector(".log a[aria-current]").getBoundingClientRect();
  return line.top >= frame.top && line.bottom <= frame.bottom + 1;
}
"""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("match", ["container-0", "shipping-0"])
def test_the_log_follows_the_cursor(browser: Browser, url: str, width: int, match: str) -> None:
    with visit(browser, width) as window:
        page = window.page
        window.open(f"{url}/matches/{match}#d=9999")
        last = int(page.locator(".time input").get_attribute("max") or "")
        for at in (last, 1, last - 3, last // 2, last // 3, last):
            page.evaluate(f"location.hash = '#d={at}'")
            expect(page.locator(".time input")).to_have_value(str(at))
            page.wait_for_function(IN_SIGHT)
        page.evaluate("document.querySelector('.log').scrollTop = 0")
        assert not page.evaluate(IN_SIGHT)


@pytest.mark.parametrize("width", [390, 1280])
def test_ships_cover_each_other_nowhere(browser: Browser, url: str, width: int) -> None:
    with visit(browser, width) as window:
        page = window.page
        window.open(f"{url}/matches/shipping-1")
        shared = 0
        for at in range(1, int(page.locator(".time input").get_attribute("max") or "") + 1, 3):
            page.evaluate(f"location.hash = '#d={at}'")
            expect(page.locator(".time input")).to_have_value(str(at))
            assert (at, page.evaluate(COVERED)) == (at, [])
            shared += page.locator(".map .block").count()
        assert shared > 10
        said = page.locator(".map .vessel").first.text_content() or ""
        assert re.match(r".*\d(S|L)\d", said)  # a numeral and a name: told apart without colours


SCROLLING = """
[...document.querySelectorAll("main *")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .filter((one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX))
  .map((one) => one.className)
"""


@pytest.mark.parametrize("match", ["container-0", "shipping-0"])
def test_nothing_of_a_match_scrolls_sideways(browser: Browser, url: str, match: str) -> None:
    with visit(browser, 390) as window:
        window.open(f"{url}/matches/{match}#d=60")
        assert window.page.evaluate(SCROLLING) == []
        window.page.evaluate("document.querySelector('.scores').style.width = '3000px'")
        window.page.evaluate("document.querySelector('.scores').parentElement.style.overflowX = 'auto'")
        assert len(window.page.evaluate(SCROLLING)) == 1


@pytest.mark.parametrize("match", ["container-0", "shipping-0"])
def test_a_match_plays_to_its_end(window: Visit, url: str, match: str) -> None:
    page = window.page
    window.open(f"{url}/matches/{match}")
    page.keyboard.press("4")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".pos b")).to_have_text("end", timeout=60_000)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(page.locator(".status .now")).to_contain_text("The end")
