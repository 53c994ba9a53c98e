"""The laws that hold for schedules of every format, and what each format is for."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from random import Random

import pytest
from gavelport_engine.rng import Stream
from gavelport_server.pairing.gauntlet import Gauntlet
from gavelport_server.pairing.round_robin import RoundRobin
from gavelport_server.pairing.schedule import Format, Pairing, Schedule
from gavelport_server.pairing.swiss import Swiss
from hypothesis import given
from hypothesis import strategies as st

FORMS: dict[str, Callable[[int, int], Format]] = {
    "round_robin": RoundRobin,
    "swiss": Swiss,
    "gauntlet": lambda entrants, seats: Gauntlet(entrants, seats, entrants // 2),
}


@st.composite
def sizes(draw: st.DrawFn) -> tuple[str, int, int, int]:
    seats = draw(st.integers(2, 5))
    return (
        draw(st.sampled_from(sorted(FORMS))),
        draw(st.integers(seats, 3 * seats + 1)),
        seats,
        draw(st.integers(1, 25)),
    )


def fresh(form: str, entrants: int, seats: int, rounds: int) -> Schedule:
    return Schedule(FORMS[form](entrants, seats), entrants, seats, rounds)


def ranks(pairing: Pairing, luck: int = 40) -> list[int]:
    """What comes of a match: the lower the number the stronger, with luck that only the match decides."""
    draw = Stream(b"%032d" % pairing.number, "match")
    showing = [10 * entrant + draw.below(luck) for entrant in pairing.entrants]
    return [1 + sum(other < own for other in showing) for own in showing]


def played(schedule: Schedule, order: Callable[[list[Pairing]], Pairing] = lambda open_: open_[0]) -> list[Pairing]:
    """Finish all matches, those that are open in any order, and return the pairings."""
    open_ = list(schedule.pairings)
    while open_:
        pairing = order(open_)
        open_.remove(pairing)
        open_ += schedule.finish(pairing.number, ranks(pairing))
    assert len(schedule.pairings) == schedule.matches
    return schedule.pairings


@given(sizes())
def test_a_schedule_is_made_of_whole_duplicate_blocks(size: tuple[str, int, int, int]) -> None:
    _, entrants, seats, rounds = size
    schedule = fresh(*size)
    pairings = played(schedule)
    tables = schedule.matches // rounds
    assert [(one.number, one.round, one.table) for one in pairings] == [
        (number, *divmod(number, tables)) for number in range(rounds * tables)
    ]
    blocks: dict[int, list[Pairing]] = {}
    for pairing in pairings:
        assert (pairing.block, pairing.rotation) == divmod(pairing.round, seats)
        assert len(set(pairing.entrants)) == seats
        assert set(pairing.entrants) <= set(range(entrants))
        blocks.setdefault(pairing.deal, []).append(pairing)
    for block in blocks.values():
        assert [pairing.rotation for pairing in block] == list(range(len(block)))
        for pairing in block:
            turned = pairing.entrants[pairing.rotation :] + pairing.entrants[: pairing.rotation]
            assert turned == block[0].entrants
            assert (pairing.block, pairing.table) == (block[0].block, block[0].table)
    for number in range(rounds):
        seated = [entrant for pairing in pairings if pairing.round == number for entrant in pairing.entrants]
        assert len(set(seated)) == len(seated), "nobody sits at two tables"


@given(sizes(), st.integers(0, 20), st.randoms(use_true_random=False))
def test_neither_the_order_of_results_nor_more_rounds_change_it(
    size: tuple[str, int, int, int], more: int, random: Random
) -> None:
    form, entrants, seats, rounds = size
    straight = played(fresh(*size))
    shuffled = played(fresh(form, entrants, seats, rounds + more), random.choice)
    assert shuffled[: len(straight)] == straight


@given(sizes())
def test_nobody_is_more_than_a_block_ahead(size: tuple[str, int, int, int]) -> None:
    form, entrants, seats, _ = size
    matches = Counter(dict.fromkeys(range(entrants), 0))
    rounds = Counter[int]()
    for pairing in played(fresh(*size)):
        matches.update(pairing.entrants)
        rounds[pairing.round] += 1
        field = [count for entrant, count in matches.items() if form != "gauntlet" or entrant != entrants // 2]
        if rounds[pairing.round] == (1 if form == "gauntlet" else entrants // seats):
            assert max(field, default=0) - min(field, default=0) <= seats


def test_only_formats_by_standing_wait_for_results() -> None:
    for form, settled in (("round_robin", 24), ("gauntlet", 12), ("swiss", 6)):
        assert len(fresh(form, 6, 3, 12).pairings) == settled
    schedule = fresh("swiss", 6, 3, 12)
    block = list(schedule.pairings)
    assert [schedule.finish(pairing.number, ranks(pairing)) for pairing in block[:-1]] == [[]] * 5
    assert [pairing.block for pairing in schedule.finish(5, ranks(block[-1]))] == [1] * 6


def test_what_cannot_be_finished_is_refused() -> None:
    schedule = fresh("swiss", 6, 3, 12)
    schedule.finish(0, [1, 2, 3])
    for number in (0, 6, -1):
        with pytest.raises(ValueError, match=f"match {number} cannot be finished"):
            schedule.finish(number, [1, 2, 3])
    with pytest.raises(ValueError, match="shorter"):
        schedule.finish(1, [1, 2])


# -- swiss


def met_again(pairings: list[Pairing]) -> int:
    met = Counter(
        pair for pairing in pairings if pairing.rotation == 0 for pair in combinations(sorted(pairing.entrants), 2)
    )
    return sum(count - 1 for count in met.values())


@pytest.mark.parametrize(
    ("entrants", "seats", "blocks"), [(8, 2, 7), (16, 2, 7), (9, 3, 4), (16, 4, 3), (30, 3, 6), (60, 4, 5)]
)
def test_swiss_lets_nobody_meet_again_while_there_are_others(entrants: int, seats: int, blocks: int) -> None:
    assert met_again(played(fresh("swiss", entrants, seats, blocks * seats))) == 0


def test_swiss_pairs_those_of_like_standing() -> None:
    swiss, robin = (
        [pairing for pairing in played(fresh(form, 24, 3, 12)) if pairing.block == 3]
        for form in ("swiss", "round_robin")
    )

    def apart(pairings: list[Pairing]) -> int:
        return sum(max(pairing.entrants) - min(pairing.entrants) for pairing in pairings)

    assert apart(swiss) < 0.6 * apart(robin)
    tops = [min(pairing.entrants) for pairing in swiss if pairing.rotation == 0]
    assert tops[0] < tops[-1], "the first table is the one of the best"


def test_swiss_lets_the_lowest_sit_out() -> None:
    second = [pairing for pairing in played(fresh("swiss", 7, 3, 9)) if pairing.block == 1]
    first = [pairing for pairing in played(fresh("swiss", 7, 3, 9)) if pairing.block == 0]
    out_first = set(range(7)) - {entrant for pairing in first for entrant in pairing.entrants}
    out_second = set(range(7)) - {entrant for pairing in second for entrant in pairing.entrants}
    assert out_second == {max(set(range(7)) - out_first)}, "who sat out plays, and of the others the last sits out"


# -- gauntlet


def test_the_challenger_plays_every_match_and_the_field_takes_turns() -> None:
    pairings = played(fresh("gauntlet", 9, 4, 4 * 56))
    assert all(4 in pairing.entrants for pairing in pairings)
    companies = Counter(tuple(sorted(pairing.entrants)) for pairing in pairings)
    met = Counter(pair for company in companies.elements() for pair in combinations(company, 2) if 4 not in pair)
    assert max(met.values()) - min(met.values()) <= 4 * 2
    assert len(met) == 8 * 7 // 2


def test_a_challenger_who_is_no_entrant_is_refused() -> None:
    with pytest.raises(ValueError, match="the challenger is one of the 5 entrants, not number 5"):
        Gauntlet(5, 3, 5)


@pytest.mark.parametrize("form", sorted(FORMS))
@pytest.mark.parametrize(("entrants", "seats"), [(3, 4), (0, 2), (5, 1)])
def test_a_field_that_fills_no_table_is_refused(form: str, entrants: int, seats: int) -> None:
    with pytest.raises(ValueError, match=f"{entrants} entrants at tables of {seats}"):
        FORMS[form](entrants, seats)
