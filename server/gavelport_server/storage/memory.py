"""The store in memory, for tests and for play that leaves nothing behind; held to the same tests as the real one."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from gavelport_server.ratings.elo import EloTable
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.store import Standing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_server.storage.store import Result, TournamentRecord


@dataclass(slots=True)
class _Kept:
    record: TournamentRecord
    elo: EloTable
    results: dict[int, Result] = field(default_factory=dict)
    counted: int = 0


class MemoryStore:
    """A `Store` that is gone with its process."""

    where = "the store in memory"

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: dict[str, _Kept] = {}

    def open_tournament(self, record: TournamentRecord) -> TournamentRecord:
        """Create the tournament, or return the one that is there under the same identity (its secret and start)."""
        with self._lock:
            fresh = _Kept(record, EloTable.fresh(len(record.entrants)))
            return self._kept.setdefault(record.identity, fresh).record

    def tournaments(self) -> Sequence[TournamentRecord]:
        """Return all tournaments, oldest first."""
        with self._lock:
            return sorted((kept.record for kept in self._kept.values()), key=lambda record: record.started_at)

    def add_result(self, identity: str, result: Result) -> bool:
        """Keep a result and count it into the Elo; see `Store.add_result` and `SqlStore.add_result`."""
        with self._lock:
            kept = self._tournament(identity)
            if any(result.match_id == old.match_id for one in self._kept.values() for old in one.results.values()):
                return False
            if (other := kept.results.get(result.number)) is not None:
                raise StoreError(
                    f"{self.where} already has match {other.match_id} at place {result.number} of the schedule; "
                    f"match {result.match_id} was not added"
                )
            results, counted, table = {**kept.results, result.number: result}, kept.counted, EloTable(kept.elo.rated)
            while (following := results.get(counted)) is not None:
                seats = following.seats
                try:
                    table.count([seat.entrant for seat in seats], [seat.rank for seat in seats])
                except ValueError as error:
                    raise StoreError(
                        f"{self.where}: place {counted} of the schedule cannot be rated: {error}"
                    ) from error
                counted += 1
            kept.results, kept.counted, kept.elo = results, counted, table
            return True

    def results(self, identity: str) -> Sequence[Result]:
        """Return a tournament's results in schedule order."""
        with self._lock:
            return [result for _, result in sorted(self._tournament(identity).results.items())]

    def standings(self, identity: str) -> Sequence[Standing]:
        """Return the stored Elo of every entrant, by entrant number."""
        with self._lock:
            rated = self._tournament(identity).elo.rated
            return [Standing(number, one.elo, one.matches) for number, one in enumerate(rated)]

    def close(self) -> None:
        """Let go of nothing: what is kept stays until the process ends."""

    def _tournament(self, identity: str) -> _Kept:
        if identity not in self._kept:
            raise StoreError(f"{self.where} holds no tournament {identity}; `open_tournament` makes it")
        return self._kept[identity]
