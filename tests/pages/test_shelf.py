"""Tables of a ladder that is written while they are made."""

from __future__ import annotations

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
