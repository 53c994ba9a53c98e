"""Intervals of the whole-history fit: their width by known values, what they do at the edges, that they repeat."""

import math
import statistics

import numpy as np
import pytest
from gavelport_server.ratings.bootstrap import canonical_blocks, repeated_strengths, student, widening
from gavelport_server.ratings.choices import choices
from gavelport_server.ratings.history import strengths
from gavelport_server.ratings.results import Results
from gavelport_server.ratings.standing import Fit, blocks_played, whole_history
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ratings.simulated import World

WORLD = World((-0.9, -0.3, 0.1, 0.4, 0.7), 3)
RESULTS = WORLD.play(39, np.random.default_rng(1))
FEW = 200


def shuffled(results: Results, seed: int) -> Results:
    """The same results with matches, seats and blocks in another order."""
    rng = np.random.default_rng(seed)
    matches = rng.permutation(len(results.seated))
    seats = rng.permuted(np.tile(np.arange(results.seated.shape[1]), (len(matches), 1)), axis=1)
    return Results(
        results.entrants,
        np.take_along_axis(results.seated[matches], seats, axis=1),
        np.take_along_axis(results.ranks[matches], seats, axis=1),
        1000 - results.blocks[matches],
    )


def renamed(results: Results, names: list[int]) -> Results:
    return Results(results.entrants, np.array(names)[results.seated], results.ranks, results.blocks)


def numbers(fit: Fit) -> list[float]:
    rows = [(*(one.interval or ()), one.rating, *one.rank_interval) for one in fit.entrants]
    return [x for row in rows for x in row] + [x for row in fit.beats for c in row for x in (c.p, c.low, c.high)]


def test_two_runs_agree_to_the_last_bit() -> None:
    assert whole_history(RESULTS, FEW) == whole_history(RESULTS, FEW)


@pytest.mark.parametrize("seed", range(5))
def test_order_changes_no_bit_of_the_intervals(seed: int) -> None:
    assert whole_history(shuffled(RESULTS, seed), FEW) == whole_history(RESULTS, FEW)


@settings(max_examples=20)
@given(st.permutations(range(5)))
def test_renumbering_bots_changes_rounding_at_most(names: list[int]) -> None:
    straight, turned = whole_history(RESULTS, FEW), whole_history(renamed(RESULTS, names), FEW)
    assert numbers(Fit(tuple(turned.entrants[names[i]] for i in range(5)), ())) == pytest.approx(
        numbers(Fit(straight.entrants, ())), abs=1e-5
    )
    for i in range(5):
        for j in range(5):
            assert turned.beats[names[i]][names[j]].low == pytest.approx(straight.beats[i][j].low, abs=1e-5)


def test_other_results_draw_other_numbers() -> None:
    place = np.arange(5)
    digest, _ = canonical_blocks(RESULTS, place)
    ranks = RESULTS.ranks.copy()
    ranks[0] = ranks[0][::-1]
    other, _ = canonical_blocks(Results(5, RESULTS.seated, ranks, RESULTS.blocks), place)
    assert canonical_blocks(shuffled(RESULTS, 0), place)[0] == digest != other


def test_spread_of_repetitions_is_the_clustered_standard_error() -> None:
    # Two bots over blocks of four matches: wins within a block go together. With p the share of wins, the log-odds
    # have the standard error √Σ(wins of a block − p · its matches)² / (matches · p · (1 − p)).
    rng = np.random.default_rng(2)
    wins = rng.binomial(4, rng.beta(1.5, 1.0, 400)).tolist()
    matches = [((0, 1), (1, 2) if k < won else (2, 1), block) for block, won in enumerate(wins) for k in range(4)]
    results = Results.of(2, 2, matches)
    folded = choices(results)
    repeated = repeated_strengths(results, folded, strengths(folded), 4000)
    p = sum(wins) / 1600
    error = math.sqrt(sum((won - 4 * p) ** 2 for won in wins)) / (1600 * p * (1 - p))
    spread = statistics.stdev((repeated[:, 0] - repeated[:, 1]).tolist())
    assert spread == pytest.approx(error, rel=0.04)
    assert spread > 1.3 / math.sqrt(1600 * p * (1 - p))  # clearly more than if the 1,600 matches were independent


