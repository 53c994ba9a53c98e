"""The report on gifts finds those in league, and leaves those alone who only have habits."""

from __future__ import annotations

import os
import random
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import islice
from multiprocessing import get_context
from typing import TYPE_CHECKING

import numpy as np
import pytest
from gavelport_server.ratings import collusion as report
from gavelport_server.ratings.collusion import Evidence, PairEvidence, collusion
from gavelport_server.ratings.habits import expected_gifts
from gavelport_server.ratings.sittings import Dealing, Slots, TableMatch

from tests.ratings.pools import PAIR, bounds, of_matches, of_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gavelport_server.ratings.sittings import Floats

LEAST = 3
"""Dollars a match, as for Container."""


def pair(evidence: Evidence, bots: tuple[str, str] = PAIR) -> PairEvidence:
    return next(each for each in evidence.pairs if each.bots == bots)


def share_flagged(pools: Iterable[Evidence]) -> tuple[int, int, int]:
    """Pairs flagged, pairs judged, and pools with a pair flagged."""
    found = list(pools)
    flagged = [len(evidence.flagged) for evidence in found]
    return sum(flagged), sum(len(evidence.pairs) for evidence in found), sum(map(bool, flagged))


def honest_numbers(number: int, tables: int = 350) -> Evidence:
    return collusion(of_numbers(number, tables), LEAST)


def test_honest_pairs_are_left_alone() -> None:
    flagged, judged, _ = share_flagged(map(honest_numbers, range(4)))
    assert judged > 200
    assert flagged <= 0.01 * judged


def test_a_pair_in_league_is_flagged() -> None:
    evidence = collusion(of_numbers(4, 700, league=True), LEAST)
    assert [each.bots for each in evidence.flagged] == [PAIR]
    flagged = pair(evidence)
    assert flagged.matches == flagged.sittings > 40
    assert 3.5 < flagged.excess < 6.5
    assert flagged.p <= 0.01


def table_blind(slots: Slots) -> Floats:
    """A planted fault: expects of everybody what anybody gives, and deals all bots' left-overs out among all."""
    slots.of_giver = [(0, len(slots.giver))]
    return np.full_like(slots.gift, slots.gift.mean())


def test_a_baseline_that_does_not_look_who_sits_there_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "expected_gifts", table_blind)
    flagged, judged, _ = share_flagged(honest_numbers(number, tables=900) for number in range(2))
    assert flagged > 0.05 * judged


def rivals() -> Evidence:
    """A pool in which bot 0 pays more at every table where its rival, bot 1, sits: to everybody there."""
    rng, matches = random.Random(8), []
    for block in range(400):
        bots = rng.sample(range(12), 4)
        pays = {bot: 3 if {bot, *bots} == {0, 1, *bots} else 1 for bot in bots}
        dealings = [
            gift(seat, taker, rng.randrange(1 + 2 * pays[bot] * goods), goods)
            for seat, bot in enumerate(bots)
            for taker in range(4)
            if taker != seat and (goods := rng.randrange(5))
        ]
        matches.append(TableMatch(block, tuple(f"bot_{bot:02}" for bot in bots), tuple(dealings), (1, 2, 3, 4)))
    return collusion(matches, LEAST)


def test_what_company_does_is_no_gift() -> None:
    assert rivals().flagged == ()


def test_a_baseline_that_ignores_the_company_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Slots, "to_third_seats", lambda _, values: np.zeros_like(values))
    assert ("bot_00", "bot_01") in [each.bots for each in rivals().flagged]


def test_real_matches_show_a_pair_in_league() -> None:
    matches = islice(of_matches(1, league=True, gift=8, meets_often=True), 120)
    assert [each.bots for each in collusion(matches, LEAST).flagged] == [PAIR]


# -- the parts


def match(block: int, bots: str, *dealings: Dealing, ranks: tuple[int, ...] = (1, 2, 3, 4)) -> TableMatch:
    return TableMatch(block, tuple(bots), dealings, ranks[: len(bots)])


def gift(giver: int, taker: int, amount: int, goods: int = 1) -> Dealing:
    return Dealing("sale", giver, taker, amount, goods)


def test_what_is_expected_is_what_the_giver_gives_others() -> None:
    """A gives b $1 a piece, and c and d $3: it is expected to give b $3."""
    matches = [match(n, "abcd", gift(0, 1, 100, 100), gift(0, 2, 300, 100), gift(0, 3, 300, 100)) for n in range(50)]
    slots = Slots(matches)
    expected = slots.means(expected_gifts(slots))
    assert expected[0, 1] == pytest.approx(300, rel=0.02)
    assert expected[0, 2] == pytest.approx(200, rel=0.02)
    assert expected[1].sum() == 0  # without dealings there is nothing to expect


def test_the_company_is_looked_at() -> None:
    """A gives $1 a piece, and beside b to everybody $3: then $3 are expected of it, to b too."""
    apart = [match(n, "acde", *(gift(0, taker, 100, 100) for taker in (1, 2, 3))) for n in range(50)]
    beside = [match(n, "abcd", *(gift(0, taker, 300, 100) for taker in (1, 2, 3))) for n in range(50, 100)]
    slots = Slots([*apart, *beside])
    assert slots.means(expected_gifts(slots))[0, 1] == pytest.approx(300, rel=0.02)


