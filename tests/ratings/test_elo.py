"""Elo by the formula of design 6."""

import itertools

import pytest
from gavelport_server.ratings.elo import EloTable, Rated, elo_of, expected_score, rated_after
from hypothesis import given
from hypothesis import strategies as st

RATINGS = st.floats(0, 3000, allow_nan=False)


def elos(rated: tuple[Rated, ...]) -> list[float]:
    return [one.elo for one in rated]


def test_first_match_of_three() -> None:
    # All at 1500, so E = ½ everywhere; K/(n−1) = 16. The winner: 16·(½+½), the middle: 16·(−½+½), the last: −16.
    assert elos(rated_after([Rated()] * 3, (1, 2, 3))) == [1516.0, 1500.0, 1484.0]


def test_by_hand_with_unequal_ratings_and_k() -> None:
    # Seats rated 1600 (settled, K 16), 1500 and 1400 (K 32); seat 2 wins, the others share second place.
    # E(100) = 1/(1+10^−¼) = 0.640064999802; E(200) = 1/(1+10^−½) = 0.759746926647
    # seat 0: 8·[(½ − 0.640064999802) + (0 − 0.759746926647)] = −7.198495411592
    # seat 1: 16·[(½ − 0.359935000198) + (0 − 0.640064999802)] = −8.0
    # seat 2: 16·[(1 − 0.240253073353) + (1 − 0.359935000198)] = +22.396990823184
    before = [Rated(1600.0, 30), Rated(1500.0, 29), Rated(1400.0, 0)]
    assert rated_after(before, (2, 2, 1)) == (
        Rated(1592.801505, 31),
        Rated(1492.0, 30),
        Rated(1422.396991, 1),
    )


def test_expected_score_of_400_points() -> None:
    assert expected_score(1400, 1000) == pytest.approx(10 / 11)
    assert expected_score(1000, 1400) == pytest.approx(1 / 11)


@given(st.lists(RATINGS, min_size=2, max_size=5), st.data())
def test_points_only_move(ratings: list[float], data: st.DataObject) -> None:
    ranks = data.draw(st.lists(st.integers(1, 5), min_size=len(ratings), max_size=len(ratings)))
    before = [Rated(rating, 3) for rating in ratings]
    assert sum(elos(rated_after(before, ranks))) == pytest.approx(sum(ratings), abs=len(ratings) * 1e-6)


@given(RATINGS, RATINGS, st.integers(1, 3), st.integers(1, 3))
def test_equals_with_equal_rank_change_alike(own: float, other: float, rank: int, other_rank: int) -> None:
    first, second, _ = rated_after([Rated(own), Rated(own), Rated(other)], (rank, rank, other_rank))
    assert first == second


@given(st.permutations(range(4)))
def test_seat_order_changes_rounding_at_most(order: list[int]) -> None:
    before = [Rated(1500.25, 40), Rated(1633.125, 2), Rated(1399.5, 31), Rated(1500.25, 0)]
    ranks = (2, 1, 4, 2)
    straight = rated_after(before, ranks)
    turned = rated_after([before[i] for i in order], [ranks[i] for i in order])
    for place, i in enumerate(order):
        assert turned[place].elo == pytest.approx(straight[i].elo, abs=1.000001e-6)


@given(st.lists(RATINGS, min_size=3, max_size=5))
def test_new_ratings_have_six_decimals(ratings: list[float]) -> None:
    after = rated_after([Rated(rating) for rating in ratings], range(1, len(ratings) + 1))
    assert all(one.elo == float(f"{one.elo:.6f}") for one in after)


def test_k_falls_after_thirty_matches() -> None:
    table = EloTable.fresh(2)
    for _ in range(30):
        table.count((0, 1), (1, 1))
    table.count((0, 1), (1, 2))
    assert elos(table.rated) == [1508.0, 1492.0]  # 16 · ½; the 30 draws moved nothing
    assert elo_of(2, [((0, 1), (1, 2))]) == (Rated(1516.0, 1), Rated(1484.0, 1))


def test_the_order_of_matches_matters() -> None:
    matches = [((0, 1), (1, 2)), ((1, 2), (1, 2)), ((2, 0), (1, 2))]
    answers = {elo_of(3, order) for order in itertools.permutations(matches)}
    assert len(answers) > 1


@pytest.mark.parametrize(
    ("entrants", "ranks", "said"),
    [
        ((0, 0), (1, 2), "one seat of a rated match only"),
        ((0, 3), (1, 2), r"entrants \[3\] do not play"),
        ((0, -1), (1, 2), r"entrants \[-1\] do not play"),
        ((0,), (1,), "two or more seats"),
        ((0, 1), (1, 2, 3), "a rank for each"),
    ],
)
def test_what_is_no_match_is_refused(entrants: tuple[int, ...], ranks: tuple[int, ...], said: str) -> None:
    table = EloTable.fresh(3)
    with pytest.raises(ValueError, match=said):
        table.count(entrants, ranks)
    assert table.rated == (Rated(),) * 3
