"""Hosted bots for as long as a server runs: the link to the launcher, sockets, processes; or why there are none."""

from __future__ import annotations

import os
import shutil
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

import structlog
import trio

from gavelport_server.conduct.folder import LOGS
from gavelport_server.conduct.hosting import hosting
from gavelport_server.conduct.ladder.hosted import HostedBots
from gavelport_server.launcher.client import LauncherError, attached
from gavelport_server.lobby.packages import Packages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from gavelport_server.conduct.hub import Hub
    from gavelport_server.conduct.ladder.service import LadderService
    from gavelport_server.conduct.sandboxes import Sandboxes
    from gavelport_server.launcher.client import LauncherProcess
    from gavelport_server.lobby.examiner import Examiner
    from gavelport_server.transport.link import Listener

AGAIN_S = 30.0
"""Between two attempts to start a launcher in the place of one that was lost."""
SOCKETS = ".sockets"
"""In the data folder: a link to where the sockets of hosted bots are."""
LOST = "the launcher is gone, and with it all processes of hosted bots; restart the server"
_log = structlog.get_logger(__name__)


@asynccontextmanager
async def hosts(
    boxes: Sandboxes, ladders: LadderService, hub: Hub, listener: Listener, data: Path, examiner: Examiner
) -> AsyncIterator[Callable[[], None]]:
    """Give what has submitted bots examined and run, until the end of the context; without sandboxes it does nothing.

    It is entered before the matches begin and left after they have ended, so that no process ends before its match.
    """
    ladders.hosting = boxes.why_not
    if boxes.process is None:
        yield lambda: None
        return
    logs, cores = data / LOGS / "hosted", len(os.sched_getaffinity(0))
    ladders.hosted = hosted = HostedBots(ladders, hub, logs, Packages(data).folder, most=boxes.most, starting=cores)
    async with (
        attached(boxes.process, partial(_start_again, boxes, ladders)) as launcher,
        hosting(launcher, listener, boxes.limits, are_staged=True) as host,
        trio.open_nursery() as nursery,
    ):
        await trio.to_thread.run_sync(_sweep, data, host.folder)

        def begin() -> None:
            nursery.start_soon(hosted.run, host, boxes.words)
            nursery.start_soon(examiner.run, launcher, boxes.limits)

        try:
            yield begin
        finally:
            (data / SOCKETS).unlink(missing_ok=True)
        nursery.cancel_scope.cancel()


def _sweep(data: Path, folder: Path) -> None:
    """Remove the sockets that a killed server left, and keep where this one has its own.

    They are not in the data folder itself, as the path of a socket may have no more than 107 characters.
    """
    kept = data / SOCKETS
    with suppress(OSError):
        left = kept.readlink()
        if left.name.startswith("gavelport-") and left.stat().st_uid == os.geteuid():
            shutil.rmtree(left, ignore_errors=True)
    kept.unlink(missing_ok=True)
    kept.symlink_to(folder)


async def _start_again(boxes: Sandboxes, ladders: LadderService) -> LauncherProcess | None:
    """Return a launcher in place of one that was lost; None where this process may start none."""
    ladders.hosting = LOST
    _log.error("launcher_lost")
    while os.geteuid() == 0:
        try:
            process = await trio.to_thread.run_sync(boxes.again)
        except LauncherError as error:
            _log.error("launcher_not_started", reason=str(error))
            await trio.sleep(AGAIN_S)
        else:
            ladders.hosting = ""
            _log.info("launcher_started_again")
            return process
    return None
