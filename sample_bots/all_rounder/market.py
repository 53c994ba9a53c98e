"""What the all-rounder learns about prices, rivals and the pace of the game, from public events and boards alone."""

from collections.abc import Sequence

from gavelport_engine.container.events import AuctionBegan, Auctioned, BidsRevealed, Event
from gavelport_engine.container.goods import Bag
from gavelport_engine.container.table import Board, Table
from gavelport_sdk.container import CashTracker

FIRST_FREIGHT = 4.0
LEARNING = 0.3  # how far one auction moves what freight is hoped to bring
FIRST_BIDS = (1.0, 1.5, 2.0, 2.5, 3.0)  # dollars a container: what rivals are thought to bid before they have
MEMORY = 12  # auctions
FACTORY_PRICES = (2, 4)  # lowest and highest that are asked
HARBOUR_PRICES = (3, 6)
PACE = 0.6  # containers that a factory makes a round


class Market:
    """The market as one seat sees it."""

    def __init__(self, seat: int, seats: int) -> None:
        self.seat = seat
        self.freight = FIRST_FREIGHT
        """What a container brings at the island, the bank's half included."""
        self.factory_price = 3
        self.harbour_price = 4
        self._cash = CashTracker(seats)
        self._top_bids = list(FIRST_BIDS)
        self._lot: Bag = ()
        self._turn = 0
        self._factory_stock = 1
        self._harbour_stock = 0

    def see(self, events: Sequence[Event]) -> None:
        """Learn from what has happened."""
        self._cash.see(events)
        for event in events:
            if isinstance(event, AuctionBegan):
                self._lot = event.lot
            elif isinstance(event, BidsRevealed):
                rivals = [bid for seat, bid in enumerate(event.bids) if bid is not None and seat != self.seat]
                self._top_bids.append(max(rivals) / sum(self._lot))
            elif isinstance(event, Auctioned):
                brought = 2 * event.amount / sum(event.lot)
                self.freight += LEARNING * (brought - self.freight)

    def rival_bids(self, size: int, seller: int) -> list[float]:
        """Return what the rivals' highest bid for a lot may be, by their earlier bids and their cash."""
        purses = [cash for seat, cash in enumerate(self._cash.cash) if seat not in (self.seat, seller)]
        return [min(bid * size, max(purses)) for bid in self._top_bids[-MEMORY:]]

    def price_to_sell(self, table: Table, board: Board) -> None:
        """Once a turn: ask more after selling out, less where nothing was sold since the last one."""
        if table.seat != self.seat or table.turn == self._turn:
            return
        self._turn = table.turn
        stock = sum(board.factory_store)
        self.factory_price = _moved(self.factory_price, FACTORY_PRICES, self._factory_stock, stock)
        self._factory_stock = max(stock, 1)  # a factory store is meant to be filled every turn
        stock = sum(board.harbour_store)
        self.harbour_price = _moved(self.harbour_price, HARBOUR_PRICES, self._harbour_stock, stock)
        self._harbour_stock = stock

    def rounds_left(self, table: Table) -> float:
        """Return how many rounds the game may still take: until the second colour is used up by its factories."""
        makers = [sum(colour in board.factories for board in table.boards) for colour in range(len(table.supply))]
        rounds = [left / (PACE * n) if n else 1000.0 for left, n in zip(table.supply, makers, strict=True)]
        return sorted(rounds)[1]


def _moved(price: int, bounds: tuple[int, int], before: int, now: int) -> int:
    """Return a price moved up where all of a stock was sold, and down where none of it was."""
    if before and not now:
        price += 1
    elif now >= before and now:
        price -= 1
    return min(max(price, bounds[0]), bounds[1])
