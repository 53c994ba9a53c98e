"""The folder of replays: written once, whole, and never half."""

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from gavelport_server.archive.errors import ArchiveError
from gavelport_server.archive.files import ReplayFolder, explained, sha256_of


@pytest.fixture
def folder(tmp_path: Path) -> ReplayFolder:
    return ReplayFolder(tmp_path / "data")


def everything(folder: ReplayFolder) -> list[str]:
    return sorted(path.name for path in folder.folder.iterdir())


def test_what_is_put_is_got(folder: ReplayFolder) -> None:
    assert folder.list() == []
    assert folder.put("m2", b"two")
    assert folder.put("m1", b"one")
    assert folder.list() == ["m1", "m2"]
    assert folder.get("m1") == b"one"
    assert everything(folder) == ["m1.zst", "m2.zst"]
    assert folder.path("m1") == folder.folder / "m1.zst"


def test_a_second_put_changes_nothing(folder: ReplayFolder) -> None:
    folder.put("m1", b"one")
    assert not folder.put("m1", b"one")
    with pytest.raises(ArchiveError, match=r"m1.zst is there already with other content, and was left as it is"):
        folder.put("m1", b"other")
    assert folder.get("m1") == b"one"
    assert everything(folder) == ["m1.zst"]


def test_writers_at_once_make_one_file(folder: ReplayFolder) -> None:
    answers: list[bool] = []
    barrier = threading.Barrier(8)

    def write() -> None:
        barrier.wait()
        answers.append(folder.put("m1", b"one" * 1000))

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [False] * 7 + [True]
    assert everything(folder) == ["m1.zst"]


@pytest.mark.parametrize("match_id", ["", "../m", "a/b", ".hidden", "a\0b", "ü", "x" * 201, "a b"])
def test_a_match_id_leads_nowhere_else(folder: ReplayFolder, match_id: str) -> None:
    with pytest.raises(ArchiveError, match="is no match id; one has"):
        folder.put(match_id, b"x")
    with pytest.raises(ArchiveError, match="is no match id"):
        folder.get(match_id)


def test_what_is_missing_or_no_folder_is_told(folder: ReplayFolder, tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match=r"m1.zst is not there"):
        folder.get("m1")
    (tmp_path / "file").write_text("x")
    blocked = ReplayFolder(tmp_path / "file")
    for ask in (lambda: blocked.put("m1", b"x"), blocked.list):
        with pytest.raises(ArchiveError, match="a file stands where a folder is expected"):
            ask()


def test_leftovers_of_a_killed_writer_are_no_replays(folder: ReplayFolder) -> None:
    folder.put("m1", b"one")
    (folder.folder / ".m2.0123456789abcdef.new").write_bytes(b"tw")
    (folder.folder / "notes.txt").write_bytes(b"x")
    assert folder.list() == ["m1"]


def test_leftovers_are_swept_and_nothing_else_is(folder: ReplayFolder) -> None:
    assert folder.sweep() == 0
    folder.put("m1", b"one")
    others = [".hidden", "m.0123456789abcdef.new", ".m2.0123.new", "notes.new"]
    for name in [*others, ".m2.0123456789abcdef.new", f".{'x' * 100}.0123456789abcdef.new"]:
        (folder.folder / name).write_bytes(b"tw")
    assert folder.sweep() == 2
    assert everything(folder) == sorted(["m1.zst", *others])


KILLED = """
import os, signal, sys
from pathlib import Path
from gavelport_server.archive.files import ReplayFolder

os.fdatasync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
ReplayFolder(Path(sys.argv[1])).put("m2.long-id_3", b"half")
"""


def test_what_a_killed_writer_leaves_is_swept(folder: ReplayFolder) -> None:
    subprocess.run([sys.executable, "-c", KILLED, folder.folder.parent], check=False, timeout=60)
    (left,) = everything(folder)
    assert left.endswith(".new")
    assert folder.sweep() == 1
    assert everything(folder) == []


def test_a_write_that_fails_leaves_nothing(folder: ReplayFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    folder.put("m0", b"zero")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fdatasync", full)
        with pytest.raises(ArchiveError, match=r"m1.zst cannot be written: no space is left; nothing of it was kept"):
            folder.put("m1", b"one")
    assert everything(folder) == ["m0.zst"]
    assert folder.put("m1", b"one")


def test_file_and_folder_are_synced(folder: ReplayFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []

    def note(real: Callable[[int], None], descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink().suffix or "folder")
        real(descriptor)

    for name in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, name, partial(note, getattr(os, name)))
    folder.put("m0", b"zero")
    synced.clear()
    folder.put("m1", b"one")
    assert synced == [".new", "folder"]


LIMITED = """
import resource, signal, sys
from pathlib import Path
from gavelport_server.archive.errors import ArchiveError
from gavelport_server.archive.files import ReplayFolder

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
folder = ReplayFolder(Path(sys.argv[1]))
assert folder.put("small", b"x" * 1000)
try:
    folder.put("large", b"x" * 1001)
except ArchiveError as error:
    print(error)
"""


def test_a_file_that_may_not_grow(folder: ReplayFolder) -> None:
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, folder.folder.parent], capture_output=True, text=True, check=True, timeout=60
    )
    assert "large.zst cannot be written: no space is left" in run.stdout
    assert everything(folder) == ["small.zst"]


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EACCES, "check the permissions of the data folder"),
        (errno.EROFS, "check the permissions of the data folder"),
        (errno.EDQUOT, "no space is left"),
        (errno.EIO, "check the disk"),
    ],
)
def test_errors_say_what_to_do(number: int, said: str) -> None:
    assert said in explained(OSError(number, os.strerror(number)), Path("d/m.zst"))


def test_the_hash_is_that_of_the_bytes() -> None:
    assert sha256_of(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
