"""The case files of the notation pass, and the runner is shown to fail."""

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from gavelport_engine.conformance.__main__ import main
from gavelport_engine.conformance.cases import failures, game_in
from gavelport_engine.registry import GAMES

from tests.engine.positions import position

FOLDER = Path(__file__).parent / "conformance"
FILES = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}
CASES: list[dict[str, Any]] = FILES["container"]
PASS: dict[str, Any] = {
    "name": "a pass",
    "cites": "2.4",
    "position": position(),
    "steps": [{"seat": 0, "action": {"type": "pass"}}],
    "expect": {"actions_left": 1, "supply": position()["supply"], "seats": {"1": {"cash": 20}}},
    "to_act": {"phase": "action", "seats": [0]},
    "legal": [{"seat": 0, "action": {"type": "buy_warehouse"}, "ok": True}],
}


@pytest.mark.parametrize(
    ("game", "case"),
    [pytest.param(game, case, id=f"{game}: {case['name']}") for game, cases in FILES.items() for case in cases],
)
def test_a_case_of_the_notation(game: str, case: dict[str, Any]) -> None:
    assert failures(case, game) == []


def test_every_game_has_its_cases() -> None:
    assert set(FILES) == set(GAMES)
    assert {name: game_in(cases) for name, cases in FILES.items()} == {name: name for name in FILES}


def test_the_cases_are_all_there() -> None:
    assert len(CASES) >= 102


def changed(path: str, value: Any) -> dict[str, Any]:
    case = copy.deepcopy(PASS)
    *inner, last = path.split(".")
    part: Any = case
    for key in inner:
        part = part[int(key)] if isinstance(part, list) else part[key]
    part[last] = value
    return case


def test_the_planted_case_passes_unchanged() -> None:
    assert failures(PASS) == []


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        ("expect.actions_left", 2, "expect.actions_left: expected 2, got 1"),
        ("expect.actions_left", True, "expect.actions_left: expected true, got 1"),
        ("expect.seats.1.cash", 19, "expect.seats.1.cash: expected 19, got 20"),
        ("expect.seats.3", {}, "expect.seats.3: expected {}, got nothing"),
        ("expect.supply", {"tan": 11}, 'expect.supply: expected {"tan": 11}, got {"black": 11, '),
        ("expect.busyness", 1, "expect.busyness: expected 1, got nothing"),
        ("to_act.seats", [1], "to_act.seats: expected [1], got [0]"),
        ("to_act.phase", "sale", 'to_act.phase: expected "sale", got "action"'),
        ("legal.0.ok", False, "legal.0.ok: expected false, got legal"),
        ("legal.0.seat", 1, "legal.0.ok: expected true, got refused with not_to_act: "),
        ("legal.0.action", {"type": "fly"}, "legal.0.ok: expected true, got refused with malformed: type:"),
        ("result", {"end": "stalled"}, "result: expected a finished game, somebody is to act"),
        ("steps.0.error", True, "steps.0: expected a refusal, got none"),
        ("steps.0.seat", 1, "steps.0: refused with not_to_act: seat 1 is not to act now"),
        ("position.seats.0.cash", -1, "position.seats.0.cash: expected a whole number, at least 0, got -1"),
        ("position.game", "chess", "position.game: no game is named 'chess'; there are: "),
        ("steps", "pass", "steps: expected a list, got 'pass'"),
        ("wanted", 1, "unknown key 'wanted'; there are: name, position, "),
    ],
)
def test_a_wrong_expectation_is_one_line_with_its_path(path: str, value: Any, line: str) -> None:
    found = failures(changed(path, value))
    assert len(found) == 1
    assert found[0].startswith(line)


def test_a_refusal_is_named_by_its_code() -> None:
    case = changed("steps", [{"seat": 0, "action": {"type": "repay_loan"}, "error": "no_loan"}])
    del case["expect"]
    assert failures(case) == []
    case["steps"][0]["error"] = "no_cash"
    assert failures(case) == ["steps.0.error: expected 'no_cash', got 'no_loan': 1 to repay, 0 held (7.2)"]


def test_a_case_that_asks_nothing_is_a_failure() -> None:
    assert failures({"name": "x", "position": position()}) == ["the case asks nothing"]
    assert failures("x") == ["expected an object, got 'x'"]


