"""Golden play-throughs are told again line by line; a registered game without one fails."""

import json
from itertools import zip_longest
from pathlib import Path

import pytest
from gavelport_engine.container import actions, events
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.game import AnyGame, Trace
from gavelport_engine.registry import GAMES

from tests.engine import golden

FILES = sorted(golden.FOLDER.glob("*/*.txt"))


def first_difference(game: AnyGame, text: str) -> str | None:
    """The first line that is told otherwise, in words."""
    pairs = zip_longest(text.splitlines(), golden.retold(game, text))
    for number, (written, own) in enumerate(pairs, 1):
        if written != own:
            return f"line {number}: written {written!r}, told {own!r}"
    return None


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_golden_play_is_told_again(path: Path) -> None:
    assert first_difference(GAMES[path.parent.name], path.read_text("utf-8")) is None


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_its_play_throughs(name: str) -> None:
    there = {path.stem for path in FILES if path.parent.name == name}
    assert there == set(golden.PLAYS[name]) != set()


def test_container_s_play_throughs_hold_every_kind_of_action_and_event() -> None:
    texts = [path.read_text("utf-8") for path in FILES if path.parent.name == "container"]
    missing = [kind for kind in actions.KINDS if not any(f'"type": "{kind}"' in text for text in texts)]
    assert missing == []
    told: set[type] = set()
    for title, (options, number) in golden.PLAYS["container"].items():
        text = (golden.FOLDER / "container" / f"{title}.txt").read_text("utf-8")
        assert f"seed {number:064x}" in text
        state = CONTAINER.initial_state(CONTAINER.options(options), number.to_bytes(32, "big"))
        for line in filter(None, map(golden.DECISION.fullmatch, text.splitlines())):
            trace = Trace[events.Event]()
            action = CONTAINER.action_from_notation(json.loads(line[2]))
            CONTAINER.apply_in_place(state, {int(line[1]): action}, trace)
            told |= {type(event) for event in trace.events}
    assert told == set(events.KINDS.values())


@pytest.mark.parametrize(
    ("old", "new"),
    [("pays the bank $", "pays the bank $1"), ('"turn": 3}', '"turn": 4}'), ("ranks [", "ranks [9, ")],
)
def test_a_changed_line_is_noticed(old: str, new: str) -> None:
    text = FILES[0].read_text("utf-8")
    assert old in text
    assert first_difference(GAMES["container"], text.replace(old, new, 1)) is not None


def test_a_lost_line_is_noticed() -> None:
    lines = FILES[0].read_text("utf-8").splitlines(keepends=True)
    assert first_difference(GAMES["container"], "".join(lines[:-1])) is not None
