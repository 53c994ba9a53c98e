"""The keeper of one bot process: a small process of its own between the server and the bot.

    python keeper.py LOG GRACE_S COMMAND...

It starts the bot, keeps the head and the tail of what the bot prints, and sees that nothing is left behind. The server
holds the other end of the keeper's stdin; once that closes, be it that the server wants the bot stopped or that it was
killed itself, the bot is asked to end (SIGTERM), and after the grace killed. When the bot has ended, so do all
processes that it started: the keeper is their subreaper, so that they cannot get away by leaving the group or by losing
their parent. Should the keeper itself be killed, the kernel kills the bot.

It is a process because a parent-death signal is bound to the *thread* that started the child, and a server with
threads cannot promise to keep that one; and because what a bot prints shall not cost the server anything. The keeper
ends as the bot ended: with its exit code, or by its signal. It starts fast: standard library only, nothing of ours.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import select
import signal
import subprocess
import sys
import time
from io import FileIO
from pathlib import Path
from typing import NoReturn

HEAD_BYTES = 256 * 1024
TAIL_BYTES = 256 * 1024
READ_BYTES = 64 * 1024
NOT_STARTED = 127
"""Exit code where the command cannot be started, as a shell has it."""

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


class Log:
    """A file that keeps the first and the last of what is written, each bounded, with a line between them."""

    def __init__(self, file: FileIO, head_bytes: int = HEAD_BYTES, tail_bytes: int = TAIL_BYTES) -> None:
        """Take an empty file, opened for reading and writing; it is closed with the log."""
        self._file = file
        self._head_bytes, self._tail_bytes = head_bytes, tail_bytes
        self._size = 0
        self._total = 0
        self._tail_from = head_bytes

    def write(self, data: bytes) -> None:
        """Append; on disk at once, and at most the head and twice the tail are there at any time."""
        with contextlib.suppress(OSError):  # a full disk costs the log, and not the bot its life
            self._write(data)

    def _write(self, data: bytes) -> None:
        for start in range(0, len(data), self._tail_bytes):
            part = data[start : start + self._tail_bytes]
            self._total += len(part)
            self._size += self._file.write(part)
            if self._size > self._tail_from + 2 * self._tail_bytes:
                self._cut()

    def close(self) -> None:
        """Cut to head and tail."""
        with contextlib.suppress(OSError):
            if self._size > self._tail_from + self._tail_bytes:
                self._cut()
        self._file.close()

    def _cut(self) -> None:
        self._file.seek(self._size - self._tail_bytes)
        tail = self._file.read()
        left_out = self._total - self._head_bytes - len(tail)
        line = f"\n[... {left_out} bytes left out ...]\n".encode()
        self._file.seek(self._head_bytes)
        self._file.truncate()
        self._file.write(line + tail)
        self._tail_from = self._head_bytes + len(line)
        self._size = self._tail_from + len(tail)


def prctl(option: int, value: int) -> None:
    """Set a process attribute where the kernel is Linux; elsewhere the process group has to do."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def children() -> list[int]:
    """Return the processes whose parent this one is, zombies included."""
    found = []
    me = str(os.getpid()).encode()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if entry.read_bytes().rpartition(b")")[2].split()[1] == me:
                found.append(int(entry.parent.name))
    return found


def kill_all(group: int) -> None:
    """Kill the bot's group, and then whatever else came down to this process, until nothing is left."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    while left := children():
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.001)


def end_like(returncode: int) -> NoReturn:
    """End as the bot did: with its exit code, or by its signal."""
    if returncode < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -returncode not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-returncode, signal.SIG_DFL)
        os.kill(os.getpid(), -returncode)
    sys.exit(returncode)


def keep(log: Log, grace_s: float, command: list[str]) -> int:
    """Start the bot and stay with it until it and all that it started are gone; return its exit code."""
    server = sys.stdin.fileno()
    died, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    try:
        bot = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL),  # noqa: PLW1509  no threads here
        )
    except OSError as error:
        log.write(f"cannot start {command[0]}: {error.strerror}\n".encode())
        return NOT_STARTED
    assert bot.stdout is not None
    output = bot.stdout.fileno()
    os.set_blocking(output, False)
    watched = {server, output, died}
    kill_at = None
    while bot.poll() is None:
        patience_s = None if kill_at is None else max(0.0, kill_at - time.monotonic())
        ready, _, _ = select.select(watched, (), (), patience_s)
        if died in ready:
            os.read(died, 4096)
        if output in ready and not copy(output, log):
            watched.discard(output)
        if server in ready and not os.read(server, 1):
            watched.discard(server)
            os.killpg(bot.pid, signal.SIGTERM)
            kill_at = time.monotonic() + grace_s
        if kill_at is not None and time.monotonic() >= kill_at:
            os.killpg(bot.pid, signal.SIGKILL)
            bot.wait()
    kill_all(bot.pid)
    while copy(output, log):
        pass
    return bot.returncode


def copy(output: int, log: Log) -> bool:
    """Copy what there is to read, at most one buffer; False at the end, or where nothing is there."""
    try:
        data = os.read(output, READ_BYTES)
    except BlockingIOError:
        return False
    log.write(data)
    return bool(data)


def main() -> None:
    """Keep one bot process."""
    log = Log(Path(sys.argv[1]).open("w+b", buffering=0))  # noqa: SIM115  the log closes it
    returncode = keep(log, float(sys.argv[2]), sys.argv[3:])
    log.close()
    end_like(returncode)


if __name__ == "__main__":
    main()
