"""Whenever power is lost, nothing that was acknowledged is lost, and no match is counted twice."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import trio
from gavelport_server.archive.errors import JournalError
from gavelport_server.archive.files import ReplayFolder
from gavelport_server.archive.journal import Segments
from gavelport_server.conduct.journalling import Journal
from trio._core import _run

from tests.power.disk import SimulatedDisk, SimulatedFile, Sync
from tests.power.ladder import DATA, check_all, play


@pytest.fixture(autouse=True)
def _in_one_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let trio run tasks in the same order each time."""
    monkeypatch.setattr(_run, "_r", random.Random(7))


async def test_nothing_acknowledged_is_lost(autojump_clock: trio.testing.MockClock) -> None:
    disk = SimulatedDisk()
    truth = await play(disk)
    check = await check_all(disk, truth, 240, random.Random(1))
    assert check.counts["images"] >= 240
    assert check.counts["running"] > 200
    assert check.counts["finished"] > 0


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
async def test_nothing_acknowledged_is_lost_at_any_place(seed: int, autojump_clock: trio.testing.MockClock) -> None:
    disk = SimulatedDisk()
    truth = await play(disk)
    check = await check_all(disk, truth, 4_000, random.Random(seed))
    print(dict(check.counts), f"{len(disk.operations)} operations")
    assert check.counts["images"] >= 4_000
    assert check.counts["finished"] > 40


# -- builds with a planted fault are caught


class RecordsNeverSynced(SimulatedDisk):
    """A file is synced once, which is enough for a replay and for the header of a segment."""

    def create(self, path: Path, mode: int = 0o666) -> SimulatedFile:
        file = super().create(path, mode)
        return _SyncedOnce(self, file.number)


class _SyncedOnce(SimulatedFile):
    __slots__ = ()

    def sync(self) -> None:
        if Sync(self.number) not in self.disk.operations:
            super().sync()


class NamesNeverSynced(SimulatedDisk):
    def sync_folder(self, folder: Path) -> None:
        pass


class TellsBefore(Journal):
    """Acknowledges what is on its way to the disk."""

    async def _write(self) -> None:
        calls, self._calls = self._calls, []
        for call in calls:
            call()
        await super()._write()


class NamesReplaysTooEarly(ReplayFolder):
    """Gives a replay its name before it is whole."""

    def put(self, match_id: str, stored: bytes) -> bool:
        self._disk.make_folder(self.folder)
        file = self._disk.create(self.path(match_id))
        file.write(stored)
        self._disk.sync_folder(self.folder)
        return True


@pytest.mark.parametrize(
    ("disk", "journal", "folder", "said"),
    [
        (RecordsNeverSynced, Journal, ReplayFolder, "inputs were acknowledged, and|is neither running nor counted"),
        (NamesNeverSynced, Journal, ReplayFolder, "was told, and is neither running nor counted"),
        (SimulatedDisk, TellsBefore, ReplayFolder, "inputs were acknowledged, and|is neither running nor counted"),
        (SimulatedDisk, Journal, NamesReplaysTooEarly, "its replay is not there, or not whole"),
    ],
)
async def test_a_planted_fault_is_caught(
    disk: type[SimulatedDisk],
    journal: type[Journal],
    folder: type[ReplayFolder],
    said: str,
    autojump_clock: trio.testing.MockClock,
) -> None:
    planted = disk()
    truth = await play(planted, kind=journal, folder=folder)
    with pytest.raises(AssertionError, match=said):
        await check_all(planted, truth, 240, random.Random(1))


async def test_a_segment_that_is_deleted_too_early_is_caught(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    def hasty(segments: Segments) -> None:
        segments._began.clear()
        rotate(segments)

    rotate = Segments._rotate
    disk = SimulatedDisk()
    with monkeypatch.context() as patched:
        patched.setattr(Segments, "_rotate", hasty)
        truth = await play(disk)
    with pytest.raises(
        (AssertionError, JournalError), match=r"has entries and no beginning|neither running nor counted"
    ):
        await check_all(disk, truth, 240, random.Random(1))


async def test_damage_in_the_middle_is_never_taken_for_a_torn_tail(autojump_clock: trio.testing.MockClock) -> None:
    disk = SimulatedDisk()
    await play(disk, matches=2)
    rng = random.Random(3)
    (segment, *_), last = disk.names(DATA / "journal"), disk.names(DATA / "journal")[-1]
    for name in {segment, last}:
        data = disk.read(DATA / "journal" / name)
        for _ in range(50):
            damaged = disk.copy()
            place = rng.randrange(len(data) * 3 // 4)
            damaged.files[damaged.folders[DATA / "journal"][name]][place] ^= 1 << rng.randrange(8)
            with pytest.raises(JournalError, match=name):
                Segments(DATA, disk=damaged).recover()
