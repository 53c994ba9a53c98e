"""Many bots in one process, each on a TCP connection of its own: the load of benchmarks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import grpc
import grpc.aio

from gavelport_server.transport.yardstick import METHOD


@dataclass(frozen=True, slots=True)
class Member:
    """One bot of a swarm."""

    metadata: Mapping[str, str]
    greeting: bytes
    """What it sends first."""
    answer: Callable[[bytes], bytes | None]
    """What it sends on a message, None for nothing."""


async def swarm(target: str, members: Sequence[Member]) -> None:
    """Play with all members until the server has ended every stream.

    Raises:
        grpc.aio.AioRpcError: a stream ended otherwise than with OK.
    """
    async with asyncio.TaskGroup() as tasks:
        for member in members:
            tasks.create_task(_play(target, member))


async def _play(target: str, member: Member) -> None:
    # Without a pool of its own a channel would share the TCP connection of the others.
    async with grpc.aio.insecure_channel(target, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(METHOD)
        call = play(metadata=tuple(member.metadata.items()), wait_for_ready=True)
        await call.write(member.greeting)
        while isinstance(message := await call.read(), bytes):
            answer = member.answer(message)
            if answer is not None:
                await call.write(answer)
