"""A server's ladders, live: who is let in, when tables are made, and what may be asked of it all (design 4 to 7).

One loop does everything that has to wait for nobody: a fraction of a second after something has changed, so that those
who become free together are looked at together, it reads what is new in the store, tells bots where they stand, and
makes tables (`pairing/ladder.py`). Matches run beside it (`matches.py`).

Everything here is called in the trio thread.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import structlog
import trio
from gavelport.v1 import referee_pb2 as pb

from gavelport_server.conduct.journalling import in_thread
from gavelport_server.conduct.ladder.hindrances import hindrances
from gavelport_server.conduct.ladder.listing import ConnectedBot, Queue, RunningMatch
from gavelport_server.conduct.ladder.matches import RATED, Ladder, Matches
from gavelport_server.conduct.ladder.players import Players
from gavelport_server.conduct.ladder.queues import Pool
from gavelport_server.conduct.ladder.record import Recorder, now_text
from gavelport_server.conduct.ladder.requests import HOSTED_LOST, Requests
from gavelport_server.conduct.ladder.versions import Roster
from gavelport_server.pairing.ladder import TABLES_AT_ONCE, held_back, tables
from gavelport_server.referee.codes import Code
from gavelport_server.storage.errors import FencedError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gavelport_server.archive.files import ReplayFolder
    from gavelport_server.conduct.admission import Refusal
    from gavelport_server.conduct.journalling import InWorker, Journal, Unfinished
    from gavelport_server.conduct.ladder.hosted import HostedBots
    from gavelport_server.conduct.ladder.spectate import SpectatorFeed
    from gavelport_server.conduct.session import Session
    from gavelport_server.lobby.gate import Caller
    from gavelport_server.referee.report import SeatName
    from gavelport_server.serving import LadderSettings
    from gavelport_server.storage.members import BotRecord, Members, OwnerRecord, VersionRecord
    from gavelport_server.storage.store import Store

GATHER_S = 0.2
"""From a change to the tables that are made of it."""
POLL_S = 1.0
"""How often the store is asked what is new, and those who wait are looked at again."""
SEEN_S = 60.0
"""How often it is kept who is connected."""
GRACE_S = 60.0
"""So long after a start the bots of interrupted matches are waited for."""
_log = structlog.get_logger(__name__)


class LadderService:
    """The ladders of a server. `run` keeps them going."""

    def __init__(  # noqa: PLR0913  one for each room that it stands on
        self,
        store: Store,
        members: Members,
        replays: ReplayFolder,
        journal: Journal,
        ladders: Sequence[LadderSettings],
        *,
        grace_s: float = GRACE_S,
        rng: random.Random | None = None,
        in_worker: InWorker = in_thread,
        over: Callable[[str, str], None] = lambda _ladder, _end: None,
    ) -> None:
        """Take what the ladders are kept in. `over` hears of each match that is over: its ladder, and how it ended."""
        self.is_paused = self.is_draining = False
        self.hosting = ""
        """Why the server runs no submitted bots, in words; empty while it does."""
        self.hosted: HostedBots | None = None
        """The submitted bots' processes, where the server runs any."""
        self._settings = tuple(ladders)
        self._store_problem = ""
        self._members = members
        self._replays = replays
        self._journal = journal
        self._grace_s = grace_s
        self._rng = rng or random.SystemRandom()
        self._in_worker = in_worker
        self._over = over
        self._recorder = Recorder(store)
        self.roster = Roster()
        games = frozenset(one.game.id for one in ladders)
        self.players = Players(self.roster, games, trio.current_time)
        self._ladders: list[Ladder] = []
        self._without_ladder: Counter[str] = Counter()
        """Interrupted matches that stay in the journal, by the name of their ladder."""
        self._revision = -1
        self._asked_at = self._seen_at = float("-inf")
        self._turn = 0
        self._changed = trio.Event()
        self._matches: Matches
        self.requests: Requests

    # -- the run

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep the ladders going until cancelled; started once the store was read and interrupted matches go on.

        Cancelled, running matches stay in the journal; close the bots' links before, so that nobody is told they are
        void. Raises StoreError where the store fails before the start, and FencedError whenever another server has
        taken over.
        """
        self._ladders = [await self._opened(settings) for settings in self._settings]
        await self._read_members()
        left = await self._in_worker(self._journal.unfinished)
        async with trio.open_nursery() as nursery:
            self._matches = Matches(
                self.players,
                self._recorder,
                self._replays,
                self._journal,
                in_worker=self._in_worker,
                nursery=nursery,
                changed=self.wake,
                over=self._over,
            )
            self.requests = Requests(
                self.roster,
                self.players,
                self._matches,
                self._rng,
                lambda: self._ladders,
                self._recorder,
                self._in_worker,
            )
            interrupted = {one.log.entry.setup.match_id for one in left}
            for ladder in self._ladders:
                await self.requests.load(ladder, interrupted)
            for one in left:
                await self._take_up(one)
            await self.requests.save()
            task_status.started()
            while True:
                await self._round()
                with trio.move_on_after(POLL_S):
                    await self._changed.wait()
                self._changed = trio.Event()
                await trio.sleep(GATHER_S)

    def wake(self) -> None:
        """Have tables made soon, as something has changed."""
        self._changed.set()

    async def _opened(self, settings: LadderSettings) -> Ladder:
        records = await self._in_worker(self._recorder.open, settings)
        options = settings.game.options({**settings.options, "seats": settings.seats})
        ladder = Ladder(settings, options, records)
        now = trio.current_time()
        for record, ledger in ((records.rated, ladder.ledger), (records.practice, ladder.practised)):
            for past in reversed(await self._in_worker(self._recorder.past_day, record)):
                ledger.add(past.bots, now - past.age_s)
        return ladder

    async def _take_up(self, left: Unfinished) -> None:
        entry = left.log.entry
        match_id = entry.setup.match_id
        for ladder in self._ladders:
            rated, practice = ladder.records.rated.identity, ladder.records.practice.identity
            if entry.ladder == (rated if entry.queue == RATED else practice):
                if await self._in_worker(self._recorder.is_void, entry.ladder, match_id):
                    left.log.void("it was void before the server stopped")
                elif left.report is None and not left.void_reason and self._has_hosted(entry.setup.seats):
                    self._matches.give_up(ladder, left, HOSTED_LOST)
                    self.requests.rerun(match_id)
                else:
                    self._matches.resume(ladder, left, self._grace_s)
                return
        name = await self._in_worker(self._recorder.name, entry.ladder)
        self._without_ladder[name] += 1
        _log.warning("match_without_ladder", match=match_id, ladder=name)

    def _has_hosted(self, seats: Sequence[SeatName]) -> bool:
        return any(self.roster.content_hash(seat.bot, seat.version) for seat in seats)

    async def _round(self) -> None:
        await self._read_store()
        self.players.tell_news()
        now = trio.current_time()
        for ladder in self._ladders:
            ladder.ledger.expire(now)
            ladder.practised.expire(now)
        if not self.may_pair:
            return
        self._turn += 1
        at = self._turn % len(self._ladders)  # no ladder is always the first to choose
        for ladder in self._ladders[at:] + self._ladders[:at]:
            if ladder.rests_until <= now:
                self._make_tables(ladder, now)

    def _make_tables(self, ladder: Ladder, now: float) -> None:
        kept = self.requests.play_again(ladder, now)
        pool = Pool(ladder.game, now, self.roster, ladder.ratings, ladder.ledger, kept)
        settings, seats = ladder.settings, ladder.settings.seats
        # First, as its tables are few and it waits before it takes others' bots; after the rated ones none are left.
        for practice in pool.practice_tables(self.players, settings, self._rng, ladder.practised):
            self._matches.start(ladder, practice, is_rated=False)
        free = pool.rated(self.players)
        playing = sum(len(player.matches) > 0 for player in self.players.connected())
        waiting, met = pool.waiting(free), ladder.ledger.met
        most = {"pair_most": settings.pair_per_day, "hour_most": settings.bot_per_hour}
        found = tables(waiting, seats, now, self._rng, met, playing=playing, **most)
        held = held_back(waiting, seats, met, **most)
        for bot, player in free.items():
            player.hold_back(ladder.name, held.get(bot, ""))
        for table in found:
            self._matches.start(ladder, [free[bot] for bot in table], is_rated=True)
        if len(found) == TABLES_AT_ONCE:
            self.wake()

    # -- the store

    async def _read_store(self) -> None:
        """Read what is new, and write what has come up. While the store fails, what was known stays."""
        now = trio.current_time()
        try:
            for bot, version in tuple(self.roster.unsaved):
                await self._in_worker(self._members.add_version, bot, version)
                self._revision = -1
            await self.requests.save()
            if now - self._asked_at >= POLL_S or self._revision < 0 or self._store_problem:
                await self._read_members()
                self._asked_at = now
            for ladder in self._ladders:
                if ladder.is_stale:
                    ladder.is_stale = False
                    ladder.ratings = await self._in_worker(self._recorder.ratings, ladder.records.rated)
            if now - self._seen_at >= SEEN_S:
                await self._in_worker(self._members.seen, self.connected_names(), now_text())
                self._seen_at = now
        except FencedError:
            raise
        except StoreError as error:
            if not self._store_problem:
                _log.error("store_failed", reason=str(error))
            self._store_problem = str(error)
            for ladder in self._ladders:
                ladder.is_stale = True
        else:
            self._store_problem = ""

    async def _read_members(self) -> None:
        revision = await self._in_worker(self._members.members_revision)
        if revision != self._revision:
            owners, bots, versions = await self._in_worker(self._read_all)
            self.roster.load(owners, bots, versions)
            self._revision = revision
            self.players.apply_roster()

    def _read_all(self) -> tuple[Sequence[OwnerRecord], Sequence[BotRecord], Sequence[VersionRecord]]:
        return self._members.owners(), self._members.bots(), self._members.versions()

    # -- admission, for the hub (with `Gate` for the tokens)

    def hello(self, caller: Caller, hello: pb.Hello) -> Session | Refusal:
        """Return the session of a bot that says Hello, or why it is not let in."""
        answer = self.players.hello(caller, hello)
        self.wake()
        return answer

    def knows(self, bot: str) -> bool:
        """Return whether there is a bot of this name, as far as was read from the store."""
        return self.roster.bot(bot) is not None

    async def refresh(self) -> None:
        """Read owners, bots and versions anew, at once: for whoever has just changed them. Raises StoreError."""
        self._revision = -1
        await self._read_members()
        self.players.tell_news()
        self.wake()

    # -- what is asked of it

    @property
    def may_pair(self) -> bool:
        """Whether new matches are begun."""
        return not (self.is_paused or self.is_draining or self.problem)

    @property
    def problem(self) -> str:
        """What keeps new matches from being begun, in words; empty while nothing is wrong."""
        if self._journal.broken:
            return self._journal.broken
        return next(iter(self._matches.unkept.values()), self._store_problem)

    @property
    def notices(self) -> list[str]:
        """What whoever runs the server should know, and is no failure; in words."""
        return [
            f"the journal keeps interrupted matches ({number}) of the ladder {name}, and grows until they end: the "
            "settings have no such ladder now, or with another game, options or seats; put it back as it was, and they "
            "go on at the next start"
            for name, number in self._without_ladder.items()
        ]

    def pause(self, *, is_paused: bool) -> None:
        """Begin no new matches until this is lifted; those that run go on."""
        self.is_paused = is_paused
        self.wake()

    async def drain(self, limit_s: float = float("inf")) -> bool:
        """Begin no new matches, tell the bots, and wait until all are over and kept.

        Returns whether they were, within so many seconds. What still runs then can be left in the journal, where the
        next start takes it up.
        """
        self.is_draining = True
        for player in self.players.connected():
            player.tell(
                pb.NOTICE_KIND_DRAINING,
                Code.DRAINING,
                "the server stops soon and begins no more matches; stay connected, or come back when it does",
            )
        with trio.move_on_after(limit_s):
            await self._matches.wait_done()
            return True
        return False

    def running(self, ladder: str = "") -> list[RunningMatch]:
        """Return the running matches of a ladder, or of all, oldest first."""
        return [
            RunningMatch(one.match_id, one.ladder.name, one.is_rated, one.bots, one.started_at, one.decisions)
            for one in self._matches.running.values()
            if ladder in ("", one.ladder.name)
        ]

    def connected(self) -> list[ConnectedBot]:
        """Return the connected bots by name and version."""
        found = [
            ConnectedBot(player.bot, player.version, player.is_practice, len(player.matches))
            for player in self.players.connected()
        ]
        return sorted(found, key=lambda one: (one.bot, one.version))

    def connected_names(self) -> list[str]:
        """Return the names of the bots that are connected, sorted."""
        return sorted({player.bot for player in self.players.connected()})

    def queues(self) -> list[Queue]:
        """Return who waits, by ladder."""
        now = trio.current_time()
        found = []
        for ladder in self._ladders:
            pool = Pool(ladder.game, now, self.roster, ladder.ratings, ladder.ledger, frozenset())
            practising = sorted(
                player.bot for player in self.players if player.is_practice and player.is_free(ladder.game, now)
            )
            running = sum(one.ladder is ladder for one in self._matches.running.values())
            free = tuple(sorted(pool.rated(self.players)))
            found.append(Queue(ladder.name, free, tuple(practising), running))
        return found

    def counts(self) -> dict[str, int]:
        """Return how many matches count on each ladder, by the identity of its record, as of the latest look."""
        return {
            ladder.records.rated.identity: sum(rated.matches for rated in ladder.ratings.values())
            // ladder.settings.seats
            for ladder in self._ladders
        }

    def hosted_words(self, bot: str) -> str:
        """Return what keeps a bot that this server runs from playing, in words; empty where nothing does."""
        return "" if self.hosted is None else self.hosted.words(bot)

    def held_back(self, bot: str) -> str:
        """Return why a bot that could play gets no matches for now, in words; empty where it does."""
        if self.roster.why_not_paired(bot):
            return ""
        return ". ".join(hindrances(bot, self.players, self._ladders, trio.current_time()))

    def playing_version(self, bot: str) -> str:
        """Return the version of a bot that plays rated matches; empty before there is any."""
        return self.roster.playing(bot)

    def spectate(self, match_id: str) -> SpectatorFeed | None:
        """Return what spectators of a running match are told by; None where no such match runs."""
        running = self._matches.running.get(match_id)
        return None if running is None else running.spectators()
