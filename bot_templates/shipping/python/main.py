"""my_bot: a first bot for Shipping. It plays legally as it stands; everything in it is there to be changed.

The referee asks for one action at a time until the turn is ended, and `decide` answers. This one carries goods from
where they are cheap to where they are dear, buys small ships as long as they pay, and turns what it earns into shares.
It takes no Orders and builds no factories: those are good next things to teach it.
"""

from collections.abc import Iterable, Iterator

from gavelport_engine.shipping.actions import Action, Buy, BuyShare, BuyShip, EndTurn, Sell
from gavelport_engine.shipping.data import COSTS, QUARTERS
from gavelport_engine.shipping.table import Observation, Ship
from gavelport_sdk import Bot, run
from gavelport_sdk import shipping as s  # ways over the map, what goods cost and fetch, what a trip gains

NEWS = 100  # $M that stay in hand for what a News card may cost
CAPITAL = 300  # $M to trade with, beside what a ship costs
PAYS_BACK = 6  # turns that must be left for a ship to earn its price


class MyBot(Bot):
    games = ("shipping",)

    def decide(self, observation: Observation) -> Action:
        """Return an action; `observation` is all that this seat may see. Whatever is not legal is refused."""
        self.table = observation.table  # what lies open: boards, the Terminal, News, whose turn it is
        self.board = self.table.boards[self.match.seat]  # one's own cash, ships, factories and Orders
        self.hand = observation.hand or ()  # the cards of one's own Orders, hidden ones included
        if self.table.phase != "turn":  # a bill that the cash does not cover: the mildest sale that is legal
            mild: Action = self.decision.default()
            return mild
        years = self.table.options.years - self.table.year
        self.turns_left = years * QUARTERS + QUARTERS - self.table.quarter + 1  # this one included
        self.spare = s.after_accounts(self.table, self.match.seat, self.hand) - NEWS
        legal = self.decision.space.contains
        return next((action for action in self.wishes() if legal(action)), EndTurn())

    def wishes(self) -> Iterator[Action]:
        """Yield what is worth doing now, best first; `decide` takes the first that is legal."""
        ships = [(number, ship) for number, ship in enumerate(self.board.ships) if ship is not None]
        for number, ship in ships:
            yield from self.sail(number, ship)
        if self.spare >= COSTS["small_ship"] + CAPITAL and self.turns_left >= PAYS_BACK:
            yield BuyShip("small")
        if self.spare >= COSTS["share_buy"]:
            yield BuyShare()
        # CHANGE HERE: take Orders and plan ways around them, build factories and produce, buy large ships and AP.

    def sail(self, number: int, ship: Ship) -> Iterator[Action]:
        """Yield what brings a ship further on the trip that earns most in a turn."""
        if ship.cargo:
            trip = self.best(s.deliveries(self.table, self.match.seat, ship.at, ship.cargo))
            if trip is not None and trip.turns == 0:
                yield Sell(number, trip.good)
            elif trip is not None:
                yield from self.move(number, trip.city)
            return
        trip = self.best(s.trips(self.table, self.match.seat, ship.at))
        if trip is None or trip.gain <= 0:
            return
        price = s.purchase_price(self.table, self.match.seat, trip.good)
        if ship.at != trip.source:
            yield from self.move(number, trip.source)
        elif price is not None and price <= self.spare:
            yield Buy(number)

    def move(self, number: int, to: int) -> Iterator[Action]:
        step = s.move_towards(self.table, self.match.seat, number, to)
        if step is not None:
            yield step

    def best(self, trips: Iterable[s.Trip]) -> s.Trip | None:
        """Return the trip that gains most in a turn, of those that come to an end in time."""
        in_time = (trip for trip in trips if trip.turns <= self.turns_left)
        return max(in_time, key=lambda trip: trip.gain / (trip.turns + 1), default=None)


if __name__ == "__main__":
    run(MyBot)
