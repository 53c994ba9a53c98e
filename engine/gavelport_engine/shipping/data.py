"""The figures of the game out of its data file, `data.toml` (`shipping.md 5` to 12; the file wins over the text).

The constants here are what the file says; ids are told once, as indices in the order in which the file lists them.
Spaces are the cities, which are the ports, and after them the sea spaces.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from gavelport_engine.shipping.data_checks import problems_in

if TYPE_CHECKING:
    from collections.abc import Mapping

NO_REGION = -1


class DataError(ValueError):
    """A data file that describes no game; `problems` lists every fault that was found, a sentence each."""

    code = "E70"

    def __init__(self, problems: list[str]) -> None:
        """Keep all problems, so that they can be mended at once."""
        super().__init__("; ".join(problems))
        self.problems = problems


class City(NamedTuple):
    """A port (5.6)."""

    id: str
    name: str
    region: int
    """A region, or NO_REGION."""
    bonus: int
    """The sales bonus, $M."""
    sells: frozenset[int]
    """The goods that are accepted here."""
    home: bool


class Region(NamedTuple):
    """A region and its good (5.5)."""

    id: str
    name: str
    good: int


class Good(NamedTuple):
    """A good and its prices (7.3), $M: sold out, then positions 1 to 6."""

    id: str
    name: str
    prices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OrderCard:
    """An Order (10.9)."""

    id: str
    good: int
    count: int
    city: int
    """A space."""
    reward: int
    penalty: int


@dataclass(frozen=True, slots=True)
class NewsCard:
    """A News card (12.6); what its effect does not use is None."""

    id: str
    title: str
    effect: str
    restock: tuple[int, ...]
    """Goods, in printed order."""
    good: int | None
    count: int | None
    amount: int | None
    small: int | None
    large: int | None
    spaces: int | None
    canal: str | None


class TrackSpace(NamedTuple):
    """A space of the Production Track (9.6)."""

    bonus: str
    amount: int


class Edge(NamedTuple):
    """An edge of the map as seen from one of its spaces (5.2)."""

    to: int
    kind: str


class Data(NamedTuple):
    """All that the data file says of things that can be listed; `plain` holds its tables of single figures."""

    goods: tuple[Good, ...]
    regions: tuple[Region, ...]
    cities: tuple[City, ...]
    spaces: tuple[str, ...]
    """Ids: cities, then sea spaces."""
    space_names: tuple[str, ...]
    edges: tuple[tuple[Edge, ...], ...]
    """By space."""
    orders: tuple[OrderCard, ...]
    news: tuple[NewsCard, ...]
    track: tuple[TrackSpace, ...]
    plain: Mapping[str, Mapping[str, Any]]


def read_data(text: str) -> Data:
    """Return what a data file says. Raises DataError with every fault that it has (18.1)."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError([f"not TOML: {error}"]) from error
    problems = problems_in(raw)
    if problems:
        raise DataError(problems)
    return _built(raw)


def _built(raw: dict[str, Any]) -> Data:
    """Put together what has been checked."""
    good = _places(raw["goods"])
    region = {**_places(raw["regions"]), "": NO_REGION}
    ports_and_seas = [*raw["cities"], *raw["seas"]]
    space = _places(ports_and_seas)
    edges: list[list[Edge]] = [[] for _ in space]
    for edge in raw["edges"]:
        a, b = space[edge["a"]], space[edge["b"]]
        edges[a].append(Edge(b, edge["kind"]))
        edges[b].append(Edge(a, edge["kind"]))
    return Data(
        goods=tuple(Good(one["id"], one["name"], (one["empty_price"], *one["prices"])) for one in raw["goods"]),
        regions=tuple(Region(one["id"], one["name"], good[one["good"]]) for one in raw["regions"]),
        cities=tuple(
            City(
                one["id"],
                one["name"],
                region[one["region"]],
                one["sales_bonus"],
                frozenset(good[name] for name in one["sells"]),
                one["home"],
            )
            for one in raw["cities"]
        ),
        spaces=tuple(space),
        space_names=tuple(one["name"] for one in ports_and_seas),
        edges=tuple(map(tuple, edges)),
        orders=tuple(
            OrderCard(one["id"], good[one["good"]], one["count"], space[one["city"]], one["reward"], one["penalty"])
            for one in raw["orders"]
        ),
        news=tuple(
            NewsCard(
                one["id"],
                one["title"],
                one["effect"],
                tuple(good[name] for name in one["restock"]),
                good[one["good"]] if "good" in one else None,
                *(one.get(key) for key in ("count", "amount", "small", "large", "spaces", "canal")),
            )
            for one in raw["news"]
        ),
        track=tuple(TrackSpace(one["bonus"], one["amount"]) for one in raw["production_track"]["spaces"]),
        plain={key: value for key, value in raw.items() if isinstance(value, dict)},
    )


def _places(listed: list[dict[str, Any]]) -> dict[str, int]:
    return {one["id"]: place for place, one in enumerate(listed)}


DATA = read_data(files("gavelport_engine.shipping").joinpath("data.toml").read_text("utf-8"))

GOODS = DATA.goods
REGIONS = DATA.regions
CITIES = DATA.cities
SPACES = DATA.spaces
EDGES = DATA.edges
ORDERS = DATA.orders
NEWS = DATA.news
TRACK = DATA.track
PORTS = len(CITIES)
"""Spaces below this number are ports."""

GOOD_IDS = tuple(one.id for one in GOODS)
REGION_IDS = tuple(one.id for one in REGIONS)
ORDER_IDS = tuple(one.id for one in ORDERS)
NEWS_IDS = tuple(one.id for one in NEWS)
HOMES = tuple(space for space, city in enumerate(CITIES) if city.home)
PRICES = tuple(one.prices for one in GOODS)
"""By good: the price shown by a row with 0 to 6 containers (7.2)."""

COSTS: Mapping[str, int] = DATA.plain["costs"]
AP: Mapping[str, int] = DATA.plain["ap"]
LIMITS: Mapping[str, int] = DATA.plain["limits"]
SETUP: Mapping[str, Any] = DATA.plain["setup"]
META: Mapping[str, Any] = DATA.plain["meta"]
ASSET_PRICES: Mapping[str, int] = DATA.plain["variant_sale"]
ROW_CAPACITY: int = DATA.plain["terminal"]["capacity"]
YEAR_RESTOCK: int = DATA.plain["terminal"]["year_restock_to"]
STOCK_VALUES: tuple[int, ...] = tuple(DATA.plain["stock_exchange"]["values"])
CASH_PER_POINT: int = DATA.plain["stock_exchange"]["score_cash_per_point"]
BEYOND_TRACK_CASH: int = DATA.plain["production_track"]["beyond_end_cash"]
NO_ORDER_CASH: int = DATA.plain["production_track"]["order_instead_cash"]
QUARTERS: int = META["quarters_per_year"]
