"""The whole-history fit against closed forms, a slow likelihood of its own, and the laws of symmetry."""

import itertools
import math
import time
from fractions import Fraction

import numpy as np
import pytest
from gavelport_server.ratings.choices import Choices, choices, stages
from gavelport_server.ratings.elo import EloTable
from gavelport_server.ratings.history import ANCHOR, GHOST, POINTS, anchored, history_ratings, strengths
from gavelport_server.ratings.newton import DenseSlopes, SparseSlopes
from gavelport_server.ratings.results import Floats, Results
from hypothesis import given
from hypothesis import strategies as st

ENTRANTS = 5
SEATS = 3
MATCHES = st.lists(
    st.tuples(
        st.permutations(range(ENTRANTS)).map(lambda order: tuple(order[:SEATS])),
        st.tuples(*[st.integers(1, SEATS)] * SEATS),
        st.integers(0, 3),
    ),
    max_size=12,
)


def two(wins: int, losses: int, ties: int = 0) -> Results:
    ranks = [(1, 2)] * wins + [(2, 1)] * losses + [(1, 1)] * ties
    return Results.of(2, 2, [((0, 1), rank, number) for number, rank in enumerate(ranks)])


def slow_likelihood(theta: list[float], matches: list[tuple[tuple[int, ...], tuple[int, ...], int]]) -> float:
    """The log-likelihood as the documents define it, with every order that breaks ties written out."""
    total = sum(-GHOST * (math.log1p(math.exp(t)) + math.log1p(math.exp(-t))) for t in theta)
    for seated, ranks, _ in matches:
        orders = [
            order
            for order in itertools.permutations(range(len(seated)))
            if all(ranks[a] <= ranks[b] for a, b in itertools.pairwise(order))
        ]
        for order in orders:
            worth = [math.exp(theta[seated[seat]]) for seat in order]
            total += sum(math.log(worth[k] / sum(worth[k:])) for k in range(len(worth))) / len(orders)
    return total


def test_one_win_has_a_closed_form() -> None:
    # By symmetry the strengths are x and −x; with y = exp(x) the slope 1/(1+y²) + ½ − y/(1+y) is 0 where
    # y³ − y² − y − 3 = 0, and the cubic's one real root is 2.130395435.
    y = 2.130395434766
    assert y**3 - y**2 - y - 3 == pytest.approx(0, abs=1e-10)
    assert history_ratings(two(1, 0)) == pytest.approx([1500 + POINTS * math.log(y), 1500 - POINTS * math.log(y)])


@pytest.mark.parametrize(("wins", "losses", "ties"), [(3, 1, 0), (100, 0, 0), (7, 2, 5), (0, 40, 1)])
def test_two_bots_by_bisection(wins: int, losses: int, ties: int) -> None:
    games, score = wins + losses + ties, wins + ties / 2
    low, high = -20.0, 20.0
    for _ in range(200):
        x = (low + high) / 2
        slope = score - games / (1 + math.exp(-2 * x)) + GHOST - 2 * GHOST / (1 + math.exp(-x))
        low, high = (x, high) if slope > 0 else (low, x)
    first, second = history_ratings(two(wins, losses, ties))
    assert first == pytest.approx(1500 + POINTS * low, abs=1e-8)
    assert second == pytest.approx(1500 - POINTS * low, abs=1e-8)


def test_a_big_lead_in_results_is_the_usual_odds() -> None:
    # 10,000 of 11,000 won: odds of 10 to 1, so 400 points but for the prior.
    first, second = history_ratings(two(10_000, 1_000))
    assert first - second == pytest.approx(400, abs=0.1)


@given(MATCHES)
def test_the_fit_is_the_top_of_the_slow_likelihood(matches: list[tuple[tuple[int, ...], tuple[int, ...], int]]) -> None:
    theta = strengths(choices(Results.of(ENTRANTS, SEATS, matches))).tolist()
    top = slow_likelihood(theta, matches)
    for i in range(ENTRANTS):
        up, down = (slow_likelihood([t + d * (k == i) for k, t in enumerate(theta)], matches) for d in (1e-4, -1e-4))
        assert (up - down) / 2e-4 == pytest.approx(0, abs=1e-6)
        assert max(up, down) < top


