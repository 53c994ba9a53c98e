"""A million damaged messages: each is decoded and judged, or refused; nothing else is ever raised."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from gavelport.v1 import game_pb2
from gavelport_codecs.errors import CodecError
from gavelport_codecs.registry import codec_for
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.table import Options
from gavelport_engine.errors import Fault
from gavelport_engine.rng import Stream
from google.protobuf.message import DecodeError

from tests import strategies as some

if TYPE_CHECKING:
    from gavelport_codecs.codec import Codec
    from gavelport_engine.container.table import State

OPTIONS = Options(max_rounds=25)


def samples() -> tuple[list[State], list[bytes], list[bytes], list[bytes]]:
    """Return positions of a random game, and its actions, events and observations as bytes."""
    codec, rng = codec_for("container"), Stream(bytes(32), "samples")
    states: list[State] = []
    actions: list[bytes] = []
    events: list[bytes] = []
    observations: list[bytes] = []
    for position, happened in some.steps(some.seed_of_many_phases(OPTIONS), OPTIONS):
        state = CONTAINER.copy(position)
        states.append(state)
        events += map(codec.event, happened)
        observations.append(codec.observed(codec.public(state), state, 1))
        for seat in CONTAINER.to_act(state):
            action = CONTAINER.decision(state, seat).space.sample(rng)
            actions.append(codec.action(action).SerializeToString())
    return states, actions, events, observations


def damaged(content: bytes, rng: Stream) -> bytes:
    """Return bytes with some replaced, left out, doubled, or cut off."""
    out = bytearray(content)
    for _ in range(rng.below(3) + 1):
        place = rng.below(len(out) + 1)
        match rng.below(4):
            case 0:
                out[place : place + 1] = bytes([rng.below(256)])
            case 1:
                del out[place : place + rng.below(4)]
            case 2:
                out[place:place] = out[place : place + rng.below(8)]
            case _:
                out[place:place] = bytes([rng.below(256)])
    return bytes(out)


def fuzz(codec: Codec, count: int) -> Counter[str]:
    """Decode damaged messages; return how often what came of it."""
    states, actions, events, observations = samples()
    rng, outcomes = Stream(bytes([1]) * 32, "fuzz"), Counter[str]()
    for number in range(count):
        try:
            match number % 3:
                case 0:
                    content = damaged(actions[rng.below(len(actions))], rng)
                    action = codec.decode_action(game_pb2.GameAction.FromString(content))
                    state = states[rng.below(len(states))]
                    faults = [CONTAINER.fault(state, seat, action) for seat in CONTAINER.to_act(state)]
                    assert all(fault is None or isinstance(fault, Fault) for fault in faults)
                    outcomes["judged"] += 1
                case 1:
                    content = damaged(events[rng.below(len(events))], rng)
                    codec.decode_event(game_pb2.GameEvent.FromString(content))
                    outcomes["heard"] += 1
                case _:
                    content = damaged(observations[rng.below(len(observations))], rng)
                    seen = codec.decode_observation(game_pb2.GameObservation.FromString(content), OPTIONS)
                    CONTAINER.observed_decision(seen)
                    outcomes["seen"] += 1
        except DecodeError:
            outcomes["no message"] += 1
        except CodecError:
            outcomes["refused"] += 1
    return outcomes


ALL = {"judged", "heard", "seen", "no message", "refused"}


def test_some_thousand_damaged_messages() -> None:
    outcomes = fuzz(codec_for("container"), 6_000)
    assert set(outcomes) == ALL
    assert min(outcomes.values()) > 100


@pytest.mark.long
def test_a_million_damaged_messages() -> None:
    assert fuzz(codec_for("container"), 1_000_000).total() == 1_000_000


def test_a_decoder_that_crashes_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    codec = codec_for("container")
    decode_action = codec.decode_action

    def planted(message: Any) -> Any:
        action = decode_action(message)
        return 1 // (len(repr(action)) % 7)

    monkeypatch.setattr(codec, "decode_action", planted)
    with pytest.raises(ZeroDivisionError):
        fuzz(codec, 6_000)
