"""Bots that the server runs: a process a match, the next one warm, and what becomes of those that end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import trio
from gavelport.v1 import referee_pb2 as pb
from gavelport_server.archive.replay import decode_replay
from gavelport_server.conduct.ladder import hosted_logs
from gavelport_server.conduct.ladder.hosted import IDLE_S, REST_S, START_S, most_processes
from gavelport_server.conduct.ladder.hosted_logs import HostedLogs
from gavelport_server.conduct.ladder.listing import RunningMatch
from gavelport_server.conduct.ladder.requests import HOSTED_LOST, LAUNCHER_LOST, PLAYED_AGAIN
from gavelport_server.launcher.limits import MIB, Confinement
from gavelport_server.referee.report import SeatName
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.store import VoidRecord
from gavelport_server.transport.link import StatusCode
from structlog.testing import capture_logs
from trio.testing import MockClock

from tests.ladder.hosts import SANDBOX, Hosts, played, stopped
from tests.ladder.world import Client, World, settings

CONNECTED = ("bob", "cat", "dan")


@pytest.fixture
async def hosts(tmp_path: Path, nursery: trio.Nursery) -> Hosts:
    world = World(tmp_path / "data", nursery, (settings(max_rounds=6),))
    (tmp_path / "data").mkdir()
    await world.start()
    (tmp_path / "bots").mkdir()
    hosts = Hosts(world, tmp_path / "bots")
    hosts.start()
    return hosts


async def test_each_match_has_fresh_processes_and_the_next_ones_are_warm(
    autojump_clock: MockClock, hosts: Hosts
) -> None:
    world = hosts.world
    for bot in ("ann", "bob"):
        hosts.submit(bot)
    for bot in ("cat", "dan"):
        world.connect(bot)
    await world.until(lambda: len(world.results()) >= 5)
    for result in world.results():
        assert sorted(world.bots_of(result)) == ["ann", "bob", "cat", "dan"]
        seats = " ".join(str(seat) for seat, bot in enumerate(world.bots_of(result)) if bot in ("ann", "bob"))
        assert result.sandbox == f"seats {seats}: {SANDBOX}"
    for bot in ("ann", "bob"):
        matches = [one.client.matches for one in hosts.of(bot) if one.client is not None]
        assert all(len(match_ids) <= 1 for match_ids in matches)
        assert sum(len(match_ids) for match_ids in matches) >= 5
        assert len(hosts.of(bot, running=True)) <= 2
    assert world.service.hosted_words("ann") == ""


async def test_what_it_printed_is_kept_by_match(autojump_clock: MockClock, hosts: Hosts) -> None:
    world = hosts.world
    hosts.submit("ann")
    for bot in ("bob", "cat", "dan"):
        world.connect(bot)
    await world.until(lambda: len(world.results()) >= 2)
    folder = hosts.folder / "logs" / "ann" / "1"
    names = {f"{result.match_id}.log" for result in world.results()}
    assert names <= {path.name for path in folder.iterdir()}
    assert next((folder / name).read_text() for name in names).startswith("process ")


async def test_a_new_version_takes_over_and_a_withdrawn_bot_has_no_processes(
    autojump_clock: MockClock, hosts: Hosts
) -> None:
    world = hosts.world
    hosts.submit("ann", "holds")
    for bot in ("bob", "cat", "dan"):
        world.connect(bot)
    await world.until(world.service.running)
    old = hosts.in_match("ann")
    hosts.submit("ann", version="2")
    await world.until(lambda: any(one.manifest.version == "2" for one in hosts.of("ann", running=True)))
    await trio.sleep(1)
    assert old.is_running
    assert [one for one in hosts.of("ann", running=True) if one.manifest.version == "1"] == [old]
    assert old.client is not None
    await old.client.release()
    await world.until(lambda: not old.is_running)
    await world.until(lambda: any(world.record().entrants[s.entrant].version == "2" for s in world.results()[-1].seats))
    world.store.set_status("ann", "withdrawn", "for a while")
    await world.until(lambda: not hosts.of("ann", running=True))
    world.store.set_status("ann", "active", "")
    await world.until(lambda: hosts.of("ann", running=True))


async def test_nobody_connects_as_a_hosted_version(autojump_clock: MockClock, hosts: Hosts) -> None:
    world = hosts.world
    hosts.submit("ann")
    await world.until(lambda: hosts.of("ann"))
    stranger = world.connect("ann")
    await world.until(lambda: stranger.ended)
    assert stranger.ended is not None
    assert stranger.ended[0] is StatusCode.FAILED_PRECONDITION
    assert "ann 1 was submitted, and this server runs it" in stranger.ended[1]
    practising = world.connect("ann", queue=pb.QUEUE_PRACTICE)
    await world.until(lambda: practising.ended)
    newer = world.connect("ann", "2")
    await world.until(lambda: "ann" in world.service.connected_names() and not hosts.of("ann", running=True))
    assert newer.ended is None


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("dies", "its process ended with exit code 1: ModuleNotFoundError: No module named 'planted'"),
        ("silent", f"it did not connect within {START_S:.0f} s"),
    ],
)
async def test_a_bot_that_never_comes_up_rests_and_is_not_banned(
    autojump_clock: MockClock, hosts: Hosts, how: str, why: str
) -> None:
    world = hosts.world
    hosts.submit("ann", how)
    await world.until(lambda: world.service.hosted_words("ann"))
    words = world.service.hosted_words("ann")
    said = "ann 1 gets no matches for now: its last 3 processes ended before any match; the latest: "
    assert words.startswith(f"{said}{why}")
    assert len(hosts.of("ann")) == 3
    assert [one.status for one in world.store.bots()] == ["active"]
    await trio.sleep(REST_S - 5)
    assert len(hosts.of("ann")) == 3
    hosts.how["ann"] = "plays"
    await world.until(lambda: hosts.of("ann", running=True))
    for bot in ("bob", "cat", "dan"):
        world.connect(bot)
    await world.until(played(hosts, "ann"))
    assert world.service.hosted_words("ann") == ""
    assert (hosts.folder / "logs" / "ann" / "1" / "start.log").read_text().startswith("process 3\n")


async def test_a_sandbox_that_cannot_be_made_is_no_fault_of_the_bot(autojump_clock: MockClock, hosts: Hosts) -> None:
    world = hosts.world
    hosts.submit("ann", "no sandbox")
    with capture_logs() as logs:
        await trio.sleep(4 * REST_S)
    assert 3 <= len(hosts.of("ann")) <= 5
    said = "ann 1 gets no matches for now: the server could not start it, and tries again in 60 s; that is no fault of"
    assert world.service.hosted_words("ann").startswith(said)
    assert {one["event"] for one in logs if one["log_level"] != "info"} == {"hosted_bot_not_started"}
    hosts.how["ann"] = "plays"
    await world.until(lambda: hosts.of("ann", running=True) and not world.service.hosted_words("ann"))


async def test_a_bot_that_rests_starts_ever_less_often(autojump_clock: MockClock, hosts: Hosts) -> None:
    hosts.submit("ann", "dies")
    await trio.sleep(1000)
    assert 6 <= len(hosts.of("ann")) <= 8


async def test_a_submission_that_is_gone_is_said(autojump_clock: MockClock, hosts: Hosts) -> None:
    hosts.submit("ann")
    (hosts.folder / "ann-1-c0ffee" / "bot.toml").unlink()
    await hosts.world.until(lambda: hosts.world.service.hosted_words("ann"))
    words = hosts.world.service.hosted_words("ann")
    assert "what was submitted cannot be read: " in words
    assert "bot.toml" in words
    assert str(hosts.folder) not in words
    assert hosts.made == []


async def test_a_process_that_dies_in_a_match_costs_its_seat_only_and_is_explained(
    autojump_clock: MockClock, hosts: Hosts
) -> None:
    world = hosts.world
    hosts.submit("ann", "holds")
    for bot in ("bob", "cat", "dan"):
        world.connect(bot)
    await world.until(world.service.running)
    await trio.sleep(0.1)
    hosts.how["ann"] = "plays"
    hosts.in_match("ann").die(-9, "memory", "MemoryError: too many sheep")
    await world.until(world.results)
    (first, *_) = world.results()
    ann = world.bots_of(first).index("ann")
    words = "decision 1: disconnected: its process ended with exit code -9: MemoryError: too many sheep"
    assert [seat.first_fault for seat in first.seats] == ["" if seat != ann else words for seat in range(4)]
    assert first.seats[ann].retired
    assert decode_replay(world.replays.get(first.match_id)).end.first_faults[ann] == words
    assert world.store.voids(world.record().identity) == []
    folder = hosts.folder / "logs" / "ann" / "1"
    assert (folder / f"{first.match_id}.faulty").exists()
    await world.until(lambda: len(world.results()) >= 2)


async def test_crash_loops_in_matches_lead_to_probation(autojump_clock: MockClock, hosts: Hosts) -> None:
    world = hosts.world
    hosts.submit("ann", "holds")
    for bot in ("bob", "cat", "dan"):
        world.connect(bot)
    for _ in range(3):
        await world.until(world.service.running)
        await trio.sleep(0.1)
        hosts.in_match("ann").die(1)
        await world.until(lambda: not world.service.running())
    await trio.sleep(30)
    assert len(world.results()) == 3
    words = world.service.held_back("ann")
    assert words.startswith("ann 1 rests until ")
    assert "its last 3 matches all ended with it retired; `gavelport logs ann` tells what went wrong" in words
    hosts.how["ann"] = "plays"
    await world.until(lambda: len(world.results()) > 3)


async def test_bots_take_turns_where_there_are_more_than_processes(autojump_clock: MockClock, hosts: Hosts) -> None:
    world, names = hosts.world, [f"bot{number}" for number in range(7)]
    await stopped(hosts)
    hosts.most = 4
    await world.start()
    for bot in names:
        hosts.submit(bot)
    hosts.start()
    most = 0
    for _ in range(500):
        await trio.sleep(0.1)
        most = max(most, hosts.running)
    assert most == 4
    counts = {bot: sum(bot in world.bots_of(result) for result in world.results()) for bot in names}
    assert min(counts.values()) >= 5
    assert max(counts.values()) - min(counts.values()) <= 3


async def test_a_process_that_finds_no_table_makes_room(autojump_clock: MockClock, hosts: Hosts) -> None:
    world = hosts.world
    await stopped(hosts)
    hosts.most = 1
    await world.start()
    hosts.submit("ann")
    hosts.submit("bob")
    hosts.start()
    await trio.sleep(2.5 * IDLE_S)
    assert {one.manifest.name for one in hosts.made} == {"ann", "bob"}
    assert hosts.running == 1
    assert world.service.hosted_words("ann") == world.service.hosted_words("bob") == ""


async def test_a_lost_launcher_costs_nobody_anything(autojump_clock: MockClock, hosts: Hosts) -> None:
    world = hosts.world
    hosts.submit("ann", "holds")
    hosts.submit("bob", "holds")
    for bot in ("cat", "dan"):
        world.connect(bot)
    await world.until(world.service.running)
    await trio.sleep(0.1)
    (lost,) = world.service.running()
    hosts.launcher.is_lost = True
    for one in tuple(hosts.made):
        one.die(-9, "lost")
    await world.until(lambda: not world.service.running())
    (void,) = world.store.voids(world.record().identity)
    assert (void.match_id, void.reason) == (lost.match_id, LAUNCHER_LOST)
    made = len(hosts.made)
    await trio.sleep(30)
    assert len(hosts.made) == made
    hosts.launcher.is_lost = False
    hosts.how |= {"ann": "plays", "bob": "plays"}
    await world.until(world.results)
    assert world.bots_of(world.results()[0]) == list(lost.bots)
    assert all(seat.faults == () for seat in world.results()[0].seats)


async def held_up(hosts: Hosts) -> tuple[RunningMatch, list[Client]]:
    """A match that has begun and does not go on, as its hosted bot holds it up; and the connected ones' clients."""
    world = hosts.world
    hosts.submit("ann", "holds")
    clients = [world.connect(bot) for bot in CONNECTED]
    await world.until(world.service.running)
    await trio.sleep(0.1)
    (running,) = world.service.running()
    return running, clients


