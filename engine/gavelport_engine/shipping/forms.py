"""The notation's forms of single values of this game (`shipping-notation.md`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine import reading
from gavelport_engine.forms import Form, is_whole, listed, named, number, optional, word
from gavelport_engine.shipping.data import (
    GOOD_IDS,
    NEWS_IDS,
    ORDER_IDS,
    REGION_IDS,
    SPACES,
)
from gavelport_engine.shipping.data_checks import BONUSES, SLOTS
from gavelport_engine.shipping.events import ENDS, PURPOSES
from gavelport_engine.shipping.table import ASSETS, BANK, BILLS, SHIP_KINDS, SHIP_NAMES

if TYPE_CHECKING:
    from gavelport_engine.shipping.table import Goods

_GOOD_INDEX = {name: good for good, name in enumerate(GOOD_IDS)}
_MOST_READ = 100
"""No more containers of a good are made of a count: however large, it fits on no ship."""


def read_goods(value: object, path: str) -> Goods:
    """Return counts by good out of a bag; unknown goods are refused even with a zero count."""
    counts = [0] * len(GOOD_IDS)
    for name, count in reading.mapping(value, path, (), GOOD_IDS).items():
        counts[_GOOD_INDEX[name]] = reading.whole(count, reading.joined(path, name))
    return tuple(counts)


def write_goods(counts: Goods) -> dict[str, int]:
    """Return a bag in the notation, zero counts left out."""
    return {name: count for name, count in zip(GOOD_IDS, counts, strict=True) if count}


def read_cargo(value: object, path: str) -> tuple[int, ...]:
    """Return the goods of containers, ascending, out of a bag."""
    counts = read_goods(value, path)
    return tuple(good for good, count in enumerate(counts) for _ in range(min(count, _MOST_READ)))


def write_cargo(cargo: tuple[int, ...]) -> dict[str, int]:
    """Return containers as a bag."""
    return write_goods(tuple(cargo.count(good) for good in range(len(GOOD_IDS))))


def _read_party(value: object, path: str) -> int:
    return BANK if value == "bank" else reading.whole(value, path)


def _holds_cargo(value: object) -> bool:
    return type(value) is tuple and all(map(GOOD.holds, value)) and list(value) == sorted(value)


SHIP = named("a ship", SHIP_NAMES)
SPACE = named("a space", SPACES)
PATH = listed("a list of spaces", SPACE)
GOOD = named("a good", GOOD_IDS)
REGION = named("a region", REGION_IDS)
ORDER = named("an Order card", ORDER_IDS)
NEWS_CARD = named("a News card", NEWS_IDS)
MAYBE_ORDER = optional(ORDER)
MAYBE_SHIP = optional(SHIP)
MAYBE_REGION = optional(REGION)
ORDERS = listed("a list of Order cards", ORDER)
COUNT = number("a whole number ≥ 1", 1)
SLOT = number(f"a slot, 0 to {SLOTS - 1}", 0, SLOTS - 1)
KIND = word('"small" or "large"', tuple(SHIP_KINDS))
ASSET = word("an asset", ASSETS)
BILL = word("what a mandatory cost is for", BILLS)
PURPOSE = word("what a payment is for", PURPOSES)
BONUS = word("a bonus", BONUSES)
END = word("a reason", ENDS)
CARGO = Form("goods, ascending", read_cargo, write_cargo, _holds_cargo)
PARTY = Form(
    '"bank" or a seat number',
    _read_party,
    lambda value: "bank" if value == BANK else value,
    lambda value: value == BANK or is_whole(value),
)
OWNER = Form(
    "a seat number or null",
    lambda value, path: BANK if value is None else reading.whole(value, path),
    lambda value: None if value == BANK else value,
    PARTY.holds,
)
