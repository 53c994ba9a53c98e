"""A player that makes money, so that games last to their end and everything comes up.

Random play is bankrupt before the third year and never completes an Order or buys a share. This one sells whatever it
can, carries goods to the nearest city that takes them, and otherwise plays at random what does not ruin it.
"""

from collections import deque
from functools import cache

from gavelport_engine.rng import Stream
from gavelport_engine.shipping import actions as act
from gavelport_engine.shipping import legal
from gavelport_engine.shipping.actions import Action
from gavelport_engine.shipping.data import CITIES, EDGES, NO_REGION, PORTS
from gavelport_engine.shipping.space import Space
from gavelport_engine.shipping.table import Ship, Table

RESERVE = 300
_RUINOUS = (act.SellShare, act.BuyAp)


@cache
def distances(goal: int) -> dict[int, int]:
    """Spaces to a goal, from everywhere, through sea spaces."""
    found, queue = {goal: 0}, deque([goal])
    while queue:
        at = queue.popleft()
        for to, _ in EDGES[at]:
            if to not in found:
                found[to] = found[at] + 1
                if to >= PORTS:
                    queue.append(to)
    return found


def _goals(table: Table, ship: Ship) -> list[int]:
    if ship.cargo:
        return [city for city in range(PORTS) if CITIES[city].sells.intersection(ship.cargo)]
    return [city for city in range(PORTS) if CITIES[city].region != NO_REGION]


def _best_move(space: Space, number: int, rng: Stream) -> Action | None:
    ship = space.board.ships[number]
    assert ship is not None
    goals = _goals(space.table, ship)
    goal = goals[rng.below(len(goals))] if not rng.below(4) else min(goals, key=lambda one: distances(one)[ship.at])
    moves = [one for one in legal.moves(space, number) if not one.boost]
    nearest = min(distances(goal)[one.path[-1]] for one in moves)
    if ship.at == goal or nearest >= distances(goal)[ship.at]:
        return None
    return next(one for one in moves if distances(goal)[one.path[-1]] == nearest)


def trade(space: Space, rng: Stream, thrift: int = RESERVE) -> Action:
    """An answer in phase `turn` or `raise`; below the reserve `thrift` nothing is spent."""
    if space.table.phase == "raise":
        return space.sample(rng)
    sales = legal.sales(space)
    if sales:
        return sales[-1]
    if legal.may_buy_share(space) and space.board.cash > 1000 + thrift:
        return act.BuyShare()
    for number, ship in legal.docked(space):
        if not ship.cargo and legal.most_bought(space, number, ship) and rng.below(8):
            return act.Buy(number, legal.most_bought(space, number, ship))
    for number in legal.movable(space):
        move = _best_move(space, number, rng)
        if move is not None:
            return move
    for _ in range(6):
        action = space.sample(rng)
        costly = not isinstance(action, act.Move | act.EndTurn) and space.board.cash < thrift
        if not costly and (not isinstance(action, _RUINOUS) or not rng.below(30)):
            return action
    return act.EndTurn()
