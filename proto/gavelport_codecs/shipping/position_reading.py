"""Shipping's observations out of messages: read strictly, so that the game can work with what comes out."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from gavelport_engine.game import SPECTATOR
from gavelport_engine.shipping.data import GOOD_IDS, HOMES, LIMITS, REGION_IDS, ROW_CAPACITY, STOCK_VALUES, TRACK
from gavelport_engine.shipping.table import (
    BANK,
    BILLS,
    LARGE_SHIPS,
    PHASES,
    SHIP_NAMES,
    Board,
    HeldOrder,
    Observation,
    Pending,
    Secrets,
    Ship,
    Table,
)

from gavelport_codecs.base import by_seat
from gavelport_codecs.errors import CodecError
from gavelport_codecs.parts import one_of
from gavelport_codecs.shipping.numbered import GOOD, NEWS, ORDER, REGION, SHIP, SPACE
from gavelport_codecs.shipping.position import PHASE_NUMBERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport.v1 import shipping_pb2
    from gavelport_engine.shipping.table import Options

_PHASES = {number: word for word, number in PHASE_NUMBERS.items()}
_SLOTS = 4
_SEED_BYTES = 32
_BILL = one_of(*BILLS)
_TABLE = "shipping.table"
_BOARDS = "shipping.table.boards"


def decode_observation(content: shipping_pb2.ShippingObservation, options: Options) -> Observation:
    """Return an observation. Raises CodecError for one that is none of a match with these options."""
    table = _table(content.table, options)
    everything = _secrets(content.everything, table) if content.HasField("everything") else None
    if not content.HasField("own"):
        return Observation(SPECTATOR, table, None, everything)
    seat = _seat(content.own.seat, options, "shipping.own.seat")
    hand = _hand(content.own.hand, table.boards[seat], "shipping.own.hand.orders")
    return Observation(seat, table, hand, everything)


def _seat(seat: int, options: Options, path: str) -> int:
    if seat >= options.seats:
        raise CodecError(path, f"{seat} is no seat of {options.seats}")
    return seat


def _table(message: shipping_pb2.ShippingTable, options: Options) -> Table:
    phase = _PHASES.get(message.phase)
    if phase is None:
        raise CodecError(f"{_TABLE}.phase", f"{message.phase} is no phase; set one of {', '.join(PHASES)}")
    if len(message.open_orders) != _SLOTS:
        raise CodecError(f"{_TABLE}.open_orders", f"{len(message.open_orders)} slots; there are {_SLOTS}")
    by_seat(message.boards, options.seats, _BOARDS)
    return Table(
        options=options,
        year=message.year,
        quarter=message.quarter,
        start=_seat(message.start, options, f"{_TABLE}.start"),
        turn=message.turn,
        seat=_seat(message.seat, options, f"{_TABLE}.seat"),
        phase=phase,
        ap=message.ap,
        boosts=message.boosts,
        ap_bought=message.ap_bought,
        share_sold=message.share_sold,
        produced=tuple([getattr(message.produced, good) for good in GOOD_IDS]),
        pending=_pending(message, phase, options),
        rows=[_row(getattr(message.terminal, good), options, f"{_TABLE}.terminal.{good}") for good in GOOD_IDS],
        open_orders=tuple([ORDER.index_or_none(card, f"{_TABLE}.open_orders") for card in message.open_orders]),
        order_deck=message.order_deck,
        news_deck=message.news_deck,
        order_discard=_ascending(ORDER.indices(message.order_discard, f"{_TABLE}.order_discard"), "order_discard"),
        reshuffles=message.reshuffles,
        news=NEWS.indices(message.news, f"{_TABLE}.news"),
        boards=[_board(board) for board in message.boards],
    )


def _ascending(cards: tuple[int, ...], name: str) -> tuple[int, ...]:
    if any(one >= other for one, other in pairwise(cards)):
        raise CodecError(f"{_TABLE}.{name}", "the cards do not ascend")
    return cards


def _pending(message: shipping_pb2.ShippingTable, phase: str, options: Options) -> Pending | None:
    path = f"{_TABLE}.pending"
    if message.HasField("pending") != (phase == "raise"):
        raise CodecError(path, f"belongs to phase raise, and only to that; this is phase {phase}")
    if phase != "raise":
        return None
    pending = message.pending
    return Pending(_seat(pending.seat, options, f"{path}.seat"), pending.due, _BILL.read(pending, "for", path))


def _row(message: shipping_pb2.ShippingRow, options: Options, path: str) -> tuple[int, ...]:
    owners = tuple(message.owners)
    if len(owners) > ROW_CAPACITY:
        raise CodecError(path, f"{len(owners)} containers; a row has room for {ROW_CAPACITY}")
    for owner in owners:
        if not BANK <= owner < options.seats:
            raise CodecError(path, f"{owner} is neither a seat of {options.seats} nor the Bank ({BANK})")
    return owners


def _board(message: shipping_pb2.ShippingBoard) -> Board:
    home = SPACE.index(message.home, f"{_BOARDS}.home")
    if home not in HOMES:
        raise CodecError(f"{_BOARDS}.home", f"{message.home} is no home city")
    if message.stock not in STOCK_VALUES:
        raise CodecError(f"{_BOARDS}.stock", f"{message.stock} is no value of the Stock Exchange")
    if message.track > len(TRACK):
        raise CodecError(f"{_BOARDS}.track", f"{message.track} is beyond the last space, {len(TRACK)}")
    built, marked = _factories(message.factories)
    return Board(
        cash=message.cash,
        stock=message.stock,
        track=message.track,
        home=home,
        ships=_ships(message.ships),
        built=built,
        marked=marked,
        orders=_orders(message.orders),
        completed=message.completed,
        bankrupt=message.bankrupt or None,
    )


def _ships(messages: Sequence[shipping_pb2.ShippingShip]) -> tuple[Ship | None, ...]:
    path = f"{_BOARDS}.ships"
    ships: list[Ship | None] = [None] * len(SHIP_NAMES)
    for message in messages:
        name = SHIP.index(message.name, f"{path}.name")
        cargo = GOOD.indices(message.cargo, f"{path}.cargo")
        capacity = LIMITS["large_capacity"] if name in LARGE_SHIPS else LIMITS["small_capacity"]
        if ships[name] is not None:
            raise CodecError(path, f"{SHIP_NAMES[name]} stands there twice")
        if len(cargo) > capacity or list(cargo) != sorted(cargo):
            raise CodecError(f"{path}.cargo", f"at most {capacity} on {SHIP_NAMES[name]}, in the order of the goods")
        ships[name] = Ship(SPACE.index(message.at, f"{path}.at"), cargo, message.moved)
    return tuple(ships)


def _factories(messages: Sequence[shipping_pb2.ShippingFactories]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    path = f"{_BOARDS}.factories"
    built, marked = [0] * len(REGION_IDS), [0] * len(REGION_IDS)
    for message in messages:
        region = REGION.index(message.region, f"{path}.region")
        if built[region] or not 1 <= message.built <= LIMITS["factories_per_region"] or message.marked > message.built:
            raise CodecError(path, f"{message.built} built, {message.marked} marked in {REGION_IDS[region]} cannot be")
        built[region], marked[region] = message.built, message.marked
    return tuple(built), tuple(marked)


def _orders(messages: Sequence[shipping_pb2.ShippingHeldOrder]) -> tuple[HeldOrder, ...]:
    path = f"{_BOARDS}.orders"
    if len(messages) > LIMITS["active_orders"]:
        raise CodecError(path, f"{len(messages)} Orders; a seat holds at most {LIMITS['active_orders']}")
    return tuple([HeldOrder(ORDER.index_or_none(each.card, f"{path}.card"), each.done) for each in messages])


def _hand(message: shipping_pb2.ShippingHand, board: Board, path: str) -> tuple[int, ...]:
    cards = ORDER.indices(message.orders, path)
    if len(cards) != len(board.orders) or any(
        order.card not in (None, card) for order, card in zip(board.orders, cards, strict=True)
    ):
        raise CodecError(path, "the cards are not those of the board's Orders")
    return cards


def _secrets(message: shipping_pb2.ShippingSecrets, table: Table) -> Secrets:
    path = "shipping.everything"
    if len(message.seed) != _SEED_BYTES:
        raise CodecError(f"{path}.seed", f"{len(message.seed)} bytes; a seed has {_SEED_BYTES}")
    by_seat(message.hands, table.options.seats, f"{path}.hands")
    hands = [
        _hand(hand, board, f"{path}.hands.orders") for hand, board in zip(message.hands, table.boards, strict=True)
    ]
    return Secrets(
        message.seed,
        ORDER.indices(message.order_deck, f"{path}.order_deck"),
        NEWS.indices(message.news_deck, f"{path}.news_deck"),
        tuple(hands),
    )
