"""Does everything that pays, and asks of each action what it is worth in dollars.

* Every possible action of a turn gets an estimate of what it gains until the game ends; the best one is taken.
* What containers bring is learnt at the table: from every auction, from its own stores that sell out or stand full.
* A bid is the amount that gains most on the rivals, over what their highest bid may be by their earlier bids and their
  cash, which follows from the public payments.
* How long the game goes on is read off the supply, so it invests early and not late.

`market.py` holds what is learnt, this file what is done.
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
from gavelport_engine.container.goods import COLOURS, EMPTY_STORE, Bag, Store, colours_of, cost, listed, plus
from gavelport_engine.container.scoring import card_values
from gavelport_engine.container.table import Observation
from gavelport_sdk import Bot, run
from gavelport_sdk import container as c
from gavelport_sdk.bot import MatchInfo
from market import Market

RESERVE = 1  # dollars that stay in hand, beside the interest: union dues
HORIZON = 10  # rounds beyond which nothing is counted on
FACTORY_INCOME, WAREHOUSE_INCOME = 1.0, 0.8  # dollars a round that another one brings
SELLS = 0.9  # the chance that what stands in a store is sold before the end
REPRICING = 0.3  # dollars a container that a better price in the harbour is worth
GOOD_CARGO = 2
STEP = 0.6  # of a gain that is one step further away
KEEP = 1.0  # dollars a container that selling forfeits: what could still join the lot, and what cargo counts at the end
ANOTHER_ACTION = 2.0  # what an action is worth that an auction with the turn's first action would forfeit
LOAN_COST, REPAY_AT = 9.0, 12
HOPE = 0.65  # of a container's value on the card: some of what is won will be discarded
RIVAL_WORTH = 4.2  # dollars a container on a rival's island


class AllRounder(Bot):
    games = ("container",)

    def start(self, match: MatchInfo) -> None:
        self.seat: int = match.seat
        self.market = Market(match.seat, match.options.seats)
        self.share = 1 / (match.options.seats - 1)  # of a dollar that one rival gains, what it costs against the field

    def events(self, events: Sequence[Event]) -> None:
        self.market.see(events)

    def decide(self, observation: Observation) -> Action:
        self.table = observation.table
        self.board = self.table.boards[self.seat]
        self.cash = observation.cash or 0
        self.card = observation.card or 0
        self.rounds_left = self.market.rounds_left(self.table)
        self.market.price_to_sell(self.table, self.board)
        match self.table.phase:
            case "action":
                return self.act()
            case "bid":
                return self.bid()
            case "sale":
                return self.sale()
            case _:  # ties, interest and seizures are rare: the mild answer does
                mild: Action = self.decision.default()
                return mild

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
            gain, take = self.best_cargo(other.harbour_store, spare)
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
            lot = self.lot_value(board.cargo) - KEEP * aboard
        if board.ship_at != SEA:
            yield max(STEP * best_goal, STEP * lot, 0.1), Sail(SEA)
        elif aboard:
            early = ANOTHER_ACTION if self.table.actions_left > 1 else 0.0
            yield lot - early, Sail(ISLAND)

    def best_cargo(self, harbour: Store, spare: int) -> tuple[float, Store]:
        """Return what to take from a harbour, and the gain: the containers that bring most above their price."""
        take, gain, room = list(EMPTY_STORE), 0.0, c.ship_space(self.board)
        values = card_values(self.card, (1,) * COLOURS)
        brings = [max(self.market.freight, HOPE * value - self.market.freight / 2) for value in values]
        offers = [(brings[colour] - price, price, colour) for price, colour, n in listed(harbour) for _ in range(n)]
        for profit, price, colour in sorted(offers, reverse=True):
            if room and price <= spare and profit > 0:
                take[(price - 1) * COLOURS + colour] += 1
                room, spare, gain = room - 1, spare - price, gain + profit
        return gain, tuple(take)

    def lot_value(self, lot: Bag) -> float:
        """Return what a lot brings its seller: twice a bid, or its worth at home less a bid."""
        sold = self.market.freight * sum(lot)
        return max(sold, self.worth(lot) - sold / 2)

    def harbour_with(self, goods: Bag = (0,) * COLOURS) -> Store:
        """Return the own harbour store with more goods, all at the price of the day."""
        return c.placed(EMPTY_STORE, plus(goods, colours_of(self.board.harbour_store)), self.market.harbour_price)

    def rarest_colour(self) -> int:
        """Return the colour, not yet owned, that fewest factories make; of those the one with most left to make."""
        makers = [sum(colour in board.factories for board in self.table.boards) for colour in range(COLOURS)]
        choice = [colour for colour in range(COLOURS) if colour not in self.board.factories]
        return min(choice, key=lambda colour: (makers[colour], -self.table.supply[colour]))

    def worth(self, lot: Bag) -> float:
        """Return what a lot is worth on the own island: between what may come of it yet and what it adds today."""
        today = c.lot_gain(self.board.island, lot, self.card)
        hoped = HOPE * sum(n * value for n, value in zip(lot, card_values(self.card, (1,) * COLOURS), strict=True))
        weight = min(1.0, self.rounds_left / HORIZON)
        return weight * hoped + (1 - weight) * today

    def bid(self) -> Bid:
        """Bid what gains most on the rivals, summed over what their highest bid may be."""
        lot = self.table.boards[self.table.seat].cargo
        worth, theirs = self.worth(lot), RIVAL_WORTH * sum(lot)
        tops = self.market.rival_bids(sum(lot), self.table.seat)
        best, best_gain = 0, 0.0
        for amount in range(1, min(int(worth), self.cash - 1 - self.board.loans) + 1):
            gain = 0.0
            for top in tops:
                if amount >= top:  # what is won, what the seller gets more, and what the rival does not win
                    won = worth - amount - self.share * (2 * (amount - top) - (theirs - top))
                    gain += won if amount > top else won / 2
            if gain > best_gain:
                best, best_gain = amount, gain
        return Bid(best)

    def sale(self) -> Accept | Reject:
        """Sell the lot or keep it, whichever gains more on the rivals."""
        auction = self.table.auction
        assert auction is not None
        lot, winner = self.board.cargo, auction.winners[0]
        bid = (auction.bids[winner] or 0) + (auction.extra[winner] or 0)
        sold = 2 * bid - self.share * (RIVAL_WORTH * sum(lot) - bid)
        if bid + self.board.loans <= self.cash and self.worth(lot) - bid > sold:
            return Reject()
        return Accept(winner)


if __name__ == "__main__":
    run(AllRounder)
