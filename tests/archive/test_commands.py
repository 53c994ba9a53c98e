"""`gavelport replays` and `gavelport rate` as a user meets them."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from gavelport_server.archive.files import ReplayFolder
from gavelport_server.cli.rate import rate
from gavelport_server.cli.replays import replays
from gavelport_server.storage.sql import FILE, SqlStore

from tests.archive.folder import fill

MATCHES = 4


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that no test changes."""
    data = tmp_path_factory.mktemp("data")
    with closing(SqlStore.in_folder(data, create=True)) as store:
        fill(store, data, MATCHES)
    return data


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with closing(SqlStore.in_folder(tmp_path, create=True)) as store:
        fill(store, tmp_path, 2)
    return tmp_path


def run(*arguments: object, code: int = 0) -> Result:
    command = rate if arguments[0] == "rate" else replays
    rest = arguments[1:] if arguments[0] == "rate" else arguments
    result = CliRunner().invoke(command, [str(one) for one in rest])
    assert result.exit_code == code, result.output
    return result


def test_list(played: Path) -> None:
    lines = run("list", "--data", played).stdout.splitlines()
    assert lines[0].split() == ["match", "finished", "game", "bots", "by", "rank", "end", "decisions"]
    assert [line.split()[0] for line in lines if line.startswith("match-")] == [
        "match-3",
        "match-2",
        "match-1",
        "match-0",
    ]
    assert max(map(len, lines)) <= 100
    matches = json.loads(run("list", "--data", played, "--limit", 2, "--json").stdout)
    assert [match["match"] for match in matches] == ["match-3", "match-2"]
    assert {seat["bot"] for seat in matches[0]["bots"]} == {"bot_a", "bot_b", "bot_c"}
    assert [seat["rank"] for seat in matches[0]["bots"]] == sorted(seat["rank"] for seat in matches[0]["bots"])


def test_list_of_one_bot(played: Path) -> None:
    assert len(json.loads(run("list", "--data", played, "--bot", "bot_a", "--json").stdout)) == MATCHES
    assert json.loads(run("list", "--data", played, "--bot", "bot_a", "--bot", "nobody", "--json").stdout) == []
    assert "has no match of nobody" in run("list", "--data", played, "--bot", "nobody").stderr


def test_show(played: Path) -> None:
    by_id = run("show", "match-1", "--data", played).stdout
    assert by_id.startswith("Match match-1\n")
    assert "The end: " in by_id
    assert run("show", ReplayFolder(played).path("match-1")).stdout == by_id
    records = [json.loads(line) for line in run("show", "match-1", "--data", played, "--json").stdout.splitlines()]
    assert (records[0]["record"], records[-1]["record"]) == ("header", "result")


def test_show_of_nothing(played: Path) -> None:
    assert "neither a file nor a match" in run("show", "match-99", "--data", played, code=1).stderr
    assert "is no match id" in run("show", "../x", "--data", played, code=1).stderr


def test_verify(played: Path) -> None:
    assert run("verify", "--all", "--data", played).stdout == "4 replays right, 0 failures\n"
    path = ReplayFolder(played).path("match-1")
    assert run("verify", path).stdout == "1 replay right, 0 failures\n"
    assert json.loads(run("verify", path, "--json").stdout) == {"right": 1, "failures": []}


def test_verify_finds_a_changed_byte(data: Path) -> None:
    path = ReplayFolder(data).path("match-1")
    stored = bytearray(path.read_bytes())
    stored[-20] ^= 1
    path.write_bytes(bytes(stored))
    said = run("verify", path, code=1).stdout
    assert said == (
        f"{path}: is not as it was written: changed, cut short, or never a replay (its seal differs); "
        "the match that it holds is whole and right: only bytes that mean nothing differ\n"
        "0 replays right, 1 failure\n"
    )
    assert f"{path}: is not as it was written" in run("verify", "--all", "--data", data, code=1).stdout
    failures = json.loads(run("verify", path, "--json", code=1).stdout)["failures"]
    assert failures[0]["where"] == str(path)
    assert run("show", path, code=1).stderr.startswith(f"error: {path}: is not as it was written")
    exported = run("export", "--to", data / "to", "--data", data, code=1)
    assert exported.stderr.startswith(f"error: {path}: is not as it was written")
    assert exported.stdout == f"1 match exported to {data / 'to'}\n"
    assert "is not as it was written" in run("rate", "--check", "--data", data, code=1).stdout


