"""Services bound to gRPC by their descriptors, one like the other (design 9).

A service's logic is a *desk*: a class without gRPC, with a method for each RPC, `get_standings` for `GetStandings`.
What a method is decides how it is called:

- a coroutine function runs in trio; any other, of an RPC with one answer, in a worker thread;
- a generator function is pulled step by step in worker threads, and the next step is taken once gRPC has the answer
  before: so a slow reader holds it back;
- `(caller, request, link)`, of an RPC with a stream of answers, is called in trio, answers by the link, and returns
  what is to be called when the link is lost;
- `(caller)`, of an RPC with a stream of requests, is a generator function that is sent each request in a worker thread,
  None behind the last, and returns the answer; whatever ends the call early closes it.

Whoever calls passes the door first, which knows tokens, scopes and rates. A `ServiceError` is told to the caller;
anything else becomes INTERNAL with a random id (`sanitise.py`, `guard.py`). Every call with one answer has a time
within which it is answered, whatever the caller's own deadline says.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

import trio
from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.message import Message

from gavelport_server.transport.link import Link, ServiceError, StatusCode
from gavelport_server.transport.methods import Rpc, rpc_of

T = TypeVar("T")

UNARY_S = 20.0
"""Within which a call with one answer is answered, and a stream makes its next one."""
MAX_CALLS = 16
"""Calls of one token at the same time, streams among them."""
MAX_STREAMS = 4
"""Streams of one token at the same time."""
THREADS = 8
"""Worker threads for all calls together."""
REST = 1.0
"""Streams make their answers one at a time, all together, and after each rest for so many times as long as it took: who
downloads everything must not take the processor from those who play."""
CLOSED = "the token was revoked, or its time is over"


class Known(Protocol):
    """A caller, as far as it matters here."""

    @property
    def token_id(self) -> str:
        """By which calls are counted."""
        ...


@dataclass(frozen=True, slots=True)
class Call:
    """What the door is shown."""

    rpc: str
    """`GetStandings`."""
    scopes: frozenset[str]
    """Those that open it: `bot`, `owner`, …"""
    authorization: str
    """As it came; empty where none did."""
    host: str
    """Where it comes from; empty for this machine."""


class Door(Protocol):
    """Lets callers in; used in the trio thread."""

    async def admit(self, call: Call) -> Known:
        """Return who calls. Raises ServiceError for whoever may not, or may not now."""
        ...

    def is_open(self, token_id: str) -> bool:
        """Return whether a token that was let in would be still."""
        ...

    def on_revoked(self, call: Callable[[str], None]) -> None:
        """Have `call` told the id of every token that opens nothing any more."""
        ...


class Services:
    """Desks and their door, for `bridge.serve`. Everything here is called in the trio thread."""

    def __init__(self, desks: Mapping[ServiceDescriptor, object], door: Door, *, unary_s: float = UNARY_S) -> None:
        """Take the desk of each service.

        Raises ValueError for an RPC without scope or without its method: nothing is served by halves.
        """
        self.rpcs: dict[str, list[Rpc]] = {
            service.full_name: [rpc_of(method, desk) for method in service.methods] for service, desk in desks.items()
        }
        """By the full name of their service."""
        self._door = door
        self._unary_s = unary_s
        self._threads = trio.CapacityLimiter(THREADS)
        self._stepping = trio.CapacityLimiter(1)
        self._calls: Counter[str] = Counter()
        self._streams: Counter[str] = Counter()
        self._links: dict[Link, str] = {}
        door.on_revoked(self._revoked)

    async def admit(self, call: Call) -> Known:
        """Let a caller in. Raises ServiceError."""
        return await self._door.admit(call)

    def begin(self, caller: Known, *, is_stream: bool) -> None:
        """Count a call; `end` counts it out. Raises ServiceError where the token has too many."""
        token = caller.token_id
        if self._calls[token] >= MAX_CALLS:
            text = f"{MAX_CALLS} calls with this token are running already; wait until one is over"
            raise ServiceError(StatusCode.RESOURCE_EXHAUSTED, text, retry_s=1)
        if is_stream and self._streams[token] >= MAX_STREAMS:
            text = f"{MAX_STREAMS} streams with this token are open already; close one"
            raise ServiceError(StatusCode.RESOURCE_EXHAUSTED, text, retry_s=1)
        self._calls[token] += 1
        self._streams[token] += is_stream

    def end(self, caller: Known, *, is_stream: bool) -> None:
        """Count a call out."""
        for counter, number in ((self._calls, 1), (self._streams, int(is_stream))):
            counter[caller.token_id] -= number
            if not counter[caller.token_id]:
                del counter[caller.token_id]

    async def answer(self, rpc: Rpc, call: Call, message: bytes) -> bytes:
        """Return the answer to a call of an RPC that has one. Raises ServiceError."""
        caller = await self.admit(call)
        request = rpc.parsed(message)
        self.begin(caller, is_stream=False)
        try:
            if inspect.iscoroutinefunction(rpc.serve):
                response = await self._in_time(partial(rpc.serve, caller, request))
            else:
                response = await self.in_thread(rpc.serve, caller, request)
        finally:
            self.end(caller, is_stream=False)
        return serialized(response)

    async def next_answer(self, caller: Known, step: Callable[[], object]) -> bytes | None:
        """Return the next answer that `step` makes, None where there is no more. Raises ServiceError."""
        async with self._stepping:
            if not self._door.is_open(caller.token_id):
                raise ServiceError(StatusCode.UNAUTHENTICATED, CLOSED)
            began = trio.current_time()
            response = await self.in_thread(step)
            await trio.sleep(REST * (trio.current_time() - began))
        return None if response is None else serialized(response)

    async def feed(
        self, caller: Known, step: Callable[[Message | None], bytes | None], request: Message | None
    ) -> bytes | None:
        """Have `step` take the next request, None first and last; return the answer once there is one."""
        if not self._door.is_open(caller.token_id):
            raise ServiceError(StatusCode.UNAUTHENTICATED, CLOSED)
        return await self.in_thread(step, request)

    async def in_thread(self, call: Callable[..., T], *args: object) -> T:
        """Return what a call in a worker thread returns. Raises ServiceError where that takes too long."""
        work = partial(call, *args)
        return await self._in_time(
            partial(trio.to_thread.run_sync, work, abandon_on_cancel=True, limiter=self._threads)
        )

    async def _in_time(self, work: Callable[[], Awaitable[T]]) -> T:
        with trio.move_on_after(self._unary_s):
            return await work()
        text = f"the server did not manage this within {self._unary_s:g} s; ask for less, or try again later"
        raise ServiceError(StatusCode.DEADLINE_EXCEEDED, text)

    def joined(self, link: Link, caller: Known) -> None:
        """Take note of a link, to be cut when its token is revoked."""
        self._links[link] = caller.token_id

    def left(self, link: Link) -> None:
        """Forget a link."""
        del self._links[link]

    def _revoked(self, token_id: str) -> None:
        for link in [link for link, token in self._links.items() if token == token_id]:
            link.close(StatusCode.UNAUTHENTICATED, CLOSED)


def serialized(response: object) -> bytes:
    """Return what a desk answered as bytes."""
    if not isinstance(response, Message):
        raise TypeError(f"a desk answers with messages, not with {type(response).__name__}")
    return response.SerializeToString()
