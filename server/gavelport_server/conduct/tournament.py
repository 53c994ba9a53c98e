"""A tournament from first match to last: resumed where it stopped, nothing played or counted twice (design 5).

The order of records makes it so. A match that is over is first stored as a replay, created only where none is there,
and then counted as a result, in one transaction under its unique id. A kill between the two leaves a replay without a
result; the next run takes the result from it, so that what was played stays played.
"""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Protocol

import trio

from gavelport_server.archive.errors import ArchiveError
from gavelport_server.archive.files import sha256_of
from gavelport_server.archive.playback import Difference
from gavelport_server.archive.replay import encode_replay
from gavelport_server.conduct.crew import Crew
from gavelport_server.conduct.folder import Playing
from gavelport_server.conduct.hosting import processes_for
from gavelport_server.conduct.hub import Hub
from gavelport_server.conduct.match import MatchVoid, conduct_match
from gavelport_server.conduct.results import explained, result_of, result_of_replay
from gavelport_server.launcher.client import attached
from gavelport_server.launcher.limits import Confinement
from gavelport_server.ratings.elo import elo_of
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.store import Standing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from gavelport_server.conduct.folder import DataFolder
    from gavelport_server.conduct.plan import Plan
    from gavelport_server.conduct.session import Session
    from gavelport_server.launcher.client import Launcher, LauncherProcess
    from gavelport_server.pairing.schedule import Pairing
    from gavelport_server.referee.report import MatchReport, MatchSetup
    from gavelport_server.storage.store import Result, TournamentRecord

VOIDS = 3
"""So often a match is played that a fault of the server made void, before the run fails."""
TABLES_PER_CORE = 2
"""Matches at a time: at a table one bot thinks while the others wait."""


class TournamentError(Exception):
    """The tournament cannot go on; the text says why."""


