"""What a position promises a seat, in dollars at the end of the game."""

from operator import mul

from gavelport_engine.container.actions import SEA
from gavelport_engine.container.scoring import HARBOUR_VALUE, LOAN_COST, SHIP_VALUE, card_values
from gavelport_engine.container.table import State, Table
from gavelport_sdk.container import ALL_FIVE, island_value

LONG = 10.0  # rounds: so far ahead, what may come counts and what lies there does not
PACE = 0.6  # containers that a factory makes a round
FREIGHT, BID = 4.6, 2.3  # dollars a container: what a lot brings its seller, and what is bid for it
HOPE = 0.7  # of a container's value on the card: some of what is won will be discarded
CASH = 0.15  # beyond its face value, what a dollar earns while the game is long
HARBOUR, FACTORY_STORE, CARGO = 3.2, 1.6, 0.85  # the last is a part of what a cargo promises
FACTORY_INCOME, WAREHOUSE_INCOME = 0.9, 0.4  # dollars a round
AT_SEA = 0.4
RIVALS = 0.7  # what the rivals' promise counts against one's own: less than all, or it would rather sit on its lead


def rounds_left(table: Table) -> float:
    """Return how many rounds the game may still take, at most LONG: until the second colour is used up."""
    makers = [0] * len(table.supply)
    for board in table.boards:
        for colour in board.factories:
            if colour is not None:
                makers[colour] += 1
    rounds = [left / (PACE * n) if n else LONG for left, n in zip(table.supply, makers, strict=True)]
    return min(LONG, sorted(rounds)[1])


def promise(state: State, seat: int, rounds: float) -> float:
    """Return what a seat may end with."""
    board, card = state.table.boards[seat], state.cards[seat]
    early = rounds / LONG if state.table.phase != "over" else 0.0
    late = 1 - early
    values = card_values(card, ALL_FIVE)
    on_island: int = sum(map(mul, board.island, values))
    aboard = sum(n * max(FREIGHT, HOPE * value - BID) for n, value in zip(board.cargo, values, strict=True))
    return (
        state.cash[seat] * (1 + CASH * early)
        + late * island_value(board.island, card)
        + early * HOPE * on_island
        + late * SHIP_VALUE * sum(board.cargo)
        + early * CARGO * aboard
        + (late * HARBOUR_VALUE + early * HARBOUR) * sum(board.harbour_store)
        + early * FACTORY_STORE * sum(board.factory_store)
        + early * LONG * FACTORY_INCOME * (4 - board.factories.count(None))
        + early * LONG * WAREHOUSE_INCOME * board.warehouses
        + early * AT_SEA * (board.ship_at == SEA)
        - (LOAN_COST + early * LONG) * board.loans
    )


def lead(state: State, seat: int) -> float:
    """Return by how much a seat's promise exceeds the others' mean, which does not count in full."""
    rounds = rounds_left(state.table)
    promises = [promise(state, each, rounds) for each in range(len(state.cash))]
    own = promises.pop(seat)
    return own - RIVALS * sum(promises) / len(promises)
