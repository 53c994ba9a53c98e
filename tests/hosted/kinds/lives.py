"""How a process may live and end."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

from .hostile import AtOnce, Hostile, waits
from .resources import DiskFill, ForkBomb, LogFlood, LogTricks, MemoryHog, OpensFiles
from .sockets import SocketChurn, SocketJunk


class IgnoresSigterm(AtOnce):
    def attack(self) -> None:
        for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
            signal.signal(number, signal.SIG_IGN)

    def play(self) -> None:
        super().play()
        time.sleep(600)


class LeavesGrandchildren(Hostile):
    def attack(self) -> None:
        for _ in range(5):
            subprocess.Popen(waits(), start_new_session=True)


class Daemon(Hostile):
    """Twice away from its parent, with nothing open, and deaf."""

    def attack(self) -> None:
        if not os.fork():
            os.setsid()
            if not os.fork():
                os.closerange(0, 4096)
                os.chdir("/")
                for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                    signal.signal(number, signal.SIG_IGN)
                os.execv(sys.executable, waits())
            os._exit(0)


class SleepsForEver(Hostile):
    def attack(self) -> None:
        time.sleep(600)


class ExitsAtOnce(AtOnce):
    def attack(self) -> None:
        sys.exit(0)


class ExitsMidMatch(Hostile):
    at = 5

    def attack(self) -> None:
        os._exit(7)


class TimeBomb(Hostile):
    """Sound for long, then everything at once."""

    at = 8

    def attack(self) -> None:
        kinds: tuple[type[Hostile], ...] = (LogTricks, DiskFill, OpensFiles, SocketChurn, ForkBomb, LeavesGrandchildren)
        for kind in kinds:
            with contextlib.suppress(OSError):
                kind().attack()
        MemoryHog().attack()


class WarmBomb(AtOnce):
    """Attacks while it is warm, before any match."""

    def attack(self) -> None:
        threading.Thread(target=SocketJunk().attack, daemon=True).start()
        threading.Thread(target=LogFlood().attack, daemon=True).start()
