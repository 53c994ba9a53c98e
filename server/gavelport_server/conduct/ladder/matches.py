"""Running matches of ladders: begun, conducted, kept once they are over (design 4, 6, 7).

The order at a match's end: its inputs are on disk, its replay is put, its result counted, its end entered into the
journal. What fails between is tried again until it succeeds, and meanwhile no new matches are begun; whatever a kill
of the server leaves undone is finished from the journal at the next start.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import structlog
import trio
from gavelport.v1 import referee_pb2 as pb
from gavelport_engine.game import Checkpoint

from gavelport_server.archive.errors import ArchiveError, JournalError
from gavelport_server.archive.journal_entries import MatchEntry
from gavelport_server.archive.private import KEY_BYTES
from gavelport_server.conduct.journalling import finish_match
from gavelport_server.conduct.ladder.queues import Ledger
from gavelport_server.conduct.ladder.record import match_seed, new_match_id, now_text
from gavelport_server.conduct.ladder.spectate import SpectatorFeed
from gavelport_server.conduct.match import MatchLeft, MatchVoid, conduct_match
from gavelport_server.referee.codes import Code
from gavelport_server.referee.report import MatchSetup, SeatName
from gavelport_server.storage.errors import FencedError, StoreError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from gavelport_server.archive.files import ReplayFolder
    from gavelport_server.archive.journal_entries import PastInput
    from gavelport_server.conduct.journalling import InWorker, Journal, MatchJournal, Unfinished
    from gavelport_server.conduct.ladder.players import Player, Players
    from gavelport_server.conduct.ladder.record import LadderRecords, Recorder
    from gavelport_server.ratings.elo import Rated
    from gavelport_server.referee.report import MatchReport, Played
    from gavelport_server.serving import LadderSettings
    from gavelport_server.storage.store import TournamentRecord

RATED, PRACTICE = "rated", "practice"
RETRY_S, RETRY_MOST_S = 1.0, 30.0
VOID_PAUSE_S = 5.0
"""After a match that a fault of the server made void, its ladder rests so long: the next one may fare no better."""
VOIDS_KEPT = 1000
KEPT_AT_ONCE = 4
"""Matches that are being kept at the same time. Each takes a worker thread for as long as the database does, and the
journal, which those wait for who still play, needs one too."""
_log = structlog.get_logger(__name__)


@dataclass(eq=False, slots=True)
class Ladder:
    """A ladder as it stands."""

    settings: LadderSettings
    options: Any
    records: LadderRecords
    ratings: Mapping[str, Rated] = field(default_factory=dict)
    """By bot, with the matches of all its versions."""
    is_stale: bool = True
    """Whether `ratings` are to be read anew."""
    ledger: Ledger = field(default_factory=Ledger)
    practised: Ledger = field(default_factory=Ledger)
    rests_until: float = 0.0

    @property
    def name(self) -> str:
        """Its name."""
        return self.settings.name

    @property
    def game(self) -> str:
        """The game with its version."""
        return self.settings.game.id

    def record(self, *, is_rated: bool) -> TournamentRecord:
        """Return the record that its rated matches belong to, or that of the others."""
        return self.records.rated if is_rated else self.records.practice


@dataclass(eq=False, slots=True)
class Running:
    """A running match."""

    setup: MatchSetup
    ladder: Ladder
    is_rated: bool
    players: tuple[Player, ...]
    started_at: str
    began: float
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)
    void_reason: str = ""
    """Why it was ended or given up; empty while it was not."""
    record: Sequence[Played | Checkpoint] = ()
    feed: SpectatorFeed | None = None

    @property
    def match_id(self) -> str:
        """Its id."""
        return self.setup.match_id

    @property
    def bots(self) -> tuple[str, ...]:
        """By seat."""
        return tuple(seat.bot for seat in self.setup.seats)

    @property
    def decisions(self) -> int:
        """How many have taken effect."""
        return sum(not isinstance(one, Checkpoint) for one in self.record)

    def kept_in(self) -> TournamentRecord:
        """Return the record that its result belongs to."""
        return self.ladder.record(is_rated=self.is_rated)

    def watch(self, record: Sequence[Played | Checkpoint]) -> None:
        """Hear of the record, as it grows; without spectators this costs nothing."""
        self.record = record
        if self.feed is not None:
            self.feed.follow(record)

    def spectators(self) -> SpectatorFeed:
        """Return what spectators are told by, made for the first of them."""
        if self.feed is None:
            self.feed = SpectatorFeed(self.setup, self.record)
        return self.feed


@dataclass(frozen=True, slots=True)
class VoidMatch:
    """A match that came to nothing and may be played again."""

    ladder: Ladder
    is_rated: bool
    bots: tuple[str, ...]
    """By seat."""


class Matches:
    """All that run. `nursery` is that of the server's run."""

    def __init__(
        self,
        players: Players,
        recorder: Recorder,
        replays: ReplayFolder,
        journal: Journal,
        *,
        in_worker: InWorker,
        nursery: trio.Nursery,
        changed: Callable[[], None],
        over: Callable[[str, str], None],
    ) -> None:
        self.running: dict[str, Running] = {}
        self.voids: dict[str, VoidMatch] = {}
        """The latest that came to nothing, by match id."""
        self.unkept: dict[str, str] = {}
        """Matches that are over and cannot be kept at present, by id, with what is wrong, in words."""
        self._to_keep: set[str] = set()
        """Matches that are over and not kept yet."""
        self._players = players
        self._recorder = recorder
        self._replays = replays
        self._journal = journal
        self._in_worker = in_worker
        self._nursery = nursery
        self._changed = changed
        self._over = over
        self._one_less = trio.Event()
        self._keeping = trio.CapacityLimiter(KEPT_AT_ONCE)

    async def wait_done(self) -> None:
        """Wait until nothing runs and all that is over is kept."""
        while self.running or self._to_keep:
            await self._one_less.wait()

    def start(self, ladder: Ladder, table: Sequence[Player], *, is_rated: bool, match_id: str = "") -> Running:
        """Begin a match of these players, by seat."""
        match_id = match_id or new_match_id()
        record = ladder.record(is_rated=is_rated)
        setup = MatchSetup(
            match_id=match_id,
            game=ladder.settings.game,
            options=ladder.options,
            seed=match_seed(record.secret, match_id),
            seats=tuple(SeatName(player.bot, player.version) for player in table),
            clock=ladder.settings.clock,
        )
        running = self._seated(setup, ladder, tuple(table), is_rated=is_rated)
        now = trio.current_time()
        (ladder.ledger if is_rated else ladder.practised).add(running.bots, now)
        for player in table:
            player.session.complaint = ""
        self._nursery.start_soon(self._play, running)
        return running

    def resume(self, ladder: Ladder, left: Unfinished, grace_s: float) -> None:
        """Go on with a match that a crash interrupted, or keep what it came to."""
        setup = left.log.entry.setup
        table = tuple(self._players.seat(name) for name in setup.seats)
        running = self._seated(setup, ladder, table, is_rated=left.log.entry.queue == RATED)
        self._nursery.start_soon(self._go_on, running, left, grace_s)

    def give_up(self, ladder: Ladder, left: Unfinished, reason: str) -> None:
        """Let a match that a crash interrupted be void, as it cannot go on."""
        setup = left.log.entry.setup
        table = tuple(self._players.seat(name) for name in setup.seats)
        running = self._seated(setup, ladder, table, is_rated=left.log.entry.queue == RATED)
        running.void_reason = reason
        self.remember(running.match_id, VoidMatch(running.ladder, running.is_rated, running.bots))
        self._nursery.start_soon(self._go_on, running, replace(left, void_reason=reason), 0.0)

    def void(self, running: Running, reason: str) -> None:
        """End a running match as one that counts for nothing; its bots are told."""
        running.void_reason = reason
        self.remember(running.match_id, VoidMatch(running.ladder, running.is_rated, running.bots))
        for player in running.players:
            sentence = f"match {running.match_id} was ended and counts for nothing: {reason}"
            player.tell(pb.NOTICE_KIND_LADDER, Code.VOIDED, sentence, running.match_id)
        running.scope.cancel()

    # -- one match

    def _seated(self, setup: MatchSetup, ladder: Ladder, table: tuple[Player, ...], *, is_rated: bool) -> Running:
        running = Running(setup, ladder, is_rated, table, now_text(), trio.current_time())
        self.running[setup.match_id] = running
        for player in table:
            player.sit_down(setup.match_id)
        return running

    async def _play(self, running: Running) -> None:
        queue = RATED if running.is_rated else PRACTICE
        key = secrets.token_bytes(KEY_BYTES)
        entry = MatchEntry(running.setup, running.kept_in().identity, queue, key, _sandbox(running.players))
        try:
            log = self._journal.enter(entry)
        except JournalError as error:
            # Nothing was promised to anybody; with its journal broken the server ends.
            _log.error("match_not_begun", match=running.match_id, reason=str(error))
            self._release(running, None)
            self._done(running)
            return
        _log.info("match_begun", match=running.match_id, ladder=running.ladder.name, rated=running.is_rated)
        await self._conduct(running, log, (), 0.0)

    async def _go_on(self, running: Running, left: Unfinished, grace_s: float) -> None:
        _log.info("match_taken_up", match=running.match_id, inputs=len(left.past), over=left.report is not None)
        if left.report is not None:
            self._release(running, left.report)
            await self._keep(running, left.report, left.log)
        elif left.void_reason:
            self._release(running, None)
            await self._make_void(running, left.void_reason, left.log)
        else:
            await self._conduct(running, left.log, left.past, grace_s)

    async def _conduct(self, running: Running, log: MatchJournal, past: Sequence[PastInput], grace_s: float) -> None:
        report, reason = None, ""
        sessions = [player.session for player in running.players]
        with running.scope:
            try:
                report = await conduct_match(
                    running.setup, sessions, reveal=True, watch=running.watch, log=log, past=past, grace_s=grace_s
                )
            except MatchVoid as void:
                reason = void.reason
            except MatchLeft:
                # The server ends now, and the next start takes the match up.
                _log.error("match_left_in_journal", match=running.match_id)
                self._release(running, None)
                self._done(running)
                return
            except Exception:  # noqa: BLE001  logged: a fault of ours costs this match, and no other
                _log.exception("match_void", match=running.match_id)
                reason = "a fault of the server"
        if report is None and running.void_reason:
            reason = running.void_reason
        elif report is None:
            running.ladder.rests_until = trio.current_time() + VOID_PAUSE_S
        self._release(running, report)
        if report is not None:
            self.voids.pop(running.match_id, None)  # it was over before it could be ended
            await self._keep(running, report, log)
        else:
            await self._make_void(running, reason, log)

    def _release(self, running: Running, report: MatchReport | None) -> None:
        """Let the bots go, who may begin their next match."""
        del self.running[running.match_id]
        self._to_keep.add(running.match_id)
        if running.feed is not None:
            running.feed.end(report.outcome if report is not None else None)
        now = trio.current_time()
        for seat, player in enumerate(running.players):
            if report is None:
                player.released(running.match_id, now)
            else:
                was_faulty = bool(report.figures[seat].faults)
                player.finished(running.match_id, now, was_retired=seat in report.retired, was_faulty=was_faulty)
        self._changed()

    # -- keeping

    async def _keep(self, running: Running, report: MatchReport, log: MatchJournal) -> None:
        identity, seconds = running.kept_in().identity, trio.current_time() - running.began

        def count(report: MatchReport, stored: bytes) -> None:
            self._recorder.count(identity, report, stored, seconds, log.entry.sandbox)

        async def keep() -> None:
            await finish_match(report, log, replays=self._replays, count=count)
            running.ladder.is_stale |= running.is_rated

        await self._until_done(running, keep)
        self._over(running.ladder.name, report.outcome.end)
        _log.info("match_over", match=running.match_id, ladder=running.ladder.name, end=report.outcome.end)

    async def _make_void(self, running: Running, reason: str, log: MatchJournal) -> None:
        match_id, identity = running.match_id, running.kept_in().identity
        if not running.void_reason:
            self.remember(running.match_id, VoidMatch(running.ladder, running.is_rated, running.bots))

        async def keep() -> None:
            await self._in_worker(self._recorder.void, identity, match_id, reason, running.bots)
            log.void(reason)

        await self._until_done(running, keep)
        self._over(running.ladder.name, "void")
        _log.warning("match_came_to_nothing", match=match_id, ladder=running.ladder.name, reason=reason)

    def remember(self, match_id: str, void: VoidMatch) -> None:
        """Take note of a match that came to nothing, so that it can be played again."""
        self.voids.setdefault(match_id, void)
        while len(self.voids) > VOIDS_KEPT:
            del self.voids[next(iter(self.voids))]

    async def _until_done(self, running: Running, step: Callable[[], Awaitable[None]]) -> None:
        """Do something that may fail for a while. Raises FencedError."""
        delay_s = RETRY_S
        while True:
            try:
                async with self._keeping:
                    await step()
                break
            except FencedError:
                raise
            except JournalError as error:
                # All but the last entry is kept, and the next start finds that out.
                _log.error("match_end_not_entered", match=running.match_id, reason=str(error))
                break
            except (StoreError, ArchiveError) as error:
                self.unkept[running.match_id] = str(error)
                _log.error("match_not_kept", match=running.match_id, reason=str(error), again_in_s=delay_s)
            await trio.sleep(delay_s)
            delay_s = min(2 * delay_s, RETRY_MOST_S)
        self._done(running)

    def _done(self, running: Running) -> None:
        self._to_keep.discard(running.match_id)
        self.unkept.pop(running.match_id, None)
        self._one_less.set()
        self._one_less = trio.Event()
        self._changed()


def _sandbox(players: Sequence[Player]) -> str:
    """Return which of the seats are hosted, and what holds them; empty without any."""
    hosted = [(str(seat), player.host.sandbox) for seat, player in enumerate(players) if player.host is not None]
    return f"seats {' '.join(seat for seat, _ in hosted)}: {hosted[0][1]}" if hosted else ""
