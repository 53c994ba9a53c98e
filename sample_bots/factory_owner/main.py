"""Lives on its factories: builds them early, produces every turn, and prices its goods to be sold.

The strategy, in the order in which an action is looked for:

1. build up to three factories, while there is a game left in which they pay;
2. produce: dear while the store is empty, cheap when nobody buys;
3. fill its own harbour from other seats' factory stores, for the ships of others;
4. build warehouses with money that is left over.

It never sails. It bids about half of what a lot is worth to it: a lot won at that price is a bargain, and a bid that
loses costs nothing.
"""

from collections.abc import Iterator

from gavelport_engine.container.actions import (
    Action,
    Bid,
    Buy,
    BuyFactory,
    BuyWarehouse,
    Pass,
    Produce,
    RepayLoan,
    Reprice,
)
from gavelport_engine.container.goods import COLOURS, EMPTY_STORE, Bag, Store, bag, colours_of, cost, listed, plus
from gavelport_engine.container.table import Observation
from gavelport_sdk import Bot, run
from gavelport_sdk import container as c
from gavelport_sdk.bot import DecisionInfo

RESERVE = 2  # dollars that stay in hand: union dues and interest of the turns to come
FACTORIES = 3
WAREHOUSES = 3
HARBOUR_PRICE = 4
BID_SHARE = 0.6
HOPE = 0.75  # of a container's value on the card: some of what is won will be discarded


class FactoryOwner(Bot):
    games = ("container",)
    decision: DecisionInfo[Action]

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
            case _:  # interest and seizures are rare, and it never has a lot to sell: the mild answer does
                return self.decision.default()

    def wishes(self) -> Iterator[Action]:
        """Yield what is worth an action now, best first."""
        spare = self.cash - RESERVE
        if self.board.loans and spare >= 10 and self.table.loans_repaid < 2:
            yield RepayLoan()

        owned = [colour for colour in self.board.factories if colour is not None]
        price = c.next_factory_price(self.board)
        if price is not None and len(owned) < FACTORIES and price <= spare and not self.is_late():
            yield BuyFactory(self.rarest_colour(owned))

        if not self.table.produced and self.cash >= 1 and (made := self.production()) is not None:
            yield made

        if (bought := self.stock_up(spare)) is not None:
            yield bought

        price = c.next_warehouse_price(self.board)
        if price is not None and self.board.warehouses < WAREHOUSES and price + 4 <= spare and not self.is_late():
            yield BuyWarehouse()

        if not c.harbour_space(self.board) and cost(self.board.harbour_store) > 2 * sum(self.board.harbour_store):
            yield Reprice(self.cheaper_harbour())

    def is_late(self) -> bool:
        """Return whether the game may well end before a new building has paid for itself."""
        whole = self.table.options.supply_per_player * self.table.options.seats
        second_lowest = sorted(self.table.supply)[1]
        return second_lowest <= whole // 3

    def rarest_colour(self, owned: list[int]) -> int:
        """Return the colour, not yet owned, that fewest factories make; of those the one with most left to make."""
        makers = [sum(colour in board.factories for board in self.table.boards) for colour in range(COLOURS)]
        choice = [colour for colour in range(COLOURS) if colour not in owned]
        return min(choice, key=lambda colour: (makers[colour], -self.table.supply[colour]))

    def production(self) -> Produce | None:
        """Return what to produce and at what prices, or None when there is nothing to gain by it."""
        store = self.board.factory_store
        made = c.produce(self.table, self.seat, price=2 if any(store) else 3)
        if any(made.make):
            return made
        # The store is full or the supply is out: what nobody bought at its price gets cheaper. It costs $1.
        cheap = c.repriced(store, 2)
        return Produce(made.make, cheap) if cost(cheap) < cost(store) and not any(store[:5]) else None

    def stock_up(self, spare: int) -> Buy | None:
        """Return the purchase that gains most by selling it on from the own harbour, or None."""
        best, best_gain = None, 0
        for seller, other in enumerate(self.table.boards):
            if seller == self.seat:
                continue
            take = c.cheapest(other.factory_store, c.harbour_space(self.board), spare)
            gain = HARBOUR_PRICE * sum(take) - cost(take)
            if gain > best_gain:
                goods = plus(colours_of(take), colours_of(self.board.harbour_store))
                best, best_gain = Buy(seller, take, c.placed(EMPTY_STORE, goods, HARBOUR_PRICE)), gain
        return best

    def cheaper_harbour(self) -> Store:
        """Return the own harbour store with every price above $2 a dollar lower: at the old ones nobody came."""
        store = EMPTY_STORE
        for price, colour, count in listed(self.board.harbour_store):
            store = c.placed(store, bag({colour: count}), max(2, price - 1))
        return store

    def worth(self, lot: Bag) -> float:
        """Return what a lot is worth on the own island: what it adds today and what it may add yet, half each."""
        return c.lot_worth(self.board.island, lot, self.card, HOPE)

    def bid(self) -> Bid:
        """Bid a share of the worth, out of the cash in hand; nothing more in a tie."""
        if self.table.phase == "extra_bid":
            return Bid(0)
        lot = self.table.boards[self.table.seat].cargo
        return Bid(max(0, min(int(BID_SHARE * self.worth(lot)), self.cash - RESERVE)))


if __name__ == "__main__":
    run(FactoryOwner)
