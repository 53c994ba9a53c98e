"""Whatever becomes a message comes back as it was, in every game."""

from __future__ import annotations

import copy
import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from gavelport.v1 import game_pb2
from gavelport_codecs.registry import CODECS
from gavelport_engine.game import SPECTATOR
from gavelport_engine.playout import playout
from gavelport_engine.registry import GAMES
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import strategies as some
from tests.games.registry import SAMPLES, every_game

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tests.games.samples import Samples


def carried(message: Message) -> Any:
    """Return a message as it is on the other side of the wire."""
    return type(message).FromString(message.SerializeToString())


def test_every_game_has_a_codec_and_samples() -> None:
    assert CODECS.keys() == GAMES.keys() == SAMPLES.keys()
    assert all(codec.game is GAMES[name] for name, codec in CODECS.items())


@every_game
@given(data=st.data())
def test_actions(samples: Samples, data: st.DataObject) -> None:
    action = data.draw(samples.actions)
    assert samples.codec.decode_action(carried(samples.codec.action(action))) == action


@every_game
@given(data=st.data())
def test_events(samples: Samples, data: st.DataObject) -> None:
    event = data.draw(samples.events)
    assert samples.codec.decode_event(game_pb2.GameEvent.FromString(samples.codec.event(event))) == event


@every_game
@given(data=st.data())
def test_options(samples: Samples, data: st.DataObject) -> None:
    options = data.draw(samples.options)
    assert samples.codec.decode_options(carried(samples.codec.options(options))) == options


@every_game
@settings(max_examples=25)
@given(data=st.data())
def test_observations(samples: Samples, data: st.DataObject) -> None:
    observation = data.draw(samples.observations)
    message = carried(samples.codec.observation(observation))
    assert samples.codec.decode_observation(message, observation.table.options) == observation


@every_game
def test_every_kind_has_a_message(samples: Samples) -> None:
    """The strategies draw from all kinds there are; a kind without a message of its own would be tested by none."""
    for name, kinds in zip(("actions", "events"), samples.kinds, strict=True):
        assert set(getattr(samples.codec, name).kinds) == set(kinds.values())


def compare_all_viewers(samples: Samples, seed: bytes, options: Any) -> int:
    """Check the spliced observation of every viewer at every position of a random game; return how many there were."""
    game, codec, count = samples.game, samples.codec, 0
    for state in samples.positions(seed, options):
        public = codec.public(state)
        assert public == codec.public(copy.deepcopy(state))
        # While sealed answers are out, the viewer's own public part may show what others see of it.
        is_sealed = any(game.decision(state, seat).sealed for seat in game.to_act(state))
        for viewer in (SPECTATOR, *range(game.seats(options))):
            spliced = game_pb2.GameObservation.FromString(codec.observed(public, state, viewer))
            expected = samples.withheld(game.observation(state, viewer))
            assert codec.decode_observation(spliced, options) == expected
            assert is_sealed or spliced == codec.observation(expected)
            count += 1
    return count


@every_game
@pytest.mark.parametrize("more", [0, 1, 2])
def test_spliced_observations_are_the_game_s(samples: Samples, more: int) -> None:
    seats = samples.game.least_seats + more
    options = dataclasses.replace(samples.long, seats=seats)
    assert compare_all_viewers(samples, bytes([seats]) * 32, options) > 300


@pytest.mark.long
@every_game
@settings(max_examples=60, deadline=None)
@given(data=st.data(), seed=some.seeds)
def test_spliced_observations_are_the_game_s_for_any_options(
    samples: Samples, data: st.DataObject, seed: bytes
) -> None:
    options = data.draw(samples.options.map(samples.shortened))
    assert compare_all_viewers(samples, seed, options) > 0


@every_game
def test_scores_and_deals(samples: Samples) -> None:
    """A score is the game's line with what was hidden; a deal is the seat's own."""
    game, codec = samples.game, samples.codec
    options = game.options({"seats": game.most_seats})
    for number in range(4):
        seed = bytes([number]) * 32
        first = game.initial_state(options, seed)
        deals = [codec.decode_deal(carried(codec.deal(first, seat))) for seat in range(game.most_seats)]
        assert deals == samples.deals(game.deal_to_notation(options, seed))
        state = playout(game, options, seed).state
        for seat, line in enumerate(game.outcome(state).scores):
            score = codec.decode_score(carried(codec.score(line, state, seat)))
            assert score == {**line, **samples.revealed(state, seat)}


@every_game
def test_numbers_follow_the_names(samples: Samples) -> None:
    """The messages' enums are in the order of the notation's names, which is the order of the engine's numbers."""
    enums = samples.enums
    field: Any = game_pb2.GameObservation.DESCRIPTOR.fields_by_name[samples.game.name]
    file = field.message_type.file
    assert set(enums) == {name for name in file.enum_types_by_name if not name.endswith("Phase")}
    for name, words in enums.items():
        values = file.enum_types_by_name[name].values
        prefix = values[0].name.removesuffix("UNSPECIFIED")
        assert [value.name.removeprefix(prefix).lower() for value in values[1:]] == [word.lower() for word in words]
        assert [value.number for value in values] == list(range(len(words) + 1))
