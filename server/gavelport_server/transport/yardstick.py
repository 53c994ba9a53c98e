"""The yardstick for the referee's cost: bare grpc.aio ping-pong, no trio, no protobuf, no game.

A fresh server process sends messages of a given size on N bidirectional streams, each on a TCP connection
of its own; a load process answers each with a message of another given size. What is measured is the CPU
time of the *server process* per round trip, all its threads included: on a shared machine that is the steady
figure, while throughput and latency swing with whatever else runs.

    python -m gavelport_server.transport.yardstick --streams 20 --down-bytes 400 --up-bytes 60

prints one JSON object. `measure_bare` does the same from Python, and `measure` takes any other server that
speaks the same protocol: it must print the line of `report` when its window is over.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import grpc
import grpc.aio

from gavelport_server.transport import EXPERIMENTS

METHOD = "/gavelport.v1.RefereeService/Play"
"""The method that the load calls, that of the referee, so that both servers are measured by the same load."""

WARM_UP_S = 0.5
_PATIENCE_S = 60.0


class YardstickError(RuntimeError):
    """A measured server ended without a figure; the text has what it wrote to stderr."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one measured server process used, in a window that began after all its streams were up."""

    streams: int
    round_trips: int
    seconds: float
    cpu_us: float
    """CPU microseconds of the server process per round trip, user and system time of all threads."""


@dataclass(frozen=True, slots=True)
class Load:
    """What is played: streams, mean message sizes in bytes both ways, length of the window in seconds."""

    streams: int
    down_bytes: int
    up_bytes: int
    window_s: float = 2.0

    def arguments(self) -> list[str]:
        """The command line arguments that `load_arguments` reads back."""
        return [
            f"--streams={self.streams}",
            f"--down-bytes={self.down_bytes}",
            f"--up-bytes={self.up_bytes}",
            f"--window-s={self.window_s}",
        ]


class Window:
    """Counts round trips, and the CPU time of this process, from `start` to `read`."""

    def __init__(self) -> None:
        self.round_trips = 0
        self._start()

    def _start(self) -> None:
        self._first = self.round_trips
        self._cpu_s = _cpu_s()
        self._began_s = time.perf_counter()

    def start(self) -> None:
        """Begin now; what was counted before does not matter."""
        self._start()

    def read(self, streams: int) -> Reading:
        """What was counted since `start`.

        Raises:
            YardstickError: not a single round trip was made.
        """
        cpu_s = _cpu_s() - self._cpu_s
        seconds = time.perf_counter() - self._began_s
        trips = self.round_trips - self._first
        if trips == 0:
            raise YardstickError(f"no round trip in {seconds:.1f} s: is the load process running?")
        return Reading(streams, trips, seconds, cpu_s / trips * 1e6)


def _cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def report(reading: Reading) -> None:
    """Print the reading as one line of JSON, the form that `measure` reads."""
    sys.stdout.write(json.dumps(asdict(reading)) + "\n")
    sys.stdout.flush()


@contextlib.contextmanager
def load_process(target: str, load: Load) -> Iterator[None]:
    """A process that opens `load.streams` connections to `target` and answers every message; killed at the end."""
    command = [sys.executable, "-m", __spec__.name, "--load", target, *load.arguments()]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.kill()


def measure(command: Sequence[str], *, plain: bool = False) -> Reading:
    """What the server process started by `command` reports of itself.

    Args:
        command: starts it.
        plain: gRPC is left there as it comes, without the setting of this room's `__init__.py`.

    Raises:
        YardstickError: it failed, or printed no reading.
    """
    environment = {EXPERIMENTS: "", **os.environ} if plain else None
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or not lines:
        raise YardstickError(f"the measured server ended with code {done.returncode}:\n{done.stderr[-2000:]}")
    return Reading(**json.loads(lines[-1]))


def measure_bare(streams: int, down_bytes: int, up_bytes: int, window_s: float = 2.0) -> Reading:
    """What bare grpc.aio as it comes uses, in a fresh process, with every stream in flight all the time.

    Raises:
        YardstickError: the measured process failed.
    """
    load = Load(streams, down_bytes, up_bytes, window_s)
    return measure([sys.executable, "-m", __spec__.name, "--serve", *load.arguments()], plain=True)


async def _serve_bare(load: Load) -> Reading:
    window = Window()
    payload = os.urandom(load.down_bytes)
    up = 0
    all_up = asyncio.Event()

    async def play(_requests: object, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        nonlocal up
        await context.write(payload)
        await context.read()
        up += 1
        if up == load.streams:
            all_up.set()
        while True:
            await context.write(payload)
            if await context.read() is grpc.aio.EOF:
                return
            window.round_trips += 1

    server = grpc.aio.server()
    handlers: dict[str, Any] = {METHOD.rpartition("/")[2]: grpc.stream_stream_rpc_method_handler(play)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(METHOD.split("/")[1], handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    with load_process(f"127.0.0.1:{port}", load):
        async with asyncio.timeout(_PATIENCE_S):
            await all_up.wait()
        await asyncio.sleep(WARM_UP_S)
        window.start()
        await asyncio.sleep(load.window_s)
        reading = window.read(load.streams)
    await server.stop(None)
    return reading


async def _answer(target: str, load: Load) -> None:
    """One bot of the load: answers each message until the server goes away."""
    answer = os.urandom(load.up_bytes)
    # Without a pool of its own a channel would share the TCP connection of the others.
    async with grpc.aio.insecure_channel(target, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        call: Any = channel.stream_stream(METHOD)(wait_for_ready=True)
        while await call.read() is not grpc.aio.EOF:
            await call.write(answer)


async def _load(target: str, load: Load) -> None:
    async with asyncio.TaskGroup() as tasks:
        for _ in range(load.streams):
            tasks.create_task(_answer(target, load))


def load_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that make a `Load`."""
    parser.add_argument("--streams", type=int, required=True)
    parser.add_argument("--down-bytes", type=int, default=250, help="size of a message to the bot")
    parser.add_argument("--up-bytes", type=int, default=50, help="size of an answer")
    parser.add_argument("--window-s", type=float, default=2.0, help="length of the measured window")


def main() -> None:
    """Measure bare grpc.aio, or be (`--serve`) the process that is measured or (`--load TARGET`) its load."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    load_arguments(parser)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--load", metavar="TARGET", help=argparse.SUPPRESS)
    args = parser.parse_args()
    load = Load(args.streams, args.down_bytes, args.up_bytes, args.window_s)
    if args.load:
        asyncio.run(_load(args.load, load))
    elif args.serve:
        report(asyncio.run(_serve_bare(load)))
    else:
        report(measure_bare(load.streams, load.down_bytes, load.up_bytes, load.window_s))


if __name__ == "__main__":
    main()
