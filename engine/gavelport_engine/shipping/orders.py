"""Orders: drawing, opening, counting, discarding (`shipping.md 10`)."""

from __future__ import annotations

from bisect import insort
from typing import TYPE_CHECKING

from gavelport_engine.rng import Stream
from gavelport_engine.shipping.data import LIMITS, ORDERS
from gavelport_engine.shipping.events import (
    OrderCompleted,
    OrderCounted,
    OrderDrawn,
    OrderOpened,
    Reshuffled,
)
from gavelport_engine.shipping.money import pay
from gavelport_engine.shipping.table import BANK, HeldOrder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gavelport_engine.shipping.money import MaybeTrace
    from gavelport_engine.shipping.table import Board, State, Table

MOST_ORDERS = LIMITS["active_orders"]


def can_draw(table: Table) -> bool:
    """Return whether a card is there to be drawn, if need be out of the discard (10.8)."""
    return bool(table.order_deck or table.order_discard)


def may_hold_more(board: Board) -> bool:
    """Return whether a seat may take another Order (10.4)."""
    return len(board.orders) < MOST_ORDERS


def draw_card(state: State, trace: MaybeTrace) -> int | None:
    """Draw the top Order card, out of the reshuffled discard if the deck is empty (10.8); None if there is none."""
    table = state.table
    if not state.order_deck:
        if not table.order_discard:
            return None
        _reshuffle(state, trace)
    card, state.order_deck = state.order_deck[0], state.order_deck[1:]
    table.order_deck -= 1
    return card


def _reshuffle(state: State, trace: MaybeTrace) -> None:
    """Make the discard, sorted by id, the new deck (notation, "The deal from a seed")."""
    table = state.table
    cards = list(table.order_discard)
    Stream(state.seed, "reshuffle", table.reshuffles).shuffle(cards)
    state.order_deck = tuple(cards)
    table.order_deck = len(cards)
    table.order_discard = ()
    table.reshuffles += 1
    if trace is not None:
        trace.events.append(Reshuffled(len(cards)))


def take(state: State, seat: int, card: int, *, hidden: bool) -> None:
    """Lay an Order before a seat."""
    board = state.table.boards[seat]
    board.orders = (*board.orders, HeldOrder(None if hidden else card))
    state.hands[seat] = (*state.hands[seat], card)


def draw_hidden(state: State, seat: int, trace: MaybeTrace) -> bool:
    """Give a seat the top card face down (10.3); return whether there was one."""
    card = draw_card(state, trace)
    if card is None:
        return False
    take(state, seat, card, hidden=True)
    if trace is not None:
        trace.events.append(OrderDrawn(seat, card))
    return True


def open_slot(state: State, slot: int, trace: MaybeTrace) -> None:
    """Fill a slot from the deck (10.2); it stays empty where no card can be drawn."""
    table = state.table
    card = draw_card(state, trace)
    table.open_orders = (*table.open_orders[:slot], card, *table.open_orders[slot + 1 :])
    if trace is not None:
        trace.events.append(OrderOpened(slot, card))


def refresh_open_orders(state: State, trace: MaybeTrace) -> None:
    """Discard all open Orders, then deal the slots one by one (3.5b)."""
    table = state.table
    discard(table, [card for card in table.open_orders if card is not None])
    table.open_orders = (None,) * len(table.open_orders)
    for slot in range(len(table.open_orders)):
        open_slot(state, slot, trace)


def discard(table: Table, cards: Iterable[int]) -> None:
    """Put cards on the Order discard, which is kept sorted."""
    pile = list(table.order_discard)
    for card in cards:
        insort(pile, card)
    table.order_discard = tuple(pile)


def count_for(state: State, seat: int, card: int, trace: MaybeTrace) -> None:
    """Count a container for an own Order, which becomes public; pay and discard it when complete (10.5, 10.6)."""
    table = state.table
    board = table.boards[seat]
    place = state.hands[seat].index(card)
    done = board.orders[place].done + 1
    if trace is not None:
        trace.events.append(OrderCounted(seat, card, done))
    if done < ORDERS[card].count:
        board.orders = (*board.orders[:place], HeldOrder(card, done), *board.orders[place + 1 :])
        return
    board.orders = board.orders[:place] + board.orders[place + 1 :]
    state.hands[seat] = state.hands[seat][:place] + state.hands[seat][place + 1 :]
    board.completed += 1
    discard(table, (card,))
    if trace is not None:
        trace.events.append(OrderCompleted(seat, card))
    pay(table, BANK, seat, ORDERS[card].reward, "reward", trace)
