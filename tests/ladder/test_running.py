"""What happens to matches: pause, drain, practice, challenges, a store that fails, spectators."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from gavelport.v1 import referee_pb2 as pb
from gavelport_engine.game import SPECTATOR
from gavelport_server.conduct.ladder import matches as ladder_matches
from gavelport_server.conduct.ladder.spectate import Over, Shown
from gavelport_server.referee.codes import Code
from gavelport_server.storage.errors import FencedError
from gavelport_server.transport.link import ServiceError, StatusCode

from tests.ladder.world import World, held_match, inline, settings

Clock = trio.testing.MockClock


# -- pause, drain


async def test_paused_no_match_begins_and_running_ones_go_on(world: World, autojump_clock: Clock) -> None:
    clients = await held_match(world)
    world.service.pause(is_paused=True)
    await clients["a"].release()
    await world.until(lambda: len(world.results()) == 1)
    await trio.sleep(60)
    assert len(world.results()) == 1
    assert not world.service.may_pair
    world.service.pause(is_paused=False)
    await world.until(lambda: len(world.results()) >= 3)


async def test_a_drain_waits_for_the_end_of_what_runs_and_tells_the_bots(world: World, autojump_clock: Clock) -> None:
    clients = await held_match(world)
    done: list[bool] = []

    async def drain() -> None:
        done.append(await world.service.drain(60))

    world.nursery.start_soon(drain)
    await trio.sleep(1)
    notice = clients["b"].notices[-1]
    assert (notice.kind, notice.code) == (pb.NOTICE_KIND_DRAINING, Code.DRAINING)
    assert done == []
    await clients["a"].release()
    await world.until(lambda: done)
    assert done == [True]
    assert len(world.results()) == 1
    assert world.service.running() == []


async def test_a_drain_ends_at_its_limit(world: World, autojump_clock: Clock) -> None:
    await held_match(world)
    assert await world.service.drain(1.0) is False
    assert len(world.service.running()) == 1


# -- practice, challenges


async def test_bots_that_practise_are_not_rated_and_meet_whoever_they_like(world: World, autojump_clock: Clock) -> None:
    for name in "abcd":
        world.register(name, "ann")
    clients = [world.connect(name, "9", queue=pb.QUEUE_PRACTICE) for name in "abcd"]
    await world.until(lambda: len(world.results("practice")) >= 3)
    assert world.results() == []
    assert all(standing.elo == 1500.0 for standing in world.store.standings(world.record("practice").identity))
    assert [list(world.store.versions(name)) for name in "abcd"] == [[], [], [], []]
    assert clients[0].ends[0].reveal.seed


async def test_practice_is_filled_by_free_bots_the_house_first(world: World, autojump_clock: Clock) -> None:
    for name in ("h1", "h2"):
        world.register(name, "house", is_house=True)
    for name in ("h1", "h2", "x"):
        world.connect(name)
    practising = world.connect("p", queue=pb.QUEUE_PRACTICE)
    await world.until(lambda: practising.ends)
    assert {seat.bot for seat in practising.messages("match_start")[0].seats} == {"p", "h1", "h2", "x"}


async def test_practice_beside_the_rated_version_of_the_same_bot(world: World, autojump_clock: Clock) -> None:
    rated = {name: world.connect(name, "1") for name in "abcde"}
    practising = world.connect("a", "2", queue=pb.QUEUE_PRACTICE)
    await world.until(lambda: practising.ends)
    await world.until(lambda: len(rated["a"].ends) >= 3)
    for start in practising.messages("match_start"):
        assert [seat.version for seat in start.seats if seat.bot == "a"] == ["2"]
    assert world.service.playing_version("a") == "1"


async def test_a_challenge_names_opponents_and_is_not_rated(world: World, autojump_clock: Clock) -> None:
    world.service.pause(is_paused=True)
    clients = {name: world.connect(name) for name in "abcdef"}
    await world.until(lambda: len(world.service.connected()) == 6)
    match_id = world.service.requests.challenge("a", ["f", "e"], "main")
    await world.until(lambda: world.results("practice"))
    (result,) = world.results("practice")
    assert result.match_id == match_id
    assert {"a", "e", "f"} < set(world.bots_of(result, "practice"))
    assert world.results() == []
    assert clients["f"].matches == [match_id]


async def refused(world: World, bot: str, opponents: list[str], ladder: str = "main") -> tuple[StatusCode, str]:
    with pytest.raises(ServiceError) as raised:
        world.service.requests.challenge(bot, opponents, ladder)
    return raised.value.code, raised.value.text


async def test_why_a_challenge_is_refused(world: World, autojump_clock: Clock) -> None:
    clients = await held_match(world)
    world.register("idle")
    world.register("gone")
    world.store.set_status("gone", "withdrawn", "")
    await world.service.refresh()
    e = world.connect("e")
    await world.until(lambda: len(world.service.connected()) == 5)
    assert await refused(world, "e", ["f"]) == (StatusCode.NOT_FOUND, "there is no bot 'f'")
    assert await refused(world, "e", [], "x") == (StatusCode.NOT_FOUND, "there is no ladder 'x'; there are: main")
    assert await refused(world, "e", ["idle"]) == (StatusCode.FAILED_PRECONDITION, "idle is not connected")
    assert "gone is withdrawn" in (await refused(world, "e", ["gone"]))[1]
    assert await refused(world, "e", ["a"]) == (
        StatusCode.FAILED_PRECONDITION,
        "a is at its matches; try again later",
    )
    assert (await refused(world, "e", ["e"]))[0] is StatusCode.INVALID_ARGUMENT
    assert (await refused(world, "e", ["a", "b", "c", "d"]))[0] is StatusCode.INVALID_ARGUMENT
    assert "cannot be filled" in (await refused(world, "e", []))[1]
    assert e.matches == []
    assert clients["a"].ends == []


async def test_a_bot_has_so_many_challenges_a_day(world: World, autojump_clock: Clock) -> None:
    world.service.pause(is_paused=True)
    for name in "abcd":
        world.connect(name, max_matches=1000)
    await world.until(lambda: len(world.service.connected()) == 4)
    for _ in range(100):
        world.service.requests.challenge("a", ["b"], "main")
    code, text = await refused(world, "a", ["b"])
    assert code is StatusCode.RESOURCE_EXHAUSTED
    assert "try again in 864 s" in text
    world.service.requests.challenge("b", ["a"], "main")
    await world.until(lambda: len(world.results("practice")) == 101)


# -- a store that fails


async def test_a_store_that_fails_stops_pairing_and_loses_nothing(world: World, autojump_clock: Clock) -> None:
    clients = await held_match(world)
    world.store.fails = True
    await clients["a"].release()
    await world.until(lambda: clients["a"].ends)
    await trio.sleep(120)
    assert world.results() == []
    assert len(clients["a"].ends) == 1
    assert world.service.problem == "the database is out of reach; check that it runs"
    assert not world.service.may_pair
    world.store.fails = False
    await world.until(lambda: len(world.results()) >= 5)
    assert world.results()[0].match_id == clients["a"].ends[0].match_id
    assert world.service.problem == ""
    ids = {end.match_id for end in clients["a"].ends}
    await world.until(lambda: ids <= {result.match_id for result in world.results()})


async def test_a_store_that_is_slow_keeps_nobody_who_plays_waiting(
    tmp_path: Path, nursery: trio.Nursery, autojump_clock: Clock
) -> None:
    keeping: list[int] = [0]

    async def slow(call: Callable[..., Any], *args: Any) -> Any:
        if call.__name__ != "keep":
            return await inline(call, *args)
        keeping.append(keeping[-1] + 1)
        await trio.sleep(20)  # a database that another process has locked
        keeping.append(keeping[-1] - 1)
        return await inline(call, *args)

    world = World(tmp_path, nursery, in_worker=slow)
    await world.start()
    clients = [world.connect(f"bot{number}") for number in range(24)]
    await world.until(lambda: sum(len(client.ends) for client in clients) >= 24 * 3)
    assert max(keeping) == ladder_matches.KEPT_AT_ONCE  # so many worker threads and no more; the journal needs one
    world.service.pause(is_paused=True)
    await world.until(lambda: not world.service.running() and keeping[-1] == 0 and len(world.results()) >= 18)
    assert all(not seat.faults for result in world.results() for seat in result.seats)


async def test_a_match_that_was_over_when_the_server_died_is_counted_at_the_next_start(
    world: World, autojump_clock: Clock
) -> None:
    clients = await held_match(world)
    world.store.fails = True
    await clients["a"].release()
    await world.until(lambda: clients["a"].ends)
    await world.stop()
    assert world.results() == []
    world.store.fails = False
    await world.start()
    await world.until(world.results)
    (result,) = world.results()
    assert result.match_id == clients["a"].ends[0].match_id
    assert [seat.rank for seat in result.seats] == list(clients["a"].ends[0].ranks)
    await world.stop()
    await world.start()
    await trio.sleep(5)
    assert len(world.results()) == 1


async def test_fenced_by_another_server_it_ends(tmp_path: Path, nursery: trio.Nursery, autojump_clock: Clock) -> None:
    world = World(tmp_path, nursery)
    ended: list[BaseException] = []

    async def run() -> None:
        try:
            async with trio.open_nursery() as inner:
                world.nursery = inner
                await world.start()
                for name in "abcd":
                    world.connect(name)
        except* FencedError as group:
            ended.extend(group.exceptions)

    nursery.start_soon(run)
    await trio.sleep(10)
    world.store.fence()
    await world.until(lambda: ended)
    assert ended


# -- spectators


async def test_spectators_see_what_is_public_from_the_present_on(
    tmp_path: Path, nursery: trio.Nursery, autojump_clock: Clock
) -> None:
    world = World(tmp_path, nursery, (settings(max_rounds=6),))
    await world.start()
    clients = await held_match(world)
    (running,) = world.service.running()
    assert world.service.spectate("unknown") is None
    feed = world.service.spectate(running.match_id)
    assert feed is not None
    assert feed is world.service.spectate(running.match_id)
    seen: list[Shown | Over] = []
    failing: list[Shown | Over] = []

    def fail(shown: Shown | Over) -> None:
        failing.append(shown)
        raise RuntimeError("a spectator that cannot be told")

    present = feed.attach(seen.append)
    feed.attach(fail)
    assert present.decisions == running.decisions
    assert present.observation.viewer is SPECTATOR
    await clients["a"].release()
    await world.until(world.results)
    *shown, over = seen
    assert isinstance(over, Over)
    assert over.outcome is not None
    assert over.outcome.ranks == tuple(clients["a"].ends[0].ranks)
    counts = [one.decisions for one in shown if isinstance(one, Shown)]
    assert counts == sorted(set(counts))
    assert len(counts) == len(shown)
    assert counts[-1] == sum(seat.decisions for seat in world.results()[0].seats)
    assert all(isinstance(one, Shown) and one.observation.viewer is SPECTATOR for one in shown)
    assert len(failing) == 1
    assert world.service.spectate(running.match_id) is None


# -- what there is to see


async def test_what_the_desks_are_shown(world: World, autojump_clock: Clock) -> None:
    clients = await held_match(world)
    world.connect("e")
    world.connect("f", "7", queue=pb.QUEUE_PRACTICE)
    await world.until(lambda: len(world.service.connected()) == 6)
    (running,) = world.service.running("main")
    assert world.service.running("other") == []
    assert running.is_rated
    assert running.bots == tuple(seat.bot for seat in clients["a"].messages("match_start")[0].seats)
    found = {(one.bot, one.version, one.is_practice, one.matches) for one in world.service.connected()}
    assert {("a", "1", False, 1), ("e", "1", False, 0), ("f", "7", True, 0)} <= found
    (queue,) = world.service.queues()
    assert (queue.ladder, queue.waiting, queue.practising, queue.running) == ("main", ("e",), ("f",), 1)
    await world.until(lambda: world.store.bots()[0].last_seen_at, within_s=200)
