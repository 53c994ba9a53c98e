"""The data file: sound, the same as the text of the rules, and refused with every fault that it has (18.1)."""

import re
from importlib.resources import files
from pathlib import Path

import pytest
from gavelport_engine.shipping.data import (
    CITIES,
    DATA,
    EDGES,
    GOODS,
    HOMES,
    NEWS,
    ORDERS,
    PORTS,
    REGIONS,
    SPACES,
    STOCK_VALUES,
    TRACK,
    DataError,
    read_data,
)
from gavelport_engine.shipping.data_checks import EFFECTS

from tests.engine.shipping.trader import distances

TEXT = files("gavelport_engine.shipping").joinpath("data.toml").read_text("utf-8")
RULES = (Path(__file__).parents[3] / "docs/rules/shipping.md").read_text("utf-8")


def tables() -> list[list[list[str]]]:
    """Every table of the rules: rows of cells, marks taken off."""
    found: list[list[list[str]]] = [[]]
    for line in RULES.splitlines():
        if line.startswith("|"):
            found[-1].append([re.sub(r"[*`]", "", cell).strip() for cell in line.strip("|").split("|")])
        elif found[-1]:
            found.append([])
    return [table for table in found if table]


def table(*head: str) -> list[list[str]]:
    (found,) = [one for one in tables() if one[0][: len(head)] == list(head)]
    return found[2:]


