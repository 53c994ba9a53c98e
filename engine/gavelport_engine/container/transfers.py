"""What a decision gives to another seat: money, or goods worth money, beyond what the market or its own value asks.

Money moves between seats by purchases (`container.md 5.3` to 5.5) and by auctions (6.3); the union wage (5.2) is fixed,
loans are the bank's. A gift is counted only where it is plain:

- containers bought dear: what they cost more than as many would at another seat, in a store of the same kind, where
  they are cheapest, is a gift to the seller; a dollar for each is left aside, as colours may matter.
- containers bought cheap: what each costs less than the usual price is a gift to the buyer. That is $2 in a factory
  store, as in the setup (1.2), and $4 in a harbour store, the middle of the printed prices. Whatever others ask at
  the moment is left aside: a seller does not choose who comes, but who asks less before one certain buyer comes shows.
- a lot accepted: what the bid is above the lot's worth to the bidder, a gift to the seller. Worth is half what the
  lot adds to the island area as it is, half the most that it can come to add.
- a lot accepted for less than a third of what it adds to the seller's own island area, when the seller could have
  paid for it: what the seller would have been better off by rejecting, a gift to the bidder.
"""

from __future__ import annotations

from operator import mul
from typing import TYPE_CHECKING

from gavelport_engine.container.actions import Accept, Buy, Load, Sail
from gavelport_engine.container.auction import final_bid
from gavelport_engine.container.goods import COLOURS, EMPTY_STORE, cost, listed, pieces, piled, plus
from gavelport_engine.container.scoring import card_values, discarded
from gavelport_engine.game import Transfer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gavelport_engine.container.actions import Action
    from gavelport_engine.container.goods import Bag, Store
    from gavelport_engine.container.table import State

_USUAL_FACTORY_PRICE, _USUAL_HARBOUR_PRICE = 2, 4
_LEEWAY = 1
"""So much more for a container is a bad buy, not a gift; dollars."""
_ALL_FIVE = (1,) * COLOURS


def transfers(state: State, seat: int, action: Action) -> Iterator[Transfer]:
    """Yield the purchases and sales in a legal action, with what is given by them in dollars; see the module's opening.

    Goods are containers. Kinds are `factory_dear`, `factory_cheap`, `harbour_dear`, `harbour_cheap`, `bid`, `accept`.
    """
    boards = state.table.boards
    match action:
        case Buy(seller=seller, take=take):
            stores = [board.factory_store for board in boards]
            yield from _bought("factory", seat, seller, take, stores, _USUAL_FACTORY_PRICE)
        case Sail(to=seller, take=take) if any(take):
            stores = [board.harbour_store for board in boards]
            yield from _bought("harbour", seat, seller, take, stores, _USUAL_HARBOUR_PRICE)
        case Load(take=take):
            stores = [board.harbour_store for board in boards]
            yield from _bought("harbour", seat, boards[seat].ship_at, take, stores, _USUAL_HARBOUR_PRICE)
        case Accept(winner=winner):
            yield from _accepted(state, seat, winner)
        case _:
            pass


def _bought(kind: str, buyer: int, seller: int, take: Store, stores: list[Store], usual: int) -> Iterator[Transfer]:
    count, price = sum(take), cost(take)
    elsewhere = [
        cost(piled(pieces(store)[:count], EMPTY_STORE))
        for seat, store in enumerate(stores)
        if seat not in {buyer, seller} and sum(store) >= count
    ]
    dear = max(0, price - _LEEWAY * count - min(elsewhere)) if elsewhere else 0
    cheap = sum(number * max(0, usual - asked) for asked, _, number in listed(take))
    yield Transfer(f"{kind}_dear", buyer, seller, dear, count)
    yield Transfer(f"{kind}_cheap", seller, buyer, cheap, count)


def _accepted(state: State, seller: int, winner: int) -> Iterator[Transfer]:
    auction = state.table.auction
    assert auction is not None
    lot, bid = state.table.boards[seller].cargo, final_bid(auction, winner)
    most = sum(map(mul, lot, card_values(state.cards[winner], _ALL_FIVE)))
    worth = (_gain(state, winner, lot) + most) // 2
    yield Transfer("bid", winner, seller, max(0, bid - worth), sum(lot))
    better = _gain(state, seller, lot) - bid - 2 * bid if state.cash[seller] >= bid else 0
    yield Transfer("accept", seller, winner, max(0, better), sum(lot))


def _gain(state: State, seat: int, lot: Bag) -> int:
    """Return what a lot adds to the value of a seat's island area (8.3)."""
    island, card = state.table.boards[seat].island, state.cards[seat]
    return _value(plus(island, lot), card) - _value(island, card)


def _value(island: Bag, card: int) -> int:
    gone = discarded(card, island)
    values = card_values(card, island)
    return sum(count * values[colour] for colour, count in enumerate(island) if colour != gone)
