"""Positions and observations in the notation, and the fingerprint (`shipping-notation.md`).

Writing; reading is in `position_reading.py`.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from gavelport_engine.game import SPECTATOR
from gavelport_engine.shipping.data import GOOD_IDS, NEWS_IDS, ORDER_IDS, REGION_IDS, SPACES
from gavelport_engine.shipping.forms import write_cargo, write_goods
from gavelport_engine.shipping.observe import secrets
from gavelport_engine.shipping.options import options_to_notation
from gavelport_engine.shipping.table import BANK, SHIP_NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_engine.game import Json
    from gavelport_engine.shipping.table import Board, Observation, Secrets, State, Table


def _seat(board: Board, hand: Sequence[int | None]) -> Json:
    return {
        "cash": board.cash,
        "stock": board.stock,
        "track": board.track,
        "home": SPACES[board.home],
        "ships": {
            name: {"at": SPACES[ship.at], "cargo": write_cargo(ship.cargo), "moved": ship.moved}
            for name, ship in zip(SHIP_NAMES, board.ships, strict=True)
            if ship is not None
        },
        "factories": {
            REGION_IDS[region]: {"built": built, "marked": board.marked[region]}
            for region, built in enumerate(board.built)
            if built
        },
        "orders": [
            {"card": None if card is None else ORDER_IDS[card], "done": order.done, "hidden": order.hidden}
            for order, card in zip(board.orders, hand, strict=True)
        ],
        "completed": board.completed,
        "bankrupt": board.bankrupt,
    }


def _position(table: Table, seed: bytes | None, decks: tuple[Any, Any], hands: Sequence[Sequence[int | None]]) -> Json:
    found: Json = {
        "game": "shipping",
        "options": options_to_notation(table.options),
        "seed": None if seed is None else seed.hex(),
        "year": table.year,
        "quarter": table.quarter,
        "start": table.start,
        "turn": table.turn,
        "seat": table.seat,
        "phase": table.phase,
        "ap": table.ap,
        "boosts": table.boosts,
        "ap_bought": table.ap_bought,
        "share_sold": table.share_sold,
        "produced": write_goods(table.produced),
        "pending": None,
        "terminal": {
            name: [None if owner == BANK else owner for owner in row]
            for name, row in zip(GOOD_IDS, table.rows, strict=True)
        },
        "open_orders": [None if card is None else ORDER_IDS[card] for card in table.open_orders],
        "order_deck": decks[0],
        "order_discard": [ORDER_IDS[card] for card in table.order_discard],
        "reshuffles": table.reshuffles,
        "news_deck": decks[1],
        "news": [NEWS_IDS[card] for card in table.news],
        "seats": [_seat(board, hand) for board, hand in zip(table.boards, hands, strict=True)],
    }
    if table.pending is not None:
        seat, due, purpose = table.pending
        found["pending"] = {"seat": seat, "due": due, "for": purpose}
    if seed is None:
        del found["seed"]
    return found


def _whole(table: Table, hidden: Secrets) -> Json:
    orders = [ORDER_IDS[card] for card in hidden.order_deck]
    news = [NEWS_IDS[card] for card in hidden.news_deck]
    return _position(table, hidden.seed, (orders, news), hidden.hands)


def to_notation(state: State) -> Json:
    """Return the whole position."""
    return _whole(state.table, secrets(state))


def observation_to_notation(seen: Observation) -> Json:
    """Return an observation: the position with `viewer`, masked, or whole once everything is shown."""
    table = seen.table
    if seen.everything is not None:
        found = _whole(table, seen.everything)
    else:
        hands: list[Sequence[int | None]] = [[order.card for order in board.orders] for board in table.boards]
        if seen.viewer is not SPECTATOR:
            assert seen.hand is not None
            hands[seen.viewer] = seen.hand
        found = _position(table, None, (table.order_deck, table.news_deck), hands)
    found["viewer"] = None if seen.viewer is SPECTATOR else seen.viewer
    return found


def fingerprint(state: State) -> bytes:
    """Return SHA-256 over the position's canonical JSON."""
    text = json.dumps(to_notation(state), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()
