"""Seizure for unpaid interest (`container.md 3.3` to 3.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gavelport_engine.container.events import (
    FactorySeized,
    Forgiven,
    LoanCancelled,
    Seized,
    WarehouseSeized,
)
from gavelport_engine.container.goods import colours_of, minus, plus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gavelport_engine.container.goods import Bag, Store
    from gavelport_engine.container.money import MaybeTrace
    from gavelport_engine.container.table import Board, State

SAFE_FACTORY_SLOTS = 2
SAFE_WAREHOUSES = 2
"""The first two factory slots and the first two warehouses are never taken (3.3c)."""


class Due(NamedTuple):
    """How many containers one unpaid loan costs, by where they lie (3.3a, b); all 0: none."""

    island: int
    harbour: int
    factory: int


def due(board: Board) -> Due:
    """Return what is seized for one unpaid loan (3.3a, b)."""
    if any(board.island):
        return Due(1, 0, 0)
    harbour = min(2, sum(board.harbour_store))
    return Due(0, harbour, min(2 - harbour, sum(board.factory_store)))


def seizable_factories(board: Board) -> tuple[int, ...]:
    """Return the colours of the factories in the $9 and $12 slots, lower slot first (3.3c)."""
    return tuple([c for c in board.factories[SAFE_FACTORY_SLOTS:] if c is not None])


def has_containers(board: Board) -> bool:
    """Return whether the seat holds any container at all, the ship included (3.3c)."""
    return any(board.island) or any(board.harbour_store) or any(board.factory_store) or any(board.cargo)


def only_an_asset(board: Board) -> bool:
    """Return whether a default would cost an asset (3.2, 3.3c)."""
    return not has_containers(board) and (bool(seizable_factories(board)) or board.warehouses > SAFE_WAREHOUSES)


def choices(goods: tuple[int, ...], count: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to take so many containers out of a bag or store, lowest indices first."""
    taken = [0] * len(goods)

    def fill(index: int, left: int) -> Iterator[tuple[int, ...]]:
        if not left:
            yield tuple(taken)
            return
        for place in range(index, len(goods)):
            if goods[place] > taken[place]:
                taken[place] += 1
                yield from fill(place, left - 1)
                taken[place] -= 1

    return fill(0, count)


def _forced(goods: tuple[int, ...], count: int) -> bool:
    """Return whether there is but one way to take so many (3.6)."""
    return not count or sum(goods) == count or sum(map(bool, goods)) == 1


def settle(state: State, trace: MaybeTrace) -> None:
    """Deal with unpaid loans, one after the other, up to the next question (3.3, 3.6).

    The phase is then `seize`, `asset` or `seize_factory`; without a further question it is `action`.
    """
    table = state.table
    board = table.boards[table.seat]
    while table.unpaid:
        if has_containers(board):
            taken = due(board)
            if not any(taken):  # cargo is never seized, and no asset is taken while there is any (3.4)
                _forgive(state, trace)
            elif (
                _forced(board.island, taken.island)
                and _forced(board.harbour_store, taken.harbour)
                and _forced(board.factory_store, taken.factory)
            ):
                island = next(choices(board.island, taken.island))
                harbour = next(choices(board.harbour_store, taken.harbour))
                factory = next(choices(board.factory_store, taken.factory))
                seize(state, island, harbour, factory, trace)
            else:
                table.phase = "seize"
                return
            continue
        factories = seizable_factories(board)
        if board.warehouses > SAFE_WAREHOUSES:
            if factories:
                table.phase = "asset"
                return
            seize_warehouse(state, trace)
        elif len(factories) > 1:
            table.phase = "seize_factory"
            return
        elif factories:
            seize_factory(state, factories[0], trace)
        else:
            _forgive(state, trace)
    table.phase = "action"


def seize(state: State, island: Bag, harbour: Store, factory: Store, trace: MaybeTrace) -> None:
    """Take containers for one unpaid loan; they leave the game or go to the supply (3.3, 3.5)."""
    table = state.table
    board = table.boards[table.seat]
    gone = plus(island, plus(colours_of(harbour), colours_of(factory)))
    board.island = minus(board.island, island)
    board.harbour_store = minus(board.harbour_store, harbour)
    board.factory_store = minus(board.factory_store, factory)
    if table.options.seized_to == "supply":
        table.supply = plus(table.supply, gone)
    else:
        table.removed = plus(table.removed, gone)
    table.unpaid -= 1
    if trace is not None:
        by = (table.seat - 1) % table.options.seats
        if any(island):
            trace.events.append(Seized(table.seat, by, island, None, None))
        else:
            trace.events.append(Seized(table.seat, by, None, harbour, factory))


def _forgive(state: State, trace: MaybeTrace) -> None:
    """Let one unpaid loan's interest go for this turn (3.3d, 3.4)."""
    state.table.unpaid -= 1
    if trace is not None:
        trace.events.append(Forgiven(state.table.seat))


def _cancel_loan(state: State, trace: MaybeTrace) -> None:
    """Cancel the loan that a seized asset paid off (3.3c); no repayment under 7.3."""
    table = state.table
    table.boards[table.seat].loans -= 1
    table.unpaid -= 1
    if trace is not None:
        trace.events.append(LoanCancelled(table.seat))


def seize_warehouse(state: State, trace: MaybeTrace) -> None:
    """Take a warehouse for one unpaid loan (3.3c)."""
    table = state.table
    table.boards[table.seat].warehouses -= 1
    if trace is not None:
        trace.events.append(WarehouseSeized(table.seat))
    _cancel_loan(state, trace)


def seize_factory(state: State, colour: int, trace: MaybeTrace) -> None:
    """Take the factory of a colour for one unpaid loan; its slot is free again (3.3c, 3.5)."""
    table = state.table
    board = table.boards[table.seat]
    board.factories = tuple(None if own == colour else own for own in board.factories)
    if trace is not None:
        by = (table.seat - 1) % table.options.seats
        trace.events.append(FactorySeized(table.seat, by, colour))
    _cancel_loan(state, trace)


def surrender(state: State, asset: str, trace: MaybeTrace) -> None:
    """Lose the kind of asset that the debtor chose, or ask which factory (3.3c); then go on."""
    table = state.table
    factories = seizable_factories(table.boards[table.seat])
    if asset == "warehouse":
        seize_warehouse(state, trace)
    elif len(factories) > 1:
        table.phase = "seize_factory"
        return
    else:
        seize_factory(state, factories[0], trace)
    settle(state, trace)
