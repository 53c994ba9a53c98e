"""Junk connections cost a server nothing, and honest bots hardly any time. Real processes and sockets."""

from __future__ import annotations

import json
import re
import signal
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.hostile.wire import KINDS
from tests.serve.servers import Server, admit, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
HONEST = 8
MOST_P99_MS, MOST_TIMES = 250.0, 3.0
"""On a machine that is busy with other things the waits may be as many times those without junk."""
QUIET_S = 5.0
"""So long the honest bots play alone, to compare."""
SETTLE_S = 8.0
"""After the junk: handshakes have 3 s, streams without Hello 5 s."""
MORE_FDS, MORE_MB = 8, 48.0


@dataclass(frozen=True)
class Footprint:
    """What a process has."""

    mb: float
    fds: int
    threads: int

    @classmethod
    def of(cls, pid: int) -> Footprint:
        status = Path(f"/proc/{pid}/status").read_text()
        found = {name: int(re.search(rf"^{name}:\s+(\d+)", status, re.MULTILINE)[1]) for name in ("VmRSS", "Threads")}  # type: ignore[index]
        return cls(found["VmRSS"] / 1024, len(list(Path(f"/proc/{pid}/fd").iterdir())), found["Threads"])


@dataclass
class Seen:
    """What came of it."""

    waits_ms: list[float]
    waits_alone_ms: list[float]
    """Before the junk."""
    matches: int
    voids: int
    ended: list[str]
    junk: dict[str, Any]
    before: Footprint
    after: Footprint
    seconds: float
    errors: list[str]

    @property
    def p99_ms(self) -> float:
        return statistics.quantiles(self.waits_ms, n=100)[98]

    @property
    def p99_alone_ms(self) -> float:
        return statistics.quantiles(self.waits_alone_ms, n=100)[98]

    def problems(self) -> list[str]:
        found = [f"an honest stream ended: {end}" for end in self.ended]
        found += [f"the server's log: {error}" for error in self.errors]
        if self.voids:
            found.append(f"{self.voids} matches void")
        if self.p99_ms > max(MOST_P99_MS, MOST_TIMES * self.p99_alone_ms):
            found.append(f"99 of 100 answers were followed within {self.p99_ms:.0f} ms")
        if self.after.fds > self.before.fds + MORE_FDS:
            found.append(f"{self.before.fds} open files became {self.after.fds}")
        if self.after.mb > self.before.mb + MORE_MB:
            found.append(f"{self.before.mb:.0f} MB became {self.after.mb:.0f}")
        if self.junk["half_open_closed"] != self.junk["half_open"]:
            found.append(
                f"of {self.junk['half_open']} half-open connections {self.junk['half_open_closed']} were closed"
            )
        return found


@contextmanager
def at_play(server: Server, tokens: list[str]) -> Iterator[subprocess.Popen[str]]:
    process = _started("tests.hostile.honest", server.target, said="\n".join(tokens))
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def _started(module: str, *arguments: str, said: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdin is not None
    process.stdin.write(said)
    process.stdin.close()
    process.stdin = None
    return process


def thrown(folder: Path, count: int, half_open: int, *, pause_s: float = 0.0) -> Seen:
    """Throw junk at a server at which honest bots play; to plant a fault it is stopped each second for `pause_s`."""
    config = folder / "serve.toml"
    config.write_text('[[ladder]]\nname = "main"\ngame = "container"\nseats = 4\noptions = { max_rounds = 3 }\n')
    data = folder / "data"
    tokens = admit(data, {f"owner{n}": [f"bot{n}"] for n in range(HONEST)} | {"rogue": ["junk"]})
    junk_token = tokens.pop("junk")
    with (
        serving(data, "--config", str(config), "--drain-s", "1") as server,
        at_play(server, list(tokens.values())) as honest,
    ):
        server.wait_until(lambda: server.metric("gavelport_matches_total") >= 4)
        time.sleep(QUIET_S)
        before, began = Footprint.of(server.process.pid), time.monotonic()
        junk = _started("tests.hostile.wire", server.target, str(count), f"--half-open={half_open}", said=junk_token)
        while junk.poll() is None:
            time.sleep(1.0 if pause_s else 0.1)
            if pause_s:
                server.process.send_signal(signal.SIGSTOP)
                time.sleep(pause_s)
                server.process.send_signal(signal.SIGCONT)
        seconds = time.monotonic() - began
        assert junk.stdout is not None
        with junk.stdout:
            made = json.loads(junk.stdout.read())
        honest.terminate()
        assert honest.stdout is not None
        said = json.loads(honest.stdout.read())
        time.sleep(SETTLE_S)
        after = Footprint.of(server.process.pid)
        assert server.stop() == 0
        errors = [str(one) for one in server.events() if one.get("level") in ("error", "critical")]
    waits = [wait_ms for at, wait_ms in said["waits"] if began < at < began + seconds]
    alone = [wait_ms for at, wait_ms in said["waits"] if at <= began]
    return Seen(waits, alone, said["matches"], said["voids"], said["ended"], made, before, after, seconds, errors)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_ten_thousand_junk_connections(tmp_path: Path) -> None:
    seen = thrown(tmp_path, 10_000, 300)
    waits, junk = sorted(seen.waits_ms), seen.junk["made"]
    print(f"{sum(junk.values())} junk connections in {seen.seconds:.0f} s: {junk}")
    print(f"half-open: {seen.junk['half_open_closed']} of {seen.junk['half_open']} closed; {seen.matches} matches")
    print(f"{len(waits)} waits: p50 {statistics.median(waits):.0f} ms, p99 {seen.p99_ms:.0f}, longest {waits[-1]:.0f}")
    print(f"alone: p50 {statistics.median(seen.waits_alone_ms):.0f} ms, p99 {seen.p99_alone_ms:.0f}")
    print(f"the server before {seen.before}, after {seen.after}")
    assert seen.problems() == []
    assert {kind.__name__ for kind in KINDS} == set(seen.junk["made"])
    assert seen.matches > 10


@pytest.mark.long
def test_a_slow_server_is_caught(tmp_path: Path) -> None:
    seen = thrown(tmp_path, 400, 10, pause_s=0.5)
    assert any("answers were followed within" in problem for problem in seen.problems())


def test_what_does_not_go_away_is_caught() -> None:
    before = Footprint(100.0, 50, 12)
    seen = Seen([1.0, 2.0], [1.0, 2.0], 1, 0, [], {"half_open": 3, "half_open_closed": 3}, before, before, 1.0, [])
    assert seen.problems() == []
    seen.after = Footprint(160.0, 70, 12)
    seen.junk["half_open_closed"] = 2
    seen.voids = 1
    assert len(seen.problems()) == 4
