"""What the bridge by itself costs beside bare grpc.aio, with a listener that does nothing but answer.

    python -m tests.transport.cost --streams 20,100 --rounds 5

Each figure is the median over interleaved pairs of CPU time of the server process per round trip, bridge over bare.
`thread` and `guest` are the two homes of the asyncio loop; `plain` is `guest` with gRPC as it comes, as bare has it.
A referee with N/4 matches has about N/4 questions open, while bare ping-pong has N: `in flight 1/4` lets one stream of
each four play at a time.
"""

import argparse
import os
import statistics
import sys
from functools import partial

import trio
from gavelport_server.transport.bridge import serve
from gavelport_server.transport.home import run
from gavelport_server.transport.link import Link, LostReason
from gavelport_server.transport.yardstick import (
    METHOD,
    WARM_UP_S,
    Load,
    Window,
    load_arguments,
    load_process,
    measure,
    measure_bare,
    report,
)


class Relay:
    """Plays with groups of streams: an answer of one makes the next of its group be asked."""

    def __init__(self, streams: int, group: int, payload: bytes) -> None:
        self.window = Window()
        self.all_up = trio.Event()
        self._streams = streams
        self._group = group
        self._payload = payload
        self._links: list[Link] = []
        self._next: dict[Link, Link] = {}

    def opened(self, link: Link) -> None:
        self._links.append(link)
        if len(self._links) < self._streams:
            return
        for first in range(0, self._streams, self._group):
            group = self._links[first : first + self._group]
            self._next.update(zip(group, group[1:] + group[:1], strict=True))
            group[0].send(self._payload)
        self.all_up.set()

    def received(self, link: Link, message: bytes, at: float) -> None:
        self.window.round_trips += 1
        self._next[link].send(self._payload)

    def lost(self, link: Link, reason: LostReason) -> None:
        pass


async def play(load: Load, group: int) -> None:
    relay = Relay(load.streams, group, os.urandom(load.down_bytes))
    async with serve(relay, play_method=METHOD) as bridge:
        with load_process(bridge.target, load):
            with trio.fail_after(60):
                await relay.all_up.wait()
            await trio.sleep(WARM_UP_S)
            relay.window.start()
            await trio.sleep(load.window_s)
            report(relay.window.read(load.streams))


def compare(load: Load, rounds: int) -> None:
    kinds = [(home, group) for home in ("thread", "guest", "plain") for group in (1, 4)]
    bare: list[float] = []
    ratios: dict[tuple[str, int], list[float]] = {kind: [] for kind in kinds}
    for _ in range(rounds):
        bare.append(measure_bare(load.streams, load.down_bytes, load.up_bytes, load.window_s).cpu_us)
        for home, group in kinds:
            own = [
                sys.executable,
                "-m",
                "tests.transport.cost",
                "--serve",
                "thread" if home == "thread" else "guest",
                "--group",
                str(group),
            ]
            ratios[home, group].append(measure([*own, *load.arguments()], plain=home == "plain").cpu_us / bare[-1])
    print(f"{load.streams} streams, bare {statistics.median(bare):.0f} us", end="")
    for (home, group), of_kind in ratios.items():
        print(
            f"; {home}, {'all in flight' if group == 1 else 'in flight 1/4'}: {statistics.median(of_kind):.2f}", end=""
        )
    print(flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    load_arguments(parser)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--serve", choices=("thread", "guest"), help=argparse.SUPPRESS)
    parser.add_argument("--group", type=int, default=1, help=argparse.SUPPRESS)
    args = parser.parse_args()
    load = Load(args.streams, args.down_bytes, args.up_bytes, args.window_s)
    if args.serve == "thread":
        trio.run(play, load, args.group)
    elif args.serve == "guest":
        run(partial(play, load, args.group))
    else:
        compare(load, args.rounds)


if __name__ == "__main__":
    main()