def test_mere_gifts_are_expected_by_the_match() -> None:
    """With nothing dealt in, what counts is how often two met."""
    matches = [match(n, "abcd", *(Dealing("fee", 0, taker, 20, 0) for taker in (1, 2, 3))) for n in range(400)]
    slots = Slots(matches)
    expected = slots.means(expected_gifts(slots))
    assert expected[0, 1:] == pytest.approx(20, rel=0.05)


def test_matches_of_a_block_count_as_one_sitting() -> None:
    once, copied = of_numbers(1, 250, league=True), of_numbers(1, 250, league=True, copies=4)
    one, four = collusion(once, LEAST), collusion(copied, LEAST)
    assert four.matches == 4 * one.matches
    assert [replace(each, matches=4 * each.matches) for each in one.pairs] == list(four.pairs)


def test_copies_taken_for_sittings_of_their_own_would_flag_honest_pairs() -> None:
    """What blocks are for: the same dealings again and again make chance look like evidence."""
    pools = [[replace(one, block=n) for n, one in enumerate(of_numbers(k, 40, copies=16))] for k in range(2)]
    flagged, judged, _ = share_flagged(collusion(pool, 1) for pool in pools)
    assert flagged > 0.01 * judged


def test_the_order_of_matches_means_nothing() -> None:
    matches = of_numbers(3, 250, league=True)
    shuffled = [*matches]
    random.Random(1).shuffle(shuffled)
    assert collusion(shuffled, LEAST).flagged == collusion(matches, LEAST).flagged


def test_gain_is_what_two_win_together_beyond_their_strengths() -> None:
    """Bots of equal strength, of whom two beat the others whenever they sit together."""
    rng, matches = random.Random(5), []
    for block in range(300):
        bots = rng.sample("abcdefgh", 4)
        ranks = dict(zip(bots, rng.sample(range(1, 5), 4), strict=True))
        if {"a", "b"} <= set(bots):
            order = sorted(bots, key=lambda bot: (bot not in "ab", ranks[bot]))
            ranks = {bot: place for place, bot in enumerate(order, 1)}
        matches.append(match(block, "".join(bots), ranks=tuple(ranks[bot] for bot in bots)))
    evidence = collusion(matches, LEAST)
    best = max(evidence.pairs, key=lambda each: each.gain)
    assert best.bots == ("a", "b")
    assert best.gain > 0.3
    assert best.gain_p <= 0.002
    assert evidence.flagged == ()  # a gain alone is no gift


def test_pairs_that_met_seldom_are_not_judged() -> None:
    evidence = collusion([match(n, "abcd", gift(0, 1, 50)) for n in range(report.LEAST_SITTINGS - 1)], LEAST)
    assert (evidence.matches, evidence.pairs, evidence.untold) == (report.LEAST_SITTINGS - 1, (), 6)
    assert len(collusion([match(n, "abcd", gift(0, 1, 50)) for n in range(report.LEAST_SITTINGS)], LEAST).pairs) == 6


def test_no_matches_give_an_empty_report() -> None:
    assert collusion([], LEAST) == Evidence(0, (), 0)


def test_a_bot_that_sits_twice_is_told() -> None:
    with pytest.raises(ValueError, match="block 7: a bot sits twice at a table: a, b, a"):
        collusion([match(7, "aba")], LEAST)


def test_small_gifts_are_no_matter() -> None:
    evidence = collusion(of_numbers(2, 700, league=True), 50)
    assert evidence.flagged == ()
    assert pair(evidence).p <= 0.01


# -- how sure it is; the figures are in docs/collusion.md


def honest_matches(number: int) -> Evidence:
    return collusion(islice(of_matches(number), 330), LEAST)


def shared_until_flagged(number: int, gift: int = 5) -> tuple[int, float, float]:
    """After how many shared matches the pair is flagged (0: never), with what it gave and was expected to."""
    matches, shared = [], 0
    for one in of_matches(number, league=True, gift=gift):
        matches.append(one)
        shared += set(PAIR) <= set(one.bots)
        if set(PAIR) <= set(one.bots) and shared in {20, 30, 50, 100, 200, 500}:
            told = pair(collusion(matches, LEAST))
            if told.flagged or shared == 500:
                return shared if told.flagged else 0, sum(told.given), sum(told.expected)
    raise AssertionError


@pytest.mark.long
def test_a_pair_in_league_is_flagged_within_500_shared_matches(capsys: pytest.CaptureFixture[str]) -> None:
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), mp_context=get_context("spawn")) as pool:
        found = list(pool.map(shared_until_flagged, range(8)))
    with capsys.disabled():
        for shared, given, expected in found:
            print(f"\nflagged after {shared} shared matches: ${given:.2f} given, ${expected:.2f} by habit", end="")
    assert all(0 < shared <= 500 for shared, _, _ in found)


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "judge", "pools"),
    [("real matches", honest_matches, 32), ("numbers", partial(honest_numbers, tables=300), 400)],
)
def test_at_most_1_percent_of_honest_pairs_are_flagged(
    kind: str, judge: partial[Evidence], pools: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), mp_context=get_context("spawn")) as pool:
        flagged, judged, touched = share_flagged(pool.map(judge, range(1000, 1000 + pools)))
    low, high = bounds(flagged, judged)
    with capsys.disabled():
        print(f"\n{kind}: {flagged} of {judged} honest pairs flagged, 95 % from {low:.2%} to {high:.2%}")
        print(f"{touched} of {pools} pools have one", end="")
    assert high <= 0.01
