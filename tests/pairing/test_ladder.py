"""Matchmaking: what may never happen, and that over thousands of matches nobody starves or runs away."""

from __future__ import annotations

import heapq
import random
from collections import Counter, deque
from dataclasses import dataclass, field
from itertools import combinations

import pytest
from gavelport_server.pairing import ladder
from gavelport_server.pairing.ladder import PATIENCE_S, SETTLED_MATCHES, Waiting, held_back, tables
from hypothesis import given
from hypothesis import strategies as st

SEATS = 4


def bot(name: str, owner: str = "", *, elo: float = 1500.0, matches: int = 0, since: float = 0.0) -> Waiting:
    return Waiting(name, owner or f"owner of {name}", elo, matches, since)


@st.composite
def fields(draw: st.DrawFn) -> list[Waiting]:
    count = draw(st.integers(0, 24))
    return [
        Waiting(
            f"bot{number}",
            draw(st.sampled_from(["", "ann", "ben", "cat", "dan", "eve"])),
            draw(st.floats(800, 2200)),
            draw(st.sampled_from([0, 3, 29, 30, 500])),
            draw(st.floats(0, 100)),
            draw(st.sampled_from([0, 0, 0, 5])),
        )
        for number in range(count)
    ]


@given(fields(), st.integers(2, 5), st.integers(0, 2**32), st.integers(0, 3))
def test_what_never_happens(waiting: list[Waiting], seats: int, seed: int, playing: int) -> None:
    known = {one.bot: one for one in waiting}
    rng = random.Random(seed)
    met = {frozenset(pair): rng.randrange(4) for pair in combinations(sorted(known), 2)}
    found = tables(waiting, seats, 100.0, random.Random(seed), met, playing=playing, pair_most=3, hour_most=5)
    assert found == tables(waiting, seats, 100.0, random.Random(seed), met, playing=playing, pair_most=3, hour_most=5)
    seated = [name for table in found for name in table]
    assert len(set(seated)) == len(seated)
    for table in found:
        assert len(table) == seats
        owners = [known[name].owner for name in table if known[name].owner]
        assert len(set(owners)) == len(owners)
        assert all(met[frozenset(pair)] < 3 for pair in combinations(table, 2))
        assert all(known[name].recent < 5 for name in table)
        assert owners or any(known[name].matches < SETTLED_MATCHES for name in table)


def test_house_bots_stop_playing_each_other_but_play_everybody_else() -> None:
    house = [Waiting(f"house{number}", "", 1500.0, SETTLED_MATCHES, 0.0) for number in range(6)]
    assert tables(house, SEATS, 1000.0, random.Random(0), {}) == []
    (table,) = tables([*house, bot("guest")], SEATS, 1000.0, random.Random(0), {})
    assert "guest" in table
    fresh = Waiting("fresh", "", 1500.0, SETTLED_MATCHES - 1, 0.0)
    (table,) = tables([*house, fresh], SEATS, 1000.0, random.Random(0), {})
    assert "fresh" in table


def test_who_has_just_played_waits_a_little_for_others_who_still_play() -> None:
    waiting = [bot(f"bot{number}", since=10.0) for number in range(4)]
    assert tables(waiting, SEATS, 10.1, random.Random(0), {}, playing=4) == []
    assert tables(waiting, SEATS, 10.0 + PATIENCE_S, random.Random(0), {}, playing=4)
    assert tables(waiting, SEATS, 10.1, random.Random(0), {})  # nobody else will come
    more = [*waiting, *(bot(f"more{number}", since=10.0) for number in range(4))]
    # Eight are enough for the first table, and the other four wait on.
    assert len(tables(more, SEATS, 10.1, random.Random(0), {}, playing=4)) == 1
    assert len(tables(more, SEATS, 10.0 + PATIENCE_S, random.Random(0), {}, playing=4)) == 2


def test_seats_are_drawn() -> None:
    waiting = [bot(f"bot{number}") for number in range(4)]
    rng = random.Random(1)
    first = Counter(tables(waiting, SEATS, 1.0, rng, {})[0][0] for _ in range(400))
    assert min(first.values()) > 70


@dataclass
class World:
    """A ladder of many bots over time: uneven availability, matches of random length, ratings already about right."""

    rng: random.Random
    bots: dict[str, tuple[str, float, float]]
    """Owner, strength, and the share of the time in which the bot is there."""
    matches: Counter[str] = field(default_factory=Counter)
    met: Counter[frozenset[str]] = field(default_factory=Counter)
    waits: dict[str, float] = field(default_factory=dict)
    """The longest wait of each."""
    spreads: list[float] = field(default_factory=list)
    early: dict[str, list[float]] = field(default_factory=dict)
    """The waits of each one's first matches, and all."""
    recent: dict[str, deque[float]] = field(default_factory=dict)

    def run(self, total: int) -> None:
        now, played = 0.0, 0
        since = dict.fromkeys(self.bots, 0.0)
        busy: set[str] = set()
        ends: list[tuple[float, tuple[str, ...]]] = []
        while played < total:
            now += 0.5
            while ends and ends[0][0] <= now:
                _, table = heapq.heappop(ends)
                for name in table:
                    busy.discard(name)
                    rest = 0.0 if self.rng.random() < self.bots[name][2] else self.rng.expovariate(1 / 60)
                    since[name] = now + rest
            waiting = [
                Waiting(name, owner, elo, self.matches[name], since[name])
                for name, (owner, elo, _) in self.bots.items()
                if name not in busy and since[name] <= now
            ]
            for table in tables(waiting, SEATS, now, self.rng, self.met, playing=len(busy)):
                played += 1
                strengths = [self.bots[name][1] for name in table]
                self.spreads.append(max(strengths) - min(strengths))
                self.met.update(frozenset(pair) for pair in combinations(table, 2))
                for name in table:
                    waited = now - since[name]
                    self.waits[name] = max(self.waits.get(name, 0.0), waited)
                    self.early.setdefault(name, []).append(waited)
                    self.matches[name] += 1
                busy.update(table)
                heapq.heappush(ends, (now + self.rng.uniform(5, 40), table))


