"""Round robin in duplicate blocks: everybody meets everybody, and luck cancels (design 5).

A block is `seats` rounds in a row in which the same groups sit at the same tables over the same deals, each round
turned on by one seat, so that every bot has held every seat, and with it every card and start of the deal, against the
same company. `seating.py` draws the groups and the order around the table. A schedule has no end; whoever plays it
stops after as many rounds as were asked for, so more rounds continue it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gavelport_server.pairing.seating import Orders, Tables

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Pairing:
    """Who meets whom at one table in one round. All numbers count from 0."""

    number: int
    """Place in the schedule."""
    round: int
    block: int
    rotation: int
    """Which round of its block."""
    table: int
    deal: int
    """Pairings of one deal are dealt alike: those of one block and table."""
    entrants: tuple[int, ...]
    """By seat."""


def round_robin(entrants: int, seats: int) -> Iterator[Pairing]:
    """Yield the pairings of an endless tournament, round by round.

    Each round seats each entrant at most once, at ⌊entrants / seats⌋ tables. After any round no two entrants
    differ by more than one block of matches. Raises ValueError where the entrants do not fill a table.
    """
    if not 2 <= seats <= entrants:
        raise ValueError(f"{entrants} entrants at tables of {seats}: a table takes at least 2 and all must be filled")
    tables, orders = Tables(entrants, seats), Orders(entrants)
    number = block = 0
    while True:
        around = [orders.draw(group) for group in tables.draw()]
        for rotation in range(seats):
            for table, order in enumerate(around):
                yield Pairing(
                    number=number,
                    round=block * seats + rotation,
                    block=block,
                    rotation=rotation,
                    table=table,
                    deal=block * len(around) + table,
                    entrants=order[-rotation:] + order[:-rotation] if rotation else order,
                )
                number += 1
        block += 1
