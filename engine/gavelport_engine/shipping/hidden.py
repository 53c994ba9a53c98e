"""Other positions that a viewer could as well be in (`shipping.md 15.1`).

For the law of non-interference (`conformance/laws.py`) and for whoever wants to guess at secrets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.shipping.apply import APPLY
from gavelport_engine.shipping.data import QUARTERS
from gavelport_engine.shipping.observe import copy_state
from gavelport_engine.shipping.turn import is_last_year

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from gavelport_engine.game import Viewer
    from gavelport_engine.rng import Rng
    from gavelport_engine.shipping.actions import Action
    from gavelport_engine.shipping.table import State

_SEED_BYTES = 32


def twin(state: State, viewer: Viewer, rng: Rng, answer: Mapping[int, Action] | None = None) -> State:
    """Return a position that differs only in what the viewer may not know.

    The seed, both decks and other seats' hidden Orders are drawn anew. Given an answer that is about to be played,
    what it makes public to the viewer stays: cards that are opened, drawn or shown, and penalties that fall due.
    """
    other = copy_state(state)
    after = None
    if answer is not None:
        after = copy_state(state)
        for seat, action in answer.items():
            APPLY[type(action)](after, seat, action, None)
        if after.table.reshuffles != state.table.reshuffles:  # the seed decides which cards come now
            return other
    other.seed = bytes(rng.below(256) for _ in range(_SEED_BYTES))
    other.news_deck = tuple(_redrawn(state.news_deck, () if after is None else after.table.news, rng))
    _redraw_orders(state, other, viewer, after, rng)
    return other


def _redraw_orders(state: State, other: State, viewer: Viewer, after: State | None, rng: Rng) -> None:
    """Draw anew which Orders lie in the deck and face down before other seats."""
    table = state.table
    places = [
        (seat, place)
        for seat, board in enumerate(table.boards)
        if seat != viewer and not (after is not None and _is_shown(state, after, seat))
        for place, order in enumerate(board.orders)
        if order.hidden
    ]
    hidden = [*state.order_deck, *(state.hands[seat][place] for seat, place in places)]
    drawn = _redrawn(hidden, () if after is None else _known(after, viewer), rng)
    deck = len(state.order_deck)
    other.order_deck = tuple(drawn[:deck])
    hands = [list(hand) for hand in state.hands]
    for (seat, place), card in zip(places, drawn[deck:], strict=True):
        hands[seat][place] = card
    other.hands = [tuple(hand) for hand in hands]


def _is_shown(state: State, after: State, seat: int) -> bool:
    """Return whether a seat's hidden Orders come out between two positions: in its bankruptcy, or by its penalties."""
    if after.table.boards[seat].bankrupt is not None:
        return True
    last = is_last_year(state.table) and state.table.quarter == QUARTERS
    return last and after.table.phase != "turn"


def _known(state: State, viewer: Viewer) -> set[int]:
    """Return the Orders that a viewer sees."""
    table = state.table
    seen = {card for card in table.open_orders if card is not None}
    seen.update(table.order_discard, *(hand for seat, hand in enumerate(state.hands) if seat == viewer))
    seen.update(order.card for board in table.boards for order in board.orders if order.card is not None)
    return seen


def _redrawn(cards: Sequence[int], kept: Collection[int], rng: Rng) -> list[int]:
    """Return cards in another order, all kept ones in their places."""
    free = [card for card in cards if card not in kept]
    return [card if card in kept else free.pop(rng.below(len(free))) for card in cards]
