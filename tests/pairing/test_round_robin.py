"""The laws of the round robin, over all sizes, and what its circular orders cancel."""

from collections import Counter
from itertools import combinations, permutations
from math import factorial

import pytest
from gavelport_server.pairing.round_robin import RoundRobin
from gavelport_server.pairing.schedule import Pairing, Schedule
from gavelport_server.pairing.seating import neighbours
from hypothesis import given, settings
from hypothesis import strategies as st

MOST_UNEVEN = 5
"""No pair of entrants has met more than this many blocks more often than another."""


def schedule(entrants: int, seats: int, rounds: int) -> list[Pairing]:
    return Schedule(RoundRobin(entrants, seats), entrants, seats, rounds).pairings


@st.composite
def sizes(draw: st.DrawFn) -> tuple[int, int, int]:
    seats = draw(st.integers(2, 6))
    return draw(st.integers(seats, 4 * seats)), seats, draw(st.integers(1, 60))


def uneven(counts: list[int]) -> int:
    return max(counts) - min(counts)


def byes_are_fair(pairings: list[Pairing], entrants: int, seats: int) -> bool:
    """Whether after every round no two entrants' match counts differ by more than one block."""
    played = Counter(dict.fromkeys(range(entrants), 0))
    for pairing in pairings:
        played.update(pairing.entrants)
        if pairing.table == entrants // seats - 1 and uneven(list(played.values())) > seats:
            return False
    return True


@given(sizes())
def test_a_round_seats_each_entrant_at_most_once_at_all_tables_that_can_be_filled(size: tuple[int, int, int]) -> None:
    entrants, seats, rounds = size
    pairings = schedule(*size)
    assert [pairing.number for pairing in pairings] == list(range(rounds * (entrants // seats)))
    for number in range(rounds):
        tables = [pairing for pairing in pairings if pairing.round == number]
        assert [pairing.table for pairing in tables] == list(range(entrants // seats))
        seated = [entrant for pairing in tables for entrant in pairing.entrants]
        assert len(set(seated)) == len(seated) == seats * (entrants // seats)
        assert set(seated) <= set(range(entrants))


@given(sizes())
def test_byes_rotate(size: tuple[int, int, int]) -> None:
    entrants, seats, _ = size
    assert byes_are_fair(schedule(*size), entrants, seats)


def test_an_unfair_bye_is_caught() -> None:
    fair = schedule(5, 4, 8)
    first_block = [pairing for pairing in fair if pairing.block == 0]
    assert byes_are_fair(fair, 5, 4)
    assert not byes_are_fair(first_block * 2, 5, 4)


@given(sizes())
def test_a_block_turns_the_same_table_through_all_seats_over_one_deal(size: tuple[int, int, int]) -> None:
    _, seats, _ = size
    blocks: dict[tuple[int, int], list[Pairing]] = {}
    for pairing in schedule(*size):
        assert (pairing.block, pairing.rotation) == divmod(pairing.round, seats)
        blocks.setdefault((pairing.block, pairing.table), []).append(pairing)
    for block in blocks.values():
        assert len({pairing.deal for pairing in block}) == 1
        assert [pairing.rotation for pairing in block] == list(range(len(block)))
        for pairing in block:
            turned = pairing.entrants[pairing.rotation :] + pairing.entrants[: pairing.rotation]
            assert turned == block[0].entrants, "each round of the block moves everybody up by one seat"
    assert len({block[0].deal for block in blocks.values()}) == len(blocks), "each block and table has its own deal"


@given(sizes(), st.integers(0, 40))
def test_more_rounds_continue_a_schedule(size: tuple[int, int, int], more: int) -> None:
    entrants, seats, rounds = size
    shorter = schedule(*size)
    assert schedule(entrants, seats, rounds + more)[: len(shorter)] == shorter


@settings(max_examples=10)
@given(st.integers(2, 6).flatmap(lambda seats: st.tuples(st.integers(seats, 3 * seats + 2), st.just(seats))))
def test_everybody_meets_everybody_equally_often(size: tuple[int, int]) -> None:
    entrants, seats = size
    met = Counter(dict.fromkeys(combinations(range(entrants), 2), 0))
    for pairing in schedule(entrants, seats, 150 * seats):
        if pairing.rotation == 0:
            met.update(combinations(sorted(pairing.entrants), 2))
            if pairing.table == entrants // seats - 1:
                assert uneven(list(met.values())) <= MOST_UNEVEN, f"after block {pairing.block}"


@pytest.mark.parametrize(("entrants", "seats", "blocks"), [(5, 4, 5), (4, 3, 4), (6, 3, 10), (4, 2, 3), (5, 5, 1)])
def test_small_fields_meet_exactly_equally_after_a_full_cycle(entrants: int, seats: int, blocks: int) -> None:
    met = Counter(
        pair
        for pairing in schedule(entrants, seats, blocks * seats)
        if pairing.rotation == 0
        for pair in combinations(sorted(pairing.entrants), 2)
    )
    assert len(met) == entrants * (entrants - 1) // 2
    assert len(set(met.values())) == 1


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_circular_orders_are_all_used_and_neighbours_cancel(seats: int) -> None:
    cycle = factorial(seats - 1)
    for turn in range(2):
        blocks = schedule(seats, seats, 2 * cycle * seats)[turn * cycle * seats :: seats][:cycle]
        orders = [pairing.entrants for pairing in blocks]
        assert sorted(orders) == [(0, *rest) for rest in permutations(range(1, seats))]
        followed = Counter(pair for order in orders for pair in neighbours(order))
        assert set(followed.values()) == {cycle // (seats - 1)}


@pytest.mark.parametrize("seats", [4, 5])
def test_neighbours_nearly_cancel_before_a_cycle_is_over(seats: int) -> None:
    followed = Counter(dict.fromkeys(permutations(range(seats), 2), 0))
    for pairing in schedule(seats, seats, 24 * seats)[::seats]:
        followed.update(neighbours(pairing.entrants))
        assert uneven(list(followed.values())) <= 2, f"after block {pairing.block}"


@pytest.mark.parametrize(("entrants", "seats"), [(3, 4), (0, 2), (5, 1)])
def test_a_field_that_fills_no_table_is_refused(entrants: int, seats: int) -> None:
    with pytest.raises(ValueError, match=f"{entrants} entrants at tables of {seats}"):
        RoundRobin(entrants, seats)
