"""The helpers for Container: they agree with the rules, and the tracked cash is the true one."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from gavelport_engine.container.actions import ISLAND, Bid, Produce, Sail
from gavelport_engine.container.goods import EMPTY_BAG, EMPTY_STORE, Colour, bag, colours_of, cost, store, within
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.table import Board, Options
from gavelport_sdk import container as c
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies as some
from tests.games.container import options

if TYPE_CHECKING:
    from gavelport_engine.container.goods import Bag, Store

TAN, BLACK, BROWN = Colour.TAN, Colour.BLACK, Colour.BROWN


def track(seed: bytes, options: Options) -> tuple[int, int]:
    """Check the tracked cash at every position of a random game; return how many there were, and bids with loans."""
    tracker = c.CashTracker(options.seats)
    count = loans = 0
    for state, events in some.steps(CONTAINER, seed, options):
        tracker.see(events)
        sealed = state.sealed_loans or [0] * options.seats
        assert tracker.cash == [cash - 10 * taken for cash, taken in zip(state.cash, sealed, strict=True)]
        count += 1
        loans += sum(sealed)
    return count, loans


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_tracked_cash_is_the_true_cash_at_every_step(seats: int) -> None:
    options = Options(seats=seats, domestic_sale=seats == 3, max_rounds=30)
    games = loans = 0
    while games < 3 or not loans:
        assert games < 200, "no bid with a loan was seen, the one place where cash is not public at once"
        count, taken = track(bytes([games]) * 32, options)
        assert count > 60
        games, loans = games + 1, loans + taken


@pytest.mark.long
@given(some.seeds, options)
def test_tracked_cash_is_the_true_cash_for_any_options(seed: bytes, options: Options) -> None:
    chosen = dataclasses.replace(options, supply_per_player=options.supply_per_player % 6 + 1, max_rounds=30)
    count, _ = track(seed, chosen)
    assert count > 1


def test_a_payment_that_is_missed_is_noticed() -> None:
    """The comparison above is not one that always holds."""
    tracker = c.CashTracker(4)
    wrong = 0
    for state, events in some.steps(CONTAINER, bytes(32), Options(max_rounds=5)):
        tracker.see(events[1:])
        wrong += tracker.cash != state.cash
    assert wrong


def test_what_is_free_and_what_it_costs() -> None:
    board = Board(
        factories=(1, None, 2, None),
        warehouses=3,
        factory_store=store({2: {TAN: 3}}),
        harbour_store=store({4: {BLACK: 1}}),
        cargo=bag({BROWN: 4}),
    )
    assert (c.factory_space(board), c.harbour_space(board), c.ship_space(board)) == (1, 2, 1)
    assert c.next_factory_price(board) == 6
    assert c.next_warehouse_price(board) == 6
    board.factories, board.warehouses = (1, 3, 2, 0), 5
    assert c.next_factory_price(board) is None
    assert c.next_warehouse_price(board) is None


def test_whole_stores() -> None:
    stock = store({2: {TAN: 1}, 5: {BLACK: 2}})
    assert c.placed(stock, bag({TAN: 1, BROWN: 1}), 5) == store({2: {TAN: 1}, 5: {BLACK: 2, TAN: 1, BROWN: 1}})
    assert c.repriced(stock, 3) == store({3: {TAN: 1, BLACK: 2}})


STOCK = store({2: {TAN: 2, BLACK: 1}, 3: {BLACK: 2}, 6: {BROWN: 1}})


@pytest.mark.parametrize(
    ("most", "cash", "wanted", "taken"),
    [
        (9, 99, None, STOCK),
        (0, 99, None, EMPTY_STORE),
        (9, 1, None, EMPTY_STORE),
        (2, 99, None, store({2: {BLACK: 1, TAN: 1}})),
        (9, 9, None, store({2: {BLACK: 1, TAN: 2}, 3: {BLACK: 1}})),
        (9, 99, bag({BLACK: 2}), store({2: {BLACK: 1}, 3: {BLACK: 1}})),
        (1, 99, bag({BROWN: 1}), store({6: {BROWN: 1}})),
        (9, 99, EMPTY_BAG, EMPTY_STORE),
    ],
)
def test_the_cheapest(most: int, cash: int, wanted: Bag | None, taken: Store) -> None:
    assert c.cheapest(STOCK, most, cash, wanted) == taken


@given(st.tuples(*[st.integers(0, 2)] * 30), st.integers(0, 8), st.integers(0, 40))
def test_the_cheapest_fits_and_nothing_more_would(stock: Store, most: int, cash: int) -> None:
    taken = c.cheapest(stock, most, cash)
    assert within(taken, stock)
    assert sum(taken) <= most
    assert cost(taken) <= cash
    left = [index // 5 + 1 for index, count in enumerate(stock) if count > taken[index]]
    assert sum(taken) == most or not left or min(left) > cash - cost(taken)


def test_produce_is_legal_wherever_producing_is() -> None:
    """In every position of some games where Produce is a legal kind, the helper's action is without fault."""
    legal = short = 0
    for number in range(50):
        for state in some.positions(CONTAINER, bytes([number]) * 32, Options(max_rounds=40)):
            for seat in CONTAINER.to_act(state):
                if "produce" not in CONTAINER.decision(state, seat).space.kinds():
                    continue
                action = c.produce(state.table, seat, 3)
                assert CONTAINER.fault(state, seat, action) is None
                legal += 1
                short += sum(action.make) < sum(c.producible(state.table, seat))
        if short and legal > 100:
            return
    raise AssertionError(f"{legal} positions in which producing is legal, {short} in which room is short")


