"""One gRPC stream: `Stream` lives in the asyncio loop, `StreamLink` is its face in trio.

Neither reading nor writing has a task of its own. `context.read()` and `context.write()` are coroutines that wait
for one future each; they are stepped by that future's callbacks, without a switch of tasks. Writes begin in the loop's
next round, so that all messages of a burst are handled before the first answer is sent: the caches stay warm,
and whoever is woken by the first finds the others. The handler's own task does nothing but wait for the end.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio

from gavelport_server.transport.backlog import Backlog
from gavelport_server.transport.crossing import Crossing
from gavelport_server.transport.guard import Guard
from gavelport_server.transport.limits import Limits
from gavelport_server.transport.link import LostReason, StatusCode

Context = grpc.aio.ServicerContext[bytes, bytes]
CODES = {code.value[0]: code for code in grpc.StatusCode}
"""gRPC's own codes by their numbers, which are those of `StatusCode`."""
_MAX_UNDELIVERED = 16
"""Messages of one bot that may be on their way to trio; then its stream is not read until they have arrived."""
SETTLE_S = 0.1
"""After the end of the incoming side, how long a cancellation may take to show. A killed client shows both."""


@dataclass(frozen=True, slots=True)
class Ending:
    """With which status a stream ends, and what the listener is told."""

    code: StatusCode
    text: str
    reason: LostReason


CUT = Ending(StatusCode.CANCELLED, "cancelled by the server", LostReason.CLOSED)
SHUTDOWN = Ending(StatusCode.UNAVAILABLE, "the server is shutting down", LostReason.SHUTDOWN)
_HALF_CLOSED = Ending(StatusCode.OK, "", LostReason.ENDED)
_BROKEN = Ending(StatusCode.CANCELLED, "", LostReason.CANCELLED)


class StreamLink:
    """The link of a stream; used in the trio thread only."""

    __slots__ = ("_backlog", "_guard", "_shut", "_stream", "_to_asyncio", "delivered", "metadata", "peer")

    def __init__(self, stream: Stream, backlog: Backlog, guard: Guard, crossing: Crossing, context: Context) -> None:
        self.peer: str = context.peer()
        metadata = context.invocation_metadata() or ()
        self.metadata: Mapping[str, str] = {key: value for key, value in metadata if isinstance(value, str)}
        self.delivered = 0
        self._stream = stream
        self._backlog = backlog
        self._guard = guard
        self._to_asyncio = crossing.to_asyncio
        self._shut = False

    def send(self, message: bytes) -> None:
        """As `Link.send`."""
        if self._shut:
            return
        refusal = self._backlog.admit(message)
        if refusal is None:
            self._to_asyncio(self._stream.push, message)
        else:
            self._end(Ending(StatusCode.RESOURCE_EXHAUSTED, refusal, LostReason.OVERFLOW))

    def close(self, code: StatusCode, text: str) -> None:
        """As `Link.close`."""
        if not self._shut:
            self._end(Ending(code, text, LostReason.CLOSED))

    def cancel(self) -> None:
        """As `Link.cancel`."""
        self._shut = True
        self._to_asyncio(self._stream.cut)

    def _end(self, ending: Ending) -> None:
        self._shut = True
        self._to_asyncio(self._stream.end, ending)

    def was_opened(self) -> None:
        """Tell the listener; called by the stream, through the crossing, like the next two."""
        self._guard.opened(self)

    def was_received(self, message: bytes, at: float) -> None:
        """Tell the listener, unless the server is through with this bot."""
        if not self._shut:
            self._guard.received(self, message, at)
        self.delivered += 1
        if self._stream.is_paused:
            self._to_asyncio(self._stream.resume)

    def was_lost(self, reason: LostReason) -> None:
        """Tell the listener."""
        self._shut = True
        self._guard.lost(self, reason)


