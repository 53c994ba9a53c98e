"""What each viewer sees (`shipping.md 15.1`), and copies that share nothing with the original."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.game import SPECTATOR
from gavelport_engine.shipping.events import Event, OrderDrawn
from gavelport_engine.shipping.table import Board, Observation, Secrets, State, Table

if TYPE_CHECKING:
    from gavelport_engine.game import Viewer


def copy_table(table: Table) -> Table:
    """Return an independent copy of the public table."""
    return Table(
        table.options,
        table.year,
        table.quarter,
        table.start,
        table.turn,
        table.seat,
        table.phase,
        table.ap,
        table.boosts,
        table.ap_bought,
        table.share_sold,
        table.produced,
        table.pending,
        table.rows.copy(),
        table.open_orders,
        table.order_deck,
        table.news_deck,
        table.order_discard,
        table.reshuffles,
        table.news,
        [
            Board(
                board.cash,
                board.stock,
                board.track,
                board.home,
                board.ships,
                board.built,
                board.marked,
                board.orders,
                board.completed,
                board.bankrupt,
            )
            for board in table.boards
        ],
    )


def copy_state(state: State) -> State:
    """Return an independent copy of a whole position."""
    return State(copy_table(state.table), state.seed, state.order_deck, state.news_deck, state.hands.copy())


def secrets(state: State) -> Secrets:
    """Return all that is hidden in a position."""
    return Secrets(state.seed, state.order_deck, state.news_deck, tuple(state.hands))


def observation(state: State, viewer: Viewer) -> Observation:
    """Return all that the viewer may see of the present (15.1).

    Raises ValueError for a viewer that is no seat of this game.
    """
    table = copy_table(state.table)
    everything = secrets(state) if table.phase == "over" else None
    if viewer is SPECTATOR:
        return Observation(SPECTATOR, table, None, everything)
    if not 0 <= viewer < table.options.seats:
        raise ValueError(f"viewer {viewer}: the seats are 0 to {table.options.seats - 1}")
    return Observation(viewer, table, state.hands[viewer], everything)


def visible(event: Event, viewer: Viewer) -> Event:
    """Return an event as the viewer may see it: a hidden Order's card is its seat's alone (10.3)."""
    if type(event) is OrderDrawn and event.seat != viewer:
        return OrderDrawn(event.seat, None)
    return event
