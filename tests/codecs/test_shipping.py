"""Shipping's messages that say nothing that the game can take: where, and what is wrong there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from gavelport.v1 import game_pb2
from gavelport_codecs.errors import CodecError
from gavelport_codecs.registry import codec_for
from gavelport_engine.shipping import actions as act
from gavelport_engine.shipping.rules import SHIPPING
from gavelport_engine.shipping.table import Options
from google.protobuf import text_format

if TYPE_CHECKING:
    from collections.abc import Callable

CODEC = codec_for("shipping")
OPTIONS = Options()

ACTIONS = [
    ("", "action", "is not set"),
    ("shipping {}", "shipping", "no kind of action is set"),
    ("shipping { move {} }", "shipping.move.ship", "0 is no ship; set one of S1, S2, S3, L1, L2 (1 to 5)"),
    ("shipping { move { ship: 1 path: [1, 49] } }", "shipping.move.path", "49 is no space; set one of (1 to 48)"),
    ("shipping { sell { ship: 1 } }", "shipping.sell.good", "0 is no good; set one of grain, "),
    ("shipping { sell { ship: 1 good: 1 order: 49 } }", "shipping.sell.order", "49 is no Order"),
    ("shipping { buy_ship { kind: 'huge' } }", "shipping.buy_ship.kind", "'huge' is none of small, large"),
    ("shipping { build { region: 7 } }", "shipping.build.region", "7 is no region"),
    ("shipping { produce { region: -1 } }", "shipping.produce.region", "-1 is no region"),
    ("shipping { sell_asset {} }", "shipping.sell_asset.asset", "'' is none of share, ship, factory"),
    ("shipping { sell_asset { asset: 'ship' ship: 6 } }", "shipping.sell_asset.ship", "6 is no ship"),
]


@pytest.mark.parametrize(("text", "path", "problem"), ACTIONS, ids=[text for text, _, _ in ACTIONS])
def test_actions_that_say_nothing_a_game_can_take(text: str, path: str, problem: str) -> None:
    with pytest.raises(CodecError) as caught:
        CODEC.decode_action(text_format.Parse(text, game_pb2.GameAction()))
    assert caught.value.path == path
    assert problem in caught.value.problem


READABLE = {
    "shipping { buy { ship: 1 } }": act.Buy(0, 0),
    "shipping { sell { ship: 4 good: 6 } }": act.Sell(3, 5),
    "shipping { sell { ship: 4 good: 6 order: 48 } }": act.Sell(3, 5, 47),
    "shipping { buy_order {} }": act.BuyOrder(0),
    "shipping { sell_asset { asset: 'ship' } }": act.SellAsset("ship"),
}


@pytest.mark.parametrize("text", READABLE)
def test_what_is_left_out_is_zero_or_none(text: str) -> None:
    """Nothing is filled in: whether it is legal is the game's matter."""
    assert CODEC.decode_action(text_format.Parse(text, game_pb2.GameAction())) == READABLE[text]


