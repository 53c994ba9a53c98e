"""A crash at any step of a match's end, and what follows at the next start, leave one replay and one result."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from gavelport_server.archive.errors import ArchiveError
from gavelport_server.archive.files import ReplayFolder
from gavelport_server.archive.replay import decode_replay
from gavelport_server.archive.verify import verify_stored
from gavelport_server.conduct.journalling import finish_match
from gavelport_server.conduct.match import conduct_match
from gavelport_server.referee.report import MatchReport

from tests.conduct.bots import match_setup
from tests.conduct.ladder import Player, Server


class Crash(BaseException):
    """The process dies: nobody handles this."""


class Results:
    """As the store: a match id is counted once."""

    def __init__(self) -> None:
        self.by_match: dict[str, bytes] = {}
        self.asked = 0

    def count(self, report: MatchReport, stored: bytes) -> None:
        self.asked += 1
        self.by_match.setdefault(report.setup.match_id, stored)


STEPS = ["inputs synced", "replay put", "result counted", "end put", "end synced"]


async def end(server: Server, results: Results, crash_at: str) -> None:
    """Play a match in a life of the server that ends at a step."""
    replays = ReplayFolder(server.data)
    setup = match_setup(max_rounds=4)
    put, count = replays.put, results.count

    def crash(step: str) -> None:
        if step == crash_at:
            raise Crash(step)

    def put_and_crash(match_id: str, stored: bytes) -> bool:
        created = put(match_id, stored)
        crash("replay put")
        return created

    def count_and_crash(report: MatchReport, stored: bytes) -> None:
        count(report, stored)
        crash("result counted")

    replays.put = put_and_crash  # type: ignore[method-assign]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.journal.run)
        for number in range(4):
            nursery.start_soon(Player().play, server.connect(number))
        for session in server.sessions:
            await session.wait_connected()
        report = await server.conduct(setup)
        log = server.logs[setup.match_id]
        crash("inputs synced")
        await finish_match(report, log, replays=replays, count=count_and_crash)
        crash("end put")
        await server.journal.synced()
        crash("end synced")
        nursery.cancel_scope.cancel()


async def recover(server: Server, results: Results) -> int:
    """Begin a life of the server: finish what can be finished, and return how many matches that were."""
    unfinished = server.journal.unfinished()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.journal.run)
        for each in unfinished:
            assert each.report is not None
            setup = each.log.entry.setup
            again = await conduct_match(setup, server.sessions, reveal=True, log=each.log, past=each.past)
            assert again == each.report  # without a bot
            await finish_match(each.report, each.log, replays=ReplayFolder(server.data), count=results.count)
        await server.journal.synced()
        nursery.cancel_scope.cancel()
    return len(unfinished)


@pytest.mark.parametrize("crash_at", STEPS)
async def test_a_crash_at_any_step_of_the_end(
    tmp_path: Path, crash_at: str, autojump_clock: trio.testing.MockClock
) -> None:
    whole, control = Results(), Server(tmp_path / "control")
    await end(control, whole, "")

    results, data = Results(), tmp_path / "data"
    with pytest.RaisesGroup(Crash, flatten_subgroups=True):
        await end(Server(data), results, crash_at)
    finished = await recover(Server(data), results)
    if crash_at != "end put":  # then it depends on whether the end was on disk
        assert finished == (0 if crash_at == "end synced" else 1)
    assert await recover(Server(data), results) == 0
    assert results.by_match == whole.by_match
    assert ReplayFolder(data).list() == ["match-1"]
    stored = ReplayFolder(data).get("match-1")
    assert stored == ReplayFolder(control.data).get("match-1") == results.by_match["match-1"]
    verify_stored(stored)
    assert decode_replay(stored).header.match_id == "match-1"


async def test_another_replay_of_the_match_is_not_counted(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    results = Results()
    ReplayFolder(tmp_path).put("match-1", b"another")
    with pytest.RaisesGroup(pytest.RaisesExc(ArchiveError, match="is there already"), flatten_subgroups=True):
        await end(Server(tmp_path), results, "")
    assert results.asked == 0
    assert len(Server(tmp_path).journal.unfinished()) == 1
