"""Playouts end by themselves, repeat themselves, and are counted rightly by the bench."""

import pytest
from gavelport_engine.container.actions import Action, Pass
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.game import AnyGame
from gavelport_engine.playout import bench, playout
from gavelport_engine.registry import GAMES
from gavelport_server.bench import engine as bench_engine


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_random_games_end_and_repeat_themselves(seats: int) -> None:
    options = CONTAINER.options({"seats": seats})
    first, second = (playout(CONTAINER, options, bytes(32)) for _ in range(2))
    assert first == second
    assert CONTAINER.to_act(first.state) == ()
    assert first.decisions == first.kinds.total() > 100


def test_seats_can_be_played_by_others() -> None:
    options = CONTAINER.options({"seats": 3})
    asked: list[int] = []

    def passing(game: object, state: object, seat: int, decision: object) -> Action:
        asked.append(seat)
        return CONTAINER.default(state, seat)  # type: ignore[arg-type]  # a Container's state

    played = playout(CONTAINER, options, bytes(32), {1: passing})
    assert set(asked) == {1}
    assert played.kinds[Pass] > 0


def test_a_bench_counts_whole_games() -> None:
    options = CONTAINER.options({"seats": 3})
    read = bench(CONTAINER, options, 0.01, first_seed=5)
    games = [playout(CONTAINER, options, (5 + n).to_bytes(32, "big")) for n in range(read.games)]
    assert read.decisions == sum(game.decisions for game in games)
    assert read.kinds.total() == read.decisions
    assert read.ends.total() == read.games >= 1
    assert read.seconds >= 0.01


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_the_engine_bench_tells_its_figures(game: AnyGame) -> None:
    found = bench_engine.run_engine_bench(game, rounds=2, seconds=0.02)
    assert found["game"] == game.id
    assert found["decisions_per_second"] > 0
    assert found["decisions_per_game"] > 50
    assert 0 < found["pass_share"] < 0.5
    assert sum(found["ends"].values()) == found["games"] >= 2
    assert found["catanatron"] > 0
    assert found["ratio"] > 0


def test_the_engine_bench_runs_without_the_yardstick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "catanatron", None)
    found = bench_engine.run_engine_bench(CONTAINER, rounds=1, seconds=0.01)
    assert (found["catanatron"], found["ratio"]) == (None, None)
