"""The launcher process: `python -I -m gavelport_server.launcher.main LINK BASE_UID RUN_DIR [NODE_MODULES]`.

It starts before anything that has threads, has none itself, and does what the server asks over the link (messages.py):

    {"start": N, "folder": "…", "socket": "…", "command": […], "environment": {…}, "limits": {…}}
        with the bot's folder and socket opened (O_PATH), and its log opened for reading and writing
    {"stop": N}     asks it to end, with SIGTERM
    {"kill": N}     ends it with all that it started

and tells what comes of it: `{"ready": …}` once, `{"started": N, "slot": S}` or `{"failed": N, "why": "…"}`, and
`{"ended": N, "code": …, "cause": …, "peak_bytes": …}`. When the server is gone, so are all bots, and then the launcher.
Killed itself, the kernel kills all bots, and the next launcher clears up what it left (cgroups, an empty folder).
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from gavelport_server.conduct.keeper import READ_BYTES, Log
from gavelport_server.launcher import jail, kernel, messages, runtime, seccomp
from gavelport_server.launcher.cgroups import CgroupError, Cgroups, Group, clear
from gavelport_server.launcher.limits import MOST_SLOTS, Confinement
from gavelport_server.launcher.mounts import Given, Mounts

NAME = "gavelport-"
"""With the launcher's process id: its cgroups, and its folder below RUN_DIR."""
_LOOK_S = 0.005
"""Between two looks whether what a bot started is gone."""
_PATIENCE_S = 5.0
"""With what is not gone when the launcher ends."""


@dataclass(slots=True)
class _Bot:
    """A running bot."""

    number: int
    slot: int
    process: subprocess.Popen[bytes]
    group: Group
    log: Log
    stopped: bool = False
    memory: tuple[int, int] | None = None
    """See `Group.memory`; once nothing is left of it."""


class Launcher:
    """What runs, and what the server wants."""

    def __init__(self, link: socket.socket, base_uid: int, run_dir: Path, node_modules: Path | None) -> None:
        """Leave the file system of all others, and make the parents of all groups. Raises OSError, CgroupError."""
        self._link = link
        self._base_uid = base_uid
        self._bots: dict[int, _Bot] = {}
        self._selector = selectors.DefaultSelector()
        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
        self._filter = seccomp.filter_file()
        run_dir.mkdir(parents=True, exist_ok=True)
        sweep(run_dir)
        name = f"{NAME}{os.getpid()}"
        self._cgroups = Cgroups(name)
        self._folder = run_dir / name
        self._folder.mkdir(mode=0o711)
        self._mounts = Mounts(self._folder)
        self._shared = [
            (self._mounts.share(f"runtime{number}", part.source), part.inside)
            for number, part in enumerate(runtime.parts(node_modules))
        ]

    def run(self) -> None:
        """Serve until the server is gone."""
        woken, wakes = socket.socketpair()
        for end in (woken, wakes):
            end.setblocking(False)
        signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        self._selector.register(woken, selectors.EVENT_READ)
        self._selector.register(self._link, selectors.EVENT_READ)
        self._tell({"ready": os.getpid(), "cgroups": self._cgroups.version})
        try:
            while True:
                ending = [bot for bot in self._bots.values() if bot.process.returncode is not None]
                for bot in ending:
                    self._end(bot)
                for key, _ in self._selector.select(_LOOK_S if ending else None):
                    if key.fileobj is woken:
                        if set(woken.recv(4096)) & {signal.SIGTERM, signal.SIGINT}:
                            return
                        self._reap()
                    elif key.fileobj is self._link:
                        if not self._serve():
                            return
                    elif key.data.number in self._bots:  # it may have ended in this very round
                        self._pump(key.data)
        finally:
            self._close()

    # -- requests

    def _serve(self) -> bool:
        """Do what one message asks; return False at the end."""
        received = messages.receive(self._link)
        if received is None:
            return False
        message, files = received
        try:
            if "start" in message:
                self._start(message, files)
            elif (bot := self._bots.get(message.get("stop") or message["kill"])) is not None:
                bot.stopped = True
                if "stop" in message:
                    _terminate(bot)
                else:
                    bot.group.kill()
        finally:
            for descriptor in files:
                os.close(descriptor)
        return True

    def _start(self, message: dict[str, Any], files: tuple[int, ...]) -> None:
        number = message["start"]
        slot = next((each for each in range(MOST_SLOTS) if all(bot.slot != each for bot in self._bots.values())), None)
        if slot is None or len(files) != 3:
            self._tell({"failed": number, "why": f"all {MOST_SLOTS} slots are taken" if slot is None else "files"})
            return
        group: Group | None = None
        try:
            # The very descriptor: opened anew here, by root, it could be written whatever the server may do.
            log = Log(os.fdopen(os.dup(files[2]), "w+b", buffering=0))
            limits = Confinement(**message["limits"])
            group = self._cgroups.make(f"slot{slot}", limits)
            self._mounts.renew()
            process = self._spawn(message, files, slot, group, limits)
        except (OSError, subprocess.SubprocessError) as error:
            if group is not None:
                clear(group)
            self._clear(slot)
            why = f"{error.strerror}: {error.filename or ''}".rstrip(": ") if isinstance(error, OSError) else str(error)
            self._tell({"failed": number, "why": why})
            return
        bot = self._bots[number] = _Bot(number, slot, process, group, log)
        assert process.stdout is not None
        self._selector.register(process.stdout, selectors.EVENT_READ, bot)
        self._tell({"started": number, "slot": slot})

    def _spawn(
        self, message: dict[str, Any], files: tuple[int, ...], slot: int, group: Group, limits: Confinement
    ) -> subprocess.Popen[bytes]:
        uid = self._base_uid + slot
        folder, own_socket = self._mounts.slot(
            slot, uid, Given(message["folder"], files[0]), Given(message["socket"], files[1])
        )
        self._filter.seek(0)
        with contextlib.ExitStack() as opened:

            def descriptor(path: Path | str, how: int) -> int:
                made = os.open(path, how | os.O_CLOEXEC)
                opened.callback(os.close, made)
                return made

            entries = [descriptor(path, os.O_WRONLY) for path in group.entries()]
            filter_copy = descriptor(f"/proc/self/fd/{self._filter.fileno()}", os.O_RDONLY)
            passwd = opened.enter_context(_passwd(uid))
            command = jail.arguments(
                message["command"],
                environment=message["environment"],
                shared=self._shared,
                links=runtime.links(),
                folder=folder,
                socket=own_socket,
                passwd=passwd.fileno(),
                seccomp=filter_copy,
                limits=limits,
            )
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(passwd.fileno(), filter_copy),
                cwd="/",
                env={"PATH": "/usr/bin:/bin"},
                # Safe, as there are no threads here.
                preexec_fn=lambda: _confine(uid, entries, limits),  # noqa: PLW1509
            )

    # -- what comes of them

    def _pump(self, bot: _Bot) -> None:
        assert bot.process.stdout is not None
        data = os.read(bot.process.stdout.fileno(), READ_BYTES)
        if data:
            bot.log.write(data)
        else:
            self._selector.unregister(bot.process.stdout)

    def _reap(self) -> None:
        """Take note of whoever has ended; what it started ends with it."""
        for bot in list(self._bots.values()):
            if bot.process.poll() is not None:
                self._end(bot)
        living = {bot.process.pid for bot in self._bots.values() if bot.process.returncode is None}
        with contextlib.suppress(ChildProcessError):
            # One of ours that has ended this very moment is left to the next call, which wants its exit code.
            while (
                child := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            ) and child.si_pid not in living:
                os.waitpid(child.si_pid, 0)

    def _end(self, bot: _Bot) -> None:
        """Clear up after a bot whose sandbox has ended. Where its processes are not gone yet, `run` comes again.

        A bot can see to it that giving back its memory takes many seconds; nobody else waits for that.
        """
        bot.group.kill()
        if bot.memory is None:
            if bot.group.processes():
                return
            bot.memory = bot.group.memory()
        if not bot.group.remove():
            return
        assert bot.process.stdout is not None
        with contextlib.suppress(KeyError):
            self._selector.unregister(bot.process.stdout)
        os.set_blocking(bot.process.stdout.fileno(), False)
        with contextlib.suppress(BlockingIOError):
            while data := os.read(bot.process.stdout.fileno(), READ_BYTES):
                bot.log.write(data)
        bot.process.stdout.close()
        bot.log.close()
        peak, killed = bot.memory
        self._clear(bot.slot)
        del self._bots[bot.number]
        cause = "memory" if killed else "stopped" if bot.stopped else "ended"
        code = bot.process.returncode
        self._tell({"ended": bot.number, "code": code, "cause": cause, "peak_bytes": peak})

    def _clear(self, slot: int) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._mounts.clear(slot)

    def _tell(self, message: messages.Message) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the end is read from the link next
            messages.send(self._link, message)

    def _close(self) -> None:
        for bot in self._bots.values():  # all at once, before anything is waited for
            bot.group.kill()
        until = time.monotonic() + _PATIENCE_S
        while self._bots and time.monotonic() < until:
            self._reap()
            time.sleep(_LOOK_S)
        self._cgroups.close()
        with contextlib.suppress(OSError):
            kernel.unmount(str(self._folder))
            self._folder.rmdir()


