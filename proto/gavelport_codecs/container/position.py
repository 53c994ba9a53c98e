"""Container's position on the wire: the table as everybody sees it, the viewer's own secrets beside it (design 3)."""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from gavelport.v1 import container_pb2, game_pb2
from gavelport_engine.container.table import CARD_NAMES, Auction, Board, Observation, Table
from gavelport_engine.game import SPECTATOR
from gavelport_engine.memo import Memo

from gavelport_codecs.base import by_seat
from gavelport_codecs.container.goods import (
    COLOUR,
    amount_messages,
    bag_bytes,
    bag_message,
    place_message,
    read_amounts,
    read_bag,
    read_place,
    read_store,
    store_bytes,
)
from gavelport_codecs.errors import CodecError
from gavelport_codecs.splice import field

if TYPE_CHECKING:
    from gavelport_engine.container.goods import Bag
    from gavelport_engine.container.table import Options, State
    from gavelport_engine.game import Viewer

_PHASE_NUMBERS: dict[str, container_pb2.ContainerPhase.ValueType] = {
    name.removeprefix("CONTAINER_PHASE_").lower(): number
    for name, number in container_pb2.ContainerPhase.items()
    if number != container_pb2.CONTAINER_PHASE_UNSPECIFIED
}
_PHASES = {number: word for word, number in _PHASE_NUMBERS.items()}
_AUCTIONS = ("bid", "extra_bid", "sale")
_SLOTS = 4

_GAME = game_pb2.GameObservation.DESCRIPTOR.fields_by_name["container"].number
_TABLE = container_pb2.ContainerObservation.TABLE_FIELD_NUMBER
_OWN = container_pb2.ContainerObservation.OWN_FIELD_NUMBER
_EVERYONE = container_pb2.ContainerObservation.EVERYONE_FIELD_NUMBER
_BOARDS = container_pb2.ContainerTable.BOARDS_FIELD_NUMBER
_FACTORY_STORE = container_pb2.ContainerBoard.FACTORY_STORE_FIELD_NUMBER
_HARBOUR_STORE = container_pb2.ContainerBoard.HARBOUR_STORE_FIELD_NUMBER
_CARGO = container_pb2.ContainerBoard.CARGO_FIELD_NUMBER
_ISLAND = container_pb2.ContainerBoard.ISLAND_FIELD_NUMBER


def board_memo() -> Memo[Board, bytes]:
    """Return a memo of boards as serialised fields of a table."""
    content = attrgetter(
        "loans", "factories", "warehouses", "factory_store", "harbour_store", "ship_at", "cargo", "island"
    )
    return Memo(content, _board)


def _board(board: Board) -> bytes:
    pieces = (
        _assets(board.loans, board.warehouses, board.factories),
        field(_FACTORY_STORE, store_bytes(board.factory_store)),
        field(_HARBOUR_STORE, store_bytes(board.harbour_store)),
        _ship_at(board.ship_at),
        field(_CARGO, bag_bytes(board.cargo)),
        field(_ISLAND, bag_bytes(board.island)),
    )
    return field(_BOARDS, b"".join(pieces))


@lru_cache(maxsize=4096)
def _assets(loans: int, warehouses: int, factories: tuple[int | None, ...]) -> bytes:
    slots: Any = [COLOUR.number_or_none(colour) for colour in factories]
    message = container_pb2.ContainerBoard(loans=loans, warehouses=warehouses, factories=slots)
    return message.SerializeToString()


@lru_cache(maxsize=16)
def _ship_at(place: int) -> bytes:
    return container_pb2.ContainerBoard(ship=place_message(place)).SerializeToString()


def encode_table(table: Table, boards: Memo[Board, bytes]) -> bytes:
    """Return the table as a serialised field of an observation.

    It is put together from pieces that come again: while a turn lasts, at other turns, in other matches.
    """
    pieces = [
        _moment(table.turn, table.seat, table.quiet_turns),
        _course(_COURSE(table)),
        _stock(table.supply, table.removed),
    ]
    if table.auction is not None:
        pieces.append(container_pb2.ContainerTable(auction=_auction_message(table.auction)).SerializeToString())
    pieces += boards(table.boards)
    return field(_TABLE, b"".join(pieces))


@lru_cache(maxsize=4096)
def _moment(turn: int, seat: int, quiet_turns: int) -> bytes:
    return container_pb2.ContainerTable(turn=turn, seat=seat, quiet_turns=quiet_turns).SerializeToString()


_COURSE = attrgetter(
    "phase",
    "actions_left",
    "produced",
    "sold_domestic",
    "loans_taken",
    "loans_repaid",
    "busy",
    "unpaid",
    "end",
)


@lru_cache(maxsize=4096)
def _course(course: tuple[Any, ...]) -> bytes:
    """Return how far the turn is (_COURSE) as fields of a table."""
    phase, actions_left, produced, sold_domestic, loans_taken, loans_repaid, busy, unpaid, end = course
    message = container_pb2.ContainerTable(
        phase=_PHASE_NUMBERS[phase],
        actions_left=actions_left,
        produced=produced,
        sold_domestic=sold_domestic,
        loans_taken=loans_taken,
        loans_repaid=loans_repaid,
        busy=busy,
        unpaid=unpaid,
        end=end or "",
    )
    return message.SerializeToString()


@lru_cache(maxsize=4096)
def _stock(supply: Bag, removed: Bag) -> bytes:
    message = container_pb2.ContainerTable(supply=bag_message(supply), removed=bag_message(removed))
    return message.SerializeToString()


