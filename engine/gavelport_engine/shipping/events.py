"""The events of Shipping as values (`shipping-notation.md`, "Who sees what").

`KINDS` names each by the notation's `event`. All are public and whole, but for the card of OrderDrawn, which
only its seat sees. A payer or payee is a seat, or BANK.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

PURPOSES = (
    "toll",
    "dock_fee",
    "containers",
    "sale",
    "reward",
    "ship",
    "order",
    "factory",
    "production",
    "track",
    "share",
    "ap",
    "shortage",
    "grant",
    "news",
    "maintenance",
    "penalty",
    "asset",
    "bankruptcy",
)
"""What a payment is for."""

ENDS = ("years", "last_player")


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A seat's turn begins with so many AP (4.1)."""

    turn: int
    seat: int
    ap: int


@dataclass(frozen=True, slots=True)
class Payment:
    """Money changes hands; `purpose` is the notation's `for`, one of PURPOSES."""

    payer: int
    payee: int
    amount: int
    purpose: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A ship moves along the spaces entered (6)."""

    seat: int
    ship: int
    path: tuple[int, ...]
    boost: bool


@dataclass(frozen=True, slots=True)
class Bought:
    """Containers go aboard out of a row, from its right end (8.1)."""

    seat: int
    ship: int
    good: int
    count: int


@dataclass(frozen=True, slots=True)
class Sold:
    """A container is sold for a price (8.4); `order` is the Order it counts for, or None."""

    seat: int
    ship: int
    good: int
    price: int
    order: int | None


@dataclass(frozen=True, slots=True)
class OrderTaken:
    """A seat takes the face-up Order of a slot (10.2)."""

    seat: int
    slot: int
    card: int


@dataclass(frozen=True, slots=True)
class OrderOpened:
    """A slot is filled; with None it stays empty (10.8)."""

    slot: int
    card: int | None


@dataclass(frozen=True, slots=True)
class OrderDrawn:
    """A seat gets a hidden Order (10.3); None where the viewer may not know the card."""

    seat: int
    card: int | None


@dataclass(frozen=True, slots=True)
class OrderCounted:
    """A container is counted for an Order, which is public from now on (10.5); `done` is its new number."""

    seat: int
    card: int
    done: int


@dataclass(frozen=True, slots=True)
class OrderCompleted:
    """An Order's last container was counted (10.6); its reward is a Payment."""

    seat: int
    card: int


@dataclass(frozen=True, slots=True)
class Reshuffled:
    """The discard becomes the deck (10.8): so many cards."""

    cards: int


@dataclass(frozen=True, slots=True)
class ShipBought:
    """A ship is placed at the home city (10.1)."""

    seat: int
    ship: int


@dataclass(frozen=True, slots=True)
class Built:
    """A factory is built (9.1)."""

    seat: int
    region: int


@dataclass(frozen=True, slots=True)
class Produced:
    """A factory produces (9.4); Pushed and TrackMoved go with it."""

    seat: int
    region: int


@dataclass(frozen=True, slots=True)
class Pushed:
    """A container comes into a row at position 1 (7.4); owner is a seat or BANK."""

    good: int
    owner: int


@dataclass(frozen=True, slots=True)
class Removed:
    """The rightmost container of a row is taken away by a shortage (12.4)."""

    good: int
    owner: int


@dataclass(frozen=True, slots=True)
class TrackMoved:
    """The Production Track marker stands on a space, and its bonus (9.6) is given."""

    seat: int
    space: int
    bonus: str


@dataclass(frozen=True, slots=True)
class ApBought:
    """Additional AP are bought (4.4)."""

    seat: int
    count: int


@dataclass(frozen=True, slots=True)
class StockMoved:
    """A seat's stock value changes (11)."""

    seat: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class NewsDrawn:
    """A News card is drawn (12.1)."""

    card: int


@dataclass(frozen=True, slots=True)
class Owed:
    """A mandatory cost is above the seat's cash, and the seat is asked what to sell (13.5)."""

    seat: int
    due: int
    purpose: str


@dataclass(frozen=True, slots=True)
class AssetSold:
    """An asset is sold to the Bank for a mandatory cost (13.5); ship and region as in actions.SellAsset."""

    seat: int
    asset: str
    ship: int | None
    region: int | None


@dataclass(frozen=True, slots=True)
class Waived:
    """So much of a mandatory cost is waived, nothing being left to sell (13.5)."""

    seat: int
    amount: int


@dataclass(frozen=True, slots=True)
class CargoLost:
    """Containers are lost with a ship that is sold (13.5) or removed (11.5): their goods, ascending."""

    seat: int
    ship: int
    cargo: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bankrupt:
    """A seat is bankrupt (11.5); its Orders, all of them public now, go to the discard."""

    seat: int
    orders: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AccountsBegan:
    """The annual accounts begin (13)."""

    year: int


@dataclass(frozen=True, slots=True)
class YearBegan:
    """A new year begins, and with it the first quarter (3.5)."""

    year: int


@dataclass(frozen=True, slots=True)
class Over:
    """The game is over: `years` (3.6) or `last_player` (11.6)."""

    end: str


Event: TypeAlias = (
    TurnBegan
    | Payment
    | Moved
    | Bought
    | Sold
    | OrderTaken
    | OrderOpened
    | OrderDrawn
    | OrderCounted
    | OrderCompleted
    | Reshuffled
    | ShipBought
    | Built
    | Produced
    | Pushed
    | Removed
    | TrackMoved
    | ApBought
    | StockMoved
    | NewsDrawn
    | Owed
    | AssetSold
    | Waived
    | CargoLost
    | Bankrupt
    | AccountsBegan
    | YearBegan
    | Over
)

KINDS: dict[str, type[Event]] = {
    "turn": TurnBegan,
    "payment": Payment,
    "moved": Moved,
    "bought": Bought,
    "sold": Sold,
    "order_taken": OrderTaken,
    "order_open": OrderOpened,
    "order_drawn": OrderDrawn,
    "order_counted": OrderCounted,
    "order_completed": OrderCompleted,
    "reshuffled": Reshuffled,
    "ship_bought": ShipBought,
    "built": Built,
    "produced": Produced,
    "pushed": Pushed,
    "removed": Removed,
    "track": TrackMoved,
    "ap_bought": ApBought,
    "stock": StockMoved,
    "news": NewsDrawn,
    "owed": Owed,
    "asset_sold": AssetSold,
    "waived": Waived,
    "cargo_lost": CargoLost,
    "bankrupt": Bankrupt,
    "accounts": AccountsBegan,
    "year": YearBegan,
    "over": Over,
}
