"""What a bot may take of the server's memory, sockets and patience."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a transport.

    The figures follow what was measured against hostile clients; gRPC's own defaults are 4 MiB in, no limit out,
    and 300 s between pings.
    """

    max_receive_bytes: int = 64 * 1024
    """Longest message from a bot; a longer one costs it the stream."""
    max_send_bytes: int = 256 * 1024
    """Longest message to a bot."""
    max_queued_messages: int = 256
    """Messages waiting for one bot. A bot in several matches gets bursts."""
    max_queued_bytes: int = 1024 * 1024
    """Bytes waiting for one bot, beside the about 4 MB that sockets and flow control may hold."""
    max_streams: int = 2000
    """Streams in all."""
    max_streams_per_host: int = 64
    """Streams from one remote address; bots on this machine (loopback, unix sockets) count in `max_streams` only."""
    max_streams_per_connection: int = 100
    max_connections: int | None = None
    """Connections in all, each of which takes an open file and some KiB, with or without a stream; None: no limit."""
    handshake_timeout_ms: int = 3000
    """How long a connection may take to become one."""
    keepalive_interval_ms: int = 20_000
    """How often the server pings a silent connection."""
    keepalive_timeout_ms: int = 5000
    """How long it waits for the ping's answer before the connection counts as broken."""
    min_ping_interval_ms: int = 10_000
    """How often a bot may ping while nothing else is sent; the SDK's own keepalive must be slower."""
    max_ping_strikes: int = 2
    close_grace_ms: int = 2000
    """How long a bot may take to read what is queued before a polite close becomes a cut."""
