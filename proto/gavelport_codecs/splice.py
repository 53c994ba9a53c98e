"""Putting serialised messages into serialised messages, without building the outer ones (design 3).

The public part of a position is serialised once a step and put before each viewer's private part. What comes out is the
ordinary protobuf encoding: every embedded message stands in it once, since not every reader merges repeated ones.
"""

from __future__ import annotations

_LENGTH_DELIMITED = 2


def varint(number: int) -> bytes:
    """Return a number from 0 in protobuf's base 128."""
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def tag(number: int) -> bytes:
    """Return what opens a length-delimited field: an embedded message, a string or bytes."""
    return varint(number << 3 | _LENGTH_DELIMITED)


_TAGS = tuple(tag(number) for number in range(64))
_SIZES = tuple(varint(size) for size in range(1024))


def field(number: int, payload: bytes) -> bytes:
    """Return field `number` (1 to 63) with a serialised message, or any bytes, as its payload."""
    size = len(payload)
    return _TAGS[number] + (_SIZES[size] if size < 1024 else varint(size)) + payload
