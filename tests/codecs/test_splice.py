"""Spliced bytes are the ordinary encoding, with every embedded message in them once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from gavelport.v1 import container_pb2, game_pb2, referee_pb2
from gavelport_codecs.container.position import board_memo as container_memo
from gavelport_codecs.shipping.position import board_memo as shipping_memo
from gavelport_codecs.splice import field, varint
from gavelport_engine.container import table as container_table
from gavelport_engine.game import SPECTATOR
from gavelport_engine.shipping import table as shipping_table
from hypothesis import given
from hypothesis import strategies as st

from tests.games.registry import every_game

if TYPE_CHECKING:
    from tests.games.samples import Samples

LENGTH_DELIMITED = 2


def fields_of(content: bytes) -> list[tuple[int, bytes | int]]:
    """Return number and payload of all fields in a message, in their order, repeated ones as often as they stand."""
    found: list[tuple[int, bytes | int]] = []
    place = 0
    while place < len(content):
        key, place = read_varint(content, place)
        value, place = read_varint(content, place)
        if key & 7 == LENGTH_DELIMITED:
            found.append((key >> 3, content[place : place + value]))
            place += value
        else:
            assert key & 7 == 0
            found.append((key >> 3, value))
    return found


def read_varint(content: bytes, place: int) -> tuple[int, int]:
    """Return a number and the place after it."""
    number = shift = 0
    while True:
        byte = content[place]
        number |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return number, place


def twice(content: bytes, descriptor: Any) -> list[str]:
    """Return the names of embedded messages that stand twice where one is meant, at any depth."""
    found: list[str] = []
    seen: set[int] = set()
    for number, payload in fields_of(content):
        field_descriptor = descriptor.fields_by_number[number]
        if field_descriptor.message_type is None:
            continue
        if number in seen and not field_descriptor.is_repeated:
            found.append(field_descriptor.full_name)
        seen.add(number)
        assert isinstance(payload, bytes)
        found += twice(payload, field_descriptor.message_type)
    return found


@given(st.integers(0, 2**32 - 1))
def test_varint_is_protobuf_s(number: int) -> None:
    message = container_pb2.ContainerBag(black=number)
    assert (b"\x08" + varint(number) if number else b"") == message.SerializeToString()


@given(st.integers(1, 63), st.binary(max_size=400))
def test_a_field_parses_as_what_went_in(number: int, payload: bytes) -> None:
    content = field(number, payload)
    assert fields_of(content) == [(number, payload)]


@every_game
def test_a_decision_can_be_spliced_together(samples: Samples) -> None:
    codec = samples.codec
    state, events = next(samples.steps())
    observed = codec.observed(codec.public(state), state, 0)
    head = referee_pb2.Decision(match_id="m", decision_id=1, last_event=len(events))
    content = head.SerializeToString() + field(9, observed)
    content += b"".join(field(10, codec.event(event)) for event in events)
    decision = referee_pb2.PlayResponse.FromString(field(3, content)).decision
    assert decision.match_id == "m"
    assert decision.observation.SerializeToString(deterministic=True) == game_pb2.GameObservation.FromString(
        observed
    ).SerializeToString(deterministic=True)
    assert [codec.decode_event(event) for event in decision.events] == events


@every_game
def test_no_embedded_message_stands_there_twice(samples: Samples) -> None:
    """Readers that do not merge repeated messages (protobufjs) would lose what stands in the first."""
    codec = samples.codec
    for state in samples.positions():
        for viewer in (0, 1, SPECTATOR):
            content = codec.observed(codec.public(state), state, viewer)
            assert twice(content, game_pb2.GameObservation.DESCRIPTOR) == []


@every_game
def test_a_message_that_stands_there_twice_is_caught(samples: Samples) -> None:
    codec, state = samples.codec, next(samples.positions())
    public = codec.public(state)
    planted = codec.observed(public + public, state, 0)
    name = f"gavelport.v1.{samples.game.name.title()}Observation.table"
    assert twice(planted, game_pb2.GameObservation.DESCRIPTOR) == [name]


BOARDS: list[tuple[Any, Any, dict[str, Any]]] = [
    (
        container_memo(),
        container_table.Board(),
        {
            "loans": 1,
            "factories": (1, None, None, None),
            "warehouses": 2,
            "factory_store": (1,) * 30,
            "harbour_store": (1,) * 30,
            "ship_at": 2,
            "cargo": (1,) * 5,
            "island": (1,) * 5,
        },
    ),
    (
        shipping_memo(),
        shipping_table.Board(600, 100, 0, 1, (None,) * 5, (0,) * 6, (0,) * 6),
        {
            "cash": 1,
            "stock": 110,
            "track": 1,
            "home": 2,
            "ships": (shipping_table.Ship(0), None, None, None, None),
            "built": (0, 2, 0, 0, 0, 0),
            "marked": (0, 1, 0, 0, 0, 0),
            "orders": (shipping_table.HeldOrder(None),),
            "completed": 3,
            "bankrupt": 1,
        },
    ),
]


@pytest.mark.parametrize(("memo", "board", "changes"), BOARDS, ids=["container", "shipping"])
def test_a_memo_sees_every_change_of_a_board(memo: Any, board: Any, changes: dict[str, Any]) -> None:
    """A board that is changed in place is encoded anew, whichever of its attributes changed."""
    assert set(changes) == set(type(board).__slots__)
    seen = {*memo([board])}
    for name, value in changes.items():
        setattr(board, name, value)
        seen.update(memo([board]))
    assert len(seen) == len(changes) + 1
