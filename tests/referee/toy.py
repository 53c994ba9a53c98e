"""Toy: the smallest game with everything that a referee must handle.

Each round one seat picks a number (phase `pick`), then all others guess at once, unseen (phase `guess`). A picked
number is told to the picker alone; at the reveal the guesses are told to all. The highest sum wins.
An action is a whole number from 0 to 9, the default is 0, and 7 is against the rules.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from gavelport_engine.errors import Fault
from gavelport_engine.game import (
    SPECTATOR,
    Checkpoint,
    Decision,
    Game,
    Json,
    Outcome,
    Trace,
    Viewer,
    competition_ranks,
)
from gavelport_engine.rng import Rng


@dataclass(frozen=True, slots=True)
class Options:
    seats: int = 3
    rounds: int = 4


@dataclass(slots=True)
class State:
    options: Options
    secret: int
    round: int = 0
    picked: int | None = None
    guesses: dict[int, int] = field(default_factory=dict)
    sums: list[int] = field(default_factory=list)

    def picker(self) -> int:
        return self.round % self.options.seats


@dataclass(frozen=True, slots=True)
class Event:
    kind: str
    seat: int
    numbers: tuple[int, ...] = ()
    only: int | None = None
    """The one seat that may see it, or None for everybody."""


@dataclass(frozen=True, slots=True)
class Space:
    def kinds(self) -> tuple[str, ...]:
        return ("number",)

    def contains(self, action: object) -> bool:
        return isinstance(action, int) and 0 <= action <= 9 and action != 7

    def enumerate(self) -> Iterator[int] | None:
        return (number for number in range(10) if number != 7)

    def sample(self, rng: Rng) -> int:
        return rng.below(7)


class Toy(Game[Options, State, int, Json, Event]):
    name = "toy"
    version = 1
    least_seats = 2
    most_seats = 5
    total_unit = "points"
    sealed_phases = ("guess",)
    fault_codes: ClassVar = {"number": "No number from 0 to 9.", "seven": "Seven is against the rules."}

    def options(self, given: Mapping[str, object]) -> Options:
        return Options(**given)  # type: ignore[arg-type]

    def options_to_notation(self, options: Options) -> Json:
        return {"seats": options.seats, "rounds": options.rounds}

    def seats(self, options: Options) -> int:
        return options.seats

    def initial_state(self, options: Options, seed: bytes) -> State:
        return State(options, seed[0], sums=[0] * options.seats)

    def opening(self, options: Options, seed: bytes) -> Trace[Event]:
        return Trace([Event("round", 0)])

    def deal_to_notation(self, options: Options, seed: bytes) -> Json:
        return {}

    def copy(self, state: State) -> State:
        return State(state.options, state.secret, state.round, state.picked, dict(state.guesses), list(state.sums))

    def to_act(self, state: State) -> tuple[int, ...]:
        if state.round == state.options.rounds:
            return ()
        if state.picked is None:
            return (state.picker(),)
        return tuple(s for s in range(state.options.seats) if s != state.picker() and s not in state.guesses)

    def turn(self, state: State) -> int:
        return state.round + 1

    def decision(self, state: State, seat: int) -> Decision[int]:
        return Decision("pick" if state.picked is None else "guess", Space(), state.picked is not None)

    def fault(self, state: State, seat: int, action: object) -> Fault | None:
        if not isinstance(action, int) or not 0 <= action <= 9:
            return Fault("number", "a number from 0 to 9 is asked for")
        return Fault("seven", "7 is against the rules; take another number") if action == 7 else None

    def default(self, state: State, seat: int) -> int:
        return 0

    def apply_in_place(self, state: State, actions: Mapping[int, int], trace: Trace[Event] | None) -> None:
        trace = Trace() if trace is None else trace
        for seat in sorted(actions):
            assert self.fault(state, seat, actions[seat]) is None
            assert seat in self.to_act(state)
            if state.picked is None:
                state.picked = actions[seat]
                state.sums[seat] += actions[seat]
                trace.events += [Event("picked", seat), Event("own", seat, (actions[seat],), only=seat)]
            else:
                state.guesses[seat] = actions[seat]
        if state.picked is not None and not self.to_act(state):
            guesses = tuple(state.guesses.get(seat, -1) for seat in range(state.options.seats))
            trace.events.append(Event("reveal", state.picker(), guesses))
            for seat, guess in state.guesses.items():
                state.sums[seat] += guess
            state.round, state.picked, state.guesses = state.round + 1, None, {}
            trace.checkpoints.append(Checkpoint({"record": "turn", "turn": state.round}, self.fingerprint(state)))
            over = state.round == state.options.rounds
            trace.events.append(Event("over", 0) if over else Event("round", state.picker()))

    def observation(self, state: State, viewer: Viewer) -> Json:
        own = None if viewer is SPECTATOR else state.guesses.get(viewer)
        return {"round": state.round, "sums": list(state.sums), "own": own}

    def visible(self, event: Event, viewer: Viewer) -> Event | None:
        return event if event.only in (None, viewer) else None

    def observed_decision(self, observation: Json) -> Decision[int] | None:
        raise NotImplementedError

    def outcome(self, state: State, retired: Collection[int] = ()) -> Outcome:
        if self.to_act(state):
            raise ValueError("somebody is to act")
        sums: list[object] = list(state.sums)
        return Outcome("rounds", tuple(state.sums), competition_ranks(sums, retired), tuple({} for _ in sums))

    def to_notation(self, state: State) -> Json:
        return {"round": state.round, "picked": state.picked, "guesses": state.guesses, "sums": state.sums}

    def from_notation(self, position: object) -> State:
        raise NotImplementedError

    def action_to_notation(self, action: int) -> Json:
        return {"number": action}

    def action_from_notation(self, action: object) -> int:
        raise NotImplementedError

    def event_to_notation(self, event: Event) -> Json:
        return {"event": event.kind, "seat": event.seat, "numbers": list(event.numbers)}

    def observation_to_notation(self, observation: Json) -> Json:
        return observation

    def fingerprint(self, state: State) -> bytes:
        return json.dumps(self.to_notation(state)).encode().ljust(32)[:32]


TOY = Toy()
