"""Tests of the bot: `python -m unittest` in this folder, or pytest. Whole matches in this process, no server."""

import contextlib
import io
import unittest

from gavelport_engine.container.actions import Action, Produce
from gavelport_engine.container.table import Observation
from gavelport_engine.game import Json
from gavelport_engine.registry import game_named
from gavelport_sdk import Bot
from gavelport_sdk.testing import ask, play
from main import MyBot


class Anything(Bot):
    """An opponent that does whatever is legal, and so leads through all phases of the game."""

    games = ("container",)

    def decide(self, observation: Observation) -> Action:
        action: Action = self.decision.space.sample(self.rng)
        return action


def first_position() -> Json:
    """The beginning of a match of three, in the notation."""
    game = game_named("container")
    return game.to_notation(game.initial_state(game.options({"seats": 3}), bytes(32)))


class MyBotTest(unittest.TestCase):
    def test_it_plays_by_the_rules_at_every_table(self) -> None:
        for seats in (3, 4, 5):
            with self.subTest(seats=seats):
                played = play([MyBot, *[Anything] * (seats - 1)], seed=seats)
                self.assertEqual(played.refusals, [])
                self.assertIn("bid", {decision.phase for decision in played.decisions if decision.seat == 0})

    def test_it_goes_on_after_refusals_and_lost_connections(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()):  # where the SDK tells of each refusal
            played = play(
                [MyBot, Anything, Anything],
                seed=1,
                refuse=lambda seat, number: seat == 0 and number % 5 == 0,
                lose=lambda seat, number: seat == 0 and number % 7 == 0,
            )
        self.assertFalse(any(decision.is_default for decision in played.decisions))

    def test_it_plays_the_same_match_in_the_same_way(self) -> None:
        one, other = (play([MyBot, Anything, Anything], seed=2) for _ in range(2))
        self.assertEqual(one.decisions, other.decisions)

    def test_it_begins_by_producing(self) -> None:
        position = first_position()
        self.assertIsInstance(ask(MyBot, position, seat=position["seat"]), Produce)


if __name__ == "__main__":
    unittest.main()
