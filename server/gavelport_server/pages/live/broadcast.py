"""Running matches told to the pages' process, from within the process that conducts them.

It costs a match nothing until somebody looks, then one encoding of the public table a decision, whoever looks. Nothing
ever waits for the other process: what it has not taken of a match is dropped when it becomes too much, and the match
is told from its present on instead.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Protocol

import trio
from gavelport_codecs.registry import codec_for

from gavelport_server.conduct.ladder.spectate import Over, Shown
from gavelport_server.lobby.spectate import end, events, start
from gavelport_server.pages.live.wire import ALL, BEGIN, GONE, framed, frames

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gavelport_server.conduct.ladder.listing import RunningMatch
    from gavelport_server.conduct.ladder.spectate import SpectatorFeed

MOST_PENDING = 500
"""Messages of one match that wait to be taken."""
LIST_S = 1.0
"""How often the list of running matches is looked at, while somebody looks at it."""


class Live(Protocol):
    """Whoever conducts matches. Called in the trio thread."""

    def running(self) -> Sequence[RunningMatch]:
        """Return the running matches, oldest first."""
        ...

    def spectate(self, match_id: str) -> SpectatorFeed | None:
        """Return what spectators of a running match are told by; None where no such match runs."""
        ...


@dataclass(eq=False, slots=True)
class _Watched:
    """A match that is told, and what of it has not been taken yet."""

    feed: SpectatorFeed
    wake: Callable[[], None]
    pending: deque[bytes] = field(default_factory=deque)
    is_behind: bool = False
    over: Over | None = None

    def begin(self) -> None:
        """Tell the present, what became public before, and what comes."""
        self.pending.clear()
        self.is_behind = False
        self.feed.detach(self.tell)
        codec, present = codec_for(self.feed.setup.game.id), self.feed.attach(self.tell)
        self.pending.append(start(self.feed, codec, present, self.feed.past))
        self.wake()

    def tell(self, what: Shown | Over) -> None:
        """Hear what happened; called while the match is conducted."""
        if isinstance(what, Over):
            self.over = what
        elif len(self.pending) >= MOST_PENDING:
            self.pending.clear()
            self.is_behind = True
        elif not self.is_behind:
            self.pending.append(events(codec_for(self.feed.setup.game.id), what).SerializeToString())
        self.wake()

    def taken(self) -> list[bytes]:
        """Return what is to be sent now."""
        if self.is_behind:
            self.begin()
        found = list(self.pending)
        self.pending.clear()
        if self.over is not None:
            found.append(end(self.over).SerializeToString())
        return found


class Broadcast:
    """One connection to a pages' process."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._watched: dict[str, _Watched] = {}
        self._gone: list[str] = []
        self._list: bytes | None = None
        """What the other side knows of the list; None while it does not ask."""
        self._is_list_due = False
        self._work = trio.Event()

    async def run(self, stream: trio.SocketStream) -> None:
        """Answer what is asked, until the other side is gone."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._tell, stream)
                nursery.start_soon(self._look)
                async for topic, content in frames(stream):
                    self._asked(topic, is_wanted=content == BEGIN)
                nursery.cancel_scope.cancel()
        except* trio.BrokenResourceError:
            pass  # the process has ended
        finally:
            for watched in self._watched.values():
                watched.feed.detach(watched.tell)
            self._watched.clear()

    def _asked(self, topic: str, *, is_wanted: bool) -> None:
        if topic == ALL:
            self._list = b"" if is_wanted else None
            self._is_list_due = is_wanted
            self._wake()
            return
        if (watched := self._watched.pop(topic, None)) is not None:
            watched.feed.detach(watched.tell)
        if not is_wanted:
            return
        if (feed := self._live.spectate(topic)) is None:
            self._gone.append(topic)
            self._wake()
            return
        watched = self._watched[topic] = _Watched(feed, self._wake)
        watched.begin()

    def _wake(self) -> None:
        self._work.set()

    async def _look(self) -> None:
        while True:
            await trio.sleep(LIST_S)
            if self._list is not None:
                self._is_list_due = True
                self._wake()

    async def _tell(self, stream: trio.SocketStream) -> None:
        while True:
            await self._work.wait()
            self._work = trio.Event()
            out = bytearray()
            gone, self._gone = self._gone, []
            for topic in gone:
                out += framed(topic, GONE)
            for topic, watched in tuple(self._watched.items()):
                for message in watched.taken():
                    out += framed(topic, message)
                if watched.over is not None:
                    del self._watched[topic]
            if self._is_list_due:
                self._is_list_due = False
                found = json.dumps([asdict(one) for one in self._live.running()], ensure_ascii=False).encode()
                if found != self._list:
                    self._list = found
                    out += framed(ALL, found)
            if out:
                await stream.send_all(out)
