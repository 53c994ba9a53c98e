"""What may be the truth: positions with the rivals' cash, which is known, and their cards, which are guessed.

A rival is taken to bid some share of what a lot looks worth by its card. For each card the share is fitted to its bids
so far, and the card is as likely as that share has foretold them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from gavelport_engine.container.events import AuctionBegan, BidsRevealed, Event
from gavelport_engine.container.goods import EMPTY_BAG
from gavelport_engine.container.table import CARD_NAMES, Observation, State, Table
from gavelport_engine.rng import Rng
from gavelport_sdk.container import CashTracker, imagined, lot_worth

HOPE = 0.7
FIRST_SHARE, FIRST_WEIGHT = 0.55, 150.0  # what a rival bids of a lot's worth, and how firmly that is believed at first
SHORT_OF_CASH = 3  # dollars: who keeps less than that in hand may have wished to bid more
SPREAD = 2.5  # dollars that a bid may well be off
VARIES = 0.2  # of a share, so much more or less
OWN_SHARE = 0.7  # what the bot itself bids in what it imagines


@dataclass(frozen=True, slots=True)
class World:
    """A position that may be the true one, and what share of a lot's worth each seat bids there."""

    state: State
    shares: tuple[float, ...]


class Worlds:
    """All that one seat makes of the match."""

    def __init__(self, seat: int, seats: int, card: int) -> None:
        self.seat, self.card = seat, card
        self.rivals = [other for other in range(seats) if other != seat]
        self.cards = [other for other in range(len(CARD_NAMES)) if other != card]
        self.cash = CashTracker(seats)
        self._islands = [EMPTY_BAG] * seats
        self._lot = EMPTY_BAG
        every = [(rival, held) for rival in self.rivals for held in self.cards]
        self._log_likelihood = dict.fromkeys(every, 0.0)
        self._bids = dict.fromkeys(every, FIRST_SHARE * FIRST_WEIGHT)
        self._worths = dict.fromkeys(every, FIRST_WEIGHT)

    def see(self, events: Sequence[Event]) -> None:
        """Learn from what has happened; the islands are still as they were when bids were made."""
        for event in events:
            self.cash.see([event])
            if isinstance(event, AuctionBegan):
                self._lot = event.lot
            elif isinstance(event, BidsRevealed):
                for rival in self.rivals:
                    bid = event.bids[rival]
                    if bid is not None and bid + SHORT_OF_CASH <= self.cash.cash[rival]:
                        self._learn(rival, bid)

    def look(self, table: Table) -> None:
        """See what lies on the islands now."""
        self._islands = [board.island for board in table.boards]

    def _learn(self, rival: int, bid: int) -> None:
        for card in self.cards:
            key = (rival, card)
            worth = max(0.0, lot_worth(self._islands[rival], self._lot, card, HOPE))
            self._log_likelihood[key] -= abs(bid - worth * self._bids[key] / self._worths[key]) / SPREAD
            self._bids[key] += bid * worth
            self._worths[key] += worth * worth

    def drawn(self, observation: Observation, rng: Rng) -> World:
        """Return a world, its cards drawn as likely as they are."""
        seats = len(self._islands)
        cards, shares = [self.card] * seats, [OWN_SHARE] * seats
        left = list(self.cards)
        for rival in self.rivals:
            best = max(self._log_likelihood[rival, card] for card in left)
            weights = [math.exp(self._log_likelihood[rival, card] - best) for card in left]
            lot = rng.below(1_000_000) / 1_000_000 * sum(weights)
            place = 0
            while lot >= weights[place] and place < len(left) - 1:
                lot -= weights[place]
                place += 1
            cards[rival] = left.pop(place)
            fitted = self._bids[rival, cards[rival]] / self._worths[rival, cards[rival]]
            shares[rival] = fitted * (1 - VARIES + 2 * VARIES * rng.below(101) / 100)
        return World(imagined(observation, self.cash.cash, cards), tuple(shares))
