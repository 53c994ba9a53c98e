"""`run-tournament` as a process of its own, as a user starts it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gavelport_server.storage.sql import FILE, SqlStore
from gavelport_server.storage.store import Result

PATIENCE_S = 120.0
PROGRAM = Path(sys.executable).with_name("run-tournament")
GAVELPORT = Path(sys.executable).with_name("gavelport")
TIMES = {"seconds", "mean_ms", "slowest_ms", "played", "data", "replays"}
"""What may differ between two runs of the same matches."""


def start(*arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(PROGRAM), *map(str, arguments)],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(env or {})},
    )


def finish(process: subprocess.Popen[str], code: int = 0) -> tuple[str, str]:
    """Return stdout and stderr of a run that must end with that exit code."""
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == code, f"exit code {process.returncode}\n{out}\n{err}"
    return out, err


def play(*arguments: str | Path, cwd: Path) -> dict[str, Any]:
    """Run to the end and return what --json printed."""
    out, _ = finish(start(*arguments, "--json", cwd=cwd))
    told = json.loads(out)
    assert isinstance(told, dict)
    return told


def without_times(told: object) -> object:
    """Return a report without what may differ between two runs of the same matches."""
    if isinstance(told, dict):
        return {key: without_times(value) for key, value in told.items() if key not in TIMES}
    if isinstance(told, list):
        return [without_times(value) for value in told]
    return told


def results(data: Path) -> dict[str, Result]:
    """Return the results that stand in a data folder by match id, also while somebody plays in it."""
    if not (data / FILE).exists():
        return {}
    store = SqlStore(data / FILE)
    try:
        return {result.match_id: result for one in store.tournaments() for result in store.results(one.identity)}
    finally:
        store.close()


def counted(data: Path) -> int:
    """Return how many results stand in a data folder, also while somebody plays in it."""
    return len(results(data))


def wait_until(reached: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait for something that a running tournament does."""
    deadline = time.monotonic() + PATIENCE_S
    while not reached():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def kill_after(number_of_results: int, process: subprocess.Popen[str], data: Path, number: signal.Signals) -> None:
    """Send a signal once so many results stand."""
    wait_until(lambda: counted(data) >= number_of_results, process)
    process.send_signal(number)


def verified(data: Path) -> bool:
    """Whether every replay and rating of a data folder is right."""
    done = subprocess.run(
        [str(GAVELPORT), "replays", "verify", "--all", "--data", str(data)], capture_output=True, text=True, check=False
    )
    print(done.stdout, done.stderr)
    return done.returncode == 0


def processes_with(word: str) -> list[str]:
    """Return the command lines of running processes that hold a word."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:  # it has ended meanwhile
            continue
        if word in line:
            found.append(line)
    return found