def test_verify_wants_files_or_all(played: Path) -> None:
    for arguments in ([], ["--all", "x.zst"]):
        assert "give the replay files to verify, or --all" in run("verify", *arguments, code=2).stderr
    assert run("verify", "none.zst", code=1).stdout == "none.zst: is not there\n0 replays right, 1 failure\n"


def test_export(played: Path, tmp_path: Path) -> None:
    to = tmp_path / "to"
    assert run("export", "--format", "jsonl", "--to", to, "--data", played).stdout == f"4 matches exported to {to}\n"
    assert sorted(path.name for path in to.iterdir()) == [f"match-{number}.jsonl" for number in range(MATCHES)]
    one = tmp_path / "one"
    answer = json.loads(run("export", "match-2", "--to", one, "--data", played, "--json").stdout)
    assert answer == {"exported": 1, "to": str(one), "failures": []}
    assert (one / "match-2.jsonl").read_text("utf-8") == (to / "match-2.jsonl").read_text("utf-8")


def test_rate(played: Path) -> None:
    shown = run("rate", "--data", played).stdout
    assert shown.startswith("cup: container@1, 3 seats\n")
    (ladder,) = json.loads(run("rate", "--data", played, "--json").stdout)
    ratings = [row["rating"] for row in ladder["standings"]]
    assert ratings == sorted(ratings, reverse=True)
    assert sum(row["elo"] for row in ladder["standings"]) == pytest.approx(4500)
    for row in ladder["standings"]:
        assert row["interval"][0] < row["rating"] < row["interval"][1]
        assert f"{row['rating']:.0f}" in shown
    assert len(ladder["beats"]) == 6
    assert {row["matches"] for row in ladder["standings"]} == {MATCHES}


def test_rate_check(played: Path) -> None:
    first, again = (run("rate", "--check", "--data", played).stdout for _ in range(2))
    assert first == again, "the same results give the same figures, intervals included"
    name, summary = first.splitlines()
    assert name.startswith("cup (0123456789ab): 4 matches, fingerprint ")
    assert summary == "1 tournament rated as the replays say, 0 failures"
    told = json.loads(run("rate", "--check", "--data", played, "--json").stdout)
    assert [one["fingerprint"] for one in told["right"]] == [name.split()[-1]]
    assert told["failures"] == []


@pytest.mark.parametrize(
    "command",
    [("list",), ("verify", "--all"), ("export", "--to", "to"), ("rate",), ("rate", "--check")],
)
def test_a_folder_without_data_is_told(command: tuple[str, ...], tmp_path: Path) -> None:
    said = run(*command, "--data", tmp_path / "none", code=1).stderr
    assert said.startswith(f"error: {tmp_path / 'none'} holds no tournament data")
    (tmp_path / FILE).write_bytes(b"not a database at all, not by far" * 100)
    assert "is damaged" in run(*command, "--data", tmp_path, code=1).stderr


def test_a_ladder_on_which_nobody_has_played_is_said_to_be_one(data: Path) -> None:
    with closing(SqlStore.in_folder(data, create=False)) as store:
        (cup,) = store.tournaments()
        store.open_tournament(replace(cup, identity="l1", name="lonely", kind="ladder", entrants=()))
    told = run("rate", "--data", data).stdout
    assert "lonely: container@1, 3 seats\nNobody has played here yet.\n" in told
    assert "bot_a" in told
    by_name = {one["tournament"]: one["standings"] for one in json.loads(run("rate", "--data", data, "--json").stdout)}
    assert by_name.pop("lonely") == []
    assert all(by_name.values())
