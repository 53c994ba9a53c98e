"""What each viewer sees (`container.md 9`), and copies that share nothing with the original."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.container.table import Auction, Board, Observation, State, Table
from gavelport_engine.game import SPECTATOR

if TYPE_CHECKING:
    from gavelport_engine.game import Viewer


def copy_table(table: Table) -> Table:
    """Return an independent copy of the public table."""
    auction = table.auction
    return Table(
        table.options,
        table.turn,
        table.seat,
        table.phase,
        table.actions_left,
        table.produced,
        table.sold_domestic,
        table.loans_taken,
        table.loans_repaid,
        table.quiet_turns,
        table.busy,
        table.unpaid,
        table.supply,
        table.removed,
        [
            Board(
                board.loans,
                board.factories,
                board.warehouses,
                board.factory_store,
                board.harbour_store,
                board.ship_at,
                board.cargo,
                board.island,
            )
            for board in table.boards
        ],
        None if auction is None else Auction(auction.bids, auction.extra, auction.winners),
        table.end,
    )


def copy_state(state: State) -> State:
    """Return an independent copy of a whole position."""
    return State(
        copy_table(state.table),
        state.cash.copy(),
        state.cards,
        state.sealed_bids.copy(),
        state.sealed_loans.copy(),
    )


def observation(state: State, viewer: Viewer) -> Observation:
    """Return all that the viewer may see of the present (9).

    Raises ValueError for a viewer that is no seat of this game.
    """
    table = copy_table(state.table)
    everyone = None
    if table.phase == "over":
        everyone = tuple(zip(state.cash, state.cards, strict=True))
    if viewer is SPECTATOR:
        return Observation(SPECTATOR, table, None, None, None, everyone)
    if not 0 <= viewer < table.options.seats:
        raise ValueError(f"viewer {viewer}: the seats are 0 to {table.options.seats - 1}")
    sealed_bid = None
    if state.sealed_bids:
        sealed_bid = state.sealed_bids[viewer]
        table.boards[viewer].loans += state.sealed_loans[viewer]
    return Observation(viewer, table, state.cash[viewer], state.cards[viewer], sealed_bid, everyone)
