"""Exported replays are the notation, and another program can play them."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gavelport_engine.registry import GAMES
from gavelport_server.archive.errors import ArchiveError
from gavelport_server.archive.export import export, jsonl
from gavelport_server.archive.playback import Difference
from gavelport_server.archive.record import Replay
from gavelport_server.archive.replay import replay_of

from tests.archive.folder import SHORT
from tests.archive.play import played_match

KEYS = {
    "header": ["record", "notation", "game", "match", "options", "commitment", "seats", "deal"],
    "decision": ["record", "n", "turn", "seat", "phase", "action", "ms", "fault"],
    "turn": ["record", "turn", "fingerprint"],
    "result": ["record", "end", "retired", "money", "ranks", "scores", "seed"],
}
SCORE_KEYS = ["cash", "island", "bonus", "discarded", "harbour", "ship", "loans", "island_count"]


def replay(number: int = 5, seats: int = 3) -> Replay:
    return replay_of(
        played_match(number, seats=seats, faults={7: "illegal", 8: "timeout"}, notes={2: "a secret belief"})
    )


def read(text: str) -> list[dict[str, Any]]:
    assert text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_records_have_the_keys_of_the_notation_in_its_order(seats: int) -> None:
    records = read(jsonl(replay(seats=seats)))
    assert [list(record) for record in records] == [KEYS[record["record"]] for record in records]
    header, result = records[0], records[-1]
    assert header["notation"] == 1
    assert header["game"] == "container"
    assert header["seats"][1] == {"bot": "bot_b", "version": "1.1"}
    assert list(header["deal"]) == ["factories", "cards", "start_seat"]
    assert [list(line) for line in result["scores"]] == [SCORE_KEYS] * seats
    assert {record["record"] for record in records[1:-1]} == {"decision", "turn"}


@pytest.mark.parametrize("number", range(4))
def test_an_export_can_be_played_again_from_itself(number: int) -> None:
    """Everything in the file follows from its own seed and actions, played by the engine alone."""
    header, *records, result = read(jsonl(replay(number, seats=3 + number % 3)))
    game = GAMES[header["game"]]
    options, seed = game.options(header["options"]), bytes.fromhex(result["seed"])
    assert header["commitment"] == hashlib.sha256(seed + header["match"].encode()).hexdigest()
    assert header["deal"] == game.deal_to_notation(options, seed)
    state = game.initial_state(options, seed)
    decisions = turns = 0
    for record in records:
        if record["record"] == "turn":
            turns += 1
            assert record["turn"] == turns
            assert record["fingerprint"] == game.fingerprint(state).hex()
            continue
        decisions += 1
        seat = record["seat"]
        assert record["n"] == decisions
        assert record["turn"] == game.turn(state)
        assert seat == game.to_act(state)[0]
        assert record["phase"] == game.decision(state, seat).phase
        action = game.action_from_notation(record["action"])
        if record["fault"]:
            assert action == game.default(state, seat)
        assert game.fault(state, seat, action) is None
        game.apply_in_place(state, {seat: action}, None)
    assert game.to_act(state) == ()
    outcome = game.outcome(state, result["retired"])
    assert (result["end"], result["money"], result["ranks"]) == (
        outcome.end,
        list(outcome.totals),
        list(outcome.ranks),
    )
    assert result["scores"] == list(outcome.scores)


def test_faults_stand_in_it_and_private_notes_do_not() -> None:
    text = jsonl(replay())
    faults = [record["fault"] for record in read(text) if record["record"] == "decision" and record["fault"]]
    assert faults == ["illegal", "timeout"]
    assert "belief" not in text


def test_a_file_is_written_whole_and_replaced(tmp_path: Path) -> None:
    one = replay_of(played_match(1, seats=3, options=SHORT))
    path = export(one, tmp_path / "to")
    assert path == tmp_path / "to" / "match-1.jsonl"
    path.write_text("old")
    export(one, tmp_path / "to")
    assert path.read_text("utf-8") == jsonl(one)
    assert [each.name for each in path.parent.iterdir()] == ["match-1.jsonl"]


def test_what_is_not_true_is_not_exported(tmp_path: Path) -> None:
    planted = replace(replay(), chain=bytes(32))
    with pytest.raises(Difference, match="chained hash"):
        export(planted, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ArchiveError, match="a file stands where a folder is expected"):
        export(replay(), tmp_path / "file")
