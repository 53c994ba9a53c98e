"""Hosted bots in a ladder's world, with processes that are clients over the memory transport."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import trio
from gavelport_server.conduct.ladder.hosted import HostedBots
from gavelport_server.conduct.manifest import BotManifest
from gavelport_server.conduct.process import NoSandboxError, first_error_line
from gavelport_server.launcher.client import Ended

from tests.ladder.world import Client, World, inline

HASH = "c0ffee"
SANDBOX = "24 effects hold; 512 MiB, 64 processes, 1 core"


class Process:
    """Stands for a process in a sandbox, which starts after a second."""

    def __init__(self, hosts: Hosts, manifest: BotManifest, token: str, log: Path) -> None:
        self.manifest, self.log_path = manifest, log
        self.ended: Ended | None = None
        self.client: Client | None = None
        self._hosts, self._token = hosts, token
        self._log: FileIO | None = None
        self._over = trio.Event()

    @property
    def is_running(self) -> bool:
        return self.ended is None

    @property
    def why_ended(self) -> str:
        assert self.ended is not None
        return f"its process ended with exit code {self.ended.code}"

    @property
    def first_error_line(self) -> str:
        return first_error_line(self.log_path)

    async def start(self) -> None:
        self._hosts.made.append(self)
        self.log_path.parent.mkdir(parents=True, exist_ok=True)
        self._log = self.log_path.open("wb", buffering=0)  # whatever the file is called later
        self._log.write(f"process {len(self._hosts.made)}\n".encode())
        if self._hosts.launcher.is_lost or self._hosts.how.get(self.manifest.name) == "no sandbox":
            raise NoSandboxError(f"{self.manifest.name}: the launcher is gone")
        self._hosts.world.nursery.start_soon(self._live)

    async def _live(self) -> None:
        await trio.sleep(1)
        how = self._hosts.how.get(self.manifest.name, "plays")
        if how == "dies":
            self.die(1, error="ModuleNotFoundError: No module named 'planted'")
        elif self.is_running and how != "silent":
            world = self._hosts.world
            self.client = Client(world.transport.connect({"authorization": f"Bearer {self._token}"}))
            self.client.holds = how == "holds"
            world.nursery.start_soon(self.client.serve)

    def die(self, code: int, cause: str = "ended", error: str = "") -> None:
        """End it, however that came; `error` is what it printed last."""
        if self.ended is None:
            if self._log is not None:
                self._log.write(f"{error}\n".encode())
                self._log.close()
            self.ended = Ended(code, cause, 0)
            self._over.set()
            if self.client is not None:
                self.client.client.cancel()

    async def wait(self) -> int:
        await self._over.wait()
        assert self.ended is not None
        return self.ended.code

    async def stop(self) -> None:
        self.die(-15, "stopped")


@dataclass
class Hosts:
    """Makes processes, and remembers them."""

    world: World
    folder: Path
    most: int = 100
    how: dict[str, str] = field(default_factory=dict)
    """By bot: `plays`, `holds` its answers, `dies` at its start, is `silent`, or has `no sandbox`."""
    made: list[Process] = field(default_factory=list)
    launcher: Any = field(default_factory=lambda: SimpleNamespace(is_lost=False))

    def start(self) -> HostedBots:
        """Host in the world's server as it is now."""
        self.bots = HostedBots(
            self.world.service,
            self.world.hub,
            self.folder / "logs",
            self.folder.joinpath,
            most=self.most,
            starting=4,
            in_worker=inline,
        )
        self.scope = trio.CancelScope()
        self.world.service.hosted = self.bots
        self.world.nursery.start_soon(self._run)
        return self.bots

    async def _run(self) -> None:
        with self.scope:
            await self.bots.run(self, SANDBOX)  # type: ignore[arg-type]

    def process(self, manifest: BotManifest, token: str, log: Path) -> Process:
        return Process(self, manifest, token, log)

    def submit(self, bot: str, how: str = "plays", version: str = "1") -> None:
        """Enter a version with its folder."""
        if bot not in self.world.gate.tokens:
            self.world.register(bot)
        content_hash = f"{bot}-{version}-{HASH}"
        place = self.folder / content_hash
        place.mkdir()
        (place / "bot.toml").write_text(
            f'name = "{bot}"\nversion = "{version}"\nlanguage = "python"\nentry = "main.py"\ngames = ["container"]\n'
        )
        (place / "main.py").write_text("")
        self.how[bot] = how
        self.world.store.add_version(bot, version, content_hash)

    def of(self, bot: str, *, running: bool = False) -> list[Process]:
        """The processes of a bot, oldest first."""
        return [one for one in self.made if one.manifest.name == bot and (one.is_running or not running)]

    def in_match(self, bot: str) -> Process:
        """The process of a bot that is at a match."""
        (found,) = (one for one in self.of(bot, running=True) if one.client is not None and one.client.matches)
        return found

    @property
    def running(self) -> int:
        return sum(one.is_running for one in self.made)


async def stopped(hosts: Hosts) -> None:
    """End the hosting and the server as a kill would."""
    await hosts.world.stop()
    hosts.scope.cancel()
    await trio.testing.wait_all_tasks_blocked()


def played(hosts: Hosts, bot: str) -> Callable[[], bool]:
    """Return whether a bot has a result."""
    return lambda: any(bot in hosts.world.bots_of(one) for one in hosts.world.results())
