"""How much waits for one bot, counted without a lock on two sides of a thread border."""

from __future__ import annotations

from gavelport_server.transport.limits import Limits


class Backlog:
    """Counts what is queued and what has left; each of the two counters is written from one thread only.

    So the reader of both may see too much waiting, for a moment, but never too little.
    """

    __slots__ = ("_gone_bytes", "_gone_messages", "_limits", "_queued_bytes", "_queued_messages")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._queued_messages = self._queued_bytes = 0
        self._gone_messages = self._gone_bytes = 0

    def admit(self, message: bytes) -> str | None:
        """Count a message as queued, or say in a sentence why the queue cannot take it.

        Raises:
            ValueError: the message is longer than any may be.
        """
        limits = self._limits
        size = len(message)
        if size > limits.max_send_bytes:
            raise ValueError(
                f"a message of {size} bytes is above max_send_bytes ({limits.max_send_bytes}); send it in parts"
            )
        if self._queued_messages - self._gone_messages >= limits.max_queued_messages:
            return f"more than {limits.max_queued_messages} messages are waiting to be read; read faster"
        if self._queued_bytes - self._gone_bytes + size > limits.max_queued_bytes:
            return f"more than {limits.max_queued_bytes} bytes are waiting to be read; read faster"
        self._queued_messages += 1
        self._queued_bytes += size
        return None

    def release(self, message: bytes) -> None:
        """Count a message as gone: gRPC, or the bot itself, has it."""
        self._gone_messages += 1
        self._gone_bytes += len(message)
