"""A session: the place of one bot process at the referee, connected or not."""

from __future__ import annotations

import hmac
import secrets
from collections import OrderedDict
from typing import TYPE_CHECKING, Protocol

import trio

from gavelport_server.transport.link import StatusCode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gavelport.v1 import referee_pb2

    from gavelport_server.referee.report import SeatName
    from gavelport_server.transport.link import Link

ENDED_KEPT = 16
"""Ends of matches that are told again to a bot that was away when it happened."""


class SessionGoneError(RuntimeError):
    """The bot's process has ended for good; the text says why."""


class Place(Protocol):
    """A seat in a running match, as a session reaches it."""

    def answered(self, answer: referee_pb2.Answer, at: float) -> bool:
        """Hand over an answer; return whether it was one to an open decision."""
        ...

    def lost(self) -> None:
        """The bot cannot be reached."""
        ...

    def back(self, last_event: int) -> None:
        """The bot is back, and has seen the events up to this number."""
        ...

    def gone(self, why: str) -> None:
        """The bot never comes back; `why` says in words how its process ended."""
        ...


class Session:
    """One bot process: who it is, its link while it has one, and the matches that it plays."""

    def __init__(self, name: SeatName) -> None:
        self.name = name
        self.link: Link | None = None
        self.places: dict[str, Place] = {}
        """The running matches, by match id."""
        self.events_only = False
        """Whether the bot wants its decisions without observations."""
        self.max_matches = 1
        """How many matches the bot plays at the same time; as it said in its Hello."""
        self.games: tuple[str, ...] = ()
        """What the bot says that it plays."""
        self.gone_reason = ""
        """Why the bot's process is gone for good; empty while it is not."""
        self.complaint = ""
        """What the bot was last told of messages that were none; whoever asks for it empties it."""
        self._resume_token = ""
        self._ended: OrderedDict[str, bytes] = OrderedDict()
        self._changed = trio.Event()

    @property
    def connected(self) -> bool:
        """Whether messages reach the bot: it is connected and has said Hello."""
        return self.link is not None

    async def wait_connected(self) -> None:
        """Wait until the bot has connected and said Hello. Raises SessionGoneError once it never will."""
        while not self.connected:
            if self.gone_reason:
                raise SessionGoneError(f"{self.name.bot}: {self.gone_reason}")
            await self._changed.wait()

    def gone(self, reason: str) -> None:
        """Take note that the bot's process has ended for good; `reason` says why, in words."""
        if self.gone_reason:
            return
        self.gone_reason = reason
        if self.link is not None:
            self.link.close(StatusCode.UNAVAILABLE, "the bot's process has ended")
            self.link = None
        for place in tuple(self.places.values()):
            place.gone(reason)
        self._wake()

    def close(self, text: str) -> None:
        """End the bot's stream politely, if there is one; the bot is told OK and may come back."""
        if self.link is not None:
            self.link.close(StatusCode.OK, text)
            self.disconnect()

    # -- for the hub and the matches

    def send(self, message: bytes) -> None:
        """Send a PlayResponse, if the bot can be reached."""
        if self.link is not None:
            self.link.send(message)

    def connect(self, link: Link, hello: referee_pb2.Hello) -> bool:
        """Let a link that said Hello be the bot's from now on; return whether its earlier session goes on."""
        resumed = bool(self._resume_token) and hmac.compare_digest(
            hello.session_token.encode(), self._resume_token.encode()
        )
        self._resume_token = secrets.token_urlsafe(24)
        self.link = link
        self.events_only = hello.events_only
        self.max_matches = hello.max_matches or 1
        self.games = tuple(hello.games)
        self._wake()
        return resumed

    @property
    def resume_token(self) -> str:
        """What the bot names on a return; a new one with each connection."""
        return self._resume_token

    def go_on(self, last_events: Mapping[str, int]) -> list[str]:
        """Take up the running matches on a fresh link, tell the ends that the bot missed, and return what is unknown.

        `last_events` are those that the bot says it has seen, by match id; of a match not named, none.
        """
        unknown = [match_id for match_id in last_events if match_id not in self.places]
        for match_id, place in tuple(self.places.items()):
            place.back(last_events.get(match_id, 0))
        for match_id in unknown:
            if match_id in self._ended:
                self.send(self._ended[match_id])
        return [match_id for match_id in unknown if match_id not in self._ended]

    def disconnect(self) -> None:
        """Take note that the link is lost; the bot may come back."""
        self.link = None
        for place in tuple(self.places.values()):
            place.lost()

    def end(self, match_id: str, message: bytes) -> None:
        """Tell the end of a match, now and again on a return, and take the match out."""
        del self.places[match_id]
        self._ended[match_id] = message
        while len(self._ended) > ENDED_KEPT:
            self._ended.popitem(last=False)
        self.send(message)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = trio.Event()
