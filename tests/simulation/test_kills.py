"""A served ladder that is killed at random points loses nothing, counts nothing twice, and rates as its matches say."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.postgres import postgres_schema
from tests.simulation.kills import Killed, kill_many

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]


def told(killed: Killed) -> Killed:
    print(json.dumps(vars(killed)))
    return killed


def test_eighty_kills(tmp_path: Path) -> None:
    killed = told(asyncio.run(kill_many(tmp_path, 80)))
    assert killed.problems == []
    assert killed.gone_on > 80
    assert killed.results > 80
    assert killed.acknowledged > 1_000


def test_twenty_kills_with_postgresql(tmp_path: Path) -> None:
    with postgres_schema() as url:
        killed = told(asyncio.run(kill_many(tmp_path, 20, seed=2, database=url)))
    assert killed.problems == []
    assert killed.gone_on > 20
    assert killed.results > 20
