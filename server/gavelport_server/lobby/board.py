"""A ladder's table: Elo and match counts from the store, shares and means from sums that only grow.

The sums are kept in memory and asked for what is new. The first time they are made of all results, in parts, which for
a million takes a while: a server does that when it starts (`Boards.warm`), and who asks meanwhile is told what they
come to so far.
"""

from __future__ import annotations

import json
import math
import threading
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from gavelport_server.archive.fits import fit_path, read_fit
from gavelport_server.lobby.tokens import written
from gavelport_server.ratings.elo import SETTLING_MATCHES
from gavelport_server.storage.figures import Figures, Tally
from gavelport_server.storage.store import Store

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from gavelport_server.archive.fits import LadderFit
    from gavelport_server.storage.members import BotRecord, Members
    from gavelport_server.storage.store import TournamentRecord

AWAY = timedelta(days=14)
"""A bot that was not connected for so long is unranked."""
AT_ONCE = 20_000
"""Results that are summed up in one step."""
PATIENCE_S = 2.0
"""How long who asks for a table waits for sums."""
GAINS_SHARE = 0.05
"""Of the time may be spent on the last day's gains, which are old by that much when they are told."""


class LadderStore(Store, Figures, Protocol):
    """Where ladders are kept."""


@dataclass(frozen=True, slots=True)
class Line:
    """A bot in the table."""

    rank: int
    """By Elo, ties share it; 0: unranked."""
    bot: str
    version: str
    """The one that plays."""
    owner: str
    elo: float
    matches: int
    """Of all versions, as are share, mean and faults."""
    is_inactive: bool
    is_connected: bool
    first_share: float
    mean_total: float
    faults: int
    day_change: float

    @property
    def is_provisional(self) -> bool:
        """Return whether the bot has played too little for its Elo to be taken for more than a first guess."""
        return self.matches < SETTLING_MATCHES


@dataclass(slots=True)
class _Sums:
    """What a ladder's results come to, up to one of them."""

    following: int = 0
    tallies: dict[int, Tally] = field(default_factory=dict)
    gains: Mapping[str, float] = field(default_factory=dict)
    gains_until: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)
    fit: LadderFit | None = None
    fit_stamp: int = 0

    def add(self, more: Collection[Tally]) -> None:
        tallies = dict(self.tallies)  # a new one, as others may be reading
        for one in more:
            old = tallies.get(one.entrant, Tally(one.entrant, 0, 0.0, 0, 0))
            tallies[one.entrant] = Tally(
                one.entrant,
                old.matches + one.matches,
                old.firsts + one.firsts,
                old.total + one.total,
                old.faults + one.faults,
            )
        self.tallies = tallies


