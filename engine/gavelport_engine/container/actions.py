"""The actions of Container as values (`container-notation.md`, "Decisions and actions").

`KINDS` names each by the notation's `type`. Values are not checked on construction: what is legal is `fault`'s matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from gavelport_engine.container.goods import EMPTY_BAG, EMPTY_STORE, Bag, Store

SEA = -1
"""Where a ship is, or sails to, beside the seat numbers of harbours: the open sea."""
ISLAND = -2
"""Likewise: the island."""


@dataclass(frozen=True, slots=True)
class TakeLoan:
    """Take a $10 loan (7.1): free in one's turn, in place of a default, or before selling a lot."""


@dataclass(frozen=True, slots=True)
class Default:
    """Leave interest unpaid (3.2)."""


@dataclass(frozen=True, slots=True)
class Seize:
    """Name the containers that the bank seizes (3.3): from the island, or from the two stores."""

    island: Bag = EMPTY_BAG
    harbour_store: Store = EMPTY_STORE
    factory_store: Store = EMPTY_STORE


@dataclass(frozen=True, slots=True)
class Surrender:
    """Choose the kind of asset that is lost (3.3c): "factory" or "warehouse"."""

    asset: str


@dataclass(frozen=True, slots=True)
class SeizeFactory:
    """Choose the factory that the debtor loses (3.3c)."""

    colour: int


@dataclass(frozen=True, slots=True)
class RepayLoan:
    """Repay a loan with $10 (7.2)."""


@dataclass(frozen=True, slots=True)
class DomesticSale:
    """Return a container to the supply for $2 (4); store is "factory" or "harbour"."""

    store: str
    price: int
    colour: int


@dataclass(frozen=True, slots=True)
class Pass:
    """Spend one action and do nothing (2.4)."""


@dataclass(frozen=True, slots=True)
class BuyFactory:
    """Buy a factory of a colour not owned (5.1)."""

    colour: int


@dataclass(frozen=True, slots=True)
class BuyWarehouse:
    """Buy a warehouse (5.1)."""


@dataclass(frozen=True, slots=True)
class Produce:
    """Produce (5.2); `factory_store` is the whole store as it stands afterwards, `make` empty for re-pricing alone."""

    make: Bag
    factory_store: Store


@dataclass(frozen=True, slots=True)
class Buy:
    """Buy containers from a factory store (5.3); `harbour_store` is the whole own store as it stands afterwards."""

    seller: int
    take: Store
    harbour_store: Store


@dataclass(frozen=True, slots=True)
class Reprice:
    """Re-price the harbour store (5.3)."""

    harbour_store: Store


@dataclass(frozen=True, slots=True)
class Sail:
    """Sail to SEA, to ISLAND or into a seat's harbour, and buy there (5.4)."""

    to: int
    take: Store = EMPTY_STORE


@dataclass(frozen=True, slots=True)
class Load:
    """Buy in the harbour where the ship lies (5.5)."""

    take: Store


@dataclass(frozen=True, slots=True)
class Bid:
    """Bid an amount, or add one in a tie (6.1, 6.2), taking loans for it."""

    amount: int
    loans: int = 0


@dataclass(frozen=True, slots=True)
class Accept:
    """Sell the lot to one of the highest bidders (6.3), and repay loans (6.5)."""

    winner: int
    repay: int = 0


@dataclass(frozen=True, slots=True)
class Reject:
    """Keep the lot for the highest bid, paid to the bank (6.3), and repay loans (6.5)."""

    repay: int = 0


Action: TypeAlias = (
    TakeLoan
    | Default
    | Seize
    | Surrender
    | SeizeFactory
    | RepayLoan
    | DomesticSale
    | Pass
    | BuyFactory
    | BuyWarehouse
    | Produce
    | Buy
    | Reprice
    | Sail
    | Load
    | Bid
    | Accept
    | Reject
)

KINDS: dict[str, type[Action]] = {
    "take_loan": TakeLoan,
    "default": Default,
    "seize": Seize,
    "surrender": Surrender,
    "seize_factory": SeizeFactory,
    "repay_loan": RepayLoan,
    "domestic_sale": DomesticSale,
    "pass": Pass,
    "buy_factory": BuyFactory,
    "buy_warehouse": BuyWarehouse,
    "produce": Produce,
    "buy": Buy,
    "reprice": Reprice,
    "sail": Sail,
    "load": Load,
    "bid": Bid,
    "accept": Accept,
    "reject": Reject,
}
