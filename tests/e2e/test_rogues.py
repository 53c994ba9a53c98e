"""Bots that misbehave cost themselves, and nobody else: every match is played, and the table says what happened."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.runs import PATIENCE_S, finish, play, start
from tests.rogues.folders import rogue_folder
from tests.rogues.rogue import KINDS
from tests.tournament.build import bot_folder

# By kind: the reason that must be counted, and what the first fault must say.
BLAMED = {
    "crashes_later": (
        "disconnected",
        "decision 4: disconnected: its process ended with exit code 3: ZeroDivisionError",
    ),
    "hangs": ("timeout", "decision 1: timeout: no answer within 450 ms"),
    "answers_late": ("timeout", "decision 1: timeout: no answer within 450 ms"),
    "sends_junk": ("timeout", "decision 1: timeout: "),
    "sends_huge": ("disconnected", "decision 1: disconnected: its process ended with exit code 1"),
    "sends_empty_actions": ("unreadable", "decision 1: unreadable: "),
    "plays_illegally": ("illegal", "decision 1: illegal: wrong_phase: "),
    "floods": ("illegal", "decision 1: illegal: wrong_phase: "),
    "does_not_start": ("disconnected", "disconnected: did not start: ModuleNotFoundError: No module named 'planted'"),
    "says_no_hello": ("disconnected", "disconnected: did not start: "),
}
HONEST = ("all_rounder", "factory_owner", "random_legal", "shipper")
HARMLESS = ("answers_elsewhere",)  # refused, and nothing worse: the right answer is there in time


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One tournament of honest bots and nearly all rogues; every one plays a block at least."""
    folder = tmp_path_factory.mktemp("rogues")
    kinds = [*BLAMED, *HARMLESS]
    for kind in kinds:
        rogue_folder(folder, kind)
    bots = [f'"sample:{name}"' for name in HONEST] + [f'"{kind}"' for kind in kinds]
    (folder / "cup.toml").write_text(
        f'name = "Rogues"\ngame = "container"\nseats = 3\nrounds = 3\nseed = "02"\nbots = [{", ".join(bots)}]\n'
        "[options]\nmax_rounds = 15\n"
        "[clock]\nbank_ms = 500\nincrement_ms = 200\ncap_ms = 400\nallowance_ms = 50\n"
    )
    return play("cup.toml", cwd=folder)


def row(report: dict[str, Any], bot: str) -> dict[str, Any]:
    return next(one for one in report["standings"] if one["bot"] == bot)


def test_all_kinds_are_covered() -> None:
    assert {*BLAMED, *HARMLESS, "crashes_in_auction", "never_connects"} == set(KINDS)


def test_every_match_is_played(report: dict[str, Any]) -> None:
    assert (report["matches"], report["finished"]) == (15, True)
    assert {one["matches"] for one in report["standings"]} == {3}


@pytest.mark.parametrize("kind", BLAMED)
def test_a_rogue_is_blamed_by_kind_and_in_words(report: dict[str, Any], kind: str) -> None:
    reason, words = BLAMED[kind]
    blamed = row(report, kind)
    assert blamed["faults"].get(reason, 0) > 0, blamed
    assert words in blamed["first_fault"]


@pytest.mark.parametrize("bot", [*HONEST, *HARMLESS])
def test_honest_bots_have_no_faults(report: dict[str, Any], bot: str) -> None:
    clean = row(report, bot)
    assert (clean["faults"], clean["retired"], clean["first_fault"]) == ({}, 0, "")
    assert clean["decisions"] > 50


def test_answers_to_other_matches_and_decisions_are_refused(report: dict[str, Any]) -> None:
    assert all(row(report, bot)["refusals"] == 0 for bot in HONEST)


def test_a_crash_in_an_auction_is_in_the_table_for_people(tmp_path: Path) -> None:
    rogue_folder(tmp_path, "crashes_in_auction")
    (tmp_path / "cup.toml").write_text(
        'name = "Cup"\ngame = "container"\nrounds = 1\nseed = "01"\n'
        'bots = ["sample:factory_owner", "sample:shipper", "crashes_in_auction"]\n'
    )
    out, _ = finish(start("cup.toml", cwd=tmp_path))
    lines = out.splitlines()
    header = next(at for at, line in enumerate(lines) if line.startswith("faults "))
    assert lines[header].split() == ["faults", "timeout", "illegal", "unreadable", "disconnected", "refused", "retired"]
    assert lines[header + 2].split() == ["crashes_in_auction", "–", "–", "–", "5", "–", "1"]
    assert not lines[header + 3].startswith(("factory_owner", "shipper"))
    assert "disconnected: its process ended with exit code 4" in out


def test_a_bot_in_no_state_to_start_is_given_up_and_its_starts_are_counted(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    bot_folder(tmp_path, "broken", text=f'open({str(marks)!r}, "a").write("x")\nraise SystemExit("no luck")\n')
    (tmp_path / "cup.toml").write_text(
        'name = "Cup"\ngame = "container"\nrounds = 9\nbots = ["sample:shipper", "sample:random_legal", "broken-1"]\n'
        "[options]\nmax_rounds = 3\n"
    )
    told = play("cup.toml", cwd=tmp_path)
    assert told["matches"] == 9
    assert row(told, "broken")["faults"]["disconnected"] > 0
    assert "did not start: no luck" in row(told, "broken")["first_fault"]
    # Three in a row are enough; those for the other seats may be under way by then.
    assert 3 <= len(marks.read_text()) <= 5


@pytest.mark.long
def test_a_bot_that_never_connects_is_given_up(tmp_path: Path) -> None:
    rogue_folder(tmp_path, "never_connects")
    (tmp_path / "cup.toml").write_text(
        'name = "Cup"\ngame = "container"\nrounds = 6\nbots = ["sample:shipper", "sample:random_legal", '
        '"never_connects"]\n[options]\nmax_rounds = 3\n'
    )
    told = play("cup.toml", cwd=tmp_path)
    assert told["seconds"] < PATIENCE_S
    assert told["matches"] == 6
    assert "did not start: it did not connect within 20 s" in row(told, "never_connects")["first_fault"]
    assert row(told, "shipper")["faults"] == {}
