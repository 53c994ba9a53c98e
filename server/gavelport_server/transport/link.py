"""A bot's stream as the server's other rooms see it: a link, and the listener that is told of it; and refusals.

Everything here happens in the trio thread and is synchronous. A link is told of in this order, whatever the
transport: `opened` once, `received` any number of times, `lost` exactly once. After `lost`, and after the server
itself has closed or cancelled the link, nothing more is received from it.
"""

from __future__ import annotations

import enum
import ipaddress
from collections.abc import Mapping
from typing import Protocol
from urllib.parse import unquote


class StatusCode(enum.IntEnum):
    """How a stream ended, in the numbers of gRPC."""

    OK = 0
    CANCELLED = 1
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    UNAUTHENTICATED = 16


class ServiceError(Exception):
    """What a service refuses to do: code and text are told to the caller, and so is when to try again."""

    def __init__(self, code: StatusCode, text: str, *, retry_s: float | None = None) -> None:
        super().__init__(f"{code.name}: {text}")
        self.code = code
        self.text = text
        self.retry_s = retry_s


class LostReason(enum.Enum):
    """Why a link is gone: the first cause counts."""

    ENDED = "ended"
    """The bot closed its side, politely; the stream then ends with OK."""
    CANCELLED = "cancelled"
    """The bot cancelled, died, became unreachable, or sent a message above the size limit."""
    OVERFLOW = "overflow"
    """The bot did not read, and the outgoing queue reached its limit."""
    CLOSED = "closed"
    """The server called `close` or `cancel`."""
    SHUTDOWN = "shutdown"
    """The transport was stopped."""


class Link(Protocol):
    """One bidirectional stream of a bot process."""

    @property
    def peer(self) -> str:
        """Where the bot is, e.g. `ipv4:127.0.0.1:40112` or `unix:`; for logs and limits, not for identity."""
        ...

    @property
    def metadata(self) -> Mapping[str, str]:
        """What the bot sent with the call; keys in lower case, of a repeated key the last value, no binary ones."""
        ...

    def send(self, message: bytes) -> None:
        """Queue a message; never blocks. Ignored once the link is closed, cancelled or lost.

        A queue that reaches its limit closes the link with RESOURCE_EXHAUSTED.

        Raises:
            ValueError: the message is above the limit for what may be sent, which is a fault of the server.
        """
        ...

    def close(self, code: StatusCode, text: str) -> None:
        """End the stream politely: what is queued first, then `code` with `text`. Only the first call counts.

        A bot that has not read it all within the grace is cut off. `OK` carries no text to a gRPC client.
        """
        ...

    def cancel(self) -> None:
        """Drop what is queued and give the link up at once, also after a `close`."""
        ...


class Listener(Protocol):
    """Whoever is told of links. No method may block; one that raises costs its link, and nothing else."""

    def opened(self, link: Link) -> None:
        """A bot has opened a stream."""
        ...

    def received(self, link: Link, message: bytes, at: float) -> None:
        """A message has come; `at` is when, in seconds of `trio.current_time()`, stamped next to the socket."""
        ...

    def lost(self, link: Link, reason: LostReason) -> None:
        """The link is gone."""
        ...


def remote_host(peer: str) -> str:
    """The remote address of a gRPC peer without its port; empty for one on this machine."""
    kind, _, rest = unquote(peer).partition(":")
    if kind not in ("ipv4", "ipv6"):
        return ""
    host = rest.rpartition(":")[0].strip("[]")
    return "" if ipaddress.ip_address(host.partition("%")[0]).is_loopback else host
