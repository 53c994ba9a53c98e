"""Bots at one table on this machine, outside of any tournament: found by name, started, stopped (design 12)."""

from __future__ import annotations

import secrets
import signal
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import trio
from gavelport_engine.registry import GAMES

from gavelport_server import shipped
from gavelport_server.conduct.entrants import EntrantsError, missing_here
from gavelport_server.conduct.hosting import processes_for
from gavelport_server.conduct.hub import Hub
from gavelport_server.conduct.manifest import ManifestError, read_manifest
from gavelport_server.conduct.process import BotStartError, NoSandboxError
from gavelport_server.conduct.session import SessionGoneError
from gavelport_server.referee.report import SeatName

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from gavelport_engine.game import AnyGame

    from gavelport_server.conduct.hosting import AnyProcess, MakeProcess
    from gavelport_server.conduct.manifest import BotManifest
    from gavelport_server.conduct.session import Session
    from gavelport_server.launcher.client import Launcher
    from gavelport_server.launcher.limits import Confinement
    from gavelport_server.transport.link import Listener


def find_bots(named: Sequence[str]) -> list[BotManifest]:
    """Return the bots that are meant: each a folder, or else the name of a sample bot.

    Raises EntrantsError with every problem, be it with a folder or because a bot cannot run here.
    """
    bots: list[BotManifest] = []
    problems: list[str] = []
    for name in named:
        folder = Path(name).expanduser()
        sample = None if folder.is_dir() or folder.name != name else shipped.sample_bot(name)
        if sample is None and not folder.is_dir():
            known = ", ".join(one.name for one in shipped.sample_bots())
            problems.append(f"{name}: is neither a bot's folder nor a sample bot; sample bots: {known}")
            continue
        try:
            bot = read_manifest(sample or folder)
        except ManifestError as error:
            problems += error.problems
            continue
        if missing := missing_here(bot):
            problems.append(f"{bot.folder}: {bot.name} cannot run: {missing}")
        bots.append(bot)
    if problems:
        raise EntrantsError(problems)
    return bots


def common_game(bots: Sequence[BotManifest]) -> AnyGame:
    """Return the first game of the first bot that all of them play. Raises EntrantsError where there is none."""
    for wanted in bots[0].games:
        game = GAMES[wanted.partition("@")[0]]
        if all(plays(bot, game) for bot in bots):
            return game
    games = "; ".join(f"{bot.name}: {', '.join(bot.games)}" for bot in bots)
    raise EntrantsError([f"there is no game that all of these bots play ({games})"])


def plays(bot: BotManifest, game: AnyGame) -> bool:
    """Return whether a bot's manifest names the game."""
    return not {game.name, game.id}.isdisjoint(bot.games)


def sparring_partners(game: AnyGame, count: int, beside: Sequence[BotManifest] = ()) -> list[BotManifest]:
    """Return sample bots of a game to play against: `shipped.partners` first, over again where there are too few.

    Those that are `beside` them at the table come last. Raises EntrantsError where no sample bot plays the game, or
    one cannot be read.
    """
    seated = {bot.folder for bot in beside}
    preferred = {name: place for place, name in enumerate(shipped.partners())}
    try:
        samples = [read_manifest(folder) for folder in shipped.sample_bots()]
    except ManifestError as error:
        raise EntrantsError(error.problems) from error
    usable = [bot for bot in samples if plays(bot, game) and missing_here(bot) is None]
    usable.sort(key=lambda bot: (bot.folder in seated, preferred.get(bot.name, len(preferred)), bot.name))
    if not usable:
        raise EntrantsError([f"there is no sample bot of {game.id} that can run here"])
    return [usable[number % len(usable)] for number in range(count)]


