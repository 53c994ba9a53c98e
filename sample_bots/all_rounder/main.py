"""Does everything that pays, and asks of each action what it is worth in dollars.

* Every possible action of a turn gets an estimate of what it gains until the game ends; the best one is taken.
* A cargo is put together for its own card as well as for the rivals': at the auction it takes the money, which the
  bank doubles, or keeps the lot for the highest bid, whichever gains more.
* A bid is the amount that gains most on the rivals, over what their highest bid may be.
* How long the game goes on is read off the supply, so it invests early and not late, and keeps money at work.

`rivals.py` guesses cards and bids, `lots.py` values lots by them, `market.py` sets prices; this file decides.
"""

from collections.abc import Iterator, Sequence

from gavelport_engine.container.actions import (
    ISLAND,
    SEA,
    Accept,
    Action,
    Bid,
    Buy,
    BuyFactory,
    BuyWarehouse,
    Load,
    Pass,
    Produce,
    Reject,
    RepayLoan,
    Reprice,
    Sail,
    TakeLoan,
)
from gavelport_engine.container.events import Event
from gavelport_engine.container.goods import COLOURS, EMPTY_STORE, Bag, Store, colours_of, cost, plus
from gavelport_engine.container.table import CARD_NAMES, Observation
from gavelport_sdk import Bot, run
from gavelport_sdk import container as c
from gavelport_sdk.bot import DecisionInfo, MatchInfo
from lots import Lots
from market import Market, rounds_left
from rivals import Rivals

RESERVE = 1  # dollars that stay in hand, beside the interest: union dues
HORIZON = 10  # rounds beyond which nothing is counted on
FACTORY_INCOME, WAREHOUSE_INCOME = 1.0, 0.5  # dollars a round that another one brings
SELLS = 0.8  # the chance that what stands in a store is sold before the end
REPRICING = 0.3  # dollars a container that a better price in the harbour is worth
GOOD_CARGO = 2
STEP = 0.5  # of a gain that is one step further away
KEEP = 0.5  # dollars a container that selling forfeits: what could still join the lot, and what cargo counts at the end
ANOTHER_ACTION = 2.0  # what an action is worth that an auction with the turn's first action would forfeit
LOAN_COST, REPAY_AT = 9.0, 12
TIE_BID = 2  # the most that is added in a tie


