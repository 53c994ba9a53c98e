"""What a fold has come to, read on bit by bit, is what it comes to from the beginning."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from gavelport_server.pages import fold, shelf
from gavelport_server.pages.fold import Fold, read_on
from gavelport_server.pages.shelf import Shelf
from gavelport_server.pages.source import StoreSource
from gavelport_server.storage.memory import MemoryStore
from gavelport_server.storage.store import Kind, Result, TournamentRecord

from tests.storage.build import result, tournament
from tests.storage.conftest import AnyStore, empty_file, shared_url, store

__all__ = ["empty_file", "shared_url", "store"]

IDENTITY = "c" * 32
ENOUGH_S = 1e9


class Watched(StoreSource):
    """A source that says how many results were read."""

    def __init__(self, store: AnyStore, data: Path) -> None:
        super().__init__(store, data)
        self.read = 0

    def revision(self) -> object:
        return object()

    def results(self, identity: str, *, first: int = 0, limit: int | None = None) -> list[Result]:
        found = list(super().results(identity, first=first, limit=limit))
        self.read += len(found)
        return found


def record_of(store: AnyStore) -> TournamentRecord:
    return next(one for one in store.tournaments() if one.identity == IDENTITY)


def opened(store: AnyStore, kind: Kind = "ladder") -> None:
    store.open_tournament(tournament(IDENTITY, entrants=0, kind=kind))
    for bot in ("ann", "bob", "cat", "dan"):
        store.add_entrant(IDENTITY, bot, "1")


def at_random(rng: random.Random, store: AnyStore, number: int, kind: Kind) -> None:
    """Let something happen: mostly a match, sometimes a bot or a version that enters, a result that is taken out."""
    record = record_of(store)
    what = rng.random()
    if what < 0.1:
        store.add_entrant(IDENTITY, f"bot{number}", "1")
    elif what < 0.2:
        store.add_entrant(IDENTITY, rng.choice(record.entrants).bot, f"v{number}")
    elif what < 0.3 and (played := store.results(IDENTITY)):
        store.void_result(rng.choice(played).match_id, "by hand")
    else:
        of_bots: dict[str, list[int]] = {}
        for one in record.entrants:
            of_bots.setdefault(one.bot, []).append(one.number)
        seated = tuple(rng.choice(of_bots[bot]) for bot in rng.sample(sorted(of_bots), 3))
        ranks = rng.choice([(1, 2, 3), (3, 1, 2), (1, 1, 3), (2, 3, 1)])
        day = f"2030-01-{1 + number // 9:02}T10:00:{rng.randrange(60):02}+00:00"
        made = replace(result(number, entrants=seated, ranks=ranks), finished_at=day)
        assert store.append_result(IDENTITY, made)


def shown(found: Fold) -> object:
    facts = found.following, found.latest_id, found.voided, found.matches, found.finished_at, found.day_from
    return facts, found.courses(), list(found.latest), found.faults


@pytest.mark.parametrize("kind", ["ladder", "practice"])
@pytest.mark.parametrize("seed", range(3))
def test_read_on_is_read_anew(
    store: AnyStore, tmp_path: Path, kind: Kind, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fold, "AT_ONCE", 3)
    rng, source = random.Random(seed), StoreSource(store, tmp_path)
    opened(store, kind)
    followed: Fold | None = None
    for number in range(60):
        at_random(rng, store, number, kind)
        if rng.random() < 0.4:
            followed, is_whole = read_on(source, record_of(store), followed, ENOUGH_S)
            anew = Fold(record_of(store))
            for one in store.results(IDENTITY):
                anew.count(one)
            assert is_whole
            assert shown(followed) == shown(anew)
            stored = {
                one.bot: own.elo for one, own in zip(record_of(store).entrants, store.standings(IDENTITY), strict=True)
            }
            if kind == "ladder":
                assert {one.row.entrant.bot: one.elo[-1] for one in followed.courses() if one.elo} == {
                    one.row.entrant.bot: stored[one.row.entrant.bot] for one in followed.courses() if one.elo
                }


def test_what_was_handed_out_stays_as_it_was(store: AnyStore, tmp_path: Path) -> None:
    opened(store)
    source = StoreSource(store, tmp_path)
    store.append_result(IDENTITY, result(0))
    followed, _ = read_on(source, record_of(store), None, ENOUGH_S)
    before = followed.courses()
    said = [(one.row.matches, len(one.elo), one.met(1), one.places) for one in before]
    told = str(said)
    store.append_result(IDENTITY, result(1, ranks=(3, 2, 1)))
    followed, _ = read_on(source, record_of(store), followed, ENOUGH_S)
    assert str([(one.row.matches, len(one.elo), one.met(1), one.places) for one in before]) == told
    assert followed.courses()[0].row.matches == 2


def test_a_look_reads_what_is_new(store: AnyStore, tmp_path: Path) -> None:
    opened(store)
    for number in range(20):
        store.append_result(IDENTITY, result(number))
    source = Watched(store, tmp_path)
    made = Shelf(source)
    read = []
    for number in range(20, 23):
        source.read = 0
        assert made.competition(IDENTITY).matches == number
        read.append(source.read)
        store.append_result(IDENTITY, result(number))
    followed, _ = read_on(source, record_of(store), None, ENOUGH_S)
    source.read = 0
    read_on(source, record_of(store), followed, ENOUGH_S)
    assert source.read == 1


def test_another_history_is_read_from_its_beginning(tmp_path: Path) -> None:
    """As after a backup was put back: as many results, and another one in the last place."""
    followed: Fold | None = None
    for last, bot in (("m0001", "ann"), ("other", "ann"), ("other", "eve")):
        store = MemoryStore()
        store.open_tournament(tournament(IDENTITY, entrants=0, kind="ladder"))
        for name in (bot, "bob", "cat"):
            store.add_entrant(IDENTITY, name, "1")
        for number, match_id in enumerate(("m0000", last)):
            store.append_result(IDENTITY, result(number, match_id=match_id))
        followed, is_whole = read_on(StoreSource(store, tmp_path), record_of(store), followed, ENOUGH_S)
        anew = Fold(record_of(store))
        for one in store.results(IDENTITY):
            anew.count(one)
        assert is_whole
        assert shown(followed) == shown(anew)


def test_a_long_ladder_is_shown_as_far_as_it_was_read(
    store: AnyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fold, "AT_ONCE", 4)
    monkeypatch.setattr(shelf, "READING_S", -1.0)
    opened(store)
    for number in range(10):
        store.append_result(IDENTITY, result(number))
    made = Shelf(Watched(store, tmp_path))
    looks = [made.competition(IDENTITY) for _ in range(4)]
    assert [(one.matches, one.is_whole) for one in looks] == [(4, False), (8, False), (10, True), (10, True)]
    store.void_result("m0002", "by hand")
    looks = [made.competition(IDENTITY) for _ in range(3)]
    assert [(one.matches, one.is_whole) for one in looks] == [(10, True), (10, True), (9, True)]


def test_a_shelf_that_is_warm_has_all(store: AnyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, value in ((fold, "AT_ONCE", 4), (shelf, "READING_S", -1.0), (shelf, "PAUSE_S", 0.0)):
        monkeypatch.setattr(module, name, value)
    opened(store)
    for number in range(10):
        store.append_result(IDENTITY, result(number))
    made = Shelf(Watched(store, tmp_path))
    made.warm()
    found = made.competition(IDENTITY)
    assert (found.matches, found.is_whole) == (10, True)
