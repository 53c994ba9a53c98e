"""The scripted referee that bots are tested with."""

from __future__ import annotations

from typing import Any

import pytest
from gavelport_engine.container.actions import Bid, Pass
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.table import Observation, Options
from gavelport_engine.errors import NotationError, OptionsError
from gavelport_engine.game import Trace
from gavelport_sdk import Bot
from gavelport_sdk.errors import BotError
from gavelport_sdk.testing import RefusedError, ask, play

from tests.sdk.script import Diary


class Random(Bot):
    games = ("container",)

    def decide(self, observation: Observation) -> Any:
        self.note = f"{self.decision.phase} {self.decision.number}"
        return self.decision.space.sample(self.rng)


SHORT = {"max_rounds": 8}


def test_a_match_is_played_by_the_rules_to_its_end() -> None:
    """What was played, played again with the engine alone, comes to the same result."""
    played = play([Random] * 3, seed=4, options=SHORT)
    options = Options(seats=3, max_rounds=8)
    state = CONTAINER.initial_state(options, (4).to_bytes(32, "big"))
    for each in played.decisions:
        assert not each.is_default
        assert CONTAINER.fault(state, each.seat, each.action) is None
        CONTAINER.apply_in_place(state, {each.seat: each.action}, Trace())
    assert CONTAINER.outcome(state) == played.outcome
    assert played.refusals == []
    assert played.decisions[0].note == "action 1"


def test_the_same_seed_gives_the_same_match() -> None:
    assert play(Random, seed=4, options=SHORT) == play([Random] * 4, seed=(4).to_bytes(32, "big"), options=SHORT)
    assert play(Random, seed=4, options=SHORT).outcome != play(Random, seed=5, options=SHORT).outcome


def test_every_bot_hears_everything() -> None:
    Diary.all.clear()
    play([Diary, Random, Diary], seed=4, options=SHORT)
    first, second = Diary.all
    assert first.heard == second.heard
    assert first.lines[0] == "start testing-0000000000000004"
    assert first.lines[-1] == "finish"
    assert first.end is not None
    assert first.end.seed == (4).to_bytes(32, "big")
    assert first.end.scores is not None
    assert len(first.end.scores) == 3


def test_lost_connections_change_nothing() -> None:
    plain = play(Random, seed=4, options=SHORT)
    assert play(Random, seed=4, options=SHORT, lose=lambda seat, number: (seat + number) % 2 == 0) == plain
    assert play(Random, seed=4, options=SHORT, lose=lambda _seat, _number: True) == plain


def test_a_refusal_can_be_tried_out() -> None:
    Diary.all.clear()
    played = play(Diary, seed=4, options=SHORT, refuse=lambda seat, number: seat == 1 and number == 2)
    (refused,) = played.refusals
    assert (refused.seat, refused.number, refused.code, refused.action) == (1, 2, "testing", Pass())
    assert [len(bot.refusals) for bot in Diary.all] == [0, 1, 0, 0]


class Greedy(Random):
    """Bids more than anybody has, and does not learn."""

    def decide(self, observation: Observation) -> Any:
        return Bid(1_000)

    def refused(self, refusal: Any) -> Any:
        return Bid(1_000 + refusal.tries_left)


def test_after_three_refusals_the_default_is_played() -> None:
    played = play(Greedy, seed=4, options={"max_rounds": 1})
    assert all(each.is_default for each in played.decisions)
    assert len(played.refusals) == 3 * len(played.decisions)
    assert {each.code for each in played.refusals} <= set(CONTAINER.fault_codes)


def test_an_exception_of_a_bot_is_the_test_s() -> None:
    class Crashing(Random):
        def decide(self, observation: Observation) -> Any:
            raise ZeroDivisionError

    with pytest.raises(BotError, match="decision 1"):
        play(Crashing)


def test_what_cannot_be_played() -> None:
    with pytest.raises(ValueError, match="2 bots for 3 seats"):
        play([Random] * 2, options={"seats": 3})
    with pytest.raises(OptionsError):
        play([Random] * 2)
    with pytest.raises(OptionsError, match="unknown option"):
        play(Random, options={"colour": "tan"})


POSITION: dict[str, Any] = CONTAINER.to_notation(CONTAINER.initial_state(Options(), bytes(32)))
SEAT = POSITION["seat"]


def test_one_position() -> None:
    class Looking(Diary):
        def decide(self, observation: Observation) -> Any:
            assert CONTAINER.observation_to_notation(observation)["turn"] == 1
            return super().decide(observation)

    assert ask(Looking, POSITION, SEAT) == Pass()


def test_an_action_that_would_be_refused() -> None:
    with pytest.raises(RefusedError, match=r"^wrong_phase: "):
        ask(Greedy, POSITION, SEAT)


def test_a_position_that_asks_nothing_of_the_seat() -> None:
    with pytest.raises(ValueError, match="is not to act in this position"):
        ask(Random, POSITION, (SEAT + 1) % 4)
    with pytest.raises(NotationError):
        ask(Random, {"game": "container"}, 0)