class Boards:
    """The tables of all ladders; used in worker threads."""

    def __init__(self, store: LadderStore, members: Members, data: Path) -> None:
        """Take where ladders and accounts are kept, and the data folder, which has the fits."""
        self._store = store
        self._members = members
        self._data = data
        self._lock = threading.Lock()
        self._sums: dict[str, _Sums] = {}

    def ladders(self) -> list[TournamentRecord]:
        """Return the ladders; of those of one name, whose settings were changed, the newest."""
        return list({one.name: one for one in self._store.tournaments() if one.kind == "ladder"}.values())

    def warm(self) -> None:
        """Sum up all results, so that nobody has to wait for it later."""
        for record in self.ladders():
            self._sum(record.identity, math.inf)

    def forget(self, identity: str) -> None:
        """Sum up anew: a result was taken out."""
        with self._lock:
            self._sums.pop(identity, None)

    def fit(self, identity: str) -> LadderFit | None:
        """Return the ratings by the whole history, as they were last computed."""
        try:
            stamp = fit_path(self._data, identity).stat().st_mtime_ns
        except OSError:
            return None
        sums = self._of(identity)
        if sums.fit_stamp != stamp:
            # Two at a time may read it, which does no harm.
            sums.fit, sums.fit_stamp = read_fit(self._data, identity), stamp
        return sums.fit

    def lines(self, record: TournamentRecord, connected: Collection[str]) -> list[Line]:
        """Return a ladder's table: by Elo, the unranked last."""
        sums = self._sum(record.identity, PATIENCE_S)
        tallies, gains = sums.tallies, sums.gains
        bots = {bot.name: bot for bot in self._members.bots()}
        away = away_since(datetime.now(UTC))
        lines = []
        for name, (version, elo, matches, entrants) in self._entrants(record).items():
            own = [tallies[number] for number in entrants if number in tallies]
            summed = max(1, sum(one.matches for one in own))
            if not matches:
                continue
            lines.append(
                Line(
                    rank=0,
                    bot=name,
                    version=_playing(bots.get(name), version),
                    owner=bots[name].owner if name in bots else "",
                    elo=elo,
                    matches=matches,
                    is_inactive=is_inactive(bots.get(name), away, is_connected=name in connected),
                    is_connected=name in connected,
                    first_share=sum(one.firsts for one in own) / summed,
                    mean_total=sum(one.total for one in own) / summed,
                    faults=sum(one.faults for one in own),
                    day_change=gains.get(name, 0.0),
                )
            )
        return _ranked(lines)

    def matches(self, record: TournamentRecord) -> tuple[int, int]:
        """Return how many matches of a ladder count, and how many bots have played them."""
        standings = self._store.standings(record.identity)
        names = {one.number: one.bot for one in record.entrants}
        played = [one for one in standings if one.matches and one.entrant in names]
        return sum(one.matches for one in played) // record.seats, len({names[one.entrant] for one in played})

    def _of(self, identity: str) -> _Sums:
        with self._lock:
            return self._sums.setdefault(identity, _Sums())

    def _entrants(self, record: TournamentRecord) -> dict[str, tuple[str, float, int, list[int]]]:
        """Return by bot its newest version here, its Elo, and the matches and numbers of all its versions."""
        standings = {one.entrant: one for one in self._store.standings(record.identity)}
        found: dict[str, tuple[str, float, int, list[int]]] = {}
        for one in record.entrants:
            if (standing := standings.get(one.number)) is not None:
                _, _, matches, numbers = found.get(one.bot, ("", 0.0, 0, []))
                found[one.bot] = (one.version, standing.elo, matches + standing.matches, [*numbers, one.number])
        return found

    def _sum(self, identity: str, patience_s: float) -> _Sums:
        """Return a ladder's sums, brought up to date as far as that is possible within so many seconds."""
        sums = self._of(identity)
        until = time.monotonic() + patience_s
        if sums.lock.acquire(timeout=min(patience_s, threading.TIMEOUT_MAX)):
            try:
                self._add_new(sums, identity, until)
            finally:
                sums.lock.release()
        return sums

    def _add_new(self, sums: _Sums, identity: str, until: float) -> None:
        while (more := self._store.tallies(identity, sums.following, AT_ONCE)).following > sums.following:
            sums.add(more.tallies)
            sums.following = more.following
            if time.monotonic() > until:
                return
        began = time.monotonic()
        if began >= sums.gains_until:
            sums.gains = self._store.gains(identity, written(datetime.now(UTC) - timedelta(days=1)))
            done = time.monotonic()
            sums.gains_until = done + (done - began) / GAINS_SHARE


def options_text(record: TournamentRecord) -> str:
    """Return the game's options of a ladder as JSON in its notation."""
    return json.dumps(json.loads(record.options).get("options", {}), ensure_ascii=False, sort_keys=True)


def _playing(bot: BotRecord | None, newest: str) -> str:
    return newest if bot is None else bot.pinned_version or newest


def away_since(now: datetime) -> str:
    """Return the time, as accounts have it, since when a bot that is still active was connected."""
    return written(now - AWAY)


def is_inactive(bot: BotRecord | None, away: str, *, is_connected: bool) -> bool:
    """Return whether a bot is unranked: nobody's, withdrawn, banned, or not connected since `away`."""
    if bot is None or bot.status != "active":
        return True
    return not is_connected and (bot.last_seen_at or bot.created_at) < away  # who is there is kept once a minute


def _ranked(lines: list[Line]) -> list[Line]:
    lines.sort(key=lambda line: (line.is_inactive, -line.elo, line.bot))
    ranked: list[Line] = []
    for place, line in enumerate(lines, 1):
        if line.is_inactive:
            ranked.append(line)
        elif ranked and ranked[-1].elo == line.elo:
            ranked.append(replace(line, rank=ranked[-1].rank))
        else:
            ranked.append(replace(line, rank=place))
    return ranked
