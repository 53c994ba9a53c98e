"""What becomes of matches over restarts of the server, and of those that come to nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
from gavelport_server.archive.verify import verify_stored
from gavelport_server.conduct import match
from gavelport_server.conduct.ladder import matches as ladder_matches
from gavelport_server.referee.codes import Code
from gavelport_server.transport.link import ServiceError

from tests.ladder.world import World, held_match, settings

Clock = trio.testing.MockClock


async def test_a_match_goes_on_over_a_restart_once_its_bots_are_back(world: World, autojump_clock: Clock) -> None:
    clients = await held_match(world)
    (running,) = world.service.running()
    await world.stop()
    assert clients["b"].ends == []
    await trio.sleep(30)
    await world.start()
    again = {name: world.connect(name) for name in "abcd"}
    await world.until(lambda: all(client.ends for client in again.values()))
    assert again["a"].ends[0].match_id == running.match_id
    assert not again["a"].ends[0].is_void
    first = world.results()[0]
    assert first.match_id == running.match_id
    assert all(seat.faults == () for seat in first.seats)  # nobody was charged the outage
    verify_stored(world.replays.get(first.match_id))
    await world.until(lambda: len(world.results()) >= 3)


async def test_a_match_whose_ladder_is_gone_waits_until_it_is_back(world: World, autojump_clock: Clock) -> None:
    await held_match(world)
    (running,) = world.service.running()
    await world.stop()
    main, world.ladders = world.ladders, (settings("other"),)
    for _ in range(2):
        await world.start()
        (told,) = world.service.notices
        assert told.startswith("the journal keeps interrupted matches (1) of the ladder main")
        assert world.service.problem == ""
        await world.stop()
    world.ladders = main
    await world.start()
    assert world.service.notices == []
    assert [one.match_id for one in world.service.running()] == [running.match_id]


async def test_a_match_whose_bots_do_not_come_back_is_void_and_they_are_paired_anew(
    tmp_path: Path, nursery: trio.Nursery, autojump_clock: Clock
) -> None:
    world = World(tmp_path, nursery, grace_s=10)
    await world.start()
    await held_match(world)
    (running,) = world.service.running()
    await world.stop()
    await world.start()
    again = {name: world.connect(name) for name in "bcde"}
    await world.until(lambda: world.store.voids(world.record().identity))
    (void,) = world.store.voids(world.record().identity)
    assert void.match_id == running.match_id
    assert void.reason == "not all bots came back within 10 s"
    await world.until(lambda: again["b"].ends)
    assert running.match_id not in {result.match_id for result in world.results()}


async def test_an_admin_voids_a_running_match_and_has_it_played_again(world: World, autojump_clock: Clock) -> None:
    clients = await held_match(world)
    (running,) = world.service.running()
    assert world.service.requests.void_running(running.match_id, "the wrong clock")
    await world.until(lambda: clients["b"].ends)
    assert clients["b"].ends[0].is_void
    notice = clients["b"].notices[0]
    assert (notice.code, notice.match_id) == (Code.VOIDED, running.match_id)
    assert "the wrong clock" in notice.sentence
    assert not world.service.requests.void_running(running.match_id, "again")
    clients["a"].holds = False
    again = world.service.requests.rerun(running.match_id)
    with pytest.raises(ServiceError, match="only once"):
        world.service.requests.rerun(running.match_id)
    await world.until(lambda: again in {result.match_id for result in world.results()})
    starts = {start.match_id: start for start in clients["b"].messages("match_start")}
    assert list(starts[again].seats) == list(starts[running.match_id].seats)
    assert starts[again].commitment != starts[running.match_id].commitment
    (void,) = world.store.voids(world.record().identity)
    assert (void.match_id, void.reason) == (running.match_id, "the wrong clock")


async def test_what_is_to_be_played_again_is_so_over_restarts(world: World, autojump_clock: Clock) -> None:
    await held_match(world)
    (running,) = world.service.running()
    world.service.requests.void_running(running.match_id, "why not")
    await world.until(lambda: world.store.voids(world.record().identity))
    await world.stop()
    await world.start()
    again = world.service.requests.rerun(running.match_id)
    await world.service.requests.save()
    for _ in range(2):
        await world.stop()
        await world.start()
        assert world.service.running() == []
    clients = {name: world.connect(name, holds=name == "d") for name in "abcd"}
    await world.until(lambda: clients["d"].held)
    assert [one.match_id for one in world.service.running()] == [again]
    await world.stop()
    await world.start()  # now it is in the journal, and not to be begun anew
    clients = {name: world.connect(name) for name in "abcd"}
    await world.until(lambda: again in {result.match_id for result in world.results()})
    first = next(result for result in world.results() if result.match_id == again)
    assert world.bots_of(first) == list(running.bots)
    await world.until(lambda: len(world.results()) >= 3)
    assert [result.match_id for result in world.results()].count(again) == 1
    with pytest.raises(ServiceError, match="not known to be void"):
        world.service.requests.rerun("unknown")


async def test_a_rerun_keeps_its_bots_free_until_all_are(world: World, autojump_clock: Clock) -> None:
    clients = await held_match(world)
    (running,) = world.service.running()
    world.service.requests.void_running(running.match_id, "why not")
    clients["a"].client.cancel()
    others = [world.connect(name) for name in "ef"]
    again = world.service.requests.rerun(running.match_id)
    await world.until(lambda: len(world.results()) >= 3)  # without `a` the others do not wait for it
    world.connect("a")
    await world.until(lambda: again in {result.match_id for result in world.results()}, within_s=30)
    assert all(other.ends for other in others)


async def test_a_fault_of_the_server_voids_the_match_and_the_ladder_rests_a_little(
    world: World, autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = match.conduct_match
    broken: list[float] = []

    async def failing(*args: Any, **fields: Any) -> Any:
        if len(broken) < 3:
            broken.append(trio.current_time())
            raise match.MatchVoid("match", "a fault of the server")
        return await real(*args, **fields)

    monkeypatch.setattr(ladder_matches, "conduct_match", failing)
    for name in "abcd":
        world.connect(name)
    await world.until(world.results)
    assert broken[1] - broken[0] >= ladder_matches.VOID_PAUSE_S
    assert len(world.store.voids(world.record().identity)) == 3
