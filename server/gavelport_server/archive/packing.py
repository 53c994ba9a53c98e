"""Frames in a sealed zstd file (docs/replay-format.md): no byte of it can be another without being noticed.

zstd's own checksum is over the content. Some bits of a compressed stream mean nothing to a decoder, so a hash of the
file's bytes follows, in a frame that zstd's tools skip.
"""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING

import zstandard

from gavelport_server.archive.errors import ReplayError, SealError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LEVEL = 13
"""Of zstd. The highest saves a hundredth of the size, and takes six times as long in the referee's process."""
LARGEST_BYTES = 64 * 1024 * 1024
"""Of a replay unpacked; a match of ten thousand decisions with full notes takes a sixth of it."""
SEAL_BYTES = 8
_SEAL_HEAD = struct.pack("<II", 0x184D2A50, SEAL_BYTES)  # a skippable frame (RFC 8878, 3.1.2)
_SEAL_FRAME_BYTES = len(_SEAL_HEAD) + SEAL_BYTES


def pack(frames: Sequence[bytes], incompressible: bytes) -> bytes:
    """Return the file of frames; the last is given apart, as one that cannot be compressed."""
    packed, random = b"".join(map(_delimited, frames)), _delimited(incompressible)
    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    stream = compressor.compressobj(size=len(packed) + len(random))
    # In a block of its own, random bytes do not spoil the codes for the rest.
    parts = [stream.compress(packed), stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)]
    return _sealed(b"".join([*parts, stream.compress(random), stream.flush()]))


def unpack(stored: bytes) -> list[bytes]:
    """Return the frames of a file. Raises ReplayError, SealError where a byte of it is not as it was written."""
    body = stored[:-_SEAL_FRAME_BYTES]
    if not stored.endswith(_seal_frame(body)):
        raise SealError("is not as it was written: changed, cut short, or never a replay (its seal differs)")
    try:
        size = zstandard.frame_content_size(body)
        if not 0 <= size <= LARGEST_BYTES:
            raise ReplayError(f"is no replay: it gives its unpacked size as {size} bytes")
        stream = zstandard.ZstdDecompressor().decompressobj()
        plain = stream.decompress(body)
    except zstandard.ZstdError as error:
        raise ReplayError(f"is no replay: it cannot be unpacked ({error})") from error
    if not stream.eof or stream.unused_data:
        raise ReplayError("is no replay: it is not one zstd frame and a seal")
    return [payload for _, payload in payloads(plain)]


def _sealed(body: bytes) -> bytes:
    return body + _seal_frame(body)


def _seal_frame(body: bytes) -> bytes:
    return _SEAL_HEAD + hashlib.sha256(body).digest()[:SEAL_BYTES]


def _delimited(payload: bytes) -> bytes:
    length, varint = len(payload), bytearray()
    while length > 127:
        varint.append(length & 127 | 128)
        length >>= 7
    varint.append(length)
    return bytes(varint) + payload


def payloads(plain: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield each frame of an unpacked file with the place of its first byte. Raises ReplayError at one cut short."""
    place = 0
    while place < len(plain):
        length = shift = 0
        while True:
            if place >= len(plain) or shift > 28:
                raise ReplayError("is no replay: a frame's length cannot be read")
            byte = plain[place]
            place += 1
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        if place + length > len(plain):
            raise ReplayError(f"is no replay: a frame of {length} bytes is cut short")
        yield place, plain[place : place + length]
        place += length
