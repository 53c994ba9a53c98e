"""What hostile bots have in common. They run in a sandbox, from a folder with `canary.json`.

Each plays legally at random on the bare protocol and turns against the machine at its third decision, or at once.
What got through is printed behind ESCAPED. `canary.json` tells them what an intruder could only guess.
"""

import contextlib
import ctypes
import json
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gavelport.v1 import referee_pb2 as pb

from tests.rogues.bots.rogue import Rogue

MIB = 1024 * 1024
_TOLD = Path("canary.json")
CANARY: dict[str, Any] = json.loads(_TOLD.read_text()) if _TOLD.exists() else {}
OWN = os.environ.get("GAVELPORT_TARGET", "").removeprefix("unix:")
LIBC = ctypes.CDLL(None, use_errno=True)


def escaped(what: str) -> None:
    print(f"ESCAPED: {what}", flush=True)


class Hostile(Rogue):
    """Turns at its third decision, and plays on if it can."""

    at = 3

    def decide(self, decision: pb.Decision) -> None:
        if decision.decision_id == self.at:
            self.attack()
        super().decide(decision)

    def attack(self) -> None:
        """Do what it came for."""


class AtOnce(Hostile):
    """Turns before it connects."""

    at = 0

    def play(self) -> None:
        self.attack()
        super().play()


def done(*acts: Callable[[], object]) -> list[int]:
    """Try each act; return the numbers of those that were not refused."""
    found = []
    for number, act in enumerate(acts):
        with contextlib.suppress(OSError, ValueError):
            act()
            found.append(number)
    return found


def readable(path: str) -> None:
    with contextlib.suppress(OSError):
        escaped(f"{path}: {Path(path).read_bytes()[:40]!r}")


def connects(family: int, address: Any, kind: int = socket.SOCK_STREAM) -> None:
    with contextlib.suppress(OSError), socket.socket(family, kind) as made:
        made.settimeout(0.5)
        made.connect(address)
        made.send(b"canary")
        escaped(f"connected to {address}")


def waits(mark: str = "canary") -> list[str]:
    return [sys.executable, "-c", f"import time; time.sleep(600) # {CANARY[mark]}"]
