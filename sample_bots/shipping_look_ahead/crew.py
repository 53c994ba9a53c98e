"""The daily work of a fleet: sell, load, sail, produce, buy shares. It invests in nothing; that is left to the search.

`work` plays a seat's turn on an engine state, in quick look-ups rather than with much thought, since the search
goes through it thousands of times. Every ship takes the trip that gains most, a turn at sea costing what a ship earns.
"""

from collections.abc import Iterator
from functools import cache

from gavelport_engine.shipping.actions import Action, Buy, BuyAp, BuyShare, EndTurn, Move, Produce, Sell
from gavelport_engine.shipping.bills import maintenance
from gavelport_engine.shipping.data import (
    CITIES,
    COSTS,
    GOODS,
    ORDERS,
    PRICES,
    QUARTERS,
    REGIONS,
    ROW_CAPACITY,
)
from gavelport_engine.shipping.legal import CAPACITY
from gavelport_engine.shipping.money import TOP
from gavelport_engine.shipping.movement import limit
from gavelport_engine.shipping.news import sale_bonus
from gavelport_engine.shipping.table import Board, Ship, State, Table
from gavelport_sdk import shipping as s

HOLD_COST = (0, 45, 90)  # $M that a turn costs with so many containers aboard
SAIL_EMPTY = (0, 40, 50)  # $M a turn on the way to so many containers
CAPITAL_PER_SHIP = 120  # $M that stay in hand for goods when shares are bought
NEWS_RESERVE = 60  # $M for what a News card may cost
SHARE_AP = 2
SPARE_AP = 2  # that are left before a boost is thought of
REGION_OF = {region.good: number for number, region in enumerate(REGIONS)}

Claims = dict[int, int]
"""By good: containers for which ships are under way."""


def turns_left(table: Table) -> int:
    """Return how many turns a seat has left, this one included."""
    return (table.options.years - table.year) * QUARTERS + QUARTERS - table.quarter + 1


def spare(table: Table, board: Board, hand: tuple[int, ...]) -> int:
    """Return the cash beyond what News and the accounts may take."""
    due = maintenance(board) * table.quarter // QUARTERS
    if turns_left(table) == 1:
        due += s.penalties(hand)
    return board.cash - NEWS_RESERVE - due


def capital(board: Board) -> int:
    """Return what the fleet needs for its next loads, $M."""
    return CAPITAL_PER_SHIP * (len(CAPACITY) - board.ships.count(None))


@cache
def moves(at: int, to: int, aboard: int) -> int:
    return s.turns_for(s.distance(at, to), aboard)


Plan = tuple[int, int, int]
"""Bonuses less what the time at sea costs, $M; the moves that it takes; the port that is chosen."""


@cache
def sales_from(at: int, good: int, count: int, aboard: int) -> tuple[Plan, ...]:
    """Return for each city that takes a good what selling there brings beyond the price, the best first."""
    found = []
    for city in s.ports_that_take(good):
        turns = moves(at, city, aboard)
        found.append((count * CITIES[city].bonus - HOLD_COST[count] * turns, turns, city))
    return tuple(sorted(found, reverse=True))


@cache
def trips_from(at: int, good: int, count: int, city: int | None) -> tuple[Plan, ...]:
    """Return all trips for a good, by the port where it is loaded, the best first; to one city, or to any."""
    found = []
    for port in s.ports_that_make(good):
        before = moves(at, port, 0)
        for value, after, to in sales_from(port, good, count, count):
            if city in (None, to):
                found.append((value - SAIL_EMPTY[count] * before, before + after, port))
    return tuple(sorted(found, reverse=True))


def first_within(plans: tuple[Plan, ...], turns: int) -> Plan | None:
    return next((plan for plan in plans if plan[1] <= turns), None)


def can_produce(table: Table, board: Board, good: int) -> bool:
    region = REGION_OF[good]
    return (
        board.built[region] > board.marked[region]
        and not table.produced[good]
        and len(table.rows[good]) < ROW_CAPACITY
        and table.ap >= 1
        and board.cash >= COSTS["produce"]
    )


def wanted_at(state: State, seat: int, good: int) -> list[tuple[int, int, int]]:
    """Return (card, city, containers left) of the seat's Orders for a good."""
    board = state.table.boards[seat]
    held = zip(board.orders, state.hands[seat], strict=True)
    return [
        (card, ORDERS[card].city, ORDERS[card].count - order.done) for order, card in held if ORDERS[card].good == good
    ]


def reward(card: int, count: int, left: int) -> float:
    return min(count, left) / left * (ORDERS[card].reward + ORDERS[card].penalty)


def destination(state: State, seat: int, ship: Ship, turns: int) -> int | None:
    """Return the city where the first good aboard gains most."""
    good = ship.cargo[0]
    count = ship.cargo.count(good)
    plans = sales_from(ship.at, good, count, len(ship.cargo))
    best = first_within(plans, turns)
    if best is None:
        return None
    gain: float = best[0]
    to = best[2]
    for card, city, left in wanted_at(state, seat, good):
        for value, needed, port in plans:
            if port == city and needed <= turns and value + reward(card, count, left) > gain:
                gain, to = value + reward(card, count, left), city
    return to


