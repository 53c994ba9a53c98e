"""A house that takes submissions, where nobody is slowed down."""

from pathlib import Path

import pytest
from gavelport_server.lobby import door
from gavelport_server.lobby.limits import Rate

from tests.lobby.world import House
from tests.submit.world import opened


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    monkeypatch.setattr(door, "CALLS", Rate(burst=1e9, per_s=1e9))
    monkeypatch.setattr(door, "SPARING", {})
    made = House(tmp_path)
    opened(made)
    return made
