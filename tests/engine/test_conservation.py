"""Containers, money and capacities at every step of random plays (container.md 1, 3.5, 5, 6)."""

from typing import Any

import pytest
from gavelport_engine.container.actions import Action
from gavelport_engine.container.events import BANK, Event, Payment
from gavelport_engine.container.goods import colours_of, plus
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.table import Board, State
from gavelport_engine.game import Trace
from gavelport_engine.rng import Stream

OPTIONS: list[dict[str, Any]] = [
    {"seats": 3},
    {"seats": 4},
    {"seats": 5},
    {"supply_per_player": 2},
    {"domestic_sale": True},
    {"seized_to": "supply"},
    {"max_rounds": 20},
    {"max_rounds": 0},
    {"stall_rounds": 2},
    {"stall_rounds": 0},
]


def counted(board: Board) -> tuple[int, ...]:
    """All containers of a seat, by colour."""
    stored = plus(colours_of(board.factory_store), colours_of(board.harbour_store))
    return plus(stored, plus(board.cargo, board.island))


def check_containers(state: State) -> None:
    table = state.table
    total = plus(table.supply, table.removed)
    for board in table.boards:
        total = plus(total, counted(board))
    assert total == (table.options.supply_per_player * table.options.seats,) * 5


def check_capacities(state: State) -> None:
    """1.6, 7.1."""
    for seat, board in enumerate(state.table.boards):
        factories = [colour for colour in board.factories if colour is not None]
        assert len(set(factories)) == len(factories) >= 1
        assert sum(board.factory_store) <= 2 * len(factories)
        assert 1 <= board.warehouses <= 5
        assert sum(board.harbour_store) <= board.warehouses
        assert sum(board.cargo) <= 5
        assert not any(board.factory_store[20:])  # $5 and $6
        assert not any(board.harbour_store[:5])  # $1
        assert board.ship_at != seat
        sealed = state.sealed_loans[seat] if state.sealed_loans else 0
        assert 0 <= board.loans + sealed <= 2
        assert min(board.factory_store + board.harbour_store + board.cargo + board.island) >= 0
    assert min(state.cash) >= 0
    assert min(state.table.supply + state.table.removed) >= 0
    assert state.table.loans_taken <= 2
    assert state.table.loans_repaid <= 2


class Purse:
    """Cash as the public events tell it; a sealed bid's loan is told at the reveal only."""

    def __init__(self, cash: list[int]) -> None:
        self.cash = list(cash)
        self.bank = 0

    def hear(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Payment):
                assert event.amount > 0
                for party, amount in ((event.payer, -event.amount), (event.payee, event.amount)):
                    if party == BANK:
                        self.bank += amount
                    else:
                        self.cash[party] += amount

    def check(self, state: State) -> None:
        sealed = state.sealed_loans or [0] * len(self.cash)
        expected = [cash + 10 * loans for cash, loans in zip(self.cash, sealed, strict=True)]
        assert expected == state.cash
        assert sum(self.cash) + self.bank == 20 * len(self.cash)


def check_game(given: dict[str, Any], number: int) -> int:
    options = CONTAINER.options(given)
    seed = number.to_bytes(32, "big")
    rng = Stream(seed, "conservation")
    state = CONTAINER.initial_state(options, seed)
    purse, decisions = Purse(state.cash), 0
    while seats := CONTAINER.to_act(state):
        seat = seats[rng.below(len(seats))]
        action: Action = CONTAINER.decision(state, seat).space.sample(rng)
        trace = Trace[Event]()
        CONTAINER.apply_in_place(state, {seat: action}, trace)
        purse.hear(trace.events)
        purse.check(state)
        check_containers(state)
        check_capacities(state)
        decisions += 1
    return decisions


@pytest.mark.parametrize("given", OPTIONS, ids=str)
def test_nothing_is_lost_or_made_in_a_few_games(given: dict[str, Any]) -> None:
    assert sum(check_game(given, number) for number in range(2)) > 100


@pytest.mark.long
@pytest.mark.parametrize("given", OPTIONS, ids=str)
@pytest.mark.parametrize("hundred", range(10))
def test_nothing_is_lost_or_made_in_1000_games(given: dict[str, Any], hundred: int) -> None:
    for number in range(100 * hundred, 100 * hundred + 100):
        check_game(given, number)


def test_a_lost_container_is_caught() -> None:
    state = CONTAINER.initial_state(CONTAINER.options({}), bytes(32))
    check_containers(state)
    state.table.supply = plus(state.table.supply, (0, 0, -1, 0, 0))
    with pytest.raises(AssertionError):
        check_containers(state)


def test_money_out_of_nothing_is_caught() -> None:
    state = CONTAINER.initial_state(CONTAINER.options({}), bytes(32))
    purse = Purse(state.cash)
    purse.check(state)
    state.cash[2] += 1
    with pytest.raises(AssertionError):
        purse.check(state)


@pytest.mark.parametrize(
    ("name", "value"),
    [("warehouses", 6), ("cargo", (6, 0, 0, 0, 0)), ("loans", 3), ("factory_store", (1,) * 30)],
)
def test_a_broken_capacity_is_caught(name: str, value: Any) -> None:
    state = CONTAINER.initial_state(CONTAINER.options({}), bytes(32))
    check_capacities(state)
    setattr(state.table.boards[1], name, value)
    with pytest.raises(AssertionError):
        check_capacities(state)
