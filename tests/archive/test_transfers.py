"""What bots gave each other in a data folder's matches is found once, kept, and told."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from gavelport_engine.game import Trace
from gavelport_server.archive import transfers
from gavelport_server.archive.files import ReplayFolder
from gavelport_server.archive.playback import Difference
from gavelport_server.archive.replay import replay_of
from gavelport_server.archive.transfers import Found, dealings_of, found_transfers
from gavelport_server.cli.collusion import NOTE, collusion_report
from gavelport_server.storage.sql import SqlStore

from tests.archive.folder import fill, tournament
from tests.archive.play import played_match
from tests.archive.test_every_game import match
from tests.games.registry import every_game

if TYPE_CHECKING:
    from gavelport_server.storage.store import Result, Store

    from tests.games.samples import Samples

MATCHES = 4
RECORD = tournament()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("played")
    with closing(SqlStore.in_folder(data, create=True)) as store:
        fill(store, data, MATCHES)
    return data


@pytest.fixture
def data(played: Path, tmp_path: Path) -> Path:
    """A copy, as the report keeps what it finds."""
    return shutil.copytree(played, tmp_path / "data")


def results(data: Path) -> list[Result]:
    store: Store
    with closing(SqlStore.in_folder(data, create=False)) as store:
        return list(store.results(RECORD.identity))


def found(data: Path, given: list[Result] | None = None) -> Found:
    return found_transfers(RECORD, results(data) if given is None else given, ReplayFolder(data), data)


def kept(data: Path) -> Path:
    return data / "transfers" / f"{RECORD.identity}.jsonl"


@every_game
def test_dealings_are_those_of_the_decisions(samples: Samples) -> None:
    game, seen = samples.game, 0
    for number in range(4):
        replay = replay_of(match(samples, number))
        state = game.initial_state(replay.header.options, replay.seed)
        sums: dict[tuple[str, int, int], tuple[int, int]] = {}
        for choice in replay.choices:
            seat = game.to_act(state)[0]
            for one in game.transfers(state, seat, choice.action):
                before = sums.get(one[:3], (0, 0))
                sums[one[:3]] = (before[0] + one.amount, before[1] + one.goods)
            game.apply_in_place(state, {seat: choice.action}, Trace())
        assert {one[:3]: one[3:] for one in dealings_of(replay)} == sums
        seen += len(sums)
    assert seen > 0


def test_a_replay_that_cannot_be_played_is_told() -> None:
    replay = replay_of(played_match(1))
    with pytest.raises(Difference, match=r"decision \d+: "):
        dealings_of(replace(replay, choices=replay.choices[5:]))


def test_matches_are_found_with_who_sat_there(data: Path) -> None:
    first = found(data)
    assert first.problems == ()
    assert [one.bots for one in first.matches] == [("bot_a 1.0", "bot_b 1.1", "bot_c 1.2")] * MATCHES
    assert [one.block for one in first.matches] == [0, 1, 2, 3]
    assert any(one.dealings for one in first.matches)
    assert [one.ranks for one in first.matches] == [tuple(seat.rank for seat in one.seats) for one in results(data)]
    ladder = found_transfers(replace(RECORD, kind="ladder"), results(data), ReplayFolder(data), data)
    assert ladder.matches[0].bots == ("bot_a", "bot_b", "bot_c")


def test_a_match_is_looked_at_once(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = found(data)
    looked: list[Path] = []
    look = transfers._looked_at

    def watched(path: Path) -> object:
        looked.append(path)
        return look(path)

    monkeypatch.setattr(transfers, "_looked_at", watched)
    assert found(data) == first
    assert looked == []
    other, *rest = results(data)
    stored = kept(data).read_text("utf-8").replace(other.replay_sha256, "0" * 64)
    kept(data).write_text(stored, "utf-8")
    assert found(data) == first
    assert [path.name for path in looked] == [f"{other.match_id}.zst"]
    assert len(found(data, rest).matches) == len(kept(data).read_text("utf-8").splitlines()) - 1 == MATCHES - 1


@pytest.mark.parametrize("damage", ["", "{", '{"format":0}\n', '{"format":1}\n["match-0"]\n', "[1]\n"])
def test_a_file_of_another_kind_is_made_anew(data: Path, damage: str) -> None:
    first = found(data)
    whole = kept(data).read_text("utf-8")
    kept(data).write_text(damage, "utf-8")
    assert found(data) == first
    assert kept(data).read_text("utf-8") == whole


def test_what_cannot_be_played_or_does_not_count_is_left_out(data: Path) -> None:
    rows = results(data)
    path = ReplayFolder(data).path("match-1")
    path.write_bytes(path.read_bytes()[:-1])
    rows[2] = replace(rows[2], replay_sha256="0" * 64)
    rows[3] = replace(rows[3], void_reason="played by mistake")
    left = found(data, rows)
    assert [one.block for one in left.matches] == [0]
    assert left.problems == (
        "match match-1: is not as it was written: changed, cut short, or never a replay (its seal differs)",
        "match match-2: its replay is not the file that was stored",
    )


def test_only_the_latest_are_looked_at(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfers, "MOST_MATCHES", 3)
    assert [one.block for one in found(data).matches] == [1, 2, 3]


def test_many_are_shared_out_among_processes(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = found(data)
    kept(data).unlink()
    monkeypatch.setattr(transfers, "ALONE", 1)
    assert found(data) == first


# -- the command


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(collusion_report, [str(one) for one in arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_the_report_says_that_it_is_evidence(data: Path) -> None:
    told = run("--data", data)
    assert "cup: container@1, 4 matches, 0 pairs judged, 3 met too seldom" in told
    assert "No pair is flagged." in told
    assert NOTE in told
    assert "evidence, not a verdict" in NOTE


def test_the_report_as_json(data: Path) -> None:
    told = json.loads(run("--data", data, "--json", "--ladder", "cup"))
    (one,) = told["reports"]
    assert (one["ladder"], one["matches"], one["pairs_met_too_seldom"], one["flagged"]) == ("cup", MATCHES, 3, [])
    assert told["note"] == NOTE


def test_a_ladder_that_there_is_not_is_told(data: Path) -> None:
    assert f"{data} has no ladder or tournament nope; it has cup" in run("--data", data, "--ladder", "nope", code=1)


def test_a_flagged_pair_is_printed_with_its_figures(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gavelport_server.ratings import collusion  # noqa: PLC0415

    flagged = collusion.PairEvidence(("a", "b"), 31, 30, (5.5, 0.25), (0.5, 0.25), 0.002, 0.04, 0.3, flagged=True)
    monkeypatch.setattr(collusion, "collusion", lambda *_: collusion.Evidence(4, (flagged,), 2))
    told = run("--data", data).splitlines()
    assert any(line.split() == ["a", "b", "31", "$5.50", "$0.50", "$0.25", "$0.25", "0.002", "+0.040"] for line in told)
    (one,) = json.loads(run("--data", data, "--json"))["reports"]
    assert one["flagged"][0]["excess"] == 5.0
