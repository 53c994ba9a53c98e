"""Where pages get what they show: one protocol, and a store with its replays behind it, which are only read."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Protocol

from gavelport_server.archive.errors import ArchiveError
from gavelport_server.archive.files import ReplayFolder
from gavelport_server.archive.fits import read_fit
from gavelport_server.conduct.folder import playing_in
from gavelport_server.pages.accounts import accounts_of
from gavelport_server.storage.members import Members
from gavelport_server.storage.memory import MemoryStore
from gavelport_server.storage.sql import FILE, SqlStore
from gavelport_server.storage.store import Store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gavelport_server.archive.fits import LadderFit
    from gavelport_server.conduct.folder import Playing
    from gavelport_server.pages.accounts import Account
    from gavelport_server.storage.store import (
        FoundResult,
        Place,
        Result,
        ResultFilter,
        Standing,
        TournamentRecord,
    )

PLAYS = "plays"
"""Where in a data folder `gavelport play` keeps its matches."""
FRESH_S = 5.0
"""For so long tables made from a database are taken to be those of now."""


class Source(Protocol):
    """What pages are made of. Synchronous; called in threads. Raises StoreError and ArchiveError."""

    def revision(self) -> object:
        """Return a value that is another one whenever tournaments, ladders or results may have changed."""
        ...

    def tournaments(self) -> Sequence[TournamentRecord]:
        """Return all tournaments and ladders, oldest first."""
        ...

    def results(self, identity: str, *, first: int = 0, limit: int | None = None) -> Sequence[Result]:
        """Return the results of one, in the order in which they count, from a number on; see `Store.results`."""
        ...

    def voided(self, identity: str) -> Sequence[int]:
        """Return the numbers of the results of one that count no more; see `Store.voided`."""
        ...

    def standings(self, identity: str) -> Sequence[Standing]:
        """Return the stored Elo of its entrants, by number."""
        ...

    def ladder_fit(self, identity: str) -> LadderFit | None:
        """Return the latest ratings of a ladder by its whole history."""
        ...

    def accounts(self) -> Mapping[str, Account]:
        """Return whose bots are whose, by name."""
        ...

    def result(self, match_id: str) -> FoundResult | None:
        """Return a match's result."""
        ...

    def find_results(
        self, wanted: ResultFilter, *, beyond: Place | None = None, limit: int, oldest_first: bool = False
    ) -> Sequence[FoundResult]:
        """Return results, latest first unless told otherwise; see `Store.find_results`."""
        ...

    def is_sealed(self, found: FoundResult) -> bool:
        """Return whether the match's replay must not be shown yet, because its deal is still being played."""
        ...

    def playing(self) -> Playing | None:
        """Return what is played at present, where that is known."""
        ...

    def replay(self, match_id: str) -> bytes:
        """Return a match's replay as it is stored. Raises ArchiveError where there is none."""
        ...


class PublicStore(Store, Members, Protocol):
    """Where results are, and accounts."""


class StoreSource:
    """A store and the data folder that belongs to it, as `Source`; whoever opened the store closes it."""

    def __init__(self, store: PublicStore, data: Path) -> None:
        self._store, self._data = store, data
        self._folders = (ReplayFolder(data), ReplayFolder(data / PLAYS))

    def revision(self) -> object:
        """Return another value every few seconds."""
        return time.monotonic() // FRESH_S

    def tournaments(self) -> Sequence[TournamentRecord]:
        """Return all tournaments and ladders, oldest first."""
        return self._store.tournaments()

    def results(self, identity: str, *, first: int = 0, limit: int | None = None) -> Sequence[Result]:
        """Return the results of one, in the order in which they count, from a number on."""
        return self._store.results(identity, first=first, limit=limit)

    def voided(self, identity: str) -> Sequence[int]:
        """Return the numbers of the results of one that count no more."""
        return self._store.voided(identity)

    def standings(self, identity: str) -> Sequence[Standing]:
        """Return the stored Elo of its entrants, by number."""
        return self._store.standings(identity)

    def ladder_fit(self, identity: str) -> LadderFit | None:
        """Return the latest ratings of a ladder by its whole history."""
        return read_fit(self._data, identity)

    def accounts(self) -> Mapping[str, Account]:
        """Return whose bots are whose, by name."""
        return accounts_of(self._store)

    def result(self, match_id: str) -> FoundResult | None:
        """Return a match's result."""
        return self._store.result(match_id)

    def find_results(
        self, wanted: ResultFilter, *, beyond: Place | None = None, limit: int, oldest_first: bool = False
    ) -> Sequence[FoundResult]:
        """Return results, latest first unless told otherwise."""
        return self._store.find_results(wanted, beyond=beyond, limit=limit, oldest_first=oldest_first)

    def is_sealed(self, found: FoundResult) -> bool:
        """Return whether the match's block is being played (design 4); on a ladder each match is its own block."""
        if found.kind != "tournament" or self.playing() is None:
            return False
        block = (found.result.block, found.result.table)
        played = Counter((one.block, one.table) for one in self._store.results(found.identity))
        return played[block] < len(found.entrants)

    def replay(self, match_id: str) -> bytes:
        """Return a match's replay as it is stored; also of a match that was played for its own sake."""
        if self._folders[0].path(match_id).exists() and self.playing() is not None and not self.result(match_id):
            # Replays are kept before results are, so that nothing tells yet whether this one is sealed.
            raise ArchiveError(f"{match_id} has no result yet")
        for folder in self._folders:
            if folder.path(match_id).exists():
                return folder.get(match_id)
        return self._folders[0].get(match_id)

    def playing(self) -> Playing | None:
        """Return what is played in the folder at present."""
        return playing_in(self._data)


class DataFolderSource(StoreSource):
    """A data folder with a database of its own, whether or not something is played in it."""

    def __init__(self, data: Path) -> None:
        """Open the folder. Raises StoreError where it holds neither tournament data nor played matches."""
        has_plays = ReplayFolder(data / PLAYS).folder.is_dir()
        if not (data / FILE).exists() and has_plays:
            super().__init__(MemoryStore(), data)
        else:
            super().__init__(SqlStore.in_folder(data, create=False), data)

    def close(self) -> None:
        """Let go of the database."""
        self._store.close()

    def revision(self) -> object:
        """Return sizes and times of the database's files."""
        found: list[tuple[int, int]] = []
        for name in (FILE, f"{FILE}-wal"):
            try:
                stat = (self._data / name).stat()
            except FileNotFoundError:
                continue
            found.append((stat.st_mtime_ns, stat.st_size))
        return tuple(found), self.playing()
