"""The journal: what running matches were given, on disk before anything that follows from it is told (design 7).

One log for all matches, in segments `DATA/journal/00000001.log`, …; `journal_format.py` describes their bytes. A record
is written only once the one before is synced. So after a loss of power at most the last one is not whole, and nothing
that it holds was told: recovery cuts it off. A bad record that another one follows, or another segment, is damage, and
is refused.

A segment is whole under its name from the beginning: its header is written and synced under another. The oldest one is
deleted once every match that was entered in it or before has ended; so a match that has not ended has all its entries,
and of one that has, the first may be missing.
"""

from __future__ import annotations

import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gavelport_server.archive.disk import REAL_DISK
from gavelport_server.archive.errors import JournalError
from gavelport_server.archive.files import explained
from gavelport_server.archive.journal_format import (
    HEADER_BYTES,
    MOST_MATCHES,
    Bad,
    Entry,
    EntryKind,
    Header,
    entries_of,
    has_record_after,
    header_bytes,
    header_of,
    record_at,
    record_bytes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from gavelport_server.archive.disk import Disk, NewFile

FOLDER = "journal"
"""The folder's name in a data folder."""
SEGMENT_BYTES = 4 * 1024 * 1024
"""A segment that is as large gets no further record."""
_SEGMENT = re.compile(r"([0-9]{8})\.log")
_UNFINISHED = ".new"
_ADVICE = (
    "Restore the data folder from a backup; or move the journal away, and the server starts without the matches that "
    "were running"
)


@dataclass(frozen=True, slots=True)
class Held:
    """A match that has neither END nor VOID: what it was entered with, and its inputs in order."""

    match: int
    setup: bytes
    inputs: list[bytes] = field(default_factory=list)


class Segments:
    """The journal's files: opened by `recover`, then written by `append`. For one thread at a time."""

    def __init__(self, data: Path, *, disk: Disk = REAL_DISK, segment_bytes: int = SEGMENT_BYTES) -> None:
        """Take the data folder."""
        self.folder = data / FOLDER
        self.next_match = 1
        """The number of the next match to be entered."""
        self._disk = disk
        self._segment_bytes = segment_bytes
        self._file: NewFile | None = None
        self._size = 0
        self._segment = self._oldest = 0
        self._next_record = 1
        self._began: dict[int, int] = {}
        """In which segment each match was entered that has not ended."""

    # -- reading

    def recover(self) -> list[Held]:
        """Read what is there, make ready for writing, and return the matches that have not ended.

        Raises JournalError for a journal that is damaged, and where the disk fails.
        """
        running: dict[int, Held] = {}
        beheaded: set[int] = set()
        """Matches whose entries begin in the midst; they must end, or segments are missing."""
        with self._explaining():
            self._disk.make_folder(self.folder)
            for path, entry in self._entries():
                kind, match, payload = entry
                if kind is EntryKind.MATCH:
                    if match < self.next_match:
                        raise JournalError(f"{path}: match number {match} is entered twice. {_ADVICE}")
                    if match > MOST_MATCHES:
                        raise JournalError(f"{path}: match number {match} is more than a journal counts. {_ADVICE}")
                    running[match] = Held(match, payload)
                elif match not in running:
                    beheaded.add(match)
                elif kind is EntryKind.INPUT:
                    running[match].inputs.append(payload)
                else:
                    del running[match]
                if kind in (EntryKind.END, EntryKind.VOID):
                    beheaded.discard(match)
                self._note(entry)
            if beheaded:
                raise JournalError(
                    f"{self.folder}: match number {min(beheaded)} has entries and no beginning; the segment with its "
                    f"beginning is missing. {_ADVICE}"
                )
            self._rotate()
        return list(running.values())

    def _entries(self) -> Iterator[tuple[Path, Entry]]:
        """Yield all entries in order, after cutting off what a crash left of the last record."""
        names = self._disk.names(self.folder)
        for name in names:
            if name.endswith(_UNFINISHED):
                self._disk.unlink(self.folder / name)
        numbers = [int(found[1]) for found in map(_SEGMENT.fullmatch, names) if found]
        for number in numbers:
            path = self._path(number)
            data = self._disk.read(path)
            try:
                header = header_of(data)
            except Bad as bad:
                raise JournalError(f"{path}: {bad}. {_ADVICE}") from bad
            if self._oldest == 0:
                self._oldest = header.segment
                self._next_record, self.next_match = header.first_record, header.first_match
            elif number != self._segment + 1:
                raise JournalError(f"{self._path(self._segment + 1)}: is missing. {_ADVICE}")
            if header != Header(number, self._next_record, self.next_match):
                raise JournalError(f"{path}: does not go on where the segment before it ends. {_ADVICE}")
            self._segment = number
            yield from ((path, entry) for entry in self._entries_in(path, data, is_last=number == numbers[-1]))

    def _entries_in(self, path: Path, data: bytes, *, is_last: bool) -> Iterator[Entry]:
        offset = HEADER_BYTES
        while offset < len(data):
            try:
                number, body, after = record_at(data, offset)
                if number != self._next_record:
                    raise Bad(f"record {number} stands where record {self._next_record} is due")
                entries = list(entries_of(body))
            except Bad as bad:
                if is_last and not has_record_after(data, offset):
                    self._disk.cut(path, offset)
                    return
                raise JournalError(f"{path}, byte {offset}: {bad}, and more follows. {_ADVICE}") from bad
            yield from entries
            self._next_record, offset = number + 1, after

    # -- writing

    def append(self, entries: Sequence[Entry]) -> None:
        """Write a record of entries; when this returns it is on disk.

        Raises JournalError where the disk fails. What was to be written may then be there or not, and nothing can be
        written any more: a disk that failed once is not trusted.
        """
        with self._explaining():
            if self._size >= self._segment_bytes:
                self._rotate()
            if self._file is None:
                raise JournalError(f"{self.folder}: is closed")
            record = record_bytes(self._next_record, entries)
            try:
                self._file.write(record)
                self._file.sync()
            except OSError:
                with suppress(OSError):
                    self.close()
                raise
        self._next_record += 1
        self._size += len(record)
        for entry in entries:
            self._note(entry)

    def close(self) -> None:
        """Let go of the file; what was appended is on disk."""
        if self._file is not None:
            file, self._file = self._file, None
            file.close()

    def _note(self, entry: Entry) -> None:
        if entry.kind is EntryKind.MATCH:
            self._began[entry.match] = self._segment
            self.next_match = entry.match + 1
        elif entry.kind is not EntryKind.INPUT:
            self._began.pop(entry.match, None)

    def _rotate(self) -> None:
        """Begin a new segment, and delete the oldest ones that no match needs."""
        self.close()
        self._segment += 1
        path = self._path(self._segment)
        unfinished = path.with_suffix(_UNFINISHED)
        file = self._disk.create(unfinished, 0o600)  # it will hold the seeds of running matches
        file.write(header_bytes(Header(self._segment, self._next_record, self.next_match)))
        file.sync()
        self._disk.rename(unfinished, path)
        self._disk.sync_folder(self.folder)
        self._file, self._size = file, HEADER_BYTES
        self._oldest = self._oldest or self._segment
        while self._oldest < min(self._began.values(), default=self._segment):
            self._disk.unlink(self._path(self._oldest))
            self._disk.sync_folder(self.folder)  # one after the other, so that no crash leaves a gap
            self._oldest += 1

    def _path(self, segment: int) -> Path:
        return self.folder / f"{segment:08}.log"

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise JournalError(explained(error, self.folder)) from error