class Stream:
    """A stream in the asyncio loop: reads, writes, and ends with exactly one `lost`."""

    def __init__(
        self,
        context: Context,
        limits: Limits,
        guard: Guard,
        crossing: Crossing,
        now: Callable[[], float],
        *,
        is_one_sided: bool = False,
    ) -> None:
        """Take the call. One that is one-sided goes on when the client has closed its side."""
        self._context = context
        self._is_one_sided = is_one_sided
        self._loop = asyncio.get_running_loop()
        self._grace_s = limits.close_grace_ms / 1000
        self._now = now
        self._to_trio = crossing.to_trio
        self._backlog = Backlog(limits)
        self._link = StreamLink(self, self._backlog, guard, crossing, context)
        self._was_received = self._link.was_received
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._ending: Ending | None = None
        self._grace: asyncio.TimerHandle | None = None
        self._posted = 0
        self.is_paused = False
        self._reading: Coroutine[Any, Any, Any] | None = None
        self._queue: deque[bytes] = deque()
        self._written = b""
        self._writing: Coroutine[Any, Any, None] | None = None

    async def serve(self) -> None:
        """The life of the stream, as the handler of its call.

        Raises:
            asyncio.CancelledError: the client has cancelled or is gone, which grpc.aio expects to see.
            grpc.aio.AbortError: the stream was ended with a status other than OK, likewise.
        """
        self._to_trio(self._link.was_opened)
        self._step_read()
        try:
            await self._over
        except asyncio.CancelledError:
            self._finish(_BROKEN)
            raise
        finally:
            assert self._ending is not None
            self._to_trio(self._link.was_lost, self._ending.reason)
        if self._ending.code is not StatusCode.OK:
            # Behind a write that the client does not read this waits, and with it the call, for as long as the
            # connection lasts: gRPC gives no way to cut a single call from the server. Trio has been told already.
            await self._context.abort(CODES[self._ending.code], self._ending.text)

    def _step_read(self, _future: object = None) -> None:
        """Take the read on; whenever it is done, hand the message over and begin the next."""
        try:
            while not self._over.done():
                if self._reading is None:
                    self._reading = self._context.read()
                try:
                    future = self._reading.send(None)
                except StopIteration as done:
                    message = done.value
                else:
                    future.add_done_callback(self._step_read)
                    return
                if message is grpc.aio.EOF:
                    if self._is_one_sided:
                        return
                    self._loop.call_later(SETTLE_S, self.end, _HALF_CLOSED)
                    return
                self._reading = None
                self._posted += 1
                self._to_trio(self._was_received, message, self._now())
                if self._posted - self._link.delivered >= _MAX_UNDELIVERED:
                    self.is_paused = True
                    # Trio looks at the flag after each delivery; the last one may just have been made.
                    if self._posted != self._link.delivered:
                        return
                    self.is_paused = False
        except Exception:  # noqa: BLE001 - grpc.aio's own errors; all say that the call is over
            self._break()

    def resume(self) -> None:
        """Read on, if reading was paused and trio has caught up."""
        if self.is_paused and self._posted == self._link.delivered:
            self.is_paused = False
            self._step_read()

    def push(self, message: bytes) -> None:
        """Write a message, after those that wait."""
        if self._ending is not None:
            return
        self._queue.append(message)
        if self._writing is None and len(self._queue) == 1:
            self._loop.call_soon(self._begin_write)

    def _begin_write(self) -> None:
        if self._writing is None and self._queue:
            self._written = self._queue.popleft()
            self._writing = self._context.write(self._written)
            self._step_write()

    def _step_write(self, _future: object = None) -> None:
        """Take the write on; whenever it is done, begin the next, or end if that was waited for."""
        try:
            while self._writing is not None:
                try:
                    future = self._writing.send(None)
                except StopIteration:
                    self._backlog.release(self._written)
                else:
                    future.add_done_callback(self._step_write)
                    return
                if self._queue:
                    self._written = self._queue.popleft()
                    self._writing = self._context.write(self._written)
                else:
                    self._writing = None
                    if self._ending is not None:
                        self._finish(self._ending)
        except Exception:  # noqa: BLE001 - as in _step_read
            self._break()

    def _break(self) -> None:
        """The call failed under a read or a write: gRPC's cancellation should follow, and else this one does."""
        self._queue.clear()
        if not self._over.done():
            self._loop.call_later(SETTLE_S, self._finish, _BROKEN)

    def end(self, ending: Ending) -> None:
        """End politely: what is queued first, but no later than after the grace."""
        if self._ending is not None:
            return
        self._ending = ending
        if self._writing is None and not self._queue:
            self._finish(ending)
        else:
            self._grace = self._loop.call_later(self._grace_s, self._finish, ending)

    def cut(self) -> None:
        """End now."""
        self._finish(CUT)

    def _finish(self, ending: Ending) -> None:
        """Let the handler end; the first cause counts."""
        self._ending = self._ending or ending
        self._queue.clear()
        if self._grace is not None:
            self._grace.cancel()
        if not self._over.done():
            self._over.set_result(None)
