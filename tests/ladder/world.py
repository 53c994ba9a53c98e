"""A server's ladders in one process: real hub, journal and matches, over the memory transport under a virtual clock."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trio
from gavelport.v1 import referee_pb2 as pb
from gavelport_engine.registry import game_named
from gavelport_server.archive.disk import RealDisk
from gavelport_server.archive.files import ReplayFolder
from gavelport_server.conduct.hub import Hub
from gavelport_server.conduct.journalling import InWorker, Journal
from gavelport_server.conduct.ladder.admission import LadderAdmission
from gavelport_server.conduct.ladder.service import LadderService
from gavelport_server.lobby.gate import Caller, Gate
from gavelport_server.referee.report import ClockSetting
from gavelport_server.serving import LadderSettings
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.memory import MemoryStore
from gavelport_server.storage.store import Result, TournamentRecord
from gavelport_server.transport.link import StatusCode
from gavelport_server.transport.memory import MemoryClient, MemoryTransport, StreamEnded

from tests.conduct.bots import Bot, send_answer

CLOCK = ClockSetting(bank_ms=20_000, increment_ms=200, cap_ms=5_000, allowance_ms=100)


def settings(name: str = "main", *, seats: int = 4, max_rounds: int = 2) -> LadderSettings:
    return LadderSettings(name, game_named("container"), {"max_rounds": max_rounds}, seats, CLOCK)


class _Unsynced:
    def __init__(self, file: Any) -> None:
        self.write, self.close = file.write, file.close

    def sync(self) -> None:
        """Nothing: no test loses power."""


class QuickDisk(RealDisk):
    """The real one, but nothing waits for the platters."""

    def create(self, path: Path, mode: int = 0o666) -> Any:
        return _Unsynced(super().create(path, mode))

    def sync_folder(self, folder: Path) -> None:
        """Nothing."""


async def inline(call: Callable[..., Any], *args: Any) -> Any:
    """Block right here, so that the virtual clock stands still meanwhile."""
    await trio.lowlevel.checkpoint()
    return call(*args)


class FailingStore(MemoryStore):
    """A store that can be out of reach."""

    fails = False

    def append_result(self, identity: str, result: Result) -> Result | None:
        if self.fails:
            raise StoreError("the database is out of reach; check that it runs")
        return super().append_result(identity, result)

    def members_revision(self) -> int:
        if self.fails:
            raise StoreError("the database is out of reach; check that it runs")
        return super().members_revision()


class Tokens(Gate):
    """A gate whose tokens are a table."""

    def __init__(self, members: Any) -> None:
        super().__init__(members)
        self.tokens: dict[str, Caller] = {}

    def caller(self, token_text: str) -> Caller | None:
        return self.tokens.get(token_text)

    async def caller_after_refresh(self, token_text: str) -> Caller | None:
        return self.caller(token_text)


class Client(Bot):
    """A bot that plays at random until its stream ends, and knows how that was."""

    def __init__(self, client: MemoryClient, *, holds: bool = False) -> None:
        super().__init__(client, decide=lambda _, decision: self.sample(decision))
        self.ended: tuple[StatusCode, str] | None = None
        self.holds = holds
        """Whether it keeps its answers to itself: so a match stands still, for as long as its clock lets it."""
        self.held: pb.Decision | None = None

    def sample(self, decision: pb.Decision) -> Any:
        if self.holds:
            self.held = decision
            return None
        return super().sample(decision)

    async def release(self) -> None:
        """Answer from now on, what was asked last included."""
        self.holds = False
        asked, self.held = self.held, None
        if asked is not None:
            with suppress(StreamEnded):  # then it answers when it is back
                await send_answer(self.client, asked.match_id, asked.decision_id, self.sample(asked))

    async def serve(self, **fields: Any) -> None:
        try:
            await self.play(10**9, **fields)
            await self.client.receive()
        except StreamEnded as ended:
            self.ended = ended.status.code, ended.status.text

    @property
    def ends(self) -> list[pb.MatchEnd]:
        return self.messages("match_end")

    @property
    def notices(self) -> list[pb.Notice]:
        return self.messages("notice")

    @property
    def matches(self) -> list[str]:
        """Ids of all matches that it was told the start of."""
        return [start.match_id for start in self.messages("match_start")]


@dataclass
class World:
    data: Path
    nursery: trio.Nursery
    ladders: tuple[LadderSettings, ...] = (settings(),)
    store: FailingStore = field(default_factory=FailingStore)
    seed: int = 1
    grace_s: float = 60.0
    in_worker: InWorker | None = None
    """Of the journal, instead of `inline`."""
    gate: Tokens = field(default_factory=lambda: Tokens(MemoryStore()))

    async def start(self) -> None:
        """Start a server over what an earlier one left."""
        self.scope = trio.CancelScope()
        disk = QuickDisk()
        self.journal = Journal(self.data, disk=disk, in_worker=self.in_worker or inline)
        self.replays = ReplayFolder(self.data, disk=disk)
        self.service = LadderService(
            self.store, self.store, self.replays, self.journal, self.ladders,
            grace_s=self.grace_s, rng=random.Random(self.seed), in_worker=inline,
        )  # fmt: skip
        self.hub = Hub(admission=LadderAdmission(self.gate, self.service))
        self.transport = MemoryTransport(self.hub)
        await self.nursery.start(self._run)

    async def _run(self, *, task_status: trio.TaskStatus[None]) -> None:
        with self.scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self.journal.run)
                await nursery.start(self.service.run)
                task_status.started()

    async def stop(self) -> None:
        """End the server as a kill would, but for the bots' links."""
        await self.transport.aclose()
        self.scope.cancel()
        await trio.testing.wait_all_tasks_blocked()

    # -- bots

    def register(self, bot: str, owner: str = "", *, is_house: bool = False) -> None:
        """A bot with a token that is called as it is; its owner has its name, unless another is given."""
        owner = owner or f"owner-{bot}"
        self.store.add_owner(owner, is_house=is_house)
        self.store.add_bot(bot, owner)
        self.gate.tokens[bot] = Caller(f"token of {bot}", "bot", owner, bot)

    def connect(self, bot: str, version: str = "1", *, holds: bool = False, **fields: Any) -> Client:
        """A bot that comes and plays."""
        if bot not in self.gate.tokens:
            self.register(bot)
        client = Client(self.transport.connect({"authorization": f"Bearer {bot}"}), holds=holds)
        self.nursery.start_soon(lambda: client.serve(bot_version=version, **fields))
        return client

    # -- what there is

    def record(self, kind: str = "ladder") -> TournamentRecord:
        (found,) = (one for one in self.store.tournaments() if one.kind == kind)
        return found

    def results(self, kind: str = "ladder") -> list[Result]:
        return list(self.store.results(self.record(kind).identity))

    def bots_of(self, result: Result, kind: str = "ladder") -> list[str]:
        entrants = self.record(kind).entrants
        return [entrants[seat.entrant].bot for seat in result.seats]

    async def until(self, condition: Callable[[], object], within_s: float = 600.0) -> None:
        with trio.fail_after(within_s):
            while not condition():  # noqa: ASYNC110  any condition at all, under a virtual clock
                await trio.sleep(0.1)


async def held_match(world: World, **fields: Any) -> dict[str, Client]:
    """Four bots in a match that stands still, as `a` does not answer."""
    clients = {name: world.connect(name, holds=name == "a", **fields) for name in "abcd"}
    await world.until(lambda: clients["a"].held)
    return clients
