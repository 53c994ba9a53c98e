"""What hosted bots print, by match: `BOT/VERSION/MATCH.log`; the latest of each version, faulty ones longer.

A process is started before its match is known, so that its log gets its name when that begins. `start.log` is that of
the latest process that ended without a match.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from gavelport_server.referee.report import SeatName

KEPT, FAULTY_KEPT = 100, 50
"""Logs of a version: the latest, and beyond them those of matches in which it had faults."""
VERSIONS_KEPT = 5
"""Versions of a bot whose logs are kept: those that played last."""
START = "start.log"
_FAULTY = ".faulty"
"""An empty file beside the log of a match in which the bot had faults."""


class HostedLogs:
    """The folder of these logs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._number = 0

    def fresh(self, name: SeatName) -> Path:
        """Return where a process that is about to start prints to."""
        self._number += 1
        return self._of(name) / f".{self._number}.log"

    def begun(self, name: SeatName, log: Path, match_id: str) -> Path:
        """Give a process's log the name of its match."""
        place = self._of(name) / f"{match_id}.log"
        with suppress(OSError):  # a full disk costs the log, and no match
            log.rename(place)
            return place
        return log

    def over(self, name: SeatName, match_id: str, *, was_faulty: bool) -> None:
        """Take note of a match's end, and remove what is old."""
        with suppress(OSError):
            if was_faulty:
                (self._of(name) / f"{match_id}{_FAULTY}").touch()
            self._prune(self._of(name))

    def unused(self, name: SeatName, log: Path, *, is_kept: bool) -> None:
        """Remove the log of a process that had no match, or keep it as that of the latest start."""
        with suppress(OSError):
            if is_kept:
                log.rename(self._of(name) / START)
            else:
                log.unlink()

    def sweep(self, name: SeatName) -> None:
        """Remove logs of processes that ended with an earlier server before their match, and of old versions.

        To be called before any process of this version is started.
        """
        with suppress(OSError):
            for log in self._of(name).glob(".*.log"):
                log.unlink()
        with suppress(OSError):
            others = [folder for folder in self._of(name).parent.iterdir() if folder.name != name.version]
            others.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
            for folder in others[VERSIONS_KEPT - 1 :]:
                shutil.rmtree(folder)

    def _of(self, name: SeatName) -> Path:
        return self._folder / name.bot / name.version

    def _prune(self, folder: Path) -> None:
        logs = [path for path in folder.glob("*.log") if path.name != START and not path.name.startswith(".")]
        if len(logs) <= KEPT:
            return
        old = sorted(logs, key=lambda path: path.stat().st_mtime, reverse=True)[KEPT:]
        faulty = [path for path in old if path.with_suffix(_FAULTY).exists()]
        for path in {*old} - {*faulty[:FAULTY_KEPT]}:
            path.unlink(missing_ok=True)
            path.with_suffix(_FAULTY).unlink(missing_ok=True)