def _auction_message(auction: Auction) -> container_pb2.ContainerAuction:
    bids, extra = amount_messages(auction.bids), amount_messages(auction.extra)
    return container_pb2.ContainerAuction(bids=bids, extra=extra, winners=auction.winners)


@lru_cache(maxsize=4096)
def encode_own(seat: int, cash: int, card: int, loans: int, sealed_bid: int | None) -> bytes:
    """Return a viewer's own secrets as a serialised field of an observation."""
    own = container_pb2.ContainerPrivate(
        cash=cash, card=CARD_NAMES[card], loans=loans, sealed_bid=sealed_bid, seat=seat
    )
    return field(_OWN, own.SerializeToString())


def encode_observed(public: bytes, state: State, viewer: Viewer) -> bytes:
    """Return a serialised GameObservation of a state whose public part is given."""
    if viewer is SPECTATOR:
        return field(_GAME, public)
    loans = state.table.boards[viewer].loans
    sealed_bid = None
    if state.sealed_bids:
        sealed_bid = state.sealed_bids[viewer]
        loans += state.sealed_loans[viewer]
    return field(_GAME, public + encode_own(viewer, state.cash[viewer], state.cards[viewer], loans, sealed_bid))


def encode_observation(observation: Observation, boards: Memo[Board, bytes]) -> bytes:
    """Return an observation as a serialised GameObservation."""
    content = encode_table(observation.table, boards)
    viewer, cash, card = observation.viewer, observation.cash, observation.card
    if viewer is not SPECTATOR:
        if cash is None or card is None:
            raise CodecError("container.own", f"the observation of seat {viewer} has no cash or no card")
        loans = observation.table.boards[viewer].loans
        content += encode_own(viewer, cash, card, loans, observation.sealed_bid)
    for hand_cash, hand_card in observation.everyone or ():
        hand = container_pb2.ContainerHand(cash=hand_cash, card=CARD_NAMES[hand_card])
        content += field(_EVERYONE, hand.SerializeToString())
    return field(_GAME, content)


# -- and back


def decode_observation(content: container_pb2.ContainerObservation, options: Options) -> Observation:
    """Return an observation. Raises CodecError for one that is none of a match with these options."""
    table = _table(content.table, options)
    everyone = tuple((hand.cash, _card(hand.card, "container.everyone.card")) for hand in content.everyone)
    if everyone:
        by_seat(everyone, options.seats, "container.everyone")
    if not content.HasField("own"):
        return Observation(SPECTATOR, table, None, None, None, everyone or None)
    own = content.own
    if own.seat >= options.seats:
        raise CodecError("container.own.seat", f"{own.seat} is no seat of {options.seats}")
    table.boards[own.seat].loans = own.loans
    sealed_bid = own.sealed_bid if own.HasField("sealed_bid") else None
    return Observation(own.seat, table, own.cash, _card(own.card, "container.own.card"), sealed_bid, everyone or None)


def _table(message: container_pb2.ContainerTable, options: Options) -> Table:
    path = "container.table"
    phase = _PHASES.get(message.phase)
    if phase is None:
        raise CodecError(f"{path}.phase", f"{message.phase} is no phase")
    if message.seat >= options.seats:
        raise CodecError(f"{path}.seat", f"{message.seat} is no seat of {options.seats}")
    by_seat(message.boards, options.seats, f"{path}.boards")
    auction = _auction(message.auction, options) if message.HasField("auction") else None
    if phase in _AUCTIONS and (auction is None or (phase != "bid" and not _has_bid(auction))):
        raise CodecError(f"{path}.auction", f"has no bids in phase {phase}")
    return Table(
        options=options,
        turn=message.turn,
        seat=message.seat,
        phase=phase,
        actions_left=message.actions_left,
        produced=message.produced,
        sold_domestic=message.sold_domestic,
        loans_taken=message.loans_taken,
        loans_repaid=message.loans_repaid,
        quiet_turns=message.quiet_turns,
        busy=message.busy,
        unpaid=message.unpaid,
        supply=read_bag(message, "supply", path),
        removed=read_bag(message, "removed", path),
        boards=[_read_board(board, f"{path}.boards") for board in message.boards],
        auction=auction,
        end=message.end or None,
    )


def _read_board(message: container_pb2.ContainerBoard, path: str) -> Board:
    if len(message.factories) != _SLOTS:
        raise CodecError(f"{path}.factories", f"{len(message.factories)} slots; a board has {_SLOTS}")
    return Board(
        loans=message.loans,
        factories=tuple([COLOUR.index_or_none(n, f"{path}.factories") for n in message.factories]),
        warehouses=message.warehouses,
        factory_store=read_store(message, "factory_store", path),
        harbour_store=read_store(message, "harbour_store", path),
        ship_at=read_place(message, "ship", path),
        cargo=read_bag(message, "cargo", path),
        island=read_bag(message, "island", path),
    )


def _auction(message: container_pb2.ContainerAuction, options: Options) -> Auction:
    path = "container.table.auction"
    bids, extra = read_amounts(message, "bids", path), read_amounts(message, "extra", path)
    by_seat(bids, options.seats, f"{path}.bids")
    by_seat(extra, options.seats, f"{path}.extra")
    return Auction(bids, extra, tuple(message.winners))


def _has_bid(auction: Auction) -> bool:
    return any(amount is not None for amount in auction.bids)


def _card(name: str, path: str) -> int:
    if name not in CARD_NAMES:
        raise CodecError(path, f"{name[:40]!r} is no card; cards are {', '.join(CARD_NAMES)}")
    return CARD_NAMES.index(name)
