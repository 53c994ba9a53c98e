"""What the all-rounder thinks of its rivals: which card each may hold, how each bids, and so what a lot will bring.

A rival is taken to bid some share of what a lot looks worth by its card. Neither card nor share is known. So for each
card that it may hold a share is fitted to its bids so far, and each card is as likely as it has foretold those bids
well. Cash is no guess: it follows from the public payments.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from gavelport_engine.container.events import AuctionBegan, BidsRevealed, Event
from gavelport_engine.container.goods import EMPTY_BAG, Bag
from gavelport_engine.container.table import CARD_NAMES, Table
from gavelport_sdk.container import CashTracker, lot_worth

HOPE = 0.7  # as a rival may hope, see `lot_worth`
FIRST_SHARE, FIRST_WEIGHT = 0.55, 150.0  # what a rival bids of a lot's worth, and how firmly that is believed at first
FIRST_SPREAD = 1.5  # dollars that a bid is off what was foretold
LEARNING = 0.2  # how far one bid moves that
SHORT_OF_CASH = 3  # dollars: who keeps less than that in hand may have wished to bid more


@dataclass(slots=True)
class Guess:
    """A rival, were it to hold a certain card."""

    card: int
    log_likelihood: float = 0.0
    bids: float = FIRST_SHARE * FIRST_WEIGHT
    worths: float = FIRST_WEIGHT

    @property
    def share(self) -> float:
        """The share that fits its bids best, by least squares."""
        return self.bids / self.worths

    def learn(self, bid: int, worth: float, spread: float) -> None:
        """Take in a bid for a lot of a certain worth."""
        self.log_likelihood -= abs(bid - self.share * worth) / (1.0 + spread)
        self.bids += bid * worth
        self.worths += worth * worth


@dataclass(slots=True)
class Rival:
    """What is thought of one rival."""

    guesses: list[Guess]
    spread: float = FIRST_SPREAD
    island: Bag = EMPTY_BAG
    _foretold: dict[Bag, list[tuple[float, float]]] = field(default_factory=dict)

    def look(self, island: Bag) -> None:
        """See what lies on its island now."""
        if island != self.island:
            self.island = island
            self._foretold.clear()

    def foretold(self, lot: Bag) -> list[tuple[float, float]]:
        """Return, for each card, how likely it is and what would be bid for a lot."""
        if lot not in self._foretold:
            best = max(guess.log_likelihood for guess in self.guesses)
            weights = [math.exp(guess.log_likelihood - best) for guess in self.guesses]
            self._foretold[lot] = [
                (weight / sum(weights), guess.share * max(0.0, lot_worth(self.island, lot, guess.card, HOPE)))
                for weight, guess in zip(weights, self.guesses, strict=True)
            ]
        return self._foretold[lot]

    def learn(self, lot: Bag, bid: int, cash: int) -> None:
        """Take in a bid, made with so much cash in hand."""
        expected = sum(chance * amount for chance, amount in self.foretold(lot))
        if bid <= cash - SHORT_OF_CASH or expected < bid:
            self.spread += LEARNING * (abs(bid - expected) - self.spread)
            for guess in self.guesses:
                guess.learn(bid, max(0.0, lot_worth(self.island, lot, guess.card, HOPE)), self.spread)
            self._foretold.clear()

    def chances(self, lot: Bag, cash: int, most: int) -> list[float]:
        """Return, for each amount from 0 to `most`, how likely the rival bids that or less: a logistic curve a card."""
        width = 0.3 + 0.55 * self.spread
        cards = self.foretold(lot)
        return [
            1.0 if amount >= cash else sum(chance * _logistic((amount + 0.5 - bid) / width) for chance, bid in cards)
            for amount in range(most + 1)
        ]


class Rivals:
    """All rivals of one seat."""

    def __init__(self, seat: int, seats: int, card: int) -> None:
        held_by_others = [other for other in range(len(CARD_NAMES)) if other != card]
        self.seat = seat
        self._rivals = {
            other: Rival([Guess(held) for held in held_by_others]) for other in range(seats) if other != seat
        }
        self._cash = CashTracker(seats)
        self._lot = EMPTY_BAG

    def see(self, events: Sequence[Event]) -> None:
        """Learn from what has happened; the islands are still as they were when the bids were made."""
        for event in events:
            self._cash.see([event])
            if isinstance(event, AuctionBegan):
                self._lot = event.lot
            elif isinstance(event, BidsRevealed):
                for seat, rival in self._rivals.items():
                    bid = event.bids[seat]
                    if bid is not None:
                        rival.learn(self._lot, bid, self._cash.cash[seat])

    def look(self, table: Table) -> None:
        """See what lies on the rivals' islands now."""
        for seat, rival in self._rivals.items():
            rival.look(table.boards[seat].island)

    def top_bids(self, lot: Bag, seller: int) -> list[float]:
        """Return how likely each amount, from 0 up, is the highest bid for a lot among the rivals but the seller."""
        bidders = {seat: self._cash.cash[seat] for seat in self._rivals if seat != seller}
        most = max(bidders.values())
        all_below = [1.0] * (most + 1)
        for seat, cash in bidders.items():
            below = self._rivals[seat].chances(lot, cash, most)
            all_below = [mine * other for mine, other in zip(all_below, below, strict=True)]
        return [here - before for here, before in zip(all_below, [0.0, *all_below[:-1]], strict=True)]


def _logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-min(max(x, -50.0), 50.0)))
