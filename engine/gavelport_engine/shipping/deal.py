"""The deal (`shipping.md 2`) and how a seed gives it (`shipping-notation.md`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gavelport_engine.rng import Stream
from gavelport_engine.shipping.data import GOODS, HOMES, NEWS, ORDERS, REGIONS, SETUP
from gavelport_engine.shipping.orders import draw_hidden, open_slot
from gavelport_engine.shipping.table import (
    BANK,
    LARGE_SHIPS,
    SMALL_SHIPS,
    Board,
    Options,
    Ship,
    State,
    Table,
)
from gavelport_engine.shipping.turn import NOTHING_PRODUCED

if TYPE_CHECKING:
    from gavelport_engine.shipping.money import MaybeTrace


@dataclass(frozen=True, slots=True)
class Deal:
    """What chance decides: homes by seat, the decks before anything is dealt, top first, and who begins (2.7)."""

    homes: tuple[int, ...]
    orders: tuple[int, ...]
    news: tuple[int, ...]
    start_seat: int


def deal(options: Options, seed: bytes) -> Deal:
    """Return the deal of a seed. Raises ValueError for a seed that is not 32 bytes."""
    if len(seed) != 32:
        raise ValueError(f"a seed has 32 bytes, this one has {len(seed)}")
    stream = Stream(seed, "deal")
    homes, orders, news = list(HOMES), list(range(len(ORDERS))), list(range(len(NEWS)))
    stream.shuffle(homes)
    stream.shuffle(orders)
    stream.shuffle(news)
    n = options.seats
    return Deal(tuple(homes[:n]), tuple(orders), tuple(news), stream.below(n))


def set_up(options: Options, seed: bytes, dealt: Deal, trace: MaybeTrace) -> State:
    """Return the position in which the start seat's first turn is about to begin; Orders are dealt (2.3 to 2.7)."""
    table = Table(
        options=options,
        year=1,
        quarter=1,
        start=dealt.start_seat,
        turn=1,
        seat=dealt.start_seat,
        phase="start_turn",
        ap=0,
        boosts=0,
        ap_bought=False,
        share_sold=False,
        produced=NOTHING_PRODUCED,
        pending=None,
        rows=[(BANK,) * SETUP["initial_fill"] for _ in GOODS],
        open_orders=(None,) * SETUP["face_up_orders"],
        order_deck=len(dealt.orders),
        news_deck=len(dealt.news),
        order_discard=(),
        reshuffles=0,
        news=(),
        boards=[_board(home) for home in dealt.homes],
    )
    state = State(table, seed, dealt.orders, dealt.news, [() for _ in dealt.homes])
    for seat in range(options.seats):
        for _ in range(SETUP["start_orders_dealt"]):
            draw_hidden(state, seat, trace)
    for slot in range(SETUP["face_up_orders"]):
        open_slot(state, slot, trace)
    return state


def _board(home: int) -> Board:
    first = {*SMALL_SHIPS[: SETUP["start_small_ships"]], *LARGE_SHIPS[: SETUP["start_large_ships"]]}
    nothing = (0,) * len(REGIONS)
    return Board(
        cash=SETUP["start_cash"],
        stock=SETUP["start_stock_value"],
        track=0,
        home=home,
        ships=tuple(Ship(home) if ship in first else None for ship in (*SMALL_SHIPS, *LARGE_SHIPS)),
        built=nothing,
        marked=nothing,
    )
