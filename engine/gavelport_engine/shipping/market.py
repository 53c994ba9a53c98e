"""The Terminal's rows and prices (`shipping.md 7`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.shipping.data import PRICES, ROW_CAPACITY
from gavelport_engine.shipping.events import Pushed
from gavelport_engine.shipping.table import BANK

if TYPE_CHECKING:
    from gavelport_engine.shipping.money import MaybeTrace
    from gavelport_engine.shipping.table import Table


def price(table: Table, good: int) -> int:
    """Return the market price of a good: that of its rightmost container, or the sold-out price (7.2), $M."""
    return PRICES[good][len(table.rows[good])]


def push(table: Table, good: int, owner: int, trace: MaybeTrace) -> None:
    """Push a container in at position 1 (7.4); nothing happens where the row is full."""
    row = table.rows[good]
    if len(row) < ROW_CAPACITY:
        table.rows[good] = (owner, *row)
        if trace is not None:
            trace.events.append(Pushed(good, owner))


def owed_for(table: Table, seat: int, good: int, count: int) -> int:
    """Return what a seat pays others and the Bank for the `count` rightmost containers of a row (8.2), $M."""
    bought = table.rows[good][len(table.rows[good]) - count :]
    return price(table, good) * sum(owner != seat for owner in bought)


def unmark(table: Table, seat: int) -> None:
    """Make a seat's containers in the rows the Bank's (7.8)."""
    table.rows = [tuple(BANK if owner == seat else owner for owner in row) for row in table.rows]
