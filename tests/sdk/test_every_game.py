"""The SDK plays every game, and several at once with one bot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from gavelport.v1 import referee_pb2 as wire
from gavelport_codecs.errors import CodecError
from gavelport_engine.registry import GAMES
from gavelport_engine.rng import commitment
from gavelport_sdk import Bot
from gavelport_sdk.session import Session
from gavelport_sdk.testing import ask, play

from tests.games.registry import SAMPLES, every_game
from tests.sdk.script import welcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.games.samples import Samples


class AllGames(Bot):
    """Plays whatever it is given at random, and remembers what it heard."""

    games = tuple(SAMPLES)
    heard: list[Any]

    def start(self, match: Any) -> None:
        self.heard = []

    def events(self, events: Sequence[Any]) -> None:
        self.heard += events

    def decide(self, observation: Any) -> Any:
        assert self.decision.space.contains(self.decision.default())
        return self.decision.space.sample(self.rng)


@every_game
def test_a_match_is_played_by_the_rules(samples: Samples) -> None:
    """What was played, played again with the engine alone, comes to the same result."""
    game = samples.game
    options = game.options_to_notation(samples.long)
    played = play(AllGames, game.id, seed=4, options=options)
    state = game.initial_state(samples.long, (4).to_bytes(32, "big"))
    for each in played.decisions:
        assert game.fault(state, each.seat, each.action) is None
        game.apply_in_place(state, {each.seat: each.action}, None)
    assert game.outcome(state) == played.outcome
    assert played.refusals == []


@every_game
def test_a_lost_connection_changes_nothing(samples: Samples) -> None:
    game, options = samples.game, samples.game.options_to_notation(samples.long)
    steady = play(AllGames, game.name, seed=5, options=options)
    lossy = play(AllGames, game.name, seed=5, options=options, lose=lambda seat, number: (seat + number) % 3 == 0)
    assert lossy == steady


@every_game
def test_a_refusal_costs_the_bot_its_answer_only(samples: Samples) -> None:
    game, options = samples.game, samples.game.options_to_notation(samples.long)
    played = play(AllGames, game.name, seed=6, options=options, refuse=lambda _, number: number == 2)
    assert {refused.seat for refused in played.refusals} == set(range(game.seats(samples.long)))
    assert not any(each.is_default for each in played.decisions)


@every_game
def test_one_position_names_its_game(samples: Samples) -> None:
    game = samples.game
    state = game.initial_state(samples.long, bytes(32))
    (seat, *_) = game.to_act(state)
    action = ask(AllGames, game.to_notation(state), seat)
    assert game.fault(state, seat, action) is None


def test_the_game_may_be_left_out_where_it_is_clear() -> None:
    class One(AllGames):
        games = ("shipping",)

    assert play([AllGames, One], seed=1).outcome == play([AllGames, One], "shipping", seed=1).outcome
    with pytest.raises(ValueError, match="have container@1 and shipping@1 in common; say which is to be played"):
        play(AllGames)
    with pytest.raises(ValueError, match="have no game in common"):
        play([One, lambda: One()])  # noqa: PLW0108  a maker that is no class
    with pytest.raises(CodecError, match="'' is not known here"):
        ask(AllGames, [], 0)


def start(samples: Samples, number: int) -> wire.PlayResponse:
    """Return the message that starts a match of a game."""
    codec, game = samples.codec, samples.game
    match_id = f"m-{number}"
    message = wire.MatchStart(
        match_id=match_id,
        game=game.id,
        options=codec.options(samples.long),
        seats=[wire.Seat(bot="b", version="1")] * game.seats(samples.long),
        commitment=commitment(bytes(32), match_id),
        deal=codec.deal(game.initial_state(samples.long, bytes(32)), 0),
    )
    return wire.PlayResponse(match_start=message)


def test_one_session_plays_matches_of_several_games_side_by_side() -> None:
    made: list[AllGames] = []

    def make() -> AllGames:
        made.append(AllGames())
        return made[-1]

    session = Session(make, AllGames.games, max_matches=len(GAMES))
    assert list(session.hello().hello.games) == [game.id for game in GAMES.values()]
    session.react(welcome())
    for number, samples in enumerate(SAMPLES.values()):
        session.react(start(samples, number))
    assert [bot.match.game for bot in made] == [samples.game.id for samples in SAMPLES.values()]
    for number, samples in enumerate(SAMPLES.values()):
        game, codec = samples.game, samples.codec
        state = game.initial_state(samples.long, bytes(32))
        while 0 not in game.to_act(state):
            game.apply_in_place(state, {seat: game.default(state, seat) for seat in game.to_act(state)}, None)
        asked = game.decision(state, 0)
        decision = wire.Decision(match_id=f"m-{number}", decision_id=1, phase=asked.phase, kinds=asked.space.kinds())
        decision.observation.MergeFromString(codec.observed(codec.public(state), state, 0))
        reply = session.react(wire.PlayResponse(decision=decision))
        assert reply is not None
        assert reply.answer.match_id == f"m-{number}"
        assert game.fault(state, 0, codec.decode_action(reply.answer.action)) is None


@every_game
def test_the_bot_is_told_its_own_deal(samples: Samples) -> None:
    """Also on a return, when the position is no longer the first."""
    deals: list[Any] = []

    class Told(AllGames):
        def finish(self, end: Any) -> None:
            deals.append(dict(self.match.deal))

    game = samples.game
    play(Told, game.name, seed=7, options=game.options_to_notation(samples.long))
    assert deals == samples.deals(game.deal_to_notation(samples.long, (7).to_bytes(32, "big")))
