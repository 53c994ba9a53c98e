"""A replay as the viewer shows it: every position and every word, for one pair of eyes, as one JSON.

The page has no rules. It gets the position before each decision in the game's notation, as differences, and all that is
said of it. Replays are verified while they are played for this. Bots' notes are not told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gavelport_engine.game import SPECTATOR

from gavelport_server.archive.playback import Difference, Playback
from gavelport_server.archive.show import seat_names
from gavelport_server.archive.verify import verified_steps
from gavelport_server.pages.delta import changes
from gavelport_server.pages.tables import TABLES
from gavelport_server.pages.tables.table import FULL, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_engine.game import Json

    from gavelport_server.archive.playback import Step
    from gavelport_server.archive.record import Replay

BANK = -1


def view_of(text: str, seats: int) -> View | None:
    """Return the view of a name: `full`, `spectator` or a seat; None for what is none."""
    if text == FULL:
        return FULL
    if text == SPECTATOR.value:
        return SPECTATOR
    return int(text) if text.isascii() and text.isdecimal() and len(text) == 1 and int(text) < seats else None


def scene(replay: Replay, view: View) -> Json:
    """Return the match as the viewer reads it.

    Where the replay turns out to be untrue, `verified` says how, and the match ends there.
    """
    return _Scene(replay, view).told()


class _Scene:
    def __init__(self, replay: Replay, view: View) -> None:
        header = replay.header
        self._replay, self._view, self._game = replay, view, header.game
        self._names = seat_names(header.seats)
        self._words = header.game.words(self._names)
        self._table = TABLES[header.game.name](header.options, self._names, view)
        self._steps: list[Json] = []
        self._turns: list[Json] = []
        self._chart: list[list[Any]] = []
        self._bands: list[Json] = []

    def told(self) -> Json:
        replay, game, table = self._replay, self._game, self._table
        playback = Playback(replay)
        opening = [said for event in playback.opening.events if (said := self._said(event))]
        position, now = self._position(playback.state), table.now(playback.state)
        start, start_now = position, now
        problem = ""
        self._open_turns(playback.opening.events, 1, playback.state)
        band = table.band(game.turn(playback.state), playback.state)
        steps = verified_steps(playback)
        while True:
            try:
                step = next(steps, None)
            except Difference as difference:
                problem = str(difference)
                break
            if step is None:
                break
            table.take(step, playback.state)
            after, after_now = self._position(playback.state), table.now(playback.state)
            told = self._step(step)
            if difference_ := changes(position, after):
                told["to"] = difference_
            if difference_ := changes(now, after_now):
                told["now"] = difference_
            self._steps.append(told)
            if not self._bands or self._bands[-1]["label"] != band[0]:
                self._bands.append({"label": band[0], "short": band[1], "at": step.number})
            self._open_turns(step.events, step.number + 1, playback.state)
            position, now = after, after_now
            band = table.band(game.turn(playback.state), playback.state)
        is_over = not game.to_act(playback.state)
        return {
            "match": replay.header.match_id,
            "game": game.name,
            "unit": game.total_unit,
            "view": self._view if isinstance(self._view, int | str) else self._view.value,
            "seats": [
                {"bot": seat.bot, "version": seat.version, "name": name}
                for seat, name in zip(replay.header.seats, self._names, strict=True)
            ],
            "fixed": table.fixed(),
            "opening": opening,
            "start": start,
            "start_now": start_now,
            "steps": self._steps,
            "turns": self._turns,
            "bands": self._bands,
            "marks": [mark.as_json() for mark in table.marks()],
            "chart": self._chart + ([[len(self._steps), *now["score"]]] if is_over else []),
            "problem": problem,
            **table.extras(),
            **(self._end(playback.state) if is_over else {}),
        }

    def _position(self, state: Any) -> Json:
        game = self._game
        if self._view == FULL:
            return game.to_notation(state)
        return game.observation_to_notation(game.observation(state, self._view))

    def _said(self, event: Any) -> str | None:
        if self._view != FULL and (event := self._game.visible(event, self._view)) is None:
            return None
        return self._words.event(event)

    def _step(self, step: Step) -> Json:
        choice, words = step.choice, self._words
        cut = next((place for place, event in enumerate(step.events) if words.turn(event)), len(step.events))
        told: Json = {
            "turn": step.turn,
            "seat": step.seat,
            "phase": step.phase,
            "prompt": self._table.prompt(step.phase),
            "text": words.action(choice.action, step.phase),
            "ms": choice.charged_ms,
            **self._table.shown(step),
        }
        if said := [text for event in step.events[:cut] if (text := self._said(event))]:
            told["events"] = said
        if choice.fault:
            told["fault"] = choice.fault
        if step.phase in self._game.sealed_phases:
            told["sealed"] = True
        if money := flows(self._table.payment(event) for event in step.events[:cut]):
            told["money"] = money
        return told

    def _open_turns(self, events: Sequence[Any], at: int, state: Any) -> None:
        """Take note of the turns that these events begin, with what happens before anybody decides."""
        for event in events:
            if turn := self._words.turn(event):
                number, seat = turn
                self._turns.append({"turn": number, "seat": seat, "at": at, "events": []})
                if not self._chart or self._chart[-1][0] != at - 1:
                    self._chart.append([at - 1, *self._table.now(state)["score"]])
            elif self._turns and self._turns[-1]["at"] == at and (said := self._said(event)):
                self._turns[-1]["events"].append(said)

    def _end(self, state: Any) -> Json:
        outcome = self._game.outcome(state, self._replay.end.retired)
        return {
            "end": self._words.end(outcome.end),
            "totals": list(outcome.totals),
            "ranks": list(outcome.ranks),
            "retired": list(self._replay.end.retired),
            "scoring": [line.as_json() for line in self._table.scoring(outcome, state)],
        }


def flows(payments: Any) -> dict[str, int]:
    """Return by seat what payments brought or cost it."""
    flows: dict[str, int] = {}
    for payment in payments:
        if payment is None:
            continue
        payer, payee, amount = payment
        for seat, change in ((payer, -amount), (payee, amount)):
            if seat != BANK:
                flows[str(seat)] = flows.get(str(seat), 0) + change
    return {seat: change for seat, change in flows.items() if change}
