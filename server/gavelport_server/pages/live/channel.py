"""What all who look at one thing are told: first all of it, then what changes, as server-sent events.

Nobody waits for anybody. Who does not read as fast as things happen gets, instead of what was missed, all of it anew.
A comment now and then keeps proxies from taking a still match for a dead one.
"""

from __future__ import annotations

import re
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING

import trio
from starlette.responses import Response

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from starlette.types import Receive, Scope, Send

MOST_QUEUED = 12
"""Messages that wait for one who looks."""
HEARTBEAT_S = 15.0
HEARTBEAT = b": still here\n\n"
HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}
"""Nothing is kept, nor held back by nginx until there is more of it."""
_LINE_END = re.compile(r"\r\n|\r|\n")


def message(event: str, data: str, number: int | None = None) -> bytes:
    """Return one event for a browser."""
    lines = "\n".join(f"data: {line}" for line in _LINE_END.split(data))
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {event}\n{lines}\n\n".encode()


class Listener:
    """One who looks."""

    def __init__(self, whole: Callable[[], bytes], *, is_closed: bool = False) -> None:
        self.times_behind = 0
        self._whole = whole
        self._queue = deque[bytes]()
        self._is_behind = True
        self._is_closed = is_closed
        self._news = trio.Event()
        self._news.set()

    def tell(self, told: bytes) -> None:
        """Queue a message, or give up on what is queued."""
        if len(self._queue) >= MOST_QUEUED:
            self._queue.clear()
            self._is_behind = True
            self.times_behind += 1
        elif not self._is_behind:
            self._queue.append(told)
        self._news.set()

    def renew(self) -> None:
        """Have it told all of it anew."""
        self._queue.clear()
        self._is_behind = True
        self._news.set()

    def close(self) -> None:
        """Tell what is queued, then no more."""
        self._is_closed = True
        self._news.set()

    async def next(self) -> bytes | None:
        """Return what comes next, a heartbeat while nothing does, or None at the end."""
        while True:
            if self._is_behind:
                whole = self._whole()
                self._is_behind = False
                return whole
            if self._queue:
                return self._queue.popleft()
            if self._is_closed:
                return None
            self._news = trio.Event()
            with trio.move_on_after(HEARTBEAT_S):
                await self._news.wait()
                continue
            return HEARTBEAT


class Channel:
    """One thing that is looked at; `whole` returns the messages that tell all of it."""

    def __init__(self, whole: Callable[[], bytes]) -> None:
        self.listeners: set[Listener] = set()
        self.empty_since = trio.current_time()
        self._whole = whole
        self._is_closed = False

    def tell(self, told: bytes) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.tell(told)

    def renew(self) -> None:
        """Tell everybody all of it anew."""
        for listener in self.listeners:
            listener.renew()

    def close(self) -> None:
        """Tell everybody no more, and whoever comes later all of it, once."""
        self._is_closed = True
        for listener in self.listeners:
            listener.close()

    @contextmanager
    def listening(self) -> Iterator[Listener]:
        """Give a listener, who is told until the end."""
        listener = Listener(self._whole, is_closed=self._is_closed)
        self.listeners.add(listener)
        try:
            yield listener
        finally:
            self.listeners.discard(listener)
            if not self.listeners:
                self.empty_since = trio.current_time()


class EventStream(Response):
    """The answer to a browser that looks."""

    media_type = "text/event-stream"

    def __init__(self, channel: Channel) -> None:
        super().__init__(headers=HEADERS)
        del self.headers["content-length"]
        self._channel = channel

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Tell, until the end or until the browser is gone."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        with self._channel.listening() as listener:
            async with trio.open_nursery() as nursery:

                async def leave() -> None:
                    while (await receive())["type"] != "http.disconnect":
                        pass
                    nursery.cancel_scope.cancel()

                nursery.start_soon(leave)
                while scope["method"] == "GET" and (told := await listener.next()) is not None:
                    await send({"type": "http.response.body", "body": told, "more_body": True})
                nursery.cancel_scope.cancel()
        await send({"type": "http.response.body", "body": b""})
