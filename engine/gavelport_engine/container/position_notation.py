"""Positions and observations in the notation (`container-notation.md`).

Writing; reading is in `position_reading.py`, and the text that fingerprints are made of in `canonical.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.container.forms import write_bag, write_place, write_store
from gavelport_engine.container.goods import COLOUR_NAMES
from gavelport_engine.container.options import options_to_notation
from gavelport_engine.container.table import CARD_NAMES
from gavelport_engine.game import SPECTATOR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_engine.container.table import Board, Observation, State, Table
    from gavelport_engine.game import Json

SEIZURE_PHASES = ("seize", "asset", "seize_factory")
SEALED_PHASES = ("bid", "extra_bid")
AUCTION_PHASES = (*SEALED_PHASES, "sale")
PHASES = ("interest", *SEIZURE_PHASES, "action", *AUCTION_PHASES, "over")


def _seat(board: Board, cash: int | None, card: int | None, sealed_loans: int) -> Json:
    return {
        "cash": cash,
        "loans": board.loans + sealed_loans,
        "card": None if card is None else CARD_NAMES[card],
        "factories": [None if c is None else COLOUR_NAMES[c] for c in board.factories],
        "warehouses": board.warehouses,
        "factory_store": write_store(board.factory_store),
        "harbour_store": write_store(board.harbour_store),
        "ship": {"at": write_place(board.ship_at), "cargo": write_bag(board.cargo)},
        "island": write_bag(board.island),
    }


def _position(
    table: Table,
    cash: Sequence[int | None],
    cards: Sequence[int | None],
    sealed_bids: Sequence[int | None],
    sealed_loans: Sequence[int],
) -> Json:
    found: Json = {
        "game": "container",
        "options": options_to_notation(table.options),
        "turn": table.turn,
        "seat": table.seat,
        "phase": table.phase,
        "actions_left": table.actions_left,
        "produced": table.produced,
        "sold_domestic": table.sold_domestic,
        "loans_taken": table.loans_taken,
        "loans_repaid": table.loans_repaid,
        "quiet_turns": table.quiet_turns,
        "busy": table.busy,
        "supply": write_bag(table.supply),
        "removed": write_bag(table.removed),
        "seats": [_seat(*seat) for seat in zip(table.boards, cash, cards, sealed_loans, strict=True)],
        "auction": None,
    }
    if table.phase in SEIZURE_PHASES:
        found["unpaid"] = table.unpaid
    if table.auction is not None:
        found["auction"] = auction_to_notation(table, sealed_bids)
    return found


def auction_to_notation(table: Table, sealed_bids: Sequence[int | None]) -> Json:
    """Return the running auction. Each list is sealed in its own phase: first bids are public in `extra_bid` (9.1)."""
    auction = table.auction
    assert auction is not None
    return {
        "bids": list(sealed_bids if table.phase == "bid" else auction.bids),
        "extra": list(sealed_bids if table.phase == "extra_bid" else auction.extra),
        "winners": list(auction.winners),
    }


def to_notation(state: State) -> Json:
    """Return the whole position; bids that have come in stand in it with their loans."""
    nothing = (0,) * len(state.cash)
    return _position(state.table, state.cash, state.cards, state.sealed_bids, state.sealed_loans or nothing)


def observation_to_notation(seen: Observation) -> Json:
    """Return an observation: the position with `viewer`, masked."""
    table = seen.table
    seats = range(table.options.seats)
    cash: list[int | None] = [None for _ in seats]
    cards: list[int | None] = [None for _ in seats]
    bids: list[int | None] = [None for _ in seats]
    if seen.everyone is not None:
        for seat, (money, card) in enumerate(seen.everyone):
            cash[seat], cards[seat] = money, card
    if seen.viewer is not SPECTATOR:
        cash[seen.viewer], cards[seen.viewer] = seen.cash, seen.card
        bids[seen.viewer] = seen.sealed_bid
    found = _position(table, cash, cards, bids, [0 for _ in seats])
    found["viewer"] = None if seen.viewer is SPECTATOR else seen.viewer
    return found
