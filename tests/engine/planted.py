"""Games with one fault each, to show that the laws catch it."""

from collections.abc import Mapping
from typing import Any

from gavelport_engine.container import events as ev
from gavelport_engine.container.actions import Action, Bid, Pass
from gavelport_engine.container.events import Event
from gavelport_engine.container.rules import Container
from gavelport_engine.container.table import Observation, Options, State
from gavelport_engine.errors import Fault
from gavelport_engine.game import Json, Trace, Viewer


class LeakyObservation(Container):
    """Shows how much cash all others hold together."""

    def observation(self, state: State, viewer: Viewer) -> Observation:
        seen = super().observation(state, viewer)
        seen.table.quiet_turns += sum(state.cash)
        return seen


class LeakyEvents(Container):
    """Tells with a pass who is richest."""

    def apply_in_place(self, state: State, actions: Mapping[int, Action], trace: Trace[Event] | None) -> None:
        richest = state.cash.index(max(state.cash))
        super().apply_in_place(state, actions, trace)
        if trace is not None and Pass() in actions.values():
            trace.events.append(ev.Passed(richest))


class LeakyFault(Container):
    """Tells with a refusal how much the others hold."""

    def fault(self, state: State, seat: int, action: object) -> Fault | None:
        found = super().fault(state, seat, action)
        return found and Fault(found.code, f"{found.sentence}, of {sum(state.cash)} in all")


class Lenient(Container):
    """Finds no fault in what is no action at all."""

    def fault(self, state: State, seat: int, action: object) -> Fault | None:
        return None if action == 7 else super().fault(state, seat, action)


class Uncoded(Container):
    """Refuses with codes that stand in no list."""

    def fault(self, state: State, seat: int, action: object) -> Fault | None:
        found = super().fault(state, seat, action)
        return found and Fault("nope", found.sentence)


class Unannounced(Container):
    """Does not say which phases are sealed."""

    sealed_phases = ()


class Endless(Container):
    """Never tires."""

    def apply_in_place(self, state: State, actions: Mapping[int, Action], trace: Trace[Event] | None) -> None:
        super().apply_in_place(state, actions, trace)
        state.table.turn = min(state.table.turn, 3)
        state.table.quiet_turns = 0


class EarlyBird(Container):
    """The first bid that comes in earns a dollar."""

    def apply_in_place(self, state: State, actions: Mapping[int, Action], trace: Trace[Event] | None) -> None:
        for seat, action in sorted(actions.items()):
            if isinstance(action, Bid) and set(state.sealed_bids) == {None}:
                state.cash[seat] += 1
            super().apply_in_place(state, {seat: action}, trace)


class Talkative(Container):
    """Tells of a sealed bid as it comes in."""

    def apply_in_place(self, state: State, actions: Mapping[int, Action], trace: Trace[Event] | None) -> None:
        super().apply_in_place(state, actions, trace)
        if trace is not None and state.table.phase == "bid" and isinstance(next(iter(actions.values())), Bid):
            trace.events.append(ev.Passed(min(actions)))


class Impure(Container):
    """`apply` works on the state that it was given."""

    def copy(self, state: State) -> State:
        return state


class Forgetful(Container):
    """Its notation forgets whether the turn is busy."""

    def to_notation(self, state: State) -> Json:
        return {**super().to_notation(state), "busy": False}


class OddFingerprint(Container):
    """Its fingerprint is not that of the notation."""

    def fingerprint(self, state: State) -> bytes:
        return bytes(reversed(super().fingerprint(state)))


class WildDefault(Container):
    """Plays a bid for whoever does not answer."""

    def default(self, state: State, seat: int) -> Action:
        return Bid(0)


class Salted(Container):
    """Its deal hangs on this process's hash salt."""

    def initial_state(self, options: Options, seed: bytes) -> State:
        state = super().initial_state(options, seed)
        state.cash[0] += hash("salt") % 1000
        return state


class NoLast(Container):
    """Ranks a retired seat as if nothing had been."""

    def outcome(self, state: State, retired: Any = ()) -> Any:
        return super().outcome(state)
