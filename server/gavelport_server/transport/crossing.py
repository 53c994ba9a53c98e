"""Ways between the listener, which trio runs, and the streams, which asyncio runs."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

import trio

Call = Callable[..., None]


class Crossing(Protocol):
    """Takes calls to the other side, in order."""

    def to_trio(self, call: Call, *args: Any) -> None:
        """Have the trio side make a call; made on the asyncio side."""
        ...

    def to_asyncio(self, call: Call, *args: Any) -> None:
        """Have the asyncio side make a call; made on the trio side."""
        ...


class SameThread:
    """Trio is the guest of the asyncio loop: there is nothing to cross, and calls are made at once."""

    def to_trio(self, call: Call, *args: Any) -> None:
        """Make the call."""
        call(*args)

    to_asyncio = to_trio


class TwoThreads:
    """Two queues, each of which wakes the other thread once a burst.

    A queue's flag says that the other thread has been woken and has not begun yet. It is cleared before the queue is
    drained: a call that comes while draining is either still taken or wakes anew, and none is left lying.
    """

    def __init__(self, token: trio.lowlevel.TrioToken, loop: asyncio.AbstractEventLoop) -> None:
        self._token = token
        self._loop = loop
        self._inbound: deque[tuple[Call, tuple[Any, ...]]] = deque()
        self._outbound: deque[tuple[Call, tuple[Any, ...]]] = deque()
        self._trio_woken = self._asyncio_woken = False

    def to_trio(self, call: Call, *args: Any) -> None:
        """Queue a call for the trio thread."""
        self._inbound.append((call, args))
        if not self._trio_woken:
            self._trio_woken = True
            try:
                self._token.run_sync_soon(self._drain_in_trio)
            except trio.RunFinishedError:
                self._inbound.clear()  # Nobody is left who could be told.

    def to_asyncio(self, call: Call, *args: Any) -> None:
        """Queue a call for the asyncio thread."""
        self._outbound.append((call, args))
        if not self._asyncio_woken:
            self._asyncio_woken = True
            self._loop.call_soon_threadsafe(self._drain_in_asyncio)

    def _drain_in_trio(self) -> None:
        self._trio_woken = False
        queue = self._inbound
        # Only what is there now, so that a flood cannot keep trio's other tasks waiting; what comes later wakes anew.
        for _ in range(len(queue)):
            call, args = queue.popleft()
            call(*args)

    def _drain_in_asyncio(self) -> None:
        self._asyncio_woken = False
        queue = self._outbound
        for _ in range(len(queue)):
            call, args = queue.popleft()
            call(*args)
