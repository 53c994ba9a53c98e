"""Money, containers, cards, AP and places at every step of random and of profitable plays (shipping.md 1 to 13)."""

import json
from collections import Counter
from typing import Any

import pytest
from gavelport_engine.game import Trace
from gavelport_engine.rng import Stream
from gavelport_engine.shipping import actions as act
from gavelport_engine.shipping import events as ev
from gavelport_engine.shipping.actions import Action
from gavelport_engine.shipping.data import AP, GOODS, NEWS, ORDERS, SPACES, STOCK_VALUES
from gavelport_engine.shipping.events import Event
from gavelport_engine.shipping.rules import SHIPPING
from gavelport_engine.shipping.space import Space
from gavelport_engine.shipping.table import BANK, HeldOrder, Ship, State

from tests.engine.shipping.trader import trade

OPTIONS: list[dict[str, Any]] = [
    {"seats": 2},
    {"seats": 3},
    {"seats": 4},
    {"seats": 5},
    {"seats": 3, "years": 3},
    {"seats": 3, "years": 5},
    {"seats": 2, "no_elimination": True},
    {"seats": 5, "no_elimination": True, "years": 5},
    {"seats": 4, "no_elimination": True, "years": 3},
]
READ_EVERY = 8
"""Turns: reading a position costs as much as many steps."""
_AP_OF: dict[type, int] = {
    act.BuyShip: AP["buy_ship"] - AP["per_ship"],
    act.BuyOrder: AP["face_up_order"],
    act.DrawOrder: AP["hidden_order"],
    act.Build: AP["factory"],
    act.Produce: AP["produce"],
    act.BuyShare: AP["share_buy"],
}


class Ledger:
    """Cash, AP and containers as the public events tell them."""

    def __init__(self, state: State) -> None:
        self.cash = [board.cash for board in state.table.boards]
        self.bank = 0
        self.start = sum(self.cash)
        self.ap = state.table.ap
        self.boosts = 0
        self.rows = Counter({good: len(row) for good, row in enumerate(state.table.rows)})
        self.aboard: Counter[int] = Counter()

    def act(self, action: Action) -> None:
        """Count the AP that an action costs (4.6)."""
        self.ap -= _AP_OF.get(type(action), 0)
        if isinstance(action, act.Buy):
            self.ap -= action.count
        if isinstance(action, act.Move) and action.boost:
            if self.boosts:
                self.boosts -= 1
            else:
                self.ap -= 1
        if isinstance(action, act.EndTurn):
            self.ap = self.boosts = 0

    def hear(self, events: list[Event]) -> None:
        for event in events:
            match event:
                case ev.Payment():
                    assert event.amount > 0
                    for party, amount in ((event.payer, -event.amount), (event.payee, event.amount)):
                        if party == BANK:
                            self.bank += amount
                        else:
                            self.cash[party] += amount
                case ev.TurnBegan():
                    assert self.ap == 0
                    self.ap = event.ap
                case ev.ApBought():
                    self.ap += event.count
                case ev.TrackMoved(bonus="ap"):
                    self.ap += (1, 2)[event.space > 12]
                case ev.TrackMoved(bonus="boost"):
                    self.boosts += 1
                case ev.Pushed():
                    self.rows[event.good] += 1
                case ev.Removed():
                    self.rows[event.good] -= 1
                case ev.Bought():
                    self.rows[event.good] -= event.count
                    self.aboard[event.good] += event.count
                case ev.Sold():
                    self.aboard[event.good] -= 1
                case ev.CargoLost():
                    self.aboard.subtract(event.cargo)

    def check(self, state: State) -> None:
        table = state.table
        assert [board.cash for board in table.boards] == self.cash
        assert sum(self.cash) + self.bank == self.start
        assert min(self.cash) >= 0
        assert (table.ap, table.boosts) == (self.ap, self.boosts)
        assert min(table.ap, table.boosts) >= 0
        assert [len(row) for row in table.rows] == [self.rows[good] for good in range(len(GOODS))]
        ships = [ship for board in table.boards for ship in board.ships if ship is not None]
        aboard = Counter(good for ship in ships for good in ship.cargo)
        assert aboard == +self.aboard


def check_cards(state: State) -> None:
    """No card is lost, and none stands twice."""
    table = state.table
    orders = [*state.order_deck, *table.order_discard, *(card for card in table.open_orders if card is not None)]
    orders += [card for hand in state.hands for card in hand]
    assert sorted(orders) == list(range(len(ORDERS)))
    assert sorted((*state.news_deck, *table.news)) == list(range(len(NEWS)))
    assert (table.order_deck, table.news_deck) == (len(state.order_deck), len(state.news_deck))
    for board, hand in zip(table.boards, state.hands, strict=True):
        assert [order.card for order in board.orders if order.card is not None] == [
            card for order, card in zip(board.orders, hand, strict=True) if not order.hidden
        ]


