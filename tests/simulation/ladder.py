"""A whole little ladder under a virtual clock, with faults drawn from a seed: `python -m tests.simulation.ladder`.

Hub, journal, matches, pairing and rating are the real ones; the network is in memory, disks take a drawn time, and
chance is the seed's, trio's order of tasks included. Bots lose their streams, answer late, wrongly or not at all, come
back, come as newer versions; the store fails for a while; the server is killed and started again. Then all faults end,
every bot must get its matches, the ladder drains, and what was promised is looked at (`promises.py`).
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import os
import random
import secrets
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest import mock

import structlog
import trio
import trio.testing
from gavelport.v1 import referee_pb2 as pb
from gavelport_server.storage.errors import StoreError
from gavelport_server.transport.link import LostReason, StatusCode
from gavelport_server.transport.memory import MemoryClient, Status, StreamEnded
from trio._core import _run as trio_run

from tests.ladder import world
from tests.ladder.world import World, settings
from tests.simulation.promises import broken, wrong_ratings
from tests.simulation.scripted import ScriptedBot

BOTS = "abcdef"
TROUBLE_S = 45.0
CALM_S = 75.0
"""After the faults are over, for every bot to be seated again: bots on probation rest for a minute."""
LONG_MATCHES = 10
"""Every so many seeds play whole matches, with auctions; the others have a round each, and many more matches."""
SYNC_S, SLOW_SYNC_S = 0.02, 1.0
"""The longest that disk or store take, usually and in every third simulation."""
SHM = Path("/dev/shm")


class SimulationFailed(AssertionError):  # noqa: N818 - reads as what it says
    """A promise was not kept; the text says which, with the seed."""


@dataclass
class Habits:
    """How likely what is, for one simulation; drawn from its seed."""

    cut: float
    bad: float
    late: float
    silent: float
    crashes: int
    store_fails: int
    newer: bool

    @classmethod
    def drawn(cls, rng: random.Random) -> Habits:
        return cls(
            cut=rng.choice((0.0, 0.002, 0.02)),
            bad=rng.choice((0.0, 0.01, 0.05)),
            late=rng.choice((0.0, 0.005)),
            silent=rng.choice((0.0, 0.003)),
            crashes=rng.choice((0, 1, 1, 2, 3)),
            store_fails=rng.choice((0, 0, 1)),
            newer=rng.random() < 0.3,
        )


@dataclass
class Simulation:
    """One simulation, and what came of it."""

    seed: int
    done: Counter[str] = field(default_factory=Counter)
    digest: str = ""

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.habits = Habits.drawn(self.rng)
        self.bots = {name: ScriptedBot() for name in BOTS}
        self.earlier: list[ScriptedBot] = []
        self.is_calm = False
        self.is_long = self.seed % LONG_MATCHES == 0
        self.is_up = trio.Event()

    async def run(self, data: Path) -> None:
        """Play it. Raises SimulationFailed."""
        async with trio.open_nursery() as nursery:
            rounds = 12 if self.is_long else 1
            self.world = World(data, nursery, (settings(max_rounds=rounds),), seed=self.seed, grace_s=20.0)
            for name in BOTS:
                self.world.register(name)
            await self.world.start()
            self.is_up.set()
            for name in BOTS:
                nursery.start_soon(self._live, name, self.bots[name])
            async with trio.open_nursery() as trouble:
                for _ in range(self.habits.crashes):
                    trouble.start_soon(self._crash)
                for _ in range(self.habits.store_fails):
                    trouble.start_soon(self._fail_store)
                if self.habits.newer:
                    trouble.start_soon(self._renew, nursery)
                await trio.sleep(TROUBLE_S)
            self.is_calm = True
            await trio.sleep(15)
            before = self._played()
            await trio.sleep(CALM_S)
            after = self._played()
            with trio.move_on_after(120) as drained:
                await self.world.service.drain()
            await trio.sleep(5)  # for the last ends to be told
            nursery.cancel_scope.cancel()
        problems = list(self._problems())
        problems += [f"bot {name} is not seated any more" for name in BOTS if after[name] == before[name]]
        if drained.cancelled_caught:
            problems.append(f"the ladder does not drain: {self.world.service.running()}")
        if problems:
            raise SimulationFailed(f"seed {self.seed}: {'; '.join(problems[:5])}")
        self.digest = self._digest()

    # -- bots

    async def _live(self, name: str, bot: ScriptedBot) -> None:
        """One bot: connected as long as its luck lasts, and then again, until a newer version takes its place."""
        rng = random.Random(f"{self.seed} {name} {bot.version}")
        while True:
            await self.is_up.wait()
            client = self.world.transport.connect({"authorization": f"Bearer {name}"})
            status = await self._play(bot, client, rng)
            self.done[status.code.name] += 1
            if status.code is StatusCode.INTERNAL:
                raise SimulationFailed(f"seed {self.seed}: {status.text}")
            if bot is not self.bots[name] and status.code in (StatusCode.OK, StatusCode.FAILED_PRECONDITION):
                return
            await trio.sleep(0.5 + 5 * rng.random())

    async def _play(self, bot: ScriptedBot, client: MemoryClient, rng: random.Random) -> Status:
        """Play on one stream; return how it ended."""
        async with trio.open_nursery() as answers:
            try:
                await client.send(bot.hello())
                while True:
                    answer = bot.received(await client.receive())
                    if answer is not None:
                        await self._think(bot, client, answer, rng, answers)
            except StreamEnded as ended:
                answers.cancel_scope.cancel()
                return ended.status

    async def _think(
        self, bot: ScriptedBot, client: MemoryClient, answer: bytes, rng: random.Random, answers: trio.Nursery
    ) -> None:
        habits, delay = self.habits, (0.2 if self.is_long else 1.0) * rng.random()
        if not self.is_calm:
            if rng.random() < habits.cut:
                self.done["cut"] += 1
                client.cancel()
                return
            if rng.random() < habits.bad:
                self.done["bad"] += 1
                await client.send(_bad(answer, rng))
            if rng.random() < habits.silent:
                self.done["silent"] += 1
                return
            if rng.random() < habits.late:
                self.done["late"] += 1
                delay = 6.0
        answers.start_soon(self._answer, bot, client, answer, delay)

    async def _answer(self, bot: ScriptedBot, client: MemoryClient, answer: bytes, delay: float) -> None:
        await trio.sleep(delay)
        with suppress(StreamEnded):
            bot.sent(answer)
            await client.send(answer)

    # -- faults

    async def _crash(self) -> None:
        """Kill the server, and start it again over what it left."""
        await trio.sleep(TROUBLE_S * 0.9 * self.rng.random())
        if not self.is_up.is_set():
            return
        self.is_up = trio.Event()
        self.done["crash"] += 1
        for link in list(self.world.transport._links):
            link.cut(Status(StatusCode.UNAVAILABLE, "killed"), LostReason.SHUTDOWN)
        self.world.scope.cancel()
        is_started = False
        while not is_started:
            await trio.sleep(1 + 5 * self.rng.random())
            try:
                await self.world.start()
                is_started = True
            except* StoreError:
                self.done["start failed"] += 1  # as it must while the store fails; whoever started it tries again
        self.is_up.set()

    async def _fail_store(self) -> None:
        await trio.sleep(TROUBLE_S * 0.8 * self.rng.random())
        self.done["store failed"] += 1
        self.world.store.fails = True
        await trio.sleep(20 * self.rng.random())
        self.world.store.fails = False

    async def _renew(self, nursery: trio.Nursery) -> None:
        """A newer version of a bot comes while the older still plays."""
        await trio.sleep(TROUBLE_S * 0.8 * self.rng.random())
        name = self.rng.choice(BOTS)
        self.earlier.append(self.bots[name])
        self.bots[name] = ScriptedBot(version="2")
        nursery.start_soon(self._live, name, self.bots[name])
        self.done["newer version"] += 1

    # -- what came of it

    def _played(self) -> Counter[str]:
        return Counter(bot for result in self.world.results() for bot in self.world.bots_of(result))

    def _problems(self) -> Iterator[str]:
        record, store = self.world.record(), self.world.store
        ledgers = [bot.ledger for bot in (*self.bots.values(), *self.earlier)]
        voids = {void.match_id for void in store.voids(record.identity)}
        results = self.world.results()
        yield from broken(results, voids, self.world.replays.get, ledgers)
        entrants = [(entrant.bot, entrant.version) for entrant in record.entrants]
        yield from wrong_ratings(entrants, results, store.standings(record.identity))
        self.done["matches"] += len(results)
        self.done["voids"] += len(voids)
        self.done["acknowledged"] += sum(len(one) for ledger in ledgers for one in ledger.acknowledged.values())

    def _digest(self) -> str:
        whole = hashlib.sha256()
        for result in self.world.results():
            whole.update(f"{result.number} {result.match_id} {result.seats} {result.replay_sha256}".encode())
        return whole.hexdigest()


def _bad(answer: bytes, rng: random.Random) -> bytes:
    """Something instead of an answer."""
    request = pb.PlayRequest.FromString(answer)
    kind = rng.randrange(4)
    if kind == 0:
        return rng.randbytes(20)
    if kind == 1:
        request.answer.ClearField("action")
    elif kind == 2:
        request.answer.decision_id += rng.choice((-1, 1, 1000))
    else:
        request.answer.match_id = "of yore"
    return request.SerializeToString()


async def _slowly(rng: random.Random, longest_s: float, call: Callable[..., Any], *args: Any) -> Any:
    """Wait for a disk; killed meanwhile, nothing is written."""
    await trio.sleep(longest_s * rng.random())
    return call(*args)


@contextmanager
def chance_of(seed: int) -> Iterator[None]:
    """Draw everything from a seed that is drawn by chance elsewhere: ids, tokens, secrets, trio's order of tasks."""
    rng = random.Random(seed)
    longest_s = SLOW_SYNC_S if seed % 3 == 0 and seed % LONG_MATCHES else SYNC_S
    with (
        mock.patch.object(secrets, "token_bytes", lambda count=32: rng.randbytes(count)),
        mock.patch.object(secrets, "token_hex", lambda count=32: rng.randbytes(count).hex()),
        mock.patch.object(secrets, "token_urlsafe", lambda count=32: rng.randbytes(count).hex()),
        mock.patch.object(trio_run, "_ALLOW_DETERMINISTIC_SCHEDULING", True),  # as pytest-trio does for hypothesis
        mock.patch.object(trio_run, "_r", random.Random(seed)),
        mock.patch.object(world, "inline", partial(_slowly, rng, longest_s)),
    ):
        yield


