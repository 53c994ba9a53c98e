"""Honest bots that measure how long they wait: `python -m tests.hostile.honest TARGET`, a token a line on stdin.

They play until SIGTERM, and then print every wait: when it ended, on the monotonic clock, and how many milliseconds it
took from an answer that was sent to the next message. All answer at once, so that a wait is the server's time, the
network's, and that of a few other answers.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from typing import Any

import grpc
import grpc.aio
from gavelport_server.transport.yardstick import METHOD

from tests.simulation.scripted import ScriptedBot


class Waits:
    """What the bots measured."""

    def __init__(self) -> None:
        self.waits: list[tuple[float, float]] = []
        self.ended: list[str] = []
        self.bots: list[ScriptedBot] = []

    async def play(self, target: str, token: str) -> None:
        bot = ScriptedBot(max_matches=1)
        self.bots.append(bot)
        async with grpc.aio.insecure_channel(target, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
            call: Any = channel.stream_stream(METHOD)(metadata=(("authorization", f"Bearer {token}"),))
            await call.write(bot.hello())
            sent_at = 0.0
            while isinstance(message := await call.read(), bytes):
                if sent_at:
                    now = time.monotonic()
                    self.waits.append((now, 1000 * (now - sent_at)))
                    sent_at = 0.0
                answer = bot.received(message)
                if answer is not None:
                    bot.sent(answer)
                    await call.write(answer)
                    sent_at = time.monotonic()
            self.ended.append(f"{await call.code()} {await call.details()}")


async def play(target: str, tokens: list[str]) -> Waits:
    """Play with all tokens until told to stop."""
    waits, stop = Waits(), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    tasks = [asyncio.create_task(waits.play(target, token)) for token in tokens]
    await stop.wait()
    for task in tasks:
        task.cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, Exception):
            waits.ended.append(repr(result))
    return waits


def main() -> None:
    """Play, and print the waits."""
    waits = asyncio.run(play(sys.argv[1], sys.stdin.read().split()))
    matches = {match_id for bot in waits.bots for match_id in bot.ledger.ends}
    voids = {match_id for bot in waits.bots for match_id in bot.ledger.voids}
    said = {"waits": waits.waits, "ended": waits.ended, "matches": len(matches), "voids": len(voids)}
    print(json.dumps(said))


if __name__ == "__main__":
    main()
