"""Mandatory costs: News costs and the annual accounts, forced sales, bankruptcy (`shipping.md 11.4` to 11.6, 12.2, 13).

Bills are paid one after the other. In the no-elimination variant a payer may be asked what to sell (13.5); the
position then says which bill is pending, and the rest follows from the Start marker, which does not move meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.shipping.data import ASSET_PRICES, COSTS, LIMITS, NEWS, ORDERS
from gavelport_engine.shipping.events import AssetSold, Bankrupt, CargoLost, Over, Owed, Waived
from gavelport_engine.shipping.market import unmark
from gavelport_engine.shipping.money import FLOOR, pay, stock_down
from gavelport_engine.shipping.news import news_cost
from gavelport_engine.shipping.orders import discard
from gavelport_engine.shipping.table import BANK, LARGE_SHIPS, SHIP_NAMES, Pending

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_engine.shipping.actions import SellAsset
    from gavelport_engine.shipping.money import MaybeTrace
    from gavelport_engine.shipping.table import Board, State, Table

assert LIMITS["bankrupt_below"] == FLOOR


def survivors(table: Table) -> list[int]:
    """Return the surviving seats in turn order from the Start marker (3.2)."""
    seats = len(table.boards)
    order = [(table.start + step) % seats for step in range(seats)]
    return [seat for seat in order if table.boards[seat].bankrupt is None]


def maintenance(board: Board) -> int:
    """Return what a seat's ships cost a year, $M (13.2)."""
    large = sum(board.ships[ship] is not None for ship in LARGE_SHIPS)
    small = len(board.ships) - board.ships.count(None) - large
    return COSTS["large_maintenance"] * large + COSTS["small_maintenance"] * small


def bill(state: State, seat: int, purpose: str) -> int:
    """Return what a seat owes for a purpose (BILLS), $M."""
    board = state.table.boards[seat]
    if purpose == "news":
        return news_cost(NEWS[state.table.news[-1]], board)
    if purpose == "maintenance":
        return maintenance(board)
    return sum(ORDERS[card].penalty for card in state.hands[seat])


def collect(state: State, bills: Sequence[tuple[int, str]], trace: MaybeTrace) -> bool:
    """Collect bills (seat, purpose) in turn; return whether all are done with.

    False where a seat is asked to raise money (phase `raise`), or where the game has ended (phase `over`).
    """
    table = state.table
    for seat, purpose in bills:
        if table.boards[seat].bankrupt is not None:
            continue
        due = bill(state, seat, purpose)
        if due <= table.boards[seat].cash:
            pay(table, seat, BANK, due, purpose, trace)
        elif table.options.no_elimination:
            if not _raise_or_waive(table, Pending(seat, due, purpose), trace):
                return False
        else:
            _sell_shares(state, seat, due, purpose, trace)
            if table.phase == "over":
                return False
    return True


def _raise_or_waive(table: Table, owed: Pending, trace: MaybeTrace) -> bool:
    """Ask the payer what to sell; return True where nothing is left, so that the rest is waived (13.5)."""
    if can_raise(table.boards[owed.seat]):
        table.phase, table.pending = "raise", owed
        if trace is not None:
            trace.events.append(Owed(*owed))
        return False
    _waive(table, owed, trace)
    return True


def _waive(table: Table, owed: Pending, trace: MaybeTrace) -> None:
    paid = table.boards[owed.seat].cash
    pay(table, owed.seat, BANK, paid, owed.purpose, trace)
    if trace is not None:
        trace.events.append(Waived(owed.seat, owed.due - paid))


def can_raise(board: Board) -> bool:
    """Return whether a seat has anything to sell for a mandatory cost (13.5)."""
    return board.stock > FLOOR or any(board.built) or any(ship is not None for ship in board.ships)


def sell_asset(state: State, action: SellAsset, trace: MaybeTrace) -> bool:
    """Sell an asset for the pending bill; return whether that bill is done with (13.5)."""
    table = state.table
    owed = table.pending
    assert owed is not None
    seat = owed.seat
    board = table.boards[seat]
    if trace is not None:
        trace.events.append(AssetSold(seat, action.asset, action.ship, action.region))
    if action.asset == "share":
        stock_down(table, seat, trace)
        income = COSTS["share_sell"]
    elif action.asset == "ship":
        assert action.ship is not None
        _remove_ship(board, seat, action.ship, trace)
        income = ASSET_PRICES["large_ship" if action.ship in LARGE_SHIPS else "small_ship"]
    else:
        assert action.region is not None
        _remove_factory(board, action.region)
        income = ASSET_PRICES["factory"]
    pay(table, BANK, seat, income, "asset", trace)
    if owed.due <= board.cash:
        pay(table, seat, BANK, owed.due, owed.purpose, trace)
    elif can_raise(board):
        return False
    else:
        _waive(table, owed, trace)
    table.pending = None
    return True


def _remove_ship(board: Board, seat: int, number: int, trace: MaybeTrace) -> None:
    ship = board.ships[number]
    assert ship is not None
    board.ships = (*board.ships[:number], None, *board.ships[number + 1 :])
    if trace is not None and ship.cargo:
        trace.events.append(CargoLost(seat, number, ship.cargo))


def _remove_factory(board: Board, region: int) -> None:
    """Remove a factory, a marked one before an unmarked one."""
    built, marked = list(board.built), list(board.marked)
    built[region] -= 1
    marked[region] = max(0, marked[region] - 1)
    board.built, board.marked = tuple(built), tuple(marked)


def _sell_shares(state: State, seat: int, due: int, purpose: str, trace: MaybeTrace) -> None:
    """Sell shares until a mandatory cost can be paid (11.4); bankruptcy where they do not suffice (11.5)."""
    table = state.table
    board = table.boards[seat]
    while board.cash < due:
        if board.stock == FLOOR:
            _go_bankrupt(state, seat, trace)
            return
        stock_down(table, seat, trace)
        pay(table, BANK, seat, COSTS["share_sell"], "share", trace)
    pay(table, seat, BANK, due, purpose, trace)


def _go_bankrupt(state: State, seat: int, trace: MaybeTrace) -> None:
    """Clean up after a seat (11.5), pass the Start marker on (R25), and end the game if one is left (11.6)."""
    table = state.table
    board = table.boards[seat]
    hand, state.hands[seat] = state.hands[seat], ()
    board.bankrupt = 1 + sum(other.bankrupt is not None for other in table.boards)
    if trace is not None:
        trace.events.append(Bankrupt(seat, hand))
    pay(table, seat, BANK, board.cash, "bankruptcy", trace)
    for number in range(len(SHIP_NAMES)):
        if board.ships[number] is not None:
            _remove_ship(board, seat, number, trace)
    nothing = (0,) * len(board.built)
    board.built, board.marked, board.orders = nothing, nothing, ()
    discard(table, hand)
    unmark(table, seat)
    left = survivors(table)
    if seat == table.start:
        table.start = left[0]
    if len(left) == 1:
        table.phase = "over"
        if trace is not None:
            trace.events.append(Over("last_player"))
