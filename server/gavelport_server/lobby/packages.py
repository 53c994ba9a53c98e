"""Submitted bots in the data folder: packages as they came, and the same unpacked, each under its content hash.

packages/CONTENT_HASH.zip       kept for as long as its version is
packages/.incoming/             what is on its way; emptied at the start
bots/CONTENT_HASH/              unpacked, and again where it is missing; emptied at the start
logs/hosted/BOT/VERSION/MATCH.log    what a hosted bot printed in a match
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gavelport_server.archive.backup import PACKAGES
from gavelport_server.lobby.package import MIB, MOST_BYTES, PackageError, unpacked, write

if TYPE_CHECKING:
    from collections.abc import Iterator

BOTS, INCOMING = "bots", ".incoming"
_MATCH_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Packages:
    """The packages of a data folder. Raises OSError where it cannot be written."""

    def __init__(self, data: Path) -> None:
        self._packages, self._bots = data / PACKAGES, data / BOTS
        self._incoming = self._packages / INCOMING
        self._logs = data / "logs" / "hosted"

    def sweep(self) -> None:
        """Remove what was on its way when an earlier server ended, and what is unpacked of versions long gone by."""
        for folder in (self._incoming, self._bots):
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def incoming(self) -> Iterator[Path]:
        """Give an empty folder for something on its way; whatever is still in it at the end is removed."""
        self._incoming.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._incoming, ignore_cleanup_errors=True) as name:
            yield Path(name)

    def keep(self, package: Path, files: Path, content_hash: str) -> None:
        """Move a package and its files to their places, the package first and for good."""
        with package.open("rb") as opened:
            os.fsync(opened.fileno())
        package.replace(self._package(content_hash))
        _sync(self._packages)
        self._move(files, content_hash)

    def folder(self, content_hash: str) -> Path:
        """Return a bot's folder, unpacked anew where it is missing. Raises PackageError, OSError."""
        place = self._bots / content_hash
        if not place.is_dir():
            with self.incoming() as folder:
                write(unpacked(self._package(content_hash).read_bytes()), folder / "bot")
                self._move(folder / "bot", content_hash)
        return place

    def size(self, content_hash: str) -> int:
        """Return how many bytes a package takes; 0 where it is not there."""
        with suppress(FileNotFoundError):
            return self._package(content_hash).stat().st_size
        return 0

    def remove(self, content_hash: str) -> None:
        """Remove a package and its files, all at once: half of them would pass for the whole when they come again."""
        with self.incoming() as folder, suppress(FileNotFoundError):
            self._package(content_hash).unlink(missing_ok=True)
            (self._bots / content_hash).rename(folder / "removed")

    def log(self, bot: str, version: str, match_id: str) -> Path | None:
        """Return the file of what a hosted bot printed in a match, None where there is none."""
        if not _MATCH_ID.fullmatch(match_id):
            return None
        path = self._logs / bot / version / f"{match_id}.log"
        return path if path.is_file() else None

    def _package(self, content_hash: str) -> Path:
        return self._packages / f"{content_hash}.zip"

    def _move(self, files: Path, content_hash: str) -> None:
        self._bots.mkdir(parents=True, exist_ok=True)
        if not (self._bots / content_hash).exists():
            files.rename(self._bots / content_hash)


class Spool:
    """A package that is coming in: its size and hash are known before, and checked."""

    def __init__(self, path: Path, size_bytes: int, sha256: str) -> None:
        """Take what was announced. Raises PackageError for what cannot be taken."""
        if size_bytes > MOST_BYTES:
            raise PackageError([f"the package has {size_bytes / MIB:.1f} MiB; {MOST_BYTES // MIB} are the most"])
        if not re.fullmatch(r"[0-9a-f]{64}", sha256):
            raise PackageError(["sha256 should be the SHA-256 of the package, 64 hex digits"])
        self.path = path
        self._size, self._sha256 = size_bytes, sha256
        self._file = path.open("xb")
        self._digest = hashlib.sha256()
        self._came = 0

    def add(self, chunk: bytes) -> None:
        """Append what came. Raises PackageError for more than was announced."""
        self._came += len(chunk)
        if self._came > self._size:
            raise PackageError([f"more came than the {self._size} bytes that were announced; send the package again"])
        self._digest.update(chunk)
        self._file.write(chunk)

    def end(self) -> None:
        """Close the file. Raises PackageError where it is not what was announced."""
        self.close()
        if self._came < self._size:
            raise PackageError([f"{self._came} of {self._size} bytes came; send the package again"])
        if self._digest.hexdigest() != self._sha256:
            raise PackageError(["what came has another SHA-256 than was announced; send the package again"])

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
