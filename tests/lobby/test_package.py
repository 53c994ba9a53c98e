"""Packages are data: nothing in them leads anywhere, and what is wrong is said."""

from __future__ import annotations

import io
import os
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from gavelport_server.lobby import package
from gavelport_server.lobby.package import PackageError, packed, unpacked, write
from hypothesis import given
from hypothesis import strategies as st

PLAIN = {"bot.toml": b'name = "my_bot"\n', "main.py": b"print('hello')\n", "lib/goods.py": b"x = 1\n"}


def zipped(files: dict[str, bytes], change: Callable[[zipfile.ZipInfo], None] = lambda _: None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile warns of doubled names
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            change(entry)
            made.writestr(entry, content)
    return out.getvalue()


def folder(path: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


def test_a_folder_goes_through_unchanged_and_the_same_each_time(tmp_path: Path) -> None:
    bot = folder(tmp_path / "bot", {**PLAIN, "node_modules/x.js": b"", ".git/config": b"", "__pycache__/a.pyc": b""})
    first = packed(bot)
    os.utime(bot / "main.py", (0, 0))
    assert packed(bot) == first
    assert unpacked(first) == PLAIN
    write(unpacked(first), tmp_path / "copy")
    assert {path.relative_to(tmp_path / "copy").as_posix() for path in (tmp_path / "copy").rglob("*.*")} == set(PLAIN)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "copy").rglob("*") if path.is_file()}
    assert modes == {0o444}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../main.py", "leads out"),
        ("lib/../../main.py", "leads out"),
        ("/etc/passwd", "no relative path"),
        ("C:/main.py", "no relative path"),
        ("lib\\main.py", "no relative path"),
        ("a\nb.py", "no relative path"),
        ("lib//main.py", "empty parts"),
        ("./main.py", "empty parts"),
        ("x" * 300, "bytes or"),
        ("a/" * 12 + "b", "levels"),
        ("a\u202eb.py", "cannot be printed"),
        ("a\x9bb.py", "cannot be printed"),
        ("MAIN.PY", "stands twice"),
        ("main.py/inner.py", "which is a file"),
    ],
)
def test_names_that_lead_elsewhere_are_refused(name: str, said: str) -> None:
    with pytest.raises(PackageError, match=said):
        unpacked(zipped({**PLAIN, name: b"x"}))


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFDIR])
def test_what_is_no_plain_file_is_refused(kind: int) -> None:
    def change(entry: zipfile.ZipInfo) -> None:
        if entry.filename == "main.py":
            entry.external_attr = (kind | 0o777) << 16

    with pytest.raises(PackageError, match=r"'main\.py': is no plain file"):
        unpacked(zipped(PLAIN, change))


def test_bombs_are_refused() -> None:
    with pytest.raises(PackageError, match="more than 100 times"):
        unpacked(zipped({**PLAIN, "zeros": bytes(8 * package.MIB)}))
    with pytest.raises(PackageError, match="2000 are the most"):
        unpacked(zipped({f"f{number}": b"" for number in range(2001)}))
    with pytest.raises(PackageError, match="are the most"):
        unpacked(bytes(package.MOST_BYTES + 1))


def test_a_size_that_is_declared_too_small_is_not_believed() -> None:
    data = bytearray(zipped({"main.py": os.urandom(100_000)}))
    where = data.rindex(b"PK\x01\x02") + 24  # the uncompressed size in the table of contents
    struct.pack_into("<I", data, where, 10)
    with pytest.raises(PackageError):
        unpacked(bytes(data))


def test_a_place_beyond_all_numbers_is_refused() -> None:
    """In the entry's extra field, where large files have theirs."""
    data = bytearray(zipped({"main.py": b"x"}))
    entry, end = data.rindex(b"PK\x01\x02"), data.rindex(b"PK\x05\x06")
    extra = struct.pack("<HHQ", 1, 8, 2**63)
    struct.pack_into("<I", data, entry + 42, 0xFFFFFFFF)
    struct.pack_into("<H", data, entry + 30, len(extra))
    struct.pack_into("<I", data, end + 12, end - entry + len(extra))
    data[end:end] = extra
    with pytest.raises(PackageError, match="cannot be read as a zip file"):
        unpacked(bytes(data))


def test_a_second_name_of_an_entry_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.13 reads it from the entry's extra field, and would write by it."""
    read = zipfile.ZipInfo._decodeExtra  # type: ignore[attr-defined]

    def decoded(entry: zipfile.ZipInfo, *crc: int) -> None:
        read(entry, *crc)
        entry.filename = "../../evil"

    monkeypatch.setattr(zipfile.ZipInfo, "_decodeExtra", decoded)
    with pytest.raises(PackageError, match=r"'\.\./\.\./evil': has another name beside"):
        unpacked(zipped(PLAIN))


def test_an_encrypted_file_is_refused() -> None:
    data = bytearray(zipped(PLAIN))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        where = data.index(mark) + offset
        struct.pack_into("<H", data, where, struct.unpack_from("<H", data, where)[0] | 1)
    with pytest.raises(PackageError, match="encrypted"):
        unpacked(bytes(data))


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(PackageError) as caught:
        unpacked(zipped({"../a": b"", "/b": b"", "main.py": b"", "Main.py": b""}))
    assert len(caught.value.problems) == 3


def test_a_folder_that_is_too_large_is_not_packed(tmp_path: Path) -> None:
    bot = folder(tmp_path, {"main.py": os.urandom(package.MOST_BYTES + 1)})
    with pytest.raises(PackageError, match="leave some out"):
        packed(bot)


@given(st.binary(max_size=400))
def test_bytes_that_are_no_zip_are_refused(data: bytes) -> None:
    with pytest.raises(PackageError):
        unpacked(data)


@given(st.data())
def test_a_damaged_package_is_refused_or_reads_within_its_bounds(data: st.DataObject) -> None:
    whole = bytearray(zipped(PLAIN))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        files = unpacked(bytes(whole))
    except PackageError:
        return
    for name in files:
        assert not name.startswith("/")
        assert ".." not in name.split("/")


def test_a_huge_table_of_contents_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for number in range(10_001):
            made.writestr(str(number), b"")

    def never(*_: object) -> None:
        raise AssertionError("it takes much memory")

    monkeypatch.setattr(zipfile.ZipFile, "_RealGetContents", never)
    with pytest.raises(PackageError, match="the package has about 10001 entries; 2000 are the most"):
        unpacked(out.getvalue())
