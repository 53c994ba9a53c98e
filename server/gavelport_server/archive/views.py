"""What one seat saw of a match, decision by decision, for its bot's owner (design 7).

Derived by playing the replay again and looking through the game's own filters, as the referee did. It holds nothing of
other seats' secrets, of the seed or of what was still to come, so an owner may have it while the replay is sealed.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gavelport_server.archive.playback import Playback
from gavelport_server.archive.private import Withheld

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gavelport_engine.game import Json

    from gavelport_server.archive.playback import Step
    from gavelport_server.archive.private import PrivateText
    from gavelport_server.archive.record import Replay


def seat_view(replay: Replay, seat: int) -> Iterator[Json]:
    """Yield what a seat was told and did: a header, its decisions, and the end as its bot was told of it.

    Each decision has what the seat saw when it was asked, what happened since it was last asked, and what came of the
    asking. A text that the replay does not hold is None. Positions, events and actions are in the notation.

    Raises ValueError for a seat that there is not, Difference where the replay turns out to be untrue.
    """
    header = replay.header
    if not 0 <= seat < len(header.seats):
        raise ValueError(f"seat {seat}: match {header.match_id} has seats 0 to {len(header.seats) - 1}")
    yield {
        "record": "header",
        "match": header.match_id,
        "game": header.game.id,
        "options": header.game.options_to_notation(header.options),
        "seats": [asdict(each) for each in header.seats],
        "seat": seat,
        "clock": asdict(header.clock),
        "commitment": header.commitment,
    }
    view = _View(Playback(replay), seat)
    for step in view.playback:
        if step.seat == seat:
            yield view.decision(step)
        view.follow(step)
    end = replay.end
    yield {
        "record": "end",
        "events": view.news,
        "end": end.end,
        "retired": list(end.retired),
        header.game.total_unit: list(end.totals),
        "ranks": list(end.ranks),
        "refusals": end.refusals[seat],
        "first_fault": _text(end.first_faults[seat]),
    }


class _View:
    """Looks on with the eyes of a seat."""

    def __init__(self, playback: Playback, seat: int) -> None:
        self.playback, self._seat = playback, seat
        self.news: list[Json] = []
        """Events that the seat saw and was not asked after yet."""
        self._asked: Json | None = None
        """What the seat saw when it was asked, while its answer is out; all of a sealed phase are asked at once."""
        self._count = 0
        self._see(playback.opening.events)
        self._look()

    def follow(self, step: Step) -> None:
        """Take in what came of a decision."""
        self._see(step.events)
        self._look()

    def decision(self, step: Step) -> Json:
        """Return a decision of the seat."""
        assert self._asked is not None
        asked, self._asked = self._asked, None
        self._count += 1
        choice = step.choice
        return {
            "record": "decision",
            "n": step.number,  # as in the whole replay
            "asked": self._count,
            "turn": step.turn,
            "phase": step.phase,
            **asked,
            "action": self.playback.game.action_to_notation(choice.action),
            "ms": choice.charged_ms,
            "fault": choice.fault,
            "note": _text(choice.note),
        }

    def _see(self, events: Sequence[Any]) -> None:
        game = self.playback.game
        seen = (game.visible(event, self._seat) for event in events)
        self.news += [game.event_to_notation(event) for event in seen if event is not None]

    def _look(self) -> None:
        """Keep what the seat is told with a question that has just come up."""
        game, state = self.playback.game, self.playback.state
        if self._asked is None and self._seat in game.to_act(state):
            observation = game.observation_to_notation(game.observation(state, self._seat))
            self._asked, self.news = {"observation": observation, "events": self.news}, []


def _text(text: PrivateText) -> str | None:
    return None if isinstance(text, Withheld) else text
