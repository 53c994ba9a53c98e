"""A running match as its page shows it: the table and words out of what spectators are told, and of nothing else.

The page gets positions as the replay viewer does, by the same tables (`pages/tables/`). But spectators are told what
became public, not what was decided: so a step is all that became public at once, be it one decision or a sealed round.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, Any

from gavelport_codecs.registry import codec_for
from gavelport_engine.game import SPECTATOR

from gavelport_server.archive.playback import Step
from gavelport_server.archive.record import Choice
from gavelport_server.archive.show import seat_names
from gavelport_server.pages.delta import applied, changes
from gavelport_server.pages.scene import flows
from gavelport_server.pages.tables import TABLES
from gavelport_server.referee.report import SeatName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport.v1 import spectate_pb2 as pb
    from gavelport_engine.game import Json

KEPT = 80
"""So many steps back one may go."""
_SEAT = re.compile(r"\bseat (\d)\b")


class LiveScene:
    """One running match, from where it was joined."""

    def __init__(self, start: pb.WatchStart) -> None:
        """Take the beginning. Raises CodecError for what is none."""
        self.codec = codec_for(start.game)
        self.game = self.codec.game
        self.options = self.codec.decode_options(start.options)
        self.match_id, self.commitment, self.decisions = start.match_id, start.commitment, start.decisions
        self.seats = tuple(SeatName(seat.bot, seat.version) for seat in start.seats)
        self.names = seat_names(self.seats)
        self._words = self.game.words(self.names)
        self._table = TABLES[self.game.name](self.options, self.names, SPECTATOR)
        self._number, self._before = 0, start.decisions
        self._steps: deque[Json] = deque()
        seen = self.codec.decode_observation(start.observation, self.options)
        self._faults: list[Json] = []
        for one in start.past:
            self._note(one, seen)
        self._position, self._now = self.game.observation_to_notation(seen), self._table.now(seen)
        self._first, self._first_now = self._position, self._now
        self._extras = self._table.extras()
        self._bands: list[Json] = [{"label": "", "short": "", "at": 1}] if start.decisions else []
        self._ask(seen)

    @property
    def position(self) -> Json:
        """Return the public table as it is, in the notation."""
        return self._position

    def told(self) -> Json:
        """Return the match so far, for a page that has just come."""
        return {
            "match": self.match_id,
            "game": self.game.name,
            "unit": self.game.total_unit,
            "view": SPECTATOR.value,
            "seats": [
                {"bot": seat.bot, "version": seat.version, "name": name}
                for seat, name in zip(self.seats, self.names, strict=True)
            ],
            "fixed": self._table.fixed(),
            "start": self._first,
            "start_now": self._first_now,
            "first": self._number - len(self._steps),
            "before": self._before,
            "steps": list(self._steps),
            "decisions": self.decisions,
            "asked": self._asked,
            "bands": self._bands,
            "marks": [mark.as_json() for mark in self._table.marks()],
            "faults": self._faults,
            **self._table.extras(),
        }

    def take(self, happened: pb.WatchEvents) -> Json:
        """Return the step that a message tells. Raises CodecError."""
        seen = self.codec.decode_observation(happened.observation, self.options)
        self._number += 1
        asked, phase = self._seats_asked, self._phase
        seat = asked[0] if asked else 0
        marked, faulted, banded = len(self._table.marks()), len(self._faults), len(self._bands)
        step = self._note(happened, seen)
        told: Json = {
            "number": self._number,
            "decisions": happened.decisions,
            "seat": seat if len(asked) == 1 else None,
            "phase": phase,
            "prompt": self._asked["prompt"],
            **self._table.shown(step),
            **self._said(step.events),
        }
        if money := flows(self._table.payment(event) for event in step.events):
            told["money"] = money
        self.decisions = happened.decisions
        self._move(told, seen)
        if marks := self._table.marks()[marked:]:
            told["marks"] = [mark.as_json() for mark in marks]
        if faults := self._faults[faulted:]:
            told["faults"] = faults
        if bands := self._bands[banded:]:
            told["bands"] = bands
        self._steps.append(told)
        if len(self._steps) > KEPT:
            oldest = self._steps.popleft()
            self._before = oldest["decisions"]
            self._first = applied(self._first, oldest.get("to", []))
            self._first_now = applied(self._first_now, oldest.get("now", []))
        return told

    def end(self, message: pb.WatchEnd) -> Json:
        """Return how it ended, for the page."""
        if message.is_void:
            return {"void": True}
        return {
            "end": self._words.end(message.end),
            "ranks": list(message.ranks),
            "totals": list(message.totals),
            "decisions": self.decisions,
        }

    def _note(self, happened: pb.WatchEvents, seen: Any) -> Step:
        """Take note of what is to be jumped to. Raises CodecError."""
        decoded = [self.codec.decode_event(event) for event in happened.events]
        step = Step(happened.decisions, 0, 0, "", Choice(None, 0, None, ""), decoded, ())
        self._table.take(step, seen)
        for fault in happened.faults:
            self._faults.append({"at": fault.decision, "seat": fault.seat, "reason": fault.reason})
        return step

    def _move(self, told: Json, seen: Any) -> None:
        """Take the new position, and tell what is other in it."""
        position = self.game.observation_to_notation(seen)
        now = self._table.now(seen)
        if difference := changes(self._position, position):
            told["to"] = difference
        if difference := changes(self._now, now):
            told["now"] = difference
        self._position, self._now = position, now
        extras = self._table.extras()
        if more := [
            [name, place, one]
            for name, items in extras.items()
            for place, one in enumerate(items)
            if place >= len(self._extras[name]) or one != self._extras[name][place]
        ]:
            told["more"] = more
        self._extras = extras
        self._ask(seen)
        told["asked"] = self._asked

    def _ask(self, seen: Any) -> None:
        """Take note of what is asked of whom now."""
        self._seats_asked = tuple(self._table.asked(seen))
        self._phase, self._turn_number = self._position["phase"], self._position["turn"]
        label, short = self._table.band(self._turn_number, seen)
        if not self._bands or self._bands[-1]["label"] != label:
            self._bands.append({"label": label, "short": short, "at": self.decisions + 1})
        self._asked: Json = {
            "seats": list(self._seats_asked),
            "phase": self._phase,
            "prompt": self._table.prompt(self._phase),
            "turn": self._turn_number,
            "band": label,
        }

    def _said(self, events: Sequence[Any]) -> Json:
        """Return what happened in words: what was done as `text`, what came of it as `events`, and whose turn begins.

        What the turn that follows begins with is told with its beginning.
        """
        lines, later = list[str](), list[str]()
        turn: Json | None = None
        for event in events:
            if began := self._words.turn(event):
                turn = {"turn": began[0], "seat": began[1]}
            else:
                (lines if turn is None else later).append(self._sentence(event))
        said: Json = {"text": self._head(lines)}
        if lines:
            said["events"] = lines
        if turn is not None:
            said["begins"] = {**turn, "events": later}
        return said

    def _head(self, lines: list[str]) -> str:
        """Take the line out that tells what was done: of a sealed round the last, else the first of whoever acted."""
        if len(self._seats_asked) != 1:
            return lines.pop() if lines else ""
        name = f"{self.names[self._seats_asked[0]]} "
        own = [line for line in lines if line.startswith(name)]
        if not own:
            return "ends the turn"
        head = next((line for line in own if not line.startswith(f"{name}pays")), own[0])
        lines.remove(head)
        return head.removeprefix(name)

    def _sentence(self, event: Any) -> str:
        return _SEAT.sub(lambda found: self.names[int(found[1])], self.game.event_in_words(event))
