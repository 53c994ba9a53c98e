"""The operations of a file system by which the archive keeps its promises, so that a test can lose power between them.

What is durable after each of them is what POSIX promises and no more: a file's content when it was synced, a name in a
folder when the folder was.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path


class NewFile(Protocol):
    """A file that is being written, from its beginning to its end."""

    def write(self, data: bytes) -> None:
        """Write all of the data at the end. Raises OSError; then a part of it may be there."""
        ...

    def sync(self) -> None:
        """Have all that was written, and the file's size, on disk. Raises OSError; then nobody knows what is."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


class Disk(Protocol):
    """A file system. Every method raises OSError."""

    def make_folder(self, folder: Path) -> None:
        """Make a folder with its parents, durably, where it is not there yet."""
        ...

    def create(self, path: Path, mode: int = 0o666) -> NewFile:
        """Make a file, with the permissions of `mode` as far as the umask leaves them. FileExistsError: it is there."""
        ...

    def read(self, path: Path) -> bytes:
        """Return a file's content."""
        ...

    def cut(self, path: Path, size: int) -> None:
        """Take everything from a byte on out of a file, durably."""
        ...

    def names(self, folder: Path) -> list[str]:
        """Return the names in a folder, sorted; none where there is no folder."""
        ...

    def rename(self, path: Path, to: Path) -> None:
        """Give a file another name, in place of what had it."""
        ...

    def link(self, path: Path, to: Path) -> None:
        """Give a file a second name. FileExistsError: something has it."""
        ...

    def unlink(self, path: Path) -> None:
        """Take a name away."""
        ...

    def sync_folder(self, folder: Path) -> None:
        """Have the folder's names as they are now on disk."""
        ...


class _OpenFile:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self._descriptor, left) :]

    def sync(self) -> None:
        os.fdatasync(self._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)


class RealDisk:
    """The machine's file system."""

    def make_folder(self, folder: Path) -> None:
        """As `Disk.make_folder`."""
        if not folder.is_dir():
            self.make_folder(folder.parent)
            folder.mkdir(exist_ok=True)
            self.sync_folder(folder.parent)

    def create(self, path: Path, mode: int = 0o666) -> NewFile:
        """As `Disk.create`."""
        return _OpenFile(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, mode))

    def read(self, path: Path) -> bytes:
        """As `Disk.read`."""
        return path.read_bytes()

    def cut(self, path: Path, size: int) -> None:
        """As `Disk.cut`."""
        with path.open("r+b") as file:
            file.truncate(size)
            os.fsync(file.fileno())

    def names(self, folder: Path) -> list[str]:
        """As `Disk.names`."""
        try:
            return sorted(entry.name for entry in os.scandir(folder))
        except FileNotFoundError:
            return []

    def rename(self, path: Path, to: Path) -> None:
        """As `Disk.rename`."""
        path.rename(to)

    def link(self, path: Path, to: Path) -> None:
        """As `Disk.link`."""
        to.hardlink_to(path)

    def unlink(self, path: Path) -> None:
        """As `Disk.unlink`."""
        path.unlink()

    def sync_folder(self, folder: Path) -> None:
        """As `Disk.sync_folder`."""
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


REAL_DISK = RealDisk()
