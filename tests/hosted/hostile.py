"""Hostile bots in sandboxes against honest ones in theirs, and their controls; canaries stand by."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import secrets
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import trio
from gavelport_server.conduct.crew import START_S
from gavelport_server.conduct.local import LocalTable, find_bots, local_table
from gavelport_server.launcher.client import Launcher
from gavelport_server.referee.report import ClockSetting, MatchSetup

from tests.hosted.kinds.registry import NEVER_THERE
from tests.rogues import arena
from tests.rogues.arena import HONEST, NEVER_THERE_S, Company, Duel, match_setup
from tests.rogues.control import script_of
from tests.rogues.folders import MANIFEST, control_folder

TESTS = Path(__file__).parents[1]
CLOCK = ClockSetting(bank_ms=6000, increment_ms=200, cap_ms=6000, allowance_ms=20)
"""Wide enough for honest bots while another one keeps a core busy."""
CANARY = """
import signal, sys, time
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
    signal.signal(number, lambda number, _: print(number, flush=True))
print("ready", flush=True)
while True:
    time.sleep(600)
"""


class Canaries:
    """A file, a port, a process and a secret that nobody may come near. A context manager."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "canary"
        self.folder.mkdir(mode=0o755)
        self.file = self.folder / "file"
        self.file.write_text("canary")
        self.file.chmod(0o666)  # what any user of the machine may change
        self.mark = secrets.token_hex(8)
        self._held = contextlib.ExitStack()
        self._tcp = self._listen(socket.AF_INET, ("127.0.0.1", 0))
        port = self._tcp.getsockname()[1]
        self._udp = self._held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self._udp.bind(("127.0.0.1", port))
        self._udp.setblocking(False)
        self._abstract = self._listen(socket.AF_UNIX, f"\0gavelport-{self.mark}")
        self._unix = self._listen(socket.AF_UNIX, str(self.folder / "canary.sock"))
        (self.folder / "canary.sock").chmod(0o666)
        self.process = subprocess.Popen(
            [sys.executable, "-c", CANARY, self.mark], stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"
        self._port = port

    def told(self, bots: Iterable[Path]) -> dict[str, Any]:
        """Return what hostile bots are told."""
        return {
            "folder": str(self.folder),
            "file": str(self.file),
            "port": self._port,
            "abstract": f"gavelport-{self.mark}",
            "sockets": [str(self.folder / "canary.sock")],
            "canary": self.mark,
            "pid": self.process.pid,
            "pids": [self.process.pid],
            "bots": [str(path) for bot in bots for path in (bot, bot / "main.py")],
        }

    def touched(self) -> list[str]:
        """Return what has happened to them."""
        found = []
        names = sorted(path.name for path in self.folder.iterdir())
        if self.file.read_text() != "canary" or names != ["canary.sock", "file"]:
            found.append("the file or its folder was changed")
        for name, one in (("tcp", self._tcp), ("abstract", self._abstract), ("unix", self._unix)):
            with contextlib.suppress(BlockingIOError):
                one.accept()[0].close()
                found.append(f"somebody connected to {name}")
        with contextlib.suppress(BlockingIOError):
            self._udp.recv(100)
            found.append("a datagram came")
        if self.process.poll() is not None:
            found.append("the process was killed")
        return found

    def _listen(self, family: int, address: Any) -> socket.socket:
        made = self._held.enter_context(socket.socket(family))
        made.bind(address)
        made.listen(64)
        made.setblocking(False)
        return made

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()
        self.process.send_signal(signal.SIGKILL)
        out, _rest = self.process.communicate()
        assert out == "", f"the canary heard signals {out.split()}"


@dataclass(frozen=True)
class Seen:
    """What was seen of a hostile bot from outside, beside its matches."""

    duel: Duel
    printed: str
    log_bytes: int
    token: str


def hostile_folder(inside: Path, kind: str, told: dict[str, Any]) -> Path:
    """Make the folder of a hostile bot."""
    folder = inside / kind
    if not folder.exists():
        folder.mkdir(parents=True)
        (folder / "bot.toml").write_text(MANIFEST.format(name=kind))
        for place in ("rogues/bots", "hosted/kinds"):
            copy = folder / "tests" / place
            shutil.copytree(TESTS / place, copy, ignore=shutil.ignore_patterns("__pycache__"))
        main = f'from tests.hosted.kinds.registry import KINDS\n\nKINDS["{kind}"]().main()\n'
        (folder / "main.py").write_text(main)
        (folder / "canary.json").write_text(json.dumps(told))
    return folder


def setup_of(kind: str, seat: int) -> MatchSetup:
    """Return a kind's match, with the clock of the sandbox's matches."""
    return replace(match_setup(kind, seat), clock=CLOCK)


async def play_hostile(
    kinds: Iterable[tuple[str, int]], folder: Path, launcher: Launcher, canaries: Canaries, *, tables: int = 2
) -> dict[tuple[str, int], Seen]:
    """Return what came of hostile bots, each a kind and a seat. A void match fails."""
    found: dict[tuple[str, int], Seen] = {}
    told = canaries.told(bot.folder for bot in find_bots(HONEST))
    to_tables, queue = trio.open_memory_channel[tuple[str, int]](math.inf)
    with to_tables:
        for each in kinds:
            to_tables.send_nowait(each)

    async def at_table(table: LocalTable) -> None:
        company = await Company.gather(table)
        async for kind, seat in queue:
            bot_folder = hostile_folder(folder / "hostile", kind, told)
            patience_s = NEVER_THERE_S if kind in NEVER_THERE else START_S
            hostile, bot = await company.play(bot_folder, setup_of(kind, seat), seat, patience_s)
            log = bot.process.log_path
            printed, size = log.read_text("utf-8", "replace"), log.stat().st_size
            script = script_of(hostile.replay, seat)
            name = f"{kind}{seat}"
            copied = control_folder(folder / "controls", name, script)
            control, _ = await company.play(copied, setup_of(kind, seat), seat, patience_s)
            found[kind, seat] = Seen(Duel(seat, hostile, control), printed, size, bot.token)

    async with local_table(folder / "logs", launcher=launcher) as table, trio.open_nursery() as nursery:
        for _ in range(tables):
            nursery.start_soon(at_table, table)
    return found


def seat_of(kind: str) -> int:
    """Return the seat that a kind has where it plays one match only."""
    return hashlib.sha256(kind.encode()).digest()[0] % arena.SEATS
