"""Hosted bots: each process in a sandbox, with a gRPC server of its own behind the one socket that it sees (design 9).

The socket is the identity. Whatever token comes over it is overwritten by the process's own, which never leaves the
server: so there is nothing in a sandbox that would open anything from elsewhere.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeAlias

import trio

from gavelport_server.conduct.manifest import bot_files
from gavelport_server.conduct.process import GRACE_S, BotProcess, BotStartError, NoSandboxError, first_error_line
from gavelport_server.conduct.procfs import of_user, peak_memory_kib
from gavelport_server.launcher import runtime
from gavelport_server.launcher.client import LauncherError
from gavelport_server.launcher.limits import MIB, Confinement
from gavelport_server.transport.bridge import serve
from gavelport_server.transport.limits import Limits

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping

    from gavelport_server.conduct.manifest import BotManifest
    from gavelport_server.launcher.client import Ended, Hosted, Launcher
    from gavelport_server.transport.link import Link, Listener, LostReason, StatusCode

    AnyProcess: TypeAlias = "BotProcess | HostedProcess"
    MakeProcess: TypeAlias = Callable[[BotManifest, str, Path], AnyProcess]

CONNECTIONS = 16
"""Of one process at the same time; it needs one, and 64 processes of 256 files each would take the server's own."""


class Hosting:
    """Where bots are hosted: folders that sandboxes show, sockets, and the launcher. Made by `hosting`."""

    def __init__(
        self,
        launcher: Launcher,
        listener: Listener,
        folder: Path,
        nursery: trio.Nursery,
        limits: Confinement,
        *,
        are_staged: bool,
    ) -> None:
        self.launcher = launcher
        self.limits = limits
        self._listener = listener
        self._folder = folder
        self._nursery = nursery
        self._are_staged = are_staged
        self._sockets = 0

    @property
    def folder(self) -> Path:
        """Where the sockets are."""
        return self._folder

    def process(self, manifest: BotManifest, token: str, log_path: Path) -> HostedProcess:
        """Return a process of a bot, not yet started; `token` is that of its session."""
        self._sockets += 1
        return HostedProcess(self, manifest, token, log_path, self._folder / f"{self._sockets}.sock")

    async def staged(self, manifest: BotManifest) -> Path:
        """Return the bot's files as every user may read them: a copy, made when it is first needed."""
        if self._are_staged:
            return manifest.folder
        place = self._folder / manifest.content_hash
        if not place.exists():
            await trio.to_thread.run_sync(_stage, manifest.folder, place)
        return place

    async def serve(self, token: str, socket_path: Path, *, task_status: trio.TaskStatus[trio.CancelScope]) -> None:
        """Serve one process on its socket until the scope that is told is cancelled."""
        with trio.CancelScope() as scope:
            limits, address = Limits(max_connections=CONNECTIONS), f"unix:{socket_path}"
            async with serve(_Stamped(self._listener, token), address=address, limits=limits):
                await trio.Path(socket_path).chmod(0o666)  # whoever reaches it; the folder lets nobody through
                task_status.started(scope)
                await trio.sleep_forever()

    async def open_socket(self, token: str, socket_path: Path) -> trio.CancelScope:
        """Begin to serve a process; return what ends that."""
        scope: trio.CancelScope = await self._nursery.start(self.serve, token, socket_path)
        return scope


@contextlib.asynccontextmanager
async def hosting(
    launcher: Launcher, listener: Listener, limits: Confinement | None = None, *, are_staged: bool = False
) -> AsyncIterator[Hosting]:
    """Host bots for as long as the context; `listener` is told of their streams as of any.

    `are_staged`: their folders change no more and every user may read them, so that they need not be copied.
    """
    with tempfile.TemporaryDirectory(prefix="gavelport-", ignore_cleanup_errors=True) as name, _kept(name):
        async with trio.open_nursery() as nursery:
            folder, limits = Path(name), limits or Confinement()
            yield Hosting(launcher, listener, folder, nursery, limits, are_staged=are_staged)
            nursery.cancel_scope.cancel()


@contextlib.contextmanager
def _kept(folder: str) -> Iterator[None]:
    """Hold a folder's lock: systemd-tmpfiles, which clears what nobody has touched for days, leaves it then."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextlib.asynccontextmanager
async def processes_for(
    listener: Listener, launcher: Launcher | None, limits: Confinement | None = None
) -> AsyncIterator[MakeProcess]:
    """Give what makes bots' processes, and serve them: all on one port, or each in a sandbox on a socket of its own."""
    if launcher is None:
        async with serve(listener, address="127.0.0.1:0") as server:
            yield lambda manifest, token, log: BotProcess(manifest, server.target, token, log)
    else:
        async with hosting(launcher, listener, limits) as host:
            yield host.process


