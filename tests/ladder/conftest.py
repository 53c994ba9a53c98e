"""A server that has started, for the tests of ladders."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from tests.ladder.world import World


@pytest.fixture
async def world(tmp_path: Path, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock) -> World:
    made = World(tmp_path, nursery)
    await made.start()
    return made