def check_limits(state: State) -> None:
    """5 to 11: places, capacities, rows, factories, Orders and values; who is out has nothing left."""
    table = state.table
    for row in table.rows:
        assert len(row) <= 6
    for board in table.boards:
        for number, ship in enumerate(board.ships):
            if ship is not None:
                assert ship.at in range(len(SPACES))
                assert len(ship.cargo) <= (1, 2)[number >= 3]
        for built, marked in zip(board.built, board.marked, strict=True):
            assert 0 <= marked <= built <= 3
        assert len(board.orders) <= 5
        for order in board.orders:
            assert order.card is None or order.done < ORDERS[order.card].count
        assert board.stock in STOCK_VALUES
        assert board.track in range(17)
        if board.bankrupt is not None:
            assert (board.cash, board.stock, board.orders) == (0, 60, ())
            assert not any((*board.ships, *board.built))
    gone = [board.bankrupt for board in table.boards if board.bankrupt is not None]
    assert sorted(gone) == [*range(1, len(gone) + 1)]
    assert (table.year, table.quarter) <= (table.options.years, 4)
    assert max(table.produced) <= 2
    assert (table.phase == "raise") == (table.pending is not None)
    acting = SHIPPING.to_act(state)
    assert len(acting) == (table.phase != "over")
    assert all(table.boards[seat].bankrupt is None for seat in (*acting, table.start))


def check_position(state: State) -> None:
    """The strict reader takes it."""
    written = json.loads(json.dumps(SHIPPING.to_notation(state)))
    assert SHIPPING.from_notation(written) == state


def check_game(given: dict[str, Any], number: int, *, profitable: bool) -> Counter[type]:
    options = SHIPPING.options(given)
    seed = number.to_bytes(32, "big")
    rng = Stream(seed, "conservation")
    state = SHIPPING.initial_state(options, seed)
    ledger, seen = Ledger(state), Counter[type]()
    turns = quarters = 0
    while seats := SHIPPING.to_act(state):
        (seat,) = seats
        space = SHIPPING.decision(state, seat).space
        assert isinstance(space, Space)
        action = trade(space, rng) if profitable else space.sample(rng)
        trace = Trace[Event]()
        SHIPPING.apply_in_place(state, {seat: action}, trace)
        ledger.act(action)
        ledger.hear(trace.events)
        ledger.check(state)
        check_cards(state)
        check_limits(state)
        if not turns % READ_EVERY:
            check_position(state)
        turns += sum(isinstance(event, ev.TurnBegan) for event in trace.events)
        quarters += sum(isinstance(event, ev.NewsDrawn) for event in trace.events)
        seen.update(map(type, trace.events))
    assert quarters == len(state.table.news) <= 4 * options.years
    assert turns == state.table.turn - 1
    if SHIPPING.outcome(state).end == "years":
        assert quarters == 4 * options.years
    return seen


def _both(given: dict[str, Any], number: int) -> Counter[type]:
    return check_game(given, number, profitable=False) + check_game(given, number, profitable=True)


@pytest.mark.parametrize("given", OPTIONS, ids=str)
def test_nothing_is_lost_or_made_in_a_few_games(given: dict[str, Any]) -> None:
    assert _both(given, 1).total() > 100


def test_profitable_games_last_and_show_nearly_everything() -> None:
    """What the invariants were checked on: without it they would hold of games in which nothing happens."""
    seen = Counter[type]()
    for number in range(6):
        seen += check_game({"seats": 4, "years": 5}, number, profitable=True)
    missing = set(ev.KINDS.values()) - set(seen) - {ev.Owed, ev.AssetSold, ev.Waived, ev.Bankrupt, ev.CargoLost}
    assert missing <= {ev.Reshuffled}


@pytest.mark.long
@pytest.mark.parametrize("given", OPTIONS, ids=str)
@pytest.mark.parametrize("hundred", range(10))
def test_nothing_is_lost_or_made_in_1000_games(given: dict[str, Any], hundred: int) -> None:
    for number in range(100 * hundred, 100 * hundred + 100):
        check_game(given, number, profitable=number % 8 == 0)


def _dealt() -> State:
    return SHIPPING.initial_state(SHIPPING.options({}), bytes(32))


def test_a_lost_container_is_caught() -> None:
    state = _dealt()
    ledger = Ledger(state)
    ledger.check(state)
    state.table.rows[3] = state.table.rows[3][1:]
    with pytest.raises(AssertionError):
        ledger.check(state)


@pytest.mark.parametrize("name", ["cash", "ap", "aboard"])
def test_money_ap_and_cargo_out_of_nothing_are_caught(name: str) -> None:
    state = _dealt()
    ledger = Ledger(state)
    board = state.table.boards[2]
    if name == "cash":
        board.cash += 1
    elif name == "ap":
        state.table.ap += 1
    else:
        board.ships = (Ship(board.home, (0,)), *board.ships[1:])
    with pytest.raises(AssertionError):
        ledger.check(state)


def test_a_card_that_stands_twice_is_caught() -> None:
    state = _dealt()
    check_cards(state)
    state.hands[0] = (state.order_deck[0],)
    with pytest.raises(AssertionError):
        check_cards(state)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("built", (4, 0, 0, 0, 0, 0)),
        ("marked", (0, 0, 1, 0, 0, 0)),
        ("ships", (Ship(0, (0, 0)), None, None, None, None)),
        ("ships", (Ship(48), None, None, None, None)),
        ("orders", (HeldOrder(None),) * 6),
        ("orders", (HeldOrder(0, 1),)),
        ("stock", 65),
        ("track", 17),
        ("bankrupt", 1),
    ],
)
def test_a_position_beyond_the_limits_is_caught(name: str, value: Any) -> None:
    state = _dealt()
    check_limits(state)
    check_position(state)
    setattr(state.table.boards[0], name, value)
    with pytest.raises(AssertionError):
        check_limits(state)
    with pytest.raises((ValueError, IndexError, AssertionError)):
        check_position(state)
