"""Container as a `Game` (`container.md`).

Each rule section has a module of its own:

| section | module |
|---|---|
| 1 setup, deal | `deal.py`, `prices.py`, `options.py` |
| 2 turn, 3.1 and 3.2 interest, 8.1 and 8.2 end | `turn.py` |
| 3.3 to 3.6 seizure | `seizure.py` |
| 4 domestic sale, 5 actions | `apply.py` |
| 6 auction | `auction.py` |
| 7 loans | `money.py` |
| 8.3 to 8.6 scores | `scoring.py` |
| 9 who sees what | `table.py`, `observe.py` |
| what is legal | `legal.py` (kinds), `faults.py` (single actions), `space.py`, `sampling.py` |
| gifts | `transfers.py` |
| twins of a position, events in words | `hidden.py`, `words.py` |
| notation | `forms.py`, `action_notation.py`, `event_notation.py`, `position_*.py`, `observation_reading.py` |
| fingerprints | `canonical.py` |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gavelport_engine.container import canonical, faults, scoring
from gavelport_engine.container import observe as seen
from gavelport_engine.container import options as opt
from gavelport_engine.container import position_notation as notation
from gavelport_engine.container.action_notation import action_from_notation, action_to_notation
from gavelport_engine.container.actions import Action, Pass
from gavelport_engine.container.apply import APPLY
from gavelport_engine.container.deal import deal, set_up
from gavelport_engine.container.event_notation import event_from_notation, event_to_notation
from gavelport_engine.container.events import Event
from gavelport_engine.container.goods import COLOUR_NAMES
from gavelport_engine.container.match_words import ContainerWords
from gavelport_engine.container.observation_reading import observation_from_notation
from gavelport_engine.container.position_reading import START_TURN, from_notation
from gavelport_engine.container.space import Space, to_act
from gavelport_engine.container.table import CARD_NAMES, Observation, Options, State
from gavelport_engine.container.transfers import transfers
from gavelport_engine.container.turn import begin_turn
from gavelport_engine.container.words import event_in_words
from gavelport_engine.errors import Fault
from gavelport_engine.game import SPECTATOR, Decision, Game, Outcome, Trace
from gavelport_engine.reading import shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from gavelport_engine.game import Json, Transfer, Viewer


class Container(Game[Options, State, Action, Observation, Event]):
    """The rules of Container, version 1."""

    name = "container"
    version = 1
    least_seats = opt.LEAST_SEATS
    most_seats = opt.MOST_SEATS
    total_unit = "money"
    transfer_unit = "$"
    least_transfer = 3
    pass_type = Pass
    sealed_phases: ClassVar[tuple[str, ...]] = notation.SEALED_PHASES
    fault_codes: ClassVar[Mapping[str, str]] = faults.CODES
    whole_keys = frozenset(("supply", "removed", "factory_store", "harbour_store", "cargo", "island"))

    # -- options and beginning

    def options(self, given: Mapping[str, object]) -> Options:
        """Return validated options, defaults filled in. Raises OptionsError with every problem."""
        return opt.options(given)

    def options_to_notation(self, options: Options) -> Json:
        """Return the options in full, as they stand in a position."""
        return opt.options_to_notation(options)

    def seats(self, options: Options) -> int:
        """Return the number of seats."""
        return options.seats

    def initial_state(self, options: Options, seed: bytes) -> State:
        """Return the position at the first decision (1); `opening` has its events."""
        return self._begin(options, seed, None)

    def opening(self, options: Options, seed: bytes) -> Trace[Event]:
        """Return the events that lead to the first decision: the first turn's beginning."""
        trace = Trace[Event]()
        self._begin(options, seed, trace)
        return trace

    def _begin(self, options: Options, seed: bytes, trace: Trace[Event] | None) -> State:
        state = set_up(options, deal(options, seed))
        begin_turn(state, trace)
        return state

    def deal_to_notation(self, options: Options, seed: bytes) -> Json:
        """Return the `deal` of an exported replay's header."""
        dealt = deal(options, seed)
        return {
            "factories": [COLOUR_NAMES[colour] for colour in dealt.factories],
            "cards": [CARD_NAMES[card] for card in dealt.cards],
            "start_seat": dealt.start_seat,
        }

    # -- play

    def copy(self, state: State) -> State:
        """Return an independent copy."""
        return seen.copy_state(state)

    def to_act(self, state: State) -> tuple[int, ...]:
        """Return the seats that must answer, ascending."""
        return to_act(state.table, state.sealed_bids)

    def turn(self, state: State) -> int:
        """Return the number of turns started, from 1."""
        return state.table.turn

    def decision(self, state: State, seat: int) -> Decision[Action]:
        """Return what is asked of a seat. Raises ValueError for a seat that is not to act.

        The space looks at the state: use it before the state is changed in place.
        """
        if seat not in self.to_act(state):
            raise ValueError(f"seat {seat} is not to act")
        phase = state.table.phase
        space = Space(state.table, seat, state.cash[seat])
        return Decision(phase, space, phase in notation.SEALED_PHASES)

    def fault(self, state: State, seat: int, action: object) -> Fault | None:
        """Return why the action cannot be taken, or None. Never raises, whatever is given."""
        if type(seat) is not int or seat not in self.to_act(state):
            return Fault("not_to_act", f"seat {shown(seat)} is not to act now")
        return Space(state.table, seat, state.cash[seat]).fault(action)

    def default(self, state: State, seat: int) -> Action:
        """Return what is played for a seat that does not answer (notation, "Defaults")."""
        return Space(state.table, seat, state.cash[seat]).default()

    def apply_in_place(self, state: State, actions: Mapping[int, Action], trace: Trace[Event] | None) -> None:
        """Change the state by actions that are without fault; see `Game.apply_in_place`."""
        for seat in sorted(actions) if len(actions) > 1 else actions:
            action = actions[seat]
            APPLY[type(action)](state, seat, action, trace)

    # -- what is seen

    def observation(self, state: State, viewer: Viewer) -> Observation:
        """Return all that the viewer may see of the present (9), as a value of its own."""
        return seen.observation(state, viewer)

    def visible(self, event: Event, viewer: Viewer) -> Event | None:
        """Return the event: all of them are public and whole (9.1)."""
        return event

    def observed_decision(self, observation: Observation) -> Decision[Action] | None:
        """Return the viewer's own open decision, from what it may see alone (9).

        None when it is not to act. The space looks at the observation's table.
        """
        table, viewer = observation.table, observation.viewer
        if viewer is SPECTATOR:
            return None
        bids: list[int | None] = [None] * table.options.seats
        bids[viewer] = observation.sealed_bid
        if viewer not in to_act(table, bids):
            return None
        assert observation.cash is not None
        space = Space(table, viewer, observation.cash)
        return Decision(table.phase, space, table.phase in notation.SEALED_PHASES)

    # -- the end

    def outcome(self, state: State, retired: Collection[int] = ()) -> Outcome:
        """Return how the finished game ended (8). Raises ValueError while somebody is to act."""
        return scoring.outcome(state, retired)

    # -- gifts

    def transfers(self, state: State, seat: int, action: Action) -> Iterator[Transfer]:
        """Return what an action gives away or takes, by prices and bids far from the market; see `transfers.py`."""
        return transfers(state, seat, action)

    # -- notation

    def to_notation(self, state: State) -> Json:
        """Return the whole position; sealed bids and their loans stand in it."""
        return notation.to_notation(state)

    def from_notation(self, position: object) -> State:
        """Return the position. Raises NotationError with the place.

        One in phase `start_turn` is played on to the next decision. In phases `bid` and
        `extra_bid` all loans are read as public: the notation does not tell which came with a bid.
        """
        state = from_notation(position)
        if state.table.phase == START_TURN:
            begin_turn(state, None)
        return state

    def action_to_notation(self, action: Action) -> Json:
        """Return the action in the notation."""
        return action_to_notation(action)

    def action_from_notation(self, action: object) -> Action:
        """Return the action. Raises NotationError where it cannot be read."""
        return action_from_notation(action)

    def event_to_notation(self, event: Event) -> Json:
        """Return the event in the notation."""
        return event_to_notation(event)

    def event_in_words(self, event: Event) -> str:
        """Return the event as a line for people."""
        return event_in_words(event)

    def words(self, names: Sequence[str]) -> ContainerWords:
        """Return a match in words, the seats called by these names."""
        return ContainerWords(names)

    def observation_to_notation(self, observation: Observation) -> Json:
        """Return the observation in the notation: the position with `viewer`, masked."""
        return notation.observation_to_notation(observation)

    def event_from_notation(self, event: object) -> Event:
        """Return the event. Raises NotationError where it cannot be read."""
        return event_from_notation(event)

    def observation_from_notation(self, observation: object) -> Observation:
        """Return the observation. Raises NotationError with the place."""
        return observation_from_notation(observation)

    def fingerprint(self, state: State) -> bytes:
        """Return the 32 bytes of SHA-256 over the position's canonical JSON."""
        return canonical.fingerprint(state)


CONTAINER = Container()
