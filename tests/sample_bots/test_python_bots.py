"""The Python bots play whole matches by the rules, the same way each time, and better than chance.

How strong they are is for `test_strength.py`; here they play by messages, as in a tournament.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gavelport_engine.container.actions import Action, Pass
from gavelport_sdk import Bot
from gavelport_sdk.testing import play

from tests.sample_bots.bots import bot_class, manifests

if TYPE_CHECKING:
    from gavelport_engine.container.table import Observation

NAMES = [manifest.name for manifest in manifests("python", "container")]
SERIOUS = [name for name in NAMES if name != "random_legal"]
VARIANTS: list[dict[str, object]] = [
    {"seats": 3},
    {"seats": 4, "domestic_sale": True, "supply_per_player": 3},
    {"seats": 5, "seized_to": "supply"},
]


def company(name: str, seats: int, seed: int) -> list[type[Bot]]:
    """Return the bot on a seat that goes round with the seed, and all others, in turn, on the rest."""
    others = [other for other in NAMES if other != name]
    table = [bot_class(others[(seed + seat) % len(others)]) for seat in range(seats)]
    table[seed % seats] = bot_class(name)
    return table


def refusals(name: str, options: dict[str, object], seed: int) -> list[str]:
    seats = options["seats"]
    assert isinstance(seats, int)
    played = play(company(name, seats, seed), "container", seed=seed, options=options)
    return [f"seed {seed}, {each.code}: {each.sentence}: {each.action}" for each in played.refusals]


def firsts(name: str, matches: int) -> int:
    """Return how many matches against three random bots are won, ties included."""
    won = 0
    for seed in range(matches):
        table = [bot_class("random_legal")] * 4
        table[seed % 4] = bot_class(name)
        won += play(table, "container", seed=seed).outcome.ranks[seed % 4] == 1
    return won


@pytest.mark.parametrize("options", VARIANTS, ids=lambda options: f"{options['seats']} seats")
@pytest.mark.parametrize("name", NAMES)
def test_it_plays_whole_matches_without_a_refusal(name: str, options: dict[str, object]) -> None:
    assert refusals(name, options, seed=0) == []


@pytest.mark.long
@pytest.mark.parametrize("options", VARIANTS, ids=lambda options: f"{options['seats']} seats")
@pytest.mark.parametrize("name", NAMES)
def test_it_plays_many_matches_without_a_refusal(name: str, options: dict[str, object]) -> None:
    assert [each for seed in range(1, 21) for each in refusals(name, options, seed)] == []


def test_a_refusal_would_be_seen() -> None:
    class Stubborn(Bot):
        games = ("container",)

        def decide(self, observation: Observation) -> Action:
            return Pass()  # no answer to a bid

    played = play([Stubborn, bot_class("shipper"), bot_class("factory_owner")], seed=1)
    assert {each.seat for each in played.refusals} == {0}


@pytest.mark.parametrize("name", NAMES)
def test_it_plays_the_same_match_the_same_way(name: str) -> None:
    first, second = (play(company(name, 4, 7), "container", seed=7).decisions for _ in range(2))
    assert first == second


@pytest.mark.parametrize("name", SERIOUS)
def test_it_beats_random_play(name: str) -> None:
    assert firsts(name, 1) == 1
