"""What every store does with tournaments: the same tests for each (conftest.py)."""

import random

import pytest
from gavelport_server.ratings.elo import elo_of
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.store import Result, Standing, Store

from tests.storage.build import renamed, result, schedule, tournament


def standings_of(results: list[Result], entrants: int) -> list[Standing]:
    rated = elo_of(entrants, [([s.entrant for s in one.seats], [s.rank for s in one.seats]) for one in results])
    return [Standing(number, one.elo, one.matches) for number, one in enumerate(rated)]


def test_a_tournament_is_created_once(store: Store) -> None:
    first = tournament()
    assert store.open_tournament(first) == first
    again = tournament(started_at="2031-01-01T00:00:00+00:00")
    assert store.open_tournament(again) == first
    assert list(store.tournaments()) == [first]


def test_tournaments_come_oldest_first(store: Store) -> None:
    late = store.open_tournament(tournament("late", started_at="2032-01-01T00:00:00+00:00"))
    early = store.open_tournament(tournament("early", entrants=3))
    assert list(store.tournaments()) == [early, late]


def test_a_new_tournament_stands_at_1500(store: Store) -> None:
    store.open_tournament(tournament())
    assert list(store.standings("t1")) == [Standing(number, 1500.0, 0) for number in range(4)]
    assert list(store.results("t1")) == []


def test_what_is_added_is_found_again(store: Store) -> None:
    store.open_tournament(tournament())
    added = schedule(9)
    for one in added:
        assert store.add_result("t1", one)
    assert list(store.results("t1")) == added


def test_a_result_counts_once(store: Store) -> None:
    store.open_tournament(tournament())
    assert store.add_result("t1", result(0))
    before = list(store.standings("t1"))
    assert not store.add_result("t1", result(0))
    assert not store.add_result("t1", result(0, ranks=(3, 2, 1)))
    assert not store.add_result("t1", renamed(result(1), "m0000"))
    assert list(store.standings("t1")) == before
    assert list(store.results("t1")) == [result(0)]


def test_a_match_counts_in_one_tournament_only(store: Store) -> None:
    store.open_tournament(tournament())
    store.open_tournament(tournament("t2"))
    assert store.add_result("t1", result(0))
    assert not store.add_result("t2", result(0))
    assert list(store.results("t2")) == []
    assert list(store.results("t1")) == [result(0)]


def test_elo_waits_for_the_match_before(store: Store) -> None:
    store.open_tournament(tournament())
    added = schedule(4)
    for number in (1, 3, 2):
        store.add_result("t1", added[number])
        assert {one.matches for one in store.standings("t1")} == {0}
    store.add_result("t1", added[0])
    assert list(store.standings("t1")) == standings_of(added, 4)


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_arrival_does_not_matter(store: Store, seed: int) -> None:
    store.open_tournament(tournament())
    added = schedule(40)
    shuffled = added.copy()
    random.Random(seed).shuffle(shuffled)
    for one in shuffled:
        store.add_result("t1", one)
    assert list(store.standings("t1")) == standings_of(added, 4)
    assert list(store.results("t1")) == added


def test_two_matches_cannot_hold_one_place(store: Store) -> None:
    store.open_tournament(tournament())
    store.add_result("t1", result(0))
    with pytest.raises(StoreError, match=r"already has match m0000 at place 0 .*other was not added"):
        store.add_result("t1", result(0, match_id="other"))
    assert list(store.results("t1")) == [result(0)]


@pytest.mark.parametrize("entrants", [(0, 1, 1), (0, 1, 4)])
def test_what_cannot_be_rated_is_not_kept(store: Store, entrants: tuple[int, ...]) -> None:
    store.open_tournament(tournament())
    with pytest.raises(StoreError, match=r"place 0 of the schedule cannot be rated"):
        store.add_result("t1", result(0, entrants=entrants))
    assert list(store.results("t1")) == []
    assert store.add_result("t1", result(0))


def test_an_unknown_tournament_is_named(store: Store) -> None:
    for ask in (store.results, store.standings, lambda identity: store.add_result(identity, result(0))):
        with pytest.raises(StoreError, match="holds no tournament nowhere"):
            ask("nowhere")
