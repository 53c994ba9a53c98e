"""The canonical text of a position, and its fingerprint (`container-notation.md`, "Fingerprint").

The text is that of `json.dumps(to_notation(state), sort_keys=True, separators=(",", ":"))`, put together from texts of
the parts that mostly stay the same: a fingerprint is taken at the end of every turn.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING

from gavelport_engine.container.forms import write_bag, write_place, write_store
from gavelport_engine.container.goods import COLOUR_NAMES
from gavelport_engine.container.options import options_to_notation
from gavelport_engine.container.position_notation import SEIZURE_PHASES, auction_to_notation
from gavelport_engine.container.table import CARD_NAMES
from gavelport_engine.memo import Memo

if TYPE_CHECKING:
    from gavelport_engine.container.goods import Bag, Store
    from gavelport_engine.container.table import Board, Options, State

_text = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def fingerprint(state: State) -> bytes:
    """Return SHA-256 over the position's canonical JSON."""
    return hashlib.sha256(canonical(state).encode()).digest()


def canonical(state: State) -> str:
    """Return the position's canonical JSON."""
    table = state.table
    loans = [board.loans for board in table.boards]
    if state.sealed_loans:
        loans = [open_ + sealed for open_, sealed in zip(loans, state.sealed_loans, strict=True)]
    auction = "null" if table.auction is None else _text(auction_to_notation(table, state.sealed_bids))
    seats = ",".join(
        [
            f'{{"card":"{CARD_NAMES[card]}","cash":{cash},{before},"loans":{count},{after}}}'
            for card, cash, (before, after), count in zip(
                state.cards, state.cash, _BOARDS(table.boards), loans, strict=True
            )
        ]
    )
    unpaid = f',"unpaid":{table.unpaid}' if table.phase in SEIZURE_PHASES else ""
    return (
        f'{{"actions_left":{table.actions_left},"auction":{auction},"busy":{_FLAGS[table.busy]},"game":"container",'
        f'"loans_repaid":{table.loans_repaid},"loans_taken":{table.loans_taken},"options":{_options(table.options)},'
        f'"phase":"{table.phase}","produced":{_FLAGS[table.produced]},"quiet_turns":{table.quiet_turns},'
        f'"removed":{_bag(table.removed)},"seat":{table.seat},"seats":[{seats}],'
        f'"sold_domestic":{_FLAGS[table.sold_domestic]},"supply":{_bag(table.supply)},"turn":{table.turn}{unpaid}}}'
    )


_FLAGS = ("false", "true")


@lru_cache(maxsize=256)
def _options(options: Options) -> str:
    return _text(options_to_notation(options))


@lru_cache(maxsize=1024)
def _bag(goods: Bag) -> str:
    return _text(write_bag(goods))


@lru_cache(maxsize=4096)
def _store(goods: Store) -> str:
    return _text(write_store(goods))


@lru_cache(maxsize=1024)
def _factories(slots: tuple[int | None, ...]) -> str:
    return _text([None if colour is None else COLOUR_NAMES[colour] for colour in slots])


@lru_cache(maxsize=16)
def _place(place: int) -> str:
    return _text(write_place(place))


def _around_loans(board: Board) -> tuple[str, str]:
    """Return what stands before a seat's loans, and what behind them."""
    before = (
        f'"factories":{_factories(board.factories)},"factory_store":{_store(board.factory_store)},'
        f'"harbour_store":{_store(board.harbour_store)},"island":{_bag(board.island)}'
    )
    return (
        before,
        f'"ship":{{"at":{_place(board.ship_at)},"cargo":{_bag(board.cargo)}}},"warehouses":{board.warehouses}',
    )


_BOARDS: Memo[Board, tuple[str, str]] = Memo(
    attrgetter("factories", "warehouses", "factory_store", "harbour_store", "ship_at", "cargo", "island"), _around_loans
)
