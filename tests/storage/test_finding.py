"""Results are found across tournaments, page by page."""

from dataclasses import replace

import pytest
from gavelport_server.storage.store import FoundResult, Place, ResultFilter, Store

from tests.storage.build import result, schedule, tournament


@pytest.fixture
def archive(store: Store) -> Store:
    """A tournament, a ladder of another game and practice, whose matches finish one after the other in turn."""
    store.open_tournament(tournament("aa11"))
    store.open_tournament(replace(tournament("bb22", kind="ladder"), name="open", game="shipping@1"))
    store.open_tournament(replace(tournament("bb33", kind="practice"), name="free"))
    store.add_entrant("bb22", "bot0", "0.1")
    for number, one in enumerate(schedule(6)):
        store.add_result("aa11", replace(one, match_id=f"t{number}", finished_at=at(number * 3)))
        store.append_result("bb22", replace(one, match_id=f"l{number}", finished_at=at(number * 3 + 1)))
        store.append_result("bb33", replace(one, match_id=f"p{number}", finished_at=at(number * 3 + 2)))
    store.append_result("bb22", replace(result(0, entrants=(4, 1, 2)), match_id="new", finished_at=at(30)))
    return store


def at(minute: int) -> str:
    return f"2030-01-01T10:{minute:02}:00+00:00"


def ids(found: "object") -> str:
    assert isinstance(found, list)
    assert all(isinstance(one, FoundResult) for one in found)
    return " ".join(one.result.match_id for one in found)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (ResultFilter(), "new l5 t5 l4 t4 l3 t3 l2 t2 l1 t1 l0 t0"),
        (ResultFilter(tournament="cup", since=at(9)), "t5 t4 t3"),
        (ResultFilter(tournament="bb", since=at(9)), "new l5 l4 l3"),
        (ResultFilter(tournament="bb", since=at(9), with_unrated=True), "new p5 l5 p4 l4 p3 l3"),
        (ResultFilter(tournament="BB"), ""),
        (ResultFilter(tournament="b%"), ""),
        (ResultFilter(game="shipping", until=at(5)), "l1 l0"),
        (ResultFilter(game="shipping@1", until=at(5)), "l1 l0"),
        (ResultFilter(game="ship"), ""),
        (ResultFilter(game="shipping@2"), ""),
        (ResultFilter(since="2030-01-02"), ""),
        (ResultFilter(until="2030-01-01"), ""),
        (ResultFilter(until="2030-01-02", since="2030-01-01T10:15"), "new l5 t5"),
        (ResultFilter(bot="bot0", tournament="open"), "new l4 l3 l2 l0"),
        (ResultFilter(bot="bot0", version="0.1"), "new"),
        (ResultFilter(bot="bot1", version="0.1"), ""),
        (ResultFilter(bot="nobody"), ""),
        (ResultFilter(bot="bot0", against="bot4"), ""),
        (ResultFilter(bot="bot0", against="bot2", tournament="open"), "new l4 l2 l0"),
        (ResultFilter(against="bot0", tournament="open"), "new l4 l3 l2 l0"),
        (ResultFilter(bot="bot1", is_faulty=True, tournament="open"), "l5 l1"),
        (ResultFilter(is_faulty=True, tournament="cup"), "t5 t4 t3 t2 t1 t0"),
    ],
)
def test_a_filter_lets_through_what_it_says(archive: Store, wanted: ResultFilter, expected: str) -> None:
    assert ids(list(archive.find_results(wanted))) == expected
    assert ids(list(archive.find_results(wanted, oldest_first=True))) == " ".join(reversed(expected.split()))


@pytest.mark.parametrize("oldest_first", [False, True])
def test_pages_join_without_gap_or_repetition(archive: Store, oldest_first: bool) -> None:
    wanted = ResultFilter(bot="bot2", with_unrated=True)
    whole = list(archive.find_results(wanted, oldest_first=oldest_first))
    pages: list[FoundResult] = []
    beyond: Place | None = None
    while page := archive.find_results(wanted, beyond=beyond, limit=4, oldest_first=oldest_first):
        assert len(page) <= 4
        pages += page
        beyond = page[-1].place
    assert pages == whole
    assert len(whole) > 8


def test_matches_of_the_same_second_are_ordered_by_their_ids(store: Store) -> None:
    store.open_tournament(tournament("l1", kind="ladder"))
    for match_id in ("b", "C", "a"):
        store.append_result("l1", replace(result(0), match_id=match_id))
    first = store.find_results(ResultFilter(), limit=1)
    rest = store.find_results(ResultFilter(), beyond=first[0].place)
    assert ids([*first, *rest]) == "b a C"


def test_a_match_is_found_with_its_tournament(archive: Store) -> None:
    archive.void_result("l3", "two of one owner")
    found = archive.result("l3")
    assert found is not None
    assert (found.identity, found.tournament, found.game, found.kind) == ("bb22", "open", "shipping@1", "ladder")
    assert [(one.number, one.bot, one.version) for one in found.entrants] == [
        (3, "bot3", "3.0"), (0, "bot0", "0.0"), (1, "bot1", "1.0"),
    ]  # fmt: skip
    assert found.result == archive.results("bb22")[3]
    assert found.result.void_reason == "two of one owner"
    assert found in archive.find_results(ResultFilter())
    assert archive.result("nothing") is None
