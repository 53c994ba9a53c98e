"""Shipping as a `Game` (`shipping.md`).

Each rule section has a module of its own:

| section | module |
|---|---|
| 2 setup, deal | `deal.py`, `options.py` |
| 3 calendar, 4.1 a turn's beginning | `turn.py` |
| 4 to 11 actions | `apply.py` |
| 5, 6 map and movement | `movement.py` |
| 7 Terminal | `market.py` |
| 10 Orders | `orders.py` |
| 11 shares, payments | `money.py` |
| 11.4 to 11.6, 13 mandatory costs, bankruptcy | `bills.py` |
| 12 News | `news.py` |
| 14 scores | `scoring.py` |
| 15 who sees what | `table.py`, `observe.py` |
| what is legal, 16 | `legal.py` (kinds), `faults.py` (single actions), `space.py`, `sampling.py` |
| gifts | `transfers.py` |
| 18 figures | `data.toml`, `data.py`, `data_checks.py` |
| twins of a position | `hidden.py` |
| events and matches in words | `words.py`, `match_words.py` |
| notation | `forms.py`, `action_notation.py`, `event_notation.py`, `position_*.py`, `observation_reading.py` |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gavelport_engine.errors import Fault
from gavelport_engine.game import SPECTATOR, Decision, Game, Outcome, Trace
from gavelport_engine.reading import shown
from gavelport_engine.shipping import faults, scoring
from gavelport_engine.shipping import observe as seen
from gavelport_engine.shipping import options as opt
from gavelport_engine.shipping import position_notation as notation
from gavelport_engine.shipping.action_notation import action_from_notation, action_to_notation
from gavelport_engine.shipping.actions import Action, EndTurn
from gavelport_engine.shipping.apply import APPLY
from gavelport_engine.shipping.data import NEWS_IDS, ORDER_IDS, SPACES
from gavelport_engine.shipping.deal import deal, set_up
from gavelport_engine.shipping.event_notation import event_from_notation, event_to_notation
from gavelport_engine.shipping.events import Event
from gavelport_engine.shipping.match_words import ShippingWords
from gavelport_engine.shipping.observation_reading import observation_from_notation
from gavelport_engine.shipping.position_reading import from_notation
from gavelport_engine.shipping.space import Space, to_act
from gavelport_engine.shipping.table import Observation, Options, State
from gavelport_engine.shipping.transfers import transfers
from gavelport_engine.shipping.turn import begin_accounts, begin_turn, resolve_news
from gavelport_engine.shipping.words import event_in_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from gavelport_engine.game import Json, Transfer, Viewer


class Shipping(Game[Options, State, Action, Observation, Event]):
    """The rules of Shipping, version 1."""

    name = "shipping"
    version = 1
    least_seats = opt.LEAST_SEATS
    most_seats = opt.MOST_SEATS
    total_unit = "points"
    transfer_unit = "$M"
    least_transfer = 20
    pass_type = EndTurn
    fault_codes: ClassVar[Mapping[str, str]] = faults.CODES
    whole_keys = frozenset(("cargo", "produced", "pending"))

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
        """Return the position at the first decision (2); `opening` has its events."""
        return self._begin(options, seed, None)

    def opening(self, options: Options, seed: bytes) -> Trace[Event]:
        """Return the events that lead to the first decision: Orders dealt and opened, the first turn's beginning."""
        trace = Trace[Event]()
        self._begin(options, seed, trace)
        return trace

    def _begin(self, options: Options, seed: bytes, trace: Trace[Event] | None) -> State:
        state = set_up(options, seed, deal(options, seed), trace)
        begin_turn(state.table, trace)
        return state

    def deal_to_notation(self, options: Options, seed: bytes) -> Json:
        """Return the `deal` of an exported replay's header."""
        dealt = deal(options, seed)
        return {
            "homes": [SPACES[home] for home in dealt.homes],
            "orders": [ORDER_IDS[card] for card in dealt.orders],
            "news": [NEWS_IDS[card] for card in dealt.news],
            "start_seat": dealt.start_seat,
        }

    # -- play

    def copy(self, state: State) -> State:
        """Return an independent copy."""
        return seen.copy_state(state)

    def to_act(self, state: State) -> tuple[int, ...]:
        """Return the seat that must answer; decisions are taken one at a time."""
        return to_act(state.table)

    def turn(self, state: State) -> int:
        """Return the number of turns started, from 1."""
        return state.table.turn

    def decision(self, state: State, seat: int) -> Decision[Action]:
        """Return what is asked of a seat. Raises ValueError for a seat that is not to act.

        The space looks at the state: use it before the state is changed in place.
        """
        if seat not in to_act(state.table):
            raise ValueError(f"seat {seat} is not to act")
        return Decision(state.table.phase, Space(state.table, seat, state.hands[seat]), sealed=False)

    def fault(self, state: State, seat: int, action: object) -> Fault | None:
        """Return why the action cannot be taken, or None. Never raises, whatever is given."""
        if state.table.phase == "over":
            return Fault("E01", "the game is over")
        if type(seat) is not int or seat not in to_act(state.table):
            return Fault("E02", f"seat {shown(seat)} is not to act now")
        return Space(state.table, seat, state.hands[seat]).fault(action)

    def default(self, state: State, seat: int) -> Action:
        """Return what is played for a seat that does not answer (notation, "Defaults")."""
        return Space(state.table, seat, state.hands[seat]).default()

    def apply_in_place(self, state: State, actions: Mapping[int, Action], trace: Trace[Event] | None) -> None:
        """Change the state by an action that is without fault; see `Game.apply_in_place`."""
        for seat, action in actions.items():
            APPLY[type(action)](state, seat, action, trace)

    # -- what is seen

    def observation(self, state: State, viewer: Viewer) -> Observation:
        """Return all that the viewer may see of the present (15.1), as a value of its own."""
        return seen.observation(state, viewer)

    def visible(self, event: Event, viewer: Viewer) -> Event | None:
        """Return the event, a hidden Order's card left out for all but its seat (10.3)."""
        return seen.visible(event, viewer)

    def observed_decision(self, observation: Observation) -> Decision[Action] | None:
        """Return the viewer's own open decision, from what it may see alone (15.1).

        None when it is not to act. The space looks at the observation's table.
        """
        table, viewer = observation.table, observation.viewer
        if viewer is SPECTATOR or viewer not in to_act(table):
            return None
        assert observation.hand is not None
        return Decision(table.phase, Space(table, viewer, observation.hand), sealed=False)

    # -- the end

    def outcome(self, state: State, retired: Collection[int] = ()) -> Outcome:
        """Return how the finished game ended (14). Raises ValueError while somebody is to act."""
        return scoring.outcome(state, retired)

    # -- gifts

    def transfers(self, state: State, seat: int, action: Action) -> Iterator[Transfer]:
        """Return the dock fee that a move pays to another company; see `transfers.py`."""
        return transfers(state, seat, action)

    # -- notation

    def to_notation(self, state: State) -> Json:
        """Return the whole position, the seed included."""
        return notation.to_notation(state)

    def from_notation(self, position: object) -> State:
        """Return the position. Raises NotationError with the place.

        One in phase `start_turn`, `news` or `accounts` is played on to the next decision.
        """
        state = from_notation(position)
        phase = state.table.phase
        if phase == "start_turn":
            begin_turn(state.table, None)
        elif phase == "news":
            resolve_news(state, None)
        elif phase == "accounts":
            begin_accounts(state, None)
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

    def words(self, names: Sequence[str]) -> ShippingWords:
        """Return a match in words, the seats called by these names."""
        return ShippingWords(names)

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
        return notation.fingerprint(state)


SHIPPING = Shipping()
