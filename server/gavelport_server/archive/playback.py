"""A replay played again: what its decisions mean, found by the rules (design 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gavelport_engine.game import Trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gavelport_engine.game import Checkpoint

    from gavelport_server.archive.record import Choice, Replay


class Difference(Exception):  # noqa: N818  what was found, not what went wrong
    """A replay is not what its match must have been; the text is the first difference, in words."""


@dataclass(frozen=True, slots=True)
class Step:
    """One decision played again. `turn`, `seat` and `phase` are those in which it was taken."""

    number: int
    """From 1."""
    turn: int
    seat: int
    phase: str
    choice: Choice
    events: Sequence[Any]
    """The game's typed events that followed at once."""
    checkpoints: Sequence[Checkpoint]
    """Those that the decision led past."""

    @property
    def place(self) -> str:
        """Return where the decision stands, for people."""
        return f"decision {self.number} (turn {self.turn}, seat {self.seat}, {self.phase})"


class Playback:
    """The match of a replay, played from its seed.

    Iterate once over the steps; then `state` is the final position. `opening` holds what happened before the first
    decision.
    """

    def __init__(self, replay: Replay) -> None:
        header = replay.header
        self.replay = replay
        self.game = header.game
        self.opening: Trace[Any] = self.game.opening(header.options, replay.seed)
        self.state: Any = self.game.initial_state(header.options, replay.seed)

    def __iter__(self) -> Iterator[Step]:
        """Yield every decision after playing it.

        Raises Difference for an action that is not legal, for a default that is none, for a decision after the end
        and for a match that is not over with the last decision.
        """
        game, state = self.game, self.state
        for number, choice in enumerate(self.replay.choices, 1):
            acting = game.to_act(state)
            if not acting:
                raise Difference(f"decision {number}: the match was over with decision {number - 1}")
            seat, turn = acting[0], game.turn(state)
            phase = game.decision(state, seat).phase
            trace = Trace[Any]()
            step = Step(number, turn, seat, phase, choice, trace.events, trace.checkpoints)
            action = choice.action
            if fault := game.fault(state, seat, action):
                played = game.action_to_notation(action)
                raise Difference(f"{step.place}: {played} is not legal: {fault.code}: {fault.sentence}")
            if choice.fault is not None and action != (default := game.default(state, seat)):
                played, due = game.action_to_notation(action), game.action_to_notation(default)
                raise Difference(
                    f"{step.place}: {played} was played for a bot at fault ({choice.fault}), where the default is {due}"
                )
            game.apply_in_place(state, {seat: action}, trace)
            yield step
        if acting := game.to_act(state):
            raise Difference(
                f"after the last decision ({len(self.replay.choices)}): the match is not over; "
                f"{game.decision(state, acting[0]).phase} is asked of seat {acting[0]}"
            )
