"""The running matches that people look at, in the pages' process: asked for, kept while somebody looks, told on."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import structlog
import trio
from gavelport.v1 import spectate_pb2 as pb

from gavelport_server.conduct.ladder.listing import RunningMatch
from gavelport_server.pages.live.channel import Channel, message
from gavelport_server.pages.live.scene import KEPT, LiveScene
from gavelport_server.pages.live.wire import ALL, BEGIN, END, GONE, framed, frames

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gavelport_engine.game import Json

PACE_S = 0.25
"""What happens within it is told together: people see no more, and each message costs the serving process."""
ASK_S = 3.0
"""So long an answer is waited for."""
IDLE_S = 20.0
"""A match that nobody looks at is kept so long, for who is on the way."""
ENDED_S = 120.0
"""So long it is remembered that a match has ended, while its replay is being kept."""
MOST_WATCHED = 100
_MATCH_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")
_log = structlog.get_logger(__name__)


class FullError(Exception):
    """As many matches are looked at as can be: one more that runs cannot."""


@dataclass(eq=False, slots=True)
class LiveMatch:
    """A match that is looked at."""

    match_id: str
    channel: Channel = field(init=False)
    answered: trio.Event = field(default_factory=trio.Event)
    scene: LiveScene | None = None
    over: Json | None = None
    over_at: float = 0.0
    _untold: list[Json] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.channel = Channel(self._whole)

    def take(self, content: bytes) -> None:
        """Hear of it. Raises CodecError and DecodeError for what cannot be read."""
        told = pb.WatchResponse.FromString(content)
        match told.WhichOneof("message"):
            case "start":
                self.scene = LiveScene(told.start)
                self._untold.clear()
                self.channel.renew()
                self.answered.set()
            case "events" if self.scene is not None:
                self._untold.append(self.scene.take(told.events))
            case "end" if self.scene is not None:
                self.tell()
                self.over, self.over_at = self.scene.end(told.end), trio.current_time()
                self.channel.tell(message("over", _text(self.over)))
                self.channel.close()

    def tell(self) -> None:
        """Tell those who look what has happened since."""
        if self._untold:
            assert self.scene is not None
            told, self._untold = self._untold, []
            if len(told) > KEPT:
                self.channel.renew()  # all of it is less than that
            elif self.channel.listeners:
                self.channel.tell(message("steps", _text(told), self.scene.decisions))

    def _whole(self) -> bytes:
        assert self.scene is not None
        self.tell()  # it is in there; whoever is told it later would have it twice
        whole = message("scene", _text(self.scene.told()), self.scene.decisions)
        return whole if self.over is None else whole + message("over", _text(self.over))


class Hall:
    """All of them. `run` keeps them; until it does, and when the serving process is gone, nothing is found."""

    def __init__(self, stream: trio.SocketStream, list_as_text: Callable[[Sequence[RunningMatch]], str]) -> None:
        """Take the connection to the serving process, and how the list of running matches is put down."""
        self.running: tuple[RunningMatch, ...] = ()
        self.list = Channel(lambda: message("running", list_as_text(self.running)))
        self._stream = stream
        self._matches: dict[str, LiveMatch] = {}
        self._out = bytearray()
        self._work = trio.Event()
        self._is_list_wanted = False
        self._list_known = trio.Event()

    async def run(self) -> None:
        """Hear what the serving process tells, until it is gone."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._ask)
                nursery.start_soon(self._pace)
                async for topic, content in frames(self._stream):
                    self._hear(topic, content)
                nursery.cancel_scope.cancel()
        except* trio.BrokenResourceError:
            pass  # whoever started this process has ended, and so does it

    async def match(self, match_id: str) -> LiveMatch | None:
        """Return a match that runs, or has just ended; None where there is none. Raises FullError."""
        if not _MATCH_ID.fullmatch(match_id):
            return None
        found = self._matches.get(match_id)
        if found is None:
            if len(self._matches) >= MOST_WATCHED and not self._has_made_room():
                if match_id in (one.match_id for one in await self.rows()):
                    raise FullError
                return None
            found = self._matches[match_id] = LiveMatch(match_id)
            self._say(match_id, BEGIN)
        with trio.move_on_after(ASK_S):
            await found.answered.wait()
        return None if found.scene is None else found

    async def rows(self) -> Sequence[RunningMatch]:
        """Return the running matches, oldest first."""
        self.list.empty_since = trio.current_time()
        if not self._is_list_wanted:
            self._is_list_wanted, self._list_known = True, trio.Event()
            self._say(ALL, BEGIN)
        with trio.move_on_after(ASK_S):
            await self._list_known.wait()
        return self.running

    def _hear(self, topic: str, content: bytes) -> None:
        if topic == ALL:
            self.running = tuple(RunningMatch(**{**one, "bots": tuple(one["bots"])}) for one in json.loads(content))
            self._list_known.set()
            self.list.renew()
            return
        match = self._matches.get(topic)
        if match is None:
            return
        if content == GONE:
            del self._matches[topic]
            match.answered.set()
            return
        try:
            match.take(content)
        except Exception:  # noqa: BLE001  costs those who look at this match, and nobody else
            _log.exception("live_match_not_told", match=topic)
            self._drop(match)

    def _has_made_room(self) -> bool:
        """Forget a match that has ended and that nobody looks at, if there is one."""
        ended = (one for one in self._matches.values() if one.over is not None and not one.channel.listeners)
        if (oldest := next(ended, None)) is None:
            return False
        del self._matches[oldest.match_id]
        return True

    def _drop(self, match: LiveMatch) -> None:
        del self._matches[match.match_id]
        match.scene = None
        match.answered.set()
        match.channel.close()
        self._say(match.match_id, END)

    async def _pace(self) -> None:
        while True:
            await trio.sleep(PACE_S)
            now = trio.current_time()
            for match in tuple(self._matches.values()):
                match.tell()
                if match.over is not None:
                    if now - match.over_at > ENDED_S:
                        del self._matches[match.match_id]
                elif not match.channel.listeners and now - match.channel.empty_since > IDLE_S:
                    self._drop(match)
            if self._is_list_wanted and not self.list.listeners and now - self.list.empty_since > IDLE_S:
                self._is_list_wanted = False
                self._say(ALL, END)

    def _say(self, topic: str, what: bytes) -> None:
        self._out += framed(topic, what)
        self._work.set()

    async def _ask(self) -> None:
        while True:
            await self._work.wait()
            self._work = trio.Event()
            out, self._out = self._out, bytearray()
            await self._stream.send_all(out)


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
