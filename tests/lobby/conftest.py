"""A house for the tests of desks."""

from pathlib import Path

import pytest

from tests.lobby.world import House


@pytest.fixture
def house(tmp_path: Path) -> House:
    """An empty ladder, on which two of five bots are connected."""
    return House(tmp_path)
