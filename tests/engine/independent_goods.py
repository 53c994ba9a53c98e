"""Bags, stores, the deal and the scores of Container on plain JSON, from `container.md` alone, without the engine."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

Bag = dict[str, int]
Store = dict[str, Bag]
Json = dict[str, Any]

COLOURS = ("black", "white", "brown", "tan", "orange")
CARDS = {  # 1.4: the $10, $5 or $10, $6, $4 and $2 colours
    "A": ("black", "brown", "orange", "tan", "white"),
    "B": ("brown", "orange", "tan", "white", "black"),
    "C": ("orange", "tan", "white", "black", "brown"),
    "D": ("tan", "white", "black", "brown", "orange"),
    "E": ("white", "black", "brown", "orange", "tan"),
}


def bag(given: Bag) -> Bag:
    return {colour: count for colour, count in given.items() if count}


def store(given: Store) -> Store:
    return {price: bag(row) for price, row in given.items() if bag(row)}


def size(given: Store) -> int:
    return sum(sum(row.values()) for row in given.values())


def cost(given: Store) -> int:
    return sum(int(price) * sum(row.values()) for price, row in given.items())


def flat(given: Store) -> Bag:
    counted: Counter[str] = Counter()
    for row in given.values():
        counted.update(row)
    return dict(+counted)


def added(one: Bag, other: Bag) -> Bag:
    return bag({colour: one.get(colour, 0) + other.get(colour, 0) for colour in COLOURS})


def less(one: Bag, other: Bag) -> Bag:
    left = {colour: one.get(colour, 0) - other.get(colour, 0) for colour in COLOURS}
    assert min(left.values()) >= 0
    return bag(left)


def store_less(one: Store, other: Store) -> Store:
    return store({price: less(one.get(price, {}), other.get(price, {})) for price in {*one, *other}})


class Words:
    """The stream of the deal (container-notation.md, "The deal from a seed")."""

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._counter = 0
        self._left = b""

    def below(self, bound: int) -> int:
        while True:
            if not self._left:
                self._left = hashlib.sha256(self._seed + b"deal" + self._counter.to_bytes(8, "big")).digest()
                self._counter += 1
            word, self._left = int.from_bytes(self._left[:4], "big"), self._left[4:]
            if word < 2**32 - 2**32 % bound:
                return word % bound

    def shuffle(self, items: list[str]) -> None:
        for place in range(len(items) - 1, 0, -1):
            other = self.below(place + 1)
            items[place], items[other] = items[other], items[place]


def dealt(options: Json, seed: bytes) -> Json:
    """The position before the first turn begins (1)."""
    words, seats = Words(seed), options["seats"]
    factories, cards = list(COLOURS), list("ABCDE")
    words.shuffle(factories)
    words.shuffle(cards)
    start = words.below(seats)
    supply = dict.fromkeys(COLOURS, options["supply_per_player"] * seats)
    for colour in factories[:seats]:
        supply[colour] -= 1
    return {
        "game": "container",
        "options": options,
        "turn": 1,
        "seat": start,
        "phase": "action",
        "actions_left": 2,
        "produced": False,
        "sold_domestic": False,
        "loans_taken": 0,
        "loans_repaid": 0,
        "quiet_turns": 0,
        "busy": False,
        "supply": bag(supply),
        "removed": {},
        "seats": [
            {
                "cash": 20,
                "loans": 0,
                "card": cards[seat],
                "factories": [factories[seat], None, None, None],
                "warehouses": 1,
                "factory_store": {"2": {factories[seat]: 1}},
                "harbour_store": {},
                "ship": {"at": "sea", "cargo": {}},
                "island": {},
            }
            for seat in range(seats)
        ],
        "auction": None,
    }


def score(seat: Json) -> Json:
    """One seat's line (8.3, 8.4)."""
    card, island = CARDS[seat["card"]], seat["island"]
    values = dict(zip(card, (10, 5, 6, 4, 2), strict=True))
    special = card[1]
    bonus = all(island.get(colour) for colour in COLOURS)
    if bonus:
        values[special] = 10
    discarded = None
    if island:
        most = [colour for colour in COLOURS if island.get(colour) == max(island.values())]
        discarded = special if special in most else min(most, key=lambda colour: values[colour])
    return {
        "cash": seat["cash"],
        "island": sum(values[colour] * count for colour, count in island.items() if colour != discarded),
        "bonus": bonus,
        "discarded": discarded,
        "harbour": 2 * size(seat["harbour_store"]),
        "ship": 3 * sum(seat["ship"]["cargo"].values()),
        "loans": 11 * seat["loans"],
        "island_count": sum(island.values()),
    }


def scores(seats: list[Json]) -> tuple[list[Json], list[int], list[int]]:
    """Score lines, money and ranks by seat (8.5)."""
    lines = [score(seat) for seat in seats]
    money = [one["cash"] + one["island"] + one["harbour"] + one["ship"] - one["loans"] for one in lines]
    keys = [(total, one["island_count"]) for total, one in zip(money, lines, strict=True)]
    return lines, money, [1 + sum(other > key for other in keys) for key in keys]
