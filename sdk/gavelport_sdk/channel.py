"""What both runners know of a connection: how it is made, when to try again, and which exit code an end means."""

from __future__ import annotations

import ipaddress
import sys
import traceback
from typing import TYPE_CHECKING

from gavelport_sdk.entry import version_of
from gavelport_sdk.errors import BotError, Exit, ProtocolError, SetupError
from gavelport_sdk.session import Session

if TYPE_CHECKING:
    from gavelport_sdk.bot import Bot
    from gavelport_sdk.entry import Connection

OPTIONS = (
    ("grpc.max_receive_message_length", 4 * 1024 * 1024),
    ("grpc.enable_http_proxy", 0),
    # A server that is gone without a word is noticed by an unanswered ping; servers refuse more than one in 10 s.
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
)

TLS = "tls:"
"""Before a target that is reached by TLS although it is on this machine."""

_FIRST_S, _MOST_S = 0.1, 5.0
_TOTAL_S = 60.0
_KNOWN_TOTAL_S = 600.0
"""A server that has said welcome before may be started anew, which takes its time."""

_HINTS = {
    "UNAUTHENTICATED": "the server does not accept the token; check GAVELPORT_TOKEN",
    "PERMISSION_DENIED": "the token does not allow this; check GAVELPORT_TOKEN",
    "FAILED_PRECONDITION": "the server refuses this session",
    "INVALID_ARGUMENT": "the server does not understand this SDK; do their versions match?",
    "UNIMPLEMENTED": "what answers is no gavelport server of this version; check GAVELPORT_TARGET",
}
"""The statuses after which trying again does not help."""


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    """Return the metadata that goes with the call."""
    return (("authorization", f"Bearer {token}"),)


def is_local(target: str) -> bool:
    """Return whether a target is on this machine: a unix socket or loopback. Everywhere else TLS is used (design 9)."""
    if target.startswith("unix:"):
        return True
    host = target.rpartition(":")[0].removeprefix("dns:").strip("/[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Backoff:
    """Waits between tries: 0.1 s, doubling up to 5 s, for about `total_s` in all."""

    def __init__(self, total_s: float = _TOTAL_S) -> None:
        self.total_s = total_s
        self._next_s = _FIRST_S
        self._spent_s = 0.0

    def next_s(self) -> float | None:
        """Return how long to wait before the next try; None when it is time to give up."""
        if self._spent_s >= self.total_s:
            return None
        delay_s = self._next_s
        self._next_s = min(2 * delay_s, _MOST_S)
        self._spent_s += delay_s
        return delay_s


def session_with(server: Connection, bot_class: type[Bot], max_matches: int) -> Session:
    """Return a bot's side of the protocol, as the environment and its class want it. Raises SetupError."""
    return Session(
        bot_class,
        bot_class.games,
        version=version_of(bot_class),
        max_matches=max_matches,
        is_practice=server.is_practice,
    )


class Line:
    """The connection to a server over all its streams: what follows when one has ended."""

    def __init__(self, target: str, session: Session) -> None:
        """Take where the server is, and the session that goes over its streams."""
        self._target = target
        self._session = session
        self._backoff = Backoff()

    def ended(self, status: str, details: str) -> Exit | float:
        """Return the exit code, or after how many seconds to try again; says why on stderr.

        `status` is gRPC's word for how the stream ended, `OK` or an error, `details` the text that came with it.
        """
        if self._session.is_welcome:
            self._backoff = Backoff(_KNOWN_TOTAL_S)
        if self._session.is_fenced or status == "ABORTED":
            say("error: a newer connection with the same token took over; this process ends")
            return Exit.FENCED
        if status == "OK":
            return Exit.OVER
        why = f"{status}: {details}" if details else status
        if status in _HINTS:
            say(f"error: {self._target}: {_HINTS[status]} ({why})")
            return Exit.SETUP
        delay_s = self._backoff.next_s()
        if delay_s is None:
            after = "a minute" if self._backoff.total_s == _TOTAL_S else f"{self._backoff.total_s / 60:.0f} minutes"
            say(f"error: {self._target} cannot be reached ({why}); gave up after {after}. Check GAVELPORT_TARGET")
            return Exit.SERVER
        say(f"no connection to {self._target} ({why}); trying again in {delay_s:g} s")
        return delay_s


def failure(error: BotError | SetupError | ProtocolError) -> Exit:
    """Write to stderr what went wrong, a bot's exception with its traceback, and return the exit code."""
    if isinstance(error, BotError):
        lines = traceback.format_exception(error.__cause__) if error.__cause__ else []
        say(f"error: exception in {error}\n{''.join(lines)}".rstrip())
        return Exit.BOT
    if isinstance(error, SetupError):
        say(f"error: {error}")
        return Exit.SETUP
    say(f"error: the server broke the protocol: {error}")
    return Exit.SERVER


def say(text: str) -> None:
    """Write a line to stderr, at once."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