@given(MATCHES, st.data())
def test_order_of_matches_seats_and_blocks_changes_no_bit(
    matches: list[tuple[tuple[int, ...], tuple[int, ...], int]], data: st.DataObject
) -> None:
    straight = history_ratings(Results.of(ENTRANTS, SEATS, matches))
    turned = []
    for seated, ranks, block in data.draw(st.permutations(matches)):
        order = data.draw(st.permutations(range(SEATS)))
        turned.append((tuple(seated[k] for k in order), tuple(10 * ranks[k] for k in order), 9 - block))
    assert history_ratings(Results.of(ENTRANTS, SEATS, turned)).tolist() == straight.tolist()


@given(MATCHES, st.permutations(range(ENTRANTS)))
def test_renumbering_bots_changes_rounding_at_most(
    matches: list[tuple[tuple[int, ...], tuple[int, ...], int]], names: list[int]
) -> None:
    straight = history_ratings(Results.of(ENTRANTS, SEATS, matches))
    renamed = [(tuple(names[entrant] for entrant in seated), ranks, block) for seated, ranks, block in matches]
    assert history_ratings(Results.of(ENTRANTS, SEATS, renamed))[names] == pytest.approx(straight, abs=1e-8)


@given(MATCHES)
def test_reversed_results_mirror_the_ratings(matches: list[tuple[tuple[int, ...], tuple[int, ...], int]]) -> None:
    # Holds at tables of two only: who is first out of three says more than who is last.
    pairs = [(seated[:2], ranks[:2], block) for seated, ranks, block in matches]
    reverse = [(seated, ranks[::-1], block) for seated, ranks, block in pairs]
    straight = history_ratings(Results.of(ENTRANTS, 2, pairs))
    assert history_ratings(Results.of(ENTRANTS, 2, reverse)) == pytest.approx(3000 - straight, abs=1e-8)


def test_all_ties_are_equal_ratings() -> None:
    matches = [(seated, (1,) * 4, 0) for seated in itertools.combinations(range(6), 4)]
    assert history_ratings(Results.of(6, 4, matches)) == pytest.approx([1500] * 6, abs=1e-9)


def test_a_tie_is_half_a_win_and_half_a_loss() -> None:
    assert history_ratings(two(2, 2, 0)) == pytest.approx(history_ratings(two(0, 0, 4)), abs=1e-9)
    assert history_ratings(two(5, 1, 2)).tolist() == history_ratings(two(6, 2, 0)).tolist()


def test_undefeated_and_hopeless_bots_stay_finite() -> None:
    matches = [((0, 1, 2), (1, 2, 3), block) for block in range(10_000)]
    first, second, third = history_ratings(Results.of(3, 3, matches))
    assert 2500 < first < 4500
    assert first > second > third > -1500


def test_entrants_without_matches_are_rated_as_the_ghost() -> None:
    alone = history_ratings(Results.of(3, 2, []))
    assert alone.tolist() == [1500.0] * 3
    ratings = history_ratings(Results.of(4, 2, [((0, 2), (1, 2), 0)]))
    assert ratings[0] > ratings[1] == ratings[3] > ratings[2]


def test_1500_scores_half_against_the_field() -> None:
    ratings = history_ratings(Results.of(4, 3, [((0, 1, 2), (1, 2, 3), 0), ((0, 3, 1), (1, 2, 3), 1)] * 5))
    scores = 1 / (1 + 10 ** ((ratings - ANCHOR) / 400))
    assert scores.mean() == pytest.approx(0.5, abs=1e-12)
    assert anchored(np.array([[40.0, 0, 0]]))[0] == pytest.approx(np.array([40.0, 0, 0]) - math.log(3), abs=1e-9)


def test_true_strengths_are_found_again() -> None:
    rng = np.random.default_rng(7)
    true = np.array([-1.5, -0.5, 0.0, 0.2, 0.6, 1.2])
    seated = rng.permuted(np.tile(np.arange(6), (40_000, 1)), axis=1)[:, :4]
    luck = true[seated] + rng.gumbel(size=seated.shape)
    ranks = 1 + (luck[:, :, None] < luck[:, None, :]).sum(axis=2)
    found = history_ratings(Results(6, seated, ranks, np.arange(len(seated))))
    assert found == pytest.approx(ANCHOR + POINTS * anchored(true[None])[0], abs=7)  # three standard errors


