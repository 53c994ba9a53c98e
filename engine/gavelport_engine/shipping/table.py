"""The position of Shipping: the public table, the secrets beside it, and what one viewer sees.

`Table` is what everybody may see and nothing else; what is hidden (the seed, the order of both decks, Orders drawn
face down) lives in `State` beside it. So an observation is the table and the viewer's own secrets, and nothing
can leak by being forgotten in a mask (`shipping.md 15.1`).

Everything is plain data: spaces, goods, regions, Order and News cards are indices in the order of the data
file (`data.py`), ships indices into SHIP_NAMES. Only `Table`, `Board` and `State` change in place; all else is
replaced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from gavelport_engine.game import Viewer

BANK = -1
"""In place of a seat: the Bank, as payer, payee, or owner of a container without marker."""

SHIP_NAMES = ("S1", "S2", "S3", "L1", "L2")
SMALL_SHIPS = (0, 1, 2)
LARGE_SHIPS = (3, 4)
SHIP_KINDS = {"small": SMALL_SHIPS, "large": LARGE_SHIPS}
"""The ships of each kind (1.1), by the notation's word."""

ASSETS = ("share", "ship", "factory")
"""What may be sold in phase `raise` (13.5)."""

PHASES = ("turn", "raise", "over")
"""The phases in which a state can rest; `news` and `accounts` are passed within a step."""

BILLS = ("news", "maintenance", "penalty")
"""What a mandatory cost is for."""

Goods: TypeAlias = "tuple[int, ...]"
"""Counts by good."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a game, with the notation's names and defaults (2.1)."""

    seats: int = 3
    years: int = 4
    no_elimination: bool = False


class Ship(NamedTuple):
    """A ship on the map."""

    at: int
    """A space: a port or a sea space."""
    cargo: tuple[int, ...] = ()
    """The goods of the containers aboard, ascending: at most one on a small ship, two on a large one (6.1)."""
    moved: bool = False
    """The grey mark (6.11)."""


class HeldOrder(NamedTuple):
    """An Order before a seat, as everybody sees it."""

    card: int | None
    """None while it is hidden (10.5)."""
    done: int = 0
    """Containers counted."""

    @property
    def hidden(self) -> bool:
        """Whether only its owner knows the card."""
        return self.card is None


class Pending(NamedTuple):
    """A mandatory cost above the cash of its payer, who raises money for it (13.5)."""

    seat: int
    due: int
    purpose: str
    """One of BILLS; the notation's `for`."""


@dataclass(slots=True)
class Board:
    """What lies openly before one seat (1.1)."""

    cash: int
    stock: int
    track: int
    home: int
    """The home city, a space."""
    ships: tuple[Ship | None, ...]
    """By ship (SHIP_NAMES); None where it is not owned."""
    built: tuple[int, ...]
    """Factories by region."""
    marked: tuple[int, ...]
    """Of these, how many have produced this year, by region."""
    orders: tuple[HeldOrder, ...] = ()
    """In the order taken."""
    completed: int = 0
    """Orders completed in the game."""
    bankrupt: int | None = None
    """None, or k for the k-th to go bankrupt (11.5)."""


@dataclass(slots=True)
class Table:
    """The public part of a position, with the notation's names where they apply."""

    options: Options
    year: int
    quarter: int
    start: int
    """The seat with the Start marker."""
    turn: int
    """Turns started in the game, from 1."""
    seat: int
    """Whose turn it is, or was last while nobody's turn runs."""
    phase: str
    ap: int
    boosts: int
    """Free boosts left in this turn (9.7)."""
    ap_bought: bool
    share_sold: bool
    produced: Goods
    """Containers produced in this turn, by good (9.5)."""
    pending: Pending | None
    rows: list[tuple[int, ...]]
    """The Terminal: owners (a seat or BANK) by good, position 1 first (7.1)."""
    open_orders: tuple[int | None, ...]
    """By slot, 0 to 3; None: empty."""
    order_deck: int
    """Number of cards."""
    news_deck: int
    """Number of cards."""
    order_discard: tuple[int, ...]
    """Ascending."""
    reshuffles: int
    news: tuple[int, ...]
    """All cards drawn, in that order; the last one is in force (12.5)."""
    boards: list[Board]


@dataclass(slots=True)
class State:
    """A whole position: the table and the secrets."""

    table: Table
    seed: bytes
    order_deck: tuple[int, ...]
    """Top card first."""
    news_deck: tuple[int, ...]
    """Top card first."""
    hands: list[tuple[int, ...]]
    """By seat the cards of all its Orders, hidden and open, in the order of `Board.orders`."""


class Secrets(NamedTuple):
    """All that is hidden in a position."""

    seed: bytes
    order_deck: tuple[int, ...]
    news_deck: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]


@dataclass(slots=True)
class Observation:
    """All that one viewer may see of the present (15.1); a value of its own, never shared with a State."""

    viewer: Viewer
    table: Table
    hand: tuple[int, ...] | None
    """The cards of the viewer's own Orders, in the order of its board's; None for a spectator."""
    everything: Secrets | None
    """Once the game is over, what was hidden; None before, or where the referee holds it back."""
