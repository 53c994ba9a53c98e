"""Whole tournaments between the sample bots, over real sockets: from nothing, resumed, continued, killed."""

import json
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from gavelport_server.conduct.folder import open_folder
from gavelport_server.shipped import sample_bot

from tests.e2e.runs import (
    GAVELPORT,
    counted,
    finish,
    kill_after,
    play,
    processes_with,
    start,
    verified,
    without_times,
)

CUP = """
name = "Cup"
game = "container"
seats = 3
seed = "c0ffee"
bots = ["sample:random_legal", "sample:factory_owner", "sample:shipper"]
[options]
max_rounds = 12
"""


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """A small tournament of three bots."""
    path = tmp_path / "cup.toml"
    path.write_text(CUP)
    return path


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A data folder with four rounds of the cup, not to be changed, and what was printed of them."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "cup.toml").write_text(CUP)
    return folder / "data", play("cup.toml", "--rounds", "4", "--data", "data", cwd=folder)


@pytest.fixture
def data(played: tuple[Path, dict[str, Any]], tmp_path: Path) -> Path:
    """A data folder with four rounds of the cup."""
    return Path(shutil.copytree(played[0], tmp_path / "data"))


def test_rounds_are_played_resumed_and_continued(cup: Path, tmp_path: Path) -> None:
    first = play(cup, "--rounds", "3", cwd=tmp_path)
    assert (first["tournament"], first["seats"], first["rounds"]) == ("Cup", 3, 3)
    assert (first["matches"], first["played"], first["finished"]) == (3, 3, True)
    assert [row["faults"] for row in first["standings"]] == [{}, {}, {}]
    assert [row["matches"] for row in first["standings"]] == [3, 3, 3]
    assert first["standings"][0]["elo"] > 1500 > first["standings"][2]["elo"]
    again = play(cup, "--rounds", "3", cwd=tmp_path)
    assert again["played"] == 0
    assert without_times(again) == without_times(first)
    more = play(cup, "--rounds", "5", cwd=tmp_path)
    assert (more["matches"], more["played"]) == (5, 2)
    assert (more["blocks"], more["identity"]) == (1, first["identity"])
    fewer = play(cup, "--rounds", "3", cwd=tmp_path)
    assert (fewer["matches"], fewer["played"]) == (3, 0)
    assert without_times(fewer) == without_times(first)
    assert verified(tmp_path / ".gavelport-data")


def test_the_report_for_people_says_what_can_be_done_next(cup: Path, tmp_path: Path) -> None:
    out, err = finish(start(cup, "--rounds", "1", "--data", "data", cwd=tmp_path))
    title = "Cup: container@1, round robin, 3 seats, 1 of 1 matches"
    for words in (title, "rating", "won against", "chance to beat", "No faults.", "data/replays"):
        assert words in out
    assert "gavelport replays verify --all --data data" in out
    assert f"run-tournament {cup} --rounds 2 --data data" in out
    assert "1 of 1 matches" in err
    assert "\x1b" not in out + err, "no colours where there is no terminal"


SWISS = CUP.replace("seats = 3", 'seats = 3\nformat = "swiss"').replace("bots = [", 'bots = ["sample:trader", ')


@pytest.mark.parametrize(
    ("form", "kills"),
    [
        pytest.param(CUP, (1, 4), id="round robin"),
        # Twelve processes at each start; tests/tournament/test_runner.py stops swiss at every block without any.
        pytest.param(SWISS, (2, 4), id="swiss", marks=pytest.mark.long),
    ],
)
def test_a_kill_in_the_middle_changes_nothing(cup: Path, tmp_path: Path, form: str, kills: tuple[int, ...]) -> None:
    cup.write_text(form)
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    straight = play(cup, "--rounds", "12", "--data", whole, cwd=tmp_path)
    for results in kills:
        process = start(cup, "--rounds", "12", "--data", cut, "--json", cwd=tmp_path)
        kill_after(results, process, cut, signal.SIGKILL)
        process.communicate()
        assert results <= counted(cut) < 12
    resumed = play(cup, "--rounds", "12", "--data", cut, cwd=tmp_path)
    assert 0 < resumed["played"] <= 8
    assert without_times(resumed) == without_times(straight)
    assert verified(cut)
    assert_nothing_runs(str(cut))


