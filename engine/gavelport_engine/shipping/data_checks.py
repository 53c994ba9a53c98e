"""What makes a data file sound (`shipping.md 18.1`): its shape, then what must hold between its parts.

Every fault is found and told in a sentence that names the place. A rule looks only at entries whose shape is right, and
only where the lists that it compares are there, so that one fault is not told many times over.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from gavelport_engine.reading import shown
from gavelport_engine.shipping.table import LARGE_SHIPS, SMALL_SHIPS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Raw = dict[str, Any]
    Lists = dict[str, list[dict[str, Any]]]

SLOTS = 4
"""Face-up Orders (2.5)."""

_WORD, _COUNT, _FLAG, _WORDS, _COUNTS = "a text", "a whole number ≥ 0", "true or false", "texts", "whole numbers ≥ 0"

_TESTS: dict[str, Callable[[Any], bool]] = {
    _WORD: lambda value: type(value) is str,
    _COUNT: lambda value: type(value) is int and value >= 0,
    _FLAG: lambda value: type(value) is bool,
    _WORDS: lambda value: type(value) is list and all(type(one) is str for one in value),
    _COUNTS: lambda value: type(value) is list and all(type(one) is int and one >= 0 for one in value),
}

_FIGURES: dict[str, str] = {
    "setup": "start_cash start_small_ships start_large_ships start_stock_value start_orders_dealt face_up_orders"
    " initial_fill",
    "costs": "small_ship large_ship small_maintenance large_maintenance factory produce face_up_order hidden_order"
    " extra_ap canal_toll dock_fee share_buy share_sell",
    "ap": "base per_ship move boost buy_container sell_container buy_ship face_up_order hidden_order factory produce"
    " share_buy share_sell",
    "limits": "small_ships large_ships small_capacity large_capacity speed_light speed_large_two boost_spaces"
    " active_orders factories_per_region produce_per_good produce_per_good_two_large bankrupt_below",
    "variant_sale": "small_ship large_ship factory",
    "terminal": "capacity year_restock_to",
    "production_track": "beyond_end_cash order_instead_cash",
    "stock_exchange": "start_value score_cash_per_point",
}
_TABLES: dict[str, dict[str, str]] = {
    "meta": {
        **dict.fromkeys(("name", "id", "money_unit"), _WORD),
        **dict.fromkeys(("rules_version", "min_players", "max_players", "default_years", "quarters_per_year"), _COUNT),
        "years_allowed": _COUNTS,
    },
    **{name: dict.fromkeys(keys.split(), _COUNT) for name, keys in _FIGURES.items()},
}
_TABLES["setup"] |= dict.fromkeys(("home_assignment", "first_player"), _WORD)
_TABLES["stock_exchange"] |= {"values": _COUNTS}

_NAMED = {"id": _WORD, "name": _WORD}
_LISTS: dict[str, dict[str, str]] = {
    "goods": {**_NAMED, "empty_price": _COUNT, "prices": _COUNTS},
    "regions": {**_NAMED, "good": _WORD},
    "cities": {**_NAMED, "region": _WORD, "sales_bonus": _COUNT, "sells": _WORDS, "home": _FLAG},
    "seas": _NAMED,
    "edges": {"a": _WORD, "b": _WORD, "kind": _WORD},
    "orders": {"id": _WORD, "good": _WORD, "count": _COUNT, "city": _WORD, "reward": _COUNT, "penalty": _COUNT},
    "news": {"id": _WORD, "title": _WORD, "effect": _WORD, "restock": _WORDS},
}
_TRACK = {"space": _COUNT, "bonus": _WORD, "amount": _COUNT}

EFFECTS: dict[str, dict[str, str]] = {
    "glut": {"good": _WORD, "count": _COUNT},
    "shortage": {"good": _WORD, "count": _COUNT},
    "bonus": {"good": _WORD, "amount": _COUNT},
    "ship_cost": {"small": _COUNT, "large": _COUNT},
    "sea_cost": {"amount": _COUNT},
    "cargo_cost": {"amount": _COUNT},
    "canal_closed": {"canal": _WORD},
    "toll": {"amount": _COUNT},
    "factory_income": {"amount": _COUNT},
    "refresh_orders": {},
    "extra_ap": {"amount": _COUNT},
    "less_ap": {"amount": _COUNT},
    "stock_lowest": {"spaces": _COUNT},
    "none": {},
}
"""The effects there are (12.6), and what each needs beside."""

CANALS = ("panama", "suez")
EDGE_KINDS = ("route", *CANALS, "loop")
BONUSES = ("cash", "ap", "boost", "order", "stock")


def problems_in(raw: Raw) -> list[str]:
    """Return every fault of a parsed data file, a sentence each."""
    found = [f"{name}: no such part is known" for name in raw if name not in _TABLES and name not in _LISTS]
    sound: Lists = {}
    whole: Raw = {}
    for name, keys in _TABLES.items():
        inner = ("spaces",) if name == "production_track" else ()
        wrong = _entry_problems(raw.get(name), name, keys, inner)
        found += wrong
        if not wrong:
            whole[name] = raw[name]
    spaces = raw.get("production_track", {})
    lists = {name: (raw.get(name), keys) for name, keys in _LISTS.items()}
    lists["production_track.spaces"] = (spaces.get("spaces") if isinstance(spaces, dict) else None, _TRACK)
    for name, (entries, keys) in lists.items():
        if not isinstance(entries, list) or not entries:
            found.append(f"{name}: expected a list, at least one entry")
            continue
        sound[name] = []
        for number, entry in enumerate(entries):
            wrong = _entry_problems(entry, _place(name, number, entry), *_keys_of(name, entry, keys))
            found += wrong
            if not wrong:
                sound[name].append(entry)
    for needs, rule in _RULES:
        if all(need in sound or need in whole for need in needs):
            found += rule({**whole, **sound})
    return found


def _place(name: str, number: int, entry: object) -> str:
    own = entry.get("id") if isinstance(entry, dict) else None
    return f"{name}.{own}" if type(own) is str else f"{name}.{number}"


def _keys_of(name: str, entry: object, keys: dict[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the keys that an entry must have, and those that it may; a News card's depend on its effect."""
    if name != "news" or not isinstance(entry, dict) or type(entry.get("effect")) is not str:
        return keys, ()
    if entry["effect"] not in EFFECTS:  # that is the fault, whatever stands beside
        return keys, tuple(entry)
    return {**keys, **EFFECTS[entry["effect"]]}, ()


