"""A million damaged messages: each is decoded and judged, or refused; nothing else is ever raised."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from gavelport.v1 import game_pb2
from gavelport_codecs.errors import CodecError
from gavelport_engine.errors import Fault
from gavelport_engine.rng import Stream
from google.protobuf.message import DecodeError

from tests.games.registry import every_game

if TYPE_CHECKING:
    from tests.games.samples import Samples


def written(samples: Samples) -> tuple[list[Any], list[bytes], list[bytes], list[bytes]]:
    """Return positions of a random game, and its actions, events and observations as bytes."""
    game, codec, rng = samples.game, samples.codec, Stream(bytes(32), "samples")
    states: list[Any] = []
    actions: list[bytes] = []
    events: list[bytes] = []
    observations: list[bytes] = []
    for position, happened in samples.steps():
        state = game.copy(position)
        states.append(state)
        events += map(codec.event, happened)
        observations.append(codec.observed(codec.public(state), state, 1))
        for seat in game.to_act(state):
            action = game.decision(state, seat).space.sample(rng)
            actions.append(codec.action(action).SerializeToString())
    return states, actions, events, observations


def damaged(content: bytes, rng: Stream) -> bytes:
    """Return bytes with some replaced, left out, doubled, or cut off; often just one, so that a message remains."""
    out = bytearray(content)
    for _ in range(max(1, rng.below(6) - 2)):
        place = rng.below(len(out) + 1)
        match rng.below(8):
            case 0:
                del out[place : place + rng.below(4)]
            case 1:
                out[place:place] = out[place : place + rng.below(8)]
            case 2:
                out[place:place] = bytes([rng.below(256)])
            case _:
                out[place : place + 1] = bytes([rng.below(256)])
    return bytes(out)


def fuzz(samples: Samples, count: int) -> Counter[str]:
    """Decode damaged messages; return how often what came of it."""
    game, codec = samples.game, samples.codec
    states, actions, events, observations = written(samples)
    rng, outcomes = Stream(bytes([1]) * 32, "fuzz"), Counter[str]()
    for number in range(count):
        try:
            match number % 3:
                case 0:
                    content = damaged(actions[rng.below(len(actions))], rng)
                    action = codec.decode_action(game_pb2.GameAction.FromString(content))
                    state = states[rng.below(len(states))]
                    faults = [game.fault(state, seat, action) for seat in game.to_act(state)]
                    assert all(fault is None or isinstance(fault, Fault) for fault in faults)
                    outcomes["judged"] += 1
                case 1:
                    content = damaged(events[rng.below(len(events))], rng)
                    codec.decode_event(game_pb2.GameEvent.FromString(content))
                    outcomes["heard"] += 1
                case _:
                    content = damaged(observations[rng.below(len(observations))], rng)
                    seen = codec.decode_observation(game_pb2.GameObservation.FromString(content), samples.long)
                    game.observed_decision(seen)
                    outcomes["seen"] += 1
        except DecodeError:
            outcomes["no message"] += 1
        except CodecError:
            outcomes["refused"] += 1
    return outcomes


ALL = {"judged", "heard", "seen", "no message", "refused"}


@every_game
def test_some_thousand_damaged_messages(samples: Samples) -> None:
    outcomes = fuzz(samples, 6_000)
    assert set(outcomes) == ALL
    assert min(outcomes.values()) > 100


@pytest.mark.long
@every_game
def test_a_million_damaged_messages(samples: Samples) -> None:
    assert fuzz(samples, 1_000_000).total() == 1_000_000


@every_game
def test_a_decoder_that_crashes_is_caught(samples: Samples, monkeypatch: pytest.MonkeyPatch) -> None:
    decode_action = samples.codec.decode_action

    def planted(message: Any) -> Any:
        action = decode_action(message)
        return 1 // (len(repr(action)) % 7)

    monkeypatch.setattr(samples.codec, "decode_action", planted)
    with pytest.raises(ZeroDivisionError):
        fuzz(samples, 6_000)
