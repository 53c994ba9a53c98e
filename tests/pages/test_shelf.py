"""Tables of a ladder that is written while they are made."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from gavelport_server.pages.shelf import Shelf
from gavelport_server.pages.source import StoreSource
from gavelport_server.storage.memory import MemoryStore
from gavelport_server.storage.store import Kind, Result

from tests.storage.build import result, tournament

IDENTITY = "b" * 32


class Busy(MemoryStore):
    """A store in which bots enter, and play, after each time that tournaments were listed."""

    is_busy = False

    def _enter(self) -> None:
        if self.is_busy:
            number = self.add_entrant(IDENTITY, f"late{len(self.standings(IDENTITY))}", "1")
            self.append_result(IDENTITY, result(number, entrants=(0, 1, number)))

    def results(self, identity: str, *, first: int = 0, limit: int | None = None) -> Sequence[Result]:
        self._enter()
        found = super().results(identity, first=first, limit=limit)
        self._enter()
        return found


@pytest.fixture(params=["ladder", "practice"])
def store(request: pytest.FixtureRequest) -> Busy:
    kind: Kind = request.param
    made = Busy()
    record = tournament(IDENTITY, entrants=0, kind=kind)
    made.open_tournament(replace(record, options='{"options":{"seats":3},"seats":3}'))
    for bot in ("ann", "bob", "cat"):
        made.add_entrant(IDENTITY, bot, "1")
    made.append_result(IDENTITY, result(0))
    made.is_busy = True
    return made


def test_who_enters_meanwhile_comes_with_the_next_look(store: Busy, tmp_path: Path) -> None:
    with closing(Shelf(StoreSource(store, tmp_path))) as shelf:
        assert {row.entrant.bot for row in shelf.competition(IDENTITY[:12]).rows} == {"ann", "bob", "cat"}


class Held(StoreSource):
    """A source that does not answer for the results of the ladder until it is let go."""

    def __init__(self, store: Busy, data: Path) -> None:
        super().__init__(store, data)
        self.is_asked, self.go = threading.Event(), threading.Event()

    def results(self, identity: str, *, first: int = 0, limit: int | None = None) -> Sequence[Result]:
        if identity == IDENTITY:
            self.is_asked.set()
            assert self.go.wait(60)
        return super().results(identity, first=first, limit=limit)


def test_one_that_is_read_for_long_keeps_no_other_waiting(store: Busy, tmp_path: Path) -> None:
    other = "d" * 32
    store.open_tournament(tournament(other))
    store.add_result(other, result(0, match_id="other"))
    source = Held(store, tmp_path)
    with closing(Shelf(source)) as shelf:
        found: list[int] = []
        readers = [threading.Thread(target=lambda: found.append(shelf.competition(IDENTITY).matches)) for _ in range(2)]
        for reader in readers:
            reader.start()
        assert source.is_asked.wait(60)
        assert shelf.competition(other).matches == 1
        assert len(shelf.records()) == 2
        assert found == []
        source.go.set()
        for reader in readers:
            reader.join(60)
        assert found == [1, 1]