def test_the_result_is_compared(capsys: pytest.CaptureFixture[str]) -> None:
    finished = next(case for case in CASES if "scores" in case.get("result", {}))
    wrong = copy.deepcopy(finished)
    wrong["result"]["scores"]["0"]["island"] += 1
    assert failures(finished) == []
    assert failures(wrong) == ["result.scores.0.island: expected 91, got 90"]


SETUP: dict[str, Any] = {"name": "six", "setup": {"seats": 6}, "error": "E70"}
DEAL: dict[str, Any] = {
    "name": "a deal",
    "deal": {"seed": "00" * 32, "options": {"seats": 3}},
    "expect": {"turn": 1},
    "views": [{"viewer": 0, "expect": {"seed": "absent", "turn": 1}}, {"viewer": None, "expect": {"order_deck": 41}}],
}


@pytest.mark.parametrize("case", [SETUP, DEAL])
def test_a_case_without_a_position_is_of_the_game_of_its_file(case: dict[str, Any]) -> None:
    assert failures(case, "shipping") == []
    assert len(failures(case)) == 1
    assert "the positions of this file name no game, or more than one" in failures(case)[0]
    assert game_in([case]) is None
    assert game_in([case, {"position": {"game": "shipping"}}, "junk", {"position": 7}]) == "shipping"
    assert game_in([{"position": {"game": "shipping"}}, PASS]) is None


@pytest.mark.parametrize(
    ("case", "changes", "line"),
    [
        (SETUP, {"error": "E51"}, 'error: expected "E51", got "E70": seats: expected a whole number, 2 to 5, got 6'),
        (SETUP, {"setup": {}}, "setup: expected a refusal, got none"),
        (SETUP, {"setup": 7}, "setup: expected an object"),
        (SETUP, {"expect": {}}, "unknown key 'expect'; there are: name, setup, error, cites"),
        (DEAL, {"deal": {"seed": "00" * 32, "options": {"seats": 6}}}, "deal.options: seats: expected"),
        (DEAL, {"deal": {"seed": "00", "options": {}}}, "deal.seed: expected 64 hex digits"),
        (DEAL, {"views": [{"viewer": 0, "expect": {"turn": 2}}]}, "views.0.expect.turn: expected 2, got 1"),
        (DEAL, {"views": [{"viewer": 0, "expect": {"turn": "absent"}}]}, "views.0.expect.turn: expected to be absent"),
        (DEAL, {"views": [{"viewer": 3, "expect": {}}]}, "views.0.viewer: expected a whole number, 0 to 2, got 3"),
    ],
)
def test_a_wrong_case_without_a_position_is_one_line(case: dict[str, Any], changes: dict[str, Any], line: str) -> None:
    found = failures({**case, **changes}, "shipping")
    assert len(found) == 1
    assert found[0].startswith(line)


def test_who_is_not_asked_is_told_so_whatever_it_answers() -> None:
    case = changed("legal", [{"seat": 1, "action": {"type": "fly"}, "ok": False, "error": "not_to_act"}])
    assert failures(case) == []


def written(folder: Path, cases: Any) -> str:
    path = folder / "cases.json"
    path.write_text(json.dumps(cases), "utf-8")
    return str(path)


def test_the_command_counts_and_exits_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, [PASS, changed("to_act.phase", "sale")])
    assert main([path]) == 1
    assert capsys.readouterr().out == (
        f'{path}: a pass: to_act.phase: expected "sale", got "action"\n1 passed, 1 failed\n'
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"{", "not JSON in UTF-8"), (b"\xff", "not JSON in UTF-8"), (b"{}", "a list of cases"), (b"[]", "at least one")],
)
def test_an_unreadable_file_exits_with_2(
    content: bytes, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cases.json"
    path.write_bytes(content)
    assert main([str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"error: {path}: ")
    assert problem in captured.err


def test_a_missing_file_exits_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "none.json"
    good = written(tmp_path, [PASS])
    assert main([str(path), good]) == 2
    captured = capsys.readouterr()
    assert captured.err == f"error: {path}: No such file or directory\n"
    assert captured.out == "1 passed, 0 failed\n"


def test_the_command_without_files_says_how(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == main(["--help"]) == 2
    assert "usage: python -m gavelport_engine.conformance FILE" in capsys.readouterr().err


def test_the_module_is_a_command() -> None:
    command = [sys.executable, "-m", "gavelport_engine.conformance", *map(str, sorted(FOLDER.glob("*.json")))]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "246 passed, 0 failed\n", "")
