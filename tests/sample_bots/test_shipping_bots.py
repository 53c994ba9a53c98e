"""The Python bots for Shipping play whole matches by the rules, the same way each time, and better than chance."""

from __future__ import annotations

import pytest
from gavelport_engine.shipping.actions import Action, BuyShare
from gavelport_sdk import Bot
from gavelport_sdk.testing import Play, play

from tests.sample_bots.bots import bot_class, manifests

NAMES = [manifest.name for manifest in manifests("python", "shipping")]
SERIOUS = [name for name in NAMES if name != "random_legal"]
SHORT: dict[str, object] = {"seats": 3, "years": 3, "no_elimination": True}
VARIANTS: list[dict[str, object]] = [SHORT, {"seats": 2, "years": 5}, {"seats": 5}]


def company(name: str, seats: int, seed: int) -> list[type[Bot]]:
    """Return the bot on a seat that goes round with the seed, and all others, in turn, on the rest."""
    others = [other for other in NAMES if other != name]
    table = [bot_class(others[(seed + seat) % len(others)]) for seat in range(seats)]
    table[seed % seats] = bot_class(name)
    return table


def match(table: list[type[Bot]], seed: int, **options: object) -> Play:
    return play(table, "shipping", seed=seed, options=options)


def refusals(name: str, options: dict[str, object], seed: int) -> list[str]:
    seats = options["seats"]
    assert isinstance(seats, int)
    played = match(company(name, seats, seed), seed, **options)
    return [f"seed {seed}, {each.code}: {each.sentence}: {each.action}" for each in played.refusals]


@pytest.mark.parametrize("name", NAMES)
def test_it_plays_a_whole_match_without_a_refusal(name: str) -> None:
    assert refusals(name, SHORT, seed=1) == []


@pytest.mark.long
@pytest.mark.parametrize("options", VARIANTS, ids=lambda options: f"{options['seats']} seats")
@pytest.mark.parametrize("name", NAMES)
def test_it_plays_many_matches_without_a_refusal(name: str, options: dict[str, object]) -> None:
    assert [each for seed in range(2, 22) for each in refusals(name, options, seed)] == []


def test_a_refusal_would_be_seen() -> None:
    class Stubborn(Bot):
        games = ("shipping",)

        def decide(self, observation: object) -> Action:
            return BuyShare()  # for which there is no money

    played = match([Stubborn, bot_class("random_legal")], 1)
    assert {each.code for each in played.refusals if each.seat == 0} == {"E51"}


@pytest.mark.parametrize("name", NAMES)
def test_it_plays_the_same_match_the_same_way(name: str) -> None:
    first, second = (match(company(name, 2, 7), 7, years=3).decisions for _ in range(2))
    assert first == second


@pytest.mark.parametrize("name", SERIOUS)
def test_it_beats_random_play(name: str) -> None:
    table = [bot_class("random_legal")] * 4
    table[1] = bot_class(name)
    assert match(table, 1).outcome.ranks[1] == 1


@pytest.mark.long
@pytest.mark.parametrize("name", SERIOUS)
def test_it_does_not_go_bankrupt_among_its_like(name: str) -> None:
    for seed in range(5):
        scores = match([bot_class(name)] * 4, seed).outcome.scores
        assert [score["bankrupt"] for score in scores] == [None] * 4, seed
