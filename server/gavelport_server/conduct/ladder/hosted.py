"""Bots that the server runs: of each version that plays, one process in play and the next one warm (design 9).

A process plays one match and is gone, with its scratch and its memory; the one beside it has been started meanwhile, so
that nobody waits for an interpreter. Where the machine has no room for all, each bot has one process before any has
two, in the order in which they last played, and one that finds no table for long makes room for whoever waits.

A bot whose processes end without a match, three times in a row, rests for a while, longer each time. That is no word
on the bot: it stays active, and what went wrong is said by `words`. What ends within a match is the referee's to judge.
A launcher that is lost is nobody's fault: its matches are void, and played again.
"""

from __future__ import annotations

import re
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import structlog
import trio
from gavelport_engine.registry import GAMES

from gavelport_server.conduct.journalling import in_thread
from gavelport_server.conduct.ladder.hosted_logs import HostedLogs
from gavelport_server.conduct.ladder.requests import LAUNCHER_LOST
from gavelport_server.conduct.local import plays
from gavelport_server.conduct.manifest import ManifestError, read_manifest
from gavelport_server.conduct.process import BotStartError, NoSandboxError
from gavelport_server.conduct.results import bounded
from gavelport_server.conduct.session import Session, SessionGoneError
from gavelport_server.referee.report import SeatName
from gavelport_server.transport.link import ServiceError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gavelport_server.conduct.hosting import HostedProcess, Hosting
    from gavelport_server.conduct.hub import Hub
    from gavelport_server.conduct.journalling import InWorker
    from gavelport_server.conduct.ladder.service import LadderService
    from gavelport_server.conduct.manifest import BotManifest

START_S = 20.0
"""From a process's start to its Hello; as long may it be away later, before it is given up."""
STARTS = 3
"""Processes in a row that end without a match, before a bot rests."""
REST_S, REST_MOST_S = 60.0, 960.0
IDLE_S = 60.0
"""So long a process may wait for a table while other bots wait for a process."""
LOOK_S = 1.0
_FOLDERS = re.compile(r"/(?:[^\s/]+/)+")
"""Before a file's name."""
_log = structlog.get_logger(__name__)


@dataclass(eq=False, slots=True)
class _Life:
    """One process of a bot, from its start to its end."""

    process: HostedProcess
    session: Session
    log: Path
    is_up: bool = False
    match_id: str = ""
    since: float = 0.0
    """When it was last seen connected, or put in play."""
    is_unwanted: bool = False
    """Whether it was ended by the server's own wish, before any match."""
    over: trio.Event = field(default_factory=trio.Event)
    """Set when it is to end, or has ended."""


class _Bot:
    """A version that plays, and its processes; the `Host` of its player."""

    def __init__(self, owner: HostedBots, name: SeatName, content_hash: str) -> None:
        self.name = name
        self.content_hash = content_hash
        self.manifest: BotManifest | None = None
        self.lives: list[_Life] = []
        self.in_play: _Life | None = None
        self.waits_since = trio.current_time()
        """Since it was last at a match, or had to make room."""
        self.begun = 0
        """When its latest process was started, in the order of all."""
        self.failures = 0
        self.rests_until = 0.0
        self.why = ""
        """What went wrong with its latest process, in words."""
        self._owner = owner

    @property
    def games(self) -> list[str]:
        """The games that it plays, with their versions."""
        return [game.id for game in GAMES.values() if self.manifest is not None and plays(self.manifest, game)]

    @property
    def sandbox(self) -> str:
        """See `Host`."""
        return self._owner.sandbox

    def began(self, match_id: str) -> None:
        """See `Host`."""
        if self.in_play is not None:
            self.in_play.match_id = match_id
            self.failures, self.why = 0, ""
            self.in_play.log = self._owner.logs.begun(self.name, self.in_play.log, match_id)
            self.in_play.process.log_path = self.in_play.log  # where its error is looked for, should it crash

    def over(self, match_id: str, *, was_faulty: bool) -> None:
        """See `Host`."""
        life, self.in_play = self.in_play, None
        self.waits_since = trio.current_time()
        if life is not None and life.match_id == match_id:
            self._owner.logs.over(self.name, match_id, was_faulty=was_faulty)
            life.over.set()
        self._owner.seat(self)

    @property
    def living(self) -> list[_Life]:
        """The processes that are not to end."""
        return [life for life in self.lives if not life.over.is_set()]

    @property
    def standby(self) -> _Life | None:
        """The process that is up and waits for its turn."""
        return next((life for life in self.living if life.is_up and life is not self.in_play), None)


