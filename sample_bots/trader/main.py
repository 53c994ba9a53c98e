"""Lives on its warehouses: buys from factories, sells to ships, and moves its price with the demand.

Its harbour sells dear while ships come, and cheaper when they stay away. The strategy, in the order in which an
action is looked for:

1. with a good cargo make for the island, and land with the turn's second action, since an auction ends the turn;
2. fill the harbour from the factory stores of others, where the margin is greatest;
3. build warehouses, up to four, while there is a game left in which they pay;
4. produce with its one factory;
5. price the harbour anew;
6. with actions left over, go shipping where goods are cheap.
"""

from collections.abc import Iterator

from gavelport_engine.container.actions import (
    ISLAND,
    SEA,
    Accept,
    Action,
    Bid,
    Buy,
    BuyWarehouse,
    Pass,
    Reject,
    RepayLoan,
    Reprice,
    Sail,
)
from gavelport_engine.container.goods import COLOURS, EMPTY_STORE, Bag, Store, colours_of, cost, plus
from gavelport_engine.container.table import Observation
from gavelport_sdk import Bot, run
from gavelport_sdk import container as c
from gavelport_sdk.bot import DecisionInfo

RESERVE = 1  # dollars that stay in hand: union dues
WAREHOUSES = 4
LEAST_MARGIN = 1  # dollars a container, from the factory store to the harbour
LOWEST, FIRST, HIGHEST = 3, 4, 6  # prices in the harbour
FACTORY_PRICE = 2
FREIGHT = 4  # what a container is hoped to bring at the island
GOOD_CARGO = 3
BID_SHARE = 0.65
HOPE = 0.65  # of a container's value on the card: some of what is won will be discarded


class Trader(Bot):
    games = ("container",)
    decision: DecisionInfo[Action]
    price = FIRST
    turn = 0
    stock_left = 0

    def decide(self, observation: Observation) -> Action:
        self.table = observation.table
        self.seat = self.match.seat
        self.board = self.table.boards[self.seat]
        self.cash = observation.cash or 0
        self.card = observation.card or 0
        match self.table.phase:
            case "action":
                self.follow_demand()
                action = next(self.wishes(), Pass())
                stock = action.harbour_store if isinstance(action, Buy | Reprice) else self.board.harbour_store
                self.stock_left = sum(stock)
                return action
            case "bid":
                return self.bid()
            case "sale":
                return self.sale()
            case _:  # ties, interest and seizures are rare: the mild answer does
                return self.decision.default()

    def follow_demand(self) -> None:
        """Once a turn: a dollar more where the harbour sold out since the last one, a dollar less where nobody came."""
        if self.table.turn == self.turn:
            return
        self.turn = self.table.turn
        stock = sum(self.board.harbour_store)
        if self.stock_left and not stock:
            self.price = min(self.price + 1, HIGHEST)
        elif stock and stock == self.stock_left:
            self.price = max(self.price - 1, LOWEST)

    def wishes(self) -> Iterator[Action]:
        """Yield what is worth an action now, best first."""
        spare = self.cash - RESERVE - self.board.loans
        if self.board.loans and spare >= 12 and self.table.loans_repaid < 2:
            yield RepayLoan()

        loaded, at_sea = sum(self.board.cargo), self.board.ship_at == SEA
        if loaded >= GOOD_CARGO and (not at_sea or self.table.actions_left == 1):
            yield Sail(ISLAND if at_sea else SEA)

        if (bought := self.stock_up(spare)) is not None:
            yield bought

        price = c.next_warehouse_price(self.board)
        if price is not None and self.board.warehouses < WAREHOUSES and price + 6 <= spare and not self.is_late():
            yield BuyWarehouse()

        if not self.table.produced and self.cash >= 1:
            made = c.produce(self.table, self.seat, FACTORY_PRICE)
            if any(made.make):
                yield made

        if (store := self.harbour_with()) != self.board.harbour_store:
            yield Reprice(store)

        yield from self.ship(spare)

    def is_late(self) -> bool:
        """Return whether the game may well end before a new warehouse has paid for itself."""
        whole = self.table.options.supply_per_player * self.table.options.seats
        return sorted(self.table.supply)[1] <= whole // 2

    def stock_up(self, spare: int) -> Buy | None:
        """Return the purchase with the greatest margin at the price of the day, or None."""
        best, best_gain = None, 0
        for seller, other in enumerate(self.table.boards):
            take = c.cheapest(other.factory_store, c.harbour_space(self.board), spare)
            gain = self.price * sum(take) - cost(take)
            if seller != self.seat and gain >= LEAST_MARGIN * sum(take) and gain > best_gain:
                best, best_gain = Buy(seller, take, self.harbour_with(colours_of(take))), gain
        return best

    def harbour_with(self, goods: Bag = (0,) * COLOURS) -> Store:
        """Return the own harbour store with more goods, all at the price of the day."""
        return c.placed(EMPTY_STORE, plus(goods, colours_of(self.board.harbour_store)), self.price)

    def ship(self, spare: int) -> Iterator[Action]:
        """Yield the next step of a voyage: to the cheapest harbour, and on to the island."""
        if self.board.ship_at != SEA:
            yield Sail(SEA)
        offers = [
            (FREIGHT * sum(take) - cost(take), seller, take)
            for seller, other in enumerate(self.table.boards)
            if seller != self.seat and any(take := c.cheapest(other.harbour_store, c.ship_space(self.board), spare))
        ]
        gain, seller, take = max(offers, default=(0, 0, EMPTY_STORE))
        if gain > 0:
            yield Sail(seller, take)
        if any(self.board.cargo):
            yield Sail(ISLAND)

    def worth(self, lot: Bag) -> float:
        """Return what a lot is worth on the own island: what it adds today and what it may add yet, half each."""
        return c.lot_worth(self.board.island, lot, self.card, HOPE)

    def bid(self) -> Bid:
        """Bid a share of the worth, out of the cash in hand."""
        lot = self.table.boards[self.table.seat].cargo
        return Bid(max(0, min(int(BID_SHARE * self.worth(lot)), self.cash - RESERVE - self.board.loans)))

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
    run(Trader)