def test_few_blocks_are_widened_as_much_as_weights_fall_short() -> None:
    # Among n = 5 blocks, a weighted mean varies by (n − 1)/(n + 1) of s²/n.
    rng = np.random.default_rng(3)
    values = np.array([1.0, 4.0, 2.0, 8.0, 5.0])
    weights = -np.log1p(-rng.random((200_000, 5)))
    variance = np.var(weights @ values / weights.sum(axis=1))
    assert variance * (widening(5) * 1.959964 / student(4)) ** 2 == pytest.approx(np.var(values, ddof=1) / 5, rel=0.02)


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (5, 2.5706), (10, 2.2281), (30, 2.0423), (120, 1.9799)],
)
def test_students_quantiles(freedom: int, quantile: float) -> None:
    assert student(freedom) == pytest.approx(quantile, abs=1e-3)


def test_chances_mirror_each_other() -> None:
    fit = whole_history(RESULTS, FEW)
    for i in range(5):
        assert fit.beats[i][i].p == fit.beats[i][i].low == fit.beats[i][i].high == 0.5
        for j in range(5):
            there, back = fit.beats[i][j], fit.beats[j][i]
            assert (there.p, there.low, there.high) == pytest.approx((1 - back.p, 1 - back.high, 1 - back.low))
            gap = fit.entrants[i].rating - fit.entrants[j].rating
            assert there.p == pytest.approx(1 / (1 + 10 ** (-gap / 400)), abs=1e-6)
            assert there.low <= there.p <= there.high


def test_figures_hang_together() -> None:
    fit = whole_history(RESULTS, FEW)
    in_order = sorted((one.rating for one in fit.entrants), reverse=True)
    assert [one.rank for one in fit.entrants] == [1 + in_order.index(one.rating) for one in fit.entrants]
    assert sum(one.matches for one in fit.entrants) == RESULTS.seated.size
    for one in fit.entrants:
        assert one.interval is not None
        assert one.interval[0] < one.rating < one.interval[1]
        assert one.rank_interval[0] <= one.rank <= one.rank_interval[1]
        assert one.blocks == one.matches / 3


def test_sure_ranks_close_and_near_ones_stay_open() -> None:
    world = World((-3.0, 0.0, 0.01, 3.0), 4)
    fit = whole_history(world.play(200, np.random.default_rng(4)), 1000)
    assert [one.rank_interval for one in fit.entrants] == [(4, 4), (2, 3), (2, 3), (1, 1)]


def test_equals_share_the_better_place() -> None:
    fit = whole_history(Results.of(3, 3, [((0, 1, 2), (1, 2, 1), block) for block in range(6)]), FEW)
    assert [one.rank for one in fit.entrants] == [1, 3, 1]


def test_a_bot_that_always_wins_is_not_pinned_down() -> None:
    matches = [((0, 1), (1, 2), block) for block in range(20)]
    matches += [((1, 2), (1 + block % 2, 2 - block % 2), block) for block in range(20)]
    first, second, _ = whole_history(Results.of(3, 2, matches)).entrants
    assert first.interval is not None
    assert second.interval is not None
    assert first.interval[1] - first.rating > 600  # how much better than all it met cannot be known
    assert second.interval[1] - second.interval[0] < 400  # which costs the others little
    assert first.rank_interval == (1, 1)


def test_one_block_tells_nothing_of_spread() -> None:
    fit = whole_history(Results.of(3, 2, [((0, 1), (1, 2), 7)]), FEW)
    assert [(one.rank, one.matches, one.blocks) for one in fit.entrants] == [(1, 1, 1), (3, 1, 1), (2, 0, 0)]
    for one in fit.entrants:
        assert one.interval is None
        assert one.rank_interval == (1, 3)
    assert (fit.beats[0][1].low, fit.beats[0][1].high) == (0.0, 1.0)
    assert fit.beats[0][1].p > 0.5


def test_no_matches_at_all() -> None:
    fit = whole_history(Results.of(2, 2, []), FEW)
    assert [(one.rating, one.interval, one.rank) for one in fit.entrants] == [(1500.0, None, 1)] * 2


def test_blocks_are_counted_for_those_who_sat_in_them() -> None:
    matches = [((0, 1), (1, 2), 5), ((1, 0), (1, 2), 5), ((0, 2), (1, 2), 9)]
    assert blocks_played(Results.of(4, 2, matches)).tolist() == [2, 1, 1, 0]


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(st.permutations(range(4)), st.tuples(*[st.integers(1, 4)] * 4), st.integers(0, 4)),
        min_size=1,
        max_size=15,
    )
)
def test_whatever_the_results_intervals_come_out(matches: list[tuple[list[int], tuple[int, ...], int]]) -> None:
    fit = whole_history(Results.of(4, 4, matches), 100)
    assert all(math.isfinite(x) for x in numbers(fit))
    for one in fit.entrants:
        assert (one.interval is None) == (len({block for _, _, block in matches}) < 2)
        assert one.rank_interval[0] <= one.rank <= one.rank_interval[1]
