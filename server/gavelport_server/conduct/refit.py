"""Has the ladders' whole-history ratings computed anew, in another process, one ladder at a time (design 4, 6)."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog
import trio

from gavelport_server.archive.fits import read_fit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

LOOK_S = 15.0
"""Between two looks whether there is anything to do."""
FIRST = 10
"""Matches before the first computation."""
SOON = 50
"""So many new matches, and a tenth of those computed from, are not waited with."""
SOON_SHARE = 0.1
LATEST_S = 600.0
"""Any new match is in a computation after so long, if none takes longer than that."""
MOST_S = 3600.0
"""Longest a computation may take; its process has a limit of processor time too."""
MODULE = "gavelport_server.archive.refit"
_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Ladder:
    fitted: int
    """Matches that the latest computation had."""
    at: float
    """When that began."""


class Refitter:
    """Keeps the fits of a data folder fresh."""

    def __init__(
        self, data: Path, database: str | None, counts: Callable[[], Mapping[str, int]], *, module: str = MODULE
    ) -> None:
        """Take the data folder and the database, and whom to ask.

        Args:
            data: the data folder.
            database: the database's URL; None: the data folder's own.
            counts: returns how many matches count on each ladder, by its identity; quick.
            module: what is run.
        """
        self._data = data
        self._database = database
        self._counts = counts
        self._module = module
        self._ladders: dict[str, _Ladder] = {}

    async def run(self) -> None:
        """Compute what is due, until cancelled."""
        while True:
            for identity in self.due():
                await self._compute(identity)
            await trio.sleep(LOOK_S)

    def due(self) -> list[str]:
        """Return the ladders that are to be computed anew, the one that waits longest first."""
        now = trio.current_time()
        found = []
        for identity, count in self._counts().items():
            if identity not in self._ladders:
                fit = read_fit(self._data, identity)
                self._ladders[identity] = _Ladder(0 if fit is None else fit.matches, now)
            ladder = self._ladders[identity]
            new = abs(count - ladder.fitted)  # a result that counts no more is news, too
            enough = FIRST if ladder.fitted == 0 else max(SOON, SOON_SHARE * ladder.fitted)
            if new >= enough or (new and now - ladder.at >= LATEST_S):
                found.append(identity)
        return sorted(found, key=lambda identity: self._ladders[identity].at)

    async def _compute(self, identity: str) -> None:
        ladder = self._ladders[identity]
        ladder.fitted, ladder.at = self._counts()[identity], trio.current_time()
        job = {"data": str(self._data), "database": self._database, "identity": identity}
        command = [sys.executable, "-m", self._module]
        try:
            with trio.fail_after(MOST_S):
                done = await trio.run_process(
                    command, stdin=json.dumps(job).encode(), capture_stdout=True, capture_stderr=True
                )
        except subprocess.CalledProcessError as error:
            last = error.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            _log.error("refit_failed", ladder=identity, exit_code=error.returncode, text=last[:300])
        except trio.TooSlowError:
            _log.error("refit_failed", ladder=identity, text=f"it took longer than {MOST_S:.0f} s")
        except OSError as error:
            _log.error("refit_failed", ladder=identity, text=f"its process could not be started: {error.strerror}")
        else:
            said = json.loads(done.stdout)
            if said:
                _log.info("refitted", ladder=identity, matches=said["matches"], seconds=said["seconds"])
