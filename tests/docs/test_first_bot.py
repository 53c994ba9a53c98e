"""docs/first-bot.md goes the way that a new bot's own README goes."""

import re

import pytest
from gavelport_engine.registry import GAMES

from tests.architecture.sources import ROOT

DOCUMENT = (ROOT / "docs" / "first-bot.md").read_text("utf-8")


def steps(document: str) -> list[str]:
    """Return the commands in the first block of a document, without what is said of them."""
    block = re.search(r"```sh\n(.*?)```", document, re.DOTALL)
    assert block is not None
    return [line.partition("  #")[0].rstrip() for line in block[1].splitlines()]


def test_the_steps_are_those_of_the_readme_that_init_makes() -> None:
    made = (ROOT / "bot_templates" / "container" / "python" / "README.md").read_text("utf-8")
    assert steps(DOCUMENT) == ["gavelport init my_bot", "cd my_bot", *steps(made)]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", ["python", "node"])
def test_every_template_plays_as_many_rounds(game: str, language: str) -> None:
    made = (ROOT / "bot_templates" / game / language / "README.md").read_text("utf-8")
    rounds = [re.findall(r"--rounds (\d+)", text) for text in (DOCUMENT, made)]
    assert rounds[0] == rounds[1]
