"""What the all-rounder asks for its goods, and how it tells the pace of the game, from the boards alone."""

from gavelport_engine.container.table import Board, Table

FACTORY_PRICES = (2, 4)  # lowest and highest that are asked
HARBOUR_PRICES = (3, 6)
PACE = 0.6  # containers that a factory makes a round
LONGEST = 20.0  # rounds


class Market:
    """The market as one seat sees it."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.factory_price = 3
        self.harbour_price = 4
        self._turn = 0
        self._factory_stock = 1
        self._harbour_stock = 0

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


def rounds_left(table: Table) -> float:
    """Return how many rounds the game may still take: until the second colour is used up by its factories."""
    makers = [sum(colour in board.factories for board in table.boards) for colour in range(len(table.supply))]
    rounds = [left / (PACE * n) if n else LONGEST for left, n in zip(table.supply, makers, strict=True)]
    return min(sorted(rounds)[1], LONGEST)


def _moved(price: int, bounds: tuple[int, int], before: int, now: int) -> int:
    """Return a price moved up where all of a stock was sold, and down where none of it was."""
    if before and not now:
        price += 1
    elif now >= before and now:
        price -= 1
    return min(max(price, bounds[0]), bounds[1])
