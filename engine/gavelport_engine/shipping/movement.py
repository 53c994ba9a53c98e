"""Where a ship can go and what that costs (`shipping.md 5`, 6)."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from gavelport_engine.shipping.data import COSTS, EDGES, LIMITS, PORTS
from gavelport_engine.shipping.data_checks import CANALS
from gavelport_engine.shipping.news import closed_canal, toll

if TYPE_CHECKING:
    from gavelport_engine.shipping.table import Ship, Table

BOOST_SPACES = LIMITS["boost_spaces"]
_LIGHT, _TWO_ABOARD = LIMITS["speed_light"], LIMITS["speed_large_two"]
_KINDS: tuple[dict[int, str], ...] = tuple({edge.to: edge.kind for edge in edges} for edges in EDGES)
"""By space: the kind of edge that leads to each adjacent space."""


class Way(NamedTuple):
    """A path from some space, and the canals that it crosses, in order."""

    path: tuple[int, ...]
    canals: tuple[str, ...]


def limit(ship: Ship) -> int:
    """Return how many spaces a ship moves without boost, with its load of this moment (6.3)."""
    return _LIGHT if len(ship.cargo) < 2 else _TWO_ABOARD


@cache
def ways(at: int, longest: int) -> tuple[Way, ...]:
    """Return every path of 1 to `longest` spaces out of a space (6.4, 6.5), shorter ones before those they begin."""
    found: list[Way] = []
    _extend(Way((), ()), at, {at}, longest, found)
    return tuple(found)


def _extend(way: Way, at: int, visited: set[int], left: int, found: list[Way]) -> None:
    for to, kind in EDGES[at]:
        if to in visited:
            continue
        longer = Way((*way.path, to), (*way.canals, kind) if kind in CANALS else way.canals)
        found.append(longer)
        if to >= PORTS and left > 1:
            _extend(longer, to, visited | {to}, left - 1, found)


def is_path(at: int, path: tuple[int, ...]) -> bool:
    """Return whether a path runs along edges and visits no space twice, its start included (6.4)."""
    visited = {at}
    for to in path:
        if to in visited or to not in _KINDS[at]:
            return False
        visited.add(to)
        at = to
    return bool(path)


def canals_on(at: int, path: tuple[int, ...]) -> tuple[str, ...]:
    """Return the canals that a path crosses, in order (5.2)."""
    spaces = (at, *path)
    kinds = [_KINDS[here][there] for here, there in pairwise(spaces)]
    return tuple(kind for kind in kinds if kind in CANALS)


def is_open(table: Table, canals: tuple[str, ...]) -> bool:
    """Return whether none of the canals is closed by News (12.5)."""
    return not canals or closed_canal(table) not in canals


def fee_to(table: Table, seat: int, to: int) -> int | None:
    """Return whom the seat pays a dock fee for entering a space, or None (6.8)."""
    if to < PORTS:
        for owner, board in enumerate(table.boards):
            if board.home == to and owner != seat and board.bankrupt is None:
                return owner
    return None


def cost(table: Table, seat: int, way: Way) -> int:
    """Return the tolls and the dock fee of a way, $M (6.7 to 6.9)."""
    tolls = toll(table) * len(way.canals) if way.canals else 0
    return tolls if fee_to(table, seat, way.path[-1]) is None else tolls + COSTS["dock_fee"]