def test_stages_of_a_ranking_with_ties() -> None:
    # Places 0 and 1 share the first rank: both orders by half.
    assert list(stages((2, 1))) == [((0, 1, 2), 1), ((0, 2), 2), ((1, 2), 2)]
    assert list(stages((1, 1, 1))) == [((0, 1, 2), 1), ((1, 2), 1)]


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3).filter(lambda groups: 2 <= sum(groups) <= 6))
def test_as_often_chosen_as_chosen_from(groups: list[int]) -> None:
    seats = sum(groups)
    assert sum(Fraction(1, of) for _, of in stages(tuple(groups))) == seats - 1
    ranks = tuple(rank for rank, size in enumerate(groups) for _ in range(size))
    weights, chosen = choices(Results.of(seats, seats, [(range(seats), ranks, 0)])).counts(np.ones(1))
    assert weights.sum() == pytest.approx(chosen.sum())


def some_choices(entrants: int, seats: int, matches: int) -> Choices:
    rng = np.random.default_rng(3)
    seated = rng.permuted(np.tile(np.arange(entrants), (matches, 1)), axis=1)[:, :seats]
    ranks = rng.integers(1, seats + 1, seated.shape)
    return choices(Results(entrants, seated, ranks, np.arange(matches) // seats))


def test_both_ways_to_the_derivatives_agree() -> None:
    folded = some_choices(8, 5, 60)
    rng = np.random.default_rng(4)
    theta = rng.normal(size=(3, 8))
    weights = np.array([folded.counts(rng.exponential(size=folded.blocks))[0] for _ in theta])
    for dense, sparse in zip(DenseSlopes(folded)(theta, weights), SparseSlopes(folded)(theta, weights), strict=True):
        assert dense == pytest.approx(sparse, abs=1e-10)


def test_sets_are_told_apart_beyond_one_number() -> None:
    # 600 entrants at tables of 7: 600⁷ is more than 64 bits hold.
    rng = np.random.default_rng(5)
    seated = np.argsort(rng.random((40, 600)), axis=1)[:, :7]
    twice = np.concatenate([seated, seated[:, ::-1]])
    ranks = np.tile(np.arange(7), (80, 1))
    folded = choices(Results(600, twice, ranks, np.arange(80)))
    assert len(folded.sets[-1]) == 40
    assert sorted(map(tuple, folded.sets[-1].tolist())) == sorted(tuple(sorted(row)) for row in seated.tolist())


@pytest.mark.parametrize(
    ("entrants", "seats", "matches", "said"),
    [
        (3, 2, [((0, 1), (1, 2), 0), ((0, 3), (1, 2), 0)], r"match 1 .* not among the 3: \[0, 3\]"),
        (3, 2, [((-1, 1), (1, 2), 0)], "match 0 .* not among the 3"),
        (3, 3, [((0, 1, 0), (1, 2, 3), 0)], "match 0 .* an entrant twice"),
        (3, 3, [((0, 1), (1, 2), 0)], "match 0 .* not for 3 seats"),
        (3, 1, [], "tables of 2 seats or more"),
        (0, 2, [], "need an entrant"),
    ],
)
def test_what_is_no_result_is_refused(
    entrants: int, seats: int, matches: list[tuple[tuple[int, ...], tuple[int, ...], int]], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        Results.of(entrants, seats, matches)


def test_arrays_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"not \(4, 3\), \(4, 3\) and \(3,\)"):
        Results(3, np.tile(np.arange(3), (4, 1)), np.ones((4, 3), np.int64), np.zeros(3, np.int64))


@pytest.mark.long
def test_a_ladder_of_a_million_matches_against_the_elo_loop() -> None:
    # Design 13: at most 1.5 times a plain Python Elo loop, in CPU time of the same run; the loop runs over 20,000.
    rng = np.random.default_rng(6)
    seated = rng.integers(0, 1000, (1_010_000, 4))
    in_order = np.sort(seated, axis=1)
    seated = seated[(in_order[:, 1:] != in_order[:, :-1]).all(axis=1)][:1_000_000]
    luck: Floats = rng.normal(size=1000)[seated] + rng.gumbel(size=seated.shape)
    ranks = 1 + luck.argsort(axis=1).argsort(axis=1)
    assert len(seated) == 1_000_000
    began = time.process_time()
    history_ratings(Results(1000, seated, ranks, np.arange(1_000_000)))
    fitted = time.process_time()
    table = EloTable.fresh(1000)
    for entrants, rank in zip(seated[:20_000].tolist(), ranks[:20_000].tolist(), strict=True):
        table.count(entrants, rank)
    loop = 50 * (time.process_time() - fitted)
    print(f"fit {fitted - began:.1f} s, Elo loop {loop:.1f} s, ratio {(fitted - began) / loop:.2f}")
    assert fitted - began < 1.5 * loop
