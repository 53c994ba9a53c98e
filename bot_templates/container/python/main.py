"""my_bot: a first bot for Container. It plays legally as it stands; everything in it is there to be changed.

The referee asks for one decision at a time, and `decide` answers with an action. This one produces every turn, stocks
its harbour for the ships of others, and bids a share of what a lot is worth to it. It never sails: that is a good next
thing to teach it.
"""

from gavelport_engine.container.actions import Action, Bid, Buy, Pass
from gavelport_engine.container.goods import colours_of, cost
from gavelport_engine.container.table import Observation
from gavelport_sdk import Bot, run
from gavelport_sdk import container as c  # what things cost, what fits, what is worth what

RESERVE = 2  # dollars that stay in hand, for wages and interest
FACTORY_PRICE = 2  # what others pay for a container out of the factory store
HARBOUR_PRICE = 4  # what ships pay for one out of the harbour store
BID_SHARE = 0.5  # of what a lot is worth


class MyBot(Bot):
    games = ("container",)

    def decide(self, observation: Observation) -> Action:
        """Return an action; `observation` is all that this seat may see. Whatever is not legal is refused."""
        self.table = observation.table  # what lies open: boards, supply, whose turn it is
        self.board = self.table.boards[self.match.seat]  # one's own factories, stores and ship
        self.cash = observation.cash or 0  # only one's own is seen
        self.card = observation.card or 0  # what the colours are worth at the end, to this seat alone

        # CHANGE HERE what is done in each phase. `self.decision.space.sample(self.rng)` would be any legal action.
        match self.table.phase:
            case "action":
                return self.act()
            case "bid":
                return self.bid()
            case _:  # sales, ties, interest and seizures: the mildest action that is legal
                mild: Action = self.decision.default()
                return mild

    def act(self) -> Action:
        """Return one of the two actions of a turn."""
        if not self.table.produced and self.cash >= 1 and c.factory_space(self.board):
            production = c.produce(self.table, self.match.seat, FACTORY_PRICE)
            if any(production.make):
                return production

        for seller, other in enumerate(self.table.boards):
            if seller != self.match.seat:
                take = c.cheapest(other.factory_store, c.harbour_space(self.board), self.cash - RESERVE)
                if sum(take) and cost(take) < HARBOUR_PRICE * sum(take):
                    return Buy(seller, take, c.placed(self.board.harbour_store, colours_of(take), HARBOUR_PRICE))

        # CHANGE HERE: build factories and warehouses, re-price, sail to a harbour, load, sail to the island.
        return Pass()

    def bid(self) -> Bid:
        """Return the sealed bid for the lot on the ship that has just reached the island."""
        lot = self.table.boards[self.table.seat].cargo
        worth = c.lot_gain(self.board.island, lot, self.card)
        return Bid(max(0, min(int(BID_SHARE * worth), self.cash - RESERVE)))


if __name__ == "__main__":
    run(MyBot)
