"""What can still be read of a replay that is not as it was written, and the first thing in it that differs.

Nothing of this is trusted: it only tells whoever has the file where to look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import zstandard
from gavelport.v1 import replay_pb2
from google.protobuf.message import DecodeError

from gavelport_server.archive.errors import ReplayError
from gavelport_server.archive.packing import LARGEST_BYTES, payloads
from gavelport_server.archive.playback import Difference
from gavelport_server.archive.replay import FRAMES, decode_frames
from gavelport_server.archive.verify import verify

if TYPE_CHECKING:
    from collections.abc import Sequence

_BLOCK_HEAD_BYTES = 3
_CHECKSUM_FLAG = 0b100
"""In byte 4 of a zstd frame (RFC 8878, 3.1.1.1.1)."""
_RUN = 1
"""The type of a zstd block that is one byte over and over (RFC 8878, 3.1.1.2)."""


def what_differs(stored: bytes) -> str:
    """Return in words what is wrong with a replay file whose seal differs.

    That is the part that cannot be read any more; else the first difference that verification finds; else that only
    bytes differ which mean nothing.
    """
    plain, broken = _unpacked(stored)
    found, unread = _frames(plain)
    if unread or len(found) < len(FRAMES):
        number = len(found) + 1
        reason = broken or unread or "the file holds no more"
        after = " and all after it" if number < len(FRAMES) else ""
        return f"frame {number} ({FRAMES[number - 1]}){after} cannot be read: {reason}"
    try:
        verify(decode_frames(found))
    except (ReplayError, Difference) as difference:
        return f"the first difference in what it holds: {difference}"
    return "the match that it holds is whole and right: only bytes that mean nothing differ"


def _unpacked(stored: bytes) -> tuple[bytes, str]:
    """Return what zstd still unpacks, its checksum left aside, and in words what it does not; empty where it all does.

    Block by block, as everything before a broken one can be had.
    """
    if not stored.startswith(zstandard.FRAME_HEADER):
        return b"", "the file does not begin as a zstd frame does"
    plain = bytearray()
    place = end = 0
    try:
        end = zstandard.frame_header_size(stored)
        head = bytearray(stored[:end])
        head[4] &= ~_CHECKSUM_FLAG
        stream = zstandard.ZstdDecompressor().decompressobj()
        plain += stream.decompress(bytes(head))
        while not stream.eof:
            place = end
            head_end = place + _BLOCK_HEAD_BYTES
            block = int.from_bytes(stored[place:head_end], "little")
            end = head_end + (1 if block >> 1 & 3 == _RUN else block >> 3)
            if end > len(stored):
                return bytes(plain), f"the file ends after {len(stored)} bytes, and goes on to byte {end} by its blocks"
            plain += stream.decompress(stored[place:end])
            if len(plain) > LARGEST_BYTES:
                return bytes(plain), f"it unpacks to more than {LARGEST_BYTES} bytes"
    except zstandard.ZstdError as error:
        where = f"bytes {place} to {end - 1}" if end else f"the {len(stored)} bytes"
        return bytes(plain), f"{where} of the file cannot be unpacked ({error})"
    return bytes(plain), ""


def _frames(plain: bytes) -> tuple[Sequence[replay_pb2.ReplayFrame], str]:
    """Return the frames up to the first that cannot be read, and in words what is wrong with that one."""
    found: list[replay_pb2.ReplayFrame] = []
    place = 0
    try:
        for place, payload in payloads(plain):
            where = f"{len(payload)} bytes, from unpacked byte {place} on, are"
            if len(found) == len(FRAMES):
                return found[:-1], f"it is not the last: {where} after it"
            frame = replay_pb2.ReplayFrame.FromString(payload)
            if (kind := frame.WhichOneof("frame")) != FRAMES[len(found)]:
                return found, f"{where} {'a frame of no known kind' if kind is None else f'the frame {kind}'}"
            found.append(frame)
    except DecodeError:
        return found, f"the bytes from unpacked byte {place} on are no protobuf message"
    except ReplayError as error:
        return found, f"after unpacked byte {place}, {str(error).removeprefix('is no replay: ')}"
    return found, ""
