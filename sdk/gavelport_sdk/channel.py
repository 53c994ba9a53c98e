"""What both runners know of a connection: how to make one, when to try again, and what its end means."""

from __future__ import annotations

import sys

from gavelport_sdk.errors import Exit

OPTIONS = (
    ("grpc.max_receive_message_length", 4 * 1024 * 1024),
    ("grpc.enable_http_proxy", 0),
)

_FIRST_S, _MOST_S, _TOTAL_S = 0.1, 5.0, 60.0

_HINTS = {
    "UNAUTHENTICATED": "the server does not accept the token; check GAVELPORT_TOKEN",
    "PERMISSION_DENIED": "the token does not allow this; check GAVELPORT_TOKEN",
    "FAILED_PRECONDITION": "the server refuses this session",
    "INVALID_ARGUMENT": "the server does not understand this SDK; do their versions match?",
    "UNIMPLEMENTED": "what answers is no gavelport server of this version; check GAVELPORT_TARGET",
}
"""The statuses after which trying again does not help."""


class Backoff:
    """Waits between tries: 0.1 s, doubling up to 5 s, for about a minute."""

    def __init__(self) -> None:
        self._next_s = _FIRST_S
        self._spent_s = 0.0

    def next_s(self) -> float | None:
        """Return how long to wait before the next try; None when it is time to give up."""
        if self._spent_s >= _TOTAL_S:
            return None
        delay_s = self._next_s
        self._next_s = min(2 * delay_s, _MOST_S)
        self._spent_s += delay_s
        return delay_s


def is_local(target: str) -> bool:
    """Return whether a target is on this machine: a unix socket or loopback. Everywhere else TLS is used (design 9)."""
    if target.startswith("unix:"):
        return True
    host = target.rpartition(":")[0].removeprefix("dns:").strip("/")
    return host in {"localhost", "[::1]"} or host.startswith("127.")


def judge(status: str, details: str, target: str, *, is_fenced: bool) -> Exit | None:
    """Return the exit code that the end of a stream means, having said why; None: try again."""
    if is_fenced:
        _say("a newer connection with the same token took over; this process ends")
        return Exit.FENCED
    if status == "OK":
        return Exit.OVER
    if status in _HINTS:
        _say(f"error: {target}: {_HINTS[status]} ({status}: {details})")
        return Exit.SETUP
    return None


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