def source(state: State, seat: int, number: int, turns: int, claims: Claims) -> tuple[int, int, int] | None:
    """Return (port, good, containers) of what an empty ship should load next; None where nothing pays any more."""
    table = state.table
    board = table.boards[seat]
    ship = board.ships[number]
    assert ship is not None
    best, chosen = 0.0, None
    for good in range(len(GOODS)):
        row = (seat, *table.rows[good]) if can_produce(table, board, good) else table.rows[good]
        stock = len(row) - claims.get(good, 0)
        orders = wanted_at(state, seat, good)
        for count in range(1, min(CAPACITY[number], stock) + 1):
            owed = PRICES[good][len(row)] * sum(owner != seat for owner in row[len(row) - count :])
            if owed > board.cash:
                continue
            gain = count * (PRICES[good][stock - count] + sale_bonus(table, good)) - owed
            found = [(first_within(trips_from(ship.at, good, count, None), turns), 0.0)]
            for card, city, left in orders:
                plan = first_within(trips_from(ship.at, good, count, city), turns)
                found.append((plan, reward(card, count, left)))
            for plan, more in found:
                if plan is not None and plan[0] + gain + more > best:
                    best, chosen = plan[0] + gain + more, (plan[2], good, count)
    return chosen


def work(state: State, seat: int) -> Iterator[Action]:
    """Yield the actions of a turn, each to be applied to the state before the next is asked for; at last EndTurn."""
    table = state.table
    board = table.boards[seat]
    turns = turns_left(table)
    claims: Claims = {}
    for number in range(len(CAPACITY)):
        if board.ships[number] is not None:
            yield from _sail(state, seat, number, turns, claims)
    if turns > 1:
        for good in sorted(range(len(GOODS)), key=lambda good: -PRICES[good][len(table.rows[good])]):
            if can_produce(table, board, good) and spare(table, board, state.hands[seat]) >= COSTS["produce"]:
                yield Produce(REGION_OF[good])
    yield from _shares(state, seat, turns)
    yield EndTurn()


def _sail(state: State, seat: int, number: int, turns: int, claims: Claims) -> Iterator[Action]:
    """Yield what one ship does in a turn: sell, load, move, and again sell and load where it arrives."""
    table = state.table
    board = table.boards[seat]
    for _ in range(2):
        ship = board.ships[number]
        assert ship is not None
        to = None
        if ship.cargo:
            to = destination(state, seat, ship, turns - ship.moved)
            while to == ship.at and ship.cargo and ship.cargo[0] in CITIES[to].sells:
                good = ship.cargo[0]
                fitting = [(left, card) for card, city, left in wanted_at(state, seat, good) if city == to]
                yield Sell(number, good, min(fitting)[1] if fitting else None)
                ship = board.ships[number]
                assert ship is not None
        if not ship.cargo:
            found = source(state, seat, number, turns - ship.moved, claims)
            to = None if found is None else found[0]
            if found is not None and ship.at == to:
                yield from _load(state, seat, number, found[1], found[2])
                ship = board.ships[number]
                assert ship is not None
                to = destination(state, seat, ship, turns - ship.moved) if ship.cargo else None
            elif found is not None:
                claims[found[1]] = claims.get(found[1], 0) + found[2]
        if to is None or to == ship.at or ship.moved:
            return
        move = _move(table, seat, number, ship, to)
        if move is None:
            return
        yield move


def _load(state: State, seat: int, number: int, good: int, most: int) -> Iterator[Action]:
    table = state.table
    board = table.boards[seat]
    if can_produce(table, board, good) and table.ap >= 2 and len(table.rows[good]) < most:
        yield Produce(REGION_OF[good])
    due = maintenance(board) + NEWS_RESERVE if table.quarter == QUARTERS else 0
    for count in range(min(most, table.ap, len(table.rows[good])), 0, -1):
        owed = s.purchase_price(table, seat, good, count)
        if owed is not None and owed <= max(0, board.cash - due):
            yield Buy(number, count)
            return


def _move(table: Table, seat: int, number: int, ship: Ship, to: int) -> Move | None:
    way = s.route(table, seat, ship.at, to)
    if way is None or way.cost > table.boards[seat].cash:
        return None
    boost = len(way.path) % limit(ship) == 1 and (table.boosts > 0 or table.ap > SPARE_AP)
    return s.move_towards(table, seat, number, to, boost=boost)


def _shares(state: State, seat: int, turns: int) -> Iterator[Action]:
    """Yield shares with the money that the fleet does not need; in the last turn with all that is left."""
    table = state.table
    board = table.boards[seat]
    while True:
        left = spare(table, board, state.hands[seat]) - (capital(board) if turns > 1 else 0) - COSTS["share_buy"]
        if left < 0 or board.stock == TOP:
            return
        missing = max(0, SHARE_AP - table.ap)
        if missing and (turns > 1 or table.ap_bought or left < missing * COSTS["extra_ap"]):
            return
        yield BuyAp(missing) if missing else BuyShare()
