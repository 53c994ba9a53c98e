"""Conformance cases: positions with right answers (each game's notation, "Conformance case").

A case begins with a position or with a deal, is played on by its steps, and then asked; or it shows that a setup is
refused. What may be asked is one table, `_QUESTIONS`: a key and the function that compares it. Nothing here knows a
game.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gavelport_engine.errors import NotationError, OptionsError
from gavelport_engine.game import SPECTATOR
from gavelport_engine.reading import flag, joined, listing, mapping, shown, whole
from gavelport_engine.registry import game_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gavelport_engine.game import AnyGame, Viewer

_SEED = re.compile("[0-9a-f]{64}")


class CaseFileError(Exception):
    """A file that cannot be read as cases; the text names file and reason."""


@dataclass(slots=True)
class _Run:
    """A case being played."""

    game: AnyGame
    state: Any


def read_cases(path: str) -> list[object]:
    """Return the cases of a file. Raises CaseFileError."""
    try:
        found = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise CaseFileError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise CaseFileError(f"{path}: not JSON in UTF-8: {error}") from error
    if not isinstance(found, list) or not found:
        raise CaseFileError(f"{path}: expected a list of cases, at least one")
    return found


def game_in(cases: list[object]) -> str | None:
    """Return the one game that a file's positions name, for its cases without a position; None if there is none."""
    positions = [case.get("position") for case in cases if isinstance(case, dict)]
    games = [position.get("game") for position in positions if isinstance(position, dict)]
    names = {game for game in games if isinstance(game, str)}
    return names.pop() if len(names) == 1 else None


def failures(case: object, game: str | None = None) -> list[str]:
    """Return what is wrong with a case's answers, a line each; none when it passes.

    `game` names the game of a case that begins with no position, which would name it (`game_in`).
    """
    try:
        if isinstance(case, dict) and "setup" in case:
            return list(_setup(case, game))
        beginning = "deal" if isinstance(case, dict) and "deal" in case else "position"
        given = mapping(case, "", ("name", beginning), ("cites", "steps", *_QUESTIONS))
        if not any(key in given for key in (*_QUESTIONS, "steps")):
            raise NotationError("", "the case asks nothing")
        run = _deal(given["deal"], game) if beginning == "deal" else _begin(given["position"])
        steps = listing(given.get("steps", []), "steps")
        found = [line for n, step in enumerate(steps) for line in _step(run, step, f"steps.{n}")]
        if found:  # what comes after a step that went wrong tells nothing
            return found
        for key, ask in _QUESTIONS.items():
            if key in given:
                found += ask(run, given[key], key)
    except NotationError as error:
        return [str(error)]
    else:
        return found


def _game(name: Any, path: str) -> AnyGame:
    if name is None:
        raise NotationError(path, "the positions of this file name no game, or more than one")
    try:
        return game_named(name)
    except (KeyError, TypeError) as error:
        raise NotationError(path, str(error.args[0])) from error


def _setup(case: dict[str, Any], name: str | None) -> Iterator[str]:
    """Show that options are refused, with the code that is expected."""
    given = mapping(case, "", ("name", "setup", "error"), ("cites",))
    game, expected = _game(name, "setup"), given["error"]
    try:
        game.options(mapping_of(given["setup"], "setup"))
    except OptionsError as error:
        if error.code != expected:
            yield f"error: expected {_text(expected)}, got {_text(error.code)}: {error}"
    else:
        yield "setup: expected a refusal, got none"


def _deal(deal: object, name: str | None) -> _Run:
    """Begin with the deal of a seed."""
    given = mapping(deal, "deal", ("seed", "options"))
    game, seed = _game(name, "deal"), given["seed"]
    try:
        options = game.options(mapping_of(given["options"], "deal.options"))
    except OptionsError as error:
        raise NotationError("deal.options", str(error)) from error
    if not isinstance(seed, str) or not _SEED.fullmatch(seed):
        raise NotationError("deal.seed", f"expected 64 hex digits, in small letters, got {shown(seed)}")
    return _Run(game, game.initial_state(options, bytes.fromhex(seed)))


def _begin(position: object) -> _Run:
    if not isinstance(position, dict) or "game" not in position:
        raise NotationError("position", "expected an object that names its game")
    game = _game(position["game"], "position.game")
    try:
        return _Run(game, game.from_notation(position))
    except NotationError as error:
        raise NotationError(joined("position", error.path), error.problem) from error


def _refusal(run: _Run, seat: int, action: object) -> tuple[Any, str | None, str]:
    """Return the action as a value, and the code and the sentence with which it is refused."""
    try:
        value = run.game.action_from_notation(action)
    except NotationError as error:
        if seat not in run.game.to_act(run.state):  # who is not asked is told so, whatever it answers
            fault = run.game.fault(run.state, seat, None)
            return (None, None, "") if fault is None else (None, fault.code, fault.sentence)
        return None, error.code, str(error)
    fault = run.game.fault(run.state, seat, value)
    if (fault is None) != (seat in run.game.to_act(run.state) and _contains(run, seat, value)):
        problem = f"fault says {fault}, the action space says otherwise"
        raise NotationError("", problem)
    return (value, None, "") if fault is None else (value, fault.code, fault.sentence)


