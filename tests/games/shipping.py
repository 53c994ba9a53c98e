"""Shipping's values: anything that a message can carry, reachable or not."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from gavelport_engine.game import SPECTATOR
from gavelport_engine.shipping import actions as act
from gavelport_engine.shipping import events as ev
from gavelport_engine.shipping.data import (
    GOOD_IDS,
    GOODS,
    HOMES,
    NEWS,
    ORDER_IDS,
    ORDERS,
    REGION_IDS,
    REGIONS,
    SPACES,
    STOCK_VALUES,
    TRACK,
)
from gavelport_engine.shipping.rules import SHIPPING
from gavelport_engine.shipping.table import (
    ASSETS,
    BANK,
    BILLS,
    LARGE_SHIPS,
    PHASES,
    SHIP_NAMES,
    Board,
    HeldOrder,
    Observation,
    Options,
    Pending,
    Secrets,
    Ship,
    Table,
)
from hypothesis import strategies as st

from tests.games.samples import Samples
from tests.strategies import numbers, seeds, values_of

if TYPE_CHECKING:
    from gavelport_engine.game import Viewer
    from gavelport_engine.shipping.table import State

seats = st.integers(0, 4)
goods = st.integers(0, len(GOODS) - 1)
regions = st.integers(0, len(REGIONS) - 1)
spaces = st.integers(0, len(SPACES) - 1)
ships = st.integers(0, len(SHIP_NAMES) - 1)
orders = st.integers(0, len(ORDERS) - 1)
parties = st.one_of(st.just(BANK), seats)
news = st.integers(0, len(NEWS) - 1)
order_lists = st.lists(orders, max_size=6).map(tuple)

_BY_NAME: dict[str, st.SearchStrategy[Any]] = {
    "seat": seats,
    "ship": ships,
    "path": st.lists(spaces, max_size=5).map(tuple),
    "boost": st.booleans(),
    "good": goods,
    "region": regions,
    "kind": st.sampled_from(("small", "large")),
    "payer": parties,
    "payee": parties,
    "owner": parties,
    "purpose": st.sampled_from(ev.PURPOSES),
    "bonus": st.sampled_from([space.bonus for space in TRACK]),
    "cargo": st.lists(goods, max_size=2).map(sorted).map(tuple),
    "orders": order_lists,
    "order": st.none() | orders,
    "card": orders,
    "asset": st.sampled_from(ASSETS),
    "end": st.sampled_from(ev.ENDS),
}
_MAYBE = {"ship": st.none() | ships, "region": st.none() | regions}
_BY_KIND: dict[type[Any], dict[str, st.SearchStrategy[Any]]] = {
    act.SellAsset: _MAYBE,
    ev.AssetSold: _MAYBE,
    ev.OrderOpened: {"card": st.none() | orders},
    ev.OrderDrawn: {"card": st.none() | orders},
    ev.NewsDrawn: {"card": news},
    ev.Owed: {"purpose": st.sampled_from(BILLS)},
}

actions = st.one_of([values_of(kind, _BY_NAME, _BY_KIND) for kind in act.KINDS.values()])
events = st.one_of([values_of(kind, _BY_NAME, _BY_KIND) for kind in ev.KINDS.values()])
options = st.builds(Options, seats=st.integers(2, 5), years=st.integers(3, 5), no_elimination=st.booleans())


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """Return boards whose cards may be those of any other board, too."""
    fleet: list[Ship | None] = []
    for ship in range(len(SHIP_NAMES)):
        room = 2 if ship in LARGE_SHIPS else 1
        cargo = st.lists(goods, max_size=room).map(sorted).map(tuple)
        fleet.append(draw(st.none() | st.builds(Ship, at=spaces, cargo=cargo, moved=st.booleans())))
    built = draw(st.tuples(*[st.integers(0, 3)] * len(REGIONS)))
    return Board(
        cash=draw(numbers),
        stock=draw(st.sampled_from(STOCK_VALUES)),
        track=draw(st.integers(0, len(TRACK))),
        home=draw(st.sampled_from(HOMES)),
        ships=tuple(fleet),
        built=built,
        marked=tuple(draw(st.integers(0, count)) for count in built),
        orders=tuple(draw(st.lists(st.builds(HeldOrder, card=st.none() | orders, done=numbers), max_size=5))),
        completed=draw(numbers),
        bankrupt=draw(st.none() | st.integers(1, 5)),
    )


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Return public tables."""
    chosen = draw(options)
    taken = st.integers(0, chosen.seats - 1)
    phase = draw(st.sampled_from(PHASES))
    row = st.lists(st.integers(BANK, chosen.seats - 1), max_size=6).map(tuple)
    plain = dict.fromkeys(("year", "quarter", "turn", "ap", "boosts", "order_deck", "news_deck", "reshuffles"), numbers)
    pending = st.builds(Pending, seat=taken, due=numbers, purpose=st.sampled_from(BILLS))
    return draw(
        st.builds(
            Table,
            options=st.just(chosen),
            start=taken,
            seat=taken,
            phase=st.just(phase),
            ap_bought=st.booleans(),
            share_sold=st.booleans(),
            produced=st.tuples(*[numbers] * len(GOODS)),
            pending=pending if phase == "raise" else st.none(),
            rows=st.lists(row, min_size=len(GOODS), max_size=len(GOODS)),
            open_orders=st.tuples(*[st.none() | orders] * 4),
            order_discard=st.sets(orders).map(sorted).map(tuple),
            news=st.lists(news, max_size=24).map(tuple),
            boards=st.lists(boards(), min_size=chosen.seats, max_size=chosen.seats),
            **plain,
        )
    )