def many(rng: random.Random, count: int = 200) -> dict[str, tuple[str, float, float]]:
    return {
        f"bot{number}": (f"owner{number // 2}", rng.gauss(1500, 250), rng.choice([1.0, 0.9, 0.5, 0.2]))
        for number in range(count)
    }


def test_two_hundred_bots_over_thousands_of_matches() -> None:
    rng = random.Random(5)
    world = World(rng, many(rng))
    world.run(4000)
    assert len(world.matches) == 200
    assert max(world.waits.values()) < 10
    always = [world.matches[name] for name, (_, _, share) in world.bots.items() if share == 1.0]
    assert max(always) < 1.3 * min(always)
    everybody = [elo for _, elo, _ in world.bots.values()]
    drawn = [rng.sample(everybody, SEATS) for _ in range(4000)]
    by_chance = sum(max(four) - min(four) for four in drawn) / len(drawn)
    settled = world.spreads[2000:]
    assert sum(settled) / len(settled) < 0.6 * by_chance
    assert max(world.met.values()) < 40


def test_new_bots_wait_less() -> None:
    rng = random.Random(6)
    world = World(rng, {name: (owner, elo, 1.0) for name, (owner, elo, _) in many(rng, 41).items()})
    new = ["bot0", "bot7", "bot20"]
    for name in world.bots:
        world.matches[name] = 0 if name in new else 200
    world.run(400)
    waits_of_new = [wait for name in new for wait in world.early[name][:SETTLED_MATCHES]]
    waits_of_others = [wait for name in world.bots if name not in new for wait in world.early[name]]
    assert sum(waits_of_new) / len(waits_of_new) < 0.9 * sum(waits_of_others) / len(waits_of_others)


def one_at_a_time(field: dict[str, tuple[float, int]], rounds: int) -> tuple[Counter[str], float]:
    """Matches by bot, and the longest wait, where only one of the tables that could be made is played, in 10 s each.

    `field` has each bot's Elo and matches.
    """
    rng = random.Random(8)
    since = dict.fromkeys(field, 0.0)
    counts: Counter[str] = Counter()
    longest = 0.0
    for number in range(rounds):
        now = 10.0 * (number + 1)
        waiting = [
            bot(name, elo=elo, matches=matches + counts[name], since=since[name])
            for name, (elo, matches) in field.items()
        ]
        table = tables(waiting, SEATS, now, rng, {})[0]
        longest = max(longest, *(now - since[name] for name in field))
        for name in table:
            since[name] = now
            counts[name] += 1
    return counts, longest


FAR = {f"bot{number}": (1500.0, 200) for number in range(11)} | {"far": (2600.0, 200)}


def test_nobody_starves_for_being_far_from_all_others() -> None:
    counts, longest = one_at_a_time(FAR, 300)
    assert min(counts.values()) > 60  # of a hundred on average
    assert max(counts.values()) < 130
    assert longest <= 90


def test_without_urgency_somebody_starves(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check above sees a planted fault: an order that does not ask who has waited."""
    monkeypatch.setattr(ladder, "_urgency", lambda *_: 1.0)
    counts, longest = one_at_a_time(FAR, 300)
    assert counts["far"] == 0 or longest > 300


def test_new_bots_play_more_while_they_are_new() -> None:
    field = {f"bot{number}": (1500.0, 200) for number in range(10)} | {"new0": (1500.0, 0), "new1": (1500.0, 0)}
    counts, _ = one_at_a_time(field, 40)
    others = [counts[name] for name in field if name.startswith("bot")]
    assert min(counts["new0"], counts["new1"]) > 1.3 * max(others)


@pytest.mark.parametrize("cap", [1, 2])
def test_a_pair_meets_no_oftener_than_it_may(cap: int) -> None:
    waiting = [bot(f"bot{number}") for number in range(5)]
    met: Counter[frozenset[str]] = Counter()
    rng = random.Random(3)
    for _ in range(30):
        for table in tables(waiting, SEATS, 100.0, rng, met, pair_most=cap):
            met.update(frozenset(pair) for pair in combinations(table, 2))
    assert max(met.values()) == cap


def test_who_is_held_back_is_told_why() -> None:
    waiting = [bot(name) for name in "abcd"]
    met = {frozenset(pair): 3 for pair in combinations("abc", 2)}
    assert held_back(waiting, 3, met, pair_most=4) == {}
    held = held_back(waiting, 3, met, pair_most=3)
    assert sorted(held) == ["a", "b", "c"]  # `d` could sit with any two, were they not held back by each other
    assert held["a"].startswith("it has met 2 of the 3 bots that wait as often as a pair may in 24 hours, 3 times")
    assert held_back([*waiting, bot("e")], 3, met, pair_most=3) == {}
    assert held_back(waiting[:2], 3, met, pair_most=3) == {}, "there is no company, cap or no cap"
    often = Waiting("often", "owner", 1500.0, 500, 0.0, recent=5)
    assert list(held_back([often], 3, {}, hour_most=5)) == ["often"]
