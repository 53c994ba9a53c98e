"""A server of ladders: every room wired to the others, from the first lock to the last goodbye (design 4 to 9).

What depends on what: the journal and the gate follow the data folder, the ladders stand on both, then the ports are
opened, last come house bots and ratings. It ends the other way round: no new matches, running ones get their time, the
ports are closed, and what is still running stays in the journal.
"""

from __future__ import annotations

import os
import signal
import socket
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog
import trio
from starlette.routing import Mount

from gavelport_server import shipped
from gavelport_server.conduct.entrants import EntrantsError, missing_here
from gavelport_server.conduct.failures import first_failure
from gavelport_server.conduct.folder import LOGS
from gavelport_server.conduct.hosts import hosts
from gavelport_server.conduct.house import HouseBots
from gavelport_server.conduct.hub import Hub
from gavelport_server.conduct.ladder.admission import LadderAdmission
from gavelport_server.conduct.ladder.service import LadderService
from gavelport_server.conduct.local import find_bots, plays
from gavelport_server.conduct.manifest import ManifestError, read_manifest
from gavelport_server.conduct.refit import Refitter
from gavelport_server.conduct.sandboxes import OFF
from gavelport_server.conduct.stopwatch import Stopwatch, TimedJournal
from gavelport_server.lobby.desks import Desks
from gavelport_server.lobby.door import Door
from gavelport_server.lobby.gate import Gate
from gavelport_server.pages.application import application
from gavelport_server.pages.elsewhere import Elsewhere
from gavelport_server.pages.metrics import Metrics
from gavelport_server.pages.proxy import BehindProxy
from gavelport_server.pages.server import serve_http
from gavelport_server.storage.errors import StoreError
from gavelport_server.transport.bridge import serve
from gavelport_server.transport.services import Services
from gavelport_server.transport.tls import Tls

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from starlette.types import ASGIApp

    from gavelport_server.conduct.folder import DataFolder
    from gavelport_server.conduct.journalling import JournalFigures
    from gavelport_server.conduct.manifest import BotManifest
    from gavelport_server.conduct.sandboxes import Sandboxes
    from gavelport_server.lobby.gate import Caller
    from gavelport_server.serving import ServeSettings
    from gavelport_server.storage.members import Members

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Serving:
    """What a server that has started is reached by."""

    target: str
    url: str
    notices: Sequence[str]
    """What whoever runs it should know, in words."""


def house_manifests(settings: ServeSettings, tell: Callable[[str], None]) -> list[BotManifest]:
    """Return the sample bots that a server is to start.

    Where all are asked for, those that cannot run here or play on none of the ladders are left out, and `tell` is told
    of the former. Raises EntrantsError with every problem of those that are asked for by name.
    """
    games = [one.game for one in settings.ladders]
    if not isinstance(settings.sample_bots, str):
        bots = find_bots(settings.sample_bots)
        strangers = [bot for bot in bots if not any(plays(bot, game) for game in games)]
        if strangers:
            raise EntrantsError([f"sample_bots: {bot.name} plays none of the ladders' games" for bot in strangers])
        return bots
    found = []
    for folder in shipped.sample_bots():
        try:
            bot = read_manifest(folder)
        except ManifestError as error:
            tell(f"{folder.name} is left out: {'; '.join(error.problems)}")
            continue
        if any(plays(bot, game) for game in games):
            if missing := missing_here(bot):
                tell(f"{bot.name} is left out: {missing}")
            else:
                found.append(bot)
    return found


