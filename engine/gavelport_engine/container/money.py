"""Payments and loans (`container.md 7`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from gavelport_engine.container.events import BANK, Event, LoanRepaid, LoanTaken, Payment
from gavelport_engine.game import Trace

if TYPE_CHECKING:
    from gavelport_engine.container.table import State

MaybeTrace: TypeAlias = "Trace[Event] | None"
"""Where events go; None where nobody wants them."""

LOAN = 10
"""What a loan brings, and what its repayment costs (7.1, 7.2)."""
MOST_LOANS = 2
"""At most so many are held at a time (7.1), and taken or repaid in one turn (7.3)."""


def pay(state: State, payer: int, payee: int, amount: int, purpose: str, trace: MaybeTrace) -> None:
    """Move money between two seats, or a seat and the BANK. Nothing happens for an amount of $0."""
    if amount:
        if payer != BANK:
            state.cash[payer] -= amount
        if payee != BANK:
            state.cash[payee] += amount
        if trace is not None:
            trace.events.append(Payment(payer, payee, amount, purpose))


def take_loan(state: State, trace: MaybeTrace) -> None:
    """Give the seat to move a loan (7.1), counted for the turn (7.3)."""
    table = state.table
    table.boards[table.seat].loans += 1
    table.loans_taken += 1
    if trace is not None:
        trace.events.append(LoanTaken(table.seat))
    pay(state, BANK, table.seat, LOAN, "loan", trace)


def repay_loans(state: State, count: int, trace: MaybeTrace) -> None:
    """Let the seat to move repay loans (7.2, 6.5), counted for the turn (7.3)."""
    table = state.table
    for _ in range(count):
        table.boards[table.seat].loans -= 1
        table.loans_repaid += 1
        if trace is not None:
            trace.events.append(LoanRepaid(table.seat))
        pay(state, table.seat, BANK, LOAN, "loan", trace)
