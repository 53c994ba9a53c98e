"""What lots are worth to the all-rounder: on its own island, at auction as the seller, and as a bidder."""

from gavelport_engine.container.goods import COLOURS, EMPTY_STORE, Bag, Store, plus
from gavelport_engine.container.table import Observation
from gavelport_engine.rng import Rng
from gavelport_sdk.container import island_value, placed, ship_space
from rivals import Rivals

FUTURES = 16
WON_A_ROUND = 0.5  # containers that come to the own island in a round
WORKING_CAPITAL = 0.7  # beyond its face value, what a dollar earns until the end, while the game is long
LONG = 10  # rounds
PAID_TO_RIVAL = 1.5  # what a dollar costs that goes to a rival, who may be the one to beat
RIVAL_WORTH = 5.0  # dollars a container on a rival's island


class Lots:
    """The value of lots at one decision."""

    def __init__(self, observation: Observation, seat: int, rivals: Rivals, rounds_left: float, rng: Rng) -> None:
        self.seat, self.rivals = seat, rivals
        self.board = observation.table.boards[seat]
        self.cash, self.card = observation.cash or 0, observation.card or 0
        self.dollar = 1 + WORKING_CAPITAL * min(1.0, rounds_left / LONG)
        # What one rival gains costs a share of that against the field.
        self.share = 1 / (observation.table.options.seats - 1)
        self._futures = self._drawn(round(WON_A_ROUND * rounds_left), rng)
        self._sales: dict[Bag, float] = {}

    def _drawn(self, more: int, rng: Rng) -> list[tuple[Bag, int]]:
        """Return islands as they may be at the end, the lot in question left aside, each with its value."""
        futures = []
        for _ in range(FUTURES):
            island = list(self.board.island)
            for _ in range(more):
                island[rng.below(COLOURS)] += 1
            futures.append((tuple(island), island_value(tuple(island), self.card)))
        return futures

    def at_home(self, lot: Bag) -> float:
        """Return what a lot will have added to the own island at the end, on an average over the futures."""
        gains = [island_value(plus(island, lot), self.card) - value for island, value in self._futures]
        return sum(gains) / len(gains)

    def sale(self, lot: Bag, bid: int) -> float:
        """Return what selling a lot gains: the bid twice, less what the buyer's gain costs."""
        return 2 * bid - self.share * (RIVAL_WORTH * sum(lot) - bid)

    def keeping(self, lot: Bag, bid: int) -> float:
        """Return what rejecting a bid gains; nothing where it cannot be paid."""
        return self.at_home(lot) - bid if bid + self.board.loans <= self.cash else 0.0

    def as_seller(self, lot: Bag) -> float:
        """Return what an auction of a lot will bring: each highest bid, as likely as it is, taken or rejected."""
        if lot not in self._sales:
            tops = enumerate(self.rivals.top_bids(lot, self.seat) if any(lot) else [])
            at_home = self.at_home(lot)
            able = self.cash - self.board.loans
            self._sales[lot] = sum(
                chance * max(self.sale(lot, bid), at_home - bid if bid <= able else 0.0) for bid, chance in tops
            )
        return self._sales[lot]

    def best_bid(self, lot: Bag, seller: int, purse: int) -> int:
        """Return the bid that gains most on the field, over what the rivals' highest bid may be."""
        worth, theirs = self.at_home(lot), RIVAL_WORTH * sum(lot)
        tops = self.rivals.top_bids(lot, seller)
        best, best_gain = 0, 0.0
        for amount in range(1, min(int(worth), purse) + 1):
            gain = 0.0
            for top, chance in enumerate(tops[: amount + 1]):
                # What is won, what the seller gets more, and what the rival does not win.
                won = worth - self.dollar * amount - self.share * (2 * (amount - top) - (theirs - top))
                gain += chance * (won if amount > top else won / 2)
            if gain > best_gain:
                best, best_gain = amount, gain
        return best

    def best_cargo(self, harbour: Store, spare: int) -> tuple[float, Store]:
        """Return the gain, and what to take from a harbour: always the container that adds most, while one pays."""
        take, lot, gain = EMPTY_STORE, self.board.cargo, 0.0
        for _ in range(ship_space(self.board)):
            offers = []
            for colour in range(COLOURS):
                left = [price for price in range(1, spare + 1) if _has(harbour, take, price, colour)]
                if left:
                    one = tuple(int(other == colour) for other in range(COLOURS))
                    added = self.as_seller(plus(lot, one)) - self.as_seller(lot) - PAID_TO_RIVAL * left[0]
                    offers.append((added, left[0], one))
            added, price, one = max(offers, default=(0.0, 0, lot))
            if added <= 0:
                break
            take, lot, spare, gain = placed(take, one, price), plus(lot, one), spare - price, gain + added
        return gain, take


def _has(harbour: Store, taken: Store, price: int, colour: int) -> bool:
    """Return whether something of a colour is left in a harbour at a price."""
    place = (price - 1) * COLOURS + colour
    return place < len(harbour) and harbour[place] > taken[place]