def test_produce_makes_what_the_store_has_least_of() -> None:
    state = CONTAINER.initial_state(Options(), bytes(32))
    board = state.table.boards[0]
    board.factories = (TAN, BLACK, None, None)
    board.factory_store = store({2: {BLACK: 2, TAN: 1}})
    assert c.producible(state.table, 0) == bag({BLACK: 1, TAN: 1})
    assert c.produce(state.table, 0, 4) == Produce(bag({TAN: 1}), store({2: {BLACK: 2, TAN: 1}, 4: {TAN: 1}}))
    state.table.supply = bag({BLACK: 1})
    assert c.producible(state.table, 0) == bag({BLACK: 1})


def test_the_worked_example_of_the_rules() -> None:
    """8.6: brown goes, 90 + 6 + 6 - 11 = 91, plus cash."""
    island = (2, 2, 4, 3, 4)
    card_c = 2
    board = Board(loans=1, warehouses=3, harbour_store=store({2: {TAN: 3}}), cargo=bag({TAN: 2}), island=island)
    assert c.island_value(island, card_c) == 90
    assert c.money(board, 7, card_c) == 91 + 7


def test_money_is_what_the_game_counts() -> None:
    *_, state = some.positions(CONTAINER, bytes([15]) * 32, Options(max_rounds=40))
    outcome = CONTAINER.outcome(state)
    for seat, total in enumerate(outcome.totals):
        assert c.money(state.table.boards[seat], state.cash[seat], state.cards[seat]) == total
        assert c.island_value(state.table.boards[seat].island, state.cards[seat]) == outcome.scores[seat]["island"]


@given(st.tuples(*[st.integers(0, 4)] * 5), st.tuples(*[st.integers(0, 3)] * 5), st.integers(0, 4))
def test_a_lot_s_gain_is_the_difference_it_makes(island: Bag, lot: Bag, card: int) -> None:
    after = tuple(a + b for a, b in zip(island, lot, strict=True))
    assert c.island_value(island, card) + c.lot_gain(island, lot, card) == c.island_value(after, card)
    assert colours_of(c.placed(EMPTY_STORE, lot, 2)) == lot


def test_a_lot_s_worth_lies_between_today_and_what_may_come() -> None:
    lot = bag({BLACK: 1, BROWN: 1})  # card A: $10 and, with all five, $10
    assert c.lot_gain(EMPTY_BAG, lot, 0) == 10  # brown at $5 is discarded
    assert c.lot_worth(EMPTY_BAG, lot, 0, hope=0.75) == (10 + 0.75 * 20) / 2
    assert c.lot_worth(EMPTY_BAG, lot, 0, hope=0.0) == 5


@given(some.seeds, st.integers(0, 80))
def test_an_imagined_position_with_the_true_secrets_is_the_true_one(seed: bytes, steps: int) -> None:
    """Wherever a seat decides; and the engine plays on from it to the same position."""
    for count, (state, _) in enumerate(some.steps(CONTAINER, seed, Options(max_rounds=10))):
        if count < steps or any(bid is not None for bid in state.sealed_bids):
            continue
        for seat in CONTAINER.to_act(state):
            seen = CONTAINER.observation(state, seat)
            before = CONTAINER.observation_to_notation(seen)
            guess = c.imagined(seen, state.cash, state.cards)
            assert CONTAINER.fingerprint(guess) == CONTAINER.fingerprint(state)
            answers = {each: CONTAINER.default(guess, each) for each in CONTAINER.to_act(guess)}
            CONTAINER.apply_in_place(guess, answers, None)
            after, _ = CONTAINER.apply(state, answers)
            assert CONTAINER.fingerprint(guess) == CONTAINER.fingerprint(after)
            assert CONTAINER.observation_to_notation(seen) == before
        return


def test_what_cannot_be_is_not_imagined() -> None:
    state = CONTAINER.initial_state(Options(seats=3), bytes(32))
    seen = CONTAINER.observation(state, 0)
    other = next(card for card in range(5) if card not in state.cards)
    assert c.imagined(seen, [20, 0, 99], (state.cards[0], state.cards[1], other)).cash == [20, 0, 99]
    with pytest.raises(ValueError, match="3 seats, and 2 amounts of cash and 3 cards"):
        c.imagined(seen, [20, 20], state.cards)
    with pytest.raises(ValueError, match=r"the cash \[20, -1, 20\]"):
        c.imagined(seen, [20, -1, 20], state.cards)
    with pytest.raises(ValueError, match="the cards"):
        c.imagined(seen, [20, 20, 20], (state.cards[0], other, other))
    with pytest.raises(ValueError, match=r"seat 0 has \$20 and card \d, not \$21"):
        c.imagined(seen, [21, 20, 20], state.cards)


def test_a_sealed_bid_is_not_imagined() -> None:
    sailor = Board(ship_at=-1, cargo=bag({TAN: 2}))
    state = CONTAINER.initial_state(Options(seats=3), bytes(32))
    state.table.boards[state.table.seat] = sailor
    CONTAINER.apply_in_place(state, {state.table.seat: Sail(ISLAND)}, None)
    first = CONTAINER.to_act(state)[0]
    CONTAINER.apply_in_place(state, {first: Bid(3)}, None)
    with pytest.raises(ValueError, match="own bid is sealed"):
        c.imagined(CONTAINER.observation(state, first), state.cash, state.cards)