async def run_service(
    settings: ServeSettings,
    folder: DataFolder,
    house: Sequence[BotManifest],
    boxes: Sandboxes,
    started: Callable[[Serving], None],
    *,
    reflects: bool = False,
) -> signal.Signals | None:
    """Serve until SIGTERM or SIGINT and all matches are over, or their time is.

    Returns the second signal, where one ended it at once.

    Args:
        settings: what the server is told.
        folder: the data folder, locked.
        house: the sample bots to be started.
        boxes: what submitted bots are run in, if they are.
        started: is told where the server is reached, once it is.
        reflects: whether gRPC's reflection service tells which services there are.

    Raises:
        StoreError: the store failed at the start, or another server has taken over.
        JournalError: the journal is damaged, or could not be written.
        TransportError: an address cannot be had, or the asyncio side broke down.
    """
    service = _Service(settings, folder, house, boxes, started, reflects=reflects)
    with first_failure():
        await service.run()
    return service.stopped_at_once_by


class _Service:
    """One run."""

    def __init__(
        self,
        settings: ServeSettings,
        folder: DataFolder,
        house: Sequence[BotManifest],
        boxes: Sandboxes,
        started: Callable[[Serving], None],
        *,
        reflects: bool,
    ) -> None:
        self.stopped_at_once_by: signal.Signals | None = None
        self._settings = settings
        self._folder = folder
        self._boxes = boxes
        self._started = started
        self._reflects = reflects
        self._metrics = Metrics()
        self._house = HouseBots(house, folder.path / LOGS / "house")
        self._stopping = trio.Event()

    async def run(self) -> None:
        settings, folder, store = self._settings, self._folder, self._folder.store
        epoch = await trio.to_thread.run_sync(store.claim, f"{socket.gethostname()}, process {os.getpid()}")
        await trio.to_thread.run_sync(self._house.register, store)
        gate = _CountingGate(store, self._metrics.token_refused)
        await gate.refresh()
        journal = await trio.to_thread.run_sync(TimedJournal, folder.path, self._metrics.followed)
        ladders = LadderService(
            store,
            store,
            folder.replays,
            journal,
            settings.ladders,
            grace_s=settings.grace_s,
            over=self._metrics.match_over,
        )
        hub = Hub(admission=_Admission(gate, self._house, ladders))
        gate.on_revoked(hub.revoke)
        journal.stopwatch = stopwatch = Stopwatch(hub)
        self._metrics.watch(_Live(ladders, stopwatch, journal))
        desks = Desks(store, store, folder.replays, folder.path, ladders, gate, epoch=epoch, drain=self._stopping.set)
        door = Door(gate)
        services = Services(desks.by_service, door)
        pages = Elsewhere(folder.path, settings.database, live=ladders, is_served=True)
        app = application(desks.by_name, _Health(ladders), self._metrics, [Mount("/", pages)], door)
        refitter = Refitter(folder.path, settings.database, ladders.counts)
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            around = hosts(self._boxes, ladders, hub, stopwatch, folder.path, desks.examiner)
            async with around as host, trio.open_nursery() as rooms:
                rooms.start_soon(journal.run)
                rooms.start_soon(gate.run)
                await rooms.start(ladders.run)
                async with AsyncExitStack() as ports:
                    target, inside = await self._open(ports, stopwatch, services)
                    async with trio.open_nursery() as guests:
                        url = await guests.start(self._serve_http, app)
                        guests.start_soon(self._house.run, inside)
                        guests.start_soon(refitter.run)
                        guests.start_soon(self._warm, desks)
                        host()
                        guests.start_soon(pages.run)
                        _log.info("serving", address=target, epoch=epoch)
                        self._started(Serving(target, url, ladders.notices))
                        await self._until_stopped(signals, ladders)
                        guests.cancel_scope.cancel()
                rooms.cancel_scope.cancel()
            _log.info("stopped")

    async def _warm(self, desks: Desks) -> None:
        """Have the tables summed up; while that fails, whoever asks for one is told."""
        try:
            await trio.to_thread.run_sync(desks.boards.warm, abandon_on_cancel=True)
        except StoreError as error:
            _log.error("tables_not_summed_up", reason=str(error))

    async def _serve_http(self, app: ASGIApp, task_status: trio.TaskStatus[str]) -> None:
        tls = self._settings.tls
        cert, key = (None, None) if tls is None else (tls.cert, tls.key)
        if (proxy := self._settings.trusted_proxy) is not None:
            app = BehindProxy(app, proxy)
        await serve_http(app, self._settings.http, cert=cert, key=key, task_status=task_status)

    async def _open(self, ports: AsyncExitStack, listener: Stopwatch, services: Services) -> tuple[str, str]:
        """Open the gRPC port, and return its target and the one for the house's bots."""
        files = self._settings.tls
        tls = None if files is None else Tls(files.cert, files.key, files.client_ca)
        bridge = await ports.enter_async_context(
            serve(
                listener,
                address=self._settings.listen,
                services=services,
                tls=tls,
                reflects=self._reflects,
            )
        )
        if tls is None:
            return bridge.target, bridge.target
        # The house's bots know no certificates; they have a port of their own that nobody else can reach.
        inside = await ports.enter_async_context(serve(listener, address="127.0.0.1:0"))
        return bridge.target, inside.target

    async def _until_stopped(self, signals: AsyncIterator[int], ladders: LadderService) -> None:
        """Wait for a signal, or for an admin's word, then let running matches end, unless there is a second signal."""
        async with trio.open_nursery() as nursery:

            async def hear() -> None:
                async for number in signals:
                    if stopping.is_set():
                        self.stopped_at_once_by = signal.Signals(number)
                        nursery.cancel_scope.cancel()
                        return
                    stopping.set()

            stopping = self._stopping
            nursery.start_soon(hear)
            await stopping.wait()
            _log.info("draining", running=len(ladders.running()))
            if not await ladders.drain(self._settings.drain_s):
                _log.warning("left_in_journal", running=len(ladders.running()))
            nursery.cancel_scope.cancel()


