"""Submissions examined one after the other: admitted or refused, also when the server ends or fails meanwhile."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from typing import Any

import pytest
import trio
import trio.testing
from gavelport_server.conduct.checks.finding import Finding, Verdict
from gavelport_server.conduct.checks.sparring import SparringError
from gavelport_server.conduct.match import MatchVoid
from gavelport_server.conduct.process import NoSandboxError
from gavelport_server.conduct.results import WORDS_MOST
from gavelport_server.lobby import examiner
from gavelport_server.lobby.gate import Caller
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.submissions import SubmissionRecord
from structlog.testing import capture_logs

from tests.lobby.world import House
from tests.submit.test_intake import kept
from tests.submit.world import BAD, GOOD, MANIFEST, Double, Lost, files, opened, zipped

ANN, BOB = (Caller("t", "owner", owner, "") for owner in ("ann", "bob"))


@pytest.fixture
def double(house: House) -> Double:
    return opened(house)


def submitted(house: House, manifest: str = MANIFEST, caller: Caller = ANN) -> SubmissionRecord:
    """A submission that has come in."""
    desk = house.desks.by_name["LobbyService"]
    with desk._packages.incoming() as folder:
        package = folder / "package.zip"
        package.write_bytes(zipped(files(manifest)))
        record = desk._intake.take(package, caller)
    assert isinstance(record, SubmissionRecord)
    return record


async def examined(house: House, launcher: Any = None, until: Callable[[], bool] | None = None) -> None:
    """Have the examiner work until all is decided, or until something else."""
    async with trio.open_nursery() as nursery:
        there: Any = launcher or Lost()
        nursery.start_soon(house.desks.examiner.run, there)
        with trio.fail_after(600):
            while not (until or (lambda: not house.store.open_submissions()))():  # noqa: ASYNC110 - nothing tells of it
                await trio.sleep(0.01)
            await trio.sleep(0.05)
        nursery.cancel_scope.cancel()


def decided(house: House, number: int = 1) -> tuple[str, list[str]]:
    """What became of a submission: its status, and what was looked at."""
    record = house.store.submission(number)
    assert record is not None
    assert bool(record.decided_at) == (record.status in ("admitted", "refused"))
    return record.status, [f"{one['check']}: {one['verdict']}" for one in json.loads(record.findings)]


async def test_what_passes_is_a_version_and_the_ladders_are_told(house: House, double: Double) -> None:
    record = submitted(house)
    double.findings = [GOOD, Finding("speed", Verdict.WARNING, "slow")]
    await examined(house)
    assert decided(house) == ("admitted", ["manifest: passed", "full match: passed", "speed: warning"])
    assert [(one.version, one.content_hash) for one in house.store.versions("ant")] == [
        ("1", ""),
        ("2", record.content_hash),
    ]
    assert house.live.refreshed == 1
    assert double.seen == [files()]
    assert len(kept(house)) == 3
    assert list((house.data / "logs" / "examined").iterdir()) == []


async def test_what_fails_is_refused_with_what_was_found_and_its_files_are_removed(
    house: House, double: Double
) -> None:
    submitted(house)
    double.findings = [BAD]
    await examined(house)
    assert decided(house) == ("refused", ["manifest: passed", "full match: failed"])
    told = json.loads(house.store.submissions()[0].findings)[-1]
    assert told == {
        "check": "full match",
        "verdict": "failed",
        "what": "faults: 1 illegal",
        "where": "decision 7",
        "remedy": "ask the rules",
        "printed": ["a line"],
    }
    assert kept(house) == []
    assert [one.version for one in house.store.versions("ant")] == ["1"]


async def test_owners_take_turns(house: House, double: Double) -> None:
    of_ann = [submitted(house, MANIFEST.replace("ant", f"ant-{number}")).bot for number in range(3)]
    of_bob = [submitted(house, MANIFEST.replace("ant", f"bee-{number}"), BOB).bot for number in range(2)]
    await examined(house)
    seen = [each["bot.toml"].decode().split('"')[1] for each in double.seen]
    assert seen == [of_ann[0], of_bob[0], of_ann[1], of_bob[1], of_ann[2]]


async def test_they_come_one_after_the_other_and_are_told_of_meanwhile(house: House, double: Double) -> None:
    first, second = submitted(house), submitted(house, MANIFEST.replace("ant", "asp"))
    double.gate = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(examined, house)
        await double.began.wait()
        assert [one.status for one in house.store.open_submissions()] == ["checking", "received"]
        so_far = [json.loads(house.desks.examiner.so_far(one.id)) for one in (first, second)]
        assert [[one["check"] for one in each] for each in so_far] == [["manifest"], []]
        double.gate.set()
    assert [decided(house, one.id)[0] for one in (first, second)] == ["admitted", "admitted"]


async def test_an_examination_that_takes_too_long_ends(
    house: House, double: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examiner, "LIMIT_S", 0.2)
    submitted(house)
    double.gate = trio.Event()
    await examined(house)
    assert decided(house) == ("refused", ["manifest: passed", "examination: failed"])
    assert "was not over after 0 s" in house.store.submissions()[0].findings


async def test_a_server_that_ends_meanwhile_takes_it_up_again(house: House, double: Double) -> None:
    record = submitted(house)
    double.gate = trio.Event()
    await examined(house, until=lambda: bool(double.seen))
    assert decided(house)[0] == "checking"
    shutil.rmtree(house.data / "bots" / record.content_hash)  # a backup has the packages alone
    (house.data / "packages" / ".incoming" / "left").mkdir(parents=True)
    later = House.__new__(House)
    later.__dict__ |= house.__dict__
    later.desks = type(house.desks)(
        house.store, house.store, house.replays, house.data, house.live, house.gate, epoch=4, drain=lambda: None
    )
    again = opened(later)
    await examined(later)
    assert decided(house)[0] == "admitted"
    assert again.seen == [files()]
    assert not (house.data / "packages" / ".incoming" / "left").exists(), "and what was on its way is gone"


@pytest.mark.parametrize(
    "error",
    [
        SparringError("a sample bot is not there"),
        MatchVoid("m"),
        NoSandboxError("ant: the sandbox could not be started: No space left on device"),
        StoreError("locked"),
        KeyError("something that nobody thought of"),
        OSError(28, "full"),
    ],
)
async def test_a_fault_of_the_servers_own_is_not_the_bots(
    house: House, double: Double, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examiner, "PAUSE_S", 0.3)
    submitted(house)
    double.error = error
    with capture_logs() as logs:
        await examined(house, until=lambda: len(double.seen) == 1)
        assert decided(house)[0] == "checking"
        double.error = None
        await examined(house)
    assert decided(house)[0] == "admitted"
    assert {entry["event"] for entry in logs} >= {"examination_failed", "submission_decided"}


async def test_faults_of_the_server_that_do_not_end_hold_nobody_up(
    house: House, double: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examiner, "PAUSE_S", 0.01)
    submitted(house)
    double.error = SparringError("a sample bot is not there")
    await examined(house)
    assert len(double.seen) == examiner.MOST_FAULTS
    assert decided(house) == ("refused", ["manifest: passed", "examination: failed"])
    assert "this is the server's fault; submit it again later" in house.store.submissions()[0].findings


async def test_a_launcher_that_is_lost_says_nothing_of_the_bot(
    house: House, double: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examiner, "PAUSE_S", 0.01)
    submitted(house)
    launcher = Lost()
    double.gate = trio.Event()

    async def lose() -> None:
        await double.began.wait()
        launcher.is_lost = True
        double.gate = None
        await trio.sleep(0.5)
        assert decided(house)[0] == "checking"
        assert len(double.seen) == 1, "nothing is begun while there is none"
        launcher.is_lost = False

    async with trio.open_nursery() as nursery:
        nursery.start_soon(lose)
        await examined(house, launcher)
    assert decided(house) == ("admitted", ["manifest: passed", "full match: passed"])


async def test_a_version_that_has_come_in_from_elsewhere_meanwhile_keeps_it_out(house: House, double: Double) -> None:
    submitted(house)
    double.gate = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(examined, house)
        await double.began.wait()
        house.store.add_version("ant", "2")
        double.gate.set()
    assert decided(house) == ("refused", ["manifest: passed", "full match: passed", "version: failed"])


async def test_a_package_that_is_gone_is_refused(house: House, double: Double) -> None:
    record = submitted(house)
    shutil.rmtree(house.data / "bots")
    (house.data / "packages" / f"{record.content_hash}.zip").unlink()
    await examined(house)
    assert decided(house) == ("refused", ["package: failed"])
    assert str(house.data) not in house.store.submissions()[0].findings


async def test_paths_of_the_server_are_in_no_finding(house: House, double: Double) -> None:
    record = submitted(house)
    at = (house.data / "bots" / record.content_hash).resolve()
    double.findings = [Finding("files", Verdict.FAILED, f"{at}: too many", f"{at}/lib.py: line 3")]
    await examined(house)
    assert str(house.data) not in house.store.submissions()[0].findings
    assert "lib.py: line 3" in house.store.submissions()[0].findings


async def test_what_a_bot_printed_is_kept_in_bounds_and_moves_no_cursor(house: House, double: Double) -> None:
    """Its last words become part of a finding; whoever runs the server reads them, too."""
    submitted(house)
    words = "\x1b[2J" + "x" * 500_000
    double.findings = [Finding("start-up", Verdict.FAILED, words, f"exit code 1: {words}", "", (words, words))]
    await examined(house)
    found = json.loads(house.store.submissions()[0].findings)[-1]
    assert found["what"].startswith("\ufffd[2Jxxx")
    assert all(len(text) == WORDS_MOST for text in (found["what"], found["where"], *found["printed"]))
    assert "\x1b" not in "".join((found["where"], *found["printed"]))
