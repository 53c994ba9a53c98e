"""What a decision gives to another seat: money, or goods worth money, beyond what the market or its own value asks.

Money moves between seats by purchases (`container.md 5.3` to 5.5) and by auctions (6.3); the union wage (5.2) is fixed,
loans are the bank's. A gift is counted only where it is plain:

- containers bought: what each costs more, or less, than others ask for theirs, a dollar's difference left aside. Dear
  goods are a gift to the seller, cheap ones to the buyer. What others ask is the median of the prices in the stores of
  the same kind of all seats but these two; where they have none, the middle of the printed prices.
- a lot accepted: what the bid is above the lot's worth to the bidder, a gift to the seller. Worth is half what the
  lot adds to the island area as it is, half the most that it can come to add.
- a lot accepted for less than a third of what it adds to the seller's own island area, when the seller could have
  paid for it: what the seller would have been better off by rejecting, a gift to the bidder.
"""

from __future__ import annotations

from operator import mul
from statistics import median_low
from typing import TYPE_CHECKING

from gavelport_engine.container.actions import Accept, Buy, Load, Sail
from gavelport_engine.container.auction import final_bid
from gavelport_engine.container.goods import COLOURS, FACTORY_PRICES, HARBOUR_PRICES, listed, pieces, plus
from gavelport_engine.container.scoring import card_values, discarded
from gavelport_engine.game import Transfer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gavelport_engine.container.actions import Action
    from gavelport_engine.container.goods import Bag, Store
    from gavelport_engine.container.table import State

_LEEWAY = 1
"""A price so far from what others ask is a bargain or a bad buy, not a gift; dollars."""
_ALL_FIVE = (1,) * COLOURS


def transfers(state: State, seat: int, action: Action) -> Iterator[Transfer]:
    """Yield what a legal action gives to other seats or takes from them, in dollars; see the module's opening."""
    match action:
        case Buy(seller=seller, take=take):
            stores = [board.factory_store for board in state.table.boards]
            yield from _bought(seat, seller, take, stores, median_low(FACTORY_PRICES))
        case Sail(to=seller, take=take) if any(take):
            stores = [board.harbour_store for board in state.table.boards]
            yield from _bought(seat, seller, take, stores, median_low(HARBOUR_PRICES))
        case Load(take=take):
            stores = [board.harbour_store for board in state.table.boards]
            seller = state.table.boards[seat].ship_at
            yield from _bought(seat, seller, take, stores, median_low(HARBOUR_PRICES))
        case Accept(winner=winner):
            yield from _accepted(state, seat, winner)
        case _:
            pass


def _bought(buyer: int, seller: int, take: Store, stores: list[Store], usual: int) -> Iterator[Transfer]:
    asked = [
        place // COLOURS + 1
        for seat, store in enumerate(stores)
        if seat not in {buyer, seller}
        for place in pieces(store)
    ]
    market = median_low(asked) if asked else usual
    dear = sum(count * max(0, price - market - _LEEWAY) for price, _, count in listed(take))
    cheap = sum(count * max(0, market - price - _LEEWAY) for price, _, count in listed(take))
    if dear:
        yield Transfer(buyer, seller, dear)
    if cheap:
        yield Transfer(seller, buyer, cheap)


def _accepted(state: State, seller: int, winner: int) -> Iterator[Transfer]:
    auction = state.table.auction
    assert auction is not None
    lot, bid = state.table.boards[seller].cargo, final_bid(auction, winner)
    most = sum(map(mul, lot, card_values(state.cards[winner], _ALL_FIVE)))
    worth = (_gain(state, winner, lot) + most) // 2
    if bid > worth:
        yield Transfer(winner, seller, bid - worth)
    better = _gain(state, seller, lot) - bid - 2 * bid
    if better > 0 and state.cash[seller] >= bid:
        yield Transfer(seller, winner, better)


def _gain(state: State, seat: int, lot: Bag) -> int:
    """Return what a lot adds to the value of a seat's island area (8.3)."""
    island, card = state.table.boards[seat].island, state.cards[seat]
    return _value(plus(island, lot), card) - _value(island, card)


def _value(island: Bag, card: int) -> int:
    gone = discarded(card, island)
    values = card_values(card, island)
    return sum(count * values[colour] for colour, count in enumerate(island) if colour != gone)
