"""Bot processes: started under a keeper each (`keeper.py`), stopped with a grace, and never left behind."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Self

import gavelport
import trio

from gavelport_server.conduct.procfs import below, peak_memory_kib

if TYPE_CHECKING:
    from types import TracebackType

    from gavelport_server.conduct.manifest import BotManifest

GRACE_S = 2.0
"""From SIGTERM to SIGKILL."""
_KEEPER_S = 3.0
"""Beyond the grace, what the keeper may take to clear up before it is killed itself (and the bot with it)."""
_KEEPER = Path(__file__).with_name("keeper.py")
PROTO_DIR = str(Path(next(iter(gavelport.__path__))).parent)
"""The folder that holds `gavelport/v1/*.proto`, which bots in other languages read."""
_TRACEBACK = "Traceback (most recent call last):"
_ERROR = re.compile(r"(?:[\w.]*(?:Error|Exception|Interrupt|Exit)\b.*)")


class BotStartError(RuntimeError):
    """A bot that cannot be started on this machine: which, why, and what to do."""


class NoSandboxError(BotStartError):
    """A bot that could not be started by the server's own fault."""


def interpreter(manifest: BotManifest) -> str:
    """Return what runs the bot's entry. Raises BotStartError where it is not there."""
    if manifest.language == "python":
        return sys.executable
    node = shutil.which("node")
    if node is None:
        raise BotStartError(f"{manifest.name}: is written for Node, and no node is on PATH; install Node.js")
    return node


class BotProcess:
    """One process of a bot. An async context manager: started at its entry, stopped at its exit.

    The bot finds the referee by GAVELPORT_TARGET and GAVELPORT_TOKEN in its environment, and the .proto files by
    GAVELPORT_PROTO_DIR. It runs in its own folder, in a session and process group of its own. What it prints goes to
    `log_path`: the first and the last 256 KiB.
    """

    def __init__(self, manifest: BotManifest, target: str, token: str, log_path: Path) -> None:
        self.manifest = manifest
        self.log_path = log_path
        self._environment = os.environ | {
            "GAVELPORT_TARGET": target,
            "GAVELPORT_TOKEN": token,
            "GAVELPORT_PROTO_DIR": PROTO_DIR,
            "PYTHONUNBUFFERED": "1",  # so that what a bot prints is in its log at once
        }
        self._keeper: trio.Process | None = None

    async def start(self) -> None:
        """Start the process; whether the bot then does anything is for `wait` and its session to tell.

        Raises:
            BotStartError: what runs it is not installed, or its log cannot be written.
        """
        command = [interpreter(self.manifest), self.manifest.entry]
        try:
            await trio.Path(self.log_path).parent.mkdir(parents=True, exist_ok=True)
            self._keeper = await trio.lowlevel.open_process(
                [sys.executable, "-I", "-S", str(_KEEPER), str(self.log_path.resolve()), str(GRACE_S), *command],
                stdin=subprocess.PIPE,
                cwd=self.manifest.folder,
                env=self._environment,
                start_new_session=True,  # Ctrl-C reaches the server alone, which then stops its bots
            )
        except OSError as error:
            raise BotStartError(f"{self.manifest.name}: cannot be started: {error}") from error

    @property
    def returncode(self) -> int | None:
        """The bot's exit code, minus the signal's number if one ended it; None while it runs or was not started."""
        return None if self._keeper is None else self._keeper.returncode

    @property
    def is_started(self) -> bool:
        """Whether it was started."""
        return self._keeper is not None

    @property
    def keeper_pid(self) -> int | None:
        """The keeper's process id, of which the bot's processes are children; None while nothing was started."""
        return None if self._keeper is None else self._keeper.pid

    @property
    def peak_memory_kib(self) -> int | None:
        """The sum of the peaks of resident memory of its processes so far; None while that cannot be read."""
        return None if self._keeper is None else peak_memory_kib(below(self._keeper.pid))

    @property
    def first_error_line(self) -> str:
        """The first line of the log that names an error, else its first line with text; empty if there is none.

        An error is named by its class, or stands behind a traceback.
        """
        return first_error_line(self.log_path)

    @property
    def why_ended(self) -> str:
        """Why the process has ended, in words."""
        return f"its process ended with exit code {self.returncode}"

    async def wait(self) -> int:
        """Wait until the bot and all that it started are gone, and return its exit code."""
        assert self._keeper is not None, "start the process first"
        return await self._keeper.wait()

    async def stop(self) -> None:
        """Ask the bot to end, kill it after the grace, and wait until it is gone. Bounded, also when cancelled."""
        if self._keeper is None:
            return
        assert self._keeper.stdin is not None
        with trio.CancelScope(shield=True):
            await self._keeper.stdin.aclose()
            with trio.move_on_after(GRACE_S + _KEEPER_S):
                await self._keeper.wait()
                return
            self._keeper.kill()
            await self._keeper.wait()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.stop()


def first_error_line(log_path: Path) -> str:
    """Return the first line of a bot's log that names an error, else its first line with text; empty without one."""
    try:
        lines = log_path.read_text("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return ""
    printed = [line.rstrip() for line in lines if line.strip()]
    in_traceback = False
    for line in printed:
        if _ERROR.fullmatch(line.strip()) or (in_traceback and not line.startswith(" ")):
            return line.strip()
        in_traceback |= line == _TRACEBACK
    return printed[0].strip() if printed else ""