@st.composite
def observations(draw: st.DrawFn) -> Observation:
    """Return observations whose hands go with the boards."""
    table = draw(tables())
    hands = tuple(
        tuple(draw(orders) if order.card is None else order.card for order in board.orders) for board in table.boards
    )
    secrets = st.builds(
        Secrets, seed=seeds, order_deck=order_lists, news_deck=st.lists(news).map(tuple), hands=st.just(hands)
    )
    everything = draw(st.none() | secrets)
    if draw(st.booleans()):
        return Observation(SPECTATOR, table, None, everything)
    viewer = draw(st.integers(0, table.options.seats - 1))
    return Observation(viewer, table, hands[viewer], everything)


def other_secrets(state: State, viewer: Viewer) -> State:
    """Return a position that differs in all that the viewer may not know: seed, decks, others' hidden Orders."""
    other = SHIPPING.copy(state)
    other.seed = bytes(byte ^ 255 for byte in state.seed)
    other.news_deck = state.news_deck[1:] + state.news_deck[:1]
    hidden = [
        (seat, place)
        for seat, board in enumerate(state.table.boards)
        if seat != viewer
        for place, order in enumerate(board.orders)
        if order.card is None
    ]
    cards = [*state.order_deck, *(state.hands[seat][place] for seat, place in hidden)]
    cards = cards[1:] + cards[:1]
    deck = len(state.order_deck)
    other.order_deck = tuple(cards[:deck])
    hands = [list(hand) for hand in state.hands]
    for (seat, place), card in zip(hidden, cards[deck:], strict=True):
        hands[seat][place] = card
    other.hands = [tuple(hand) for hand in hands]
    return other


SAMPLES = Samples(
    game=SHIPPING,
    kinds=(act.KINDS, ev.KINDS),
    actions=actions,
    events=events,
    options=options,
    observations=observations(),
    long=Options(no_elimination=True),
    phases=frozenset({"turn", "raise", "over"}),
    other_secrets=other_secrets,
    shortened=lambda given: dataclasses.replace(given, years=3),
    deals=lambda deal: [{"order": order} for order in deal["orders"][: len(deal["homes"])]],
    revealed=lambda state, seat: {"orders": [ORDER_IDS[card] for card in state.hands[seat]]},
    enums={
        "ShippingGood": GOOD_IDS,
        "ShippingRegion": REGION_IDS,
        "ShippingSpace": SPACES,
        "ShippingShipName": SHIP_NAMES,
    },
    held_back="everything",
)
