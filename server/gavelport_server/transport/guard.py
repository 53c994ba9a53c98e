"""The guard between transport and listener: no exception passes, and no text of one reaches a bot."""

from __future__ import annotations

import secrets

import structlog

from gavelport_server.transport.link import Link, Listener, LostReason, StatusCode

_log = structlog.get_logger(__name__)


class Guard:
    """A listener that never raises: what the inner one raises is logged, and costs the link it was raised for.

    The bot is told INTERNAL with a random error id, and the log has the same id beside the details. gRPC by itself
    would send the exception's text, and with it perhaps a hidden card.
    """

    def __init__(self, inner: Listener) -> None:
        self._inner = inner

    def opened(self, link: Link) -> None:
        """As `Listener.opened`."""
        try:
            self._inner.opened(link)
        except Exception:  # noqa: BLE001 - whatever it is, fail logs it
            fail(link, "opened")

    def received(self, link: Link, message: bytes, at: float) -> None:
        """As `Listener.received`."""
        try:
            self._inner.received(link, message, at)
        except Exception:  # noqa: BLE001 - whatever it is, fail logs it
            fail(link, "received")

    def lost(self, link: Link, reason: LostReason) -> None:
        """As `Listener.lost`."""
        try:
            self._inner.lost(link, reason)
        except Exception:  # noqa: BLE001 - whatever it is, fail logs it
            fail(link, "lost")


def fail(link: Link, callback: str) -> None:
    """Log the exception that is being handled, and end the link it was raised for."""
    error_id = secrets.token_hex(8)
    # The peer and the id, not the message: payloads may hold what a log must not.
    _log.exception("listener_failed", callback=callback, peer=link.peer, error_id=error_id)
    link.close(StatusCode.INTERNAL, f"internal error {error_id}")