def simulate(seed: int, look: Callable[[Simulation], None] = lambda _: None) -> Simulation:
    """Run one simulation; `look` is given it before its folder is gone. Raises SimulationFailed."""
    simulation = Simulation(seed)
    data = Path(tempfile.mkdtemp(prefix="simulation-", dir=SHM if SHM.is_dir() else None))
    try:
        with chance_of(seed):
            trio.run(simulation.run, data, clock=trio.testing.MockClock(autojump_threshold=0))
        look(simulation)
    except ExceptionGroup as group:
        raise SimulationFailed(f"seed {seed}: {group.exceptions!r}") from group
    finally:
        shutil.rmtree(data)
    return simulation


def simulate_many(seeds: range) -> Counter[str]:
    """Run simulations one after the other; return what was done in all."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    try:
        return sum((simulate(seed).done for seed in seeds), Counter())
    finally:
        structlog.reset_defaults()


def simulate_in_processes(count: int, workers: int) -> Counter[str]:
    """Run the simulations of seeds 0 to `count` in processes of their own."""
    parts = [range(first, min(first + 20, count)) for first in range(0, count, 20)]
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        return sum(pool.map(simulate_many, parts), Counter())


def main() -> None:
    """Run simulations and print what was done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2_000)
    parser.add_argument("--only", type=int, help="run this seed alone, with the server's log")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    args = parser.parse_args()
    began = time.perf_counter()
    if args.only is not None:
        simulation = simulate(args.only)
        print(simulation.digest, dict(simulation.done))
    else:
        done = simulate_in_processes(args.count, args.workers)
        print(f"{args.count} seeds in {time.perf_counter() - began:.0f} s: {dict(done.most_common())}")


if __name__ == "__main__":
    main()
