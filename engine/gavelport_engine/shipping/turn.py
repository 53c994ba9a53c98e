"""The calendar: turns, News, accounts, the new year, the end (`shipping.md 3`, 4.1, 12.1, 13.1).

The phases `start_turn`, `news` and `accounts` are passed within a step; each function here plays on to the next
decision, and leaves checkpoints at the places that the notation names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.game import Checkpoint
from gavelport_engine.shipping import bills, news
from gavelport_engine.shipping.data import AP, GOODS, NEWS_IDS, QUARTERS, YEAR_RESTOCK
from gavelport_engine.shipping.events import AccountsBegan, Over, TurnBegan, YearBegan
from gavelport_engine.shipping.market import push
from gavelport_engine.shipping.orders import refresh_open_orders
from gavelport_engine.shipping.position_notation import fingerprint
from gavelport_engine.shipping.table import BANK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_engine.game import Json
    from gavelport_engine.shipping.actions import SellAsset
    from gavelport_engine.shipping.money import MaybeTrace
    from gavelport_engine.shipping.table import Board, State, Table

NOTHING_PRODUCED = (0,) * len(GOODS)


def _pin(state: State, trace: MaybeTrace, record: Json) -> None:
    if trace is not None:
        trace.checkpoints.append(Checkpoint(record, fingerprint(state)))


def _clear_moved(board: Board) -> None:
    if any(ship is not None and ship.moved for ship in board.ships):
        board.ships = tuple(ship and ship._replace(moved=False) for ship in board.ships)


def begin_turn(table: Table, trace: MaybeTrace) -> None:
    """Begin the turn of `table.seat`: marks cleared, AP given (4.1, 6.11)."""
    board = table.boards[table.seat]
    _clear_moved(board)
    ships = len(board.ships) - board.ships.count(None)
    table.phase = "turn"
    table.ap = news.ap_at_start(table, AP["base"] + AP["per_ship"] * ships)
    if trace is not None:
        trace.events.append(TurnBegan(table.turn, table.seat, table.ap))


def _next_turn(table: Table, seat: int, trace: MaybeTrace) -> None:
    table.turn += 1
    table.seat = seat
    begin_turn(table, trace)


def seats_left(table: Table) -> list[int]:
    """Return the surviving seats that have still to take their turn in this quarter (3.2)."""
    seats = len(table.boards)
    after = range(1, (table.start - table.seat - 1) % seats + 1)
    order = ((table.seat + step) % seats for step in after)
    return [seat for seat in order if table.boards[seat].bankrupt is None]


def end_turn(state: State, trace: MaybeTrace) -> None:
    """End the turn (4.5) and play on to the next decision."""
    table = state.table
    table.ap = table.boosts = 0
    table.ap_bought = table.share_sold = False
    table.produced = NOTHING_PRODUCED
    record = {"record": "turn", "turn": table.turn}
    left = seats_left(table)
    if left:
        _next_turn(table, left[0], trace)
        _pin(state, trace, record)
    else:
        table.phase = "news"
        _pin(state, trace, record)
        resolve_news(state, trace)


def resolve_news(state: State, trace: MaybeTrace) -> None:
    """Draw the quarter's News card, resolve it and play on (3.3, 12)."""
    card = news.draw(state, trace)
    if card is not None:
        seats = bills.survivors(state.table)
        news.at_once(state, card, seats, trace)
        _collect(state, [(seat, "news") for seat in seats], trace)
    else:
        _finish_news(state, trace)


def begin_accounts(state: State, trace: MaybeTrace) -> None:
    """Conduct the annual accounts and play on (3.4, 13)."""
    table = state.table
    table.phase = "accounts"
    if trace is not None:
        trace.events.append(AccountsBegan(table.year))
    _collect(state, _account_bills(table), trace)


def is_last_year(table: Table) -> bool:
    """Return whether no year follows (3.1)."""
    return table.year == table.options.years


def _account_bills(table: Table) -> list[tuple[int, str]]:
    """Return the bills of the annual accounts, seat by seat (13.1)."""
    purposes = ("maintenance", "penalty") if is_last_year(table) else ("maintenance",)
    return [(seat, purpose) for seat in bills.survivors(table) for purpose in purposes]


def go_on_raising(state: State, action: SellAsset, trace: MaybeTrace) -> None:
    """Sell an asset (13.5), and once its bill is done with, collect those after it and play on."""
    table = state.table
    owed = table.pending
    assert owed is not None
    if not bills.sell_asset(state, action, trace):
        return
    if owed.purpose == "news":
        table.phase = "news"
        all_bills = [(seat, "news") for seat in bills.survivors(table)]
    else:
        table.phase = "accounts"
        all_bills = _account_bills(table)
    after = all_bills.index((owed.seat, owed.purpose)) + 1
    _collect(state, all_bills[after:], trace)


def _collect(state: State, due: Sequence[tuple[int, str]], trace: MaybeTrace) -> None:
    """Collect bills and play on, unless a seat is asked or the game has ended."""
    in_news = state.table.phase == "news"
    if bills.collect(state, due, trace):
        if in_news:
            _finish_news(state, trace)
        else:
            _finish_accounts(state, trace)
    elif state.table.phase == "over":
        _pin(state, trace, _news_record(state.table) if in_news else _accounts_record(state.table))


def _news_record(table: Table) -> Json:
    card = NEWS_IDS[table.news[-1]] if table.news else None
    return {"record": "news", "year": table.year, "quarter": table.quarter, "card": card}


def _accounts_record(table: Table) -> Json:
    return {"record": "accounts", "year": table.year}


def _finish_news(state: State, trace: MaybeTrace) -> None:
    """Go on after a News card: to the next quarter (3.7), or to the accounts (3.4)."""
    table = state.table
    record = _news_record(table)
    if table.quarter < QUARTERS:
        table.quarter += 1
        _next_turn(table, table.start, trace)
        _pin(state, trace, record)
    else:
        table.phase = "accounts"
        _pin(state, trace, record)
        begin_accounts(state, trace)


def _finish_accounts(state: State, trace: MaybeTrace) -> None:
    """Go on after the accounts: to a new year (3.5), or to the end (3.6)."""
    table = state.table
    record = _accounts_record(table)
    if is_last_year(table):
        table.phase = "over"
        if trace is not None:
            trace.events.append(Over("years"))
    else:
        _new_year(state, trace)
    _pin(state, trace, record)


def _new_year(state: State, trace: MaybeTrace) -> None:
    """3.5, in its order; then the first turn begins."""
    table = state.table
    for board in table.boards:
        _clear_moved(board)
        board.marked = (0,) * len(board.marked)
    refresh_open_orders(state, trace)
    table.year += 1
    table.quarter = 1
    table.start = bills.survivors(table)[1]
    if trace is not None:
        trace.events.append(YearBegan(table.year))
    for good in range(len(GOODS)):
        while len(table.rows[good]) < YEAR_RESTOCK:
            push(table, good, BANK, trace)
    _next_turn(table, table.start, trace)