async def started_again(hosts: Hosts) -> None:
    """Have the server start again, with the same bots, the hosted one now playing, until there is a result."""
    world = hosts.world
    hosts.how["ann"] = "plays"
    await world.start()
    hosts.start()
    for bot in CONNECTED:
        world.connect(bot)
    await world.until(world.results)


async def test_a_match_with_a_hosted_bot_is_played_again_after_a_crash(autojump_clock: MockClock, hosts: Hosts) -> None:
    world = hosts.world
    killed, clients = await held_up(hosts)
    await stopped(hosts)
    assert all(client.ended for client in clients)
    await started_again(hosts)
    (void,) = world.store.voids(world.record().identity)
    assert (void.match_id, void.reason) == (killed.match_id, HOSTED_LOST)
    (again, *_) = world.results()
    assert again.match_id != killed.match_id
    assert world.bots_of(again) == list(killed.bots)


@pytest.mark.parametrize("reason", sorted(PLAYED_AGAIN))
async def test_a_match_is_played_again_though_the_server_ended_before_it_kept_that(
    autojump_clock: MockClock, hosts: Hosts, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, names = hosts.world, ("ann", "bob", "cat", "dan")
    identity = world.record().identity
    await stopped(hosts)
    world.store.add_void(identity, VoidRecord("lost", reason, "2030-01-01T10:00:00+00:00", names))
    world.store.add_void(identity, VoidRecord("ended", "an admin ended it", "2030-01-01T10:00:01+00:00", names))
    hosts.submit("ann")
    for start in range(2):  # the second one finds it played again already
        await world.start()
        hosts.start()
        for bot in names[1:]:
            world.connect(bot)
        await world.until(lambda: len(world.results()) > 3 * start)  # noqa: B023 - called at once
        await stopped(hosts)
        monkeypatch.setattr(world.store, "add_rerun", pytest.fail)
    again = world.store.rerun("lost")
    assert again is not None
    assert [one.match_id for one in world.results()].count(again.again_id) == 1
    assert world.store.rerun("ended") is None


async def test_a_match_whose_end_the_store_did_not_take_is_played_again_too(
    autojump_clock: MockClock, hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = hosts.world
    lost, _ = await held_up(hosts)

    def refuse(*_: object) -> bool:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(world.store, "add_void", refuse)
        hosts.launcher.is_lost = True
        for one in tuple(hosts.made):
            one.die(-9, "lost")
        await trio.sleep(1)
        await stopped(hosts)
    assert world.store.voids(world.record().identity) == []
    hosts.launcher.is_lost = False
    await started_again(hosts)
    (void,) = world.store.voids(world.record().identity)
    assert (void.match_id, void.reason) == (lost.match_id, HOSTED_LOST)
    assert world.bots_of(world.results()[0]) == list(lost.bots)
    again = world.store.rerun(lost.match_id)
    assert again is not None
    assert again.again_id == world.results()[0].match_id


async def test_a_match_of_connected_bots_still_goes_on_after_a_crash(autojump_clock: MockClock, hosts: Hosts) -> None:
    world, names = hosts.world, ("bob", "cat", "dan", "eve")
    for bot in names:
        world.connect(bot, holds=True)
    await world.until(world.service.running)
    await trio.sleep(0.1)
    (killed,) = world.service.running()
    await stopped(hosts)
    await world.start()
    hosts.start()
    for bot in names:
        world.connect(bot)
    await world.until(world.results)
    assert world.results()[0].match_id == killed.match_id
    assert world.store.voids(world.record().identity) == []


async def test_a_stop_leaves_the_match_to_the_next_start(autojump_clock: MockClock, hosts: Hosts) -> None:
    """Not to the referee, who would play for a bot whose process the server itself has ended."""
    world = hosts.world
    hosts.submit("ann", "holds")
    for bot in ("bob", "cat", "dan"):
        world.connect(bot)
    await world.until(world.service.running)
    await stopped(hosts)
    await trio.sleep(1)
    assert hosts.running == 0
    assert world.results() == []
    assert world.store.voids(world.record().identity) == []


async def test_two_ladders_share_the_hosted_bots(
    autojump_clock: MockClock, tmp_path: Path, nursery: trio.Nursery
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "bots").mkdir()
    world = World(tmp_path / "data", nursery, (settings("one"), settings("two", seats=3)))
    await world.start()
    hosts = Hosts(world, tmp_path / "bots")
    hosts.start()
    for bot in ("ann", "bob", "cat", "dan"):
        hosts.submit(bot)
    await trio.sleep(30)
    for record in world.store.tournaments():
        if record.kind == "ladder":
            assert len(world.store.results(record.identity)) > 1


# -- logs, figures


def test_logs_of_faulty_matches_are_kept_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosted_logs, "KEPT", 3)
    monkeypatch.setattr(hosted_logs, "FAULTY_KEPT", 2)
    logs, name = HostedLogs(tmp_path), SeatName("ann", "1.0")
    for number in range(12):
        log = logs.fresh(name)
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(str(number))
        place = logs.begun(name, log, f"{number:02}")
        os.utime(place, (number, number))
        logs.over(name, f"{number:02}", was_faulty=number in (1, 4, 7))
    kept = sorted(path.name for path in (tmp_path / "ann" / "1.0").iterdir())
    assert kept == ["04.faulty", "04.log", "07.faulty", "07.log", "09.log", "10.log", "11.log"]


def test_logs_that_an_earlier_server_left_are_swept(tmp_path: Path) -> None:
    logs, name = HostedLogs(tmp_path), SeatName("ann", "1")
    log = logs.fresh(name)
    log.parent.mkdir(parents=True)
    log.write_text("warm")
    logs.begun(name, log, "m1")
    logs.fresh(name).write_text("warm")
    logs.sweep(name)
    assert [path.name for path in (tmp_path / "ann" / "1").iterdir()] == ["m1.log"]


def test_logs_of_the_last_versions_are_kept(tmp_path: Path) -> None:
    for number in range(8):
        folder = tmp_path / "ann" / f"1.{number}"
        folder.mkdir(parents=True)
        (folder / "m.log").write_text("said")
        os.utime(folder, (number, number))
    (tmp_path / "asp" / "1.0").mkdir(parents=True)
    HostedLogs(tmp_path).sweep(SeatName("ann", "1.2"))
    kept = {path.name for path in (tmp_path / "ann").iterdir()}
    assert kept == {"1.2", "1.4", "1.5", "1.6", "1.7"}
    assert (tmp_path / "asp" / "1.0").exists()


@pytest.mark.parametrize(
    ("seats", "cores", "machine", "most"),
    [(4, 2, 24_000, 8), (4, 16, 8_000, 11), (5, 1, 512, 5), (3, 64, 512_000, 256)],
)
def test_processes_by_the_machine(seats: int, cores: int, machine: int, most: int) -> None:
    assert most_processes(seats, 512 * MIB, cores=cores, machine_bytes=machine * MIB) == most


def test_what_is_kept_with_a_match() -> None:
    assert Confinement().in_words(24) == SANDBOX
    narrow = Confinement(memory_bytes=256 * MIB, processes=32, cores=1.5)
    assert narrow.in_words(24) == "24 effects hold; 256 MiB, 32 processes, 1.5 cores"
