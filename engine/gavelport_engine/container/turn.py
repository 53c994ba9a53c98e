"""The flow of a turn and the end of the game (`container.md 2`, 3.1, 3.2, 8.1, 8.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.container.canonical import fingerprint
from gavelport_engine.container.events import BANK, Over, TurnBegan
from gavelport_engine.container.money import MOST_LOANS, pay, take_loan
from gavelport_engine.container.seizure import only_an_asset, settle
from gavelport_engine.game import Checkpoint

if TYPE_CHECKING:
    from gavelport_engine.container.money import MaybeTrace
    from gavelport_engine.container.table import State, Table

ACTIONS = 2
"""Actions in a turn (2.1)."""


def begin_turn(state: State, trace: MaybeTrace) -> None:
    """Begin the turn of `table.seat`, up to its first decision (2.1, 3)."""
    table = state.table
    table.phase = "action"
    table.actions_left = ACTIONS
    table.produced = table.sold_domestic = table.busy = False
    table.loans_taken = table.loans_repaid = 0
    if trace is not None:
        trace.events.append(TurnBegan(table.turn, table.seat))
    board = table.boards[table.seat]
    if not board.loans:
        return
    if state.cash[table.seat] < board.loans < MOST_LOANS:
        if only_an_asset(board):  # an asset is never lost by choice (3.2)
            borrow_for_interest(state, trace)
        else:
            table.phase = "interest"
    else:
        _pay_interest(state, board.loans, trace)


def _pay_interest(state: State, loans: int, trace: MaybeTrace) -> None:
    """Pay $1 for each loan as far as the cash goes; the rest is in default (3.1, 3.3)."""
    table = state.table
    paid = min(state.cash[table.seat], loans)
    pay(state, table.seat, BANK, paid, "interest", trace)
    table.unpaid = loans - paid
    settle(state, trace)


def borrow_for_interest(state: State, trace: MaybeTrace) -> None:
    """Take a loan and pay the interest from it; the new loan bears none this turn (3.2)."""
    loans = state.table.boards[state.table.seat].loans
    take_loan(state, trace)
    _pay_interest(state, loans, trace)


def default_on_interest(state: State, trace: MaybeTrace) -> None:
    """Leave the interest unpaid, as far as the cash does not cover it (3.2)."""
    _pay_interest(state, state.table.boards[state.table.seat].loans, trace)


def spend_action(state: State, trace: MaybeTrace) -> None:
    """Count one action as taken; with the second the turn ends at once (2.1)."""
    table = state.table
    count_action(table)
    if not table.actions_left:
        end_turn(state, trace)


def count_action(table: Table) -> None:
    """Count one action as taken; the first closes the domestic sale (4.1)."""
    table.actions_left -= 1
    if table.options.domestic_sale:
        table.sold_domestic = True


def end_turn(state: State, trace: MaybeTrace) -> None:
    """End the turn: the game is over, or the next seat's turn begins (8.1, 8.2)."""
    table = state.table
    ended = table.turn
    table.auction = None
    table.quiet_turns = 0 if table.busy else table.quiet_turns + 1
    table.end = end_reason(table)
    if table.end is None:
        table.turn += 1
        table.seat = (table.seat + 1) % table.options.seats
        begin_turn(state, trace)
    else:
        table.phase = "over"
        table.actions_left = 0
        if trace is not None:
            trace.events.append(Over(table.end))
    if trace is not None:
        record = {"record": "turn", "turn": ended}
        trace.checkpoints.append(Checkpoint(record, fingerprint(state)))


def end_reason(table: Table) -> str | None:
    """Return why the game is over with the turn that has just ended, or None (8.1, 8.2).

    `quiet_turns` has that turn in it already.
    """
    options = table.options
    if table.supply.count(0) >= 2:
        return "two_colours"
    if options.max_rounds and table.turn >= options.max_rounds * options.seats:
        return "max_rounds"
    if options.stall_rounds and table.quiet_turns >= options.stall_rounds * options.seats:
        return "stalled"
    return None
