"""Containers in bags and stores, as plain tuples of counts (`container-notation.md`, "Containers and stores").

A *bag* holds 5 counts, one a colour. A *store* holds 30 counts: prices $1 to $6, five colours each, so that one form
serves factory stores ($1–$4), harbour stores ($2–$6) and what is taken out of either. Tuples compare, hash and copy at
C speed, and two equal piles of containers are always equal values.
"""

from __future__ import annotations

from enum import IntEnum
from itertools import compress
from operator import add, itemgetter, le, mul, sub
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Bag: TypeAlias = tuple[int, ...]
"""Five counts: black, white, brown, tan, orange."""
Store: TypeAlias = tuple[int, ...]
"""Thirty counts; `store[(price - 1) * 5 + colour]`."""


class Colour(IntEnum):
    """The five colours in the notation's order; a colour is an index into a bag."""

    BLACK = 0
    WHITE = 1
    BROWN = 2
    TAN = 3
    ORANGE = 4


COLOUR_NAMES = ("black", "white", "brown", "tan", "orange")
COLOURS = 5
TOP_PRICE = 6
FACTORY_PRICES = (1, 2, 3, 4)
HARBOUR_PRICES = (2, 3, 4, 5, 6)
EMPTY_BAG: Bag = (0,) * COLOURS
EMPTY_STORE: Store = (0,) * (TOP_PRICE * COLOURS)
PLACES = range(TOP_PRICE * COLOURS)
"""The indices of a store: a price and a colour each."""
PLACE_PRICES = tuple(place // COLOURS + 1 for place in PLACES)


def bag(counts: Mapping[int, int]) -> Bag:
    """Return a bag of the given counts by colour: `bag({Colour.TAN: 2})`."""
    return tuple(counts.get(colour, 0) for colour in range(COLOURS))


def store(prices: Mapping[int, Mapping[int, int]]) -> Store:
    """Return a store of the given counts by price and colour: `store({2: {Colour.TAN: 1}})`.

    Raises ValueError for a price outside $1 to $6.
    """
    counts = [0] * (TOP_PRICE * COLOURS)
    for price, colours in prices.items():
        if not 1 <= price <= TOP_PRICE:
            raise ValueError(f"price {price}: a store has prices 1 to {TOP_PRICE}")
        for colour, count in colours.items():
            counts[(price - 1) * COLOURS + colour] += count
    return tuple(counts)


def at_price(price: int, goods: Bag) -> Store:
    """Return a store in which a whole bag stands at one price."""
    return store({price: dict(enumerate(goods))})


def listed(goods: Store) -> Iterator[tuple[int, Colour, int]]:
    """Yield (price, colour, count) of all that is in a store, cheapest first, then by colour."""
    for index, count in enumerate(goods):
        if count:
            yield index // COLOURS + 1, Colour(index % COLOURS), count


def pieces(goods: tuple[int, ...]) -> list[int]:
    """Return the index of every single container in a bag or store, ascending."""
    found: list[int] = []
    for index in compress(PLACES, goods):
        count = goods[index]
        if count == 1:
            found.append(index)
        else:
            found += [index] * count
    return found


def piled(indices: Iterable[int], like: tuple[int, ...]) -> tuple[int, ...]:
    """Return the bag or store (whichever `like` is) of single containers: `pieces` undone."""
    counts = [0] * len(like)
    for index in indices:
        counts[index] += 1
    return tuple(counts)


_BY_COLOUR = itemgetter(*[slice(colour, None, COLOURS) for colour in range(COLOURS)])


def colours_of(goods: Store) -> Bag:
    """Return what is in a store as a bag, prices left aside."""
    return tuple(map(sum, _BY_COLOUR(goods)))


def cost(goods: Store) -> int:
    """Return the sum of the prices of all that is in a store, in dollars."""
    return sum(map(mul, goods, PLACE_PRICES))


def plus(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    """Return two bags, or two stores, put together."""
    return tuple(map(add, left, right))


def minus(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    """Return a bag or store less another, which must lie within it.

    Counts below zero are the caller's mistake.
    """
    return tuple(map(sub, left, right))


def within(part: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """Return whether a bag or store holds no more of anything than another of its kind."""
    return all(map(le, part, whole))
