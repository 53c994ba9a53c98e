"""More of the machine than is its share."""

import contextlib
import os
import resource
import threading
import time
from pathlib import Path

from .hostile import MIB, Hostile, done, escaped


class ForkBomb(Hostile):
    def attack(self) -> None:
        made = 0
        with contextlib.suppress(OSError):
            while made < 2000:
                if not os.fork():
                    time.sleep(600)
                    os._exit(0)
                made += 1
        if made > 100:
            escaped(f"{made} processes")


class ForksForEver(Hostile):
    """Its children fork, too, and nobody waits for anybody."""

    def attack(self) -> None:
        if os.fork():
            return
        until = time.monotonic() + 3
        while time.monotonic() < until:
            with contextlib.suppress(OSError):
                os.fork()
        os._exit(0)


class ThreadBomb(Hostile):
    def attack(self) -> None:
        made = 0
        with contextlib.suppress(RuntimeError):
            while made < 2000:
                threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
                made += 1
        if made > 100:
            escaped(f"{made} threads")


class MemoryHog(Hostile):
    def attack(self) -> None:
        held = [bytearray(b"1") * (16 * MIB) for _ in range(64)]
        escaped(f"{16 * len(held)} MiB")


class MemoryByChildren(Hostile):
    def attack(self) -> None:
        children = []
        for _ in range(8):
            children.append(os.fork())
            if not children[-1]:
                held = bytearray(b"1") * (128 * MIB)
                time.sleep(600)
                os._exit(len(held))
        time.sleep(5)
        alive = [pid for pid in children if os.waitpid(pid, os.WNOHANG)[0] == 0]
        if len(alive) > 4:
            escaped(f"{128 * len(alive)} MiB in {len(alive)} processes")


class DiskFill(Hostile):
    def attack(self) -> None:
        fill("/tmp/filled")


class SharedMemoryFill(Hostile):
    def attack(self) -> None:
        fill("/dev/shm/filled")


class ManyFiles(Hostile):
    """No bytes, but names."""

    def attack(self) -> None:
        until = time.monotonic() + 3
        number = 0
        with contextlib.suppress(OSError):
            while time.monotonic() < until:
                Path(f"/tmp/{number}").touch()
                number += 1


def fill(path: str) -> None:
    written = 0
    with contextlib.suppress(OSError), open(path, "wb", buffering=0) as file:
        while written < 256 * MIB:
            written += file.write(bytes(MIB))
    if written > 64 * MIB:
        escaped(f"{written // MIB} MiB in {path}")


class LogFlood(Hostile):
    def attack(self) -> None:
        line = b"x" * 4095 + b"\n"
        until = time.monotonic() + 3
        while time.monotonic() < until:
            os.write(1, line * 16)


class LogTricks(Hostile):
    """Bytes that a terminal or a reader of lines would do something with."""

    def attack(self) -> None:
        os.write(2, b"\x1b]0;title\x07\x1b[2J\x00\xff\xfe" * 1000 + b"no end of a line" * 100_000)


class BusyLoop(Hostile):
    """Computes with as many processes as it gets for as long as it lives."""

    def attack(self) -> None:
        for _ in range(8):
            if not os.fork():
                while True:
                    pass


class OpensFiles(Hostile):
    def attack(self) -> None:
        held: list[int] = []
        with contextlib.suppress(OSError):
            while len(held) < 5000:
                held.append(os.open("/dev/null", os.O_RDONLY))
        if len(held) > 1000:
            escaped(f"{len(held)} open files")


class RaisesPriority(Hostile):
    def attack(self) -> None:
        before = os.nice(0)
        if raised := done(
            lambda: os.nice(-20),
            lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)),
            lambda: resource.setrlimit(resource.RLIMIT_NPROC, (10_000, 10_000)),
            lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100_000, 100_000)),
            lambda: resource.setrlimit(resource.RLIMIT_CORE, (MIB, MIB)),
        ):
            escaped(f"limits were raised: {raised}")
        if os.nice(0) < before:
            escaped("it is nicer to itself")
