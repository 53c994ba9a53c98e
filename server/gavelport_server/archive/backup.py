"""Backups of a data folder, made while a server runs (design 7; `gavelport db backup`).

A backup is one tar file: the journal's segments, the database as a SQLite file, the packages of submitted versions, and
the replays of all results in it, in the order in which they are taken. A match that ends meanwhile is then in the
journal's copy, or in the database's, or in both, and never in neither: a server that finds its result skips it, one
that does not plays it on from its inputs. The replay of a match is written before its result, so those of all results
are there.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import secrets
import tarfile
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Final

from gavelport_server.archive.errors import ArchiveError
from gavelport_server.archive.files import FOLDER as REPLAYS
from gavelport_server.archive.files import SUFFIX, ReplayFolder, explained
from gavelport_server.archive.journal import FOLDER as JOURNAL
from gavelport_server.storage.schema import HEAD
from gavelport_server.storage.sql import FILE, SqlStore

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST: Final = "backup.json"
"""The first file of a backup."""
FORMAT: Final = 1
PACKAGES: Final = "packages"
"""The folder of submitted bots (`lobby/packages.py`)."""
PACKAGE: Final = re.compile(r"[0-9a-f]{64}\.zip")
SEGMENT: Final = re.compile(r"[0-9]{8}\.log")
_TRIES = 10


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup holds."""

    made_at: str
    """ISO 8601, UTC."""
    replays: int
    segments: int
    """Of the journal."""
    missing: tuple[str, ...]
    """Match ids of results whose replays were not there."""


def back_up(store: SqlStore, data: Path, to: Path) -> Backup:
    """Write a backup of a data folder and its database to a new file, whole and synced when this returns.

    It holds what seeds are derived from and the digests of tokens, so that only its owner may read it. Raises
    ArchiveError where the file is there already or cannot be written, StoreError where the database cannot be read.
    """
    is_there = ArchiveError(f"{to} is there already; give another name, a backup replaces nothing")
    if to.exists():
        raise is_there
    mark = secrets.token_hex(8)
    copy, unfinished = to.with_name(f".{mark}.db"), to.with_name(f".{mark}.new")
    try:
        segments = _segments(data / JOURNAL)
        copy.touch(mode=0o600)
        store.copy_to(copy)
        file = os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
        with file:
            backup = _write(file, segments, copy, data)
            file.flush()
            os.fsync(file.fileno())
        os.link(unfinished, to)
        _sync(to.parent)
    except FileExistsError:
        raise is_there from None
    except OSError as error:
        raise ArchiveError(explained(error, to)) from error
    finally:
        for path in (unfinished, copy, copy.with_name(f"{copy.name}-wal"), copy.with_name(f"{copy.name}-shm")):
            path.unlink(missing_ok=True)
    return backup


def sha256_of_file(path: Path) -> str:
    """Return the hash of a file of any size, hex. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _segments(folder: Path) -> dict[str, bytes]:
    """Return the journal's segments by name: all that were there at one time, the last one up to some record.

    A segment that goes while others are read would leave matches without their beginning; then all are read again.
    """
    for _ in range(_TRIES):
        paths = sorted(path for path in folder.glob("*") if SEGMENT.fullmatch(path.name))
        try:
            return {path.name: path.read_bytes() for path in paths}
        except FileNotFoundError:
            continue
    raise ArchiveError(f"{folder} changes faster than it can be read; try again")


def _packages(data: Path, copy: Path) -> dict[str, Path]:
    """Return the packages of submitted versions by their names in the backup; those of versions never go."""
    with closing(SqlStore(copy)) as copied:
        names = sorted({f"{PACKAGES}/{one.content_hash}.zip" for one in copied.versions() if one.content_hash})
    return {name: data / name for name in names if (data / name).exists()}


def _write(file: IO[bytes], segments: dict[str, bytes], copy: Path, data: Path) -> Backup:
    replays, packages = ReplayFolder(data), _packages(data, copy)
    made_at = datetime.now(UTC).isoformat(timespec="seconds")
    hashes = {f"{JOURNAL}/{name}": hashlib.sha256(held).hexdigest() for name, held in segments.items()}
    hashes |= {name: sha256_of_file(path) for name, path in packages.items()}
    hashes[FILE] = sha256_of_file(copy)
    manifest = {"format": FORMAT, "schema": HEAD, "made_at": made_at, "sha256": hashes}
    written, missing = 0, []
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
        _add(tar, MANIFEST, json.dumps(manifest, indent=1).encode())
        for name, held in segments.items():
            _add(tar, f"{JOURNAL}/{name}", held)
        tar.add(copy, FILE, filter=_plain)
        for name, path in packages.items():
            _add(tar, name, path.read_bytes())
        with closing(SqlStore(copy)) as copied:
            for match_id, _ in copied.replay_hashes():
                try:
                    _add(tar, f"{REPLAYS}/{match_id}{SUFFIX}", replays.path(match_id).read_bytes())
                    written += 1
                except FileNotFoundError:
                    missing.append(match_id)
    return Backup(made_at, written, len(segments), tuple(missing))


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    described = tarfile.TarInfo(name)
    described.size, described.mode = len(content), 0o600
    tar.addfile(described, io.BytesIO(content))


def _plain(described: tarfile.TarInfo) -> tarfile.TarInfo:
    """Return a description that says nothing of the machine's users."""
    described.uid = described.gid = 0
    described.uname = described.gname = ""
    return described


def _sync(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
