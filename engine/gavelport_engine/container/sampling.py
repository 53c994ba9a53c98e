"""How a random action of each kind is drawn (the law of `ActionSpace.sample`).

A kind is drawn uniformly among the legal ones, then its parameters, each uniformly:

- buy: the seller among those who have something affordable; how many, from 1 to what fits and is
  there; which, one container after the other among those left, one that the cash left does not
  cover being put aside (so there may be fewer); then a price for every container in the harbour
  store.
- sail: the destination; in a harbour how many, from 0, and which, as with buy. load: from 1.
- produce: where something can be made, whether it is; where space is short, which; then a price for
  every container in the factory store. reprice: a price for every container.
- bid: how many loans, then the amount up to the cash and those loans.
- accept, reject: the winner; how many loans are repaid.
- seize: which containers, one after the other. domestic_sale: which container.
- buy_factory, seize_factory, surrender: the colour, or the kind of asset.

Every sampler takes a space in which its kind is legal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.container import actions as act
from gavelport_engine.container import legal
from gavelport_engine.container.forms import ASSETS
from gavelport_engine.container.goods import (
    COLOURS,
    EMPTY_BAG,
    EMPTY_STORE,
    FACTORY_PRICES,
    HARBOUR_PRICES,
    PLACE_PRICES,
    Bag,
    Store,
    pieces,
    piled,
)
from gavelport_engine.container.money import LOAN, MOST_LOANS
from gavelport_engine.container.seizure import due, seizable_factories

if TYPE_CHECKING:
    from gavelport_engine.container.space import Space
    from gavelport_engine.rng import Rng

_TAKE_LOAN = act.TakeLoan()
_REPAY_LOAN = act.RepayLoan()
_DEFAULT = act.Default()
_PASS = act.Pass()
_BUY_WAREHOUSE = act.BuyWarehouse()


def take_loan(space: Space, rng: Rng) -> act.TakeLoan:
    """Return the only action of its kind."""
    return _TAKE_LOAN


def default(space: Space, rng: Rng) -> act.Default:
    """Return the only action of its kind."""
    return _DEFAULT


def repay_loan(space: Space, rng: Rng) -> act.RepayLoan:
    """Return the only action of its kind."""
    return _REPAY_LOAN


def pass_(space: Space, rng: Rng) -> act.Pass:
    """Return the only action of its kind."""
    return _PASS


def buy_warehouse(space: Space, rng: Rng) -> act.BuyWarehouse:
    """Return the only action of its kind."""
    return _BUY_WAREHOUSE


def _some(found: list[int], count: int, rng: Rng) -> list[int]:
    """Return so many of some containers, each choice uniform; the list given is used up."""
    return [found.pop(rng.below(len(found))) for _ in range(count)]


def _affordable(found: list[int], count: int, cash: int, rng: Rng) -> list[int]:
    """Return up to so many containers, by their places in a store, that the cash pays for."""
    taken: list[int] = []
    while found and len(taken) < count:
        place = found.pop(rng.below(len(found)))
        price = PLACE_PRICES[place]
        if price <= cash:
            cash -= price
            taken.append(place)
    return taken


def _priced(places: list[int], prices: tuple[int, ...], rng: Rng) -> Store:
    """Return a store in which each container (by place or colour) stands at a random price."""
    if not places:
        return EMPTY_STORE
    counts = [0] * len(EMPTY_STORE)
    span = len(prices)
    first = (prices[0] - 1) * COLOURS
    draw = rng.below(span ** len(places))  # one draw for all prices: its digits
    for place in places:
        draw, digit = divmod(draw, span)
        counts[first + digit * COLOURS + place % COLOURS] += 1
    return tuple(counts)


def buy(space: Space, rng: Rng) -> act.Buy:
    """5.3."""
    from_whom = legal.sellers(space)
    seller = from_whom[rng.below(len(from_whom))]
    offered = pieces(space.table.boards[seller].factory_store)
    most = min(legal.harbour_room(space.board), len(offered))
    taken = _affordable(offered, 1 + rng.below(most), space.cash, rng)
    held = pieces(space.board.harbour_store) + taken
    return act.Buy(seller, piled(taken, EMPTY_STORE), _priced(held, HARBOUR_PRICES, rng))


def reprice(space: Space, rng: Rng) -> act.Reprice:
    """5.3."""
    return act.Reprice(_priced(pieces(space.board.harbour_store), HARBOUR_PRICES, rng))


def sail(space: Space, rng: Rng) -> act.Sail:
    """5.4."""
    places = legal.destinations(space)
    to = places[rng.below(len(places))]
    if to < 0:
        return act.Sail(to)
    return act.Sail(to, _aboard(space, to, 0, rng))


def load(space: Space, rng: Rng) -> act.Load:
    """5.5."""
    return act.Load(_aboard(space, space.board.ship_at, 1, rng))


def _aboard(space: Space, seller: int, least: int, rng: Rng) -> Store:
    offered = pieces(space.table.boards[seller].harbour_store)
    most = min(legal.ship_room(space.board), len(offered))
    if not most:
        return EMPTY_STORE
    count = least + rng.below(most - least + 1)
    return piled(_affordable(offered, count, space.cash, rng), EMPTY_STORE)


def produce(space: Space, rng: Rng) -> act.Produce:
    """5.2."""
    made: list[int] = []
    room = legal.factory_room(space.board)
    if room:
        made = pieces(legal.producible(space))
        if made and not rng.below(2):
            made = []
        elif len(made) > room:
            made = _some(made, room, rng)
    held = pieces(space.board.factory_store) + made
    make = piled(made, EMPTY_BAG) if made else EMPTY_BAG
    return act.Produce(make, _priced(held, FACTORY_PRICES, rng))


def buy_factory(space: Space, rng: Rng) -> act.BuyFactory:
    """5.1."""
    free = [colour for colour in range(COLOURS) if colour not in space.board.factories]
    return act.BuyFactory(free[rng.below(len(free))])


def domestic_sale(space: Space, rng: Rng) -> act.DomesticSale:
    """4.1."""
    store, goods = "factory", space.board.factory_store
    if not any(goods):
        store, goods = "harbour", space.board.harbour_store
    found = pieces(goods)
    place = found[rng.below(len(found))]
    return act.DomesticSale(store, PLACE_PRICES[place], place % COLOURS)


def bid(space: Space, rng: Rng) -> act.Bid:
    """6.1, 6.2."""
    loans = rng.below(MOST_LOANS - space.board.loans + 1)
    left = space.cash + LOAN * loans - legal.first_bid(space)
    return act.Bid(rng.below(left + 1), loans)


def accept(space: Space, rng: Rng) -> act.Accept:
    """6.3, 6.5."""
    auction = space.table.auction
    assert auction is not None
    winner = auction.winners[rng.below(len(auction.winners))]
    cash = space.cash + 2 * legal.sale_price(space)
    return act.Accept(winner, rng.below(legal.most_repayments(space, cash) + 1))


def reject(space: Space, rng: Rng) -> act.Reject:
    """6.3, 6.5."""
    cash = space.cash - legal.sale_price(space)
    return act.Reject(rng.below(legal.most_repayments(space, cash) + 1))


def seize(space: Space, rng: Rng) -> act.Seize:
    """3.3a, b."""
    taken = due(space.debtor)

    def some(goods: Bag | Store, count: int) -> tuple[int, ...]:
        return piled(_some(pieces(goods), count, rng), goods)

    return act.Seize(
        some(space.debtor.island, taken.island),
        some(space.debtor.harbour_store, taken.harbour),
        some(space.debtor.factory_store, taken.factory),
    )


def surrender(space: Space, rng: Rng) -> act.Surrender:
    """3.3c."""
    return act.Surrender(ASSETS[rng.below(len(ASSETS))])


def seize_factory(space: Space, rng: Rng) -> act.SeizeFactory:
    """3.3c."""
    colours = seizable_factories(space.debtor)
    return act.SeizeFactory(colours[rng.below(len(colours))])
