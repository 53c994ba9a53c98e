"""A disk that fills up: a clear error, nothing finished is lost, and the same command goes on with more space."""

import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.runs import PROGRAM, finish, play, results, start, verified

CUP = """
name = "Cup"
game = "container"
seats = 3
seed = "c0ffee"
bots = ["sample:random_legal", "sample:factory_owner", "sample:shipper"]
[options]
max_rounds = 12
"""
ROUNDS = "15"
SMALL = 768 * 1024


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of some hundred KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.long
def test_a_full_disk(small_disk: Path, tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(CUP)
    data = small_disk / "data"
    play("cup.toml", "--rounds", "2", "--data", data, cwd=tmp_path)
    ballast = small_disk / "ballast"
    free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
    ballast.write_bytes(bytes(max(0, free - 128 * 1024)))
    _, err = finish(start("cup.toml", "--rounds", ROUNDS, "--data", data, cwd=tmp_path), 1)
    assert f"error: {data}" in err
    assert "no space is left" in err or "check the disk and its free space" in err
    assert "give the same command again" in err
    ballast.unlink()
    goes_on(data, tmp_path)


def goes_on(data: Path, tmp_path: Path) -> None:
    """With space again the same command plays on, and what was kept is left as it is."""
    kept = results(data)
    assert 2 <= len(kept) < int(ROUNDS)
    told = play("cup.toml", "--rounds", ROUNDS, "--data", data, cwd=tmp_path)
    after = results(data)
    assert {match_id: after[match_id] for match_id in kept} == kept
    assert [row["faults"] for row in told["standings"]] == [{}, {}, {}], "no bot is blamed for the disk"
    assert len(after) == told["matches"] == int(ROUNDS)
    assert verified(data)


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    """The same by a limit on the size of files, which needs no mount."""
    (tmp_path / "cup.toml").write_text(CUP)
    data = tmp_path / "data"
    play("cup.toml", "--rounds", "2", "--data", data, cwd=tmp_path)
    largest = max(file.stat().st_size for file in data.iterdir() if file.is_file())

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    done = subprocess.run(
        [str(PROGRAM), "cup.toml", "--rounds", ROUNDS, "--data", str(data)],
        cwd=tmp_path,
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "error: " in done.stderr
    assert "gavelport.db" in done.stderr
    goes_on(data, tmp_path)
