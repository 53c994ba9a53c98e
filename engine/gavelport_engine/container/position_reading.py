"""Positions out of the notation, strictly (`container-notation.md`, "Position").

A position need not be reachable, but it must be one: every key there and none unknown, capacities
kept, the phase in keeping with the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.container import forms
from gavelport_engine.container.actions import ISLAND
from gavelport_engine.container.auction import highest
from gavelport_engine.container.goods import COLOUR_NAMES, EMPTY_BAG
from gavelport_engine.container.money import MOST_LOANS
from gavelport_engine.container.observe import copy_state
from gavelport_engine.container.options import options
from gavelport_engine.container.position_notation import (
    AUCTION_PHASES,
    PHASES,
    SEALED_PHASES,
    SEIZURE_PHASES,
)
from gavelport_engine.container.prices import FACTORY_PRICES, SHIP_CAPACITY, WAREHOUSE_PRICES
from gavelport_engine.container.seizure import only_an_asset, seizable_factories, settle
from gavelport_engine.container.table import CARD_NAMES, Auction, Board, Options, State, Table
from gavelport_engine.container.turn import ACTIONS, end_reason
from gavelport_engine.errors import NotationError, OptionsError
from gavelport_engine.reading import flag, joined, listing, looked_up, mapping, one_of, whole

if TYPE_CHECKING:
    from gavelport_engine.container.goods import Bag, Store

START_TURN = "start_turn"

_KEYS = (
    *("game", "options", "turn", "seat", "phase", "actions_left", "produced", "sold_domestic"),
    *("loans_taken", "loans_repaid", "quiet_turns", "busy", "supply", "removed", "seats", "auction"),
)
_SEAT_KEYS = (
    *("cash", "loans", "card", "factories", "warehouses"),
    *("factory_store", "harbour_store", "ship", "island"),
)
_COLOUR_INDEX = {name: index for index, name in enumerate(COLOUR_NAMES)}
_CARD_INDEX = {name: index for index, name in enumerate(CARD_NAMES)}


def from_notation(position: object) -> State:
    """Return a position as it stands; one in phase `start_turn` is not played on here.

    Raises NotationError with the place.
    """
    given = mapping(position, "", _KEYS, ("unpaid",))
    one_of(given["game"], "game", ("container",))
    chosen = _options(given["options"])
    n = chosen.seats
    phase = one_of(given["phase"], "phase", (*PHASES, START_TURN))
    cash: list[int] = []
    cards: list[int] = []
    boards: list[Board] = []
    for seat, entry in enumerate(listing(given["seats"], "seats", n)):
        board, money, card = _seat(entry, joined("seats", seat), seat, n)
        boards.append(board)
        cash.append(money)
        if card in cards:
            raise NotationError(f"seats.{seat}.card", "another seat has this card")
        cards.append(card)
    table = Table(
        options=chosen,
        turn=whole(given["turn"], "turn", 1),
        seat=whole(given["seat"], "seat", 0, n - 1),
        phase=phase,
        actions_left=whole(given["actions_left"], "actions_left", 0, ACTIONS),
        produced=flag(given["produced"], "produced"),
        sold_domestic=flag(given["sold_domestic"], "sold_domestic"),
        loans_taken=whole(given["loans_taken"], "loans_taken", 0, MOST_LOANS),
        loans_repaid=whole(given["loans_repaid"], "loans_repaid", 0, MOST_LOANS),
        quiet_turns=whole(given["quiet_turns"], "quiet_turns"),
        busy=flag(given["busy"], "busy"),
        unpaid=0,
        supply=forms.read_bag(given["supply"], "supply"),
        removed=forms.read_bag(given["removed"], "removed"),
        boards=boards,
    )
    state = State(table=table, cash=cash, cards=tuple(cards))
    _check_unpaid(table, given)
    _check_phase(state)
    _check_auction(state, given["auction"])
    return state


def _options(value: object) -> Options:
    given = mapping(value, "options", (), Options.__dataclass_fields__)
    try:
        return options(given)
    except OptionsError as error:
        raise NotationError("options", str(error)) from error


def _seat(value: object, path: str, seat: int, n: int) -> tuple[Board, int, int]:
    """Return a seat's board, cash and card."""
    given = mapping(value, path, _SEAT_KEYS)
    ship = mapping(given["ship"], f"{path}.ship", ("at", "cargo"))
    at = forms.read_place(ship["at"], f"{path}.ship.at")
    if at >= n or at == seat:
        raise NotationError(f"{path}.ship.at", "that is no other seat's harbour")
    board = Board(
        loans=whole(given["loans"], f"{path}.loans", 0, MOST_LOANS),
        factories=_factories(given["factories"], f"{path}.factories"),
        warehouses=whole(given["warehouses"], f"{path}.warehouses", 1, len(WAREHOUSE_PRICES)),
        factory_store=forms.FACTORY_STORE.read(given["factory_store"], f"{path}.factory_store"),
        harbour_store=forms.HARBOUR_STORE.read(given["harbour_store"], f"{path}.harbour_store"),
        ship_at=at,
        cargo=forms.read_bag(ship["cargo"], f"{path}.ship.cargo"),
        island=forms.read_bag(given["island"], f"{path}.island"),
    )
    factories = len(FACTORY_PRICES) - board.factories.count(None)
    _fits(board.factory_store, 2 * factories, f"{path}.factory_store")
    _fits(board.harbour_store, board.warehouses, f"{path}.harbour_store")
    _fits(board.cargo, SHIP_CAPACITY, f"{path}.ship.cargo")
    card = looked_up(given["card"], f"{path}.card", _CARD_INDEX)
    return board, whole(given["cash"], f"{path}.cash"), card


