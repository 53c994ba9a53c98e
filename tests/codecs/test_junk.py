"""Whatever comes from outside is decoded or refused with a CodecError; nothing else is ever raised."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from gavelport.v1 import game_pb2
from gavelport_codecs.errors import CodecError
from gavelport_codecs.registry import codec_for
from gavelport_engine.errors import Fault
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games.registry import SAMPLES, every_game

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.protobuf.message import Message

    from tests.games.samples import Samples


ENVELOPES: dict[str, type[Message]] = {
    "action": game_pb2.GameAction,
    "event": game_pb2.GameEvent,
    "options": game_pb2.GameOptions,
    "deal": game_pb2.GameDeal,
    "score": game_pb2.GameScore,
    "observation": game_pb2.GameObservation,
}


@cache
def positions(name: str) -> list[Any]:
    """Return the positions of a game's long random play."""
    samples = SAMPLES[name]
    return [samples.game.copy(state) for state in samples.positions()]


def decoder(samples: Samples, what: str) -> Callable[[Any], object]:
    """Return what decodes one kind of envelope."""
    decode = getattr(samples.codec, f"decode_{what}")
    return (lambda message: decode(message, samples.long)) if what == "observation" else decode


def check_decoding(message: Message, decode: Callable[[Any], object]) -> None:
    """Decode; a refusal, in the one way that is allowed, must be short and fit to be shown."""
    said = "decoded"
    try:
        decode(message)
    except CodecError as error:
        said = str(error)
    assert said
    assert said.isprintable()
    assert len(said) < 400


@every_game
@pytest.mark.parametrize("what", ENVELOPES)
@given(content=st.binary(max_size=200))
def test_random_bytes(samples: Samples, what: str, content: bytes) -> None:
    try:
        message = ENVELOPES[what].FromString(content)
    except DecodeError:
        return
    check_decoding(message, decoder(samples, what))


def damaged(content: bytes, changes: list[tuple[int, int]]) -> bytes:
    """Return bytes with some of them replaced."""
    out = bytearray(content)
    for place, value in changes:
        if out:
            out[place % len(out)] = value
    return bytes(out)


changes = st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 255)), min_size=1, max_size=4)


@every_game
@settings(max_examples=300)
@given(data=st.data(), where=changes)
def test_damaged_actions_are_judged(samples: Samples, data: st.DataObject, where: list[tuple[int, int]]) -> None:
    """What a damaged action decodes to, the game judges; neither raises anything else."""
    game, codec = samples.game, samples.codec
    content = codec.action(data.draw(samples.actions)).SerializeToString()
    try:
        decoded = codec.decode_action(game_pb2.GameAction.FromString(damaged(content, where)))
    except (DecodeError, CodecError):
        return
    states = positions(game.name)
    state = states[where[0][0] % len(states)]
    for seat in game.to_act(state):
        assert isinstance(game.fault(state, seat, decoded), Fault | None)


@every_game
@settings(max_examples=200)
@given(data=st.data(), junk=st.sampled_from([{}, [1], object(), b"x", 1.5]))
def test_the_wrong_attribute_of_an_action_is_named(samples: Samples, data: st.DataObject, junk: object) -> None:
    action = data.draw(samples.actions.filter(dataclasses.fields))
    name = data.draw(st.sampled_from([each.name for each in dataclasses.fields(action)]))
    with pytest.raises(CodecError, match=rf"^{type(action).__name__}\.{name}: should be .*, not ") as caught:
        samples.codec.action(dataclasses.replace(action, **{name: junk}))
    assert len(str(caught.value)) < 300


@every_game
@settings(max_examples=200)
@given(number=st.integers(0, 10**6), where=changes)
def test_damaged_observations(samples: Samples, number: int, where: list[tuple[int, int]]) -> None:
    states = positions(samples.game.name)
    state = states[number % len(states)]
    content = samples.codec.observed(samples.codec.public(state), state, 1)
    try:
        message = game_pb2.GameObservation.FromString(damaged(content, where))
    except DecodeError:
        return
    check_decoding(message, decoder(samples, "observation"))


@every_game
@pytest.mark.parametrize("what", ENVELOPES)
def test_another_game_s_message(samples: Samples, what: str) -> None:
    """A bot of one game that answers in another gets the field's name."""
    for other in SAMPLES.values():
        message: Any = ENVELOPES[what]()
        if other is not samples:
            getattr(message, other.game.name).SetInParent()
        else:
            assert message.WhichOneof("game") is None
        with pytest.raises(CodecError, match=f"the game {samples.game.name}|set the field '{samples.game.name}'"):
            decoder(samples, what)(message)


@pytest.mark.parametrize("name", ["chess", "container@2", "container@", "", "Container", "shipping@0"])
def test_a_game_that_is_not_known(name: str) -> None:
    with pytest.raises(CodecError, match="there is container@1, shipping@1"):
        codec_for(name)
