"""A small ladder on a simulated disk, and what must be true of whatever a loss of power leaves of it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import trio
from gavelport_server.archive.files import ReplayFolder
from gavelport_server.archive.journal_entries import PastInput, input_of
from gavelport_server.archive.replay import encode_replay
from gavelport_server.conduct.hub import Hub
from gavelport_server.conduct.journalling import Journal, MatchJournal, finish_match
from gavelport_server.conduct.match import conduct_match
from gavelport_server.referee.report import MatchReport, SeatName
from gavelport_server.transport.memory import MemoryTransport

from tests.conduct.bots import match_setup
from tests.conduct.ladder import Player, aside, entry_of
from tests.power.disk import Images, Mark, Operation, SimulatedDisk

DATA = Path("/data")
SEATS = 3
SEGMENT_BYTES = 6_000
"""Small, so that segments come and go."""


@dataclass(slots=True)
class Truth:
    """What really happened, by match id."""

    inputs: dict[str, list[PastInput]] = field(default_factory=dict)
    reports: dict[str, MatchReport] = field(default_factory=dict)
    replays: dict[str, bytes] = field(default_factory=dict)


class _Spy:
    """A match's log that notes what was told, and when: that what follows from so many inputs may be known."""

    def __init__(self, log: MatchJournal, disk: SimulatedDisk, truth: Truth) -> None:
        self._log = log
        self._disk = disk
        self._match = log.entry.setup.match_id
        self._inputs = truth.inputs.setdefault(self._match, [])
        self.when_broken = log.when_broken

    def put(self, entry: bytes) -> None:
        self._inputs.append(input_of(entry))
        self._log.put(entry)

    def when_synced(self, call: Callable[[], None]) -> None:
        number = len(self._inputs)

        def tell() -> None:
            self._disk.operations.append(Mark("told", self._match, number))
            call()

        self._log.when_synced(tell)


async def play(
    disk: SimulatedDisk, matches: int = 6, kind: type[Journal] = Journal, folder: type[ReplayFolder] = ReplayFolder
) -> Truth:
    """Play matches, up to three at a time, and note everything among the disk's operations."""
    truth = Truth()
    journal = kind(DATA, disk=disk, in_worker=aside)
    journal._segments._segment_bytes = SEGMENT_BYTES
    replays = folder(DATA, disk=disk)
    hub = Hub()
    transport = MemoryTransport(hub)
    sessions = [hub.admit(f"token-{number}", SeatName(f"bot{number}", "1")) for number in range(SEATS)]
    limit = trio.CapacityLimiter(3)

    def count(report: MatchReport, stored: bytes) -> None:
        disk.operations.append(Mark("counted", report.setup.match_id))

    async def match(number: int) -> None:
        setup = match_setup(SEATS, f"m{number}", max_rounds=3 + number)
        async with limit:
            log = journal.enter(entry_of(setup))
            report = await conduct_match(setup, sessions, reveal=True, log=_Spy(log, disk, truth))
            truth.reports[setup.match_id] = report
            truth.replays[setup.match_id] = encode_replay(report, bytes(16))
            await finish_match(report, log, replays=replays, count=count)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(journal.run)
        for number in range(SEATS):
            client = transport.connect({"authorization": f"Bearer token-{number}"})
            nursery.start_soon(Player(max_matches=3).play, client)
        for session in sessions:
            await session.wait_connected()
        async with trio.open_nursery() as running:
            for number in range(matches):
                running.start_soon(match, number)
        await journal.synced()
        nursery.cancel_scope.cancel()
    return truth


class Check:
    """Recovers from a disk after a loss of power, and compares with the truth."""

    def __init__(self, truth: Truth) -> None:
        self._truth = truth
        self.counts: Counter[str] = Counter()

    async def image(self, disk: SimulatedDisk, before: Sequence[Operation]) -> None:
        """Recover, and finish what is finished.

        `before` are the operations before the loss of power. Raises AssertionError for a promise that is broken.
        """
        told: dict[str, int] = {}
        counted: list[str] = []
        for mark in before:
            if isinstance(mark, Mark):
                if mark.kind == "told":
                    told[mark.match] = max(told.get(mark.match, 0), mark.value)
                elif mark.match not in counted:  # the store counts a match id once
                    counted.append(mark.match)
        journal = Journal(DATA, disk=disk, in_worker=aside)
        unfinished = {each.log.entry.setup.match_id: each for each in journal.unfinished()}
        assert len(unfinished) == len(journal._held), "a match is there twice"
        replays = ReplayFolder(DATA, disk=disk)
        for match, number in told.items():
            if match in unfinished:
                past = list(unfinished[match].past)
                assert len(past) >= number, f"{match}: {number} inputs were acknowledged, and {len(past)} are left"
                assert past == self._truth.inputs[match][: len(past)]
            else:
                assert match in counted, f"{match} was told, and is neither running nor counted"
        for match in counted:
            name = replays.path(match).name
            is_there = name in disk.names(replays.folder)
            whole = is_there and disk.read(replays.path(match)) == self._truth.replays[match]
            assert whole, f"{match} is counted, and its replay is not there, or not whole"
        for match, each in unfinished.items():
            assert each.void_reason in ("", "it had not begun")
            assert (each.report is not None) == (each.past == tuple(self._truth.inputs[match]) and bool(each.past))
            self.counts["running" if each.report is None else "finished"] += 1
            if each.report is not None:
                await self._finish(journal, each.log, each.report, disk, counted)
        self.counts["images"] += 1
        assert len(counted) == len(set(counted))

    async def _finish(
        self, journal: Journal, log: MatchJournal, report: MatchReport, disk: SimulatedDisk, counted: list[str]
    ) -> None:
        match = report.setup.match_id

        def count(report: MatchReport, stored: bytes) -> None:
            assert stored == self._truth.replays[match]
            if match not in counted:
                disk.operations.append(Mark("counted", match))
                counted.append(match)

        assert report == self._truth.reports[match]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(journal.run)
            await finish_match(report, log, replays=ReplayFolder(DATA, disk=disk), count=count)
            await journal.synced()
            nursery.cancel_scope.cancel()


async def check_all(disk: SimulatedDisk, truth: Truth, most: int, rng: random.Random) -> Check:
    """Check so many images, spread over all places at which power may be lost.

    Of each place: all that was written, only what was synced, the last write torn at some sizes, and random choices.
    """
    check = Check(truth)
    operations = disk.operations
    images = Images(operations)
    each = 8
    places = sorted(rng.sample(range(len(operations) + 1), min(len(operations) + 1, most // each)))
    for place in places:
        images.go_to(place)
        before = operations[:place]
        found = [images.all(), images.least()]
        found += [image for size in (0, 1, 11, 20, 29, 200) if (image := images.torn(size)) is not None][:3]
        found += [images.some(rng) for _ in range(each - len(found))]
        for image in found:
            start = image.copy()
            await check.image(image, before)
            if rng.random() < 0.1:  # and power is lost again while it recovers
                again = Images(image.operations, start)
                done = rng.randrange(len(image.operations) + 1)
                again.go_to(done)
                await check.image(again.some(rng), [*before, *image.operations[:done]])
    return check
