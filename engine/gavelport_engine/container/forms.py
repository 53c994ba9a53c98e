"""The notation's forms of single values, both ways, and what such a value is (`container-notation.md`).

Actions, events and positions are put together from these.
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

from gavelport_engine import reading
from gavelport_engine.container.actions import ISLAND, SEA
from gavelport_engine.container.events import BANK
from gavelport_engine.container.goods import (
    COLOUR_NAMES,
    COLOURS,
    FACTORY_PRICES,
    HARBOUR_PRICES,
    PLACES,
    TOP_PRICE,
    Bag,
    Colour,
    Store,
)
from gavelport_engine.errors import NotationError
from gavelport_engine.forms import Form, is_whole, number, optional, word

if TYPE_CHECKING:
    from collections.abc import Callable

_COLOUR_INDEX = {name: index for index, name in enumerate(COLOUR_NAMES)}
_PRICE_NAMES = tuple(str(price + 1) for price in range(TOP_PRICE))
_COLOUR_NUMBERS = range(COLOURS)
_PLACE_NAMES = {"sea": SEA, "island": ISLAND}
STORE_NAMES = ("factory", "harbour")
ASSETS = ("factory", "warehouse")


_INTS = frozenset((int,))
_PLACES = TOP_PRICE * COLOURS


# Both as `is_whole` of each count, but asked of every bag and store of every answer.


def _is_bag(value: object) -> bool:
    return type(value) is tuple and len(value) == COLOURS and _INTS.issuperset(map(type, value)) and min(value) >= 0


def _is_store(value: object) -> bool:
    return type(value) is tuple and len(value) == _PLACES and _INTS.issuperset(map(type, value)) and min(value) >= 0


def read_bag(value: object, path: str) -> Bag:
    """Return a bag; unknown colours are refused even with a zero count."""
    counts = [0] * COLOURS
    for name, count in reading.mapping(value, path, (), COLOUR_NAMES).items():
        counts[_COLOUR_INDEX[name]] = reading.whole(count, reading.joined(path, name))
    return tuple(counts)


def write_bag(goods: Bag) -> dict[str, int]:
    """Return a bag in the notation, zero counts left out."""
    return {name: count for name, count in zip(COLOUR_NAMES, goods, strict=True) if count}


def _store_reader(prices: tuple[int, ...]) -> Callable[[object, str], Store]:
    names = {str(price): price for price in prices}

    def read(value: object, path: str) -> Store:
        """Return a store; prices that it cannot have are refused even with an empty bag."""
        counts = [0] * (TOP_PRICE * COLOURS)
        for name, colours in reading.mapping(value, path, (), tuple(names)).items():
            first = (names[name] - 1) * COLOURS
            counts[first : first + COLOURS] = read_bag(colours, reading.joined(path, name))
        return tuple(counts)

    return read


def write_store(goods: Store) -> dict[str, dict[str, int]]:
    """Return a store in the notation, zero counts and empty bags left out."""
    found: dict[str, dict[str, int]] = {}
    for place in compress(PLACES, goods):
        name = COLOUR_NAMES[place % COLOURS]
        found.setdefault(_PRICE_NAMES[place // COLOURS], {})[name] = goods[place]
    return found


def read_place(value: object, path: str) -> int:
    """Return where a ship is: SEA, ISLAND or the seat number of a harbour."""
    if type(value) is str and value in _PLACE_NAMES:
        return _PLACE_NAMES[value]
    if type(value) is int and value >= 0:
        return value
    problem = f'expected "sea", "island" or a seat number, got {reading.shown(value)}'
    raise NotationError(path, problem)


def write_place(place: int) -> str | int:
    """Return where a ship is in the notation."""
    return {SEA: "sea", ISLAND: "island"}.get(place, place)


def _read_party(value: object, path: str) -> int:
    return BANK if value == "bank" else reading.whole(value, path)


def _read_optional_list(value: object, path: str) -> tuple[int | None, ...]:
    return tuple(
        None if entry is None else reading.whole(entry, reading.joined(path, place))
        for place, entry in enumerate(reading.listing(value, path))
    )


def _is_place(value: object) -> bool:
    return type(value) is int and value >= min(SEA, ISLAND)


PRICE = number("a price in whole dollars")
COLOUR = Form(
    "a colour",
    lambda value, path: reading.looked_up(value, path, _COLOUR_INDEX),
    lambda value: COLOUR_NAMES[value],
    lambda value: type(value) in (int, Colour) and value in _COLOUR_NUMBERS,
)
BAG = Form(
    "a bag: 5 whole numbers ≥ 0",
    read_bag,
    write_bag,
    _is_bag,
)
FACTORY_STORE = Form(
    "a store: 30 whole numbers ≥ 0",
    _store_reader(FACTORY_PRICES),
    write_store,
    _is_store,
)
HARBOUR_STORE = Form(FACTORY_STORE.what, _store_reader(HARBOUR_PRICES), write_store, FACTORY_STORE.holds)
PLACE = Form("a place for a ship", read_place, write_place, _is_place)
PARTY = Form(
    '"bank" or a seat number',
    _read_party,
    lambda value: "bank" if value == BANK else value,
    lambda value: value == BANK or is_whole(value),
)
STORE_NAME = word('"factory" or "harbour"', STORE_NAMES)
ASSET = word('"factory" or "warehouse"', ASSETS)
LISTED = Form(
    "a list by seat",
    _read_optional_list,
    list,
    lambda value: type(value) is tuple and all(v is None or is_whole(v) for v in value),
)
MAYBE_BAG = optional(BAG)
MAYBE_FACTORY_STORE = optional(FACTORY_STORE)
MAYBE_HARBOUR_STORE = optional(HARBOUR_STORE)
