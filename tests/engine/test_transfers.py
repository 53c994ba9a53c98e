"""What a decision gives to another seat: plain gifts, and nothing of ordinary trade."""

from typing import Any

import pytest
from gavelport_engine.container.actions import Accept, Action, Buy, Load, Pass, Produce, Reject, Sail, TakeLoan
from gavelport_engine.container.goods import EMPTY_BAG, EMPTY_STORE, Colour, bag, store
from gavelport_engine.container.options import options
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.table import Auction, State
from gavelport_engine.game import AnyGame, Transfer
from gavelport_engine.registry import GAMES
from gavelport_engine.rng import Stream
from gavelport_engine.shipping.actions import EndTurn, Move
from gavelport_engine.shipping.data import PORTS
from gavelport_engine.shipping.movement import fee_to, ways
from gavelport_engine.shipping.rules import SHIPPING
from gavelport_engine.shipping.table import BANK

from tests.strategies import positions

TAN, ORANGE = Colour.TAN, Colour.ORANGE
Gift = tuple[int, int, int]
"""Giver, taker, dollars."""
CARD_C = 2
"""Orange $10, tan $5 or $10, white $6, black $4, brown $2."""


def position(**boards: dict[str, Any]) -> State:
    """A position of four seats, seat 0's turn; `seat_1={"cash": 30}` and so on change one."""
    state = CONTAINER.initial_state(options({"seats": 4}), bytes(32))
    state.table.seat = 0
    for seat, board in enumerate(state.table.boards):
        board.factory_store = EMPTY_STORE
        for name, value in boards.get(f"seat_{seat}", {}).items():
            setattr(board, name, value)
    return state


def given(state: State, action: Action, seat: int = 0) -> list[Gift]:
    """What is given, fair dealings left out."""
    return [(one.giver, one.taker, one.amount) for one in CONTAINER.transfers(state, seat, action) if one.amount]


def at(price: int, count: int = 1) -> tuple[int, ...]:
    return store({price: {TAN: count}})


@pytest.mark.parametrize(
    ("price", "others", "gift"),
    [
        (4, (), []),  # nobody else has any
        (4, (1,), [(0, 1, 2)]),  # a dollar is left aside
        (4, (1, 4), [(0, 1, 2)]),
        (4, (3, 4), []),
        (2, (4, 4), []),
        (1, (4, 4), [(1, 0, 1)]),
        (1, (), [(1, 0, 1)]),
    ],
)
def test_containers_from_a_factory(price: int, others: tuple[int, ...], gift: list[Gift]) -> None:
    asked = store({price: {TAN: others.count(price)} for price in others})
    own, sold = {"factory_store": at(4, 9)}, {"factory_store": at(price)}
    state = position(seat_0=own, seat_1=sold, seat_2={"factory_store": asked})
    assert given(state, Buy(1, at(price), at(4))) == gift


@pytest.mark.parametrize(
    ("others", "gift"), [(((2, 2),), []), (((2, 3),), [(0, 1, 3)]), (((2, 3), (1, 3)), [(0, 1, 6)])]
)
def test_as_many_must_be_had_elsewhere(others: tuple[tuple[int, int], ...], gift: list[Gift]) -> None:
    seats = {f"seat_{seat}": {"factory_store": at(*asked)} for seat, asked in enumerate(others, 2)}
    state = position(seat_1={"factory_store": at(4, 3)}, **seats)
    assert given(state, Buy(1, at(4, 3), at(5, 3))) == gift


@pytest.mark.parametrize("is_docked", [False, True])
@pytest.mark.parametrize(
    ("price", "other", "gift"),
    [(6, 3, [(0, 1, 4)]), (4, 3, []), (2, 6, [(1, 0, 4)]), (3, 2, [(1, 0, 2)]), (6, None, [])],
)
def test_containers_from_a_harbour(is_docked: bool, price: int, other: int | None, gift: list[Gift]) -> None:
    seats: dict[str, Any] = {"seat_1": {"harbour_store": at(price, 2)}}
    if other:
        seats["seat_2"] = {"harbour_store": at(other, 2)}
    state = position(seat_0={"ship_at": 1} if is_docked else {}, **seats)
    assert given(state, Load(at(price, 2)) if is_docked else Sail(1, at(price, 2))) == gift


