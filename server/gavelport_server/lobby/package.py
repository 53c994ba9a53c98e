"""A bot's folder as a zip file: made by whoever submits, and read as data by the server (design 9).

The server trusts nothing in it. Names are checked before anything is written, sizes are counted as they are unpacked
and never believed, and what is not a plain file is refused. All that is wrong is said at once where that is possible.
"""

from __future__ import annotations

import io
import re
import stat
import unicodedata
import zipfile
import zlib
from typing import TYPE_CHECKING

from gavelport_server.conduct.manifest import bot_files

if TYPE_CHECKING:
    from pathlib import Path

MIB = 1024 * 1024
MOST_BYTES = 20 * MIB
"""Of the zip file."""
MOST_UNPACKED_BYTES = 64 * MIB
MOST_FILES = 2000
MOST_RATIO = 100
"""Of a file's size to what it takes in the zip, for files above `SMALL_BYTES`."""
SMALL_BYTES = 64 * 1024
MOST_NAME_BYTES = 200
MOST_DEPTH = 10
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_CHUNK = 64 * 1024
_WRONG_NAME = re.compile(r"[\x00-\x1f\x7f\\:]")
_ENTRY = b"PK\x01\x02"
"""What an entry of the table of contents begins with; zip files that are in the package have theirs."""
_MOST_SEEN = 5 * MOST_FILES
_EPOCH = (1980, 1, 1, 0, 0, 0)


class PackageError(ValueError):
    """A package that is not taken; `problems` says for each fault which file, and what to do."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def packed(folder: Path) -> bytes:
    """Return a bot's files as a zip file, the same bytes for the same files. Raises PackageError for too much.

    What `bot_files` leaves out is not in it: hidden files, `node_modules`, `__pycache__`.
    """
    out = io.BytesIO()
    files = {path.relative_to(folder).as_posix(): path for path in bot_files(folder)}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            made.writestr(entry, files[name].read_bytes())
    if out.tell() > MOST_BYTES:
        size = f"{out.tell() / MIB:.1f} MiB"
        raise PackageError([f"{folder}: its files are {size} zipped, {MOST_BYTES // MIB} are the most; leave some out"])
    return out.getvalue()


def unpacked(data: bytes) -> dict[str, bytes]:
    """Return the files of a package by their path in the bot's folder.

    Raises:
        PackageError: it is no zip file, or anything in it is not as it must be.
    """
    if len(data) > MOST_BYTES:
        raise PackageError([f"the package has {len(data)} bytes; {MOST_BYTES} are the most"])
    # Before the table of contents is read, which takes half a KiB of memory an entry.
    if (entries_at_most := data.count(_ENTRY)) > _MOST_SEEN:
        raise PackageError([f"the package has about {entries_at_most} entries; {MOST_FILES} are the most"])
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            entries = opened.infolist()
            if problems := _problems(entries):
                raise PackageError(problems)
            return _contents(opened, [entry for entry in entries if not entry.is_dir()])
    except (
        *(zipfile.BadZipFile, zlib.error, EOFError),
        *(NotImplementedError, RuntimeError, OSError, ValueError, OverflowError),
    ) as error:
        if isinstance(error, PackageError):
            raise
        raise PackageError([f"the package cannot be read as a zip file: {error}"]) from error


def write(files: dict[str, bytes], folder: Path) -> None:
    """Write a package's files into a folder that is not there yet, for every user to read, and for nobody to change."""
    folder.mkdir(mode=0o755)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(content)
        path.chmod(0o444)
    for made in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        made.chmod(0o755)


def _problems(entries: list[zipfile.ZipInfo]) -> list[str]:
    """Return what is wrong with the table of contents."""
    if len(entries) > MOST_FILES:
        return [f"the package has {len(entries)} entries; {MOST_FILES} are the most"]
    problems = [f"{entry.filename[:80]!r}: {problem}" for entry in entries if (problem := _problem(entry))]
    seen: dict[str, str] = {}
    for entry in entries:
        # Two names that are one on some file systems are refused on all.
        key = unicodedata.normalize("NFC", entry.filename).casefold().rstrip("/")
        if key in seen:
            problems.append(f"{entry.filename[:80]!r}: stands twice, the other time as {seen[key][:80]!r}")
        seen[key] = entry.filename
    files = {key for key, name in seen.items() if not name.endswith("/")}
    problems += [
        f"{seen[key][:80]!r}: lies below {parent!r}, which is a file"
        for key in seen
        for parent in _parents(key)
        if parent in files
    ]
    declared = sum(entry.file_size for entry in entries)
    if declared > MOST_UNPACKED_BYTES:
        problems.append(f"the package unpacks to {declared} bytes; {MOST_UNPACKED_BYTES} are the most")
    return problems


def _problem(entry: zipfile.ZipInfo) -> str:
    """Return what is wrong with one entry, as it is declared; empty if nothing is."""
    name = entry.orig_filename
    parts = name.rstrip("/").split("/")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if name.startswith("/") or _WRONG_NAME.search(name):
        return "is no relative path with plain slashes; zip the bot's folder with `gavelport submit`"
    if entry.filename != name:  # newer versions of Python take a name from the entry's extra field
        return (
            f"has another name beside this one, {entry.filename[:80]!r}; zip the bot's folder with `gavelport submit`"
        )
    if not name.isprintable():
        return "has signs that cannot be printed; use another name"
    if not name or any(part in ("", ".", "..") for part in parts):
        return "leads out of the bot's folder, or has empty parts"
    if len(name.encode()) > MOST_NAME_BYTES or len(parts) > MOST_DEPTH:
        return f"has more than {MOST_NAME_BYTES} bytes or {MOST_DEPTH} levels; use shorter names"
    if kind not in (0, stat.S_IFDIR if entry.is_dir() else stat.S_IFREG):
        return "is no plain file (a link, a device, or a pipe); put the file itself there"
    if entry.flag_bits & 0x1:
        return "is encrypted; zip it without a password"
    if entry.compress_type not in _METHODS:
        return "is compressed in an unusual way; use deflate"
    if entry.file_size > SMALL_BYTES and entry.file_size > MOST_RATIO * max(entry.compress_size, 1):
        return f"unpacks to more than {MOST_RATIO} times its size in the zip"
    return ""


def _parents(key: str) -> list[str]:
    parts = key.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def _contents(opened: zipfile.ZipFile, entries: list[zipfile.ZipInfo]) -> dict[str, bytes]:
    """Unpack, counting what comes out."""
    left = MOST_UNPACKED_BYTES
    found: dict[str, bytes] = {}
    for entry in entries:
        read = bytearray()
        with opened.open(entry) as file:
            while chunk := file.read(_CHUNK):
                read += chunk
                left -= len(chunk)
                if left < 0 or len(read) > entry.file_size:
                    raise PackageError([f"{entry.filename[:80]!r}: unpacks to more than it declares"])
        found[entry.filename] = bytes(read)
    return found
