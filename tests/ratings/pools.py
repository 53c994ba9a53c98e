"""Pools of bots for the report on gifts: made of numbers alone, and of real matches of Container."""

from __future__ import annotations

import math
import random
from itertools import count
from typing import TYPE_CHECKING

from gavelport_engine.rng import Stream
from gavelport_server.ratings.sittings import Dealing, TableMatch

from tests.ratings.company import HONEST, Habits, play, random_habits

if TYPE_CHECKING:
    from collections.abc import Iterator

BOTS = 12
_GENEROUS = (0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 2.0, 2.0, 3.0, 6.0, 8.0)
PAIR = ("bot_00", "bot_03")
"""Who is in league, where somebody is: the first gives."""


def of_numbers(
    number: int, tables: int, *, league: bool = False, seats: int = 4, gift: float = 5.0, copies: int = 1
) -> list[TableMatch]:
    """Return matches in which bots give out of habit, each in its own measure, and deal with some more than others.

    Gifts are rare and of very unequal size. With `copies`, so many matches of each table and deal, all but alike.
    """
    rng = random.Random(number)
    generous = [1.0, *rng.sample(_GENEROUS, BOTS - 1)]
    often = [[rng.lognormvariate(0, 0.7) for _ in range(BOTS)] for _ in range(BOTS)]
    matches = []
    for block in range(tables):
        bots = rng.sample(range(BOTS), seats)
        dealings = []
        for seat, bot in enumerate(bots):
            for other, companion in enumerate(bots):
                goods = min(12, int(rng.expovariate(1 / (3 * often[bot][companion])))) if other != seat else 0
                amount = sum(int(rng.expovariate(0.3)) for _ in range(goods) if rng.random() < 0.08) * generous[bot]
                is_planted = league and (f"bot_{bot:02}", f"bot_{companion:02}") == PAIR
                given = int(amount) + (int(rng.expovariate(1 / gift) + 0.5) if is_planted else 0)
                if goods or given:
                    dealings.append(Dealing("sale", seat, other, given, max(1, goods)))
        ranks = [*range(1, seats + 1)]
        rng.shuffle(ranks)
        names = tuple(f"bot_{bot:02}" for bot in bots)
        matches += [TableMatch(block, names, tuple(dealings), tuple(ranks))] * copies
    return matches


def of_matches(number: int, *, league: bool = False, gift: int = 5, meets_often: bool = False) -> Iterator[TableMatch]:
    """Yield real matches without end, three tables a round; every pool has bots of other habits.

    With `meets_often`, PAIR shares a table every other round.
    """
    rng = Stream(f"{number}".encode(), "pool")
    habits: dict[int, Habits] = {bot: random_habits(rng) for bot in range(BOTS)}
    if league:
        habits[0], habits[3] = HONEST[0], HONEST[3]
    for place in count():
        order = list(range(BOTS))
        rng.shuffle(order)
        if meets_often and place % 2:
            first, other = order.index(0) // 4 * 4, order.index(3)
            at = first + (order[first] == 0)
            order[at], order[other] = order[other], order[at]
        for start in range(0, BOTS, 4):
            seed = number.to_bytes(24, "big") + (place * BOTS + start).to_bytes(8, "big")
            yield play(tuple(order[start : start + 4]), habits, seed, (0, 3) if league else None, gift)


def bounds(found: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share by Clopper and Pearson, found by halving."""

    def tail(p: float, least: int) -> float:
        """The chance of at least so many."""
        return 1 - sum(math.comb(of, k) * p**k * (1 - p) ** (of - k) for k in range(least))

    def where(least: int, chance: float) -> float:
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if tail(middle, least) < chance else (low, middle)
        return low

    return (where(found, 0.025) if found else 0.0), (where(found + 1, 0.975) if found < of else 1.0)
