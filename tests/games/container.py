"""Container's values: anything that a message can carry, reachable or not."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING, Any

from gavelport_engine.container import actions as act
from gavelport_engine.container import events as ev
from gavelport_engine.container.actions import ISLAND, SEA
from gavelport_engine.container.goods import COLOUR_NAMES, COLOURS, TOP_PRICE
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.table import CARD_NAMES, Auction, Board, Observation, Options, Table
from gavelport_engine.game import SPECTATOR
from hypothesis import strategies as st

from tests.games.samples import Samples
from tests.strategies import numbers, values_of

if TYPE_CHECKING:
    from gavelport_engine.container.table import State
    from gavelport_engine.game import Viewer

seats = st.integers(0, 4)
bags = st.tuples(*[numbers] * COLOURS)
stores = st.one_of(
    st.tuples(*[st.integers(0, 2)] * (TOP_PRICE * COLOURS)),
    st.dictionaries(st.integers(0, TOP_PRICE * COLOURS - 1), numbers, max_size=4).map(
        lambda counts: tuple(counts.get(index, 0) for index in range(TOP_PRICE * COLOURS))
    ),
)
colours = st.integers(0, COLOURS - 1)
places = st.one_of(st.just(SEA), st.just(ISLAND), seats)
parties = st.one_of(st.just(ev.BANK), seats)
amounts = st.lists(st.none() | numbers, min_size=3, max_size=5).map(tuple)

_BY_NAME: dict[str, st.SearchStrategy[Any]] = {
    "island": bags,
    "make": bags,
    "lot": bags,
    "harbour_store": stores,
    "factory_store": stores,
    "take": stores,
    "colour": colours,
    "payer": parties,
    "payee": parties,
    "purpose": st.sampled_from(ev.PURPOSES),
    "asset": st.sampled_from(("factory", "warehouse")),
    "store": st.sampled_from(("factory", "harbour")),
    "bids": amounts,
    "extra": amounts,
    "accepted": st.booleans(),
    "end": st.sampled_from(("two_colours", "max_rounds", "stalled")),
}
_BY_KIND: dict[type[Any], dict[str, st.SearchStrategy[Any]]] = {
    act.Sail: {"to": places},
    ev.Sailed: {"to": places},
    ev.BidsRevealed: {"loans": st.lists(numbers, max_size=5).map(tuple)},
    ev.ExtraBidsRevealed: {"loans": st.lists(numbers, max_size=5).map(tuple)},
    ev.Seized: {name: st.none() | _BY_NAME[name] for name in ("island", "harbour_store", "factory_store")},
}


actions = st.one_of([values_of(kind, _BY_NAME, _BY_KIND) for kind in act.KINDS.values()])
events = st.one_of([values_of(kind, _BY_NAME, _BY_KIND) for kind in ev.KINDS.values()])

options = st.builds(
    Options,
    seats=st.integers(3, 5),
    supply_per_player=st.integers(1, 10**6),
    domestic_sale=st.booleans(),
    seized_to=st.sampled_from(("box", "supply")),
    max_rounds=st.integers(0, 10**6),
    stall_rounds=st.integers(0, 10**6),
)

_PHASES = ("interest", "seize", "asset", "seize_factory", "action", "bid", "extra_bid", "sale", "over")

_boards = st.builds(
    Board,
    loans=numbers,
    factories=st.tuples(*[st.none() | colours] * 4),
    warehouses=numbers,
    factory_store=stores,
    harbour_store=stores,
    ship_at=places,
    cargo=bags,
    island=bags,
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Return public tables with anything in them that a message can carry, reachable or not."""
    chosen = draw(options)
    by_seat = partial(st.lists, min_size=chosen.seats, max_size=chosen.seats)
    phase = draw(st.sampled_from(_PHASES))
    auctions = st.builds(
        Auction,
        bids=by_seat(st.none() | numbers).filter(lambda bids: phase == "bid" or any(bids)).map(tuple),
        extra=by_seat(st.none() | numbers).map(tuple),
        winners=st.lists(seats, max_size=3).map(tuple),
    )
    plain = dict.fromkeys(("turn", "actions_left", "loans_taken", "loans_repaid", "quiet_turns", "unpaid"), numbers)
    flags = {name: st.booleans() for name in ("produced", "sold_domestic", "busy")}
    return draw(
        st.builds(
            Table,
            options=st.just(chosen),
            seat=st.integers(0, chosen.seats - 1),
            phase=st.just(phase),
            supply=bags,
            removed=bags,
            boards=by_seat(_boards),
            auction=auctions if phase in {"bid", "extra_bid", "sale"} else st.none(),
            end=st.none() | _BY_NAME["end"],
            **plain,
            **flags,
        )
    )


@st.composite
def observations(draw: st.DrawFn) -> Observation:
    """Return observations with anything in them that a message can carry, reachable or not."""
    table = draw(tables())
    count = table.options.seats
    cards = st.integers(0, 4)
    everyone = draw(st.none() | st.lists(st.tuples(numbers, cards), min_size=count, max_size=count).map(tuple))
    if draw(st.booleans()):
        return Observation(SPECTATOR, table, None, None, None, everyone)
    viewer = draw(st.integers(0, count - 1))
    return Observation(viewer, table, draw(numbers), draw(cards), draw(st.none() | numbers), everyone)


def other_secrets(state: State, viewer: Viewer) -> State:
    """Return a position that differs in all that the viewer may not know: others' cash, cards and sealed bids."""
    other = CONTAINER.copy(state)
    hidden = [seat for seat in range(len(state.cash)) if seat != viewer]
    cards = list(other.cards)
    unused = [card for card in range(5) if card not in cards]
    for seat in hidden:
        other.cash[seat] += 7 + seat
        if other.sealed_bids and other.sealed_bids[seat] is not None:
            other.sealed_bids[seat] = None
            other.sealed_loans[seat] = 0
        elif other.sealed_bids:
            other.sealed_bids[seat] = 3
            other.sealed_loans[seat] = 1
    swapped = [cards[seat] for seat in hidden] + unused
    for seat, card in zip(hidden, swapped[1:] + swapped[:1], strict=False):
        cards[seat] = card
    other.cards = tuple(cards)
    return other


SAMPLES = Samples(
    game=CONTAINER,
    kinds=(act.KINDS, ev.KINDS),
    actions=actions,
    events=events,
    options=options,
    observations=observations(),
    long=Options(max_rounds=25),
    phases=frozenset({"action", "seize", "bid", "extra_bid", "sale", "over"}),
    other_secrets=other_secrets,
    shortened=lambda given: dataclasses.replace(
        given, supply_per_player=given.supply_per_player % 6 + 1, max_rounds=20, stall_rounds=5
    ),
    deals=lambda deal: [{"card": card} for card in deal["cards"]],
    revealed=lambda state, seat: {"card": CARD_NAMES[state.cards[seat]]},
    enums={"ContainerColour": COLOUR_NAMES},
    held_back="everyone",
)
