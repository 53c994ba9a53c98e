"""Arbitrary bytes from outside are judged or refused; nothing else is ever raised."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("atheris")

if TYPE_CHECKING:
    from pathlib import Path

LONG = {
    "container": 1_000_000,
    "shipping": 1_000_000,
    "replay": 300_000,
    "journal": 150_000,
    "services": 300_000,
    "packages": 100_000,
}


def fuzz(target: str, runs: int, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.hostile.fuzz", target, f"--runs={runs}", f"--corpus={folder}", *options]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)


def report(done: subprocess.CompletedProcess[str]) -> dict[str, int]:
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    seen: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
    return seen


@pytest.mark.parametrize("target", ["container", "packages", pytest.param("services", marks=pytest.mark.long)])
def test_a_few_thousand_inputs(target: str, tmp_path: Path) -> None:
    seen = report(fuzz(target, 3_000, tmp_path))
    assert seen["inputs"] == 3_000
    assert min(seen.values()) > 5


@pytest.mark.long
@pytest.mark.parametrize("target", LONG)
def test_a_million_inputs(target: str, tmp_path: Path) -> None:
    done = fuzz(target, LONG[target], tmp_path)
    seen = report(done)
    took = re.search(r"Done \d+ runs in (\d+) second", done.stderr)
    assert took is not None
    print(f"{target}: {LONG[target] / max(1, int(took[1])):.0f} inputs/s: {seen}")
    assert seen["inputs"] == LONG[target]


@pytest.mark.parametrize("target", ["container", pytest.param("journal", marks=pytest.mark.long)])
def test_a_decoder_that_crashes_is_caught(target: str, tmp_path: Path) -> None:
    done = fuzz(target, 20_000, tmp_path, "--plant")
    assert done.returncode == 77
    assert "ZeroDivisionError" in done.stdout + done.stderr
    assert list(tmp_path.glob("crash-*"))
