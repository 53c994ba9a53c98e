"""Hypothesis strategies and random plays that the tests of several rooms share. They grow with each feature.

What is a game's own stands in `tests/games/`.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import TYPE_CHECKING, Any

from gavelport_engine.game import Trace
from gavelport_engine.rng import Stream
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gavelport_engine.game import AnyGame

LARGEST = 2**32 - 1
"""The largest number that a message carries."""

seeds = st.binary(min_size=32, max_size=32)
numbers = st.one_of(st.integers(0, 6), st.integers(0, LARGEST))

Parts = dict[str, st.SearchStrategy[Any]]


def values_of(kind: type[Any], by_name: Parts, by_kind: Mapping[type[Any], Parts]) -> st.SearchStrategy[Any]:
    """Return values of one kind of action or event, legal or not; what has no strategy is a number."""
    own = by_kind.get(kind, {})
    parts = {each.name: own.get(each.name, by_name.get(each.name, numbers)) for each in dataclasses.fields(kind)}
    return st.builds(kind, **parts)


def positions(game: AnyGame, seed: bytes, chosen: Any) -> Iterator[Any]:
    """Yield every position of a random game, and between sealed answers those in which only some have come in.

    A position is the game's own and changes with the next step.
    """
    for state, _ in steps(game, seed, chosen):
        yield state


def steps(game: AnyGame, seed: bytes, chosen: Any) -> Iterator[tuple[Any, list[Any]]]:
    """Yield the positions of a random game, each with the events that led to it; see `positions`."""
    rng = Stream(seed, "positions")
    state = game.initial_state(chosen, seed)
    yield state, game.opening(chosen, seed).events
    while acting := list(game.to_act(state)):
        seat = acting[rng.below(len(acting))]
        trace: Trace[Any] = Trace()
        game.apply_in_place(state, {seat: game.decision(state, seat).space.sample(rng)}, trace)
        yield state, trace.events


@cache
def seed_of_phases(game: AnyGame, chosen: Any, wanted: frozenset[str]) -> bytes:
    """Return the first seed whose random game comes to all wanted phases.

    Looked for, not written down: which games random players play changes with how actions are drawn.
    """
    for number in range(500):
        seed = bytes([number % 256, number // 256]) * 16
        if wanted <= {state.table.phase for state in positions(game, seed, chosen)}:
            return seed
    raise AssertionError(f"no random game of 500 with {chosen} comes to all of {sorted(wanted)}")
