"""Lives on its ship: buys in harbours, sails to the island, and lets the others bid.

A lot sold for $b brings $2b, for the bank doubles it: goods from a harbour at $4 apiece pay as soon as others bid more
than $2 for each. The strategy, in the order in which an action is looked for:

1. with a good cargo, or nothing left to add to it, make for the island; land with the turn's second action, since
   an auction ends the turn;
2. else sail where the most is to be gained, and load;
3. with actions that are left, build a second factory, and produce.

As a seller it takes the money unless the lot is worth more on its own island. As a bidder it goes by its card.
"""

from collections.abc import Iterator, Sequence

from gavelport_engine.container.actions import (
    ISLAND,
    SEA,
    Accept,
    Action,
    Bid,
    BuyFactory,
    Load,
    Pass,
    Reject,
    RepayLoan,
    Sail,
)
from gavelport_engine.container.events import Auctioned, Event
from gavelport_engine.container.goods import COLOURS, EMPTY_STORE, Bag, Store, cost
from gavelport_engine.container.table import Observation
from gavelport_sdk import Bot, run
from gavelport_sdk import container as c
from gavelport_sdk.bot import DecisionInfo

RESERVE = 2  # dollars that stay in hand: union dues and interest of the turns to come
FREIGHT = 5.0  # what a container is hoped to bring at the island, the bank's half included; before the first auction
LEARNING = 0.25  # how far one auction moves that hope
GOOD_CARGO = 4
SECOND_FACTORY_AT = 14  # dollars to spare: a cargo comes first
BID_SHARE = 0.55
HOPE = 0.75  # of a container's value on the card: some of what is won will be discarded


class Shipper(Bot):
    games = ("container",)
    decision: DecisionInfo[Action]
    freight = FREIGHT

    def events(self, events: Sequence[Event]) -> None:
        """Learn from every auction what a container brings at this table."""
        for event in events:
            if isinstance(event, Auctioned):
                brought = 2 * event.amount / sum(event.lot)
                self.freight += LEARNING * (brought - self.freight)

    def decide(self, observation: Observation) -> Action:
        self.table = observation.table
        self.seat = self.match.seat
        self.board = self.table.boards[self.seat]
        self.cash = observation.cash or 0
        self.card = observation.card or 0
        match self.table.phase:
            case "action":
                return next(self.wishes(), Pass())
            case "bid" | "extra_bid":
                return self.bid()
            case "sale":
                return self.sale()
            case _:  # interest and seizures are rare: the mild answer does
                return self.decision.default()

    def wishes(self) -> Iterator[Action]:
        """Yield what is worth an action now, best first."""
        spare = self.cash - RESERVE
        if self.board.loans and spare >= 10 and self.table.loans_repaid < 2:
            yield RepayLoan()

        harbour, take = self.best_harbour(spare)
        loaded = sum(self.board.cargo)
        if loaded >= GOOD_CARGO or (loaded and harbour is None):
            if self.board.ship_at != SEA:
                yield Sail(SEA)
            elif self.table.actions_left == 1:
                yield Sail(ISLAND)
        elif harbour is not None:
            if self.board.ship_at == harbour:
                yield Load(take)
            yield Sail(harbour, take) if self.board.ship_at == SEA else Sail(SEA)

        if self.board.factories[1] is None and spare >= SECOND_FACTORY_AT:
            yield BuyFactory(self.useful_colour())

        if not self.table.produced and self.cash >= 1 and c.factory_space(self.board):
            made = c.produce(self.table, self.seat, price=2)
            if any(made.make):
                yield made

        if self.board.ship_at != SEA:
            yield Sail(SEA)  # wait at sea, from where every harbour is one action away
        if loaded >= GOOD_CARGO:
            yield Sail(ISLAND)

    def best_harbour(self, spare: int) -> tuple[int | None, Store]:
        """Return the seat in whose harbour most is to be gained, and what to take there; None where nothing is."""
        best, best_take, best_gain = None, EMPTY_STORE, 0.0
        for seller, other in enumerate(self.table.boards):
            if seller == self.seat:
                continue
            take = c.cheapest(other.harbour_store, c.ship_space(self.board), spare)
            gain = self.freight * sum(take) - cost(take)
            if gain > best_gain:
                best, best_take, best_gain = seller, take, gain
        return best, best_take

    def useful_colour(self) -> int:
        """Return the colour, not yet made here, with most left in the supply."""
        return max(
            (colour for colour in range(COLOURS) if colour not in self.board.factories),
            key=lambda colour: self.table.supply[colour],
        )

    def worth(self, lot: Bag) -> float:
        """Return what a lot is worth on the own island: what it adds today and what it may add yet, half each."""
        return c.lot_worth(self.board.island, lot, self.card, HOPE)

    def bid(self) -> Bid:
        """Bid a share of the worth, out of the cash in hand; in a tie, up to two dollars more."""
        lot = self.table.boards[self.table.seat].cargo
        most = min(int(BID_SHARE * self.worth(lot)), self.cash - RESERVE)
        if self.table.phase == "extra_bid":
            most = min(2, self.cash - RESERVE)
        return Bid(max(0, most))

    def sale(self) -> Accept | Reject:
        """Take twice the bid from buyer and bank, or keep the lot for one bid where it is worth that much more."""
        auction = self.table.auction
        assert auction is not None
        winner = auction.winners[0]
        bid = (auction.bids[winner] or 0) + (auction.extra[winner] or 0)
        if bid <= self.cash and self.worth(self.board.cargo) - bid > 2 * bid:
            return Reject()
        return Accept(winner)


if __name__ == "__main__":
    run(Shipper)
