"""The samples there are: one for every game."""

import pytest

from tests.games import container, shipping

SAMPLES = {each.game.name: each for each in (container.SAMPLES, shipping.SAMPLES)}

every_game = pytest.mark.parametrize("samples", SAMPLES.values(), ids=repr)
"""Runs a test once for each game."""