def _fits(goods: Bag | Store, room: int, path: str) -> None:
    if sum(goods) > room:
        raise NotationError(path, f"holds {sum(goods)} containers, there is room for {room} (1.6)")


def _factories(value: object, path: str) -> tuple[int | None, ...]:
    found: list[int | None] = []
    for slot, name in enumerate(listing(value, path, len(FACTORY_PRICES))):
        colour = None if name is None else looked_up(name, joined(path, slot), _COLOUR_INDEX)
        if colour is not None and colour in found:
            raise NotationError(joined(path, slot), "a second factory of this colour (1.6)")
        found.append(colour)
    return tuple(found)


def _check_unpaid(table: Table, given: dict[str, object]) -> None:
    if (table.phase in SEIZURE_PHASES) != ("unpaid" in given):
        phases = ", ".join(SEIZURE_PHASES)
        raise NotationError("unpaid", f"stands in the phases {phases}, and in no other")
    if "unpaid" in given:
        most = table.boards[table.seat].loans
        table.unpaid = whole(given["unpaid"], "unpaid", 1, most)


def _check_phase(state: State) -> None:
    """Refuse a phase that the rest of the position contradicts."""
    table = state.table
    board = table.boards[table.seat]
    if table.sold_domestic and not table.options.domestic_sale:
        raise NotationError("sold_domestic", "is false where the option is off")
    if table.phase == "over":
        if table.actions_left:
            raise NotationError("actions_left", "is 0 when the game is over")
        table.end = end_reason(table)
        if table.end is None:
            raise NotationError("phase", "nothing has ended this game (8.1, 8.2)")
    elif table.phase not in (*AUCTION_PHASES, START_TURN) and not table.actions_left:
        raise NotationError("actions_left", f"is 1 or 2 in phase {table.phase}")
    elif table.phase == "interest":
        if board.loans != 1 or state.cash[table.seat] or table.loans_taken or only_an_asset(board):
            problem = "the seat to move has no choice about its interest (3.2)"
            raise NotationError("phase", problem)
    elif table.phase in SEIZURE_PHASES:
        asked = _question(state)
        if table.phase != asked and not (
            # asked next once the debtor has said "factory" (3.3c)
            (table.phase, asked) == ("seize_factory", "asset") and len(seizable_factories(board)) > 1
        ):
            problem = "nothing is to be decided" if asked is None else f"the question is {asked}"
            raise NotationError("phase", f"{problem} (3.3, 3.6)")


def _question(state: State) -> str | None:
    """Return the phase in which the first unpaid loan is dealt with, None where nobody is asked."""
    trial = copy_state(state)
    settle(trial, None)
    return trial.table.phase if trial.table.unpaid == state.table.unpaid else None


def _check_auction(state: State, value: object) -> None:
    """Read the auction and refuse one that the rest of the position contradicts (6)."""
    table = state.table
    if table.phase not in AUCTION_PHASES:
        if value is not None:
            raise NotationError("auction", f"is null in phase {table.phase}")
        return
    board = table.boards[table.seat]
    if board.ship_at != ISLAND or board.cargo == EMPTY_BAG:
        raise NotationError(f"seats.{table.seat}.ship", "an auction needs a lot at the island")
    given = mapping(value, "auction", ("bids", "extra", "winners"))
    everyone = tuple(seat for seat in range(table.options.seats) if seat != table.seat)
    bids = _bids(state, given["bids"], "auction.bids", everyone, (0,) * len(state.cash))
    nobody = (None,) * len(bids)
    all_in = bids.count(None) == 1
    tied = highest(bids) if all_in else ()
    if len(tied) < 2:
        tied = ()
    first = tuple(amount or 0 for amount in bids)
    extra = _bids(state, given["extra"], "auction.extra", tied, first)
    extra_in = bool(tied) and extra.count(None) == len(bids) - len(tied)
    stage = "bid" if not all_in else "extra_bid" if tied and not extra_in else "sale"
    if table.phase != stage:
        raise NotationError("auction", f"with these bids the phase is {stage}")
    winners = tuple(
        whole(seat, f"auction.winners.{place}")
        for place, seat in enumerate(listing(given["winners"], "auction.winners"))
    )
    due: tuple[int, ...] = ()
    if stage == "sale":
        due = highest(extra) if tied else highest(bids)
    if winners != due:
        raise NotationError("auction.winners", f"with these bids that is {list(due)}")
    if stage in SEALED_PHASES:
        state.sealed_bids = list(bids if stage == "bid" else extra)
        state.sealed_loans = [0] * len(bids)
    table.auction = Auction(
        bids=nobody if stage == "bid" else bids,
        extra=extra if stage == "sale" else nobody,
        winners=winners,
    )


def _bids(
    state: State, value: object, path: str, allowed: tuple[int, ...], before: tuple[int, ...]
) -> tuple[int | None, ...]:
    """Return bids by seat, none by who does not bid and none above the cash."""
    found: list[int | None] = []
    for seat, amount in enumerate(listing(value, path, len(state.cash))):
        place = joined(path, seat)
        if amount is None:
            found.append(None)
            continue
        if seat not in allowed:
            raise NotationError(place, "this seat does not bid here: null")
        found.append(whole(amount, place, 0, state.cash[seat] - before[seat]))
    return tuple(found)
