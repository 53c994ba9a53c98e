"""Two games in one data folder, one bot in both: each has its own tables, and everything can be checked together."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.e2e.runs import GAVELPORT, play, verified

CUPS = {"container": ("random_legal", "shipper", "factory_owner"), "shipping": ("random_legal", "shipping_filler")}
"""Of each game so many bots as its smallest table has seats."""
UNITS = {"container": "money", "shipping": "points"}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("two-games") / "data"


@pytest.fixture(scope="module")
def told(data: Path) -> dict[str, dict[str, object]]:
    """What a tournament of one duplicate block at the smallest table prints, by game."""
    found = {}
    for game, bots in CUPS.items():
        named = ", ".join(f'"sample:{bot}"' for bot in bots)
        cup = data.with_name(f"{game}.toml")
        cup.write_text(f'name = "Cup of {game}"\ngame = "{game}"\nseed = "c0ffee"\nbots = [{named}]\n')
        found[game] = play(cup, "--rounds", str(len(bots)), "--data", data, cwd=data.parent)
    return found


def gavelport(*arguments: str | Path) -> str:
    return subprocess.run([GAVELPORT, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("game", CUPS)
def test_each_has_its_table_in_its_unit(told: dict[str, dict[str, object]], game: str) -> None:
    report = told[game]
    assert (report["game"], report["seats"], report["blocks"]) == (f"{game}@1", len(CUPS[game]), 1)
    standings = report["standings"]
    assert isinstance(standings, list)
    assert {row["bot"] for row in standings} == set(CUPS[game])
    assert standings[-1]["bot"] == "random_legal"
    for row in standings:
        assert row[UNITS[game]] is not None
        assert not set(UNITS.values()) - {UNITS[game]} & set(row)
        assert row["matches"] == len(CUPS[game])
        assert row["faults"] == {}


def test_all_of_it_is_verified_exported_and_rated_together(told: dict[str, dict[str, object]], data: Path) -> None:
    assert verified(data)
    out = data.with_name("out")
    assert json.loads(gavelport("replays", "export", "--to", out, "--json", "--data", data))["exported"] == 5
    headers = [json.loads(path.read_text().partition("\n")[0]) for path in out.iterdir()]
    assert sorted(header["game"] for header in headers) == [*["container"] * 3, *["shipping"] * 2]
    rated = json.loads(gavelport("rate", "--check", "--json", "--data", data))
    assert (len(rated["right"]), rated["failures"]) == (len(told), [])
    games = [one["game"] for one in json.loads(gavelport("rate", "--json", "--data", data))]
    assert games == [f"{game}@1" for game in CUPS]
    assert len(json.loads(gavelport("replays", "list", "--bot", "random_legal", "--json", "--data", data))) == 5
