"""The Python bots for Shipping play whole matches by the rules, the same way each time, and better than chance."""

from __future__ import annotations

from typing import Any

import pytest
from gavelport_engine.shipping.actions import Action, BuyAp, BuyShare, Move, SellShare
from gavelport_engine.shipping.data import GOOD_IDS, ORDER_IDS, QUARTERS, SPACES
from gavelport_engine.shipping.rules import SHIPPING
from gavelport_engine.shipping.table import HeldOrder, Ship
from gavelport_sdk import Bot
from gavelport_sdk.testing import Play, ask, play

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


def position(year: int, cash: int, ship: Ship, order: str) -> dict[str, Any]:
    """Return the first seat's turn in a year's last quarter; it holds one Order, and no other card is in the game."""
    state = SHIPPING.initial_state(SHIPPING.options({"seats": 2}), bytes(32))
    table, own = state.table, state.table.boards[0]
    table.year, table.quarter, table.seat, table.ap = year, QUARTERS, 0, 2
    state.order_deck, table.order_deck, table.open_orders = (), 0, (None,) * 4
    state.hands, table.boards[1].orders = [(ORDER_IDS.index(order),), ()], ()
    own.cash, own.ships, own.orders = cash, (ship, None, None, None, None), (HeldOrder(None),)
    return SHIPPING.to_notation(state)


@pytest.mark.parametrize("name", SERIOUS)
def test_the_last_accounts_are_kept_in_hand(name: str) -> None:
    """Beside the share there are 30 for the ship, 150 for the Order, and something for a News card."""
    at_sea = Ship(SPACES.index("canary"))
    poor, rich = (ask(bot_class(name), position(4, cash, at_sea, "O48"), 0) for cash in (1170, 1270))
    assert not isinstance(poor, BuyShare | BuyAp)
    assert isinstance(rich, BuyShare)


@pytest.mark.parametrize("name", ["shipping_filler", "shipping_industrialist"])
def test_a_share_is_sold_for_a_toll_that_could_not_be_paid(name: str) -> None:
    """The Order is for Rotterdam, the ship is on the other side of the Panama canal."""
    loaded = Ship(SPACES.index("panama_bay"), (GOOD_IDS.index("electronics"),))
    stuck, free = (ask(bot_class(name), position(2, cash, loaded, "O48"), 0) for cash in (0, 200))
    assert isinstance(stuck, SellShare)
    assert isinstance(free, Move)
