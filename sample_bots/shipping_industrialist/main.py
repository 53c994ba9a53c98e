"""Owns factories and sails with their goods: produces wherever it can, and lets the others buy from it.

What it produces it loads for nothing, or is paid for by whoever does; the Production Track adds money, AP and stock.
The strategy, in the order in which an action is looked for:

1. sell what is where it was bound for;
2. buy ships early, and factories where a ship is docked, most of all while few containers are on the market;
3. produce what the next voyages load, load, and move;
4. with AP left produce for the others;
5. buy shares with what neither goods nor the accounts need.

A ship's voyage is the trip that gains most, where every turn of a container at sea costs what one earns on average.
"""

from collections.abc import Container, Iterator
from typing import NamedTuple

from gavelport_engine.shipping.actions import (
    Action,
    Build,
    Buy,
    BuyAp,
    BuyShare,
    BuyShip,
    EndTurn,
    Produce,
    Sell,
    SellShare,
)
from gavelport_engine.shipping.bills import maintenance
from gavelport_engine.shipping.data import COSTS, GOODS, ORDERS, QUARTERS, REGIONS, ROW_CAPACITY
from gavelport_engine.shipping.legal import CAPACITY
from gavelport_engine.shipping.market import price
from gavelport_engine.shipping.movement import limit
from gavelport_engine.shipping.table import Observation, Ship
from gavelport_sdk import Bot, run
from gavelport_sdk import shipping as s
from gavelport_sdk.bot import MatchInfo

TURN_COST = 45  # $M that a container earns in a turn, on average
TURN_COST_EMPTY_HOLD = 10  # $M a turn for the half of a large ship that sails empty
CAPITAL_PER_SHIP = 120  # $M that stay in hand for goods when ships or shares are bought
NEWS_RESERVE = 60  # $M for what a News card may cost
SHIPS_PAY_BACK = {"small": 4, "large": 7}  # turns that must be left
FACTORY_PAYS_BACK = 3  # turns that must be left
FACTORY_CAPITAL = 100  # $M that stay in hand when one is built
LEAST_LOAD = 100  # $M without which a voyage cannot begin
SHARE_AP = 2


class Voyage(NamedTuple):
    trip: s.Trip
    value: float
    card: int | None
    """The Order for which the containers will be counted."""


