"""How a random action of each kind is drawn (the law of `ActionSpace.sample`).

A kind is drawn uniformly among the legal ones, then its parameters, each uniformly:

- move: the ship among those that have not moved, then the way among all that it may go, boosted ones included.
- buy: the ship among those that can buy, then how many. buy_ap: how many.
- sell: one of all sales, that is ship, good, and the Order or none that it counts for.
- buy_ship, buy_order, build, produce: the kind, the slot, the region. sell_asset: one of all assets.

Every sampler takes a space in which its kind is legal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.shipping import actions as act
from gavelport_engine.shipping import legal

if TYPE_CHECKING:
    from gavelport_engine.rng import Rng
    from gavelport_engine.shipping.space import Space

DRAW_ORDER = act.DrawOrder()
BUY_SHARE = act.BuyShare()
SELL_SHARE = act.SellShare()
END_TURN = act.EndTurn()

_TRIES = 8


def move(space: Space, rng: Rng) -> act.Move:
    """6."""
    ships = legal.movable(space)
    number = ships[rng.below(len(ships))]
    ship = space.board.ships[number]
    assert ship is not None
    near = legal.near(space, ship)
    for _ in range(_TRIES):  # nearly every way can be gone
        way = near[rng.below(len(near))]
        if legal.passable(space, way):
            return legal.as_move(number, ship, way)
    found = legal.moves(space, number)
    return found[rng.below(len(found))]


def buy(space: Space, rng: Rng) -> act.Buy:
    """8.1."""
    ships = legal.buyers(space)
    number, most = ships[rng.below(len(ships))]
    return act.Buy(number, 1 + rng.below(most))


def sell(space: Space, rng: Rng) -> act.Sell:
    """8.4, 8.5."""
    sales = legal.sales(space)
    return sales[rng.below(len(sales))]


def buy_ship(space: Space, rng: Rng) -> act.BuyShip:
    """10.1."""
    kinds = legal.kinds_of_ship(space)
    return act.BuyShip(kinds[rng.below(len(kinds))])


def buy_order(space: Space, rng: Rng) -> act.BuyOrder:
    """10.2."""
    slots = legal.filled_slots(space)
    return act.BuyOrder(slots[rng.below(len(slots))])


def draw_order(space: Space, rng: Rng) -> act.DrawOrder:
    """Return the only action of its kind."""
    return DRAW_ORDER


def build(space: Space, rng: Rng) -> act.Build:
    """9.1."""
    regions = legal.building_regions(space)
    return act.Build(regions[rng.below(len(regions))])


def produce(space: Space, rng: Rng) -> act.Produce:
    """9.3."""
    regions = legal.producing_regions(space)
    return act.Produce(regions[rng.below(len(regions))])


def buy_share(space: Space, rng: Rng) -> act.BuyShare:
    """Return the only action of its kind."""
    return BUY_SHARE


def sell_share(space: Space, rng: Rng) -> act.SellShare:
    """Return the only action of its kind."""
    return SELL_SHARE


def buy_ap(space: Space, rng: Rng) -> act.BuyAp:
    """4.4."""
    return act.BuyAp(1 + rng.below(legal.most_ap(space)))


def end_turn(space: Space, rng: Rng) -> act.EndTurn:
    """Return the only action of its kind."""
    return END_TURN


def sell_asset(space: Space, rng: Rng) -> act.SellAsset:
    """13.5."""
    assets = list(legal.assets(space))
    return assets[rng.below(len(assets))]
