"""Playouts: whole plays in place, without events, as fast as the rules go."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from gavelport_engine.rng import Stream

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gavelport_engine.game import AnyGame, Decision
    from gavelport_engine.rng import Rng

LIMIT = 1_000_000
"""Decisions after which a play is taken for endless."""


class Choose(Protocol):
    """A player without memory: answers a decision from the state."""

    def __call__(self, game: AnyGame, state: Any, seat: int, decision: Decision[Any]) -> Any:
        """Return a legal action."""
        ...


@dataclass(frozen=True, slots=True)
class Playout:
    """A finished play."""

    state: Any
    decisions: int
    kinds: Counter[type]
    """How many actions of each class were played."""


def playout(game: AnyGame, options: Any, seed: bytes, choose: Mapping[int, Choose] | None = None) -> Playout:
    """Return a play from a seed to its end.

    Seats in `choose` are played by it, all others at random (`ActionSpace.sample`) from the stream
    SHA-256(seed ‖ "playout" ‖ i). Raises RuntimeError for a play that does not end.
    """
    return play_on(game, game.initial_state(options, seed), Stream(seed, "playout"), choose)


def play_on(game: AnyGame, state: Any, rng: Rng, choose: Mapping[int, Choose] | None = None) -> Playout:
    """Play a state on to its end, in place; see `playout`."""
    kinds: Counter[type] = Counter()
    decisions = 0
    to_act, decision, apply_in_place = game.to_act, game.decision, game.apply_in_place
    while seats := to_act(state):
        actions = {}
        for seat in seats:
            asked = decision(state, seat)
            if choose and seat in choose:
                action = choose[seat](game, state, seat, asked)
            else:
                action = asked.space.sample(rng)
            actions[seat] = action
            kinds[type(action)] += 1
        decisions += len(seats)
        if decisions > LIMIT:
            raise RuntimeError(f"{game.id}: a play does not end within {LIMIT} decisions")
        apply_in_place(state, actions, None)
    return Playout(state, decisions, kinds)


@dataclass(frozen=True, slots=True)
class Bench:
    """What a bench run counted; `seconds` of CPU time."""

    games: int
    decisions: int
    kinds: Counter[type]
    ends: Counter[str]
    """How many games ended how (`Outcome.end`)."""
    seconds: float


def bench(game: AnyGame, options: Any, seconds: float, first_seed: int = 0) -> Bench:
    """Play random games for about so many seconds of CPU time, one seed after the other."""
    kinds: Counter[type] = Counter()
    ends: Counter[str] = Counter()
    games = decisions = 0
    start = time.process_time()
    spent = 0.0
    while spent < seconds:
        played = playout(game, options, (first_seed + games).to_bytes(32, "big"))
        games += 1
        decisions += played.decisions
        kinds += played.kinds
        ends[game.outcome(played.state).end] += 1
        spent = time.process_time() - start
    return Bench(games, decisions, kinds, ends, spent)
