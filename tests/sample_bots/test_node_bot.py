"""The bot on Node: its pure parts by `node --test`, the whole process against a scripted referee."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.sample_bots.bots import SAMPLE_BOTS
from tests.sample_bots.scripted_referee import ScriptedReferee, run_bot, serving

FOLDER = SAMPLE_BOTS / "node_trader"
NODE = shutil.which("node")

pytestmark = [
    pytest.mark.skipif(NODE is None, reason="node is not installed: the bot on Node is left out"),
    pytest.mark.skipif(
        not (FOLDER / "node_modules").exists(), reason="what node_trader needs is not installed (make node-bots)"
    ),
]


def play(referee: ScriptedReferee, timeout_s: float = 60) -> subprocess.CompletedProcess[str]:
    assert NODE is not None
    with serving(referee) as target:
        return run_bot([NODE, "main.js"], FOLDER, target, timeout_s)


def test_its_pure_parts() -> None:
    assert NODE is not None
    tested = subprocess.run(
        [NODE, "--test", str(Path(__file__).with_name("node_trader.test.js"))],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert tested.returncode == 0, tested.stdout


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_it_plays_by_the_rules_and_beats_random_play(seats: int) -> None:
    referee = ScriptedReferee(matches=5, seats=seats)
    process = play(referee)
    assert process.returncode == 0, process.stderr
    assert referee.played.faults == []
    assert referee.played.ranks.count(1) >= 4


@pytest.mark.long
def test_it_beats_random_play_nearly_always() -> None:
    referee = ScriptedReferee(matches=200, seats=4, in_blocks=True)
    process = play(referee, timeout_s=600)
    assert process.returncode == 0, process.stderr
    assert referee.played.faults == []
    assert referee.played.first_alone >= 0.9 * 200


def test_it_answers_again_after_a_refusal() -> None:
    referee = ScriptedReferee(matches=1, seats=3, refuse_decision=3)
    process = play(referee)
    assert process.returncode == 0, process.stderr
    assert "refused (scripted): try again" in process.stderr
    assert referee.played.faults == []


def test_it_comes_back_after_a_lost_stream() -> None:
    referee = ScriptedReferee(matches=2, seats=3, lose_at_decision=9)
    process = play(referee)
    assert process.returncode == 0, process.stderr
    first, second = referee.played.hellos
    assert (first.session_token, list(first.resume)) == ("", [])
    assert second.session_token != ""
    assert [(each.match_id, each.last_event) for each in second.resume] == [("match 0", 9)]
    assert len(referee.played.ranks) == 2


def test_a_wrong_set_up_is_told() -> None:
    assert NODE is not None
    process = run_bot([NODE, "main.js"], FOLDER, "", 60)
    assert process.returncode == 2
    assert "GAVELPORT_TARGET" in process.stderr
