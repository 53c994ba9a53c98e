"""A match that runs as fast as a test wants, and the two ends of what tells pages of it."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import trio
from gavelport_engine.container.rules import Container
from gavelport_engine.game import SPECTATOR, Checkpoint
from gavelport_server.conduct.ladder.listing import RunningMatch
from gavelport_server.conduct.ladder.spectate import SpectatorFeed
from gavelport_server.pages.live.broadcast import Broadcast
from gavelport_server.pages.live.hall import Hall
from gavelport_server.pages.live.views import list_as_text
from gavelport_server.referee.report import MatchReport

STARTED = "2030-01-01T10:00:00+00:00"


CANARY = 86_750_000
"""Each seat's hidden cash begins with it, and so does what becomes of that."""
AT_CANARY = re.compile(r"867[45]\d{4}")


class Rich(Container):
    """Container in which hidden cash can be told from everything else."""

    def initial_state(self, options: Any, seed: bytes) -> Any:
        state = super().initial_state(options, seed)
        state.cash[:] = [CANARY + 1_000 * seat for seat in range(len(state.cash))]
        return state


class Stage:
    """Matches that were played before and are told again, step by step; see `broadcast.Live`."""

    def __init__(self, *reports: MatchReport, ladder: str = "main") -> None:
        self.shows = {report.setup.match_id: Show(report) for report in reports}
        self.ladder = ladder

    def running(self) -> Sequence[RunningMatch]:
        return [
            RunningMatch(name, self.ladder, True, tuple(one.bot for one in show.report.setup.seats), STARTED, show.at)
            for name, show in self.shows.items()
            if not show.is_over
        ]

    def spectate(self, match_id: str) -> SpectatorFeed | None:
        show = self.shows.get(match_id)
        return None if show is None or show.is_over else show.feed


class Show:
    """One of them."""

    def __init__(self, report: MatchReport) -> None:
        self.report = report
        self.at = 0
        self.is_over = False
        self.feed = SpectatorFeed(report.setup, ())
        self.ends = list(public_moments(report))

    async def play(self, pause_s: float = 0.1) -> None:
        """Play it to its end, pausing after each step."""
        while self.step():  # noqa: ASYNC110  paced, not polled
            await trio.sleep(pause_s)

    def step(self) -> bool:
        """Have happen what becomes public next; return whether there was anything."""
        if not self.ends:
            self.end()
            return False
        self.at = self.ends.pop(0)
        self.feed.follow(self.report.record[: self.at])
        return True

    def at_decision(self) -> int:
        """Return how many decisions have been shown."""
        return sum(not isinstance(one, Checkpoint) for one in self.report.record[: self.at])

    def end(self) -> None:
        self.is_over = True
        self.feed.end(self.report.outcome)


def public_moments(report: MatchReport) -> Iterator[int]:
    """Yield the lengths that the record has when something becomes public: sealed decisions come together."""
    sealed, record = report.setup.game.sealed_phases, report.record
    decided = [(place, one) for place, one in enumerate(record) if not isinstance(one, Checkpoint)]
    for (_, one), (place, then) in pairwise(decided):
        if not (one.phase in sealed and (then.phase, then.turn) == (one.phase, one.turn)):
            yield place
    yield len(record)


def positions(report: MatchReport) -> list[tuple[int, Any]]:
    """Return, at the beginning and at every public moment, how many decisions there were and what spectators see."""
    game, setup = report.setup.game, report.setup
    state = game.initial_state(setup.options, setup.seed)
    found, decisions, done = [(0, game.observation_to_notation(game.observation(state, SPECTATOR)))], 0, 0
    for length in public_moments(report):
        for one in report.record[done:length]:
            if not isinstance(one, Checkpoint):
                game.apply_in_place(state, {one.seat: one.action}, None)
                decisions += 1
        done = length
        found.append((decisions, game.observation_to_notation(game.observation(state, SPECTATOR))))
    return found


@asynccontextmanager
async def halls(stage: Stage) -> AsyncIterator[Hall]:
    """Give a hall that hears of the stage over a socket pair, as in another process."""
    one, other = trio.socket.socketpair()
    async with trio.SocketStream(one) as serving, trio.SocketStream(other) as asking, trio.open_nursery() as nursery:
        nursery.start_soon(Broadcast(stage).run, serving)
        hall = Hall(asking, list_as_text)
        nursery.start_soon(hall.run)
        yield hall
        nursery.cancel_scope.cancel()


@dataclass
class Told:
    """An event of a stream."""

    event: str
    data: str
    number: str

    @property
    def json(self) -> Any:
        return json.loads(self.data)


def parsed(text: bytes) -> list[Told]:
    """Return the whole events of a stream, as the standard reads them; comments left out."""
    found = []
    for block in text.decode().split("\n\n")[:-1]:
        fields: dict[str, list[str]] = {}
        for line in block.split("\n"):
            name, _, value = line.partition(":")
            fields.setdefault(name, []).append(value.removeprefix(" "))
        if "event" in fields:
            found.append(Told(fields["event"][0], "\n".join(fields["data"]), fields.get("id", [""])[0]))
    return found
