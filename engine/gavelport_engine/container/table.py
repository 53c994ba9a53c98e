"""The position of Container: the public table, the secrets beside it, and what one viewer sees.

`Table` is what everybody may see and nothing else; what is hidden (cash, cards, bids not yet revealed and the loans
taken for them) lives in `State` beside it. So an observation is the table and the viewer's own secrets, and nothing
can leak by being forgotten in a mask (`container.md 9`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gavelport_engine.container.actions import SEA
from gavelport_engine.container.goods import EMPTY_BAG, EMPTY_STORE

if TYPE_CHECKING:
    from gavelport_engine.container.goods import Bag, Store
    from gavelport_engine.game import Viewer

CARD_NAMES = ("A", "B", "C", "D", "E")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a game, with the notation's names and defaults (1.1, 3.5, 4, 8.2)."""

    seats: int = 4
    supply_per_player: int = 4
    domestic_sale: bool = False
    seized_to: str = "box"
    max_rounds: int = 100
    stall_rounds: int = 10


@dataclass(slots=True)
class Board:
    """What lies openly before one seat (1.6)."""

    loans: int = 0
    factories: tuple[int | None, ...] = (None, None, None, None)
    """Colour by slot (–, $6, $9, $12)."""
    warehouses: int = 1
    factory_store: Store = EMPTY_STORE
    harbour_store: Store = EMPTY_STORE
    ship_at: int = SEA
    """SEA, ISLAND or the seat number of a harbour."""
    cargo: Bag = EMPTY_BAG
    island: Bag = EMPTY_BAG


@dataclass(slots=True)
class Auction:
    """What is known of a running auction (6): amounts by seat, None where there is none or it is not yet revealed."""

    bids: tuple[int | None, ...]
    extra: tuple[int | None, ...]
    winners: tuple[int, ...] = ()
    """The seats that the seller may accept; empty before phase `sale`."""


@dataclass(slots=True)
class Table:
    """The public part of a position, with the notation's names."""

    options: Options
    turn: int
    seat: int
    phase: str
    actions_left: int
    produced: bool
    sold_domestic: bool
    loans_taken: int
    loans_repaid: int
    quiet_turns: int
    busy: bool
    unpaid: int
    """Loans still to be dealt with in the phases of a seizure, this one included; 0 in all others."""
    supply: Bag
    removed: Bag
    boards: list[Board]
    auction: Auction | None = None
    end: str | None = None
    """Why the game is over: `two_colours`, `max_rounds`, `stalled`; None before."""


@dataclass(slots=True)
class State:
    """A whole position: the table and the secrets."""

    table: Table
    cash: list[int]
    cards: tuple[int, ...]
    """The seats' value cards, as indices into CARD_NAMES."""
    sealed_bids: list[int | None] = field(default_factory=list)
    """In phases `bid` and `extra_bid`, by seat: the amounts that have come in and are not yet revealed."""
    sealed_loans: list[int] = field(default_factory=list)
    """Likewise: loans taken with those bids. They are in the seat's cash, and not yet in its board's loans."""


@dataclass(slots=True)
class Observation:
    """All that one viewer may see of the present (9); a value of its own, never shared with a State.

    The viewer's own board shows its loans whole, those of a bid not yet revealed included.
    """

    viewer: Viewer
    table: Table
    cash: int | None
    """The viewer's own cash; None for a spectator."""
    card: int | None
    """The viewer's own card; None for a spectator."""
    sealed_bid: int | None
    """The viewer's own bid of this round, if it has come in and is not yet revealed."""
    everyone: tuple[tuple[int, int], ...] | None
    """Once the game is over, (cash, card) by seat (9.3); None before, or where the referee holds it back."""
