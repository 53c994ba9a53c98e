"""What fails beneath a server while bots play: disk and database. It goes on by itself, and nothing is lost.

The bots are scripted and write down what they were told (`tests/simulation`); at the end the archive has to keep it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import subprocess
from contextlib import asynccontextmanager, closing, suppress
from typing import TYPE_CHECKING, Any

import pytest
from gavelport_server.storage.sql import FILE, open_store

from tests.postgres import postgres_schema
from tests.serve.servers import Server
from tests.simulation import kills

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine
    from pathlib import Path

pytestmark = pytest.mark.long
PATIENCE_S = 90.0
Ladder = kills.Ladder


class World:
    """A server whose bots play."""

    def __init__(self, ladder: kills.Ladder, server: Server) -> None:
        self.ladder = ladder
        self.server = server

    def over(self) -> int:
        return self.ladder.log.read_text().count('"match_over"')

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not await asyncio.to_thread(condition):
                await asyncio.sleep(0.2)
                assert self.server.process.poll() is None, self.ladder.log.read_text()[-3000:]

    def health(self) -> Any:
        return self.server.get("/health")

    def is_failing(self) -> bool:
        return bool(self.health()["problems"])

    async def plays_on(self) -> None:
        before = self.over()
        await self.until(lambda: self.over() >= before + 4 and not self.is_failing())


@asynccontextmanager
async def playing(ladder: kills.Ladder) -> AsyncIterator[World]:
    """A server whose bots have begun to play; at the end it is told to stop, and what is kept is looked at."""
    bots = [asyncio.create_task(ladder.play(number)) for number in range(len(ladder.bots))]
    try:
        with ladder.process() as process:
            world = World(ladder, await asyncio.to_thread(Server, process, ladder.log))
            await world.until(lambda: world.over() >= 3)
            yield world
            await world.plays_on()
            process.terminate()
            assert await asyncio.to_thread(process.wait, PATIENCE_S) == 0
        await asyncio.sleep(0.5)
    finally:
        for task in bots:
            task.cancel()
        await asyncio.gather(*bots, return_exceptions=True)
    killed = kills.Killed()
    kills.look(ladder, killed)
    assert killed.problems == []
    with closing(open_store(ladder.place, create=False)) as store:
        (record,) = (one for one in store.tournaments() if one.kind == "ladder")
        assert [seat.faults for one in store.results(record.identity) for seat in one.seats if seat.faults] == []


async def full_disk(folder: Path) -> None:
    disk = folder / "disk"
    ladder = Ladder(folder, 1, None)
    shutil.move(ladder.data, disk / "data")
    ladder.data = ladder.place = disk / "data"
    async with playing(ladder) as world:
        free = os.statvfs(disk)
        # Replays are written whole, and need more than what is left; the journal does not yet.
        (disk / "ballast").write_bytes(bytes(max(0, free.f_bavail * free.f_frsize - 96 * 1024)))
        await world.until(world.is_failing)
        assert "no space is left" in world.health()["problems"][0]
        (disk / "ballast").unlink()


async def journal_full(folder: Path) -> None:
    disk = folder / "disk"
    ladder = Ladder(folder, 1, None)
    shutil.move(ladder.data, disk / "data")
    ladder.data = ladder.place = disk / "data"
    bots = [asyncio.create_task(ladder.play(number)) for number in range(len(ladder.bots))]
    with ladder.process() as process:
        world = World(ladder, await asyncio.to_thread(Server, process, ladder.log))
        await world.until(lambda: world.over() >= 3)
        while process.poll() is None:
            fill(disk)
            await asyncio.sleep(0.02)
        assert process.returncode == 1
        assert process.stdout is not None
        assert "journal cannot be written: no space is left" in process.stdout.read()
    assert [bot.ledger.voids for bot in ladder.bots] == [set()] * len(bots), "the matches go on"
    (disk / "ballast").unlink()
    for bot in bots:
        bot.cancel()
    await asyncio.gather(*bots, return_exceptions=True)
    async with playing(ladder) as world:
        assert '"match_taken_up"' in ladder.log.read_text()


def fill(disk: Path) -> None:
    """Take what is free."""
    free = os.statvfs(disk)
    with suppress(OSError), (disk / "ballast").open("ab") as ballast:
        ballast.write(bytes(free.f_bavail * free.f_frsize))


async def locked(folder: Path) -> None:
    ladder = Ladder(folder, 1, None)
    async with playing(ladder) as world:
        with closing(sqlite3.connect(ladder.data / FILE, isolation_level=None, timeout=30)) as other:
            other.execute("BEGIN IMMEDIATE")
            await world.until(world.is_failing)
            assert "is in use by another process" in world.health()["problems"][0]
            other.execute("ROLLBACK")


class Proxy:
    """Stands between the server and its database, and can cut all that goes through."""

    def __init__(self) -> None:
        self.is_cut = False
        self._writers: set[asyncio.StreamWriter] = set()

    def cut(self) -> None:
        self.is_cut = True
        for writer in tuple(self._writers):
            writer.transport.abort()

    async def pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_cut:
            writer.close()
            return
        beyond = await asyncio.open_connection("127.0.0.1", 5432)
        await asyncio.gather(self._pump(reader, beyond[1]), self._pump(beyond[0], writer))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while data := await reader.read(2**16):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass  # cut
        finally:
            self._writers.discard(writer)
            writer.close()


async def unreachable(folder: Path, url: str) -> None:
    proxy = Proxy()
    door = await asyncio.start_server(proxy.pass_on, "127.0.0.1", 0)
    port = door.sockets[0].getsockname()[1]
    ladder = await asyncio.to_thread(Ladder, folder, 1, url)
    ladder.environment["GAVELPORT_SERVE_DATABASE"] = url.replace(":5432/", f":{port}/")
    async with playing(ladder) as world:
        proxy.cut()
        await world.until(world.is_failing)
        assert "cannot be reached" in world.health()["problems"][0]
        proxy.is_cut = False
        await world.plays_on()
        ladder.environment["GAVELPORT_SERVE_DATABASE"] = url
    door.close()


@pytest.mark.parametrize("fails", [full_disk, journal_full])
def test_a_full_disk(tmp_path: Path, fails: Callable[[Path], Coroutine[Any, Any, None]]) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={6 * 1024 * 1024}", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        asyncio.run(fails(tmp_path))
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_a_database_that_another_process_has_locked(tmp_path: Path) -> None:
    asyncio.run(locked(tmp_path))


def test_a_database_that_is_out_of_reach_for_a_while(tmp_path: Path) -> None:
    with postgres_schema() as url:
        if ":5432/" not in url:
            pytest.skip("PostgreSQL is not reached by TCP here")
        asyncio.run(unreachable(tmp_path, url))
