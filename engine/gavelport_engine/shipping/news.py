"""News cards: what is in force now, and what a drawn card does at once (`shipping.md 12`).

Costs to be paid (ship_cost, sea_cost, cargo_cost) are bills, in `bills.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.shipping.data import COSTS, NEWS, PORTS, PRICES, NewsCard
from gavelport_engine.shipping.events import NewsDrawn, Removed
from gavelport_engine.shipping.market import push
from gavelport_engine.shipping.money import pay, stock_up
from gavelport_engine.shipping.orders import refresh_open_orders
from gavelport_engine.shipping.table import BANK, LARGE_SHIPS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gavelport_engine.shipping.money import MaybeTrace
    from gavelport_engine.shipping.table import Board, State, Table


def in_force(table: Table) -> NewsCard | None:
    """Return the card whose next-quarter effect holds now (12.5); None before the first."""
    return NEWS[table.news[-1]] if table.news else None


def closed_canal(table: Table) -> str | None:
    """Return the canal that cannot be crossed in this quarter, or None."""
    card = in_force(table)
    return card.canal if card is not None and card.effect == "canal_closed" else None


def toll(table: Table) -> int:
    """Return what a canal costs in this quarter, $M (6.7)."""
    card = in_force(table)
    if card is not None and card.effect == "toll":
        assert card.amount is not None
        return card.amount
    return COSTS["canal_toll"]


def sale_bonus(table: Table, good: int) -> int:
    """Return what a container of a good brings beyond its price in this quarter, $M (8.4)."""
    card = in_force(table)
    if card is not None and card.effect == "bonus" and card.good == good:
        assert card.amount is not None
        return card.amount
    return 0


def ap_at_start(table: Table, full: int) -> int:
    """Return a turn's starting AP, given those without News; never taken below 1 (4.1, 12.5)."""
    card = in_force(table)
    if card is None or card.amount is None:
        return full
    if card.effect == "extra_ap":
        return full + card.amount
    return max(1, full - card.amount) if card.effect == "less_ap" else full


def draw(state: State, trace: MaybeTrace) -> NewsCard | None:
    """Draw the top card and restock (12.1). None where no card is left, which 12.3 rules out in a dealt game."""
    table = state.table
    if not state.news_deck:
        return None
    number, state.news_deck = state.news_deck[0], state.news_deck[1:]
    table.news_deck -= 1
    table.news = (*table.news, number)
    if trace is not None:
        trace.events.append(NewsDrawn(number))
    card = NEWS[number]
    for good in card.restock:
        push(table, good, BANK, trace)
    return card


def _glut(state: State, card: NewsCard, seats: Sequence[int], trace: MaybeTrace) -> None:
    assert card.good is not None
    assert card.count is not None
    for _ in range(card.count):
        push(state.table, card.good, BANK, trace)


def _shortage(state: State, card: NewsCard, seats: Sequence[int], trace: MaybeTrace) -> None:
    """Take rightmost containers, each at the price of where it stood; the owner of a marked one is paid."""
    table, good = state.table, card.good
    assert good is not None
    assert card.count is not None
    for _ in range(min(card.count, len(table.rows[good]))):
        row = table.rows[good]
        owner = row[-1]
        table.rows[good] = row[:-1]
        if trace is not None:
            trace.events.append(Removed(good, owner))
        pay(table, BANK, owner, PRICES[good][len(row)], "shortage", trace)


def _factory_income(state: State, card: NewsCard, seats: Sequence[int], trace: MaybeTrace) -> None:
    assert card.amount is not None
    for seat in seats:
        amount = card.amount * sum(state.table.boards[seat].built)
        pay(state.table, BANK, seat, amount, "grant", trace)


def _refresh_orders(state: State, card: NewsCard, seats: Sequence[int], trace: MaybeTrace) -> None:
    refresh_open_orders(state, trace)


def _stock_lowest(state: State, card: NewsCard, seats: Sequence[int], trace: MaybeTrace) -> None:
    assert card.spaces is not None
    boards = state.table.boards
    lowest = min(boards[seat].stock for seat in seats)
    for seat in [seat for seat in seats if boards[seat].stock == lowest]:
        for _ in range(card.spaces):
            stock_up(state.table, seat, trace)


_AT_ONCE: dict[str, Callable[[State, NewsCard, Sequence[int], MaybeTrace], None]] = {
    "glut": _glut,
    "shortage": _shortage,
    "factory_income": _factory_income,
    "refresh_orders": _refresh_orders,
    "stock_lowest": _stock_lowest,
}


def at_once(state: State, card: NewsCard, seats: Sequence[int], trace: MaybeTrace) -> None:
    """Carry out a card's immediate effect but for costs (12.4); `seats` survive, in turn order."""
    effect = _AT_ONCE.get(card.effect)
    if effect is not None:
        effect(state, card, seats, trace)


def _ship_cost(card: NewsCard, board: Board) -> int:
    assert card.small is not None
    assert card.large is not None
    owned = [number for number, ship in enumerate(board.ships) if ship is not None]
    large = sum(number in LARGE_SHIPS for number in owned)
    return card.large * large + card.small * (len(owned) - large)


def _sea_cost(card: NewsCard, board: Board) -> int:
    assert card.amount is not None
    return card.amount * sum(ship is not None and ship.at >= PORTS for ship in board.ships)


def _cargo_cost(card: NewsCard, board: Board) -> int:
    assert card.amount is not None
    return card.amount * sum(len(ship.cargo) for ship in board.ships if ship is not None)


_COSTS: dict[str, Callable[[NewsCard, Board], int]] = {
    "ship_cost": _ship_cost,
    "sea_cost": _sea_cost,
    "cargo_cost": _cargo_cost,
}


def news_cost(card: NewsCard, board: Board) -> int:
    """Return what a card costs a seat, $M (12.4)."""
    effect = _COSTS.get(card.effect)
    return 0 if effect is None else effect(card, board)