CHANGES: list[tuple[str, Callable[[Any], Any]]] = [
    ("table.phase", lambda content: setattr(content.table, "phase", 77)),
    ("table.seat", lambda content: setattr(content.table, "seat", 3)),
    ("table.start", lambda content: setattr(content.table, "start", 3)),
    ("table.pending", lambda content: content.table.pending.SetInParent()),
    ("table.pending", lambda content: setattr(content.table, "phase", 2)),
    ("table.open_orders", lambda content: content.table.open_orders.append(1)),
    ("table.open_orders", lambda content: content.table.open_orders.__setitem__(0, 49)),
    ("table.order_discard", lambda content: content.table.order_discard.extend([5, 4])),
    ("table.news", lambda content: content.table.news.append(25)),
    ("table.terminal.grain", lambda content: content.table.terminal.grain.owners.extend([0] * 7)),
    ("table.terminal.coffee", lambda content: content.table.terminal.coffee.owners.append(3)),
    ("table.terminal.coffee", lambda content: content.table.terminal.coffee.owners.append(-2)),
    ("table.boards", lambda content: content.table.boards.add()),
    ("table.boards.home", lambda content: setattr(content.table.boards[1], "home", 1)),
    ("table.boards.stock", lambda content: setattr(content.table.boards[1], "stock", 65)),
    ("table.boards.track", lambda content: setattr(content.table.boards[1], "track", 17)),
    ("table.boards.ships.name", lambda content: content.table.boards[1].ships.add(at=1)),
    ("table.boards.ships.at", lambda content: content.table.boards[1].ships.add(name=2)),
    ("table.boards.ships", lambda content: content.table.boards[1].ships.add(name=1, at=1)),
    ("table.boards.ships.cargo", lambda content: content.table.boards[1].ships[0].cargo.extend([1, 1])),
    ("table.boards.ships.cargo", lambda content: content.table.boards[1].ships.add(name=4, at=1, cargo=[2, 1])),
    ("table.boards.factories", lambda content: content.table.boards[1].factories.add(region=1)),
    ("table.boards.factories", lambda content: content.table.boards[1].factories.add(region=1, built=4)),
    ("table.boards.factories", lambda content: content.table.boards[1].factories.add(region=1, built=1, marked=2)),
    ("table.boards.orders", lambda content: [content.table.boards[1].orders.add() for _ in range(5)]),
    ("own.seat", lambda content: setattr(content.own, "seat", 3)),
    ("own.hand.orders", lambda content: content.own.hand.orders.append(1)),
    ("own.hand.orders", lambda content: content.own.hand.orders.__setitem__(0, 0)),
    ("everything.seed", lambda content: content.everything.SetInParent()),
    ("everything.hands", lambda content: setattr(content.everything, "seed", bytes(32))),
]


@pytest.mark.parametrize(("path", "change"), CHANGES, ids=[path for path, _ in CHANGES])
def test_an_observation_with_one_thing_wrong(path: str, change: Callable[[Any], Any]) -> None:
    state = SHIPPING.initial_state(OPTIONS, bytes(32))
    message = game_pb2.GameObservation.FromString(CODEC.observed(CODEC.public(state), state, 1))
    assert CODEC.decode_observation(message, OPTIONS).hand == state.hands[1]
    change(message.shipping)
    with pytest.raises(CodecError) as caught:
        CODEC.decode_observation(message, OPTIONS)
    assert caught.value.path == f"shipping.{path}"


@pytest.mark.parametrize(
    "text", ["", "shipping {}", "shipping { seats: 6 years: 4 }", "shipping { seats: 3 years: 2 }"]
)
def test_options_that_describe_no_game(text: str) -> None:
    with pytest.raises(CodecError, match="options"):
        CODEC.decode_options(text_format.Parse(text, game_pb2.GameOptions()))


PATH = "a tuple, of each the number of a space (0 to 47)"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "NoneType is none of the game shipping"),
        (act.Buy(5, 1), "Buy.ship: should be the number of a ship (0 to 4), not 5"),
        (act.Buy(0, -1), "Buy.count: should be a whole number from 0 to 4294967295, not -1"),
        (act.BuyAp(2**32), "BuyAp.count: should be a whole number from 0 to 4294967295, not 4294967296"),
        (act.BuyAp("much"), "BuyAp.count: should be a whole number from 0 to 4294967295, not 'much'"),  # type: ignore[arg-type]
        (act.BuyShip("huge"), "BuyShip.kind: should be 'small' or 'large', not 'huge'"),
        (act.Move(0, (48,)), f"Move.path: should be {PATH}, not (48,)"),
        (act.Move(0, [1]), f"Move.path: should be {PATH}, not the list [1]"),  # type: ignore[arg-type]
        (act.Move(0, None), f"Move.path: should be {PATH}, not None"),  # type: ignore[arg-type]
        (act.Move(0, (1,), "yes"), "Move.boost: should be True or False, not 'yes'"),  # type: ignore[arg-type]
        (act.Sell(0, 0, -1), "Sell.order: should be the number of an Order (0 to 47) or None, not -1"),
    ],
)
def test_values_that_fit_into_no_message(value: object, said: str) -> None:
    with pytest.raises(CodecError) as caught:
        CODEC.action(value)
    assert str(caught.value).removeprefix("action: ") == said
