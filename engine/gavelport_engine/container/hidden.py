"""Other positions that a viewer could as well be in (`container.md 9.2`).

For the law of non-interference (`conformance/laws.py`) and for whoever wants to guess at secrets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.container.money import MOST_LOANS
from gavelport_engine.container.observe import copy_state
from gavelport_engine.container.table import CARD_NAMES
from gavelport_engine.game import SPECTATOR

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gavelport_engine.container.actions import Action
    from gavelport_engine.container.table import State
    from gavelport_engine.game import Viewer
    from gavelport_engine.rng import Rng

_SPREAD = 60
"""Free cash is drawn from a range of so many dollars."""


def twin(state: State, viewer: Viewer, rng: Rng, answer: Mapping[int, Action] | None = None) -> State:
    """Return a position that differs only in what the viewer may not know; no answer makes any of it public at once.

    Other seats' cash, cards and bids not yet revealed with their loans are drawn anew. Cash below
    the interest that can fall due (3.1) is kept, as the next turn's beginning makes it public; so
    is what bids have bound.
    """
    other = copy_state(state)
    table = other.table
    auction = table.auction
    known = None if viewer is SPECTATOR else other.cards[viewer]
    pool = [card for card in range(len(CARD_NAMES)) if card != known]
    cards = []
    for seat, cash in enumerate(other.cash):
        if seat == viewer:
            cards.append(other.cards[seat])
            continue
        cards.append(pool.pop(rng.below(len(pool))))
        bound = 0
        if auction is not None:
            bound = (auction.bids[seat] or 0) + (auction.extra[seat] or 0)
        sealed = other.sealed_bids[seat] if other.sealed_bids else None
        free = cash - bound - (sealed or 0)
        if free < MOST_LOANS:
            continue
        if sealed is not None:
            sealed = other.sealed_bids[seat] = rng.below(_SPREAD)
            other.sealed_loans[seat] = rng.below(MOST_LOANS - table.boards[seat].loans + 1)
        other.cash[seat] = bound + (sealed or 0) + MOST_LOANS + rng.below(_SPREAD)
    other.cards = tuple(cards)
    return other
