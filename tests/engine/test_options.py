"""Options: defaults, every problem at once, unknown ones refused (container.md 1.1, 3.5, 4, 8.2)."""

from typing import Any

import pytest
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.errors import OptionsError
from gavelport_engine.registry import GAMES, game_named


def test_the_defaults() -> None:
    assert CONTAINER.options_to_notation(CONTAINER.options({})) == {
        "seats": 4,
        "supply_per_player": 4,
        "domestic_sale": False,
        "seized_to": "box",
        "max_rounds": 100,
        "stall_rounds": 10,
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seats", 2),
        ("seats", 6),
        ("seats", 4.0),
        ("supply_per_player", 0),
        ("domestic_sale", 1),
        ("seized_to", "bank"),
        ("max_rounds", -1),
        ("max_rounds", True),
        ("stall_rounds", "10"),
        ("stall_rounds", 10**30),
        ("colour", "tan"),
        (7, 7),
    ],
)
def test_a_wrong_option_is_refused_by_name(name: Any, value: Any) -> None:
    with pytest.raises(OptionsError) as caught:
        CONTAINER.options({name: value})
    assert len(caught.value.problems) == 1
    assert str(name) in caught.value.problems[0]


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(OptionsError) as caught:
        CONTAINER.options({"seats": 9, "seized_to": None, "speed": 1})
    assert [problem.split()[0] for problem in caught.value.problems] == ["unknown", "seats:", "seized_to:"]


def test_games_are_found_by_name() -> None:
    assert game_named("container") is GAMES["container"]
    with pytest.raises(KeyError, match="no game is named 'chess'; there are: container"):
        game_named("chess")
