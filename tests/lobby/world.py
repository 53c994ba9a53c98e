"""Accounts, a ladder with results and replays, and desks over them; the ladders that run are a double."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import trio
from gavelport_server.archive.files import ReplayFolder, sha256_of
from gavelport_server.archive.replay import encode_replay
from gavelport_server.conduct import results
from gavelport_server.conduct.ladder.listing import RunningMatch
from gavelport_server.conduct.ladder.spectate import SpectatorFeed
from gavelport_server.lobby.desks import Desks
from gavelport_server.lobby.door import Door
from gavelport_server.lobby.gate import Caller, Gate
from gavelport_server.lobby.tokens import make, written
from gavelport_server.pairing.schedule import Pairing
from gavelport_server.referee.report import MatchReport, SeatName
from gavelport_server.storage.members import Scope
from gavelport_server.storage.memory import MemoryStore
from gavelport_server.storage.sql import SqlStore
from gavelport_server.storage.store import Kind, RerunRecord, Result, TournamentRecord
from gavelport_server.transport.bridge import serve
from gavelport_server.transport.link import ServiceError, StatusCode
from gavelport_server.transport.services import Services

from tests.archive.folder import SHORT
from tests.archive.play import played_match
from tests.transport.worlds import Recorder

SEATS = 3
BOTS = {"ant": "ann", "asp": "ann", "bee": "bob", "cow": "cid", "shipper": "house"}
"""Bots with their owners."""
OPTIONS = '{"game":"container@1","kind":"ladder","name":"main","options":{"seats":3},"seats":3}'
NOTES = 40
"""So many decisions of a match have a note."""
ADMIN = Caller("admin-token", "admin", "", "")
ANN = Caller("ann-token", "owner", "ann", "")
BOB = Caller("bob-token", "owner", "bob", "")
ANT = Caller("ant-token", "bot", "ann", "ant")
VISITOR = Caller("visitor", "spectator", "", "")


@dataclass
class DoubleRequests:
    """Does what it is asked, for bots whose names it knows."""

    asked: list[tuple[object, ...]] = field(default_factory=list)
    running: set[str] = field(default_factory=set)
    voids: set[str] = field(default_factory=set)
    unsaved: list[RerunRecord] = field(default_factory=list)
    keep: Callable[[RerunRecord], object] = str
    """Has the store keep what is played again."""

    def challenge(self, bot: str, opponents: Sequence[str], ladder: str) -> str:
        self.asked.append(("challenge", bot, *opponents, ladder))
        if "nobody" in opponents:
            raise ServiceError(StatusCode.NOT_FOUND, 'there is no bot "nobody"')
        return "c0ffee"

    def void_running(self, match_id: str, reason: str) -> bool:
        self.asked.append(("void", match_id, reason))
        return match_id in self.running

    def void_known(self, match_id: str, ladder: str, bots: Sequence[str], *, is_rated: bool) -> None:
        self.asked.append(("known", match_id, ladder, *bots, is_rated))
        self.voids.add(match_id)

    def rerun(self, match_id: str) -> str:
        if match_id not in self.voids:
            raise ServiceError(StatusCode.NOT_FOUND, f"match {match_id[:64]} is not known to be void")
        self.voids.remove(match_id)
        self.unsaved.append(RerunRecord(match_id, "again", ("ant", "bee")))
        return "again"

    async def save(self) -> None:
        await trio.lowlevel.checkpoint()
        for one in self.unsaved:
            self.keep(one)


@dataclass
class DoubleLive:
    """Stands for the ladders that run; everything must come in the trio thread."""

    requests: DoubleRequests = field(default_factory=DoubleRequests)
    is_paused: bool = False
    is_draining: bool = False
    hosting: str = "hosting is off"
    connected: list[str] = field(default_factory=lambda: ["ant", "bee"])
    feeds: dict[str, SpectatorFeed] = field(default_factory=dict)
    refreshed: int = 0

    def pause(self, *, is_paused: bool) -> None:
        trio.lowlevel.current_task()
        self.is_paused = is_paused

    async def refresh(self) -> None:
        await trio.lowlevel.checkpoint()
        self.refreshed += 1

    def running(self, ladder: str = "") -> list[RunningMatch]:
        trio.lowlevel.current_task()
        match = RunningMatch("r1", "main", True, ("ant", "bee", "cow"), "2030-01-01T10:00:00+00:00", 7)
        return [match] if ladder in ("", "main") else []

    def connected_names(self) -> list[str]:
        trio.lowlevel.current_task()
        return self.connected

    def hosted_words(self, bot: str) -> str:
        trio.lowlevel.current_task()
        return f"{bot} rests" if bot == "bee" else ""

    def held_back(self, bot: str) -> str:
        trio.lowlevel.current_task()
        return f"{bot} has played enough" if bot == "cow" else ""

    def playing_version(self, bot: str) -> str:
        return "1"

    def spectate(self, match_id: str) -> SpectatorFeed | None:
        return self.feeds.get(match_id)


def ladder(identity: str = "l1", name: str = "main", kind: Kind = "ladder") -> TournamentRecord:
    return TournamentRecord(
        identity=identity,
        name=name,
        game="container@1",
        options=OPTIONS,
        secret=bytes(32),
        seats=SEATS,
        entrants=(),
        started_at="2030-01-01T10:00:00+00:00",
        kind=kind,
    )


@cache
def report_of(match_id: str, bots: tuple[str, ...], number: int, *, has_notes: bool = True) -> MatchReport:
    """A played match, with a note at each of its first decisions, and a fault at one."""
    notes = {decision: f"note {decision} of {match_id}" for decision in range(NOTES)} if has_notes else {}
    faults: dict[int, Any] = {4: "illegal"} if has_notes else {}
    played = played_match(number, seats=SEATS, options=SHORT, match_id=match_id, notes=notes, faults=faults)
    setup = replace(played.setup, seats=tuple(SeatName(bot, "1") for bot in bots))
    figures = tuple(replace(one, faults=(("illegal", 1),) if one.first_fault else ()) for one in played.figures)
    return replace(played, setup=setup, figures=figures)


def result_of(report: MatchReport, entrants: Sequence[int], stored: bytes, finished_at: str) -> Result:
    pairing = Pairing(number=0, round=0, block=0, rotation=0, table=0, deal=0, entrants=tuple(entrants))
    counted = results.result_of(pairing, report, replay_sha256=sha256_of(stored), seconds=1.5)
    return replace(counted, finished_at=finished_at)


class House:
    """Everything that desks work on."""

    def __init__(self, data: Path, store: MemoryStore | SqlStore | None = None) -> None:
        self.data = data
        self.store = store or MemoryStore()
        for bot, owner in BOTS.items():
            self.store.add_owner(owner, is_house=owner == "house")
            self.store.add_bot(bot, owner)
            self.store.add_version(bot, "1")
        self.store.seen(list(BOTS), written(datetime.now(UTC)))
        self.replays = ReplayFolder(data)
        self.live = DoubleLive()
        self.live.requests.keep = lambda rerun: self.store.add_rerun("l1", rerun)
        self.gate = Gate(self.store)
        self.drained = 0
        self.store.open_tournament(ladder())
        self.store.open_tournament(ladder("p1", "main-practice", "practice"))
        self.desks = Desks(self.store, self.store, self.replays, data, self.live, self.gate, epoch=3, drain=self._drain)

    def _drain(self) -> None:
        trio.lowlevel.current_task()
        self.drained += 1

    def play(
        self,
        match_id: str,
        bots: Sequence[str],
        *,
        identity: str = "l1",
        ago: timedelta = timedelta(0),
        has_notes: bool = True,
        number: int = 0,
    ) -> MatchReport:
        """Keep a match that these bots played, finished so long ago."""
        report = report_of(match_id, tuple(bots), number, has_notes=has_notes)
        stored = encode_replay(report)
        self.replays.put(match_id, stored)
        entrants = [self.store.add_entrant(identity, bot, "1") for bot in bots]
        result = result_of(report, entrants, stored, written(datetime.now(UTC) - ago))
        assert self.store.append_result(identity, result) is not None
        return report

    async def ask(self, service: str, method: str, caller: Caller, request: Any) -> Any:
        """What a desk answers, as it is called by the transport; all that a generator gives."""

        def call() -> Any:
            answer = getattr(self.desks.by_name[service], method)(caller, request)
            return answer if hasattr(answer, "DESCRIPTOR") else list(answer)

        return await trio.to_thread.run_sync(call)

    def token(self, scope: Scope, *, owner: str = "", bot: str = "", expires_in: timedelta | None = None) -> str:
        """A token that opens."""
        text, record = make(scope, owner=owner, bot=bot, now=datetime.now(UTC), expires_in=expires_in)
        self.store.add_token(record)
        return text


@asynccontextmanager
async def serving(house: House) -> AsyncIterator[str]:
    """The house behind its door, on a real socket; the target of clients."""
    services = Services(house.desks.by_service, Door(house.gate))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(house.gate.run)
        async with serve(Recorder(), services=services) as bridge:
            yield bridge.target
        nursery.cancel_scope.cancel()