@pytest.mark.long
def test_kills_at_any_moment_change_nothing(cup: Path, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    straight = play(cup, "--rounds", "30", "--data", whole, cwd=tmp_path)
    kills = 0
    while True:
        process = start(cup, "--rounds", "30", "--data", cut, "--json", cwd=tmp_path)
        try:
            process.communicate(timeout=1.5 + 0.37 * kills)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            kills += 1
        else:
            break
    assert kills > 3
    assert without_times(play(cup, "--rounds", "30", "--data", cut, cwd=tmp_path)) == without_times(straight)
    assert verified(cut)
    assert_nothing_runs(str(cut))


def assert_nothing_runs(word: str) -> None:
    deadline = time.monotonic() + 10
    while processes_with(word) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes_with(word) == []


def test_a_match_of_which_only_the_replay_was_kept_is_counted_from_it(
    cup: Path, data: Path, tmp_path: Path, played: tuple[Path, dict[str, Any]]
) -> None:
    drop_database(data)
    assert not verified(data)
    after = play(cup, "--rounds", "4", "--data", data, cwd=tmp_path)
    assert after["played"] == 0
    assert without_times(after) == without_times(played[1])
    assert verified(data)


def test_a_replay_that_is_not_the_match_s_own_is_not_counted(cup: Path, data: Path, tmp_path: Path) -> None:
    drop_database(data)
    one, other = sorted((data / "replays").iterdir())[:2]
    shutil.copy(one, other)
    _, err = finish(start(cup, "--rounds", "4", "--data", data, cwd=tmp_path), 1)
    assert "has no result yet, and none can be taken from it" in err
    assert "its match differs" in err
    other.unlink()
    assert play(cup, "--rounds", "4", "--data", data, cwd=tmp_path)["played"] == 1


def drop_database(data: Path) -> None:
    for file in data.glob("gavelport.db*"):
        file.unlink()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_cleanly_and_prints_how_to_go_on(
    cup: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    data = tmp_path / "data"
    process = start(cup, "--rounds", "500", "--data", data, "--json", cwd=tmp_path)
    kill_after(2, process, data, number)
    out, err = finish(process, code)
    kept = counted(data)
    assert f"Stopped: {kept} of 500 matches are played and kept. Go on with:" in err
    assert f"run-tournament {cup} --rounds 500 --data {data}" in err
    assert '"finished": false' in out
    assert verified(data)
    assert_nothing_runs(str(data))


def versions(inside: Path, *numbers: str) -> list[Path]:
    """Folders of the random bot in several versions."""
    sample = sample_bot("random_legal")
    assert sample is not None
    manifest = (sample / "bot.toml").read_text()
    folders = []
    for number in numbers:
        folder = Path(shutil.copytree(sample, inside / f"my_bot {number}"))
        text = re.sub(r"^name = .*$", 'name = "my_bot"', manifest, flags=re.MULTILINE)
        (folder / "bot.toml").write_text(re.sub(r"^version = .*$", f'version = "{number}"', text, flags=re.MULTILINE))
        folders.append(folder)
    return folders


def test_several_versions_of_a_bot_run_the_gauntlet_apart(cup: Path, tmp_path: Path) -> None:
    cup.write_text(CUP.replace("seats = 3", 'seats = 3\nformat = "gauntlet"'))
    new, old = versions(tmp_path, "1.1", "1.0")
    told = play(cup, "--rounds", "3", "--bot", new, "--bot", old, cwd=tmp_path)
    assert told["challenger"] == {"bot": "my_bot", "version": "1.1"}
    rows = {(row["bot"], row["version"]): row for row in told["standings"]}
    assert len(rows) == 5
    assert rows["my_bot", "1.1"]["matches"] == 3
    assert sum(row["matches"] for row in rows.values()) == 9
    assert all((row["rating"] is None) == (row["matches"] == 0) for row in rows.values())
    out, err = finish(start(cup, "--rounds", "3", "--bot", new, "--bot", old, cwd=tmp_path))
    assert "gauntlet of my_bot 1.1, 3 seats" in out
    assert "my_bot 1.0, my_bot 1.1" in err
    (old / "bot.toml").write_text((new / "bot.toml").read_text())
    _, err = finish(start(cup, "--bot", new, "--bot", old, cwd=tmp_path), 2)
    assert f"two entrants are called my_bot 1.1: {old} and {new}; leave one out, or change" in err or (
        f"two entrants are called my_bot 1.1: {new} and {old}; leave one out, or change" in err
    )


def test_ratings_are_the_same_in_the_table_and_in_its_check(
    data: Path, tmp_path: Path, played: tuple[Path, dict[str, Any]]
) -> None:
    (rated,) = json.loads(gavelport("rate", "--data", data, "--json"))
    for key in ("standings", "head_to_head", "beats"):
        assert rated[key] == played[1][key]
    assert gavelport("rate", "--check", "--data", data) == gavelport("rate", "--check", "--data", data)


def gavelport(*arguments: str | Path) -> str:
    """Return what the command prints."""
    return subprocess.run([str(GAVELPORT), *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def test_a_second_runner_on_the_same_folder_is_refused(cup: Path, data: Path, tmp_path: Path) -> None:
    with open_folder(data):
        _, err = finish(start(cup, "--rounds", "4", "--data", data, cwd=tmp_path), 1)
    assert err.startswith("error: another run-tournament or serve (process ")
    assert f"plays in {data}; wait until it is done or stop it" in err
    finish(start(cup, "--rounds", "4", "--data", data, cwd=tmp_path))


def test_tournaments_of_other_settings_live_side_by_side(cup: Path, data: Path, tmp_path: Path) -> None:
    other = play(cup, "--rounds", "1", "--seed", "00", "--data", data, cwd=tmp_path)
    assert (other["matches"], other["played"]) == (1, 1)
    assert counted(data) == 5
    assert verified(data)


def test_a_damaged_database_is_told_and_replays_are_left(cup: Path, data: Path, tmp_path: Path) -> None:
    replays = {file.name: file.read_bytes() for file in (data / "replays").iterdir()}
    drop_database(data)
    (data / "gavelport.db").write_bytes(b"not a database" * 1000)
    _, err = finish(start(cup, "--rounds", "2", "--data", data, cwd=tmp_path), 1)
    assert "gavelport.db is damaged" in err
    assert {file.name: file.read_bytes() for file in (data / "replays").iterdir()} == replays
