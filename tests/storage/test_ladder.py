"""What every store does with ladders and practice."""

from dataclasses import replace

import pytest
from gavelport_server.ratings.elo import Change, LadderTable, rated_after
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.store import RatingChange, RerunRecord, Result, Standing, Store, VoidRecord

from tests.storage.build import result, schedule, tournament


@pytest.fixture
def ladder(store: Store) -> Store:
    """A store with an empty ladder of four bots."""
    store.open_tournament(tournament("l1", kind="ladder"))
    return store


def folded(results: list[Result], bots: list[str]) -> tuple[list[Standing], dict[str, tuple[Change, ...]]]:
    table = LadderTable(bots)
    changes = {
        one.match_id: table.count([seat.entrant for seat in one.seats], [seat.rank for seat in one.seats])
        for one in results
    }
    return [Standing(number, one.elo, one.matches) for number, one in enumerate(table.rated)], changes


def changes_by_match(store: Store) -> dict[str, tuple[Change, ...]]:
    found: dict[str, list[Change]] = {}
    for one in store.rating_changes("l1"):
        found.setdefault(one.match_id, []).append(Change(one.before, one.after, one.k))
    return {match_id: tuple(seats) for match_id, seats in found.items()}


BOTS = ["bot0", "bot1", "bot2", "bot3"]


def test_results_are_numbered_as_they_come(ladder: Store) -> None:
    numbers = [ladder.append_result("l1", result(9, match_id=match_id)) for match_id in ("c", "a", "b")]
    assert [(one.match_id, one.number) for one in numbers if one] == [("c", 0), ("a", 1), ("b", 2)]
    assert list(ladder.results("l1")) == numbers


def test_a_match_id_is_settled_once(ladder: Store) -> None:
    assert ladder.append_result("l1", result(0))
    assert ladder.append_result("l1", result(0, ranks=(3, 2, 1))) is None
    assert not ladder.add_void("l1", VoidRecord("m0000", "late", "2030-01-01T10:00:00+00:00"))
    assert ladder.add_void("l1", VoidRecord("v", "server fault", "2030-01-01T10:00:00+00:00"))
    assert not ladder.add_void("l1", VoidRecord("v", "another", "2030-01-01T10:00:01+00:00"))
    assert ladder.append_result("l1", result(1, match_id="v")) is None
    assert list(ladder.voids("l1")) == [VoidRecord("v", "server fault", "2030-01-01T10:00:00+00:00")]
    assert [one.matches for one in ladder.standings("l1")] == [1, 1, 1, 0]


def test_a_void_match_is_played_again_once(ladder: Store) -> None:
    void = VoidRecord("v", "server fault", "2030-01-01T10:00:00+00:00", ("ant", "bee", "cow"))
    assert ladder.add_void("l1", void)
    assert list(ladder.voids("l1")) == [void]
    assert ladder.rerun("v") is None
    again = RerunRecord("v", "m0000", ("ant", "bee", "cow"))
    assert ladder.add_rerun("l1", again)
    assert not ladder.add_rerun("l1", RerunRecord("v", "m0001", ("ant", "bee", "cow")))
    assert ladder.rerun("v") == again
    assert list(ladder.voids("l1")) == [replace(void, again_id="m0000")]
    assert ladder.add_rerun("l1", RerunRecord("w", "x", ("bee", "ant", "cow")))
    assert list(ladder.reruns("l1")) == [again, RerunRecord("w", "x", ("bee", "ant", "cow"))]
    assert ladder.append_result("l1", result(0))  # m0000
    assert ladder.add_void("l1", VoidRecord("x", "server fault", "2030-01-01T10:00:00+00:00"))
    assert list(ladder.reruns("l1")) == []
    assert ladder.rerun("v") == again


def test_ratings_are_the_fold_of_the_results(ladder: Store) -> None:
    added = schedule(40)
    for one in added:
        assert ladder.append_result("l1", one) == one
    standings, changes = folded(added, BOTS)
    assert list(ladder.standings("l1")) == standings
    assert changes_by_match(ladder) == changes


def test_a_new_version_goes_on_from_its_bots_rating(ladder: Store) -> None:
    for one in schedule(50):
        ladder.append_result("l1", one)
    before = ladder.standings("l1")
    assert before[0].matches > 30
    assert ladder.add_entrant("l1", "bot0", "9.9", "h") == 4
    assert ladder.add_entrant("l1", "bot0", "9.9", "h") == 4
    assert ladder.standings("l1")[4] == Standing(4, before[0].elo, 0)
    ladder.append_result("l1", result(0, match_id="new", entrants=(4, 1, 2)))
    first, second = ladder.rating_changes("l1", limit=1)[:2]
    assert (first.bot, first.version, first.before, first.k) == ("bot0", "9.9", before[0].elo, 32.0)
    assert (second.bot, second.k) == ("bot1", 16.0)
    after = ladder.standings("l1")
    assert after[0] == Standing(0, first.after, before[0].matches)  # a rollback goes on from here, too
    assert after[4] == Standing(4, first.after, 1)
    assert ladder.tournaments()[0].entrants[4].version == "9.9"


def test_a_new_bot_stands_at_1500(ladder: Store) -> None:
    ladder.append_result("l1", result(0))
    assert ladder.add_entrant("l1", "bot4", "1") == 4
    assert ladder.standings("l1")[4] == Standing(4, 1500.0, 0)
    with pytest.raises(StoreError, match=r"bot bot4 1 plays in cup with other content; give changed content another"):
        ladder.add_entrant("l1", "bot4", "1", "changed")