def test_what_the_text_says_of_the_map() -> None:
    """5.1, 5.2, 5.4."""
    assert (PORTS, len(SPACES), sum(map(len, EDGES)) // 2) == (20, 48, 58)
    for name, long_name, adjacent in table("sea space", "name"):
        space = SPACES.index(name)
        assert DATA.space_names[space] == long_name
        told = {re.sub(r" \((panama|suez|loop)\)", "", one.strip()) for one in adjacent.split(",")}
        assert told == {SPACES[to] if to >= PORTS else CITIES[to].name for to, _ in EDGES[space]}
        for one in re.findall(r"(\w+) \((panama|suez|loop)\)", adjacent):
            assert one in {(SPACES[to], kind) for to, kind in EDGES[space]}


@pytest.mark.parametrize(
    ("a", "b", "spaces"),
    [
        ("rotterdam", "new_york", 4),
        ("santos", "cape_town", 4),
        ("shanghai", "san_francisco", 5),
        ("mumbai", "rotterdam", 8),
        ("new_york", "shanghai", 8),
        ("shanghai", "rotterdam", 10),
    ],
)
def test_the_example_distances(a: str, b: str, spaces: int) -> None:
    """5.7."""
    assert distances(SPACES.index(a))[SPACES.index(b)] == spaces


def test_what_the_text_says_of_cities_and_goods() -> None:
    """5.5, 5.6, 7.3."""
    good = {one.id: one for one in GOODS}
    for row, city in zip(table("id", "name", "region"), CITIES, strict=True):
        region = REGIONS[city.region].name if city.region >= 0 else "none"
        assert row[:4] == [city.id, city.name, region, f"${city.bonus}M"]
        assert {name.strip() for name in row[4].split(",")} == {GOODS[one].name for one in city.sells}
        assert (row[5] == "yes") == city.home
    for name, _, *prices in table("id", "name", "sold-out price (0)"):
        assert tuple(map(int, prices)) == good[name].prices
    for row, own in zip(table("id", "name", "good", "cities"), REGIONS, strict=True):
        assert row[:3] == [own.id, own.name, GOODS[own.good].name]
    assert len(HOMES) == 6


def test_what_the_text_says_of_orders() -> None:
    """10.9, and its formula for rewards."""
    rows = [half for row in table("id", "good", "count") for half in (row[:6], row[6:])]
    for own, good, count, city, reward, penalty in rows:
        order = next(one for one in ORDERS if one.id == own)
        assert [GOODS[order.good].name, CITIES[order.city].name] == [good, city]
        assert [order.count, order.reward, order.penalty] == [int(count), int(reward), int(penalty)]
        region = next(place for place, one in enumerate(REGIONS) if one.good == order.good)
        nearest = min(distances(order.city)[port] for port, one in enumerate(CITIES) if one.region == region)
        assert order.reward == order.count * (100 + 30 * nearest) + (0, 100, 300)[order.count - 1]
    assert len(rows) == len(ORDERS) == 48


def test_what_the_text_says_of_track_news_and_stock() -> None:
    """9.6, 11.1, 12.6."""
    assert [row[1:3] for row in table("space", "bonus id")] == [[one.bonus, str(one.amount)] for one in TRACK]
    for row, card in zip(table("id", "title", "effect id"), NEWS, strict=True):
        assert row[:3] == [card.id, card.title, card.effect]
        assert row[4] == ", ".join(GOODS[good].name for good in card.restock)
        amounts = {card.amount, card.count, card.small, card.large, card.spaces} - {None, 0}
        assert amounts <= set(map(int, re.findall(r"\d+", row[3])))
    values = re.search(r"Stock Exchange values: ([\d, ]+)\.", RULES)
    assert values is not None
    assert tuple(map(int, values[1].split(","))) == STOCK_VALUES
    assert {card.effect for card in NEWS} == set(EFFECTS)


# -- a broken file

FAULTS = [
    ("start_cash = 600", "start_cash = -1", "setup.start_cash: expected a whole number ≥ 0, got -1"),
    ("start_cash = 600", "start_cash = 6.0", "setup.start_cash: expected a whole number ≥ 0, got 6.0"),
    ("start_cash = 600", "", "setup.start_cash: is missing"),
    ("start_cash = 600", "start_cash = 600\nspeed = 1", "setup.speed: no such key is known"),
    ("[setup]", "[set_up]", "set_up: no such part is known"),
    ("[setup]", "[set_up]", "setup: expected a table, it is missing"),
    ('id = "coffee"', 'id = "grain"', "goods: 2 entries have the id 'grain'"),
    ('good = "coffee"\n', 'good = "tea"\n', "regions.south_america.good: there is no good 'tea'"),
    ('a = "north_sea"\nb = "hamburg"', 'a = "north_sea"\nb = "bremen"', "edges.1.b: there is no space 'bremen'"),
    ('kind = "suez"', 'kind = "kiel"', "edges.56.kind: there is no kind 'kiel'"),
    ('b = "new_york"\nkind = "route"', 'b = "new_york"\nkind = 1', "edges.5.kind: expected a text, got 1"),
    (
        'a = "aus_bight"\nb = "fremantle"',
        'a = "sydney"\nb = "fremantle"',
        "the ports sydney and fremantle are joined without a sea space between (5.4)",
    ),
    (
        'a = "aus_bight"\nb = "fremantle"',
        'a = "sydney"\nb = "fremantle"',
        "fremantle: cannot be reached through sea spaces from north_sea (18.1)",
    ),
    (
        'a = "north_sea"\nb = "hamburg"',
        'a = "north_sea"\nb = "rotterdam"',
        "edges.1: north_sea and rotterdam are joined already",
    ),
    (
        'a = "us_east_coast"\nb = "new_york"\nkind = "route"',
        'a = "us_east_coast"\nb = "new_york"\nkind = "suez"',
        "new_york: no way leads to a sea space without a toll",
    ),
    (
        'sells = ["coffee", "grain", "electronics", "textiles"]',
        'sells = ["machinery", "coffee", "grain", "electronics", "textiles"]',
        "cities.rotterdam: sells machinery, the good of its own region (18.1)",
    ),
    ('good = "grain"\ncount = 1\ncity = "santos"', 'good = "coffee"\ncount = 1\ncity = "santos"', "orders.O01: santos"),
    ('effect = "glut"\ngood = "grain"', 'effect = "flood"\ngood = "grain"', "news.N01.effect: there is no effect"),
    ('effect = "glut"\ngood = "grain"\ncount = 2', 'effect = "glut"\ngood = "grain"', "news.N01.count: is missing"),
    ('restock = ["grain", "coffee"]', 'restock = ["grain"]', "goods.coffee: stands in 7 restocks, it must be in 8"),
    ('canal = "suez"', 'canal = "kiel"', "news.N09.canal: there is no canal 'kiel'"),
    ("prices = [135,", "prices = [155,", "goods.grain.prices: must fall from left to right (7.3)"),
    ("prices = [135, ", "prices = [", "goods.grain.prices: expected 6, one a position, got 5"),
    ("values = [60, 70", "values = [70, 60", "stock_exchange.values: must rise"),
    ("values = [60, ", "values = [", "stock_exchange.values: must begin with 60, the floor, and have the start value"),
    ("face_up_orders = 4", "face_up_orders = 5", "setup.face_up_orders: the notation has 4 slots, got 5"),
    ("small_ships = 3", "small_ships = 4", "limits.small_ships: the notation names 3 ships, got 4"),
    ("max_players = 5", "max_players = 7", "cities: 6 home cities for up to 7 players (2.2)"),
    ("default_years = 4", "default_years = 6", "meta.default_years: 6 is not among years_allowed"),
    ("years_allowed = [3, 4, 5]", "years_allowed = [3, 4, 7]", "news: 24 cards for 28 quarters (12.3)"),
    ("space = 7\n", "space = 8\n", "production_track.spaces: expected space 7 here, got 8"),
    ('bonus = "boost"', 'bonus = "gift"', "production_track.spaces: space 4: there is no bonus 'gift'"),
    ("share_sell = 0", "share_sell = 1", "ap.share_sell: must be 0"),
    ('first_player = "random"', 'first_player = "0"', "setup.first_player: only 'random' is known (2.2, 2.6), got '0'"),
]


@pytest.mark.parametrize(("old", "new", "problem"), FAULTS)
def test_a_planted_fault_is_told(old: str, new: str, problem: str) -> None:
    assert old in TEXT
    with pytest.raises(DataError) as caught:
        read_data(TEXT.replace(old, new, 1))
    assert any(problem in one for one in caught.value.problems), caught.value.problems
    assert caught.value.code == "E70"


def test_a_good_that_hardly_anybody_takes_or_makes() -> None:
    """18.1."""
    no_textiles = re.sub(r'(sells = \[.*?)(, )?"textiles"', r"\1", TEXT)
    far_off = TEXT.replace('region = "africa"', 'region = ""')
    for text, problem in (
        (no_textiles, "goods.textiles: 0 cities sell it, at least 3 must (18.1)"),
        (far_off, "goods.minerals: 0 cities produce it, at least 2 must (18.1)"),
    ):
        with pytest.raises(DataError) as caught:
            read_data(text)
        assert problem in caught.value.problems


def test_all_faults_are_told_at_once() -> None:
    changes = {"start_cash = 600": "start_cash = -1", 'canal = "suez"': 'canal = "kiel"', "space = 7\n": "space = 8\n"}
    text = TEXT
    for old, new in changes.items():
        text = text.replace(old, new, 1)
    with pytest.raises(DataError) as caught:
        read_data(text)
    assert [problem.split(":")[0] for problem in caught.value.problems] == [
        "setup.start_cash",
        "news.N09.canal",
        "production_track.spaces",
    ]


@pytest.mark.parametrize("text", ["", "goods = 1", "[[goods]]", "[production_track]\nspaces = 3", "edges = [1]"])
def test_what_is_no_data_file_is_refused(text: str) -> None:
    with pytest.raises(DataError) as caught:
        read_data(text)
    assert len(caught.value.problems) > 10


def test_what_is_not_toml_is_refused() -> None:
    with pytest.raises(DataError, match="not TOML: "):
        read_data("[[goods")
