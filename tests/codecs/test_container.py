"""Container's messages that say nothing that the game can take: where, and what is wrong there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from gavelport.v1 import game_pb2
from gavelport_codecs.errors import CodecError
from gavelport_codecs.registry import codec_for
from gavelport_engine.container import actions as act
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.table import Options
from gavelport_engine.playout import playout
from google.protobuf import text_format

from tests.strategies import positions

if TYPE_CHECKING:
    from collections.abc import Callable

CODEC = codec_for("container")
OPTIONS = Options()


ACTIONS = [
    ("", "action", "is not set"),
    ("container {}", "container", "no kind of action is set"),
    ("container { sail {} }", "container.sail.to", "set sea, island or harbour"),
    ("container { sail { to {} } }", "container.sail.to", "is not set"),
    ("container { buy_factory {} }", "container.buy_factory.colour", "0 is no colour"),
    ("container { seize_factory { colour: 6 } }", "container.seize_factory.colour", "6 is no colour"),
    ("container { seize_factory { colour: -1 } }", "container.seize_factory.colour", "-1 is no colour"),
    ("container { surrender { asset: 'ship' } }", "container.surrender.asset", "'ship' is none of factory, warehouse"),
    ("container { surrender {} }", "container.surrender.asset", "'' is none of"),
    ("container { domestic_sale { store: 'x' colour: 1 } }", "container.domestic_sale.store", "'x' is none of"),
    (
        "container { load { take { prices { key: 7 value { tan: 1 } } } } }",
        "container.load.take.prices",
        "price 7: a store has prices 1 to 6",
    ),
    (
        "container { reprice { harbour_store { prices { key: 0 } } } }",
        "container.reprice.harbour_store.prices",
        "price 0",
    ),
    (
        "container { buy { seller: 1 take { prices { key: 4294967295 value {} } } } }",
        "container.buy.take.prices",
        "price 4294967295",
    ),
]


@pytest.mark.parametrize(("text", "path", "problem"), ACTIONS, ids=[text for text, _, _ in ACTIONS])
def test_actions_that_say_nothing_a_game_can_take(text: str, path: str, problem: str) -> None:
    with pytest.raises(CodecError) as caught:
        CODEC.decode_action(text_format.Parse(text, game_pb2.GameAction()))
    assert caught.value.path == path
    assert problem in caught.value.problem
    assert str(caught.value).startswith(f"{path}: ")


def test_a_store_with_a_price_twice_is_the_last_of_them() -> None:
    """The protobuf encoding of a map allows it; no reader can tell."""
    text = "container { load { take { prices { key: 2 value { tan: 1 } } prices { key: 2 value { black: 1 } } } } }"
    action = CODEC.decode_action(text_format.Parse(text, game_pb2.GameAction()))
    assert action == act.Load((0, 0, 0, 0, 0, 1) + (0,) * 24)


OBSERVATIONS = [
    ("", "observation"),
    ("container { table { phase: 77 } }", "container.table.phase"),
    ("container { table { phase: 5 seat: 9 } }", "container.table.seat"),
    ("container { table { phase: 5 boards {} } }", "container.table.boards"),
    ("container { table { phase: 5 boards {} boards {} boards {} boards {} } }", "container.table.boards.factories"),
    ("container { everyone { cash: 1 card: 'A' } table { phase: 5 } }", "container.table.boards"),
]


@pytest.mark.parametrize(("text", "path"), OBSERVATIONS)
def test_observations_of_no_match_with_these_options(text: str, path: str) -> None:
    with pytest.raises(CodecError) as caught:
        CODEC.decode_observation(text_format.Parse(text, game_pb2.GameObservation()), OPTIONS)
    assert caught.value.path == path


CHANGES: list[tuple[str, Callable[[Any], Any]]] = [
    ("container.own.seat", lambda content: setattr(content.own, "seat", 4)),
    ("container.own.card", lambda content: setattr(content.own, "card", "F")),
    ("container.table.boards.ship", lambda content: content.table.boards[3].ClearField("ship")),
    ("container.table.boards.factories", lambda content: content.table.boards[3].factories.append(1)),
    ("container.table.auction.bids", lambda content: content.table.auction.winners.append(1)),
    ("container.table.auction", lambda content: setattr(content.table, "phase", 6)),
    ("container.everyone", lambda content: content.everyone.add(cash=1, card="A")),
    ("container.everyone.card", lambda content: content.everyone.add(cash=1, card="")),
]


@pytest.mark.parametrize(("path", "change"), CHANGES, ids=[path for path, _ in CHANGES])
def test_an_observation_with_one_thing_wrong(path: str, change: Callable[[Any], Any]) -> None:
    state = next(positions(CONTAINER, bytes(32), OPTIONS))
    assert state.table.auction is None
    message = game_pb2.GameObservation.FromString(CODEC.observed(CODEC.public(state), state, 1))
    change(message.container)
    with pytest.raises(CodecError) as caught:
        CODEC.decode_observation(message, OPTIONS)
    assert caught.value.path == path


@pytest.mark.parametrize("text", ["", "container {}", "container { seats: 9 supply_per_player: 4 seized_to: 'box' }"])
def test_options_that_describe_no_game(text: str) -> None:
    with pytest.raises(CodecError, match="options"):
        CODEC.decode_options(text_format.Parse(text, game_pb2.GameOptions()))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "NoneType is none of the game container"),
        (act.Bid(-1), "Bid"),
        (act.Bid(2**32), "Bid"),
        (act.Bid("much"), "Bid"),  # type: ignore[arg-type]
        (act.BuyFactory(5), "5 is no colour"),
        (act.Surrender("ship"), "'ship' is none of"),
        (act.Load((1, 2)), "Load"),
        (act.Produce((1, 2), (0,) * 30), "Produce"),
        (act.Produce(None, None), "Produce"),  # type: ignore[arg-type]
    ],
)
def test_values_that_fit_into_no_message(value: object, said: str) -> None:
    with pytest.raises(CodecError, match=said):
        CODEC.action(value)


def test_a_planted_difference_is_seen() -> None:
    """The comparison of observations sees a single number that is lost on the way."""
    observation = CONTAINER.observation(next(positions(CONTAINER, bytes(32), OPTIONS)), 1)
    message = CODEC.observation(observation)
    assert CODEC.decode_observation(message, OPTIONS) == observation
    message.container.table.boards[2].warehouses += 1
    assert CODEC.decode_observation(message, OPTIONS) != observation


def test_an_empty_island_has_discarded_nothing() -> None:
    discards = set()
    for number in range(4):
        state = playout(CONTAINER, OPTIONS, bytes([number]) * 32).state
        for seat, line in enumerate(CONTAINER.outcome(state).scores):
            discards.add(CODEC.decode_score(CODEC.score(line, state, seat))["discarded"])
    assert None in discards
