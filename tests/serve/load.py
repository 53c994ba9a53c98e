"""Many bots in one process, each on a TCP connection of its own, that play any legal action at once.

`python -m tests.serve.load TARGET SECONDS`, with a token a line on stdin. Ends after so many seconds, and prints how
many decisions were answered, how many answers refused, and how long the slowest of its own answers took.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

import grpc
import grpc.aio
from gavelport.v1 import referee_pb2 as pb
from gavelport_sdk import Bot
from gavelport_sdk.session import Session
from gavelport_server.transport.yardstick import METHOD


class Legal(Bot):
    games = ("container",)

    def decide(self, observation: Any) -> Any:
        return self.decision.space.sample(self.rng)


class Load:
    """What passed."""

    def __init__(self) -> None:
        self.answered = self.refused = self.ended = self.void = 0
        self.slowest_s = 0.0

    async def play(self, target: str, token: str) -> None:
        session = Session(Legal, Legal.games, version="1", say=lambda _: None)
        async with grpc.aio.insecure_channel(target, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
            call: Any = channel.stream_stream(METHOD)(
                metadata=(("authorization", f"Bearer {token}"),), wait_for_ready=True
            )
            await call.write(session.hello().SerializeToString())
            while isinstance(message := await call.read(), bytes):
                began = time.perf_counter()
                response = pb.PlayResponse.FromString(message)
                kind = response.WhichOneof("message")
                self.refused += kind == "refused"
                self.ended += kind == "match_end"
                self.void += kind == "match_end" and response.match_end.is_void
                reply = session.react(response)
                self.slowest_s = max(self.slowest_s, time.perf_counter() - began)
                if reply is not None:
                    self.answered += 1
                    await call.write(reply.SerializeToString())


async def main(target: str, seconds: float, tokens: list[str]) -> None:
    load = Load()
    tasks = [asyncio.create_task(load.play(target, token)) for token in tokens]
    done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
    ended = [repr(task.exception()) for task in done]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    sys.stdout.write(json.dumps({**vars(load), "ended_streams": ended}) + "\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2]), sys.stdin.read().split()))