def _contains(run: _Run, seat: int, value: object) -> bool:
    contained: bool = run.game.decision(run.state, seat).space.contains(value)
    return contained


def _step(run: _Run, step: object, path: str) -> Iterator[str]:
    """Play a step, or show that it is refused and changes nothing."""
    given = mapping(step, path, ("seat", "action"), ("error",))
    seat = whole(given["seat"], f"{path}.seat")
    expected = given.get("error", False)
    before = run.game.to_notation(run.state)
    value, code, sentence = _refusal(run, seat, given["action"])
    if not expected and code is not None:
        yield f"{path}: refused with {code}: {sentence}"
    elif expected and code is None:
        yield f"{path}: expected a refusal, got none"
    elif isinstance(expected, str) and code != expected:
        yield f"{path}.error: expected {expected!r}, got {code!r}: {sentence}"
    if code is None:
        run.state, _ = run.game.apply(run.state, {seat: value})
    else:
        yield from differences(before, run.game.to_notation(run.state), path, frozenset(before))


def differences(expected: object, got: object, path: str, whole_keys: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield where what is expected differs, by path.

    Objects are compared by the keys expected, those under `whole_keys` as a whole. An object
    expected where a list stands names entries by number. `"absent"` says that a key is not there.
    """
    key = path.rpartition(".")[2]
    if isinstance(expected, dict) and key not in whole_keys and isinstance(got, dict | list):
        for name, value in expected.items():
            yield from _part_differences(name, value, got, joined(path, name), whole_keys)
    elif expected != got or type(expected) is not type(got):
        yield f"{path}: expected {_text(expected)}, got {_text(got)}"


def _part_differences(
    name: str,
    value: object,
    got: dict[str, object] | list[object],
    path: str,
    whole_keys: frozenset[str],
) -> Iterator[str]:
    if isinstance(got, list):
        there = name.isdecimal() and int(name) < len(got)
        part = got[int(name)] if there else None
    else:
        there = name in got
        part = got.get(name)
    if value == "absent":
        if there:
            yield f"{path}: expected to be absent, got {_text(part)}"
    elif not there:
        yield f"{path}: expected {_text(value)}, got nothing"
    else:
        yield from differences(value, part, path, whole_keys)


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _expect(run: _Run, expected: object, path: str) -> Iterator[str]:
    """Compare the named parts of the position."""
    position = run.game.to_notation(run.state)
    yield from differences(mapping_of(expected, path), position, path, run.game.whole_keys)


def _to_act(run: _Run, expected: object, path: str) -> Iterator[str]:
    """Compare who must act, in which phase."""
    given = mapping(expected, path, ("phase", "seats"))
    seats = list(run.game.to_act(run.state))
    phase = run.game.decision(run.state, seats[0]).phase if seats else "over"
    yield from differences(given, {"phase": phase, "seats": seats}, path)


def _result(run: _Run, expected: object, path: str) -> Iterator[str]:
    """Compare the named parts of the result record."""
    if run.game.to_act(run.state):
        yield f"{path}: expected a finished game, somebody is to act"
        return
    outcome = run.game.outcome(run.state)
    record = {
        "end": outcome.end,
        "retired": [],
        run.game.total_unit: list(outcome.totals),
        "ranks": list(outcome.ranks),
        "scores": list(outcome.scores),
    }
    yield from differences(mapping_of(expected, path), record, path)


def _legal(run: _Run, expected: object, path: str) -> Iterator[str]:
    """Compare whether actions are legal, without playing them."""
    for number, entry in enumerate(listing(expected, path)):
        place = f"{path}.{number}"
        given = mapping(entry, place, ("seat", "action", "ok"), ("error",))
        _, code, sentence = _refusal(run, whole(given["seat"], f"{place}.seat"), given["action"])
        if flag(given["ok"], f"{place}.ok") != (code is None):
            got = "legal" if code is None else f"refused with {code}: {sentence}"
            yield f"{place}.ok: expected {_text(given['ok'])}, got {got}"
        elif given.get("error", code) != code:
            yield f"{place}.error: expected {_text(given['error'])}, got {_text(code)}"


def _views(run: _Run, expected: object, path: str) -> Iterator[str]:
    """Compare the named parts of what viewers see."""
    seats = len(run.game.to_notation(run.state)["seats"])
    for number, entry in enumerate(listing(expected, path)):
        place = f"{path}.{number}"
        given = mapping(entry, place, ("viewer", "expect"))
        viewer: Viewer = SPECTATOR
        if given["viewer"] is not None:
            viewer = whole(given["viewer"], f"{place}.viewer", 0, seats - 1)
        seen = run.game.observation_to_notation(run.game.observation(run.state, viewer))
        parts = mapping_of(given["expect"], f"{place}.expect")
        yield from differences(parts, seen, f"{place}.expect", run.game.whole_keys)


def mapping_of(value: object, path: str) -> dict[str, object]:
    """Return an object whose keys are judged elsewhere."""
    if not isinstance(value, dict):
        raise NotationError(path, "expected an object")
    return value


_QUESTIONS: dict[str, Callable[[_Run, object, str], Iterator[str]]] = {
    "expect": _expect,
    "to_act": _to_act,
    "result": _result,
    "legal": _legal,
    "views": _views,
}
"""What a case may ask of the position after its steps."""