class Progress(Protocol):
    """Whoever is told how a tournament is doing."""

    def started(self, record: TournamentRecord, results: Sequence[Result], matches: int) -> None:
        """Hear which tournament it is, what stands already, and how many matches there are in all."""
        ...

    def finished(self, result: Result, standings: Sequence[Standing]) -> None:
        """Hear of one more result, and of the Elo with it."""
        ...


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of a tournament came to."""

    record: TournamentRecord
    results: Sequence[Result]
    """All that stand, of earlier runs too, within the rounds that were asked for, in schedule order."""
    standings: Sequence[Standing]
    played: int
    """Matches of this run."""
    matches: int
    """Matches that the rounds asked for come to."""
    seconds: float
    stopped_by: signal.Signals | None
    """The signal that ended the run before its last match."""


async def run_tournament(
    plan: Plan, rounds: int, folder: DataFolder, progress: Progress, sandbox: LauncherProcess | None = None
) -> Run:
    """Play what is still to be played of a tournament's first rounds, the bots in sandboxes where there is a launcher.

    SIGINT and SIGTERM stop it: what is running then is dropped, to be played again from the same seed by the run that
    resumes. Raises StoreError and ArchiveError where a result cannot be kept; all that were kept before stand. Raises
    TournamentError where the server's own faults make a match void again and again.
    """
    runner = _Runner(plan, rounds, folder, progress, sandbox)
    return await runner.run()


class _Runner:
    """One run: keeps matches going until all are played, and records each as it ends."""

    def __init__(
        self, plan: Plan, rounds: int, folder: DataFolder, progress: Progress, sandbox: LauncherProcess | None
    ) -> None:
        self._plan = plan
        self._sandbox = sandbox
        self._folder = folder
        self._progress = progress
        self._schedule = plan.schedule(rounds)
        self._waiting: deque[Pairing] = deque()
        """Matches that are settled and neither played nor running."""
        self._record = folder.store.open_tournament(plan.record())
        self._tables = TABLES_PER_CORE * len(os.sched_getaffinity(0))
        self._busy: set[tuple[int, int]] = set()
        """Entrants at a table, with the rotation: one process each."""
        self._running = self._played = 0
        self._freed = trio.Event()
        self._recording = trio.Lock()
        self._scope = trio.CancelScope()
        self._failure: Exception | None = None
        self._stopped_by: signal.Signals | None = None

    async def run(self) -> Run:
        """Play, and return what stands then."""
        began = time.monotonic()
        stored = await trio.to_thread.run_sync(self._stored)
        done = {result.number for result in stored}
        self._progress.started(self._record, stored, self._schedule.matches)
        with suppress(OSError):  # then nobody who looks learns how far it is
            self._folder.note(Playing(self._record.identity, self._schedule.matches))
        self._waiting.extend(pairing for pairing in self._schedule.pairings if pairing.number not in done)
        # Until all is cleared up, so that a second Ctrl-C does not leave it half done.
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._watch, signals)
                with self._scope:
                    await self._play_all()
                nursery.cancel_scope.cancel()
        if self._failure is not None:
            raise self._failure
        results = self._within_rounds()
        return Run(
            record=self._record,
            results=results,
            standings=_elo(self._record, results),
            played=self._played,
            matches=self._schedule.matches,
            seconds=time.monotonic() - began,
            stopped_by=self._stopped_by,
        )

    # -- playing

    async def _play_all(self) -> None:
        """Play the matches in schedule order, each as soon as there is a table and all its processes are free."""
        if not self._waiting:
            return
        hub = Hub()
        async with (
            _attached(self._sandbox) as launcher,
            processes_for(hub, launcher) as make_process,
            trio.open_nursery() as processes,
        ):
            crew = Crew(
                self._plan.bots,
                self._plan.seats,
                hub,
                make_process,
                self._folder.logs(self._record.identity),
                processes,
            )
            async with trio.open_nursery() as matches:
                while self._waiting or self._running:  # with the last that run, more may be settled
                    for pairing in self._startable():
                        self._waiting.remove(pairing)
                        self._running += 1
                        self._busy |= _processes(pairing)
                        matches.start_soon(self._play, pairing, crew)
                    self._freed = trio.Event()
                    await self._freed.wait()
            processes.cancel_scope.cancel()

    def _startable(self) -> list[Pairing]:
        """Return the matches that can begin now, looking no further ahead than the next block."""
        found: list[Pairing] = []
        busy = set(self._busy)
        horizon = 2 * self._plan.seats * (len(self._plan.bots) // self._plan.seats)
        for pairing in islice(self._waiting, horizon):
            if self._running + len(found) >= self._tables:
                break
            if busy.isdisjoint(_processes(pairing)):
                found.append(pairing)
            busy |= _processes(pairing)  # also of those that wait: a later match does not overtake them
        return found

    async def _play(self, pairing: Pairing, crew: Crew) -> None:
        """Play one match and record it."""
        sessions: dict[int, Session] = {}

        async def seat(entrant: int) -> None:
            sessions[entrant] = await crew.session(entrant, pairing.rotation)

        async with trio.open_nursery() as starting:
            for entrant in pairing.entrants:
                starting.start_soon(seat, entrant)
        began = time.monotonic()
        seated = [sessions[entrant] for entrant in pairing.entrants]
        for session in seated:
            session.complaint = ""
        report = await self._conducted(self._plan.match(self._record, pairing), seated)
        if report is None:
            return
        at_fault = [
            entrant for entrant, figures in zip(pairing.entrants, report.figures, strict=True) if figures.first_fault
        ]
        lines = {
            entrant: await trio.to_thread.run_sync(crew.printed, entrant, pairing.rotation) for entrant in at_fault
        }
        report = explained(
            report,
            gone_reasons=[session.gone_reason for session in seated],
            complaints=[session.complaint for session in seated],
            printed=[lines.get(entrant, "") for entrant in pairing.entrants],
        )
        stored = await trio.to_thread.run_sync(encode_replay, report)
        seconds = time.monotonic() - began
        result = result_of(pairing, report, replay_sha256=sha256_of(stored), seconds=seconds)
        if self._sandbox is not None:
            seats = " ".join(map(str, range(len(seated))))
            result = replace(result, sandbox=f"seats {seats}: {Confinement().in_words(self._sandbox.effects)}")
        with trio.CancelScope(shield=True):  # what is over shall not be lost to a Ctrl-C
            await self._keep(result, stored)
        for seat_number in report.retired:  # whatever ailed its process, the next match has a fresh one
            await crew.dismiss(pairing.entrants[seat_number], pairing.rotation)
        self._busy -= _processes(pairing)
        self._running -= 1
        self._freed.set()

    async def _conducted(self, setup: MatchSetup, sessions: Sequence[Session]) -> MatchReport | None:
        """Return the report of a match, played again where the fault was ours; None once the run has failed."""
        # Seeds and scores stay sealed: other matches of the deal may still be to come.
        for _ in range(VOIDS):
            try:
                return await conduct_match(setup, sessions, reveal=False)
            except MatchVoid:
                continue
        self._fail(
            TournamentError(f"match {setup.match_id} was void {VOIDS} times by a fault of the server; see its log")
        )
        return None

    # -- records

    async def _keep(self, result: Result, stored: bytes) -> None:
        """Store the replay, then count the result, and tell of it."""
        async with self._recording:
            if self._failure is not None:
                return
            try:
                standings = await trio.to_thread.run_sync(self._keep_sync, result, stored)
            except (StoreError, ArchiveError) as error:
                self._fail(error)
                return
        self._played += 1
        self._waiting.extend(self._schedule.finish(result.number, [seat.rank for seat in result.seats]))
        self._progress.finished(result, standings)

    def _keep_sync(self, result: Result, stored: bytes) -> Sequence[Standing]:
        store, identity = self._folder.store, self._record.identity
        self._folder.replays.put(result.match_id, stored)
        store.add_result(identity, result)
        return store.standings(identity)

    def _stored(self) -> list[Result]:
        """Return the results that stand, after counting the matches of which only the replay was kept."""
        counted = {result.number: result for result in self._within_rounds()}
        kept = set(self._folder.replays.list())
        for pairing in self._schedule.pairings:  # which grows by those that these results settle
            setup = self._plan.match(self._record, pairing)
            result = counted.get(pairing.number)
            if result is None and setup.match_id in kept:
                result = self._counted_from_replay(pairing, setup)
            if result is not None:
                self._schedule.finish(result.number, [seat.rank for seat in result.seats])
        return self._within_rounds()

    def _counted_from_replay(self, pairing: Pairing, setup: MatchSetup) -> Result:
        replays = self._folder.replays
        path = replays.path(setup.match_id)
        finished_at = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
        try:
            result = result_of_replay(pairing, setup, replays.get(setup.match_id), finished_at)
        except Difference as difference:
            raise TournamentError(
                f"{path} has no result yet, and none can be taken from it: {difference}; "
                "move the file away, then give the same command again to play that match"
            ) from difference
        self._folder.store.add_result(self._record.identity, result)
        return result

    def _within_rounds(self) -> list[Result]:
        return [
            result
            for result in self._folder.store.results(self._record.identity)
            if result.number < self._schedule.matches
        ]

    # -- ends

    def _fail(self, failure: Exception) -> None:
        self._failure = self._failure or failure
        self._scope.cancel()

    async def _watch(self, signals: AsyncIterator[int]) -> None:
        async for number in signals:
            self._stopped_by = self._stopped_by or signal.Signals(number)
            self._scope.cancel()


@asynccontextmanager
async def _attached(sandbox: LauncherProcess | None) -> AsyncIterator[Launcher | None]:
    if sandbox is None:
        yield None
    else:
        async with attached(sandbox) as launcher:
            yield launcher


def _elo(record: TournamentRecord, results: Sequence[Result]) -> list[Standing]:
    """Return the Elo of results in schedule order; the store's may count matches beyond the rounds asked for."""
    gapless = takewhile(lambda one: one[0] == one[1].number, enumerate(results))
    matches = (([seat.entrant for seat in one.seats], [seat.rank for seat in one.seats]) for _, one in gapless)
    rated = elo_of(len(record.entrants), matches)
    return [Standing(number, each.elo, each.matches) for number, each in enumerate(rated)]


def _processes(pairing: Pairing) -> set[tuple[int, int]]:
    """Return the processes that a match takes, as (entrant, rotation)."""
    return {(entrant, pairing.rotation) for entrant in pairing.entrants}
