"""The actions of Shipping as values (`shipping-notation.md`, "Actions").

`KINDS` names each by the notation's `type`. Values are not checked on construction: what is legal is `fault`'s matter.
Ships are 0 to 4 (`table.SHIP_NAMES`); spaces, goods, regions and Order cards are indices in the order of the
data file (`data.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Move:
    """Move a ship along a path (6): the spaces entered, in order; `boost` pays for one space above the limit."""

    ship: int
    path: tuple[int, ...]
    boost: bool = False


@dataclass(frozen=True, slots=True)
class Buy:
    """Buy containers of the good of the region where the ship is docked (8.1)."""

    ship: int
    count: int = 1


@dataclass(frozen=True, slots=True)
class Sell:
    """Sell one container where the ship is docked (8.4), counted for an own Order or, with None, for none."""

    ship: int
    good: int
    order: int | None = None


@dataclass(frozen=True, slots=True)
class BuyShip:
    """Buy a ship (10.1); kind is "small" or "large"."""

    kind: str


@dataclass(frozen=True, slots=True)
class BuyOrder:
    """Take the face-up Order of a slot, 0 to 3 (10.2)."""

    slot: int


@dataclass(frozen=True, slots=True)
class DrawOrder:
    """Draw a hidden Order (10.3)."""


@dataclass(frozen=True, slots=True)
class Build:
    """Build a factory in a region (9.1)."""

    region: int


@dataclass(frozen=True, slots=True)
class Produce:
    """Produce in a region (9.3)."""

    region: int


@dataclass(frozen=True, slots=True)
class BuyShare:
    """Buy a share: one value up (11.2)."""


@dataclass(frozen=True, slots=True)
class SellShare:
    """Sell a share: one value down (11.3)."""


@dataclass(frozen=True, slots=True)
class BuyAp:
    """Buy additional AP, once a turn (4.4)."""

    count: int = 1


@dataclass(frozen=True, slots=True)
class EndTurn:
    """End the turn (4.5)."""


@dataclass(frozen=True, slots=True)
class SellAsset:
    """Raise money for a mandatory cost (13.5): asset is "share", "ship" with `ship`, or "factory" with `region`."""

    asset: str
    ship: int | None = None
    region: int | None = None


Action: TypeAlias = (
    Move
    | Buy
    | Sell
    | BuyShip
    | BuyOrder
    | DrawOrder
    | Build
    | Produce
    | BuyShare
    | SellShare
    | BuyAp
    | EndTurn
    | SellAsset
)

KINDS: dict[str, type[Action]] = {
    "move": Move,
    "buy": Buy,
    "sell": Sell,
    "buy_ship": BuyShip,
    "buy_order": BuyOrder,
    "draw_order": DrawOrder,
    "build": Build,
    "produce": Produce,
    "buy_share": BuyShare,
    "sell_share": SellShare,
    "buy_ap": BuyAp,
    "end_turn": EndTurn,
    "sell_asset": SellAsset,
}
