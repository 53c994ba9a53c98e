"""`gavelport bench` prints what the benchmarks give; they themselves are measured elsewhere."""

import json
from typing import Any

import pytest
from click.testing import CliRunner
from gavelport_engine.game import AnyGame
from gavelport_engine.registry import GAMES
from gavelport_server.cli import bench
from gavelport_server.transport.yardstick import YardstickError

ENGINE = {
    "game": "container@1",
    "decisions_per_second": 150_972,
    "decisions_per_game": 725.0,
    "pass_share": 0.237,
    "games": 3,
    "ends": {"stalled": 1, "two_colours": 2},
    "catanatron": 35_185,
    "ratio": 4.28,
}
ONE = {"ratio": 1.456, "ours_us": 101.4, "raw_us": 70.2, "down_bytes": 366.0, "up_bytes": 27.0}


def test_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "run_engine_bench", lambda _: ENGINE)
    assert json.loads(CliRunner().invoke(bench.bench, ["engine", "--json"]).stdout) == ENGINE
    told = CliRunner().invoke(bench.bench, ["engine"]).stdout
    for words in ("150,972", "725.0", "23.7%", "1 by stalled, 2 by two_colours", "35,185", "4.28"):
        assert words in told


def test_engine_without_its_yardstick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "run_engine_bench", lambda _: {**ENGINE, "catanatron": None, "ratio": None})
    told = CliRunner().invoke(bench.bench, ["engine"]).stdout
    assert "not installed" in told
    assert "not measured" in told


def test_engine_takes_any_game(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[AnyGame] = []

    def figures(game: AnyGame) -> dict[str, Any]:
        asked.append(game)
        return ENGINE

    monkeypatch.setattr(bench, "run_engine_bench", figures)
    for name in GAMES:
        assert CliRunner().invoke(bench.bench, ["engine", "--game", name]).exit_code == 0
    assert asked == list(GAMES.values())
    done = CliRunner().invoke(bench.bench, ["engine", "--game", "chess"])
    assert (done.exit_code, done.stdout) == (2, "")


def test_referee(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = {"streams": {"20": ONE, "100": ONE}}
    monkeypatch.setattr(bench, "run_referee_bench", lambda: figures)
    assert json.loads(CliRunner().invoke(bench.bench, ["referee", "--json"]).stdout) == figures
    told = CliRunner().invoke(bench.bench, ["referee"]).stdout
    for words in ("20 streams: ratio", "100 streams: ratio", "1.46", "366 and 27"):
        assert words in told


def test_a_measurement_that_fails_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise YardstickError("the measured server ended with code 1")

    monkeypatch.setattr(bench, "run_referee_bench", fail)
    done = CliRunner().invoke(bench.bench, ["referee", "--json"])
    assert (done.exit_code, done.stdout) == (1, "")
    assert "error: the measured server ended with code 1" in done.stderr