def sweep(run_dir: Path) -> list[str]:
    """Clear up after launchers that were killed; return their names."""
    swept = []
    for folder in run_dir.glob(f"{NAME}*"):
        pid = folder.name.removeprefix(NAME)
        # In a container every launcher may have the same process id: then it is of an earlier one.
        if re.fullmatch("[0-9]+", pid) and (int(pid) == os.getpid() or not Path(f"/proc/{pid}").exists()):
            with contextlib.suppress(CgroupError):
                Cgroups(folder.name).close()
            folder.rmdir()
            swept.append(folder.name)
    return swept


def _terminate(bot: _Bot) -> None:
    """Send SIGTERM to all that runs inside, but not to the sandbox itself, whose end would kill them at once."""
    for pid in bot.group.processes():
        if pid != bot.process.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)


def _confine(uid: int, entries: list[int], limits: Confinement) -> None:
    """Become the slot's user, held by its groups and limits; runs between fork and exec."""
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    for descriptor in entries:
        os.write(descriptor, b"0")
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, limits.scratch_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_NPROC, 2 * limits.processes),
        (resource.RLIMIT_MEMLOCK, 0),
    ):
        resource.setrlimit(what, (most, most))
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # a change of user clears it


def _passwd(uid: int) -> IO[bytes]:
    file = tempfile.TemporaryFile()  # noqa: SIM115  the caller's
    file.write(f"bot:x:{uid}:{uid}:bot:/tmp:/bin/false\n".encode())
    file.seek(0)
    return file


def main() -> int:
    """Run the launcher; what keeps it from starting is told over the link."""
    link = socket.socket(fileno=int(sys.argv[1]))
    node_modules = Path(sys.argv[4]) if len(sys.argv) > 4 else None
    try:
        launcher = Launcher(link, int(sys.argv[2]), Path(sys.argv[3]), node_modules)
    except (OSError, CgroupError) as error:
        messages.send(link, {"unable": str(error)})
        return 1
    launcher.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
