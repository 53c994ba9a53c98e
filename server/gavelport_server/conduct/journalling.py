"""The journal under trio: what matches put goes to disk in groups, and what follows is told then (design 7).

While a group is being synced, in a worker thread, the next one gathers; with none on its way, what is put goes at once.
So nothing waits longer than for one sync that is running and its own.

A journal that once failed to write is broken for good: nothing that is not synced is ever told, and every match on it
stops without a word. What is on disk of them goes on at the next start.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import structlog
import trio

from gavelport_server.archive.errors import JournalError
from gavelport_server.archive.journal import Segments
from gavelport_server.archive.journal_entries import entry_bytes, entry_of, input_of
from gavelport_server.archive.journal_format import Entry, EntryKind
from gavelport_server.archive.replay import encode_replay
from gavelport_server.conduct.resume import rebuilt

if TYPE_CHECKING:
    from pathlib import Path

    from gavelport_server.archive.disk import Disk
    from gavelport_server.archive.files import ReplayFolder
    from gavelport_server.archive.journal import Held
    from gavelport_server.archive.journal_entries import MatchEntry, PastInput
    from gavelport_server.referee.report import MatchReport

InWorker = Callable[..., Awaitable[Any]]
"""Runs a blocking call with its arguments aside, and returns what it returns."""
_log = structlog.get_logger(__name__)


async def in_thread(call: Callable[..., Any], *args: Any) -> Any:
    """Run a blocking call in a worker thread, to its end also when cancelled."""
    return await trio.to_thread.run_sync(call, *args)


@dataclass(slots=True)
class JournalFigures:
    """What the journal did since it was opened."""

    groups: int = 0
    """Writes with a sync each."""
    entries: int = 0
    largest_group: int = 0
    """In entries."""
    sync_s: float = 0.0
    """Time spent in writing and syncing, altogether."""
    slowest_sync_s: float = 0.0


class MatchJournal:
    """One match in the journal: its `MatchLog`, until it is ended."""

    def __init__(self, journal: Journal, number: int, entry: MatchEntry) -> None:
        self.entry = entry
        self.in_worker = journal.in_worker
        self.is_ended = False
        """Whether END or VOID was put."""
        self._journal = journal
        self._number = number

    def put(self, entry: bytes) -> None:
        """As `MatchLog.put`; raises JournalError also once the match is ended."""
        if self.is_ended:
            raise JournalError(f"match {self.entry.setup.match_id} is ended, and takes no further input")
        self._journal.put(Entry(EntryKind.INPUT, self._number, entry))

    def when_synced(self, call: Callable[[], None]) -> None:
        """As `MatchLog.when_synced`."""
        self._journal.when_synced(call)

    def when_broken(self, call: Callable[[], None]) -> None:
        """As `MatchLog.when_broken`."""
        self._journal.when_broken(self._number, call)

    def end(self) -> None:
        """Take note that the result is counted. Raises JournalError once nothing can be written any more."""
        self._end(EntryKind.END, "")

    def void(self, reason: str) -> None:
        """Take note that the match counts for nothing. Raises JournalError once nothing can be written any more."""
        self._end(EntryKind.VOID, reason)

    def _end(self, kind: EntryKind, reason: str) -> None:
        if not self.is_ended:
            self._journal.put(Entry(kind, self._number, reason.encode()))
            self.is_ended = True
            self._journal.forget(self._number)


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A match that a crash of the server left in the journal."""

    log: MatchJournal
    """Where it goes on; `log.entry` is what it was entered with."""
    past: tuple[PastInput, ...]
    report: MatchReport | None
    """Where the inputs lead to the end: what `finish_match` takes, and no bot is needed."""
    void_reason: str
    """Why it cannot go on, in words; empty where it can."""


