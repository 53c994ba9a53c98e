"""The same transport without sockets: for tests under trio's autojump clock, and for play within one process.

The bot's end is a `MemoryClient`; the server's end is a link that behaves as that of the bridge, with the same
limits. There is no buffer but the bounded queue: what the client has not received still waits in it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

import trio

from gavelport_server.transport.backlog import Backlog
from gavelport_server.transport.guard import Guard
from gavelport_server.transport.limits import Limits
from gavelport_server.transport.link import Link, Listener, LostReason, StatusCode


@dataclass(frozen=True, slots=True)
class Status:
    """How the stream ended for the client."""

    code: StatusCode
    text: str


class StreamEnded(Exception):  # noqa: N818 - an end is no error; the status says whether it was one
    """The server has ended the stream; `status` says how."""

    def __init__(self, status: Status) -> None:
        super().__init__(f"{status.code.name}: {status.text}")
        self.status = status


class MemoryTransport:
    """Connects clients in this process to a listener; to be used within one run of trio."""

    def __init__(self, listener: Listener, limits: Limits = Limits()) -> None:  # noqa: B008 - frozen
        self._guard = Guard(listener)
        self._limits = limits
        self._links: dict[_MemoryLink, None] = {}
        self._opened = 0
        self._closed = False

    def connect(self, metadata: Mapping[str, str] | None = None, peer: str = "") -> MemoryClient:
        """A client whose stream is open; keys of `metadata` are turned into lower case, as gRPC has them.

        Raises:
            StreamEnded: the transport is shut down, or has all the streams that it takes.
        """
        if self._closed:
            raise StreamEnded(Status(StatusCode.UNAVAILABLE, "the server is shutting down"))
        if len(self._links) >= self._limits.max_streams:
            raise StreamEnded(Status(StatusCode.RESOURCE_EXHAUSTED, "the server has all the streams it takes"))
        self._opened += 1
        keys = {key.lower(): value for key, value in (metadata or {}).items()}
        link = _MemoryLink(peer or f"memory:{self._opened}", keys, self._guard, self._limits, self._links)
        self._links[link] = None
        self._guard.opened(link)
        return MemoryClient(link, self._limits)

    async def aclose(self) -> None:
        """End every stream: UNAVAILABLE after what is queued, cut after the grace. The listener knows all by then."""
        self._closed = True
        links = list(self._links)
        for link in links:
            link.end(Status(StatusCode.UNAVAILABLE, "the server is shutting down"), LostReason.SHUTDOWN)
        with trio.CancelScope(shield=True):
            for link in links:
                await link.gone.wait()


class _MemoryLink:
    """The server's end of a stream, and the state that both ends share."""

    def __init__(
        self,
        peer: str,
        metadata: Mapping[str, str],
        guard: Guard,
        limits: Limits,
        links: dict[_MemoryLink, None],
    ) -> None:
        self.peer = peer
        self.metadata = metadata
        self.queue: deque[bytes] = deque()
        self.changed = trio.Event()
        self.gone = trio.Event()
        self.status: Status | None = None
        """Set as soon as the end is decided; what is queued still goes first."""
        self._backlog = Backlog(limits)
        self._guard = guard
        self._grace_s = limits.close_grace_ms / 1000
        self._links = links
        self._reason: LostReason | None = None

    def send(self, message: bytes) -> None:
        """As `Link.send`."""
        if self.status is not None:
            return
        refusal = self._backlog.admit(message)
        if refusal is None:
            self.queue.append(message)
            self._wake()
        else:
            self.end(Status(StatusCode.RESOURCE_EXHAUSTED, refusal), LostReason.OVERFLOW)

    def close(self, code: StatusCode, text: str) -> None:
        """As `Link.close`."""
        self.end(Status(code, text), LostReason.CLOSED)

    def cancel(self) -> None:
        """As `Link.cancel`."""
        self.cut(Status(StatusCode.CANCELLED, "cancelled by the server"), LostReason.CLOSED)

    def end(self, status: Status, reason: LostReason) -> None:
        """End politely; the first cause counts."""
        if self.status is not None:
            return
        self.status = status
        self._reason = reason
        self._wake()
        trio.lowlevel.spawn_system_task(self._lose)

    def cut(self, status: Status, reason: LostReason) -> None:
        """Drop what is queued and end."""
        self.queue.clear()
        self.end(status, reason)
        self._wake()

    def receive(self, message: bytes) -> None:
        """A message of the client has come."""
        if self.status is None:
            self._guard.received(self, message, trio.current_time())

    def taken(self, message: bytes) -> None:
        """The client has received a message."""
        self._backlog.release(message)
        self._wake()

    def _wake(self) -> None:
        self.changed.set()
        self.changed = trio.Event()

    async def _lose(self) -> None:
        """Wait until the client has read all, but no longer than the grace; then tell the listener."""
        assert self._reason is not None
        with trio.move_on_after(self._grace_s):
            while self.queue:
                await self.changed.wait()
        self.queue.clear()
        del self._links[self]
        self._guard.lost(self, self._reason)
        self.gone.set()
        self._wake()


class MemoryClient:
    """The bot's end of a stream."""

    def __init__(self, link: _MemoryLink, limits: Limits) -> None:
        self._link = link
        self._limits = limits
        self._half_closed = False

    @property
    def link(self) -> Link:
        """The server's end, for tests."""
        return self._link

    async def send(self, message: bytes) -> None:
        """Send a message; one above the limit costs the stream, as gRPC has it.

        Raises:
            StreamEnded: the stream has ended.
            RuntimeError: this side is closed already.
        """
        await trio.lowlevel.checkpoint()
        if self._half_closed:
            raise RuntimeError("this end was closed by half_close(); nothing more can be sent on it")
        if self._link.status is not None:
            raise StreamEnded(self._link.status)
        if len(message) > self._limits.max_receive_bytes:
            text = f"message of {len(message)} bytes is above the limit of {self._limits.max_receive_bytes}"
            self._link.cut(Status(StatusCode.RESOURCE_EXHAUSTED, text), LostReason.CANCELLED)
            return
        self._link.receive(message)

    async def receive(self) -> bytes:
        """The next message.

        Raises:
            StreamEnded: there are no more.
        """
        await trio.lowlevel.checkpoint()
        link = self._link
        while not link.queue:
            if link.status is not None:
                raise StreamEnded(link.status)
            await link.changed.wait()
        message = link.queue.popleft()
        link.taken(message)
        return message

    async def half_close(self) -> None:
        """Say that nothing more will be sent; the server then ends the stream with OK."""
        await trio.lowlevel.checkpoint()
        self._half_closed = True
        self._link.end(Status(StatusCode.OK, ""), LostReason.ENDED)

    def cancel(self) -> None:
        """Leave at once, as a bot does that dies."""
        self._link.cut(Status(StatusCode.CANCELLED, "cancelled by the client"), LostReason.CANCELLED)
