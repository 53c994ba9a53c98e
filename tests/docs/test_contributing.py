"""The steps of CONTRIBUTING.md to add a game name places that are there, for every game."""

import re

import pytest
from gavelport_engine.registry import GAMES

from tests.architecture.sources import ROOT


def places(document: str, game: str) -> list[str]:
    """Return the files and folders that the section on adding a game names, for one game."""
    section = document.partition("## Add a game\n")[2].partition("\n## ")[0]
    named = re.findall(r"`([\w./<>-]+/[\w./<>-]*)`", section)
    return [place.replace("<game>", game) for place in dict.fromkeys(named)]


@pytest.mark.parametrize("game", GAMES)
def test_the_steps_were_followed_for_every_game(game: str) -> None:
    named = places((ROOT / "CONTRIBUTING.md").read_text("utf-8"), game)
    assert len([place for place in named if game in place]) >= 10
    assert [place for place in named if not (ROOT / place).exists()] == []


def test_a_step_that_was_left_out_is_found() -> None:
    document = "## Add a game\n1. `tests/games/<game>.py`, `make x`, `docs/rules/`\n## Else\n`not/this.py`\n"
    assert places(document, "chess") == ["tests/games/chess.py", "docs/rules/"]
    assert not (ROOT / "tests/games/chess.py").exists()