class HostedProcess:
    """One process of a bot in a sandbox; used as `BotProcess` is."""

    def __init__(self, host: Hosting, manifest: BotManifest, token: str, log_path: Path, socket_path: Path) -> None:
        self.manifest = manifest
        self.log_path = log_path
        self._host = host
        self._token = token
        self._socket_path = socket_path
        self._hosted: Hosted | None = None
        self._server: trio.CancelScope | None = None
        self.ended: Ended | None = None

    async def start(self) -> None:
        """Start the process.

        Raises BotStartError where what runs it is not installed, NoSandboxError where no sandbox can be made.
        """
        command = runtime.interpreter(self.manifest.language)
        if command is None:
            raise BotStartError(f"{self.manifest.name}: is written for Node, and no node is installed here")
        try:
            await trio.Path(self.log_path).parent.mkdir(parents=True, exist_ok=True)
            folder = await self._host.staged(self.manifest)
            self._server = await self._host.open_socket(self._token, self._socket_path)
            self._hosted = await self._host.launcher.start(
                [*command, self.manifest.entry],
                folder=folder,
                socket_path=self._socket_path,
                log=self.log_path,
                limits=self._host.limits,
            )
        except (LauncherError, OSError) as error:
            self._close()
            raise NoSandboxError(f"{self.manifest.name}: {error}") from error

    @property
    def returncode(self) -> int | None:
        """The exit code, minus the signal's number if one ended it; None while it runs or was not started."""
        return None if self.ended is None else self.ended.code

    @property
    def is_started(self) -> bool:
        """Whether it was started."""
        return self._hosted is not None

    @property
    def peak_memory_kib(self) -> int | None:
        """The sum of the peaks of resident memory of its processes so far; None while that cannot be read."""
        if self._hosted is None or self._hosted.end is not None:
            return None
        return peak_memory_kib(of_user(self._host.launcher.uid_of(self._hosted)))

    @property
    def first_error_line(self) -> str:
        """The first line of the log that names an error, else its first line with text; empty if there is none."""
        return first_error_line(self.log_path)

    @property
    def why_ended(self) -> str:
        """Why the process has ended, in words."""
        assert self.ended is not None, "wait until it has ended"
        if self.ended.cause == "memory":
            return f"it was killed: it took more than {self._host.limits.memory_bytes // MIB} MiB of memory"
        if self.ended.cause == "lost":
            return "it was killed: the launcher is gone"
        return f"its process ended with exit code {self.ended.code}"

    async def wait(self) -> int:
        """Wait until the bot and all that it started are gone, and return its exit code."""
        assert self._hosted is not None, "start the process first"
        self.ended = await self._hosted.wait()
        self._close()
        return self.ended.code

    async def stop(self) -> None:
        """Ask the bot to end, kill it after the grace, and wait until it is gone. Bounded, also when cancelled."""
        if self._hosted is not None:
            self.ended = await self._host.launcher.stop(self._hosted, GRACE_S)
            self._close()

    def _close(self) -> None:
        if self._server is not None:
            self._server.cancel()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()


class _Stamped:
    """A listener that tells another of links whose token is the socket's own, whatever the bot sent."""

    def __init__(self, listener: Listener, token: str) -> None:
        self._listener = listener
        self._token = token
        self._links: dict[Link, Link] = {}

    def opened(self, link: Link) -> None:
        stamped = self._links[link] = _StampedLink(link, self._token)
        self._listener.opened(stamped)

    def received(self, link: Link, message: bytes, at: float) -> None:
        self._listener.received(self._links[link], message, at)

    def lost(self, link: Link, reason: LostReason) -> None:
        self._listener.lost(self._links.pop(link), reason)


class _StampedLink:
    """A link whose token is the socket's own."""

    def __init__(self, link: Link, token: str) -> None:
        self.peer = link.peer
        self.metadata: Mapping[str, str] = {"authorization": f"Bearer {token}"}
        self.send = link.send
        self._link = link

    def close(self, code: StatusCode, text: str) -> None:
        self._link.close(code, text)

    def cancel(self) -> None:
        self._link.cancel()


def _stage(folder: Path, place: Path) -> None:
    """Copy a bot's files, whole or not at all, for every user to read."""
    beside = Path(tempfile.mkdtemp(prefix="staging-", dir=place.parent))
    for path in bot_files(folder):
        copy = beside / path.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
        copy.chmod(0o444)
    for made in (beside, *(each for each in beside.rglob("*") if each.is_dir())):
        made.chmod(0o755)
    try:
        beside.rename(place)
    except OSError:  # somebody else was faster
        shutil.rmtree(beside)
