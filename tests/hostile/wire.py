"""Junk on a server's port: `python -m tests.hostile.wire TARGET COUNT`, with a valid token on stdin.

Connections of many kinds (`KINDS`), some at a time, none of which does what a bot does: random bytes, cut prefaces,
frames that make no sense, TLS where there is none, headers too large, streams cut in the midst, wrong tokens, silent
streams, readers that never read. Prints how many of each kind were made and what the server did with them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import ssl
import struct
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress

import h2.config
import h2.connection
from gavelport.v1 import referee_pb2 as pb
from gavelport_server.transport.yardstick import METHOD

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
AT_A_TIME = 40
PATIENCE_S = 6.0
"""For the server to end a connection by itself: it gives a handshake 3 s, a stream 5 s for its Hello."""


class Wire:
    """One connection, with HTTP/2 on it where that is wanted."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str) -> None:
        self.reader = reader
        self.writer = writer
        self.token = token
        self.http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding=None))

    async def send(self, content: bytes) -> None:
        self.writer.write(content)
        await self.writer.drain()

    async def flush(self) -> None:
        await self.send(self.http.data_to_send())

    async def begin(self) -> None:
        self.http.initiate_connection()
        await self.flush()

    async def call(self, authorization: str, extra: list[tuple[str, str]] | None = None) -> None:
        """Open a stream of Play."""
        await self.begin()
        headers = [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", METHOD),
            (":authority", "referee"),
            ("te", "trailers"),  # codespell:ignore te
            ("content-type", "application/grpc"),
            ("authorization", authorization),
            *(extra or []),
        ]
        self.http.send_headers(1, headers)
        await self.flush()

    async def say(self, message: bytes, *, cut: int = 0) -> None:
        """Send a gRPC message on the stream; `cut` so many bytes short."""
        framed = b"\0" + struct.pack(">I", len(message)) + message
        self.http.send_data(1, framed[: len(framed) - cut])
        await self.flush()

    async def until_closed(self) -> bool:
        """Wait until the server closes the connection or ends the stream; return whether it did, in time."""
        with suppress(ConnectionError):
            try:
                async with asyncio.timeout(PATIENCE_S):
                    while content := await self.reader.read(65536):
                        if b"grpc-status" in content or len(content) < 9:
                            return True
            except TimeoutError:
                return False
        return True


async def random_bytes(wire: Wire, rng: random.Random) -> None:
    await wire.send(rng.randbytes(rng.randrange(1, 4000)))
    await wire.until_closed()


async def cut_preface(wire: Wire, rng: random.Random) -> None:
    await wire.send(PREFACE[: rng.randrange(1, len(PREFACE))])


async def preface_and_junk(wire: Wire, rng: random.Random) -> None:
    await wire.send(PREFACE + rng.randbytes(rng.randrange(1, 2000)))
    await wire.until_closed()


async def wild_frames(wire: Wire, rng: random.Random) -> None:
    """Frames with right lengths of all types and streams, their content random."""
    await wire.begin()
    for _ in range(20):
        body = rng.randbytes(rng.randrange(40))
        head = struct.pack(">I", len(body))[1:] + bytes((rng.randrange(12), rng.randrange(256)))
        await wire.send(head + struct.pack(">I", rng.randrange(8)) + body)
    await wire.until_closed()


async def tls_hello(wire: Wire, rng: random.Random) -> None:
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.create_default_context()
    with suppress(ssl.SSLWantReadError):
        context.wrap_bio(incoming, outgoing, server_hostname="localhost").do_handshake()
    await wire.send(outgoing.read())
    await wire.until_closed()


async def http_one(wire: Wire, rng: random.Random) -> None:
    await wire.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await wire.until_closed()


async def huge_headers(wire: Wire, rng: random.Random) -> None:
    await wire.call("Bearer x", [(f"x-{number}", "v" * 700) for number in range(rng.choice((10, 15)))])
    await wire.until_closed()


async def ping_flood(wire: Wire, rng: random.Random) -> None:
    await wire.begin()
    for _ in range(100):
        wire.http.ping(rng.randbytes(8))
    await wire.flush()
    await wire.until_closed()


async def settings_flood(wire: Wire, rng: random.Random) -> None:
    await wire.begin()
    for _ in range(100):
        wire.http.update_settings({4: rng.randrange(1, 2**20)})
    await wire.flush()


async def wrong_token(wire: Wire, rng: random.Random) -> None:
    await wire.call(f"Bearer gp_{rng.randbytes(8).hex()}_{rng.randbytes(32).hex()[:43]}")
    await wire.until_closed()


