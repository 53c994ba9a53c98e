"""The runner of a tournament, with bots that are gone from the start: no process, no socket, every match at once."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
import trio
from gavelport_server.archive.errors import ArchiveError
from gavelport_server.conduct import tournament
from gavelport_server.conduct.folder import DataFolder, open_folder
from gavelport_server.conduct.match import MatchVoid, conduct_match
from gavelport_server.conduct.plan import Plan, make_plan
from gavelport_server.conduct.session import Session
from gavelport_server.conduct.tournament import TABLES_PER_CORE, Run, TournamentError, run_tournament
from gavelport_server.referee.report import MatchReport, MatchSetup, SeatName
from gavelport_server.storage.store import Result, Standing, TournamentRecord

from tests.tournament.build import manifest, settings

BOTS = [manifest(f"bot{number}") for number in range(7)]


class Heard:
    """A progress that remembers."""

    def __init__(self) -> None:
        self.before: list[int] = []
        self.finished_numbers: list[int] = []
        self.matches = 0

    def started(self, record: TournamentRecord, results: Sequence[Result], matches: int) -> None:
        self.before, self.matches = [result.number for result in results], matches

    def finished(self, result: Result, standings: Sequence[Standing]) -> None:
        self.finished_numbers.append(result.number)


class GoneCrew:
    """A crew whose bots are all gone."""

    processes: ClassVar[dict[Session, tuple[int, int]]] = {}
    dismissed: ClassVar[list[tuple[int, int]]] = []

    def __init__(self, bots: Sequence[Any], *_rest: object) -> None:
        self._bots = bots
        self.processes.clear()
        self.dismissed.clear()

    async def session(self, entrant: int, rotation: int) -> Session:
        bot = self._bots[entrant]
        session = Session(SeatName(bot.name, bot.version))
        session.gone("did not start: planted")
        self.processes[session] = entrant, rotation
        return session

    def printed(self, entrant: int, rotation: int) -> str:
        return "planted, and not told: the reason of the end says more"

    async def dismiss(self, entrant: int, rotation: int) -> None:
        self.dismissed.append((entrant, rotation))


@asynccontextmanager
async def no_server(*_given: object, **_more: object) -> AsyncIterator[SimpleNamespace]:
    yield SimpleNamespace(target="nowhere")


@pytest.fixture(autouse=True)
def without_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament, "Crew", GoneCrew)
    monkeypatch.setattr(tournament, "processes_for", no_server)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return make_plan(settings(tmp_path, 'seats = 3\nseed = "01"\n[options]\nmax_rounds = 6\n'), BOTS)


async def run(plan: Plan, rounds: int, folder: DataFolder) -> tuple[Run, Heard]:
    heard = Heard()
    return await run_tournament(plan, rounds, folder, heard), heard


async def test_every_pairing_is_played_once_and_kept(plan: Plan, tmp_path: Path) -> None:
    with open_folder(tmp_path / "data") as folder:
        done, heard = await run(plan, 6, folder)
        assert [result.number for result in done.results] == list(range(12))
        assert sorted(heard.finished_numbers) == list(range(12))
        assert (heard.before, heard.matches, done.played, done.matches) == ([], 12, 12, 12)
        assert folder.replays.list() == sorted(result.match_id for result in done.results)
        for pairing, result in zip(plan.schedule(6).pairings, done.results, strict=True):
            assert tuple(seat.entrant for seat in result.seats) == pairing.entrants
            assert (result.block, result.rotation, result.table) == (pairing.block, pairing.rotation, pairing.table)


async def test_what_stands_is_not_played_again_and_more_rounds_continue(plan: Plan, tmp_path: Path) -> None:
    with open_folder(tmp_path / "data") as folder:
        first, _ = await run(plan, 2, folder)
        again, heard = await run(plan, 2, folder)
        assert (heard.before, heard.finished_numbers, again.played) == ([0, 1, 2, 3], [], 0)
        assert (again.results, again.standings) == (first.results, first.standings)
        more, heard = await run(plan, 5, folder)
        assert (heard.before, more.played) == ([0, 1, 2, 3], 6)
        assert list(more.results[:4]) == list(first.results)


async def test_fewer_rounds_show_the_elo_of_those_rounds(plan: Plan, tmp_path: Path) -> None:
    with open_folder(tmp_path / "data") as folder:
        first, _ = await run(plan, 2, folder)
        more, _ = await run(plan, 5, folder)
        fewer, _ = await run(plan, 2, folder)
        assert more.standings == folder.store.standings(plan.identity())
    assert fewer.standings == first.standings != more.standings


async def test_swiss_is_the_same_however_often_it_stops(tmp_path: Path) -> None:
    swiss = make_plan(settings(tmp_path, 'format = "swiss"\nseats = 3\nseed = "01"\n[options]\nmax_rounds = 6\n'), BOTS)
    with open_folder(tmp_path / "straight") as folder:
        straight, _ = await run(swiss, 10, folder)
    seated = [tuple(seat.entrant for seat in result.seats) for result in straight.results]
    assert len(seated) == 20
    robin = make_plan(settings(tmp_path, "seats = 3"), BOTS).schedule(10).pairings
    assert seated != [pairing.entrants for pairing in robin]
    with open_folder(tmp_path / "stopping") as folder:
        for rounds in (2, 4, 7):
            await run(swiss, rounds, folder)
        stopping, _ = await run(swiss, 10, folder)
        replays = {match_id: folder.replays.get(match_id) for match_id in folder.replays.list()}
    with open_folder(tmp_path / "replays only") as folder:
        for match_id, stored in replays.items():
            folder.replays.put(match_id, stored)
        counted, _ = await run(swiss, 10, folder)
        assert counted.played == 0
    for other in (stopping, counted):
        assert [tuple(seat.entrant for seat in result.seats) for result in other.results] == seated
        assert other.standings == straight.standings


async def test_why_a_bot_is_gone_is_in_the_result(plan: Plan, tmp_path: Path) -> None:
    with open_folder(tmp_path / "data") as folder:
        done, _ = await run(plan, 1, folder)
    faulty = [seat for result in done.results for seat in result.seats if seat.faults]
    assert faulty
    assert {seat.first_fault for seat in faulty} == {"decision 1: disconnected: did not start: planted"}


async def test_a_result_taken_from_the_replay_is_the_one_that_was_lost(plan: Plan, tmp_path: Path) -> None:
    with open_folder(tmp_path / "data") as folder:
        done, _ = await run(plan, 2, folder)
    for file in folder.path.glob("gavelport.db*"):
        file.unlink()
    with open_folder(tmp_path / "data") as folder:
        again, _ = await run(plan, 2, folder)
    assert again.played == 0
    assert [replace(one, seconds=0.0, finished_at="") for one in done.results] == [
        replace(one, finished_at="") for one in again.results
    ]
    assert any(seat.first_fault for one in again.results for seat in one.seats)


async def test_tables_are_kept_busy_and_processes_apart(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    running = most = 0
    at_tables: set[tuple[int, int]] = set()

    async def slow(setup: MatchSetup, sessions: Sequence[Session], *, reveal: bool) -> MatchReport:
        nonlocal running, most
        processes = {GoneCrew.processes[session] for session in sessions}
        assert at_tables.isdisjoint(processes), "a process plays one match at a time"
        at_tables.update(processes)
        assert not reveal, "what other matches of the deal may still need is sealed"
        running += 1
        most = max(most, running)
        await trio.sleep(1 + int(setup.match_id[:2], 16) / 32)
        running -= 1
        at_tables.difference_update(processes)
        return await conduct_match(setup, sessions, reveal=reveal)

    monkeypatch.setattr(tournament, "conduct_match", slow)
    with open_folder(tmp_path / "data") as folder:
        done, heard = await run(plan, 12, folder)
    assert [result.number for result in done.results] == list(range(24))
    assert heard.finished_numbers != sorted(heard.finished_numbers), "matches end in any order"
    assert most == TABLES_PER_CORE * 2


async def test_a_void_match_is_played_again(plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[str] = []

    async def void_at_first(setup: MatchSetup, sessions: Sequence[Session], *, reveal: bool) -> MatchReport:
        tries.append(setup.match_id)
        if tries.count(setup.match_id) < 3:
            raise MatchVoid(setup.match_id)
        return await conduct_match(setup, sessions, reveal=reveal)

    monkeypatch.setattr(tournament, "conduct_match", void_at_first)
    with open_folder(tmp_path / "data") as folder:
        done, _ = await run(plan, 1, folder)
    assert done.played == 2
    assert len(tries) == 6


async def test_a_match_that_stays_void_ends_the_run_and_keeps_the_others(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = plan.match(plan.record(), plan.schedule(1).pairings[1]).match_id

    async def void(setup: MatchSetup, sessions: Sequence[Session], *, reveal: bool) -> MatchReport:
        if setup.match_id == bad:
            await trio.sleep(0.2)
            raise MatchVoid(setup.match_id)
        return await conduct_match(setup, sessions, reveal=reveal)

    monkeypatch.setattr(tournament, "conduct_match", void)
    with open_folder(tmp_path / "data") as folder:
        with pytest.raises(TournamentError, match=f"match {bad} was void 3 times"):
            await run(plan, 1, folder)
        assert [result.number for result in folder.store.results(plan.identity())] == [0]


async def test_a_replay_that_cannot_be_stored_ends_the_run_and_nothing_is_counted(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_folder(tmp_path / "data") as folder:
        (folder.path / "replays").write_text("a file where the folder should be")
        with pytest.raises(ArchiveError, match="a file stands where a folder is expected"):
            await run(plan, 1, folder)
        assert folder.store.results(plan.identity()) == []


async def test_retired_bots_get_a_fresh_process(plan: Plan, tmp_path: Path) -> None:
    with open_folder(tmp_path / "data") as folder:
        done, _ = await run(plan, 1, folder)
    retired = {(seat.entrant, result.rotation) for result in done.results for seat in result.seats if seat.retired}
    assert retired
    assert set(GoneCrew.dismissed) == retired