class HostedBots:
    """The processes of all hosted bots. `run` keeps them going."""

    def __init__(
        self,
        ladders: LadderService,
        hub: Hub,
        logs: Path,
        folder: Callable[[str], Path],
        *,
        most: int,
        starting: int,
        in_worker: InWorker = in_thread,
    ) -> None:
        """Take whom they play for.

        Args:
            ladders: where they play.
            hub: who knows their sessions.
            logs: the folder of what they print.
            folder: returns where a content hash is unpacked; blocks; raises OSError or ValueError where it is not.
            most: so many processes at the same time.
            starting: so many of them that are starting, which takes a core each for a second.
            in_worker: where what blocks is done.
        """
        self.sandbox = ""
        self.logs = HostedLogs(logs)
        self._ladders = ladders
        self._hub = hub
        self._folder = folder
        self._most, self._starting = most, starting
        self._in_worker = in_worker
        self._bots: dict[SeatName, _Bot] = {}
        self._changed = trio.Event()
        self._begun = 0

    def words(self, bot: str) -> str:
        """Return what keeps a hosted bot from playing, in words; empty where nothing does, and for any other bot."""
        for one in self._bots.values():
            left_s = max(0.0, one.rests_until - trio.current_time())
            if one.name.bot == bot and left_s and one.failures < STARTS and one.in_play is None:
                return f"{bot} {one.name.version} gets no matches for now: {one.why}"
            if one.name.bot == bot and one.failures >= STARTS:
                return (
                    f"{bot} {one.name.version} gets no matches for now: its last {one.failures} processes ended before "
                    f"any match; the latest: {one.why}. It is started again in {left_s:.0f} s; mend it, and submit a "
                    "new version"
                )
        return ""

    async def run(self, hosting: Hosting, sandbox: str) -> None:
        """Keep the bots' processes going until cancelled; while the launcher is lost, none are started.

        Cancelled, matches that run are left as they are: end them before. `sandbox` says what holds the processes.
        """
        self.sandbox = sandbox
        async with trio.open_nursery() as nursery:
            while True:
                await self._look(hosting, nursery)
                with trio.move_on_after(LOOK_S):
                    await self._changed.wait()
                self._changed = trio.Event()

    def seat(self, bot: _Bot) -> None:
        """Put a process that is up in play, where there is one and the bot has none."""
        self._changed.set()
        player = self._ladders.players.seat(bot.name)
        if bot.in_play is not None:
            return
        life = bot.standby if self._bots.get(bot.name) is bot else None
        if life is None:
            player.session = Session(bot.name)  # nobody is there
            return
        bot.in_play, life.since = life, trio.current_time()
        self._ladders.players.host(bot.name, life.session, bot.games, bot)
        self._ladders.wake()

    # -- who is to have a process

    async def _look(self, hosting: Hosting, nursery: trio.Nursery) -> None:
        now = trio.current_time()
        playing = await self._keep_in_step()
        for bot in self._bots.values():
            for life in bot.lives:
                if life.session.connected and life is not bot.in_play:
                    life.since = now
                elif life.is_up and not life.session.connected and not life.match_id and now - life.since > START_S:
                    life.session.gone(f"it was not connected for {START_S:.0f} s")
                    life.over.set()
        wanted = [bot for bot in playing if bot.manifest is not None and self._is_well(bot, now)]
        without = [bot for bot in wanted if not bot.living]
        with_one = [bot for bot in wanted if len(bot.living) == 1 and bot.in_play is not None]
        lives = [life for bot in self._bots.values() for life in bot.lives]
        room = 0 if hosting.launcher.is_lost else self._most - len(lives)
        starting = self._starting - sum(not life.is_up for life in lives)
        for bot in (_in_turn(without) + _in_turn(with_one))[: max(0, min(room, starting))]:
            self._begin(bot, hosting, nursery)
        if len(without) > room:
            self._make_room(len(without) - max(0, room), now)

    def _is_well(self, bot: _Bot, now: float) -> bool:
        return bot.rests_until <= now and self._ladders.players.seat(bot.name).rests_until <= now

    async def _keep_in_step(self) -> list[_Bot]:
        """Return the versions that play; the processes of all others end, but for those that are at a match."""
        roster = self._ladders.roster
        playing = {}
        for bot_name in roster.names:
            version = roster.playing(bot_name)
            content_hash = roster.content_hash(bot_name, version)
            if content_hash and not roster.why_not_paired(bot_name):
                playing[SeatName(bot_name, version)] = content_hash
        for name, bot in tuple(self._bots.items()):
            if name not in playing:
                for life in bot.lives:
                    self._end(life)
                if not bot.lives:
                    del self._bots[name]
        for name, content_hash in playing.items():
            if name not in self._bots:
                self._bots[name] = _Bot(self, name, content_hash)
                self.logs.sweep(name)
            bot = self._bots[name]
            if bot.manifest is None and bot.rests_until <= trio.current_time():
                await self._read(bot)
        return [self._bots[name] for name in playing]

    async def _read(self, bot: _Bot) -> None:
        def read() -> BotManifest:
            return read_manifest(self._folder(bot.content_hash))

        try:
            bot.manifest = await self._in_worker(read)
        except (OSError, ManifestError, ValueError) as error:
            # The owner is told, whom the server's folders do not concern.
            why = error.strerror if isinstance(error, OSError) else _FOLDERS.sub("", str(error))
            self._failed(bot, bounded(f"what was submitted cannot be read: {why}"))
            bot.failures = max(bot.failures, STARTS)
            bot.rests_until = trio.current_time() + REST_S

    def _make_room(self, processes: int, now: float) -> None:
        """End processes that wait for their turn, then those that have long waited for a table."""
        spare = [life for bot in self._bots.values() if (life := bot.standby) is not None and bot.in_play is not None]
        idle = [
            (bot.in_play, bot)
            for bot in self._bots.values()
            if bot.in_play is not None and not bot.in_play.match_id and now - bot.in_play.since > IDLE_S
        ]
        for life in spare[:processes]:
            self._end(life)
        for life, bot in sorted(idle, key=lambda pair: pair[0].since)[: max(0, processes - len(spare))]:
            bot.waits_since = now
            self._end(life)

    def _end(self, life: _Life) -> None:
        """End a process that is at no match."""
        if not life.match_id:
            life.is_unwanted = True
            life.over.set()

    # -- one process

    def _begin(self, bot: _Bot, hosting: Hosting, nursery: trio.Nursery) -> None:
        assert bot.manifest is not None
        token = secrets.token_urlsafe(32)
        log = self.logs.fresh(bot.name)
        life = _Life(hosting.process(bot.manifest, token, log), self._hub.admit(token, bot.name), log)
        life.since = trio.current_time()
        self._begun += 1
        bot.begun = self._begun
        bot.lives.append(life)
        nursery.start_soon(self._live, bot, life, hosting)

    async def _live(self, bot: _Bot, life: _Life, hosting: Hosting) -> None:
        try:
            await self._stay(bot, life)
        except NoSandboxError as error:
            life.is_unwanted = True
            if not hosting.launcher.is_lost:
                self._not_started(bot, str(error))
        except BotStartError as error:
            life.session.gone(bounded(str(error)))
        finally:
            is_left = life.match_id and not life.over.is_set()  # a match that the server stops in the middle of
            life.over.set()
            if bot.in_play is life:
                bot.in_play = None
                self.seat(bot)
            why = life.session.gone_reason
            if not is_left:
                self._hub.dismiss(life.session)
            await life.process.stop()
            bot.lives.remove(life)
            if not life.match_id:
                is_failure = bool(why) and not (life.is_unwanted or hosting.launcher.is_lost)
                self.logs.unused(bot.name, life.log, is_kept=is_failure)
                if is_failure:
                    self._failed(bot, why)
            self._changed.set()

    async def _stay(self, bot: _Bot, life: _Life) -> None:
        """Start a process, put it in play when it is its turn, and return when it is to end or has ended."""
        await life.process.start()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._attend, life)
            with trio.move_on_after(START_S), suppress(SessionGoneError):
                await life.session.wait_connected()
            if life.session.connected:
                life.is_up = True
                self.seat(bot)
                await life.over.wait()
            elif not life.session.gone_reason:
                life.session.gone(f"it did not connect within {START_S:.0f} s")
            nursery.cancel_scope.cancel()

    async def _attend(self, life: _Life) -> None:
        """Wait for a process's end, and say what that means to its match."""
        await life.process.wait()
        ended = life.process.ended
        if ended is not None and ended.cause == "lost" and life.match_id:
            self._play_again(life.match_id)
            return
        line = life.process.first_error_line
        life.session.gone(bounded(life.process.why_ended + (f": {line}" if line else "")))
        if not life.match_id:
            life.over.set()

    def _play_again(self, match_id: str) -> None:
        if self._ladders.requests.void_running(match_id, LAUNCHER_LOST):
            with suppress(ServiceError):
                self._ladders.requests.rerun(match_id)

    def _not_started(self, bot: _Bot, why: str) -> None:
        """Try again later what the server itself could not do; that does not count against the bot."""
        bot.rests_until = trio.current_time() + REST_S
        bot.why = f"the server could not start it, and tries again in {REST_S:.0f} s; that is no fault of the bot's"
        _log.error("hosted_bot_not_started", bot=bot.name.bot, version=bot.name.version, reason=why)

    def _failed(self, bot: _Bot, why: str) -> None:
        bot.failures += 1
        bot.why = why
        beyond = bot.failures - STARTS
        if beyond >= 0:
            rest_s = min(REST_MOST_S, REST_S * 2**beyond)
            bot.rests_until = trio.current_time() + rest_s
            _log.warning("hosted_bot_rests", bot=bot.name.bot, version=bot.name.version, reason=why, rest_s=rest_s)


def _in_turn(bots: list[_Bot]) -> list[_Bot]:
    """Return bots as they are to have a process: who has waited longest first."""
    return sorted(bots, key=lambda bot: (bot.waits_since, bot.begun))


def most_processes(seats: int, memory_bytes: int, *, cores: int, machine_bytes: int) -> int:
    """Return how many processes a machine should run at the same time.

    Four for each core, as of a table all but one or two wait; as many as may fill three quarters of the memory; and a
    table's worth in any case.
    """
    return max(seats, min(4 * cores, machine_bytes * 3 // 4 // memory_bytes))