class _Admission(LadderAdmission):
    """Who the hub lets in: the house's bots by their own tokens, all others by the gate's; then as the ladders say."""

    def __init__(self, gate: Gate, house: HouseBots, ladders: LadderService) -> None:
        super().__init__(gate, ladders)
        self._house = house

    def known(self, token: str) -> Caller | None:
        """See `Admission`."""
        return self._house.caller(token) or super().known(token)


class _CountingGate(Gate):
    """A gate that says when a token opens nothing."""

    def __init__(self, members: Members, refused: Callable[[], None]) -> None:
        super().__init__(members)
        self._refused = refused

    async def caller_after_refresh(self, token_text: str) -> Caller | None:
        """See `Gate`."""
        caller = await super().caller_after_refresh(token_text)
        if caller is None:
            self._refused()
        return caller


class _Health:
    """What is wrong with the server, for whoever watches it."""

    def __init__(self, ladders: LadderService) -> None:
        self._ladders = ladders

    def problems(self) -> Sequence[str]:
        """See `pages.application.Health`."""
        found = [f"no new matches: {self._ladders.problem}"] if self._ladders.problem else []
        if self._ladders.is_draining:
            found.append("the server is draining and stops once its matches are over")
        return found

    def notices(self) -> Sequence[str]:
        """See `pages.application.Health`."""
        why = self._ladders.hosting
        hosting = [f"no submitted bot is run: {why}"] if why not in ("", OFF) else []
        return [*hosting, *self._ladders.notices]


class _Live:
    """What the metrics ask when somebody looks."""

    def __init__(self, ladders: LadderService, stopwatch: Stopwatch, journal: TimedJournal) -> None:
        self._ladders = ladders
        self._stopwatch = stopwatch
        self._journal = journal

    def running(self) -> Mapping[str, int]:
        """See `Live`."""
        return {queue.ladder: queue.running for queue in self._ladders.queues()}

    def connected(self) -> int:
        """See `Live`."""
        return len(self._ladders.connected_names())

    def streams(self) -> int:
        """See `Live`."""
        return self._stopwatch.streams

    def is_failing(self) -> bool:
        """See `Live`."""
        return bool(self._ladders.problem)

    def journal(self) -> JournalFigures:
        """See `Live`."""
        return self._journal.figures