def test_fair_dealings_are_counted_too() -> None:
    state = position(seat_1={"factory_store": at(2, 3)})
    assert list(CONTAINER.transfers(state, 0, Buy(1, at(2, 3), at(4, 3)))) == [
        Transfer("factory_dear", 0, 1, 0, 3),
        Transfer("factory_cheap", 1, 0, 0, 3),
    ]


LOT = bag({ORANGE: 1, TAN: 1, Colour.WHITE: 1})


@pytest.mark.parametrize(
    ("island", "bid", "gift"),
    [
        # Today it adds 10 + 6, as the tied special colour goes; at most 10 + 10 + 6: worth (16 + 26) // 2 = 21.
        (EMPTY_BAG, 21, []),
        (EMPTY_BAG, 22, [(1, 0, 1)]),
        (EMPTY_BAG, 30, [(1, 0, 9)]),
        # With all five colours and browns to discard it adds all of 26.
        ((1, 1, 5, 1, 1), 26, []),
        ((1, 1, 5, 1, 1), 31, [(1, 0, 5)]),
    ],
)
def test_a_bid_above_the_bidder_s_own_value(island: tuple[int, ...], bid: int, gift: list[Gift]) -> None:
    state = position(seat_0={"cargo": LOT}, seat_1={"island": island})
    state.cards = (0, CARD_C, 3, 4)
    state.table.auction = Auction((None, bid, 0, 0), (None,) * 4, (1,))
    assert given(state, Accept(1)) == gift
    assert given(state, Reject()) == []


@pytest.mark.parametrize(
    ("bids", "extra", "cash", "gift"),
    [
        (2, None, 20, [(0, 1, 20)]),  # it adds 26 to the seller's own, which would have paid 2 and gets 4
        (2, 3, 20, [(0, 1, 11)]),
        (8, None, 20, [(0, 1, 2)]),
        (9, None, 20, []),
        (2, None, 1, []),  # it could not have rejected
    ],
)
def test_a_lot_given_away(bids: int, extra: int | None, cash: int, gift: list[Gift]) -> None:
    state = position(seat_0={"cargo": LOT, "island": (1, 1, 5, 1, 1)})
    state.cards, state.cash[0] = (CARD_C, 0, 3, 4), cash
    state.table.auction = Auction((None, bids, bids, 0), (None, extra, 0, None), (1,))
    assert given(state, Accept(1)) == gift


@pytest.mark.parametrize(
    "action",
    [Pass(), TakeLoan(), Sail(1), Produce(EMPTY_BAG, EMPTY_STORE), Reject()],
    ids=lambda action: type(action).__name__,
)
def test_nothing_else_gives(action: Action) -> None:
    assert given(position(), action) == []


def test_a_dock_fee_is_given() -> None:
    state = SHIPPING.initial_state(SHIPPING.options({"seats": 4}), bytes(32))
    found: dict[int | None, list[Transfer]] = {}
    for start in range(PORTS, PORTS + 28):
        for way in ways(start, 2):
            move = Move(0, way.path)
            found[fee_to(state.table, 0, way.path[-1])] = list(SHIPPING.transfers(state, 0, move))
    assert found.pop(None) == []
    assert found == {seat: [Transfer("dock_fee", 0, seat, 20, 0)] for seat in (1, 2, 3)}
    assert list(SHIPPING.transfers(state, 0, EndTurn())) == []
    assert BANK not in found


@pytest.mark.parametrize("name", GAMES)
def test_transfers_go_from_seat_to_seat_and_change_nothing(name: str) -> None:
    game: AnyGame = GAMES[name]
    seen = 0
    for number in range(4):
        options, rng = game.options({"seats": 4}), Stream(number.to_bytes(32, "big"), "actions")
        for state in positions(game, number.to_bytes(32, "big"), options):
            before = game.fingerprint(state)
            for seat in game.to_act(state):
                for transfer in game.transfers(state, seat, game.decision(state, seat).space.sample(rng)):
                    assert transfer.giver != transfer.taker
                    assert {transfer.giver, transfer.taker} <= set(range(4))
                    assert seat in {transfer.giver, transfer.taker}
                    assert transfer.amount >= 0
                    assert transfer.goods or transfer.amount
                    seen += 1
            assert game.fingerprint(state) == before
    assert seen > 0
    assert game.transfer_unit
    assert game.least_transfer > 0
