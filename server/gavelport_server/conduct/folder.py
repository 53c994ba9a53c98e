"""A data folder, opened by the one process that may play in it (design 5, 7)."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gavelport_server.archive.files import ReplayFolder
from gavelport_server.storage.sql import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gavelport_server.storage.sql import SqlStore

LOCK = "runner.lock"
LOGS = "logs"


class FolderError(Exception):
    """The data folder cannot be used; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Playing:
    """What is played in a data folder at present."""

    identity: str
    """The tournament's; empty for a server's ladders, and before it is known."""
    matches: int
    """So many it comes to in the end; 0 where that is not known."""


@dataclass(frozen=True, slots=True)
class DataFolder:
    """What tournaments and ladders are kept in."""

    path: Path
    store: SqlStore
    replays: ReplayFolder

    def logs(self, identity: str) -> Path:
        """Return the folder for what a tournament's bots print."""
        return self.path / LOGS / identity

    def note(self, playing: Playing) -> None:
        """Leave word of what is played, for whoever looks at the folder meanwhile. Raises OSError."""
        with (self.path / LOCK).open("a", encoding="ascii") as lock:
            lock.write(f"{playing.identity} {playing.matches}\n")


@contextmanager
def open_folder(path: Path, database: str | None = None) -> Iterator[DataFolder]:
    """Give the data folder, made where it is missing, to this process alone.

    What a killed run left of a replay that it was writing is swept. The lock goes with the process, however that ends.
    `database` is the URL of a database that is kept elsewhere.
    Raises FolderError where another process plays in it or the folder cannot be written, StoreError where its database
    cannot be used, ArchiveError where its replays cannot.
    """
    lock = locked(path)
    try:
        store = open_store(database or path)
        try:
            replays = ReplayFolder(path)
            replays.sweep()
            yield DataFolder(path, store, replays)
        finally:
            store.close()
    finally:
        os.close(lock)


def locked(path: Path) -> int:
    """Return the open lock of a data folder, made where it is missing; whoever closes it lets others in.

    Raises FolderError where another process plays in the folder, or it cannot be written.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock = os.open(path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except FileExistsError:
        raise FolderError(f"{path} is a file; give a folder for the data with --data DIR") from None
    except OSError as error:
        raise FolderError(
            f"{path} cannot be used as data folder: {error.strerror}; give another with --data DIR"
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(lock, 32).decode("ascii", "replace").partition("\n")[0]
        os.close(lock)
        raise FolderError(
            f"another run-tournament or serve (process {holder or 'unknown'}) plays in {path}; "
            "wait until it is done or stop it, or give another folder with --data DIR"
        ) from None
    try:
        os.ftruncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
    except OSError as error:
        os.close(lock)
        raise FolderError(f"{path} cannot be written to: {error.strerror}; give another with --data DIR") from error
    return lock


def playing_in(path: Path) -> Playing | None:
    """Return what is played in a data folder, if the process that last locked it is still there.

    The lock itself is not tried: a tournament that starts at that moment would be turned away.
    """
    try:
        holder, *noted = (path / LOCK).read_text("ascii").splitlines()
        with suppress(PermissionError):  # then it is there, as another user
            os.kill(int(holder), 0)
    except (OSError, ValueError):
        return None
    identity, _, matches = noted[-1].partition(" ") if noted else ("", "", "")
    return Playing(identity, int(matches) if matches.isdecimal() else 0)
