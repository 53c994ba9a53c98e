"""Payments and the stock value (`shipping.md 0.3`, 11)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from gavelport_engine.game import Trace
from gavelport_engine.shipping.data import STOCK_VALUES
from gavelport_engine.shipping.events import Event, Payment, StockMoved
from gavelport_engine.shipping.table import BANK

if TYPE_CHECKING:
    from gavelport_engine.shipping.table import Board, Table

MaybeTrace: TypeAlias = "Trace[Event] | None"
"""Where events go; None where nobody wants them."""

FLOOR = STOCK_VALUES[0]
"""At this value no share is left to sell (11.3, 11.5)."""
TOP = STOCK_VALUES[-1]
_UP = dict(pairwise(STOCK_VALUES))
_DOWN = {above: value for value, above in _UP.items()}


def pay(table: Table, payer: int, payee: int, amount: int, purpose: str, trace: MaybeTrace) -> None:
    """Move $M between two seats, or a seat and the BANK. Nothing happens for an amount of 0, or to oneself."""
    if not amount or payer == payee:
        return
    if payer != BANK:
        table.boards[payer].cash -= amount
    if payee != BANK:
        table.boards[payee].cash += amount
    if trace is not None:
        trace.events.append(Payment(payer, payee, amount, purpose))


def stock_up(table: Table, seat: int, trace: MaybeTrace) -> None:
    """Move a seat's stock up by one value; nothing happens at the top."""
    _move(table.boards[seat], seat, _UP, trace)


def stock_down(table: Table, seat: int, trace: MaybeTrace) -> None:
    """Move a seat's stock down by one value, which must be above the floor."""
    _move(table.boards[seat], seat, _DOWN, trace)


def _move(board: Board, seat: int, to: dict[int, int], trace: MaybeTrace) -> None:
    before = board.stock
    board.stock = to.get(before, before)
    if trace is not None and board.stock != before:
        trace.events.append(StockMoved(seat, before, board.stock))
