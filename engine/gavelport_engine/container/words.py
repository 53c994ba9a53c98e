"""Events as lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gavelport_engine.container import events as ev
from gavelport_engine.container.actions import ISLAND, SEA
from gavelport_engine.container.goods import COLOUR_NAMES, Bag, Store, listed

if TYPE_CHECKING:
    from collections.abc import Callable

    from gavelport_engine.container.events import Event

_ENDS = {
    "two_colours": "two colours of the supply are gone",
    "max_rounds": "the last round has ended",
    "stalled": "nothing has moved for too long",
}


def goods_in_words(goods: Bag) -> str:
    """Return a bag: `2 tan, 1 white`."""
    found = [f"{count} {name}" for name, count in zip(COLOUR_NAMES, goods, strict=True) if count]
    return ", ".join(found) or "nothing"


def store_in_words(goods: Store) -> str:
    """Return a store with its prices: `1 tan $2, 2 white $4`."""
    found = [f"{count} {COLOUR_NAMES[colour]} ${price}" for price, colour, count in listed(goods)]
    return ", ".join(found) or "nothing"


def _party(seat: int) -> str:
    return "the bank" if seat == ev.BANK else f"seat {seat}"


def _bids(what: str, amounts: tuple[int | None, ...]) -> str:
    found = [f"seat {seat} ${amount}" for seat, amount in enumerate(amounts) if amount is not None]
    return f"{what}: {', '.join(found)}"


def _seized(e: ev.Seized) -> str:
    taken = []
    if e.island is not None:
        taken.append(f"{goods_in_words(e.island)} from the island")
    for name, goods in (("harbour", e.harbour_store), ("factory", e.factory_store)):
        if goods is not None and any(goods):
            taken.append(f"{store_in_words(goods)} from the {name} store")
    return f"seat {e.seat} is seized {' and '.join(taken)}, named by seat {e.by}"


def _auctioned(e: ev.Auctioned) -> str:
    lot = goods_in_words(e.lot)
    if e.accepted:
        return f"seat {e.seat} sells the lot ({lot}) to seat {e.to} for ${e.amount}"
    return f"seat {e.seat} rejects all bids and keeps the lot ({lot}) for ${e.amount}"


def _sailed(e: ev.Sailed) -> str:
    to = {SEA: "out to sea", ISLAND: "to the island"}.get(e.to, f"into the harbour of seat {e.to}")
    return f"seat {e.seat} sails {to}"


_WORDS: dict[type, Callable[[Any], str]] = {
    ev.TurnBegan: lambda e: f"turn {e.turn}: seat {e.seat}",
    ev.Payment: lambda e: f"{_party(e.payer)} pays {_party(e.payee)} ${e.amount} ({e.purpose})",
    ev.LoanTaken: lambda e: f"seat {e.seat} takes a loan",
    ev.LoanRepaid: lambda e: f"seat {e.seat} repays a loan",
    ev.LoanCancelled: lambda e: f"a loan of seat {e.seat} is cancelled",
    ev.Seized: _seized,
    ev.FactorySeized: lambda e: f"seat {e.seat} loses its {COLOUR_NAMES[e.colour]} factory, named by seat {e.by}",
    ev.WarehouseSeized: lambda e: f"seat {e.seat} loses a warehouse",
    ev.Forgiven: lambda e: f"seat {e.seat} is forgiven the interest for a loan",
    ev.SoldDomestic: lambda e: f"seat {e.seat} returns {COLOUR_NAMES[e.colour]} ${e.price} from its {e.store} store",
    ev.FactoryBuilt: lambda e: f"seat {e.seat} builds a {COLOUR_NAMES[e.colour]} factory in slot {e.slot}",
    ev.WarehouseBuilt: lambda e: f"seat {e.seat} builds a warehouse in slot {e.slot}",
    ev.Produced: lambda e: (
        f"seat {e.seat} produces {goods_in_words(e.make)}; its factory store: {store_in_words(e.factory_store)}"
    ),
    ev.Bought: lambda e: (
        f"seat {e.seat} buys {store_in_words(e.take)} from seat {e.seller}; "
        f"its harbour store: {store_in_words(e.harbour_store)}"
    ),
    ev.Repriced: lambda e: f"seat {e.seat} re-prices; its harbour store: {store_in_words(e.harbour_store)}",
    ev.Sailed: _sailed,
    ev.Loaded: lambda e: f"seat {e.seat} loads {store_in_words(e.take)} from seat {e.seller}",
    ev.Passed: lambda e: f"seat {e.seat} passes",
    ev.AuctionBegan: lambda e: f"seat {e.seat} offers a lot: {goods_in_words(e.lot)}",
    ev.BidsRevealed: lambda e: _bids("bids", e.bids),
    ev.ExtraBidsRevealed: lambda e: _bids("additional bids", e.extra),
    ev.Auctioned: _auctioned,
    ev.Over: lambda e: f"the game is over: {_ENDS[e.end]}",
}


def event_in_words(event: Event) -> str:
    """Return an event as a line."""
    return _WORDS[type(event)](event)
