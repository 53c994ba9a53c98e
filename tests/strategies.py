"""Hypothesis strategies that the tests of several rooms share. They grow with each feature."""

from __future__ import annotations

import dataclasses
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from gavelport_engine.container import actions as act
from gavelport_engine.container import events as ev
from gavelport_engine.container.actions import ISLAND, SEA
from gavelport_engine.container.goods import COLOURS, TOP_PRICE
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.table import Auction, Board, Observation, Options, Table
from gavelport_engine.game import SPECTATOR, Trace
from gavelport_engine.rng import Stream
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gavelport_engine.container.table import State

LARGEST = 2**32 - 1
"""The largest number that a message of Container carries."""

seeds = st.binary(min_size=32, max_size=32)
numbers = st.one_of(st.integers(0, 6), st.integers(0, LARGEST))
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


def values_of(kind: type[Any]) -> st.SearchStrategy[Any]:
    """Return values of one kind of action or event, legal or not."""
    own = _BY_KIND.get(kind, {})
    parts = {each.name: own.get(each.name, _BY_NAME.get(each.name, numbers)) for each in dataclasses.fields(kind)}
    return st.builds(kind, **parts)


actions = st.one_of([values_of(kind) for kind in act.KINDS.values()])
events = st.one_of([values_of(kind) for kind in ev.KINDS.values()])

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


def positions(seed: bytes, chosen: Options) -> Iterator[State]:
    """Yield every position of a random game, and between sealed bids those in which only some have come in.

    A position is the game's own and changes with the next step.
    """
    for state, _ in steps(seed, chosen):
        yield state


def steps(seed: bytes, chosen: Options) -> Iterator[tuple[State, list[ev.Event]]]:
    """Yield the positions of a random game, each with the events that led to it; see `positions`."""
    rng = Stream(seed, "positions")
    state = CONTAINER.initial_state(chosen, seed)
    yield state, CONTAINER.opening(chosen, seed).events
    while acting := list(CONTAINER.to_act(state)):
        seat = acting[rng.below(len(acting))]
        trace: Trace[ev.Event] = Trace()
        CONTAINER.apply_in_place(state, {seat: CONTAINER.decision(state, seat).space.sample(rng)}, trace)
        yield state, trace.events


@cache
def seed_of_many_phases(chosen: Options) -> bytes:
    """Return the first seed whose random game comes to actions, seizures and an auction with a tie.

    Looked for, not written down: which games random players play changes with how actions are drawn.
    """
    wanted = {"action", "seize", "bid", "extra_bid", "sale", "over"}
    for number in range(500):
        seed = bytes([number % 256, number // 256]) * 16
        if wanted <= {state.table.phase for state in positions(seed, chosen)}:
            return seed
    raise AssertionError(f"no random game of 500 with {chosen} comes to all of {sorted(wanted)}")