@dataclass(eq=False, slots=True)
class LocalBot:
    """A bot process at the table."""

    manifest: BotManifest
    process: AnyProcess
    session: Session
    token: str
    shown: int = 0
    """So many bytes of its log were read by `fresh_lines`."""
    started_s: float = field(default_factory=time.monotonic)

    async def connect(self, patience_s: float) -> str:
        """Wait until the bot has said Hello; return why it has not, in words, or nothing."""
        with trio.move_on_after(patience_s):
            try:
                await self.session.wait_connected()
            except SessionGoneError:
                return self.session.gone_reason
        return "" if self.session.connected else f"it did not connect within {patience_s:.0f} s"

    def fresh_lines(self) -> list[str]:
        """Return the lines that the bot has printed since the last call, without line ends."""
        try:
            with self.process.log_path.open("rb") as log:
                # What is in the middle of a long log is dropped; then what is left is all that is new.
                log.seek(self.shown if self.shown <= log.seek(0, 2) else 0)
                printed = log.read()
        except FileNotFoundError:
            return []
        whole = printed[: printed.rfind(b"\n") + 1] if self.process.returncode is None else printed
        self.shown += len(whole)
        return whole.decode("utf-8", "replace").splitlines()

    def last_words(self, printed: Sequence[str]) -> str:
        """Return in words how the process ended, with the last line that it printed meanwhile."""
        if self.process.returncode is None:
            return self.session.gone_reason
        return self.process.why_ended + (f": {printed[-1].strip()}" if printed else "")


class LocalTable:
    """A referee on loopback, and the bot processes that were started at it."""

    def __init__(self, hub: Hub, make_process: MakeProcess, logs: Path, nursery: trio.Nursery) -> None:
        self.hub = hub
        self._make_process = make_process
        self._logs = logs
        self._nursery = nursery
        self._started = 0

    async def start(self, manifest: BotManifest) -> LocalBot:
        """Start a process of a bot; whether it comes to a connection is for `LocalBot.connect` to tell.

        Raises NoSandboxError, which says nothing of the bot.
        """
        self._started += 1
        token = secrets.token_urlsafe(32)
        log = self._logs / f"{self._started}-{manifest.name}.log"
        session = self.hub.admit(token, SeatName(manifest.name, manifest.version))
        bot = LocalBot(manifest, self._make_process(manifest, token, log), session, token)
        try:
            await bot.process.start()
        except NoSandboxError:
            self.hub.dismiss(session)
            raise
        except BotStartError as error:
            session.gone(str(error))
        else:
            self._nursery.start_soon(self._attend, bot)
        return bot

    async def stop(self, bot: LocalBot) -> None:
        """End a bot's session and process."""
        self.hub.dismiss(bot.session)
        await bot.process.stop()

    async def _attend(self, bot: LocalBot) -> None:
        """Stay with a process until it is gone, and see that it goes when the nursery is cancelled."""
        try:
            await bot.process.wait()
        finally:
            await bot.process.stop()
        line = bot.process.first_error_line
        bot.session.gone(bot.process.why_ended + (f": {line}" if line else ""))


@asynccontextmanager
async def local_table(
    logs: Path,
    listen: Callable[[Hub], Listener] = lambda hub: hub,
    launcher: Launcher | None = None,
    limits: Confinement | None = None,
) -> AsyncIterator[LocalTable]:
    """A table for as long as the context; at its end all its bots are stopped. Exceptions come out of it as they are.

    Args:
        logs: the folder for what the bots print.
        listen: what stands between the transport and the hub; by default nothing.
        launcher: what runs the bots in sandboxes; without it they are processes like any other.
        limits: of each sandbox; None: the usual ones.
    """
    hub = Hub()
    failure: Exception | None = None
    async with processes_for(listen(hub), launcher, limits) as make_process, trio.open_nursery() as nursery:
        try:
            yield LocalTable(hub, make_process, logs, nursery)
        except Exception as error:  # noqa: BLE001  raised below, out of the nursery, which would wrap it
            failure = error
        nursery.cancel_scope.cancel()
    while isinstance(failure, ExceptionGroup) and len(failure.exceptions) == 1:
        failure = failure.exceptions[0]
    if failure is not None:
        raise failure


async def unless_stopped(run: Callable[[], Awaitable[None]]) -> signal.Signals | None:
    """Run something to its end, or until SIGINT or SIGTERM cancels it; return that signal."""
    stopped_by = None

    async def watch(scope: trio.CancelScope, *, task_status: trio.TaskStatus[None]) -> None:
        nonlocal stopped_by
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            task_status.started()
            async for number in signals:
                stopped_by = stopped_by or signal.Signals(number)
                scope.cancel()

    failure: Exception | None = None
    async with trio.open_nursery() as nursery:
        await nursery.start(watch, nursery.cancel_scope)
        try:
            await run()
        except Exception as error:  # noqa: BLE001  raised below, out of the nursery, which would wrap it
            failure = error
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return stopped_by
