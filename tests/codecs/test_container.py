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


BAG = "a bag, a tuple of 5 counts (black, white, brown, tan, orange)"
STORE = "a store, a tuple of 30 counts (5 colours at each price from $1 to $6)"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "NoneType is none of the game container"),
        (act.Bid(-1), "Bid.amount: should be a whole number from 0 to 4294967295, not -1"),
        (act.Bid(2**32), "Bid.amount: should be a whole number from 0 to 4294967295, not 4294967296"),
        (act.Bid(10**5000), "Bid.amount: should be a whole number from 0 to 4294967295, not such a number"),
        (act.Bid(0, "much"), "Bid.loans: should be a whole number from 0 to 4294967295, not 'much'"),  # type: ignore[arg-type]
        (act.Bid(None), "Bid.amount: should be a whole number from 0 to 4294967295, not None"),  # type: ignore[arg-type]
        (act.BuyFactory(5), "BuyFactory.colour: should be the number of a colour (0 to 4), not 5"),
        (act.Surrender("ship"), "Surrender.asset: should be 'factory' or 'warehouse', not 'ship'"),
        (act.Sail(-3), "Sail.to: should be SEA, ISLAND or the seat whose harbour it is, not -3"),
        (act.Load((1, 2)), f"Load.take: should be {STORE}, not (1, 2)"),
        (act.Load((9,) * 5), f"Load.take: should be {STORE}, not (9, 9, 9, 9, 9)"),
        (act.Buy(1, (0,) * 30, {}), f"Buy.harbour_store: should be {STORE}, not the dict {{}}"),  # type: ignore[arg-type]
        (act.Produce((1, 2), (0,) * 30), f"Produce.make: should be {BAG}, not (1, 2)"),
        (act.Produce([0] * 5, (0,) * 30), f"Produce.make: should be {BAG}, not the list [0, 0, 0, 0, 0]"),  # type: ignore[arg-type]
    ],
)
def test_values_that_fit_into_no_message(value: object, said: str) -> None:
    with pytest.raises(CodecError) as caught:
        CODEC.action(value)
    assert str(caught.value).removeprefix("action: ") == said


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
