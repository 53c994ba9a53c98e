"""Golden play-throughs are told again line by line; a registered game without one fails."""

import json
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from gavelport_engine.container import actions as container_actions
from gavelport_engine.container import events as container_events
from gavelport_engine.game import AnyGame, Trace
from gavelport_engine.registry import GAMES
from gavelport_engine.shipping import actions as shipping_actions
from gavelport_engine.shipping import events as shipping_events

from tests.engine import golden

FILES = sorted(golden.FOLDER.glob("*/*.txt"))
KINDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "container": (container_actions.KINDS, container_events.KINDS),
    "shipping": (shipping_actions.KINDS, shipping_events.KINDS),
}


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


@pytest.mark.parametrize("name", GAMES)
def test_the_play_throughs_hold_every_kind_of_action_and_event(name: str) -> None:
    game, (actions, events) = GAMES[name], KINDS[name]
    texts = [path.read_text("utf-8") for path in FILES if path.parent.name == name]
    missing = [kind for kind in actions if not any(f'"type": "{kind}"' in text for text in texts)]
    assert missing == []
    told: set[type] = set()
    for title, play in golden.PLAYS[name].items():
        text = (golden.FOLDER / name / f"{title}.txt").read_text("utf-8")
        assert f"seed {play.number:064x}" in text
        seed = play.number.to_bytes(32, "big")
        state = game.initial_state(game.options(play.options), seed)
        told |= {type(event) for event in game.opening(game.options(play.options), seed).events}
        for line in filter(None, map(golden.DECISION.fullmatch, text.splitlines())):
            trace = Trace[Any]()
            action = game.action_from_notation(json.loads(line[2]))
            game.apply_in_place(state, {int(line[1]): action}, trace)
            told |= {type(event) for event in trace.events}
    assert told == set(events.values())


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
