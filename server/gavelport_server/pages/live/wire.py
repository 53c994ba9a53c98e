"""What the serving process and that of the pages say to each other: frames of a topic and bytes.

The pages' process asks, with `BEGIN` or `END` as bytes; the serving one answers with what there is to tell of the
topic, again and again. A topic is a match's id, or `ALL` for the list of running matches.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import trio

ALL = "*"
BEGIN, END = b"+", b"-"
GONE = b""
"""The answer where no such match is running."""
CHUNK = 65_536
_HEAD = struct.Struct(">IB")


def framed(topic: str, content: bytes) -> bytes:
    """Return a frame. Raises ValueError for a topic of more than 255 bytes."""
    name = topic.encode()
    if len(name) > 255:
        raise ValueError(f"topic of {len(name)} bytes: at most 255 fit into a frame")
    return _HEAD.pack(len(content), len(name)) + name + content


async def frames(stream: trio.abc.ReceiveStream) -> AsyncIterator[tuple[str, bytes]]:
    """Yield the frames that come, until the other side is gone. Raises BrokenResourceError as the stream does."""
    held = bytearray()
    while chunk := await stream.receive_some(CHUNK):
        held += chunk
        while len(held) >= _HEAD.size:
            length, name = _HEAD.unpack_from(held)
            end = _HEAD.size + name + length
            if len(held) < end:
                break
            topic = bytes(held[_HEAD.size : _HEAD.size + name]).decode()
            content = bytes(held[_HEAD.size + name : end])
            del held[:end]
            yield topic, content
