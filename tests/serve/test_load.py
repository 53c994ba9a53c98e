"""What a server takes and what it costs bots, with many of them. Prints its figures."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.serve.servers import Server, admit, serving

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]
SECONDS = float(os.environ.get("GAVELPORT_LOAD_SECONDS", "60"))
ROOT = Path(__file__).resolve().parents[2]


def loaded(server: Server, tokens: list[str], seconds: float) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.serve.load", server.target, str(seconds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdin is not None
    process.stdin.write("\n".join(tokens))
    process.stdin.close()
    return process


def finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout is not None
    with process.stdout as printed:
        said = json.loads(printed.read())
    assert process.wait() == 0
    assert isinstance(said, dict)
    return said


def overhead(text: str) -> list[tuple[float, float]]:
    """The histogram: up to how many seconds, how many answers."""
    found = re.findall(r'^gavelport_referee_overhead_seconds_bucket{le="(\S+)"} (\S+)$', text, re.MULTILINE)
    return [(float(bound), float(count)) for bound, count in found]


def quantile(buckets: list[tuple[float, float]], share: float) -> float:
    """The seconds that this share of answers stayed below; between two bounds by a straight line."""
    wanted = share * buckets[-1][1]
    low, before = 0.0, 0.0
    for bound, count in buckets:
        if count >= wanted:
            return low + (bound - low) * (wanted - before) / max(1.0, count - before)
        low, before = bound, count
    raise AssertionError(buckets)


def test_200_bots_in_50_matches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tokens = admit(tmp_path / "data", {f"owner{n}": [f"bot{n}"] for n in range(200)})
    with serving(tmp_path / "data", "--log-level", "warning") as server:
        load = loaded(server, list(tokens.values()), SECONDS + 15)
        server.wait_until(lambda: server.metric("gavelport_running_matches") >= 45)
        most = 0.0
        before = overhead(server.text("/metrics"))
        server_cpu = server.metric("process_cpu_seconds_total")
        for _ in range(int(SECONDS / 5)):
            try:
                load.wait(5)
            except subprocess.TimeoutExpired:
                most = max(most, server.metric("gavelport_running_matches"))
        text = server.text("/metrics")
        buckets = [(bound, after - was) for (bound, after), (_, was) in zip(overhead(text), before, strict=True)]
        cpu = server.metric("process_cpu_seconds_total") - server_cpu
        void = [line for line in text.splitlines() if 'end="void"' in line]
        said = finished(load)
        p50, p99 = quantile(buckets, 0.5), quantile(buckets, 0.99)
        syncs = server.metric("gavelport_journal_sync_seconds_count")
        rate = buckets[-1][1] / SECONDS
        with capsys.disabled():
            print(
                f"\n200 bots, {most:.0f} matches at a time, {rate:.0f} answers/s for {SECONDS:.0f} s: "
                f"overhead p50 {p50 * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms; {syncs:.0f} syncs, the slowest "
                f"{server.metric('gavelport_journal_slowest_sync_seconds') * 1000:.0f} ms; "
                f"{cpu / buckets[-1][1] * 1e6:.0f} µs CPU an answer; "
                f"{server.metric('process_resident_memory_bytes') / 2**20:.0f} MB; "
                f"load: {said['answered']} answered, slowest {said['slowest_s'] * 1000:.0f} ms"
            )
        assert most >= 45
        assert void == []
        assert (said["void"], said["refused"], said["ended_streams"]) == (0, 0, [])
        faults = [
            seat
            for match in server.get("/api/v1/matches?page_size=500")["matches"]
            for seat in match["seats"]
            if seat["faults"]
        ]
        assert faults == []
        assert p99 < 0.25


def test_500_idle_streams(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Bots of one owner never meet at a rated table, so all of these wait for ever.
    tokens = admit(tmp_path / "data", {"owner": [f"bot{n}" for n in range(500)]})
    with serving(tmp_path / "data") as server:
        alone = server.metric("process_resident_memory_bytes") / 2**20
        load = loaded(server, list(tokens.values()), 60)
        server.wait_until(lambda: server.metric("gavelport_connected_bots") >= 500)
        with pytest.raises(subprocess.TimeoutExpired):
            load.wait(20)
        memory = server.metric("process_resident_memory_bytes") / 2**20
        with capsys.disabled():
            print(f"\n500 idle streams: {memory:.0f} MB, {alone:.0f} MB before they came")
        assert server.metric("gavelport_streams") == 500
        assert finished(load)["ended_streams"] == []
        assert memory < 150
