"""The codec of Container (`codec.Codec`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gavelport.v1 import container_pb2, game_pb2
from gavelport_engine.container.goods import COLOUR_NAMES
from gavelport_engine.container.table import CARD_NAMES

from gavelport_codecs.base import BaseCodec
from gavelport_codecs.container.actions import ACTIONS
from gavelport_codecs.container.events import EVENTS
from gavelport_codecs.container.goods import COLOUR
from gavelport_codecs.container.position import (
    board_memo,
    decode_observation,
    encode_observation,
    encode_observed,
    encode_table,
)
from gavelport_codecs.errors import CodecError

if TYPE_CHECKING:
    from gavelport_engine.container.table import Observation, Options, State
    from gavelport_engine.game import AnyGame, Json, Viewer

_COUNTS = ("cash", "island", "harbour", "ship", "loans", "island_count")
"""The score line's plain numbers; `bonus`, `discarded` and `card` are the others."""


class ContainerCodec(BaseCodec):
    """Container's values to messages and back. Holds no state but a memo of boards, so one serves everybody."""

    actions = ACTIONS
    events = EVENTS

    def __init__(self, game: AnyGame) -> None:
        """Take the engine's game."""
        super().__init__(game)
        self._boards = board_memo()

    def deal(self, state: State, seat: int) -> game_pb2.GameDeal:
        """Return a seat's value card."""
        return game_pb2.GameDeal(container=container_pb2.ContainerDeal(card=CARD_NAMES[state.cards[seat]]))

    def decode_deal(self, message: game_pb2.GameDeal) -> Json:
        """Return `{"card": "A"}`. Raises CodecError."""
        card = self.inner(message, "deal").card
        if card not in CARD_NAMES:
            raise CodecError("deal.container.card", f"{card[:40]!r} is no card; cards are {', '.join(CARD_NAMES)}")
        return {"card": card}

    def public(self, state: State) -> bytes:
        """Return the table as a serialised field of an observation."""
        return encode_table(state.table, self._boards)

    def observed(self, public: bytes, state: State, viewer: Viewer) -> bytes:
        """Return the viewer's observation as a serialised GameObservation."""
        return encode_observed(public, state, viewer)

    def observation(self, observation: Observation) -> game_pb2.GameObservation:
        """Return an observation as a message; the viewer's own board shows its loans whole, as the value does."""
        return game_pb2.GameObservation.FromString(encode_observation(observation, self._boards))

    def decode_observation(self, message: game_pb2.GameObservation, options: Options) -> Observation:
        """Return an observation. Raises CodecError."""
        return decode_observation(self.inner(message, "observation"), options)

    def score(self, line: Json, state: State, seat: int) -> game_pb2.GameScore:
        """Return a seat's score line and its card."""
        discarded: Any = 0 if line["discarded"] is None else COLOUR.number(COLOUR_NAMES.index(line["discarded"]))
        score = container_pb2.ContainerScore(
            **{name: line[name] for name in _COUNTS},
            bonus=line["bonus"],
            discarded=discarded,
            card=CARD_NAMES[state.cards[seat]],
        )
        return game_pb2.GameScore(container=score)

    def decode_score(self, message: game_pb2.GameScore) -> Json:
        """Return the score line with the seat's card. Raises CodecError."""
        score = self.inner(message, "score")
        discarded = None
        if score.discarded:
            discarded = COLOUR_NAMES[COLOUR.index(score.discarded, "score.container.discarded")]
        counts = {name: getattr(score, name) for name in _COUNTS}
        return counts | {"bonus": score.bonus, "discarded": discarded, "card": score.card}