class Industrialist(Bot):
    games = ("shipping",)

    def start(self, match: MatchInfo) -> None:
        self.seat = match.seat

    def decide(self, observation: Observation) -> Action:
        self.table = observation.table
        self.board = self.table.boards[self.seat]
        self.hand = observation.hand or ()
        if self.table.phase == "raise":  # only without elimination, and not with the reserve
            mild: Action = self.decision.default()
            return mild
        years_after = self.table.options.years - self.table.year
        self.turns_left = years_after * QUARTERS + QUARTERS - self.table.quarter + 1
        self.spare = self.board.cash - self.reserve()
        has_accounts_now = self.table.quarter == QUARTERS
        self.for_goods = self.spare if has_accounts_now else self.board.cash  # what goods cost is back by then
        self.plan()
        return next((action for action in self.wishes() if self.decision.space.contains(action)), EndTurn())

    def reserve(self) -> int:
        """Return what stays in hand: for News, and for the accounts as they come nearer."""
        due = maintenance(self.board) * self.table.quarter // QUARTERS
        if self.turns_left == 1:
            due += s.penalties(self.hand)
        return NEWS_RESERVE + due

    def capital(self) -> int:
        """Return what the fleet needs for its next loads."""
        return CAPITAL_PER_SHIP * (len(CAPACITY) - self.board.ships.count(None))

    # -- voyages

    def plan(self) -> None:
        """Give each ship a voyage, loaded ones first; what one will buy or deliver is no more there for the next."""
        self.voyages: dict[int, Voyage] = {}
        self.left = {order.card: order.left for order in s.wanted(self.board, self.hand)}
        rows = self.table.rows.copy()
        self.table.rows[:] = [self.with_production(good) for good in range(len(GOODS))]
        ships = [(number, ship) for number, ship in enumerate(self.board.ships) if ship is not None]
        for number, ship in sorted(ships, key=lambda each: not each[1].cargo):
            voyage = self.best_voyage(number, ship)
            if voyage is None:
                continue
            self.voyages[number] = voyage
            if voyage.card is not None:
                self.left[voyage.card] -= voyage.trip.containers
            if not ship.cargo:
                good = voyage.trip.good
                row = self.table.rows[good]
                self.table.rows[good] = row[: len(row) - voyage.trip.containers]
        self.table.rows[:] = rows

    def with_production(self, good: int) -> tuple[int, ...]:
        """Return a row as it would be if the seat produced first."""
        row = self.table.rows[good]
        (region,) = [region for region, one in enumerate(REGIONS) if one.good == good]
        can_produce = self.board.built[region] > self.board.marked[region] and not self.table.produced[good]
        return (self.seat, *row) if can_produce and len(row) < ROW_CAPACITY else row

    def wanted_here(self) -> set[int]:
        """Return the goods that ships wait for in port."""
        ships = self.board.ships
        return {
            voyage.trip.good
            for number, voyage in self.voyages.items()
            if (ship := ships[number]) and not ship.cargo and ship.at == voyage.trip.source
        }

    def best_voyage(self, number: int, ship: Ship) -> Voyage | None:
        turns = self.turns_left - ship.moved
        if ship.cargo:
            return self.best(s.deliveries(self.table, self.seat, ship.at, ship.cargo), number, turns)
        found = [
            self.best(s.trips(self.table, self.seat, ship.at, count), number, turns)
            for count in range(1, CAPACITY[number] + 1)
        ]
        return max((voyage for voyage in found if voyage and voyage.value > 0), key=lambda v: v.value, default=None)

    def best(self, trips: Iterator[s.Trip], number: int, turns: int) -> Voyage | None:
        best = None
        for trip in trips:
            if trip.turns > turns:
                continue
            cost = TURN_COST * trip.containers + TURN_COST_EMPTY_HOLD * (CAPACITY[number] - trip.containers)
            value = trip.gain - cost * trip.turns
            card, bonus = self.order_for(trip)
            if best is None or value + bonus > best.value:
                best = Voyage(trip, value + bonus, card)
        return best

    def order_for(self, trip: s.Trip) -> tuple[int | None, float]:
        """Return the Order that a trip serves best, and what of its reward the trip earns."""
        best: tuple[int | None, float] = (None, 0)
        for card, left in self.left.items():
            order = ORDERS[card]
            if left > 0 and (order.good, order.city) == (trip.good, trip.city):
                share = min(trip.containers, left) / left * (order.reward + order.penalty)
                best = max(best, (card, share), key=lambda each: each[1])
        return best

    # -- actions

    def wishes(self) -> Iterator[Action]:
        """Yield what is worth doing now, best first; what is not legal is passed over."""
        yield from self.sales()
        if self.turns_left == 1:
            yield from self.last_shares()
        yield from self.ships()
        yield from self.loads()
        yield from self.production(self.wanted_here())
        yield from self.moves(boost=False)
        yield from self.factories()
        if self.turns_left > 1:
            yield from self.production(range(len(GOODS)))
        yield from self.shares()
        yield from self.moves(boost=True)
        yield from self.fresh_money()

    def sales(self) -> Iterator[Action]:
        for number, voyage in self.voyages.items():
            ship = self.board.ships[number]
            if ship and ship.cargo and voyage.trip.turns == 0:
                fitting = s.orders_for(self.board, self.hand, voyage.trip.good, ship.at)
                yield Sell(number, voyage.trip.good, fitting[0].card if fitting else None)

    def ships(self) -> Iterator[Action]:
        for kind, turns in SHIPS_PAY_BACK.items():
            if self.turns_left >= turns and self.spare - COSTS[f"{kind}_ship"] >= self.capital():
                yield BuyShip(kind)

    def loads(self) -> Iterator[Action]:
        for number, voyage in self.voyages.items():
            ship, trip = self.board.ships[number], voyage.trip
            if ship and not ship.cargo and ship.at == trip.source:
                for count in range(trip.containers, 0, -1):
                    cost = s.purchase_price(self.table, self.seat, trip.good, count)
                    if cost is not None and cost <= self.for_goods:
                        yield Buy(number, count)

    def moves(self, *, boost: bool) -> Iterator[Action]:
        """Yield moves, first those that gain nothing by a boost; loads have been bought, or cannot be."""
        for number, voyage in self.voyages.items():
            ship = self.board.ships[number]
            if ship is None or ship.moved:
                continue
            to = voyage.trip.city if ship.cargo else voyage.trip.source
            way = s.route(self.table, self.seat, ship.at, to)
            if way is None:
                continue
            gains = len(way.path) % limit(ship) == 1
            if gains != boost:
                continue
            for boosted in (True, False) if gains else (False,):
                move = s.move_towards(self.table, self.seat, number, to, boost=boosted)
                if move is not None:
                    yield move

    def factories(self) -> Iterator[Action]:
        """Yield factories for what sells dearest, in regions where a ship is docked or one stands already."""
        if self.turns_left >= FACTORY_PAYS_BACK and self.spare - COSTS["factory"] >= FACTORY_CAPITAL:
            regions = range(len(REGIONS))
            for region in sorted(regions, key=lambda region: -price(self.table, REGIONS[region].good)):
                if self.board.built[region] == self.board.marked[region] or self.turns_left > QUARTERS:
                    yield Build(region)

    def production(self, goods: Container[int]) -> Iterator[Action]:
        """Yield production of some goods, the dearest first."""
        if self.spare >= COSTS["produce"]:
            regions = [region for region, one in enumerate(REGIONS) if one.good in goods]
            for region in sorted(regions, key=lambda region: -price(self.table, REGIONS[region].good)):
                yield Produce(region)

    def shares(self) -> Iterator[Action]:
        if self.spare - COSTS["share_buy"] >= self.capital():
            yield BuyShare()

    def fresh_money(self) -> Iterator[Action]:
        """Yield the sale of a share where the money does not do for a load or a way: it would stay so."""
        is_empty = not any(ship.cargo for ship in self.board.ships if ship)
        is_held_up = any([*self.moves(boost=False), *self.moves(boost=True)])  # wished before, and not legal
        if self.turns_left > QUARTERS and (is_held_up or (is_empty and self.spare < LEAST_LOAD)):
            yield SellShare()

    def last_shares(self) -> Iterator[Action]:
        """Yield shares for all the money that is left, AP bought for them if need be."""
        missing = max(0, SHARE_AP - self.table.ap)
        if self.spare >= COSTS["share_buy"] + missing * COSTS["extra_ap"]:
            yield BuyAp(missing) if missing else BuyShare()


if __name__ == "__main__":
    run(Industrialist)
