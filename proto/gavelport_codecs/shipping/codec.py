"""The codec of Shipping (`codec.Codec`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport.v1 import game_pb2, shipping_pb2
from gavelport_engine.shipping.data import ORDER_IDS

from gavelport_codecs.base import BaseCodec
from gavelport_codecs.shipping.actions import ACTIONS
from gavelport_codecs.shipping.events import EVENTS
from gavelport_codecs.shipping.numbered import ORDER
from gavelport_codecs.shipping.position import board_memo, encode_observation, encode_observed, encode_table
from gavelport_codecs.shipping.position_reading import decode_observation

if TYPE_CHECKING:
    from gavelport_engine.game import AnyGame, Json, Viewer
    from gavelport_engine.shipping.table import Observation, Options, State

_COUNTS = ("stock", "cash", "cash_points", "completed")
"""The score line's plain numbers; `bankrupt` and `orders` are the others."""


class ShippingCodec(BaseCodec):
    """Shipping's values to messages and back. Holds no state but a memo of boards, so one serves everybody."""

    actions = ACTIONS
    events = EVENTS

    def __init__(self, game: AnyGame) -> None:
        """Take the engine's game."""
        super().__init__(game)
        self._boards = board_memo()

    def deal(self, state: State, seat: int) -> game_pb2.GameDeal:
        """Return a seat's first hidden Order."""
        order = ORDER.number(state.hands[seat][0]) if state.hands[seat] else 0
        return game_pb2.GameDeal(shipping=shipping_pb2.ShippingDeal(order=order))

    def decode_deal(self, message: game_pb2.GameDeal) -> Json:
        """Return `{"order": "O17"}`, with None where the match began without. Raises CodecError."""
        order = ORDER.index_or_none(self.inner(message, "deal").order, "deal.shipping.order")
        return {"order": None if order is None else ORDER_IDS[order]}

    def public(self, state: State) -> bytes:
        """Return the table as a serialised field of an observation."""
        return encode_table(state.table, self._boards)

    def observed(self, public: bytes, state: State, viewer: Viewer) -> bytes:
        """Return the viewer's observation as a serialised GameObservation."""
        return encode_observed(public, state, viewer)

    def observation(self, observation: Observation) -> game_pb2.GameObservation:
        """Return an observation as a message."""
        return game_pb2.GameObservation.FromString(encode_observation(observation, self._boards))

    def decode_observation(self, message: game_pb2.GameObservation, options: Options) -> Observation:
        """Return an observation. Raises CodecError."""
        return decode_observation(self.inner(message, "observation"), options)

    def score(self, line: Json, state: State, seat: int) -> game_pb2.GameScore:
        """Return a seat's score line and the Orders that it was left with."""
        score = shipping_pb2.ShippingScore(
            **{name: line[name] for name in _COUNTS},
            bankrupt=line["bankrupt"] or 0,
            orders=ORDER.numbers(state.hands[seat]),
        )
        return game_pb2.GameScore(shipping=score)

    def decode_score(self, message: game_pb2.GameScore) -> Json:
        """Return the score line, and the Orders that the seat was left with. Raises CodecError."""
        score = self.inner(message, "score")
        orders = [ORDER_IDS[card] for card in ORDER.indices(score.orders, "score.shipping.orders")]
        counts = {name: getattr(score, name) for name in _COUNTS}
        return counts | {"bankrupt": score.bankrupt or None, "orders": orders}
