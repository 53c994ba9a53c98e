"""A server with a journal that can be killed and started again, and bots of the SDK that come back to it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import trio
from gavelport.v1 import referee_pb2 as pb
from gavelport_engine.rng import Stream
from gavelport_sdk.bot import Bot as SdkBot
from gavelport_sdk.session import Session as SdkSession
from gavelport_server.archive.disk import Disk, NewFile, RealDisk
from gavelport_server.archive.journal_entries import MatchEntry
from gavelport_server.conduct.hub import Hub
from gavelport_server.conduct.journalling import Journal, MatchJournal
from gavelport_server.conduct.match import conduct_match
from gavelport_server.conduct.session import Session
from gavelport_server.referee.report import MatchReport, MatchSetup, SeatName
from gavelport_server.transport.memory import MemoryClient, MemoryTransport, StreamEnded

SEATS = 4


async def aside(call: Callable[..., Any], *args: Any) -> Any:
    """Run what blocks in between: a virtual clock would run ahead of a thread."""
    await trio.lowlevel.checkpoint()
    return call(*args)


class Hasty(RealDisk):
    """A disk that is never waited for: enough where power is not lost, and quick."""

    def create(self, path: Path, mode: int = 0o666) -> NewFile:
        file = super().create(path, mode)
        file.sync = lambda: None  # type: ignore[method-assign]
        return file

    def sync_folder(self, folder: Path) -> None:
        pass


HASTY = Hasty()


class Gate:
    """Runs what blocks once it is open; `done` says that what waited last was done, whether or not it came back."""

    def __init__(self, *, after: bool = False) -> None:
        self.open = trio.Event()
        self.open.set()
        self.after = after
        """Whether it is the return that waits, and not the call."""

    def shut(self) -> None:
        self.open = trio.Event()

    async def __call__(self, call: Callable[..., Any], *args: Any) -> Any:
        if not self.after:
            await self.open.wait()
        returned = await aside(call, *args)
        if self.after:
            await self.open.wait()
        return returned


def entry_of(setup: MatchSetup, queue: str = "rated") -> MatchEntry:
    """What is entered into the journal for a match."""
    return MatchEntry(setup, "ladder-1", queue, bytes(16))


class Server:
    """One life of a server over a data folder."""

    def __init__(
        self, data: Path, *, in_worker: Callable[..., Any] = aside, disk: Disk = HASTY, bots: int = SEATS
    ) -> None:
        self.data = data
        self.journal = Journal(data, disk=disk, in_worker=in_worker)
        self.logs: dict[str, MatchJournal] = {}
        self.hub = Hub()
        self.transport = MemoryTransport(self.hub)
        self.sessions: list[Session] = [
            self.hub.admit(f"token-{number}", SeatName(f"bot{number}", "1")) for number in range(bots)
        ]

    def connect(self, bot: int) -> MemoryClient:
        """A client with the bot's token that has not said Hello."""
        return self.transport.connect({"authorization": f"Bearer token-{bot}"})

    async def conduct(self, setup: MatchSetup, **options: Any) -> MatchReport:
        """Enter a match and play it."""
        log = self.logs[setup.match_id] = self.journal.enter(entry_of(setup))
        return await conduct_match(setup, self.sessions, reveal=True, log=log, **options)

    def copied(self, to: Path) -> Path:
        """A data folder as this process leaves it when it is killed now."""
        shutil.copytree(self.data, to)
        return to


class Steady(SdkBot):
    """Answers by the decision alone: who asks it twice, also after a restart, hears the same twice."""

    def start(self, match: Any) -> None:
        self.heard: list[Any] = []
        self.asked: list[int] = []

    def events(self, events: Any) -> None:
        self.heard += events

    def decide(self, observation: Any) -> Any:
        decision, match = self.decision, self.match
        self.asked.append(decision.number)
        rng = Stream(f"{match.match_id}/{match.seat}/{decision.number}".encode(), "steady")
        return decision.space.sample(rng)


class Player:
    """A bot process of the SDK; its session outlives links and servers."""

    def __init__(self, version: str = "1", max_matches: int = 1) -> None:
        self.bots: list[Steady] = []
        self.said: list[str] = []
        self.session = SdkSession(
            self._make, ["container"], version=version, max_matches=max_matches, say=self.said.append
        )
        self.before_answer: Callable[[int, int], bool] = lambda *_: True
        """Given how often the process was asked and the decision's number; False keeps the answer back."""
        self.asked = 0
        self.ends: list[pb.MatchEnd] = []
        self.received: list[str] = []

    def _make(self) -> Steady:
        self.bots.append(Steady())
        return self.bots[-1]

    async def play(self, client: MemoryClient) -> None:
        """Play on a link until it ends."""
        await client.send(self.session.hello().SerializeToString())
        while True:
            try:
                response = pb.PlayResponse.FromString(await client.receive())
            except StreamEnded:
                return
            kind = response.WhichOneof("message")
            assert kind is not None
            self.received.append(kind)
            if kind == "match_end":
                self.ends.append(response.match_end)
            answer = self.session.react(response)
            if answer is not None:
                self.asked += 1
                if self.before_answer(self.asked, answer.answer.decision_id):
                    await client.send(answer.SerializeToString())
