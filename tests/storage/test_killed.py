"""Processes that write at once, and processes killed: what one of them acknowledged is there, once, and counted."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from gavelport_server.ratings.elo import elo_of
from gavelport_server.storage.sql import open_store

from tests.storage.build import schedule


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where a database is to be made: a data folder, or a URL."""
    return str(request.getfixturevalue("postgres_url")) if request.param == "postgres" else tmp_path / "data"


ADD = """
import sys
from gavelport_server.storage.sql import open_store
from tests.storage.build import schedule, tournament

store = open_store(sys.argv[1])
store.open_tournament(tournament())
for one in schedule(int(sys.argv[2]))[:: int(sys.argv[3])]:
    store.add_result("t1", one)
    print(one.match_id, flush=True)
"""


def adder(place: Path | str, matches: int, step: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", ADD, str(place), str(matches), str(step)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def rebuilt(matches: int) -> list[tuple[float, int]]:
    tables = [([s.entrant for s in one.seats], [s.rank for s in one.seats]) for one in schedule(matches)]
    return [(one.elo, one.matches) for one in elo_of(4, tables)]


def test_two_processes_make_one_database_and_count_each_result_once(place: Path | str) -> None:
    # Both create, both add every result, one of them backwards.
    processes = [adder(place, 20, step) for step in (1, -1)]
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    store = open_store(place, create=False)
    assert list(store.results("t1")) == schedule(20)
    assert [(one.elo, one.matches) for one in store.standings("t1")] == rebuilt(20)
    store.close()


def killed_rounds(place: Path | str, rounds: int) -> None:
    """Kill an adding process again and again, at another place each time; what it said is there, and fits."""
    told: set[str] = set()
    for kill in range(rounds):
        process = adder(place, 10_000, 1)
        assert process.stdout is not None
        for _ in range(len(told) + 3 + kill * 7 % 11):
            told.add(process.stdout.readline().strip())
        process.send_signal(signal.SIGKILL)
        rest, _ = process.communicate(timeout=60)
        told |= set(rest.split("\n")[:-1])  # a line cut short was not said
        store = open_store(place, create=False)
        store.check()
        results = store.results("t1")
        assert told <= {one.match_id for one in results}
        assert [one.number for one in results] == list(range(len(results)))
        assert [(one.elo, one.matches) for one in store.standings("t1")] == rebuilt(len(results))
        store.close()


def test_a_killed_process_loses_nothing_it_acknowledged(place: Path | str) -> None:
    killed_rounds(place, 2)


@pytest.mark.long
def test_a_process_killed_often_loses_nothing_it_acknowledged(place: Path | str) -> None:
    killed_rounds(place, 60)
