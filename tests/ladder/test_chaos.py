"""All at once: bots that come, go, fall silent and change; a store that fails; restarts; admins. Nothing is lost.

One seed draws what is done and when; ids of matches, and with them the bots' answers, are new each time.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import trio
from gavelport.v1 import referee_pb2 as pb
from gavelport_server.archive.verify import verify_stored
from gavelport_server.ratings.elo import LadderTable
from gavelport_server.storage.store import Result
from gavelport_server.transport.link import ServiceError

from tests.ladder.world import Client, World, settings

OWNERS = {"a": "ann", "b": "ann", "c": "cat", "d": "dan", "e": "eve", "f": "fay", "g": "gil"}


class Chaos:
    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.rng = random.Random(seed)
        self.clients: dict[str, Client] = {}
        self.all: list[Client] = []
        self.versions = dict.fromkeys(OWNERS, 1)
        self.done: Counter[str] = Counter()
        self.doings = [
            self.come, self.come, self.go, self.fall_silent, self.answer_again, self.answer_again, self.new_version,
            self.practise, self.withdraw, self.reinstate, self.fail, self.recover, self.recover, self.restart,
            self.void, self.challenge, self.revoke,
        ]  # fmt: skip

    async def run(self, steps: int) -> None:
        for bot, owner in OWNERS.items():
            self.world.register(bot, owner)
        for bot in OWNERS:
            self.connect(bot)
        for _ in range(steps):
            await trio.sleep(self.rng.choice([0.1, 0.5, 2.0, 8.0]))
            doing = self.rng.choice(self.doings)
            self.done[doing.__name__] += 1
            await doing()
        self.world.store.fails = False
        for client in self.clients.values():
            await client.release()
        assert await self.world.service.drain(600)

    def connect(self, bot: str, queue: pb.Queue.ValueType = pb.QUEUE_RATED) -> None:
        client = self.world.connect(bot, str(self.versions[bot]), queue=queue)
        self.clients[bot] = client
        self.all.append(client)

    def some(self) -> str:
        return self.rng.choice(sorted(OWNERS))

    async def come(self) -> None:
        self.connect(self.some())

    async def go(self) -> None:
        self.clients[self.some()].client.cancel()

    async def fall_silent(self) -> None:
        self.clients[self.some()].holds = True

    async def answer_again(self) -> None:
        await self.clients[self.some()].release()

    async def new_version(self) -> None:
        bot = self.some()
        self.versions[bot] += 1
        self.connect(bot)

    async def practise(self) -> None:
        self.connect(self.some(), pb.QUEUE_PRACTICE)

    async def withdraw(self) -> None:
        self.world.store.set_status(self.some(), "withdrawn", "for now")

    async def reinstate(self) -> None:
        for bot in OWNERS:
            self.world.store.set_status(bot, "active", "")

    async def fail(self) -> None:
        self.world.store.fails = True

    async def recover(self) -> None:
        self.world.store.fails = False

    async def restart(self) -> None:
        self.world.store.fails = False  # it would not start without one
        await self.world.stop()
        await trio.sleep(self.rng.choice([0.0, 30.0]))
        await self.world.start()
        for bot in OWNERS:
            if self.rng.random() < 0.8:
                self.connect(bot)

    async def void(self) -> None:
        running = self.world.service.running()
        if running:
            match_id = self.rng.choice(running).match_id
            self.world.service.requests.void_running(match_id, "chaos")
            if self.rng.random() < 0.5:
                self.world.service.requests.rerun(match_id)

    async def challenge(self) -> None:
        try:
            self.world.service.requests.challenge(self.some(), [self.some()], "main")
        except ServiceError:
            self.done["refused"] += 1

    async def revoke(self) -> None:
        self.world.hub.revoke(f"token of {self.some()}")


def problems(world: World, clients: list[Client]) -> list[str]:
    """What is wrong with all that was told and kept."""
    found: list[str] = []
    counted: dict[str, Result] = {}
    for kind in ("ladder", "practice"):
        results = world.results(kind)
        if [result.number for result in results] != list(range(len(results))):
            found.append(f"the numbers of {kind} have gaps")
        for result in results:
            if result.match_id in counted:
                found.append(f"{result.match_id} is counted twice")
            counted[result.match_id] = result
            bots = world.bots_of(result, kind)
            owners = [OWNERS[bot] for bot in bots]
            if len(set(bots)) < len(bots) or (kind == "ladder" and len(set(owners)) < len(owners)):
                found.append(f"{result.match_id} has a table of {bots}")
            replay, _ = verify_stored(world.replays.get(result.match_id))
            if list(replay.end.ranks) != [seat.rank for seat in result.seats]:
                found.append(f"{result.match_id} has another result in its replay")
    if set(world.replays.list()) != set(counted):
        found.append("replays and results do not go in pairs")
    void = {one.match_id for kind in ("ladder", "practice") for one in world.store.voids(world.record(kind).identity)}
    if void & set(counted):
        found.append("a void match is counted")
    for client in clients:
        for end in client.ends:
            if end.is_void == (end.match_id in counted):
                found.append(f"{end.match_id} was told void={end.is_void} and is counted={not end.is_void}")
            if not end.is_void and end.match_id in counted:
                ranks = [seat.rank for seat in counted[end.match_id].seats]
                if ranks != list(end.ranks):
                    found.append(f"{end.match_id} was told another end than is counted")
        if unsettled := set(client.matches) - set(counted) - void:
            found.append(f"{unsettled} came to nothing, and nobody knows")
    record = world.record()
    table = LadderTable(entrant.bot for entrant in record.entrants)
    for result in world.results():
        table.count([seat.entrant for seat in result.seats], [seat.rank for seat in result.seats])
    stored = [(one.elo, one.matches) for one in world.store.standings(record.identity)]
    if stored != [(one.elo, one.matches) for one in table.rated]:
        found.append("the ratings are not what the results make")
    return found


async def chaos(tmp_path: Path, nursery: trio.Nursery, seed: int, steps: int) -> tuple[World, Chaos]:
    world = World(tmp_path, nursery, (replace(settings(), bot_per_hour=15),), seed=seed, grace_s=20)
    await world.start()
    made = Chaos(world, seed)
    await made.run(steps)
    return world, made


@pytest.mark.parametrize("seed", range(3))
async def test_nothing_is_lost_and_nothing_counted_twice(
    seed: int, tmp_path: Path, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    world, made = await chaos(tmp_path, nursery, seed, steps=50)
    assert problems(world, made.all) == []
    assert len(world.results()) > 5
    nursery.cancel_scope.cancel()


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 120))
async def test_nothing_is_lost_however_it_comes(
    seed: int, tmp_path: Path, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    world, made = await chaos(tmp_path, nursery, seed, steps=150)
    assert problems(world, made.all) == []
    nursery.cancel_scope.cancel()


async def test_a_lost_result_would_be_seen(
    tmp_path: Path, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    world, made = await chaos(tmp_path, nursery, 1, steps=30)
    kept = world.store._kept[world.record().identity]
    lost = kept.results.pop(max(kept.results))
    assert any(lost.match_id in problem for problem in problems(world, made.all))
    assert "the ratings are not what the results make" in problems(world, made.all)
    nursery.cancel_scope.cancel()
