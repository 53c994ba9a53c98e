"""Lives on Orders: takes those that its ships can fill, and plans every voyage around them.

A container sold for an Order brings twice to three times what it brings alone. Between Orders it trades like anybody.
The strategy, in the order in which an action is looked for:

1. sell what is where it was bound for, counted for an Order where one fits;
2. buy ships early: each brings 1 AP a turn, and one container more at sea;
3. load what the voyages need, and move;
4. take Orders: of the open ones those that gain most, else hidden ones;
5. where the market is short of what they ask for, make it: one factory in a region;
6. near the end turn the money into shares.

A ship's voyage is the trip that gains most, where every turn of a container at sea costs what one earns on average.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gavelport_engine.shipping.actions import (
    Action,
    Build,
    Buy,
    BuyAp,
    BuyOrder,
    BuyShare,
    BuyShip,
    DrawOrder,
    EndTurn,
    Produce,
    Sell,
    SellShare,
)
from gavelport_engine.shipping.bills import maintenance
from gavelport_engine.shipping.data import COSTS, ORDERS, QUARTERS, REGIONS
from gavelport_engine.shipping.legal import CAPACITY
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
LEAST_ORDER_GAIN = 150
CAN_MAKE = 1  # containers of what an Order asks for that need not be on the market
HIDDEN_ORDER_TURNS = 6  # turns that must be left to draw one unseen
LEAST_LOAD = 100  # $M without which a voyage cannot begin
SHARE_AP = 2
REGION_OF = {region.good: number for number, region in enumerate(REGIONS)}


class Voyage(NamedTuple):
    trip: s.Trip
    value: float
    card: int | None
    """The Order for which the containers will be counted."""


class Filler(Bot):
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
        for good in self.short():
            if self.board.built[REGION_OF[good]] > self.board.marked[REGION_OF[good]] and not self.table.produced[good]:
                self.table.rows[good] = (self.seat, *rows[good])
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
        yield from self.own_goods()
        yield from self.loads()
        yield from self.moves(boost=False)
        yield from self.orders()
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

    def orders(self) -> Iterator[Action]:
        """Yield the open Order that gains most, or a hidden one where there is time."""
        gains = [(self.order_gain(card), slot) for slot, card in enumerate(self.table.open_orders) if card is not None]
        gain, slot = max(gains, default=(0, 0))
        money = self.spare - self.capital() // 2
        if gain >= LEAST_ORDER_GAIN and money >= COSTS["face_up_order"]:
            yield BuyOrder(slot)
        elif self.turns_left >= HIDDEN_ORDER_TURNS and money >= COSTS["hidden_order"] and len(self.hand) < 3:
            yield DrawOrder()

    def order_gain(self, card: int) -> float:
        """Return what an Order brings beyond what its containers would earn elsewhere; 0 where time is too short."""
        order = ORDERS[card]
        if len(self.table.rows[order.good]) + CAN_MAKE < order.count:
            return 0
        spaces = min(s.distance(source, order.city) for source in s.ports_that_make(order.good))
        turns = s.turns_for(spaces) + 2
        if turns > self.turns_left:
            return 0
        return order.reward - COSTS["face_up_order"] - TURN_COST * order.count

    def own_goods(self) -> Iterator[Action]:
        """Yield production of what Orders ask for and the market is short of, and the factories for it."""
        for good in self.short():
            if self.spare >= COSTS["produce"]:
                yield Produce(REGION_OF[good])
            if self.spare >= COSTS["factory"] + COSTS["produce"] and not self.board.built[REGION_OF[good]]:
                yield Build(REGION_OF[good])

    def short(self) -> set[int]:
        """Return the goods of which Orders ask for more than there is."""
        orders = s.wanted(self.board, self.hand)
        return {order.good for order in orders if order.left > len(self.table.rows[order.good])}

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
    run(Filler)
