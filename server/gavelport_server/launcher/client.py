"""The server's end of the launcher: start it, and have it start, watch and kill hosted bots."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from gavelport_server.launcher import messages
from gavelport_server.launcher.limits import MOST_SLOTS, Confinement

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

    StartAgain = Callable[[], Awaitable["LauncherProcess | None"]]

RUN_DIR = Path("/run/gavelport")
"""Where launchers have their folders; empty to all others."""
BASE_UID, LAUNCHERS = 900_000_000, 10_000
"""Slot N of a launcher runs as user BASE_UID + its own share + N; no user of a machine has such a number."""
_START_S = 20.0


class LauncherError(RuntimeError):
    """The launcher, or a bot in it, cannot be started; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a hosted process ended."""

    code: int
    """Its exit code, minus the signal's number if one ended it."""
    cause: str
    """`ended` by itself, `stopped` by the server, killed for `memory`, or `lost` with the launcher."""
    peak_bytes: int


class Hosted:
    """One process of a bot in a sandbox."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.end: Ended | None = None
        self.slot: int | None = None
        self._why = ""
        self._started, self._ended = trio.Event(), trio.Event()

    async def wait(self) -> Ended:
        """Wait until it has ended, with all that it started."""
        await self._ended.wait()
        assert self.end is not None
        return self.end

    async def wait_started(self) -> None:
        """Wait until it runs. Raises LauncherError where it cannot be started."""
        await self._started.wait()
        if self._why:
            raise LauncherError(self._why)

    def heard(self, message: messages.Message) -> None:
        """Take note of what the launcher tells of it."""
        if "started" in message:
            self.slot = message["slot"]
        elif "failed" in message:
            self._why = f"the sandbox could not be started: {message['why']}"
            self.end = Ended(127, "ended", 0)
        else:
            self.end = Ended(message["code"], message["cause"], message["peak_bytes"])
        self._started.set()
        if self.end is not None:
            self._ended.set()


class LauncherProcess:
    """The launcher, started while the program has the privileges that it needs."""

    def __init__(self, node_modules: Path | None = None, *, run_dir: Path = RUN_DIR) -> None:
        """Start it; to be done before any thread. Raises LauncherError where it does not come up."""
        if shutil.which("bwrap") is None:
            raise LauncherError("bwrap is not installed; install bubblewrap (apt-get install bubblewrap)")
        if os.geteuid() != 0:
            raise LauncherError(
                "only root can give each bot a user of its own; start the server as root with `user` set, and it "
                "keeps its privileges in the launcher alone"
            )
        ours, theirs = messages.pair()
        self.base_uid = BASE_UID + MOST_SLOTS * (os.getpid() % LAUNCHERS)
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-m", "gavelport_server.launcher.main"),
                *(str(theirs.fileno()), str(self.base_uid), str(run_dir)),
                *([str(node_modules)] if node_modules is not None else []),
            ],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C reaches the server alone
        )
        theirs.close()
        self.link = ours
        ours.settimeout(_START_S)
        try:
            received = messages.receive(ours)
        except OSError as error:
            self.close()
            raise LauncherError(f"the launcher did not start: {error}") from error
        told = received[0] if received else {"unable": "it ended at once; its error is on the server's stderr"}
        if "ready" not in told:
            self.close()
            raise LauncherError(f"the launcher cannot start: {told['unable']}")
        self.cgroups = int(told["cgroups"])
        """The version of control groups in use."""
        self.effects = 0
        """How many effects were found to hold, once it was examined."""

    def close(self) -> None:
        """End it, and with it every bot."""
        self.link.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()  # and the kernel its bots
            self.process.wait()


class Launcher:
    """What is hosted. Made by `attached`."""

    def __init__(self, link: socket.socket, base_uid: int) -> None:
        link.setblocking(False)
        self._raw = link
        self._base_uid = base_uid
        self._hosted: dict[int, Hosted] = {}
        self._last = 0
        self._is_lost = False

    async def start(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        socket_path: Path,
        log: Path,
        environment: Mapping[str, str] | None = None,
        limits: Confinement | None = None,
    ) -> Hosted:
        """Start a bot in a sandbox of its own.

        Args:
            command: What runs inside, in the bot's folder, which is `/bot` there.
            folder: The bot's folder, readable by everybody who can reach it.
            socket_path: The unix socket of its referee, of which it sees no other name.
            log: Where the head and tail of what it prints are kept; made or emptied.
            environment: Variables beside those that every bot gets.
            limits: What it may take.

        Raises:
            LauncherError: it cannot be started, or the launcher is gone.
        """
        if self._is_lost:
            raise LauncherError("the launcher is gone; restart the server")
        self._last += 1
        hosted = self._hosted[self._last] = Hosted(self._last)
        with contextlib.ExitStack() as files:
            try:
                paths, descriptors = _opened(files, folder, socket_path, log)
                message = {
                    "start": hosted.number,
                    "folder": paths[0],
                    "socket": paths[1],
                    "command": list(command),
                    "environment": dict(environment or {}),
                    "limits": asdict(limits or Confinement()),
                }
                await self._send(message, descriptors)
            except LauncherError:
                self._hosted.pop(hosted.number, None)
                raise
        await hosted.wait_started()
        return hosted

    async def stop(self, hosted: Hosted, grace_s: float = 0.0) -> Ended:
        """Ask it to end, kill it after the grace with all that it started, and return how it ended."""
        with trio.CancelScope(shield=True), contextlib.suppress(LauncherError):
            if hosted.end is None and not self._is_lost and grace_s:
                await self._send({"stop": hosted.number})
                with trio.move_on_after(grace_s):
                    await hosted.wait()
            if hosted.end is None and not self._is_lost:
                await self._send({"kill": hosted.number})
        with trio.CancelScope(shield=True):
            await hosted.wait()
        assert hosted.end is not None
        return hosted.end

    async def listen(self) -> None:
        """Hear what the launcher tells, until it is gone; then everything that it ran is too."""
        try:
            while True:
                await trio.lowlevel.wait_readable(self._raw)
                received = messages.receive(self._raw)
                if received is None:
                    break
                message = received[0]
                number = message.get("started") or message.get("failed") or message.get("ended")
                hosted = self._hosted.get(number or 0)
                if hosted is not None:
                    hosted.heard(message)
                    if hosted.end is not None:
                        del self._hosted[hosted.number]
        except ConnectionResetError:
            pass
        finally:
            self._is_lost = True
            for hosted in self._hosted.values():
                hosted.heard({"ended": hosted.number, "code": -9, "cause": "lost", "peak_bytes": 0})
            self._hosted.clear()

    async def keep(self, start_again: StartAgain | None) -> None:
        """Hear the launcher, and another one once it is gone, for as long as there is another."""
        while True:
            await self.listen()
            process = await start_again() if start_again is not None else None
            if process is None:
                return
            self._raw.close()
            self._raw, self._base_uid = process.link.dup(), process.base_uid
            self._raw.setblocking(False)
            self._is_lost = False

    def uid_of(self, hosted: Hosted) -> int:
        """Return the user that a started process runs as."""
        assert hosted.slot is not None, "wait until it has started"
        return self._base_uid + hosted.slot

    def close(self) -> None:
        """Let go of the link; the process has its own end of it."""
        self._raw.close()

    @property
    def is_lost(self) -> bool:
        """Whether the launcher is gone: nothing can be hosted any more."""
        return self._is_lost

    async def _send(self, message: messages.Message, files: tuple[int, ...] = ()) -> None:
        while True:
            try:
                messages.send(self._raw, message, files)
                return
            except BlockingIOError:
                await trio.lowlevel.wait_writable(self._raw)
            except OSError as error:
                raise LauncherError("the launcher is gone; restart the server") from error


def _opened(
    files: contextlib.ExitStack, folder: Path, socket_path: Path, log: Path
) -> tuple[list[str], tuple[int, ...]]:
    """Return the paths, without links, and the files opened until `files` closes. Raises LauncherError."""
    paths = [os.path.realpath(path) for path in (folder, socket_path, log)]
    flags = (os.O_PATH, os.O_PATH, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW)
    descriptors = []
    for path, how in zip(paths, flags, strict=True):
        try:
            descriptor = os.open(path, how | os.O_CLOEXEC, 0o640)
        except OSError as error:
            raise LauncherError(f"{path} cannot be opened: {error.strerror}") from error
        files.callback(os.close, descriptor)
        descriptors.append(descriptor)
    return paths, tuple(descriptors)


@contextlib.asynccontextmanager
async def attached(process: LauncherProcess, start_again: StartAgain | None = None) -> AsyncIterator[Launcher]:
    """Give the launcher for as long as the context; every bot is gone at its end.

    `start_again` is called when the launcher is lost, and returns the one that takes its place; None where none can.
    """
    launcher = Launcher(process.link.dup(), process.base_uid)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(launcher.keep, start_again)
            try:
                yield launcher
            finally:
                nursery.cancel_scope.cancel()
    finally:
        launcher.close()