def _entry_problems(entry: object, place: str, keys: dict[str, str], inner: tuple[str, ...] = ()) -> list[str]:
    if not isinstance(entry, dict):
        return [f"{place}: expected a table, it is missing" if entry is None else f"{place}: expected a table"]
    found = [f"{place}.{key}: no such key is known" for key in entry if key not in keys and key not in inner]
    for key, what in keys.items():
        if key not in entry:
            found.append(f"{place}.{key}: is missing")
        elif not _TESTS[what](entry[key]):
            found.append(f"{place}.{key}: expected {what}, got {shown(entry[key])}")
    return found


def _unique(data: Raw) -> Iterator[str]:
    """Ids are told once; ports and sea spaces are both spaces."""
    for name, entries in (
        *((name, data[name]) for name in ("goods", "regions", "orders", "news")),
        ("cities and seas", [*data["cities"], *data["seas"]]),
    ):
        for own, count in Counter(entry["id"] for entry in entries).items():
            if count > 1:
                yield f"{name}: {count} entries have the id {own!r}"


def _references(data: Raw) -> Iterator[str]:
    """What names a good, a region, a city, a space or a word names one that there is."""
    goods, regions, cities = ({one["id"] for one in data[name]} for name in ("goods", "regions", "cities"))
    spaces = cities | {one["id"] for one in data["seas"]}
    named: list[tuple[str, str, Any, str]] = []
    named += [(f"regions.{one['id']}.good", one["good"], goods, "good") for one in data["regions"]]
    for city in data["cities"]:
        named.append((f"cities.{city['id']}.region", city["region"], regions | {""}, "region"))
        named += [(f"cities.{city['id']}.sells", good, goods, "good") for good in city["sells"]]
    for number, edge in enumerate(data["edges"]):
        named += [(f"edges.{number}.{end}", edge[end], spaces, "space") for end in ("a", "b")]
        named.append((f"edges.{number}.kind", edge["kind"], EDGE_KINDS, "kind"))
    for order in data["orders"]:
        named.append((f"orders.{order['id']}.good", order["good"], goods, "good"))
        named.append((f"orders.{order['id']}.city", order["city"], cities, "city"))
    for card in data["news"]:
        place = f"news.{card['id']}"
        named.append((f"{place}.effect", card["effect"], EFFECTS, "effect"))
        named += [(f"{place}.restock", good, goods, "good") for good in card["restock"]]
        if "good" in card:
            named.append((f"{place}.good", card["good"], goods, "good"))
        if "canal" in card:
            named.append((f"{place}.canal", card["canal"], CANALS, "canal"))
    for place, name, there, what in named:
        if name not in there:
            yield f"{place}: there is no {what} {name!r}"


def _map(data: Raw) -> Iterator[str]:
    """18.1, 5.4: the graph is connected through sea spaces; ports end routes; no ship is ever stuck."""
    cities, seas = ([one["id"] for one in data[name]] for name in ("cities", "seas"))
    beside: dict[str, set[str]] = {space: set() for space in (*cities, *seas)}
    free = set()
    for number, edge in enumerate(data["edges"]):
        a, b = edge["a"], edge["b"]
        if a not in beside or b not in beside:
            continue
        if a == b or b in beside[a]:
            yield f"edges.{number}: {a} and {b} are joined already"
        if a in cities and b in cities:
            yield f"edges.{number}: the ports {a} and {b} are joined without a sea space between (5.4)"
        beside[a].add(b)
        beside[b].add(a)
        if edge["kind"] not in CANALS:
            free |= {one for one, other in ((a, b), (b, a)) if other in seas}
    yield from (f"{space}: no way leads to a sea space without a toll" for space in beside if space not in free)
    reached, next_ones = {seas[0]}, [seas[0]]
    while next_ones:
        found = {space for space in beside[next_ones.pop()] if space not in reached}
        reached |= found
        next_ones += [space for space in found if space not in cities]
    yield from (
        f"{space}: cannot be reached through sea spaces from {seas[0]} (18.1)"
        for space in beside
        if space not in reached
    )


