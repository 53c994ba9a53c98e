"""Whatever becomes a message comes back as it was."""

from __future__ import annotations

import copy
import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from gavelport.v1 import game_pb2
from gavelport_codecs.container.actions import ACTIONS
from gavelport_codecs.container.events import EVENTS
from gavelport_codecs.registry import CODECS, codec_for
from gavelport_engine.container import actions as act
from gavelport_engine.container import events as ev
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.table import Options
from gavelport_engine.game import SPECTATOR, Outcome
from gavelport_engine.playout import playout
from gavelport_engine.registry import GAMES
from hypothesis import given, settings

from tests import strategies as some

if TYPE_CHECKING:
    from gavelport_engine.container.table import Observation
    from google.protobuf.message import Message

CODEC = codec_for("container")


def carried(message: Message) -> Any:
    """Return a message as it is on the other side of the wire."""
    return type(message).FromString(message.SerializeToString())


def test_every_game_has_a_codec() -> None:
    assert CODECS.keys() == GAMES.keys()
    assert all(codec.game is GAMES[name] for name, codec in CODECS.items())


@given(some.actions)
def test_actions(action: act.Action) -> None:
    assert CODEC.decode_action(carried(CODEC.action(action))) == action


@given(some.events)
def test_events(event: ev.Event) -> None:
    assert CODEC.decode_event(game_pb2.GameEvent.FromString(CODEC.event(event))) == event


@given(some.options)
def test_options(options: Options) -> None:
    assert CODEC.decode_options(carried(CODEC.options(options))) == options


@settings(max_examples=50)
@given(some.observations())
def test_observations(observation: Observation) -> None:
    message = carried(CODEC.observation(observation))
    assert CODEC.decode_observation(message, observation.table.options) == observation


def test_strategies_reach_every_kind() -> None:
    """A kind without a strategy of its own would be tested by none of the above."""
    assert set(act.KINDS.values()) == set(ACTIONS.kinds)
    assert set(ev.KINDS.values()) == set(EVENTS.kinds)


def test_a_planted_difference_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison of observations sees a single number that is lost on the way."""
    (first, *_) = some.positions(bytes(32), Options())
    observation = CONTAINER.observation(first, 1)
    message = carried(CODEC.observation(observation))
    assert CODEC.decode_observation(message, Options()) == observation
    message.container.table.boards[2].warehouses += 1
    assert CODEC.decode_observation(message, Options()) != observation


def withheld(observation: Observation) -> Observation:
    """Return an observation without what the referee holds back until the block is over."""
    return dataclasses.replace(observation, everyone=None)


def compare_all_viewers(seed: bytes, options: Options) -> int:
    """Check the spliced observation of every viewer at every position of a random game; return how many there were."""
    count = 0
    for state in some.positions(seed, options):
        public = CODEC.public(state)
        assert public == CODEC.public(copy.deepcopy(state))
        for viewer in (SPECTATOR, *range(options.seats)):
            spliced = game_pb2.GameObservation.FromString(CODEC.observed(public, state, viewer))
            expected = withheld(CONTAINER.observation(state, viewer))
            assert CODEC.decode_observation(spliced, options) == expected
            if viewer is SPECTATOR or not state.sealed_loans or not state.sealed_loans[viewer]:
                # Else the viewer's own board shows its loans as others see them, and only `own` shows all.
                assert spliced == CODEC.observation(expected)
            count += 1
    return count


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_spliced_observations_are_the_game_s(seats: int) -> None:
    options = Options(seats=seats, domestic_sale=seats == 4, max_rounds=15)
    assert compare_all_viewers(bytes([seats]) * 32, options) > 300


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(some.seeds, some.options)
def test_spliced_observations_are_the_game_s_for_any_options(seed: bytes, options: Options) -> None:
    options = dataclasses.replace(options, supply_per_player=options.supply_per_player % 6 + 1)
    assert compare_all_viewers(seed, dataclasses.replace(options, max_rounds=20, stall_rounds=5)) > 0


def test_scores_and_deals() -> None:
    options = Options(seats=5)
    discards = set()
    for number in range(4):
        state = playout(CONTAINER, options, bytes([number]) * 32).state
        outcome: Outcome = CONTAINER.outcome(state)
        for seat, line in enumerate(outcome.scores):
            deal = CODEC.decode_deal(carried(CODEC.deal(state, seat)))
            score = CODEC.decode_score(carried(CODEC.score(line, state, seat)))
            assert score == {**line, **deal}
            discards.add(score["discarded"])
    assert None in discards
