"""The helpers for Shipping: they agree with the rules."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from gavelport_engine.game import Trace
from gavelport_engine.rng import Stream
from gavelport_engine.shipping import actions as act
from gavelport_engine.shipping import events as ev
from gavelport_engine.shipping.data import GOOD_IDS, NEWS_IDS, ORDER_IDS, ORDERS, PORTS, SPACES
from gavelport_engine.shipping.movement import ways
from gavelport_engine.shipping.rules import SHIPPING
from gavelport_engine.shipping.table import BANK, HeldOrder, Options, Ship
from gavelport_sdk import shipping as s

from tests.strategies import positions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gavelport_engine.shipping.table import State

GRAIN, COFFEE, MACHINERY = (GOOD_IDS.index(good) for good in ("grain", "coffee", "machinery"))


def at(name: str) -> int:
    return SPACES.index(name)


def beginning() -> State:
    return SHIPPING.initial_state(Options(), bytes(32))


@pytest.mark.parametrize(
    ("one", "other", "spaces"),
    [
        ("rotterdam", "new_york", 4),
        ("santos", "cape_town", 4),
        ("shanghai", "san_francisco", 5),
        ("mumbai", "rotterdam", 8),
        ("new_york", "shanghai", 8),
        ("shanghai", "rotterdam", 10),
    ],
)
def test_distances_are_those_of_the_rules(one: str, other: str, spaces: int) -> None:
    """shipping 5.7."""
    assert s.distance(at(one), at(other)) == s.distance(at(other), at(one)) == spaces


def test_no_two_ports_are_further_apart_than_the_longest_example() -> None:
    assert max(s.distance(one, other) for one, other in permutations(range(PORTS), 2)) == 10


def test_ways_are_the_shortest_by_the_rules_own_paths() -> None:
    """Of all paths of up to five spaces, none is shorter, and of the shortest none crosses fewer canals."""
    checked = 0
    table = beginning().table
    for start in range(len(SPACES)):
        best: dict[int, tuple[int, int]] = {}
        for way in ways(start, 5):
            found = (len(way.path), len(way.canals))
            best[way.path[-1]] = min(found, best.get(way.path[-1], found))
        for to, (spaces, _) in best.items():
            assert s.distance(start, to) == spaces
            route = s.route(table, 0, start, to)
            assert route is not None
            assert any(way.path == route.path for way in ways(start, 5))
            assert (len(route.path), _canals(start, route.path)) == best[to]
            checked += 1
    assert checked > 500


def _canals(start: int, path: tuple[int, ...]) -> int:
    (way,) = (way for way in ways(start, 5) if way.path == path)
    return len(way.canals)


def test_a_closed_canal_is_gone_round() -> None:
    table = beginning().table
    suez = s.route(table, 0, at("mumbai"), at("rotterdam"))
    table.news = (NEWS_IDS.index("N09"),)
    cape = s.route(table, 0, at("mumbai"), at("rotterdam"))
    assert suez is not None
    assert cape is not None
    assert at("red_sea") in suez.path
    assert at("cape_hope") in cape.path
    assert len(cape.path) > len(suez.path)


def test_what_a_way_costs() -> None:
    table = beginning().table
    seat = next(seat for seat, board in enumerate(table.boards) if board.home != at("rotterdam"))
    fee = 20 * any(board.home == at("rotterdam") for board in table.boards)
    route = s.route(table, seat, at("mumbai"), at("rotterdam"))
    assert route is not None
    assert route.cost == 20 + fee
    assert s.route(table, seat, at("mumbai"), at("mumbai")) == s.Route((), 0)


@pytest.mark.parametrize(("spaces", "aboard", "turns"), [(0, 0, 0), (3, 1, 1), (4, 1, 2), (4, 2, 2), (5, 2, 3)])
def test_turns(spaces: int, aboard: int, turns: int) -> None:
    assert s.turns_for(spaces, aboard) == turns


def plays(count: int = 3) -> Iterator[State]:
    """Yield positions of random games in which a seat has its turn."""
    for number in range(count):
        for state in positions(SHIPPING, bytes([number]) * 32, Options(no_elimination=True)):
            if state.table.phase == "turn":
                yield state


def test_moves_towards_a_port_are_legal_and_arrive() -> None:
    moves = short = 0
    for state in plays():
        table, seat = state.table, state.table.seat
        for ship, vessel in enumerate(table.boards[seat].ships):
            for to in range(0, PORTS, 3):
                for boost in (False, True):
                    move = s.move_towards(table, seat, ship, to, boost=boost)
                    if vessel is None or vessel.moved or vessel.at == to:
                        assert move is None
                        continue
                    assert move is not None
                    fault = SHIPPING.fault(state, seat, move)
                    assert fault is None or fault.code == "E51" or (fault.code == "E50" and move.boost)
                    route = s.route(table, seat, vessel.at, to)
                    assert route is not None
                    assert route.path[: len(move.path)] == move.path
                    assert move.path[-1] == to or len(move.path) >= 2
                    moves += 1
                    short += fault is not None
    assert moves > 2_000
    assert short < moves / 2


def test_a_ship_arrives_in_the_turns_that_were_told() -> None:
    table = beginning().table
    board = table.boards[0]
    for aboard in (0, 1, 2):
        board.ships = (None, None, None, Ship(at("shanghai"), (GRAIN,) * aboard), None)
        turns = 0
        while move := s.move_towards(table, 0, 3, at("hamburg")):
            board.ships = (None, None, None, Ship(move.path[-1], (GRAIN,) * aboard), None)
            turns += 1
        assert turns == s.turns_for(s.distance(at("shanghai"), at("hamburg")), aboard) > 2


def test_prices_are_what_is_paid() -> None:
    """Every purchase and sale of some random games costs and brings what the helper said before."""
    bought = sold = 0
    for number in range(20):
        rng = Stream(bytes([number]) * 32, "prices")
        state = SHIPPING.initial_state(Options(no_elimination=True), bytes([number]) * 32)
        while seats := SHIPPING.to_act(state):
            seat = seats[0]
            action = SHIPPING.decision(state, seat).space.sample(rng)
            told = _told(state, seat, action)
            trace = Trace[ev.Event]()
            SHIPPING.apply_in_place(state, {seat: action}, trace)
            if isinstance(action, act.Buy):
                paid = [each for each in trace.events if isinstance(each, ev.Payment) and each.purpose == "containers"]
                assert sum(each.amount for each in paid if each.payer == seat) == told
                bought += 1
            elif isinstance(action, act.Sell):
                (sale,) = (each for each in trace.events if isinstance(each, ev.Sold))
                assert sale.price == told
                sold += 1
    assert bought > 50
    assert sold > 5


def _told(state: State, seat: int, action: Any) -> int | None:
    vessel = state.table.boards[seat].ships[action.ship] if isinstance(action, act.Buy | act.Sell) else None
    if vessel is None:
        return None
    if isinstance(action, act.Sell):
        return s.sale_price(state.table, action.good, vessel.at)
    good = s.good_made_in(vessel.at)
    assert good is not None
    assert action.count <= s.room(state.table.boards[seat], action.ship)
    return s.purchase_price(state.table, seat, good, action.count)


def test_prices_of_what_cannot_be_traded() -> None:
    table = beginning().table
    assert s.purchase_price(table, 0, GRAIN, 4) is None
    table.rows[GRAIN] = (BANK, BANK, 0)
    assert s.purchase_price(table, 0, GRAIN) == 0
    assert s.purchase_price(table, 0, GRAIN, 2) == 105
    assert s.sale_price(table, GRAIN, at("new_york")) is None
    assert s.sale_price(table, GRAIN, at("north_sea")) is None
    assert s.good_made_in(at("sydney")) is s.good_made_in(at("baja")) is None
    assert s.room(table.boards[0], 4) == 0


def test_where_goods_are_made_and_taken() -> None:
    assert s.ports_that_make(MACHINERY) == tuple(sorted(map(at, ("rotterdam", "hamburg", "genoa"))))
    for good in range(len(GOOD_IDS)):
        assert not set(s.ports_that_make(good)) & set(s.ports_that_take(good))
        assert 9 <= len(s.ports_that_take(good)) <= 14


def test_orders() -> None:
    """O13 asks for 3 Coffee to Hamburg; O10 for 2 Coffee to Cape Town; O33 for 1 Machinery to New York."""
    board = beginning().table.boards[0]
    hand = tuple(ORDER_IDS.index(card) for card in ("O13", "O10", "O33"))
    board.orders = (HeldOrder(hand[0], 1), HeldOrder(None), HeldOrder(hand[2]))
    assert [order.left for order in s.wanted(board, hand)] == [2, 2, 1]
    assert s.wanted(board, hand)[0] == (hand[0], COFFEE, at("hamburg"), 2, 1140, 150)
    assert [order.card for order in s.orders_for(board, hand, COFFEE, at("hamburg"))] == [hand[0]]
    assert s.orders_for(board, hand, COFFEE, at("dubai")) == []
    assert s.completed_by(board, hand, (COFFEE,)) == []
    assert [order.card for order in s.completed_by(board, hand, (COFFEE, COFFEE))] == [hand[0]]
    assert [order.card for order in s.completed_by(board, hand, (COFFEE,) * 4 + (MACHINERY,))] == [*hand]
    assert s.penalties(hand) == 150 + 100 + 50


def test_orders_that_may_be_named_are_those_that_fit() -> None:
    sales = 0
    for state in plays(20):
        seat, table = state.table.seat, state.table
        hand = state.hands[seat]
        for ship, vessel in enumerate(table.boards[seat].ships):
            for good in set(vessel.cargo if vessel else ()):
                assert vessel is not None
                if vessel.at >= PORTS or s.sale_price(table, good, vessel.at) is None:
                    continue
                fitting = {order.card for order in s.orders_for(table.boards[seat], hand, good, vessel.at)}
                for card in range(len(ORDERS)):
                    is_legal = SHIPPING.fault(state, seat, act.Sell(ship, good, card)) is None
                    assert is_legal == (card in fitting)
                sales += 1
    assert sales > 5


def test_what_the_accounts_leave() -> None:
    state = beginning()
    table, hand = state.table, state.hands[0]
    table.boards[0].ships = (Ship(0), None, Ship(0), Ship(0), None)
    assert s.after_accounts(table, 0, hand) == 600 - 2 * 30 - 100
    table.year = table.options.years
    assert s.after_accounts(table, 0, hand) == 600 - 2 * 30 - 100 - ORDERS[hand[0]].penalty


def test_points_are_those_of_the_outcome() -> None:
    *_, state = positions(SHIPPING, bytes(32), Options(no_elimination=True))
    assert tuple(map(s.points, state.table.boards)) == SHIPPING.outcome(state).totals


def test_a_trip_pays_what_it_says() -> None:
    """18.2: Machinery at three containers from Rotterdam to New York; there and back again in turns of three spaces."""
    table = beginning().table
    table.boards[0].home = at("rotterdam")
    table.boards[1].home, table.boards[2].home = at("new_york"), at("shanghai")
    found = {(trip.source, trip.city): trip for trip in s.trips(table, 0, at("new_york")) if trip.good == MACHINERY}
    trip = found[at("rotterdam"), at("new_york")]
    assert trip == s.Trip(at("rotterdam"), MACHINERY, at("new_york"), 1, turns=2 + 2, gain=280 - 160 - 20)
    assert found[at("hamburg"), at("buenos_aires")].gain == 180 + 120 - 160
    (two,) = [
        trip
        for trip in s.trips(table, 0, at("rotterdam"), 2)
        if (trip.source, trip.city) == (at("rotterdam"), at("new_york"))
    ]
    assert (two.turns, two.gain) == (2, 2 * (200 + 100 - 160) - 20)


def test_trips_leave_out_what_is_not_there() -> None:
    table = beginning().table
    table.rows[GRAIN] = (BANK,)
    goods = {count: {trip.good for trip in s.trips(table, 0, at("santos"), count)} for count in (1, 2)}
    assert (GRAIN in goods[1], GRAIN in goods[2], COFFEE in goods[2]) == (True, False, True)
    table.rows[GRAIN] = (0,)
    own = next(trip for trip in s.trips(table, 0, at("houston")) if trip.source == at("houston"))
    table.rows[GRAIN] = (BANK,)
    bought = next(trip for trip in s.trips(table, 0, at("houston")) if trip.source == at("houston"))
    assert own.gain - bought.gain == 135


def test_deliveries_are_at_hand_where_the_ship_lies() -> None:
    table = beginning().table
    table.news = (NEWS_IDS.index("N06"),)  # 40 more for Machinery
    here = {trip.city: trip for trip in s.deliveries(table, 0, at("santos"), (MACHINERY, MACHINERY))}
    assert (here[at("santos")].turns, here[at("santos")].gain) == (0, 2 * (160 + 100 + 40))
    assert here[at("buenos_aires")].turns == s.turns_for(s.distance(at("santos"), at("buenos_aires")), 2)
    assert list(s.deliveries(table, 0, at("santos"), ())) == []
