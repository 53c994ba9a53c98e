"""The sums over a ladder's results, the same in every store."""

from dataclasses import replace
from itertools import combinations

import pytest
from gavelport_server.storage.figures import Tallies, Tally

from tests.storage.build import result, schedule, tournament
from tests.storage.conftest import AnyStore


@pytest.fixture
def ladder(store: AnyStore) -> AnyStore:
    """A store with a ladder of four bots and forty results, and another ladder with the same bots."""
    for identity in ("l1", "l2"):
        store.open_tournament(tournament(identity, kind="ladder"))
    for one in schedule(40):
        store.append_result("l1", one)
    store.append_result("l2", result(0, match_id="other"))
    return store


def rounded(tallies: Tallies) -> list[Tally]:
    return [replace(one, firsts=round(one.firsts, 6)) for one in tallies.tallies]


def counted_by_hand(upto: int = 40, first: int = 0) -> tuple[Tally, ...]:
    found: dict[int, Tally] = {}
    for one in schedule(40)[first:upto]:
        winners = [seat.rank for seat in one.seats].count(1)
        for seat in one.seats:
            old = found.get(seat.entrant, Tally(seat.entrant, 0, 0, 0, 0))
            found[seat.entrant] = Tally(
                seat.entrant,
                old.matches + 1,
                old.firsts + (1 / winners if seat.rank == 1 else 0),
                old.total + seat.total,
                old.faults + sum(count for _, count in seat.faults),
            )
    return tuple(found[entrant] for entrant in sorted(found))


def test_tallies_come_in_parts_that_add_up(ladder: AnyStore) -> None:
    everything = ladder.tallies("l1", 0, 1000)
    assert everything.following == 40
    assert rounded(everything) == rounded(Tallies(40, counted_by_hand()))
    part = ladder.tallies("l1", 30, 5)
    assert part.following == 35
    assert rounded(part) == rounded(Tallies(35, counted_by_hand(35, 30)))
    assert ladder.tallies("l1", 40, 1000) == replace(everything, tallies=())


def test_a_result_that_counts_no_more_is_in_no_sum(ladder: AnyStore) -> None:
    matches = sum(one.matches for one in ladder.tallies("l1", 0, 1000).tallies)
    met = {(one.bot, one.other): one.matches for one in ladder.meetings("l1", ["bot0", "bot1"])}
    ladder.void_result("m0000", "a fault of the server")
    voided = ladder.tallies("l1", 0, 1000)
    assert sum(one.matches for one in voided.tallies) == matches - 3
    assert voided.following == 40
    assert ladder.meetings("l1", ["bot0", "bot1"])[0].matches == met["bot0", "bot1"] - 1


def test_meetings_are_counted_once_a_pair(ladder: AnyStore) -> None:
    expected: dict[tuple[str, str], list[int]] = {}
    for one in schedule(40):
        ranks = {f"bot{seat.entrant}": seat.rank for seat in one.seats if seat.entrant != 3}
        for bot, other in combinations(sorted(ranks), 2):
            found = expected.setdefault((bot, other), [0, 0, 0])
            found[0] += 1
            found[1] += ranks[bot] < ranks[other]
            found[2] += ranks[bot] == ranks[other]
    met = ladder.meetings("l1", ["bot2", "bot1", "bot0", "nobody"])
    assert {(one.bot, one.other): [one.matches, one.better, one.equal] for one in met} == expected
    assert ladder.meetings("l1", ["bot0"]) == []


def test_versions_of_a_bot_are_one_in_meetings(ladder: AnyStore) -> None:
    number = ladder.add_entrant("l1", "bot0", "1.0")
    ladder.append_result("l1", result(40, entrants=(number, 1, 2)))
    met = ladder.meetings("l1", ["bot0", "bot1"])
    before = sum(1 for one in schedule(40) if {0, 1} <= {seat.entrant for seat in one.seats})
    assert [one.matches for one in met] == [before + 1]


def test_gains_are_what_the_elo_has_risen_by(ladder: AnyStore) -> None:
    elo = {one.entrant: one.elo for one in ladder.standings("l1")}
    later = [replace(one, match_id=f"n{one.number}", finished_at="2030-01-02T00:00:00+00:00") for one in schedule(5)]
    for one in later:
        ladder.append_result("l1", one)
    gains = ladder.gains("l1", "2030-01-02T00:00:00+00:00")
    now = {one.entrant: one.elo for one in ladder.standings("l1")}
    assert gains == pytest.approx({f"bot{number}": now[number] - elo[number] for number in elo}, abs=1e-5)
    assert ladder.gains("l1", "2030-01-03T00:00:00+00:00") == {}
