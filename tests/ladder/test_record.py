"""What is kept of a ladder, while it is written at the same time."""

from __future__ import annotations

from collections.abc import Sequence

from gavelport_engine.registry import GAMES
from gavelport_server.conduct.ladder.record import Recorder
from gavelport_server.referee.report import ClockSetting
from gavelport_server.serving import LadderSettings
from gavelport_server.storage.memory import MemoryStore
from gavelport_server.storage.store import Standing, TournamentRecord


class Busy(MemoryStore):
    """A store in which a bot enters between any two looks."""

    looks = 0

    def _enter(self, identity: str) -> None:
        self.looks += 1
        self.add_entrant(identity, f"bot{self.looks}", "1")

    def standings(self, identity: str) -> Sequence[Standing]:
        found = super().standings(identity)
        self._enter(identity)
        return found

    def open_tournament(self, record: TournamentRecord) -> TournamentRecord:
        found = super().open_tournament(record)
        self._enter(found.identity)
        return found


def test_a_bot_that_enters_while_ratings_are_read_does_no_harm() -> None:
    game = next(iter(GAMES.values()))
    recorder = Recorder(Busy())
    records = recorder.open(LadderSettings("first", game, {}, game.least_seats, ClockSetting()))
    for _ in range(3):
        ratings = recorder.ratings(records.rated)
        assert set(ratings) <= {f"bot{number}" for number in range(1, 20)}
        assert ratings
