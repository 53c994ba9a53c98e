"""The events of Container as values (`container-notation.md`, "Who sees what"). All of them are public and whole.

`KINDS` names each by the notation's `event`. A payer or payee is a seat, or BANK.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from gavelport_engine.container.goods import Bag, Store

BANK = -1
"""The bank as payer or payee."""

PURPOSES = (
    "interest",
    "union",
    "factory",
    "warehouse",
    "containers",
    "domestic_sale",
    "loan",
    "auction",
    "bank_match",
    "self_purchase",
)
"""What a payment is for."""


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A seat's turn begins (2.1)."""

    turn: int
    seat: int


@dataclass(frozen=True, slots=True)
class Payment:
    """Money changes hands; `purpose` is the notation's `for`, one of PURPOSES."""

    payer: int
    payee: int
    amount: int
    purpose: str


@dataclass(frozen=True, slots=True)
class LoanTaken:
    """A loan is taken (7.1); a Payment of $10 by the bank goes with it."""

    seat: int


@dataclass(frozen=True, slots=True)
class LoanRepaid:
    """A loan is repaid (7.2); a Payment of $10 to the bank goes with it."""

    seat: int


@dataclass(frozen=True, slots=True)
class LoanCancelled:
    """A loan is paid off by a seized asset (3.3c)."""

    seat: int


@dataclass(frozen=True, slots=True)
class Seized:
    """Containers are seized (3.3a, b) by choice of seat `by`; either from the island or from the two stores."""

    seat: int
    by: int
    island: Bag | None
    harbour_store: Store | None
    factory_store: Store | None


@dataclass(frozen=True, slots=True)
class FactorySeized:
    """A factory is seized (3.3c)."""

    seat: int
    by: int
    colour: int


@dataclass(frozen=True, slots=True)
class WarehouseSeized:
    """A warehouse is seized (3.3c)."""

    seat: int


@dataclass(frozen=True, slots=True)
class Forgiven:
    """A loan's interest is forgiven, nothing being there to seize (3.3d, 3.4)."""

    seat: int


@dataclass(frozen=True, slots=True)
class SoldDomestic:
    """A container goes back to the supply for $2 (4); store is "factory" or "harbour"."""

    seat: int
    store: str
    price: int
    colour: int


@dataclass(frozen=True, slots=True)
class FactoryBuilt:
    """A factory is bought into a slot (5.1)."""

    seat: int
    slot: int
    colour: int


@dataclass(frozen=True, slots=True)
class WarehouseBuilt:
    """A warehouse is bought into a slot, 0 to 4 (5.1)."""

    seat: int
    slot: int


@dataclass(frozen=True, slots=True)
class Produced:
    """Containers are produced (5.2), and the factory store stands so afterwards."""

    seat: int
    make: Bag
    factory_store: Store


@dataclass(frozen=True, slots=True)
class Bought:
    """Containers are bought from a factory store (5.3), and the buyer's harbour store stands so afterwards."""

    seat: int
    seller: int
    take: Store
    harbour_store: Store


@dataclass(frozen=True, slots=True)
class Repriced:
    """The harbour store is re-priced (5.3)."""

    seat: int
    harbour_store: Store


@dataclass(frozen=True, slots=True)
class Sailed:
    """A ship sails to SEA, ISLAND or a seat's harbour (5.4)."""

    seat: int
    to: int


@dataclass(frozen=True, slots=True)
class Loaded:
    """Containers go aboard in a harbour (5.4, 5.5)."""

    seat: int
    seller: int
    take: Store


@dataclass(frozen=True, slots=True)
class Passed:
    """An action is passed (2.4)."""

    seat: int


@dataclass(frozen=True, slots=True)
class AuctionBegan:
    """A ship arrives at the island with a lot (6.1)."""

    seat: int
    lot: Bag


@dataclass(frozen=True, slots=True)
class BidsRevealed:
    """All bids of the first round are revealed, with the loans taken for them; by seat, the seller's None and 0.

    The LoanTaken and Payment events of those loans come just before, seats ascending.
    """

    bids: tuple[int | None, ...]
    loans: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ExtraBidsRevealed:
    """All additional bids of tied seats are revealed (6.2); by seat, None and 0 for the others.

    Loans taken for them as with BidsRevealed.
    """

    extra: tuple[int | None, ...]
    loans: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Auctioned:
    """The seller has decided (6.3): the lot goes to seat `to` for `amount`; `to` is the seller itself on a reject."""

    seat: int
    to: int
    amount: int
    lot: Bag
    accepted: bool


@dataclass(frozen=True, slots=True)
class Over:
    """The game is over (8.1, 8.2): `two_colours`, `max_rounds` or `stalled`."""

    end: str


Event: TypeAlias = (
    TurnBegan
    | Payment
    | LoanTaken
    | LoanRepaid
    | LoanCancelled
    | Seized
    | FactorySeized
    | WarehouseSeized
    | Forgiven
    | SoldDomestic
    | FactoryBuilt
    | WarehouseBuilt
    | Produced
    | Bought
    | Repriced
    | Sailed
    | Loaded
    | Passed
    | AuctionBegan
    | BidsRevealed
    | ExtraBidsRevealed
    | Auctioned
    | Over
)

KINDS: dict[str, type[Event]] = {
    "turn": TurnBegan,
    "payment": Payment,
    "loan_taken": LoanTaken,
    "loan_repaid": LoanRepaid,
    "loan_cancelled": LoanCancelled,
    "seized": Seized,
    "factory_seized": FactorySeized,
    "warehouse_seized": WarehouseSeized,
    "forgiven": Forgiven,
    "sold_domestic": SoldDomestic,
    "factory_built": FactoryBuilt,
    "warehouse_built": WarehouseBuilt,
    "produced": Produced,
    "bought": Bought,
    "repriced": Repriced,
    "sailed": Sailed,
    "loaded": Loaded,
    "passed": Passed,
    "auction": AuctionBegan,
    "bids": BidsRevealed,
    "extra_bids": ExtraBidsRevealed,
    "auctioned": Auctioned,
    "over": Over,
}
