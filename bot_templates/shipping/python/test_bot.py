"""Tests of the bot: `python -m unittest` in this folder, or pytest. Whole matches in this process, no server."""

import contextlib
import io
import unittest

from gavelport_engine.game import Json
from gavelport_engine.registry import game_named
from gavelport_engine.shipping.actions import Action, Buy
from gavelport_engine.shipping.table import Observation
from gavelport_sdk import Bot
from gavelport_sdk.testing import ask, play
from main import MyBot


class Anything(Bot):
    """An opponent that does whatever is legal, and so leads through all that the game asks."""

    games = ("shipping",)

    def decide(self, observation: Observation) -> Action:
        action: Action = self.decision.space.sample(self.rng)
        return action


def first_position() -> Json:
    """The beginning of a match of three, in the notation."""
    game = game_named("shipping")
    return game.to_notation(game.initial_state(game.options({"seats": 3}), bytes(32)))


class MyBotTest(unittest.TestCase):
    def test_it_plays_by_the_rules_at_every_table_and_beats_chance(self) -> None:
        for seats in (2, 3, 4, 5):
            with self.subTest(seats=seats):
                played = play([MyBot, *[Anything] * (seats - 1)], seed=seats)
                self.assertEqual(played.refusals, [])
                self.assertEqual(played.outcome.ranks[0], 1)

    def test_it_pays_its_bills_to_the_end(self) -> None:
        for no_elimination in (False, True):  # where nobody goes bankrupt, what is owed is raised by sales
            with self.subTest(no_elimination=no_elimination):
                played = play([MyBot, MyBot, MyBot], seed=1, options={"no_elimination": no_elimination})
                self.assertEqual(played.refusals, [])
                self.assertEqual([score["bankrupt"] for score in played.outcome.scores], [None] * 3)

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

    def test_it_buys_where_it_stands_if_that_is_a_good_trip(self) -> None:
        position = first_position()
        self.assertEqual(ask(MyBot, position, seat=position["seat"]), Buy(ship=0))


if __name__ == "__main__":
    unittest.main()
