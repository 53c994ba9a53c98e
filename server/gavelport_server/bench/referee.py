"""What the referee costs beside bare grpc.aio ping-pong of messages of the same sizes (design 13).

The measured server is the real one: bridge, hub, matches, codec, records and replays. N streams play N/4 matches of
four seats one after another for the whole window; the bots (`instant.py`) answer at once from a load process of their
own. The tables' first matches are cut after different numbers of decisions, so that from then on the tables are not all
at the same place of a match, and whatever belongs to its beginning or end falls into the window at its true share.
What counts is the CPU time of the server process per answer, of all its threads. Both servers are measured in turn, in
processes of their own, several times, and the median of the ratios is given.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import secrets
import statistics
import subprocess
import sys
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import structlog
import trio
from gavelport.v1 import referee_pb2 as pb

from gavelport_server.archive.replay import encode_replay
from gavelport_server.bench.instant import GAME, SCRIPTS, SEATS, InstantBot, Traffic, match_id, parts, seed
from gavelport_server.conduct.hub import Hub
from gavelport_server.conduct.match import conduct_match
from gavelport_server.referee.report import ClockSetting, MatchSetup, SeatName
from gavelport_server.transport import home
from gavelport_server.transport.bridge import serve
from gavelport_server.transport.swarm import Member, swarm
from gavelport_server.transport.yardstick import WARM_UP_S, Reading, Window, YardstickError, measure_bare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_server.conduct.match import Watch
    from gavelport_server.conduct.session import Session
    from gavelport_server.transport.link import Link

_CONNECT_S = 60.0
_DRAIN_S = 0.5
"""For the answers that are on their way when the tables stop."""
_USUAL_DECISIONS = 700
"""Of a match of random play, about."""


@dataclass(frozen=True, slots=True)
class RefereeReading:
    """What the referee's server process used, and the mean sizes of the messages both ways."""

    reading: Reading
    down_bytes: float
    up_bytes: float
    matches: int
    """That were finished while the server ran."""


def run_referee_bench(
    streams: Sequence[int] = (20, 100), pairs: int = 5, seconds: float = 3.0
) -> dict[str, dict[str, dict[str, float]]]:
    """Return for each number of streams the ratio, and what it was made of.

    Args:
        streams: numbers of bots, multiples of four.
        pairs: how often each of the two is measured.
        seconds: length of one measurement.

    Raises:
        YardstickError: a measured process failed.
    """
    result: dict[str, dict[str, float]] = {}
    for number in streams:
        ours, raw, readings = [], [], []
        for _ in range(pairs):
            read = measure_referee(number, seconds)
            bare = measure_bare(number, round(read.down_bytes), round(read.up_bytes), seconds)
            ours.append(read.reading.cpu_us)
            raw.append(bare.cpu_us)
            readings.append(read)
        result[str(number)] = {
            "ratio": round(statistics.median(our / bare for our, bare in zip(ours, raw, strict=True)), 3),
            "ours_us": round(statistics.median(ours), 1),
            "raw_us": round(statistics.median(raw), 1),
            "down_bytes": round(statistics.mean(each.down_bytes for each in readings), 1),
            "up_bytes": round(statistics.mean(each.up_bytes for each in readings), 1),
        }
    return {"streams": result}


