"""The bots' processes in a tournament: started when first needed, started again after a crash, given up in the end.

Each bot has a place for each rotation of a duplicate block, and at each place at most one process, which plays one
match at a time. So no process ever meets a deal twice (design 5).
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

from gavelport_server.conduct.process import BotStartError
from gavelport_server.conduct.session import SessionGoneError
from gavelport_server.referee.report import SeatName

if TYPE_CHECKING:
    from pathlib import Path

    from gavelport_server.conduct.hosting import AnyProcess, MakeProcess
    from gavelport_server.conduct.hub import Hub
    from gavelport_server.conduct.manifest import BotManifest
    from gavelport_server.conduct.session import Session

STARTS = 3
"""A bot whose processes fail to connect so many times in a row plays no more in this run."""
START_S = 20.0
"""From the start of a process to its Hello."""
RETURN_S = 2.0
"""So long a bot whose stream was lost is waited for before a match; then its process is replaced."""


@dataclass(slots=True)
class _Place:
    """Where one process of a bot sits."""

    session: Session | None = None
    process: AnyProcess | None = None
    starts: int = 0
    """Of earlier runs too, whose logs are there: each process has a log of its own."""


@dataclass(slots=True)
class _Bot:
    number: int
    manifest: BotManifest
    places: list[_Place]
    failures: int = 0
    """Starts in a row, at whatever place, that came to no connection."""
    why_gone: str = ""
    """Set once the bot is given up."""


class Crew:
    """All bots of a tournament and their processes, which live in the nursery that is given."""

    def __init__(
        self,
        bots: tuple[BotManifest, ...],
        rotations: int,
        hub: Hub,
        make_process: MakeProcess,
        logs: Path,
        nursery: trio.Nursery,
    ) -> None:
        self._bots = [
            _Bot(number, manifest, [_Place(starts=_logged(logs, manifest, rotation)) for rotation in range(rotations)])
            for number, manifest in enumerate(bots)
        ]
        self._hub = hub
        self._make_process = make_process
        self._logs = logs
        self._nursery = nursery

    async def session(self, entrant: int, rotation: int) -> Session:
        """Return the session of a bot's process for a rotation, connected; or one that is gone, if the bot is.

        A place takes one call at a time.
        """
        bot = self._bots[entrant]
        place = bot.places[rotation]
        while not bot.why_gone:
            if place.session is not None and await _is_there(place.session, RETURN_S):
                return place.session
            await self.dismiss(entrant, rotation)
            failure = await self._start(bot, place, rotation)
            if not failure:
                bot.failures = 0
                continue
            bot.failures += 1
            if bot.failures >= STARTS:
                bot.why_gone = bot.why_gone or f"did not start: {failure}"
        session = self._hub.admit(secrets.token_urlsafe(32), _name(bot.manifest))
        session.gone(bot.why_gone)
        return session

    def printed(self, entrant: int, rotation: int) -> str:
        """Return what the process at a place printed first of an error; empty without one, or without a process."""
        process = self._bots[entrant].places[rotation].process
        return process.first_error_line if process is not None else ""

    async def dismiss(self, entrant: int, rotation: int) -> None:
        """Stop the process at a place, if there is one; the next match there gets a fresh one."""
        place = self._bots[entrant].places[rotation]
        process, session = place.process, place.session
        place.process = place.session = None
        if session is not None:
            self._hub.dismiss(session)
        if process is not None:
            await process.stop()

    async def _start(self, bot: _Bot, place: _Place, rotation: int) -> str:
        """Start a process at a place and return what went wrong, nothing once it is connected."""
        place.starts += 1
        token = secrets.token_urlsafe(32)
        log = self._logs / f"{_log_stem(bot.manifest, rotation)}.{place.starts}.log"
        process = self._make_process(bot.manifest, token, log)
        session = self._hub.admit(token, _name(bot.manifest))
        try:
            await process.start()
        except BotStartError as error:
            session.gone(str(error))
            return str(error)
        place.process, place.session = process, session
        self._nursery.start_soon(self._attend, process, session)
        if await _is_there(session, START_S):
            return ""
        ended = process.returncode is not None
        await self.dismiss(bot.number, rotation)
        why = process.why_ended if ended else f"it did not connect within {START_S:.0f} s"
        return process.first_error_line or why

    async def _attend(self, process: AnyProcess, session: Session) -> None:
        """Stay with a process until it is gone, and see that it goes when the nursery is cancelled."""
        try:
            await process.wait()
        finally:
            await process.stop()
        line = process.first_error_line
        session.gone(process.why_ended + (f": {line}" if line else ""))


async def _is_there(session: Session, patience_s: float) -> bool:
    """Return whether the bot is connected, after waiting for it so long at most."""
    with trio.move_on_after(patience_s):
        try:
            await session.wait_connected()
        except SessionGoneError:
            return False
    return session.connected


def _log_stem(manifest: BotManifest, rotation: int) -> str:
    return f"{manifest.name}-{manifest.version}.{rotation}"


def _logged(logs: Path, manifest: BotManifest, rotation: int) -> int:
    """Return the highest number of a log at this place, 0 without any."""
    named = re.compile(rf"{re.escape(_log_stem(manifest, rotation))}\.(\d+)\.log")
    found = [named.fullmatch(path.name) for path in logs.glob("*.log")]
    return max((int(match[1]) for match in found if match), default=0)


def _name(manifest: BotManifest) -> SeatName:
    return SeatName(manifest.name, manifest.version)
