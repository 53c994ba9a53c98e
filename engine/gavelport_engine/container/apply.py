"""What each action does (`container.md 4`, 5); auctions and seizures in their own modules.

Every function takes an action that is without fault and changes the state in place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gavelport_engine.container import actions as act
from gavelport_engine.container import auction, seizure
from gavelport_engine.container.events import (
    BANK,
    Bought,
    FactoryBuilt,
    Loaded,
    Passed,
    Produced,
    Repriced,
    Sailed,
    SoldDomestic,
    WarehouseBuilt,
)
from gavelport_engine.container.goods import COLOURS, colours_of, cost, minus, plus
from gavelport_engine.container.money import pay, repay_loans, take_loan
from gavelport_engine.container.prices import (
    DOMESTIC_PRICE,
    FACTORY_PRICES,
    UNION_WAGE,
    WAREHOUSE_PRICES,
)
from gavelport_engine.container.turn import (
    borrow_for_interest,
    count_action,
    default_on_interest,
    spend_action,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from gavelport_engine.container.goods import Store
    from gavelport_engine.container.money import MaybeTrace
    from gavelport_engine.container.table import Board, State


def _take_loan(state: State, seat: int, action: act.TakeLoan, trace: MaybeTrace) -> None:
    """Take a loan (7.1), in phase `interest` in place of a default (3.2)."""
    if state.table.phase == "interest":
        borrow_for_interest(state, trace)
    else:
        take_loan(state, trace)


def _default(state: State, seat: int, action: act.Default, trace: MaybeTrace) -> None:
    default_on_interest(state, trace)


def _seize(state: State, seat: int, action: act.Seize, trace: MaybeTrace) -> None:
    """Take what the right neighbour named, and go on with further defaults (3.3a, b)."""
    seizure.seize(state, action.island, action.harbour_store, action.factory_store, trace)
    seizure.settle(state, trace)


def _surrender(state: State, seat: int, action: act.Surrender, trace: MaybeTrace) -> None:
    seizure.surrender(state, action.asset, trace)


def _seize_factory(state: State, seat: int, action: act.SeizeFactory, trace: MaybeTrace) -> None:
    """Take the factory that the right neighbour named, and go on (3.3c)."""
    seizure.seize_factory(state, action.colour, trace)
    seizure.settle(state, trace)


def _repay_loan(state: State, seat: int, action: act.RepayLoan, trace: MaybeTrace) -> None:
    repay_loans(state, 1, trace)


def _domestic_sale(state: State, seat: int, action: act.DomesticSale, trace: MaybeTrace) -> None:
    """Return a container to the supply for $2 (4.1)."""
    table = state.table
    board = table.boards[seat]
    place = (action.price - 1) * COLOURS + action.colour
    if action.store == "factory":
        board.factory_store = _less_one(board.factory_store, place)
    else:
        board.harbour_store = _less_one(board.harbour_store, place)
    supply = list(table.supply)
    supply[action.colour] += 1
    table.supply = tuple(supply)
    table.sold_domestic = True
    if trace is not None:
        trace.events.append(SoldDomestic(seat, action.store, action.price, action.colour))
    pay(state, BANK, seat, DOMESTIC_PRICE, "domestic_sale", trace)


def _less_one(goods: Store, place: int) -> Store:
    return (*goods[:place], goods[place] - 1, *goods[place + 1 :])


def _pass(state: State, seat: int, action: act.Pass, trace: MaybeTrace) -> None:
    """Do nothing for one action (2.4)."""
    if trace is not None:
        trace.events.append(Passed(seat))
    spend_action(state, trace)


def _buy_factory(state: State, seat: int, action: act.BuyFactory, trace: MaybeTrace) -> None:
    """Build a factory in the cheapest free slot (5.1, 3.5)."""
    table = state.table
    board = table.boards[seat]
    slot = board.factories.index(None)
    pay(state, seat, BANK, FACTORY_PRICES[slot], "factory", trace)
    board.factories = (*board.factories[:slot], action.colour, *board.factories[slot + 1 :])
    table.busy = True
    if trace is not None:
        trace.events.append(FactoryBuilt(seat, slot, action.colour))
    spend_action(state, trace)


def _buy_warehouse(state: State, seat: int, action: act.BuyWarehouse, trace: MaybeTrace) -> None:
    """Build a warehouse in the cheapest free slot (5.1)."""
    table = state.table
    board = table.boards[seat]
    slot = board.warehouses
    pay(state, seat, BANK, WAREHOUSE_PRICES[slot], "warehouse", trace)
    board.warehouses += 1
    table.busy = True
    if trace is not None:
        trace.events.append(WarehouseBuilt(seat, slot))
    spend_action(state, trace)


def _produce(state: State, seat: int, action: act.Produce, trace: MaybeTrace) -> None:
    """Pay the right neighbour, produce, and re-price the factory store (5.2)."""
    table = state.table
    pay(state, seat, (seat - 1) % table.options.seats, UNION_WAGE, "union", trace)
    table.produced = True
    table.boards[seat].factory_store = action.factory_store
    if any(action.make):
        table.supply = minus(table.supply, action.make)
        table.busy = True
    if trace is not None:
        trace.events.append(Produced(seat, action.make, action.factory_store))
    spend_action(state, trace)


def _buy(state: State, seat: int, action: act.Buy, trace: MaybeTrace) -> None:
    """Buy from a factory store and re-price the harbour store (5.3)."""
    table = state.table
    pay(state, seat, action.seller, cost(action.take), "containers", trace)
    seller = table.boards[action.seller]
    seller.factory_store = minus(seller.factory_store, action.take)
    table.boards[seat].harbour_store = action.harbour_store
    table.busy = True
    if trace is not None:
        trace.events.append(Bought(seat, action.seller, action.take, action.harbour_store))
    spend_action(state, trace)


def _reprice(state: State, seat: int, action: act.Reprice, trace: MaybeTrace) -> None:
    """Re-price the harbour store alone (5.3)."""
    state.table.boards[seat].harbour_store = action.harbour_store
    if trace is not None:
        trace.events.append(Repriced(seat, action.harbour_store))
    spend_action(state, trace)


def _sail(state: State, seat: int, action: act.Sail, trace: MaybeTrace) -> None:
    """Sail one step; buy in a harbour (5.4), or begin an auction at the island (5.6)."""
    table = state.table
    board = table.boards[seat]
    board.ship_at = action.to
    if trace is not None:
        trace.events.append(Sailed(seat, action.to))
    if action.to == act.ISLAND:
        count_action(table)
        auction.begin_auction(state, trace)
        return
    if any(action.take):
        _take_aboard(state, seat, board, action.take, trace)
    spend_action(state, trace)


def _load(state: State, seat: int, action: act.Load, trace: MaybeTrace) -> None:
    """Buy in the harbour where the ship lies (5.5)."""
    _take_aboard(state, seat, state.table.boards[seat], action.take, trace)
    spend_action(state, trace)


def _take_aboard(state: State, seat: int, board: Board, take: Store, trace: MaybeTrace) -> None:
    """Buy from the harbour store where the ship lies, at marked prices (5.4, 5.5)."""
    table = state.table
    seller = board.ship_at
    pay(state, seat, seller, cost(take), "containers", trace)
    harbour = table.boards[seller]
    harbour.harbour_store = minus(harbour.harbour_store, take)
    board.cargo = plus(board.cargo, colours_of(take))
    table.busy = True
    if trace is not None:
        trace.events.append(Loaded(seat, seller, take))


APPLY: dict[type, Callable[[State, int, Any, MaybeTrace], None]] = {
    act.TakeLoan: _take_loan,
    act.Default: _default,
    act.Seize: _seize,
    act.Surrender: _surrender,
    act.SeizeFactory: _seize_factory,
    act.RepayLoan: _repay_loan,
    act.DomesticSale: _domestic_sale,
    act.Pass: _pass,
    act.BuyFactory: _buy_factory,
    act.BuyWarehouse: _buy_warehouse,
    act.Produce: _produce,
    act.Buy: _buy,
    act.Reprice: _reprice,
    act.Sail: _sail,
    act.Load: _load,
    act.Bid: auction.submit,
    act.Accept: auction.accept,
    act.Reject: auction.reject,
}
"""What changes the state, by kind of action: (state, seat, action, trace)."""