class Journal:
    """The journal of a server. `run` must be running for anything to be written."""

    def __init__(self, data: Path, *, disk: Disk | None = None, in_worker: InWorker = in_thread) -> None:
        """Open the journal of a data folder, and read what a crash left. Blocks.

        `in_worker` is where what blocks is done. Raises JournalError for a journal that is damaged, and where the disk
        fails.
        """
        self.in_worker = in_worker
        self.figures = JournalFigures()
        self.broken = ""
        """Why nothing can be written any more, in words; empty while it can."""
        self._segments = Segments(data) if disk is None else Segments(data, disk=disk)
        self._held = self._segments.recover()
        self._next_match = self._segments.next_match
        self._gathered: list[Entry] = []
        self._calls: list[Callable[[], None]] = []
        """To be made when what is gathered is synced."""
        self._calls_under_way: list[Callable[[], None]] | None = None
        """To be made when the group that is being written is synced; None while there is none."""
        self._on_broken: dict[int, Callable[[], None]] = {}
        self._waiting: list[trio.Event] = []
        self._wake = trio.Event()

    # -- the owner's side

    async def run(self) -> None:
        """Write what is put, for ever. Raises JournalError when the journal is broken, after all matches were told."""
        try:
            while True:
                await self._wake.wait()
                self._wake = trio.Event()
                await self._write()
        finally:
            self._segments.close()

    def enter(self, entry: MatchEntry) -> MatchJournal:
        """Enter a match that is about to begin. Raises JournalError once nothing can be written any more."""
        number = self._next_match
        self.put(Entry(EntryKind.MATCH, number, entry_bytes(entry)))
        self._next_match += 1
        return MatchJournal(self, number, entry)

    def unfinished(self) -> list[Unfinished]:
        """Return the matches that a crash left, in the order in which they were entered. Blocks: it plays them again.

        Raises JournalError for what this program cannot read or play.
        """
        return [self._unfinished(held) for held in self._held]

    async def synced(self) -> None:
        """Wait until all that was put so far is on disk. Raises JournalError once nothing can be written any more."""
        done = trio.Event()
        self.when_synced(done.set)
        self._waiting.append(done)
        if not self.broken:
            await done.wait()
        self._waiting.remove(done)
        if self.broken:
            raise JournalError(self.broken)

    # -- the matches' side

    def put(self, entry: Entry) -> None:
        """Take an entry. Raises JournalError once nothing can be written any more."""
        if self.broken:
            raise JournalError(self.broken)
        if not self._gathered:
            self._wake.set()
        self._gathered.append(entry)

    def when_synced(self, call: Callable[[], None]) -> None:
        """As `MatchLog.when_synced`, for all that was put by anybody."""
        if self.broken:
            return
        if self._gathered:
            self._calls.append(call)
        elif self._calls_under_way is not None:
            self._calls_under_way.append(call)
        else:
            call()

    def when_broken(self, match: int, call: Callable[[], None]) -> None:
        """Make a match's call should the journal break."""
        self._on_broken[match] = call

    def forget(self, match: int) -> None:
        """Take a match's call out."""
        self._on_broken.pop(match, None)

    # -- details

    async def _write(self) -> None:
        entries, self._gathered = self._gathered, []
        calls, self._calls = self._calls, []
        self._calls_under_way = calls
        began = trio.current_time()
        try:
            await self.in_worker(self._segments.append, entries)
        except JournalError as error:
            self._break(str(error))
            raise
        self._count(len(entries), trio.current_time() - began)
        for call in calls:  # grows while it is gone through: what a call has told in turn keeps its order
            try:
                call()
            except Exception:  # noqa: BLE001  logged: one match must not stop the others
                _log.exception("journal_call_failed")
        self._calls_under_way = None

    def _break(self, reason: str) -> None:
        self.broken = reason
        _log.error("journal_broken", reason=reason)
        for call in tuple(self._on_broken.values()):
            call()
        for done in self._waiting:
            done.set()

    def _count(self, entries: int, seconds: float) -> None:
        figures = self.figures
        figures.groups += 1
        figures.entries += entries
        figures.largest_group = max(figures.largest_group, entries)
        figures.sync_s += seconds
        figures.slowest_sync_s = max(figures.slowest_sync_s, seconds)

    def _unfinished(self, held: Held) -> Unfinished:
        entry = entry_of(held.setup)
        log = MatchJournal(self, held.match, entry)
        past = tuple(input_of(stored) for stored in held.inputs)
        try:
            core = rebuilt(entry.setup, past)
        except Exception:  # noqa: BLE001  logged, and the match is void
            _log.exception("match_void", match=entry.setup.match_id)
            return Unfinished(log, past, None, "its past cannot be played again")
        return Unfinished(log, past, core.report, "" if core.has_started else "it had not begun")


async def finish_match(
    report: MatchReport,
    log: MatchJournal,
    *,
    replays: ReplayFolder,
    count: Callable[[MatchReport, bytes], None],
) -> None:
    """Put a finished match's replay, have its result counted, and end it in the journal (design 7).

    A crash between any two of these is made good by calling this again with the report of `Journal.unfinished`: the
    same bytes are put once, and `count` must count a match id once. So the report must be the one that `conduct_match`
    returned or the journal gives, with nothing added to it.

    Args:
        report: what the match left behind; all its inputs are on disk.
        log: the match in the journal.
        replays: where its replay goes.
        count: is given the report and the stored replay, in a worker thread, and counts the result durably, once.

    Raises:
        ArchiveError: the replay cannot be put; nothing was counted.
        JournalError: the end cannot be written; the match is counted.
        Exception: what `count` raises.
    """

    def keep() -> None:
        stored = encode_replay(report, log.entry.private_key)
        replays.put(report.setup.match_id, stored)
        count(report, stored)

    with trio.CancelScope(shield=True):
        await log.in_worker(keep)
    log.end()