class AllRounder(Bot):
    games = ("container",)
    decision: DecisionInfo[Action]

    def start(self, match: MatchInfo) -> None:
        self.seat: int = match.seat
        self.rivals = Rivals(match.seat, match.options.seats, CARD_NAMES.index(match.deal["card"]))
        self.market = Market(match.seat)

    def events(self, events: Sequence[Event]) -> None:
        self.rivals.see(events)

    def decide(self, observation: Observation) -> Action:
        self.table = observation.table
        self.board = self.table.boards[self.seat]
        self.cash = observation.cash or 0
        self.rounds_left = rounds_left(self.table)
        self.market.price_to_sell(self.table, self.board)
        self.rivals.look(self.table)
        self.lots = Lots(observation, self.seat, self.rivals, self.rounds_left, self.rng)
        match self.table.phase:
            case "action":
                return self.act()
            case "bid":
                lot = self.table.boards[self.table.seat].cargo
                return Bid(self.lots.best_bid(lot, self.table.seat, self.cash - RESERVE - self.board.loans))
            case "extra_bid":
                return self.add_to_bid()
            case "sale":
                return self.sale()
            case _:  # interest and seizures are rare: the mild answer does
                return self.decision.default()

    def act(self) -> Action:
        spare = self.cash - RESERVE - self.board.loans
        if self.board.loans and spare >= REPAY_AT and self.table.loans_repaid < 2:
            return RepayLoan()
        gain, action = max(self.choices(spare), key=lambda choice: choice[0])
        if not self.board.loans and self.table.loans_taken < 2 and self.rounds_left > 2:
            with_loan, _ = max(self.choices(spare + 10), key=lambda choice: choice[0])
            if with_loan - gain > LOAN_COST:
                return TakeLoan()
        return action

    def choices(self, spare: int) -> Iterator[tuple[float, Action]]:
        """Yield actions that could be taken with so much money, each with what it gains in dollars."""
        yield 0.0, Pass()
        yield from self.at_home(spare)
        yield from self.at_sea(spare)

    def at_home(self, spare: int) -> Iterator[tuple[float, Action]]:
        """Building, producing, and filling the own harbour."""
        table, board, market = self.table, self.board, self.market
        price = c.next_factory_price(board)
        if price is not None and price <= spare:
            colour = self.rarest_colour()
            yield FACTORY_INCOME * min(self.rounds_left - 1, HORIZON) - price, BuyFactory(colour)
        price = c.next_warehouse_price(board)
        if price is not None and price <= spare:
            yield WAREHOUSE_INCOME * min(self.rounds_left - 1, HORIZON) - price, BuyWarehouse()

        if not table.produced and self.cash >= 1:
            made = c.produce(table, self.seat, market.factory_price)
            if any(made.make):
                store = c.repriced(made.factory_store, market.factory_price)
                yield SELLS * market.factory_price * sum(made.make) - 1, Produce(made.make, store)

        room = c.harbour_space(board)
        for seller, other in enumerate(table.boards):
            take = c.cheapest(other.factory_store, room, spare)
            if seller != self.seat and any(take):
                gain = SELLS * market.harbour_price * sum(take) - cost(take)
                yield gain, Buy(seller, take, self.harbour_with(colours_of(take)))
        if any(board.harbour_store) and self.harbour_with() != board.harbour_store:
            yield REPRICING * sum(board.harbour_store), Reprice(self.harbour_with())

    def at_sea(self, spare: int) -> Iterator[tuple[float, Action]]:
        """Loading, and the way to the island; a step on the way counts a part of what waits at its end."""
        board = self.board
        best_goal = 0.0
        for seller, other in enumerate(self.table.boards):
            gain, take = self.lots.best_cargo(other.harbour_store, spare)
            if seller == self.seat or not any(take):
                continue
            best_goal = max(best_goal, gain)
            if board.ship_at == SEA:
                yield gain, Sail(seller, take)
            elif board.ship_at == seller:
                yield gain, Load(take)
        aboard = sum(board.cargo)
        lot = 0.0
        if aboard >= GOOD_CARGO or (aboard and self.rounds_left <= 2):
            lot = self.lots.as_seller(board.cargo) - KEEP * aboard
        if board.ship_at != SEA:
            yield max(STEP * best_goal, STEP * lot, 0.1), Sail(SEA)
        elif aboard:
            early = ANOTHER_ACTION if self.table.actions_left > 1 else 0.0
            yield lot - early, Sail(ISLAND)

    def harbour_with(self, goods: Bag = (0,) * COLOURS) -> Store:
        """Return the own harbour store with more goods, all at the price of the day."""
        return c.placed(EMPTY_STORE, plus(goods, colours_of(self.board.harbour_store)), self.market.harbour_price)

    def rarest_colour(self) -> int:
        """Return the colour, not yet owned, that fewest factories make; of those the one with most left to make."""
        makers = [sum(colour in board.factories for board in self.table.boards) for colour in range(COLOURS)]
        choice = [colour for colour in range(COLOURS) if colour not in self.board.factories]
        return min(choice, key=lambda colour: (makers[colour], -self.table.supply[colour]))

    def add_to_bid(self) -> Bid:
        """Add a little in a tie, where the lot is still worth it."""
        auction, lot = self.table.auction, self.table.boards[self.table.seat].cargo
        assert auction is not None
        bid = auction.bids[self.seat] or 0
        most = min(TIE_BID, self.cash - bid - RESERVE, int(self.lots.at_home(lot)) - bid)
        return Bid(max(0, most))

    def sale(self) -> Accept | Reject:
        """Sell the lot or keep it, whichever gains more on the rivals."""
        auction = self.table.auction
        assert auction is not None
        winner = auction.winners[0]
        bid = (auction.bids[winner] or 0) + (auction.extra[winner] or 0)
        if self.lots.keeping(self.board.cargo, bid) > self.lots.sale(self.board.cargo, bid):
            return Reject()
        return Accept(winner)


if __name__ == "__main__":
    run(AllRounder)
