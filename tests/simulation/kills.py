"""`gavelport serve` killed by SIGKILL at random points while bots play: `python -m tests.simulation.kills --kills 100`.

The server is a process as an operator starts it, and so is its end. The bots are here, each with a connection of its
own over TCP; they come back whenever there is a server, and write down what they were told (`scripted.py`). After the
last kill the server gets some time in peace and is told to stop; then the archive is looked at (`promises.py`).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
from gavelport_server.archive.files import ReplayFolder
from gavelport_server.lobby import tokens
from gavelport_server.storage.sql import open_store
from gavelport_server.transport.yardstick import METHOD

from tests.serve.servers import GAVELPORT, Server
from tests.simulation.promises import broken, wrong_ratings
from tests.simulation.scripted import ScriptedBot

if TYPE_CHECKING:
    from collections.abc import Iterator

BOTS = 8
THINK_S = 0.03
"""The longest that a bot thinks: so that most kills come in the midst of matches."""
UP_S = 1.5
"""The longest from a start to a kill."""
CALM_S = 10.0
CONFIG = """
[[ladder]]
name = "main"
game = "container"
seats = 4
options = {{ max_rounds = {rounds} }}
clock = {{ bank_ms = 60000, increment_ms = 1000, cap_ms = 20000, allowance_ms = 200 }}
"""


@dataclass
class Killed:
    """What came of it."""

    kills: int = 0
    before_start: int = 0
    """Kills of a server that had not come up yet."""
    results: int = 0
    voids: int = 0
    acknowledged: int = 0
    gone_on: int = 0
    """How often a bot was told a match's start again: the match went on after a kill."""
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)


class Ladder:
    """A data folder, its bots, and the servers that come and go over it."""

    def __init__(self, folder: Path, seed: int, database: str | None) -> None:
        self.data = folder / "data"
        self.rng = random.Random(seed)
        self.database = database
        self.place: Path | str = database or self.data
        self.environment = os.environ | ({"GAVELPORT_SERVE_DATABASE": database} if database else {})
        self.log = folder / "serve.log"
        self.config = folder / "serve.toml"
        self.config.write_text(CONFIG.format(rounds=2), encoding="utf-8")
        with closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            self.target = f"127.0.0.1:{free.getsockname()[1]}"
        self.bots = [ScriptedBot(max_matches=2) for _ in range(BOTS)]
        self.tokens = self._admit()

    def _admit(self) -> list[str]:
        made = []
        with closing(open_store(self.place)) as store:
            for number in range(BOTS):
                store.add_owner(f"owner{number}")
                store.add_bot(f"bot{number}", f"owner{number}")
                now = datetime.now(UTC)
                text, record = tokens.make("bot", owner=f"owner{number}", bot=f"bot{number}", now=now)
                store.add_token(record)
                made.append(text)
        return made

    @contextmanager
    def process(self) -> Iterator[subprocess.Popen[str]]:
        """Start a server; it is gone at the end."""
        files = ["--config", str(self.config), "--data", str(self.data), "--log-file", str(self.log)]
        addresses = ["--listen", self.target, "--http", "127.0.0.1:0"]
        process = subprocess.Popen(
            [GAVELPORT, "serve", *files, *addresses, "--grace-s", "30"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self.environment,
        )
        assert process.stdout is not None
        with closing(process.stdout):
            try:
                yield process
            finally:
                process.kill()
                process.wait()

    async def play(self, number: int) -> None:
        """Be one bot, for ever."""
        bot, rng = self.bots[number], random.Random(number)
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]
        while True:
            async with grpc.aio.insecure_channel(self.target, options=options) as channel:
                call: Any = channel.stream_stream(METHOD)(
                    metadata=(("authorization", f"Bearer {self.tokens[number]}"),)
                )
                try:
                    await call.write(bot.hello())
                    while isinstance(message := await call.read(), bytes):
                        answer = bot.received(message)
                        if answer is not None:
                            await asyncio.sleep(THINK_S * rng.random())
                            bot.sent(answer)
                            await call.write(answer)
                except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                    pass  # no server there, or not any more
            await asyncio.sleep(0.1 + 0.2 * rng.random())


async def kill_many(folder: Path, kills: int, *, seed: int = 1, database: str | None = None) -> Killed:
    """Kill a server so many times, then let it be; return what came of it."""
    ladder, killed, began = Ladder(folder, seed, database), Killed(), time.monotonic()
    bots = [asyncio.create_task(ladder.play(number)) for number in range(BOTS)]
    while killed.kills < kills:
        with ladder.process() as process:
            if ladder.rng.random() < 0.1:
                await asyncio.sleep(1.5 * ladder.rng.random())
                killed.before_start += 1
            else:
                await asyncio.to_thread(Server, process, ladder.log)
                await asyncio.sleep(UP_S * ladder.rng.random())
            killed.kills += 1
    with ladder.process() as process:
        await asyncio.to_thread(Server, process, ladder.log)
        await asyncio.sleep(CALM_S)
        process.terminate()
        code = await asyncio.to_thread(process.wait, 120)
        if code:
            killed.problems.append(f"the last server ended with code {code}")
        await asyncio.sleep(1)
    for task in bots:
        task.cancel()
    failed = [one for one in await asyncio.gather(*bots, return_exceptions=True) if isinstance(one, Exception)]
    killed.problems += [f"a bot failed: {error!r}" for error in failed]
    look(ladder, killed)
    killed.seconds = round(time.monotonic() - began, 1)
    return killed


def look(ladder: Ladder, killed: Killed) -> None:
    """Look at what is kept."""
    with closing(open_store(ladder.place, create=False)) as store:
        (record,) = (one for one in store.tournaments() if one.kind == "ladder")
        results, standings = store.results(record.identity), store.standings(record.identity)
        voids = {void.match_id for void in store.voids(record.identity)}
    ledgers = [bot.ledger for bot in ladder.bots]
    killed.problems += broken(results, voids, ReplayFolder(ladder.data).get, ledgers)
    entrants = [(one.bot, one.version) for one in record.entrants]
    killed.problems += wrong_ratings(entrants, results, standings)
    for command in (["rate", "--check"], ["replays", "verify", "--all"]):
        whole = [str(GAVELPORT), *command, "--data", str(ladder.data)]
        done = subprocess.run(whole, capture_output=True, text=True, check=False, env=ladder.environment)
        if done.returncode:
            killed.problems.append(f"gavelport {' '.join(command)}: {done.stdout[-500:]}{done.stderr[-500:]}")
    killed.results, killed.voids = len(results), len(voids)
    killed.acknowledged = sum(len(one) for ledger in ledgers for one in ledger.acknowledged.values())
    killed.gone_on = sum(ledger.begun_again for ledger in ledgers)


def main() -> None:
    """Kill servers and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", help="a PostgreSQL URL (default: SQLite)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        killed = asyncio.run(kill_many(Path(folder), args.kills, seed=args.seed, database=args.database))
    print(json.dumps(vars(killed)))
    sys.exit(bool(killed.problems))


if __name__ == "__main__":
    main()
