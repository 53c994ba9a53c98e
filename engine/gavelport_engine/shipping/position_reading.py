"""Positions out of the notation, strictly (`shipping-notation.md`, "Position").

A position need not be reachable, but it must be one: every key there and none unknown, no card twice, limits
kept, the phase in keeping with the rest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gavelport_engine.errors import NotationError, OptionsError
from gavelport_engine.forms import Form, optional
from gavelport_engine.reading import flag, joined, listing, mapping, one_of, shown, whole
from gavelport_engine.shipping import forms
from gavelport_engine.shipping.bills import can_raise, survivors
from gavelport_engine.shipping.data import GOOD_IDS, LIMITS, QUARTERS, ROW_CAPACITY
from gavelport_engine.shipping.data_checks import SLOTS
from gavelport_engine.shipping.options import options
from gavelport_engine.shipping.seat_reading import read_seat
from gavelport_engine.shipping.table import BILLS, PHASES, Options, Pending, State, Table
from gavelport_engine.shipping.turn import is_last_year, seats_left

if TYPE_CHECKING:
    from collections.abc import Sequence

_KEYS = (
    *("game", "options", "seed", "year", "quarter", "start", "turn", "seat", "phase", "ap", "boosts", "ap_bought"),
    *("share_sold", "produced", "pending", "terminal", "open_orders", "order_deck", "order_discard", "reshuffles"),
    *("news_deck", "news", "seats"),
)
_PASSED = ("start_turn", "news", "accounts")
"""Phases that are played on to the next decision."""
_SEED = re.compile("[0-9a-f]{64}")
_OPEN_SLOTS = optional(forms.ORDER)
_MOST_RESHUFFLES = 2**64 - 1


def from_notation(position: object) -> State:
    """Return a position as it stands; one in a phase that is no decision is not played on here.

    Raises NotationError with the place.
    """
    given = mapping(position, "", _KEYS)
    one_of(given["game"], "game", ("shipping",))
    chosen = _options(given["options"])
    n = chosen.seats
    boards, hands = [], []
    for number, entry in enumerate(listing(given["seats"], "seats", n)):
        board, hand = read_seat(entry, joined("seats", number))
        boards.append(board)
        hands.append(hand)
    order_deck = _cards(given["order_deck"], "order_deck", forms.ORDER)
    news_deck = _cards(given["news_deck"], "news_deck", forms.NEWS_CARD)
    table = Table(
        options=chosen,
        year=whole(given["year"], "year", 1, chosen.years),
        quarter=whole(given["quarter"], "quarter", 1, QUARTERS),
        start=whole(given["start"], "start", 0, n - 1),
        turn=whole(given["turn"], "turn", 1),
        seat=whole(given["seat"], "seat", 0, n - 1),
        phase=one_of(given["phase"], "phase", (*PHASES, *_PASSED)),
        ap=whole(given["ap"], "ap"),
        boosts=whole(given["boosts"], "boosts"),
        ap_bought=flag(given["ap_bought"], "ap_bought"),
        share_sold=flag(given["share_sold"], "share_sold"),
        produced=forms.read_goods(given["produced"], "produced"),
        pending=None,
        rows=_rows(given["terminal"], n),
        open_orders=_open_orders(given["open_orders"]),
        order_deck=len(order_deck),
        news_deck=len(news_deck),
        order_discard=_cards(given["order_discard"], "order_discard", forms.ORDER),
        reshuffles=whole(given["reshuffles"], "reshuffles", 0, _MOST_RESHUFFLES),
        news=_cards(given["news"], "news", forms.NEWS_CARD),
        boards=boards,
    )
    state = State(table, _seed(given["seed"]), order_deck, news_deck, hands)
    _check_cards(state)
    _check_seats(table)
    _check_phase(table)
    table.pending = _pending(table, given["pending"])
    return state


def _options(value: object) -> Options:
    given = mapping(value, "options", (), Options.__dataclass_fields__)
    try:
        return options(given)
    except OptionsError as error:
        raise NotationError("options", str(error), error.code) from error


def _seed(value: object) -> bytes:
    if type(value) is not str or not _SEED.fullmatch(value):
        raise NotationError("seed", f"expected 64 hex digits, in small letters, got {shown(value)}")
    return bytes.fromhex(value)


def _cards(value: object, path: str, form: Form) -> tuple[int, ...]:
    return tuple(form.read(entry, joined(path, place)) for place, entry in enumerate(listing(value, path)))


def _open_orders(value: object) -> tuple[int | None, ...]:
    slots = listing(value, "open_orders", SLOTS)
    return tuple(_OPEN_SLOTS.read(card, joined("open_orders", slot)) for slot, card in enumerate(slots))


def _rows(value: object, seats: int) -> list[tuple[int, ...]]:
    given = mapping(value, "terminal", GOOD_IDS)
    rows = []
    for name in GOOD_IDS:
        path = joined("terminal", name)
        row = listing(given[name], path)
        if len(row) > ROW_CAPACITY:
            raise NotationError(path, f"a row has {ROW_CAPACITY} positions, got {len(row)} containers (7.1)")
        owners = tuple(forms.OWNER.read(owner, joined(path, place)) for place, owner in enumerate(row))
        for place, owner in enumerate(owners):
            if owner >= seats:
                raise NotationError(joined(path, place), f"there is no seat {owner}")
        rows.append(owners)
    return rows


def _no_repeat(places: Sequence[tuple[str, int]], form: Form) -> None:
    seen: dict[int, str] = {}
    for path, card in places:
        if card in seen:
            raise NotationError(path, f"{form.write(card)} stands also in {seen[card]}")
        seen[card] = path


def _check_cards(state: State) -> None:
    """Refuse a card that stands twice, and a discard that is not sorted."""
    table = state.table
    if list(table.order_discard) != sorted(table.order_discard):
        raise NotationError("order_discard", "is sorted by id")
    orders = [(joined("open_orders", slot), card) for slot, card in enumerate(table.open_orders) if card is not None]
    orders += [(joined("order_deck", place), card) for place, card in enumerate(state.order_deck)]
    orders += [(joined("order_discard", place), card) for place, card in enumerate(table.order_discard)]
    for seat, hand in enumerate(state.hands):
        orders += [(f"seats.{seat}.orders.{place}", card) for place, card in enumerate(hand)]
    _no_repeat(orders, forms.ORDER)
    news = [(joined("news", place), card) for place, card in enumerate(table.news)]
    news += [(joined("news_deck", place), card) for place, card in enumerate(state.news_deck)]
    _no_repeat(news, forms.NEWS_CARD)


def _check_seats(table: Table) -> None:
    """Refuse seats that contradict one another."""
    homes: list[int] = []
    gone: list[int] = []
    for seat, board in enumerate(table.boards):
        path = f"seats.{seat}"
        if board.home in homes:
            raise NotationError(f"{path}.home", "another seat has this home city (R28)")
        homes.append(board.home)
        if board.bankrupt is None:
            continue
        if table.options.no_elimination:
            raise NotationError(f"{path}.bankrupt", "is null where nobody is eliminated (13.5)")
        gone.append(board.bankrupt)
        if any(seat in row for row in table.rows):
            raise NotationError("terminal", f"seat {seat} is bankrupt and has no markers (7.8)")
    if sorted(gone) != list(range(1, len(gone) + 1)):
        raise NotationError("seats", "bankruptcies are numbered from 1, each number once")
    if len(gone) == len(table.boards):
        raise NotationError("seats", "one seat at least survives (11.6)")
    if table.boards[table.start].bankrupt is not None:
        raise NotationError("start", "a bankrupt seat does not have the Start marker (R25)")


def _check_phase(table: Table) -> None:
    """Refuse a phase that the rest of the position contradicts."""
    phase = table.phase
    if phase != "turn" and (table.ap or table.boosts or table.ap_bought or table.share_sold or any(table.produced)):
        keys = "ap, boosts, ap_bought, share_sold and produced"
        raise NotationError("phase", f"in phase {phase} {keys} are 0 and false: no turn runs")
    most = LIMITS["produce_per_good_two_large"]
    if max(table.produced) > most:
        raise NotationError("produced", f"at most {most} of a good in a turn (9.5)")
    alone = len(survivors(table)) == 1
    if phase == "over":
        if not alone and not (is_last_year(table) and table.quarter == QUARTERS):
            raise NotationError("phase", "nothing has ended this game (3.6, 11.6)")
        return
    if alone:
        raise NotationError("phase", "one seat is left: the game is over (11.6)")
    if phase in ("turn", "start_turn"):
        if table.boards[table.seat].bankrupt is not None:
            raise NotationError("seat", "a bankrupt seat has no turn (11.5)")
    elif seats_left(table):
        raise NotationError("seat", f"in phase {phase} it is the last one of the quarter, left of nobody but the start")
    if phase == "accounts" and table.quarter != QUARTERS:
        raise NotationError("quarter", f"is {QUARTERS} in phase accounts (3.4)")


def _pending(table: Table, value: object) -> Pending | None:
    if table.phase != "raise":
        if value is not None:
            raise NotationError("pending", f"is null in phase {table.phase}")
        return None
    if not table.options.no_elimination:
        raise NotationError("phase", "only the no-elimination variant asks what to sell (13.5)")
    given = mapping(value, "pending", ("seat", "due", "for"))
    seat = whole(given["seat"], "pending.seat", 0, table.options.seats - 1)
    purpose = one_of(given["for"], "pending.for", BILLS)
    board = table.boards[seat]
    due = whole(given["due"], "pending.due", board.cash + 1)
    if not can_raise(board):
        raise NotationError("pending", "the seat has nothing to sell: the rest is waived (13.5)")
    if purpose == "news" and not table.news:
        raise NotationError("pending.for", "no News card has been drawn")
    if purpose != "news" and table.quarter != QUARTERS:
        raise NotationError("pending.for", f"accounts are conducted in quarter {QUARTERS} (3.4)")
    if purpose == "penalty" and not is_last_year(table):
        raise NotationError("pending.for", "penalties are paid in the last year (13.3)")
    return Pending(seat, due, purpose)
