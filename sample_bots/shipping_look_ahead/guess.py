"""Positions that could be: an observation filled up with guesses at what is hidden."""

from gavelport_engine.rng import Stream
from gavelport_engine.shipping.data import NEWS, ORDERS
from gavelport_engine.shipping.observe import copy_table
from gavelport_engine.shipping.table import Observation, State

SEED_BYTES = 32


def guessed_state(seen: Observation, rng: Stream) -> State:
    """Return a whole position that looks like this to the viewer: both decks and hidden Orders are drawn at random."""
    table = copy_table(seen.table)
    own = seen.hand or ()
    known = {*own, *table.order_discard, *table.open_orders}
    known.update(order.card for board in table.boards for order in board.orders)
    cards = [card for card in range(len(ORDERS)) if card not in known]
    rng.shuffle(cards)
    hands = [
        own
        if seat == seen.viewer
        else tuple(cards.pop() if order.card is None else order.card for order in board.orders)
        for seat, board in enumerate(table.boards)
    ]
    news = [card for card in range(len(NEWS)) if card not in table.news]
    rng.shuffle(news)
    seed = bytes(rng.below(256) for _ in range(SEED_BYTES))
    return State(table, seed, tuple(cards), tuple(news), hands)
