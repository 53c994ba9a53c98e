"""The folder of replays: one file a match, written once and whole (design 7)."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from gavelport_server.archive.disk import REAL_DISK
from gavelport_server.archive.errors import ArchiveError

if TYPE_CHECKING:
    from gavelport_server.archive.disk import Disk

FOLDER = "replays"
"""The folder's name in a data folder."""
SUFFIX = ".zst"
_UNFINISHED = re.compile(r"\.[A-Za-z0-9_.-]{1,100}\.[0-9a-f]{16}\.new")
"""What `put` names a file until it is whole."""
# What may stand in a file's name anywhere; a match id that came from outside must not lead elsewhere.
_MATCH_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}")


def sha256_of(stored: bytes) -> str:
    """Return the hash by which the database knows a replay's bytes, hex."""
    return hashlib.sha256(stored).hexdigest()


def path_in(folder: Path, match_id: str, suffix: str) -> Path:
    """Return a match's file in a folder. Raises ArchiveError for what cannot be a match id."""
    if not _MATCH_ID.fullmatch(match_id):
        raise ArchiveError(
            f"{match_id[:80]!r} is no match id; one has up to 200 letters, digits, dots, dashes and underscores"
        )
    return folder / f"{match_id}{suffix}"


class ReplayFolder:
    """The replays of a data folder."""

    def __init__(self, data: Path, *, disk: Disk = REAL_DISK) -> None:
        """Take the data folder; the folder of replays in it is made with the first replay."""
        self.folder = data / FOLDER
        self._disk = disk

    def path(self, match_id: str) -> Path:
        """Return where a match's replay is or would be. Raises ArchiveError for what cannot be a match id."""
        return path_in(self.folder, match_id, SUFFIX)

    def put(self, match_id: str, stored: bytes) -> bool:
        """Store a replay, whole and synced when this returns, if the match has none yet.

        Returns False, changing nothing, where the same bytes are there already. Raises ArchiveError where other bytes
        are, or where the file cannot be written.
        """
        path = self.path(match_id)
        # The name is random, as two processes may write the same match.
        temporary = self.folder / f".{match_id[:100]}.{secrets.token_hex(8)}.new"
        disk = self._disk
        try:
            disk.make_folder(self.folder)
            file = disk.create(temporary)
            try:
                try:
                    file.write(stored)
                    file.sync()
                finally:
                    file.close()
                # A link, as a rename would replace what is there.
                disk.link(temporary, path)
                created = True
            except FileExistsError:
                created = False
            finally:
                disk.unlink(temporary)
            disk.sync_folder(self.folder)
            is_other = not created and disk.read(path) != stored
        except OSError as error:
            raise ArchiveError(explained(error, path)) from error
        if is_other:
            raise ArchiveError(
                f"{path} is there already with other content, and was left as it is; a match's replay is written once. "
                "If that file is damaged, move it away, then give the same command again"
            )
        return created

    def get(self, match_id: str) -> bytes:
        """Return a match's replay as stored. Raises ArchiveError where there is none."""
        return read(self.path(match_id))

    def list(self) -> list[str]:
        """Return the match ids of all replays, sorted. Raises ArchiveError where the folder cannot be read."""
        try:
            names = [entry.name for entry in os.scandir(self.folder)]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise ArchiveError(explained(error, self.folder)) from error
        return sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX) and not name.startswith("."))

    def sweep(self) -> int:
        """Take away what writers left that were killed in the midst of `put`; return how many files.

        Only for who alone writes in this folder. Raises ArchiveError where that cannot be done.
        """
        swept = 0
        try:
            names = [entry.name for entry in os.scandir(self.folder)] if self.folder.is_dir() else []
            for name in filter(_UNFINISHED.fullmatch, names):
                (self.folder / name).unlink()
                swept += 1
        except OSError as error:
            raise ArchiveError(explained(error, self.folder)) from error
        return swept


def read(path: Path) -> bytes:
    """Return a replay file's bytes. Raises ArchiveError where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise ArchiveError(explained(error, path)) from error


def explained(error: OSError, path: Path) -> str:
    """Return an error of the file system in words: what, where, and what to do."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return (
                f"{path} cannot be written: no space is left; nothing of it was kept. "
                "Free some space, then give the same command again"
            )
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return f"{path} may not be read or written ({error.strerror}); check the permissions of the data folder"
        case errno.ENOENT:
            return f"{path} is not there"
        case errno.ENOTDIR | errno.EEXIST:
            return f"{path} cannot be used: a file stands where a folder is expected; give another folder"
        case _:
            return f"{path} cannot be read or written ({error.strerror}); check the disk"
