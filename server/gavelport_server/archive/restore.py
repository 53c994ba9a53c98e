"""Backups put back (design 7; `gavelport db restore`).

All is unpacked beside the data and checked first: every name, every hash, the database's structure. Only then it takes
the place of what is there.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import tarfile
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from gavelport_server.archive.backup import FORMAT, MANIFEST, PACKAGE, PACKAGES, SEGMENT, Backup, sha256_of_file
from gavelport_server.archive.errors import ArchiveError
from gavelport_server.archive.files import FOLDER as REPLAYS
from gavelport_server.archive.files import SUFFIX, ReplayFolder, explained, read, sha256_of
from gavelport_server.archive.fits import FOLDER as FITS
from gavelport_server.archive.journal import FOLDER as JOURNAL
from gavelport_server.storage.sql import FILE, SqlStore
from gavelport_server.storage.sql_copies import check_copy

if TYPE_CHECKING:
    from pathlib import Path

_REPLAY = re.compile(rf"{REPLAYS}/[A-Za-z0-9_-][A-Za-z0-9_.-]{{0,199}}{re.escape(SUFFIX)}")
_UNPACKED: Final = ".restoring-"
_REPLACED: Final = ".replaced-"
_MANIFEST_BYTES = 16 << 20


def restore(source: Path, data: Path, elsewhere: SqlStore | None = None, *, force: bool = False) -> Backup:
    """Put a backup back into a data folder, of which the caller holds the lock.

    Args:
        source: The backup.
        data: The data folder.
        elsewhere: The database, where it is not to be in the folder.
        force: Whether to replace what is there.

    Raises ArchiveError where there is something to be replaced without `force`, or where the backup is not as it was
    made; StoreError where the database cannot be read or written.
    """
    if not force:
        _refuse_to_replace(data, elsewhere)
    for left in data.glob(f"{_UNPACKED}*"):
        shutil.rmtree(left)
    unpacked = data / f"{_UNPACKED}{secrets.token_hex(4)}"
    try:
        unpacked.mkdir(mode=0o700)
        backup = _unpack(source, unpacked)
        check_copy(unpacked / FILE)
        backup = _checked(unpacked, backup)
        if elsewhere is not None:
            elsewhere.replace_by(unpacked / FILE)
            (unpacked / FILE).unlink()
        _exchange(unpacked, data)
    except OSError as error:
        raise ArchiveError(explained(error, data)) from error
    finally:
        shutil.rmtree(unpacked, ignore_errors=True)
    return backup


def _refuse_to_replace(data: Path, elsewhere: SqlStore | None) -> None:
    where = str(data)
    is_used = any((data / name).exists() for name in (FILE, REPLAYS, JOURNAL))
    if not is_used and elsewhere is not None:
        where, is_used = elsewhere.where, not elsewhere.is_fresh()
    if is_used:
        raise ArchiveError(f"{where} holds data already; give another place, or --force to replace it")


def _unpack(source: Path, into: Path) -> Backup:
    """Write a backup's files into a folder; their names and hashes are those of its manifest."""
    not_whole = f"{source} is not whole; take another backup"
    try:
        with tarfile.open(source, "r:") as tar:
            manifest = _manifest(source, tar)
            hashes: dict[str, str] = manifest["sha256"]
            for member in list(tar)[1:]:
                known = member.name in hashes or _REPLAY.fullmatch(member.name)
                content = tar.extractfile(member) if known and member.isreg() else None
                if content is None:
                    raise ArchiveError(f"{source} has a file {member.name[:80]!r}, which belongs in no backup")
                path = into / member.name
                path.parent.mkdir(exist_ok=True)
                with content, path.open("xb") as file:
                    shutil.copyfileobj(content, file)
    except (tarfile.TarError, EOFError) as error:
        raise ArchiveError(f"{not_whole} ({error})") from error
    except FileExistsError as error:
        raise ArchiveError(f"{source} has a file twice; take another backup") from error
    except OSError as error:
        raise ArchiveError(explained(error, source if error.filename == str(source) else into)) from error
    for name, stated in hashes.items():
        if not (into / name).exists():
            raise ArchiveError(f"{not_whole} ({name} is not there)")
        if sha256_of_file(into / name) != stated:
            raise ArchiveError(f"{source} is not as it was made ({name} has another hash); take another backup")
    segments = sum(name.startswith(f"{JOURNAL}/") for name in hashes)
    return Backup(str(manifest["made_at"]), 0, segments, ())


def _manifest(source: Path, tar: tarfile.TarFile) -> dict[str, Any]:
    first = tar.next()
    content = tar.extractfile(first) if first and first.name == MANIFEST and first.size < _MANIFEST_BYTES else None
    try:
        manifest = json.loads(content.read()) if content else None
        if not isinstance(manifest, dict) or not isinstance(manifest["made_at"], str) or FILE not in manifest["sha256"]:
            raise ValueError
        names = [name for name in manifest["sha256"] if name != FILE]
    except (ValueError, KeyError, TypeError):
        raise ArchiveError(f"{source} is no backup of gavelport") from None
    if manifest.get("format") != FORMAT:
        raise ArchiveError(f"{source} was made by a newer Gavelport; upgrade gavelport")
    for name in names:
        folder, _, file = name.partition("/")
        form = {JOURNAL: SEGMENT, PACKAGES: PACKAGE}.get(folder)
        if form is None or not form.fullmatch(file):
            raise ArchiveError(f"{source} has a file {name[:80]!r}, which belongs in no backup")
    return manifest


def _checked(unpacked: Path, backup: Backup) -> Backup:
    """Compare the replays with the hashes in the database; those that the backup does not have are told."""
    folder, missing, replays = ReplayFolder(unpacked), [], 0
    with closing(SqlStore(unpacked / FILE)) as store:
        for match_id, stated in store.replay_hashes():
            if not folder.path(match_id).exists():
                missing.append(match_id)
            elif sha256_of(read(folder.path(match_id))) == stated:
                replays += 1
            else:
                raise ArchiveError(f"the replay of match {match_id} is not as it was stored; take another backup")
    return Backup(backup.made_at, replays, backup.segments, tuple(missing))


def _exchange(unpacked: Path, data: Path) -> None:
    """Put what was unpacked in the place of what is there. The database goes first and comes last.

    So a process killed here leaves a folder that holds no tournament data, and not one whose parts are of two times.
    """
    replaced = data / f"{_REPLACED}{secrets.token_hex(4)}"
    replaced.mkdir(mode=0o700)
    for name in (FILE, f"{FILE}-wal", f"{FILE}-shm", JOURNAL, PACKAGES, REPLAYS, FITS):
        if (data / name).exists():
            (data / name).rename(replaced / name)
    os.sync()
    for name in (JOURNAL, PACKAGES, REPLAYS, FILE):
        if (unpacked / name).exists():
            (unpacked / name).rename(data / name)
    os.sync()
    shutil.rmtree(replaced)
