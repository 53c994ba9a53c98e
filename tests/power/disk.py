"""A disk in memory that remembers every operation, and what a loss of power may leave of them.

Harsher than a real file system: of the names that a folder's sync does not cover, and of the sectors of a file's writes
that its own sync does not cover, any subset may be there. Where a later sector of a file is there, what is missing
before it reads as zeros.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECTOR = 512


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes at a place of a file."""

    file: int
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Sync:
    """A file's content is on disk."""

    file: int


@dataclass(frozen=True, slots=True)
class Cut:
    """A file is cut to a size, durably."""

    file: int
    size: int


@dataclass(frozen=True, slots=True)
class Name:
    """Names in a folder change together: each is now a file's, or nobody's."""

    folder: Path
    names: tuple[tuple[str, int | None], ...]


@dataclass(frozen=True, slots=True)
class SyncFolder:
    """A folder's names are on disk."""

    folder: Path


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that the disk has no part in, noted at its place among the operations."""

    kind: str
    match: str
    value: Any = None


Operation = Write | Sync | Cut | Name | SyncFolder | Mark


class SimulatedDisk:
    """As `gavelport_server.archive.disk.Disk`; whole until power is lost (`Images`)."""

    def __init__(self, files: dict[int, bytes] | None = None, names: dict[Path, dict[str, int]] | None = None) -> None:
        self.operations: list[Operation] = []
        """What was done to it, in order."""
        self.files = {number: bytearray(data) for number, data in (files or {}).items()}
        self.folders = {folder: dict(inside) for folder, inside in (names or {}).items()}

    def copy(self) -> SimulatedDisk:
        """The disk as it is now, with nothing done to it yet."""
        return SimulatedDisk({number: bytes(data) for number, data in self.files.items()}, self.folders)

    def make_folder(self, folder: Path) -> None:
        self.folders.setdefault(folder, {})

    def create(self, path: Path, mode: int = 0o666) -> SimulatedFile:
        if path.name in self.folders[path.parent]:
            raise FileExistsError(path)
        number = max(self.files, default=0) + 1
        self.files[number] = bytearray()
        self._name(path.parent, (path.name, number))
        return SimulatedFile(self, number)

    def read(self, path: Path) -> bytes:
        return bytes(self.files[self._number(path)])

    def cut(self, path: Path, size: int) -> None:
        number = self._number(path)
        del self.files[number][size:]
        self.operations.append(Cut(number, size))

    def names(self, folder: Path) -> list[str]:
        return sorted(self.folders.get(folder, ()))

    def rename(self, path: Path, to: Path) -> None:
        assert path.parent == to.parent
        self._name(path.parent, (path.name, None), (to.name, self._number(path)))

    def link(self, path: Path, to: Path) -> None:
        if to.name in self.folders[to.parent]:
            raise FileExistsError(to)
        self._name(to.parent, (to.name, self._number(path)))

    def unlink(self, path: Path) -> None:
        self._number(path)
        self._name(path.parent, (path.name, None))

    def sync_folder(self, folder: Path) -> None:
        self.operations.append(SyncFolder(folder))

    def append(self, number: int, data: bytes) -> None:
        self.operations.append(Write(number, len(self.files[number]), data))
        self.files[number] += data

    def _number(self, path: Path) -> int:
        number = self.folders.get(path.parent, {}).get(path.name)
        if number is None:
            raise FileNotFoundError(path)
        return number

    def _name(self, folder: Path, *changes: tuple[str, int | None]) -> None:
        self.operations.append(Name(folder, changes))
        _rename(self.folders[folder], changes)


@dataclass(slots=True)
class SimulatedFile:
    """As `gavelport_server.archive.disk.NewFile`."""

    disk: SimulatedDisk
    number: int

    def write(self, data: bytes) -> None:
        self.disk.append(self.number, data)

    def sync(self) -> None:
        self.disk.operations.append(Sync(self.number))

    def close(self) -> None:
        pass


def _rename(names: dict[str, int], changes: tuple[tuple[str, int | None], ...]) -> None:
    for name, number in changes:
        if number is None:
            names.pop(name, None)
        else:
            names[name] = number


# -- what a loss of power leaves


Keep = Callable[[], bool]


@dataclass(slots=True)
class _File:
    synced: bytearray = field(default_factory=bytearray)
    waiting: list[Write] = field(default_factory=list)

    def sync(self) -> None:
        for write in self.waiting:
            _put(self.synced, write.offset, write.data)
        self.waiting.clear()

    def left(self, keep: Keep) -> bytes:
        data = bytearray(self.synced)
        for write in self.waiting:
            place = 0
            while place < len(write.data):
                end = min(len(write.data), place + SECTOR - (write.offset + place) % SECTOR)
                if keep():
                    _put(data, write.offset + place, write.data[place:end])
                place = end
        return bytes(data)


def _put(data: bytearray, offset: int, piece: bytes) -> None:
    if len(data) < offset:
        data.extend(bytes(offset - len(data)))
    data[offset : offset + len(piece)] = piece


class Images:
    """The disks that may be found after a loss of power behind one of the operations; ask in ascending order."""

    def __init__(self, operations: list[Operation], disk: SimulatedDisk | None = None) -> None:
        """Take the operations, and the disk as it was before them: by default an empty one."""
        disk = disk or SimulatedDisk()
        self._operations = operations
        self._done = 0
        self._files = {number: _File(bytearray(data)) for number, data in disk.files.items()}
        self._names = {folder: dict(inside) for folder, inside in disk.folders.items()}
        self._waiting: dict[Path, list[Name]] = {}

    def go_to(self, place: int) -> None:
        """Let the first operations have happened."""
        assert place >= self._done
        for operation in self._operations[self._done : place]:
            self._do(operation)
        self._done = place

    def _do(self, operation: Operation) -> None:
        match operation:
            case Write():
                self._files.setdefault(operation.file, _File()).waiting.append(operation)
            case Sync():
                self._files.setdefault(operation.file, _File()).sync()
            case Cut():
                file = self._files.setdefault(operation.file, _File())
                file.sync()
                del file.synced[operation.size :]
            case Name():
                self._names.setdefault(operation.folder, {})
                self._waiting.setdefault(operation.folder, []).append(operation)
            case SyncFolder():
                for change in self._waiting.pop(operation.folder, []):
                    _rename(self._names[operation.folder], change.names)

    def all(self) -> SimulatedDisk:
        """What the processor had written is all there: the process was killed, and power was not lost."""
        return self._image(lambda: True)

    def least(self) -> SimulatedDisk:
        """Only what was synced is there."""
        return self._image(lambda: False)

    def some(self, rng: random.Random) -> SimulatedDisk:
        """Any of what was not synced is there."""
        share = rng.random()
        return self._image(lambda: rng.random() < share)

    def torn(self, size: int) -> SimulatedDisk | None:
        """All is there, but of the last write, if that was the last operation, only so many bytes."""
        last = self._operations[self._done - 1] if self._done else None
        if not isinstance(last, Write) or size >= len(last.data):
            return None
        file = self._files[last.file]
        file.waiting[-1] = Write(last.file, last.offset, last.data[:size])
        try:
            return self._image(lambda: True)
        finally:
            file.waiting[-1] = last

    def _image(self, keep: Keep) -> SimulatedDisk:
        files = {number: file.left(keep) for number, file in self._files.items()}
        names = {folder: dict(inside) for folder, inside in self._names.items()}
        for folder, changes in self._waiting.items():
            for change in changes:
                if keep():
                    _rename(names[folder], change.names)
        inside = {number for each in names.values() for number in each.values()}
        for number in inside - files.keys():
            files[number] = b""  # its name was synced before anything was written
        return SimulatedDisk(files, names)