def _market(data: Raw) -> Iterator[str]:
    """18.1: who produces and who sells each good, and how often it is restocked."""
    good_of = {region["id"]: region["good"] for region in data["regions"]}
    producing = Counter(good_of.get(city["region"]) for city in data["cities"])
    selling = Counter(good for city in data["cities"] for good in set(city["sells"]))
    restocks = Counter(good for card in data["news"] for good in card["restock"])
    for good in (entry["id"] for entry in data["goods"]):
        if producing[good] < 2:
            yield f"goods.{good}: {producing[good]} cities produce it, at least 2 must (18.1)"
        if selling[good] < 3:
            yield f"goods.{good}: {selling[good]} cities sell it, at least 3 must (18.1)"
        if restocks[good] != 8:
            yield f"goods.{good}: stands in {restocks[good]} restocks, it must be in 8 (18.1)"
    for city in data["cities"]:
        own = good_of.get(city["region"])
        if own in city["sells"]:
            yield f"cities.{city['id']}: sells {own}, the good of its own region (18.1)"
    for region in Counter(good_of.values()) - Counter(set(good_of.values())):
        yield f"regions: more than one region produces {region} (5.5)"


def _orders(data: Raw) -> Iterator[str]:
    """18.1: each Order's city sells its good."""
    sells = {city["id"]: city["sells"] for city in data["cities"]}
    for order in data["orders"]:
        if order["good"] not in sells.get(order["city"], (order["good"],)):
            yield f"orders.{order['id']}: {order['city']} does not sell {order['good']} (18.1)"
        if not order["count"]:
            yield f"orders.{order['id']}.count: must be at least 1"


def _figures(data: Raw) -> Iterator[str]:
    """What tables and lists say of one another."""
    capacity, limits, setup, meta = data["terminal"]["capacity"], data["limits"], data["setup"], data["meta"]
    for good in data["goods"]:
        prices = [good["empty_price"], *good["prices"]]
        if len(good["prices"]) != capacity:
            yield f"goods.{good['id']}.prices: expected {capacity}, one a position, got {len(good['prices'])}"
        if any(left <= right for left, right in pairwise(prices)):
            yield f"goods.{good['id']}.prices: must fall from left to right (7.3)"
    values, start, floor = data["stock_exchange"]["values"], setup["start_stock_value"], limits["bankrupt_below"]
    if not values or values != sorted(set(values)):
        yield "stock_exchange.values: must rise"
    elif start not in values or values[0] != floor:
        yield f"stock_exchange.values: must begin with {floor}, the floor, and have the start value {start}"
    for kind, ships in (("small_ships", SMALL_SHIPS), ("large_ships", LARGE_SHIPS)):
        if limits[kind] != len(ships):
            yield f"limits.{kind}: the notation names {len(ships)} ships, got {limits[kind]}"
    if setup["face_up_orders"] != SLOTS:
        yield f"setup.face_up_orders: the notation has {SLOTS} slots, got {setup['face_up_orders']}"
    for free in ("move", "sell_container", "share_sell"):
        if data["ap"][free]:
            yield f"ap.{free}: must be 0, the action takes no AP (4.6)"
    for key in ("home_assignment", "first_player"):
        if setup[key] != "random":
            yield f"setup.{key}: only 'random' is known (2.2, 2.6), got {setup[key]!r}"
    homes = sum(city["home"] for city in data["cities"])
    if homes < meta["max_players"]:
        yield f"cities: {homes} home cities for up to {meta['max_players']} players (2.2)"
    if meta["default_years"] not in meta["years_allowed"]:
        yield f"meta.default_years: {meta['default_years']} is not among years_allowed"
    quarters = max(meta["years_allowed"], default=0) * meta["quarters_per_year"]
    if len(data["news"]) < quarters:
        yield f"news: {len(data['news'])} cards for {quarters} quarters (12.3)"


def _track(data: Raw) -> Iterator[str]:
    """9.6: spaces are numbered from 1; bonuses are known."""
    for number, entry in enumerate(data["production_track.spaces"], 1):
        if entry["space"] != number:
            yield f"production_track.spaces: expected space {number} here, got {entry['space']}"
        if entry["bonus"] not in BONUSES:
            yield f"production_track.spaces: space {entry['space']}: there is no bonus {entry['bonus']!r}"


_RULES: tuple[tuple[tuple[str, ...], Callable[[Raw], Iterator[str]]], ...] = (
    (tuple(_LISTS), _unique),
    (tuple(_LISTS), _references),
    (("cities", "seas", "edges"), _map),
    (("goods", "regions", "cities", "news"), _market),
    (("cities", "orders"), _orders),
    (("goods", "cities", "news", "meta", "setup", "ap", "limits", "terminal", "stock_exchange"), _figures),
    (("production_track.spaces",), _track),
)
"""Each rule, with the parts that it compares."""