async def no_method(wire: Wire, rng: random.Random) -> None:
    wire.http.initiate_connection()
    wire.http.send_headers(1, [(":method", "POST"), (":scheme", "http"), (":path", "/no.Such/Thing")], end_stream=True)
    await wire.flush()
    await wire.until_closed()


async def silent_stream(wire: Wire, rng: random.Random) -> None:
    """With a token that is right, and no word."""
    await wire.call(f"Bearer {wire.token}")
    await wire.until_closed()


async def junk_messages(wire: Wire, rng: random.Random) -> None:
    await wire.call(f"Bearer {wire.token}")
    for _ in range(30):
        await wire.say(rng.randbytes(rng.randrange(60)))
    await wire.until_closed()


async def cut_message(wire: Wire, rng: random.Random) -> None:
    await wire.call(f"Bearer {wire.token}")
    await wire.say(_hello(), cut=rng.randrange(1, 8))


async def huge_message(wire: Wire, rng: random.Random) -> None:
    """A length of a gigabyte, of which nothing follows."""
    await wire.call(f"Bearer {wire.token}")
    wire.http.send_data(1, b"\0" + struct.pack(">I", 2**30))
    await wire.flush()
    await wire.until_closed()


async def never_reads(wire: Wire, rng: random.Random) -> None:
    """Has the server answer, and takes nothing of it."""
    await wire.call(f"Bearer {wire.token}")
    await wire.say(_hello())
    beat = pb.PlayRequest(heartbeat=pb.Heartbeat(number=1)).SerializeToString()
    for _ in range(150):
        await wire.say(beat)
    await asyncio.sleep(rng.random())


def _hello() -> bytes:
    hello = pb.Hello(protocol_version=1, bot_version="1", games=["container@1"], queue=pb.QUEUE_PRACTICE)
    return pb.PlayRequest(hello=hello).SerializeToString()


KINDS: list[Callable[[Wire, random.Random], Awaitable[None]]] = [
    random_bytes,
    cut_preface,
    preface_and_junk,
    wild_frames,
    tls_hello,
    http_one,
    huge_headers,
    ping_flood,
    settings_flood,
    wrong_token,
    no_method,
    silent_stream,
    junk_messages,
    cut_message,
    huge_message,
    never_reads,
]


class Junk:
    """All connections."""

    def __init__(self, target: str, token: str, seed: int) -> None:
        self.host, _, port = target.rpartition(":")
        self.port = int(port)
        self.token = token
        self.rng = random.Random(seed)
        self.made: Counter[str] = Counter()

    async def one(self, number: int) -> None:
        kind = KINDS[number % len(KINDS)]
        try:
            reader, writer = await asyncio.open_connection(self.host, self.port)
        except OSError as error:
            self.made[f"not connected: {type(error).__name__}"] += 1
            return
        try:
            with suppress(ConnectionError, h2.exceptions.ProtocolError):
                await kind(Wire(reader, writer, self.token), random.Random(self.rng.random()))
            self.made[kind.__name__] += 1
        finally:
            writer.transport.abort() if number % 2 else writer.close()

    async def half_open(self, count: int, seconds: float) -> int:
        """Open connections that say nothing, or half a preface; return how many the server has closed in time."""
        wires = [await asyncio.open_connection(self.host, self.port) for _ in range(count)]
        for _, writer in wires[::2]:
            writer.write(PREFACE[:10])
        closed = 0

        async def wait(reader: asyncio.StreamReader) -> None:
            nonlocal closed
            with suppress(ConnectionError):
                while await reader.read(1024):
                    pass
            closed += 1

        waiting = [asyncio.create_task(wait(reader)) for reader, _ in wires]
        await asyncio.wait(waiting, timeout=seconds)
        for task in waiting:
            task.cancel()
        for _, writer in wires:
            writer.close()
        return closed

    async def make(self, count: int) -> None:
        numbers = iter(range(count))

        async def some() -> None:
            for number in numbers:
                await self.one(number)

        await asyncio.gather(*(some() for _ in range(AT_A_TIME)))


async def throw(target: str, count: int, half_open: int, token: str) -> dict[str, object]:
    """Make all the junk; return what was made, and how many half-open connections were closed within 6 s."""
    junk = Junk(target, token, seed=1)
    _, closed = await asyncio.gather(junk.make(count), junk.half_open(half_open, PATIENCE_S))
    return {"made": dict(junk.made), "half_open": half_open, "half_open_closed": closed}


def main() -> None:
    """Throw junk at a server."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target")
    parser.add_argument("count", type=int)
    parser.add_argument("--half-open", type=int, default=300)
    args = parser.parse_args()
    print(json.dumps(asyncio.run(throw(args.target, args.count, args.half_open, sys.stdin.read().strip()))))


if __name__ == "__main__":
    main()