def measure_referee(streams: int, seconds: float) -> RefereeReading:
    """Return what a fresh server process used.

    Raises:
        YardstickError: it failed; the text has what it wrote to stderr.
    """
    command = [sys.executable, "-m", "gavelport_server.bench.referee", f"--streams={streams}", f"--seconds={seconds}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise YardstickError(f"the measured server ended with code {done.returncode}:\n{done.stderr[-2000:]}")
    said = json.loads(done.stdout.splitlines()[-1])
    return RefereeReading(Reading(**said.pop("reading")), **said)


# -- the measured server


class _Counting:
    """The hub, with a count of what comes in."""

    def __init__(self, hub: Hub, window: Window) -> None:
        self.opened = hub.opened
        self.lost = hub.lost
        self._received = hub.received
        self._window = window

    def received(self, link: Link, message: bytes, at: float) -> None:
        self._window.round_trips += 1
        self._received(link, message, at)


class _Server:
    """Tables of four that play one match after another until they are told to stop."""

    def __init__(self, streams: int) -> None:
        self.hub = Hub()
        self.window = Window()
        self.matches = 0
        self._started = itertools.count()
        self.tokens = [secrets.token_urlsafe(32) for _ in range(streams)]
        self.sessions = [self.hub.admit(token, SeatName(f"bot{n}", "1")) for n, token in enumerate(self.tokens)]

    async def play(self, table: int) -> None:
        sessions = self.sessions[table * SEATS : (table + 1) * SEATS]
        tables = len(self.sessions) // SEATS
        with trio.CancelScope() as first:
            most = _USUAL_DECISIONS * (table + 1) // tables
            await self._match(sessions, watch=lambda record: first.cancel() if len(record) > most else None)
        while True:
            self.matches += 1
            await self._match(sessions)

    async def _match(self, sessions: Sequence[Session], watch: Watch | None = None) -> None:
        number = next(self._started)
        script = number % SCRIPTS
        setup = MatchSetup(
            match_id(script, number),
            GAME,
            GAME.options({"seats": SEATS}),
            seed(script),
            tuple(session.name for session in sessions),
            ClockSetting(),
        )
        report = await conduct_match(setup, sessions, reveal=True, watch=watch)
        encode_replay(report)


async def _serve(streams: int, seconds: float) -> RefereeReading:
    server = _Server(streams)
    async with serve(_Counting(server.hub, server.window)) as bridge:
        command = [sys.executable, "-m", __spec__.name, "--load", bridge.target]
        async with trio.open_nursery() as nursery:
            start_load = partial(trio.run_process, command, stdin=" ".join(server.tokens).encode(), capture_stdout=True)
            load = _Load()
            nursery.start_soon(load.run, start_load)
            with trio.fail_after(_CONNECT_S):
                for session in server.sessions:
                    await session.wait_connected()
            async with trio.open_nursery() as tables:
                for table in range(streams // SEATS):
                    tables.start_soon(server.play, table)
                await trio.sleep(WARM_UP_S)
                server.window.start()
                await trio.sleep(seconds)
                reading = server.window.read(streams)
                tables.cancel_scope.cancel()
            await trio.sleep(_DRAIN_S)
            for session in server.sessions:
                server.hub.dismiss(session)
    traffic = load.traffic
    if traffic.refused:
        raise YardstickError(f"{traffic.refused} answers of the load were refused; what it played was not the match")
    return RefereeReading(reading, traffic.down_bytes / traffic.asked, traffic.up_bytes / traffic.asked, server.matches)


class _Load:
    """The load process and what it said of itself."""

    def __init__(self) -> None:
        self.traffic = Traffic()

    async def run(self, start: Any) -> None:
        done = await start()
        self.traffic = Traffic(**json.loads(done.stdout))


def _play(target: str, tokens: Sequence[str]) -> Traffic:
    """Be the load: one bot a token, until the server ends all streams."""
    scripts = [parts(script) for script in range(SCRIPTS)]
    traffic = Traffic()
    greeting = pb.PlayRequest(hello=pb.Hello(protocol_version=1, sdk="bench", games=[GAME.id]))
    members = [
        Member(
            {"authorization": f"Bearer {token}"},
            greeting.SerializeToString(),
            InstantBot(scripts, traffic).answer,
        )
        for token in tokens
    ]
    asyncio.run(swarm(target, members))
    return traffic


def main() -> None:
    """Measure one server in this process, or (`--load TARGET`) be its load, with the tokens on stdin."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--load", metavar="TARGET", help=argparse.SUPPRESS)
    args = parser.parse_args()
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    if args.load:
        said: object = _play(args.load, sys.stdin.read().split())
    else:
        said = home.run(_serve, args.streams, args.seconds)
    sys.stdout.write(json.dumps(asdict(said)) + "\n")  # type: ignore[call-overload]


if __name__ == "__main__":
    main()
