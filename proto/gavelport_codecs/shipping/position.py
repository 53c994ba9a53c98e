"""Shipping's position on the wire: the table as everybody sees it, the viewer's own secrets beside it (design 3)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gavelport.v1 import game_pb2, shipping_pb2
from gavelport_engine.game import SPECTATOR
from gavelport_engine.memo import Memo
from gavelport_engine.shipping.data import GOOD_IDS
from gavelport_engine.shipping.table import Board, Observation, Secrets, Ship

from gavelport_codecs.errors import CodecError
from gavelport_codecs.shipping.numbered import GOOD, NEWS, ORDER, REGION, SHIP, SPACE
from gavelport_codecs.splice import field

if TYPE_CHECKING:
    from gavelport_engine.game import Viewer
    from gavelport_engine.shipping.table import Goods, State, Table

PHASE_NUMBERS: dict[str, Any] = {
    name.removeprefix("SHIPPING_PHASE_").lower(): number
    for name, number in shipping_pb2.ShippingPhase.items()
    if number != shipping_pb2.SHIPPING_PHASE_UNSPECIFIED
}

_GAME = game_pb2.GameObservation.DESCRIPTOR.fields_by_name["shipping"].number
_TABLE = shipping_pb2.ShippingObservation.TABLE_FIELD_NUMBER
_OWN = shipping_pb2.ShippingObservation.OWN_FIELD_NUMBER
_EVERYTHING = shipping_pb2.ShippingObservation.EVERYTHING_FIELD_NUMBER
_BOARDS = shipping_pb2.ShippingTable.BOARDS_FIELD_NUMBER
_TERMINAL = shipping_pb2.ShippingTable.TERMINAL_FIELD_NUMBER


def board_memo() -> Memo[Board, bytes]:
    """Return a memo of boards as serialised fields of a table."""
    return Memo(_board_key, lambda board: field(_BOARDS, _board_message(board).SerializeToString()))


def _board_key(board: Board) -> tuple[object, ...]:
    return (
        board.cash,
        board.stock,
        board.track,
        board.home,
        board.ships,
        board.built,
        board.marked,
        board.orders,
        board.completed,
        board.bankrupt,
    )


def _board_message(board: Board) -> shipping_pb2.ShippingBoard:
    return shipping_pb2.ShippingBoard(
        cash=board.cash,
        stock=board.stock,
        track=board.track,
        home=_any(SPACE.number(board.home)),
        ships=[_ship_message(name, ship) for name, ship in enumerate(board.ships) if ship is not None],
        factories=[
            shipping_pb2.ShippingFactories(region=_any(REGION.number(region)), built=built, marked=marked)
            for region, (built, marked) in enumerate(zip(board.built, board.marked, strict=True))
            if built
        ],
        orders=[
            shipping_pb2.ShippingHeldOrder(card=ORDER.number_or_none(order.card), done=order.done)
            for order in board.orders
        ],
        completed=board.completed,
        bankrupt=board.bankrupt or 0,
    )


@lru_cache(maxsize=4096)
def _ship_message(name: int, ship: Ship) -> shipping_pb2.ShippingShip:
    """Return a ship as a message, which is shared and must not be changed."""
    return shipping_pb2.ShippingShip(
        name=_any(SHIP.number(name)),
        at=_any(SPACE.number(ship.at)),
        cargo=_any(GOOD.numbers(ship.cargo)),
        moved=ship.moved,
    )


@lru_cache(maxsize=4096)
def _row(good: int, owners: tuple[int, ...]) -> bytes:
    """Return a row as a serialised field of the Terminal."""
    return field(good + 1, shipping_pb2.ShippingRow(owners=owners).SerializeToString())


@lru_cache(maxsize=256)
def _produced(goods: Goods) -> shipping_pb2.ShippingBag:
    """Return counts by good as a message, which is shared and must not be changed."""
    return shipping_pb2.ShippingBag(**dict(zip(GOOD_IDS, goods, strict=True)))


def encode_table(table: Table, boards: Memo[Board, bytes]) -> bytes:
    """Return the table as a serialised field of an observation."""
    pending = table.pending
    message = shipping_pb2.ShippingTable(
        year=table.year,
        quarter=table.quarter,
        start=table.start,
        turn=table.turn,
        seat=table.seat,
        phase=PHASE_NUMBERS[table.phase],
        ap=table.ap,
        boosts=table.boosts,
        ap_bought=table.ap_bought,
        share_sold=table.share_sold,
        produced=_produced(table.produced),
        open_orders=[ORDER.number_or_none(card) for card in table.open_orders],
        order_deck=table.order_deck,
        news_deck=table.news_deck,
        order_discard=ORDER.numbers(table.order_discard),
        reshuffles=table.reshuffles,
        news=NEWS.numbers(table.news),
    )
    if pending is not None:
        message.pending.seat, message.pending.due = pending.seat, pending.due
        setattr(message.pending, "for", pending.purpose)  # a keyword of Python
    terminal = b"".join([_row(good, owners) for good, owners in enumerate(table.rows)])
    parts = (message.SerializeToString(), field(_TERMINAL, terminal), *boards(table.boards))
    return field(_TABLE, b"".join(parts))


def _encode_own(seat: int, hand: tuple[int, ...]) -> bytes:
    own = shipping_pb2.ShippingPrivate(seat=seat, hand=_hand_message(hand))
    return field(_OWN, own.SerializeToString())


def _hand_message(hand: tuple[int, ...]) -> shipping_pb2.ShippingHand:
    return shipping_pb2.ShippingHand(orders=ORDER.numbers(hand))


def encode_observed(public: bytes, state: State, viewer: Viewer) -> bytes:
    """Return a serialised GameObservation of a state whose public part is given."""
    if viewer is SPECTATOR:
        return field(_GAME, public)
    return field(_GAME, public + _encode_own(viewer, state.hands[viewer]))


def encode_observation(observation: Observation, boards: Memo[Board, bytes]) -> bytes:
    """Return an observation as a serialised GameObservation."""
    content = encode_table(observation.table, boards)
    viewer, everything = observation.viewer, observation.everything
    if viewer is not SPECTATOR:
        if observation.hand is None:
            raise CodecError("shipping.own", f"the observation of seat {viewer} has no hand")
        content += _encode_own(viewer, observation.hand)
    if everything is not None:
        content += field(_EVERYTHING, _secrets_message(everything).SerializeToString())
    return field(_GAME, content)


def _secrets_message(secrets: Secrets) -> shipping_pb2.ShippingSecrets:
    return shipping_pb2.ShippingSecrets(
        seed=secrets.seed,
        order_deck=ORDER.numbers(secrets.order_deck),
        news_deck=NEWS.numbers(secrets.news_deck),
        hands=map(_hand_message, secrets.hands),
    )


def _any(number: Any) -> Any:
    """Return a number as any of the enums."""
    return number