def test_a_void_result_is_left_out_of_the_fold(ladder: Store) -> None:
    added = schedule(12)
    for one in added:
        ladder.append_result("l1", one)
    assert ladder.void_result("m0005", "played by one owner's bots")
    assert not ladder.void_result("m0005", "again")
    standings, changes = folded([one for one in added if one.number != 5], BOTS)
    assert list(ladder.standings("l1")) == standings
    assert changes_by_match(ladder) == changes
    assert ladder.results("l1")[5] == replace(added[5], void_reason="played by one owner's bots")
    late = ladder.append_result("l1", result(0, match_id="late"))
    assert late is not None
    assert late.number == 12
    assert list(ladder.standings("l1")) == folded([one for one in [*added, late] if one.number != 5], BOTS)[0]
    assert ladder.append_result("l1", result(0, match_id="m0005")) is None


def test_what_a_tournament_settles_beforehand_is_refused(store: Store) -> None:
    store.open_tournament(tournament())
    store.add_result("t1", result(0))
    for ask in (
        lambda: store.add_entrant("t1", "bot9", "1"),
        lambda: store.append_result("t1", result(1)),
        lambda: store.add_void("t1", VoidRecord("v", "", "")),
        lambda: store.void_result("m0000", "no"),
    ):
        with pytest.raises(StoreError, match="cup is a tournament, whose entrants and results are settled"):
            ask()
    store.open_tournament(tournament("l1", kind="ladder"))
    with pytest.raises(StoreError, match="l1 is no tournament; its results go to `append_result`"):
        store.add_result("l1", result(1))
    with pytest.raises(StoreError, match="holds no result of match nothing"):
        store.void_result("nothing", "no")


@pytest.mark.parametrize("kind", ["ladder", "practice"])
@pytest.mark.parametrize(
    ("entrants", "said"),
    [
        ((0, 1, 1), r"m0000 cannot be counted: a bot sits on one seat"),
        ((0, 1, 4), r"m0000 cannot be counted: a bot sits on one seat"),
        ((0, 1, 5), r"m0000 cannot be counted: entrants \[5\] do not play in it"),
        ((0, 1), r"m0000 has 2 seats, and cup has 3; it was not added"),
    ],
)
def test_what_cannot_be_counted_is_not_kept(store: Store, kind: str, entrants: tuple[int, ...], said: str) -> None:
    store.open_tournament(tournament("l1", kind=kind))  # type: ignore[arg-type]
    store.add_entrant("l1", "bot1", "2")
    before = store.standings("l1")
    with pytest.raises(StoreError, match=said):
        store.append_result("l1", result(0, entrants=entrants, ranks=(1, 2, 3)[: len(entrants)]))
    assert list(store.results("l1")) == []
    assert store.standings("l1") == before
    assert store.append_result("l1", result(7)) == replace(result(7), number=0)


def test_practice_is_never_rated(store: Store) -> None:
    store.open_tournament(tournament("p1", kind="practice"))
    for one in schedule(5):
        assert store.append_result("p1", one)
    assert store.void_result("m0002", "for once")
    assert list(store.standings("p1")) == [Standing(number, 1500.0, 0) for number in range(4)]
    assert list(store.rating_changes("p1")) == []
    assert [bool(one.void_reason) for one in store.results("p1")] == [False, False, True, False, False]


def test_every_change_is_explained_by_its_match(ladder: Store) -> None:
    for one in schedule(6):
        ladder.append_result("l1", one)
    mine = list(ladder.rating_changes("l1", bot="bot3", limit=2))
    played = [one for one in ladder.results("l1") if 3 in [seat.entrant for seat in one.seats]][-2:]
    assert [(one.match_id, one.seat) for one in mine] == [
        (one.match_id, seat) for one in reversed(played) for seat in range(3)
    ]
    latest = mine[:3]
    assert isinstance(latest[0], RatingChange)
    assert [one.rank for one in latest] == [seat.rank for seat in played[-1].seats]
    assert {one.finished_at for one in latest} == {played[-1].finished_at}
    assert len(ladder.rating_changes("l1", limit=4)) == 12
    assert list(ladder.rating_changes("l1", bot="nobody")) == []


def test_the_fold_and_single_matches_agree() -> None:
    table = LadderTable(["a", "b", "a"])
    table.count([0, 1], [1, 2])
    before = (table.rated[2], table.rated[1])
    changes = table.count([2, 1], [2, 1])
    assert [one.after for one in changes] == [one.elo for one in rated_after(before, [2, 1])]
    assert [(one.elo, one.matches) for one in table.rated] == [
        (changes[0].after, 1),
        (changes[1].after, 2),
        (changes[0].after, 1),
    ]


def test_results_are_read_in_parts(ladder: Store) -> None:
    added = [ladder.append_result("l1", one) for one in schedule(7)]
    assert list(ladder.results("l1", first=5)) == added[5:]
    assert list(ladder.results("l1", first=2, limit=3)) == added[2:5]
    assert list(ladder.results("l1", limit=2)) == added[:2]
    assert list(ladder.results("l1", first=7)) == []


def test_what_counts_no_more_is_told_by_its_number(ladder: Store) -> None:
    ladder.open_tournament(tournament("p1", kind="practice"))
    for one in schedule(6):
        ladder.append_result("l1", one)
    ladder.append_result("p1", result(0, match_id="practised"))
    assert list(ladder.voided("l1")) == []
    for match_id in ("m0004", "m0001", "practised"):
        assert ladder.void_result(match_id, "by hand")
    assert list(ladder.voided("l1")) == [1, 4]
    assert list(ladder.voided("p1")) == [0]
