"""The journal's bytes (`journal.py` says what they are for).

A segment begins with a header

    magic 8 · format u16 · segment u32 · first record u64 · first match u32 · CRC32 u32

and goes on with records, each written and synced as one:

    magic 4 · length u32 · number u64 · CRC32 u32 · entries

A record's entries are whatever was put since the one before; numbers count on over all segments. An entry is

    kind u8 · match u32 · length u32 · payload

All integers are little-endian. A CRC32 runs over the bytes before it and, in a record, over the entries behind it too;
`length` is that of the entries. Matches are numbered as they are entered.
"""

from __future__ import annotations

import enum
import struct
import zlib
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FORMAT = 1

_HEADER = struct.Struct("<8sHIQI")
_RECORD = struct.Struct("<4sIQ")
_ENTRY = struct.Struct("<BII")
_CRC = struct.Struct("<I")
MOST_MATCHES = 2**32 - 2
"""So that the number of the next match can be written, too."""
_HEADER_MAGIC, _RECORD_MAGIC = b"GAVELJNL", b"\xf5rec"
_RECORD_HEAD_BYTES = _RECORD.size + _CRC.size
HEADER_BYTES = _HEADER.size + _CRC.size


class EntryKind(enum.IntEnum):
    """What an entry tells of its match."""

    MATCH = 1
    """It is entered; the payload is its setup."""
    INPUT = 2
    """What its core was given."""
    END = 3
    """Its result is counted."""
    VOID = 4
    """It counts for nothing; the payload says why."""


class Entry(NamedTuple):
    """One entry."""

    kind: EntryKind
    match: int
    payload: bytes


class Header(NamedTuple):
    """What a segment says of itself: its number, and those of the first record and the first new match in it."""

    segment: int
    first_record: int
    first_match: int


class Bad(Exception):  # noqa: N818  what was found; who asked makes an error of it
    """Bytes that are no header or record; the text says why."""


def header_bytes(header: Header) -> bytes:
    """Return a header."""
    head = _HEADER.pack(_HEADER_MAGIC, FORMAT, *header)
    return head + _CRC.pack(zlib.crc32(head))


def header_of(data: bytes) -> Header:
    """Return the header that a segment begins with. Raises Bad."""
    if len(data) < HEADER_BYTES:
        raise Bad("its header is cut short")
    magic, written, *numbers = _HEADER.unpack_from(data)
    if magic != _HEADER_MAGIC or _CRC.unpack_from(data, _HEADER.size) != (zlib.crc32(data[: _HEADER.size]),):
        raise Bad("its header is not as it was written")
    if written != FORMAT:
        raise Bad(f"is of journal format {written}, and this program reads format {FORMAT}")
    return Header(*numbers)


def record_bytes(number: int, entries: Sequence[Entry]) -> bytes:
    """Return a record."""
    parts: list[bytes] = []
    for kind, match, payload in entries:
        parts += (_ENTRY.pack(kind, match, len(payload)), payload)
    body = b"".join(parts)
    head = _RECORD.pack(_RECORD_MAGIC, len(body), number)
    return b"".join((head, _CRC.pack(zlib.crc32(body, zlib.crc32(head))), body))


def record_at(data: bytes, offset: int) -> tuple[int, bytes, int]:
    """Return the number and the body of the record at an offset, and the offset after it. Raises Bad."""
    begin = offset + _RECORD_HEAD_BYTES
    if begin > len(data):
        raise Bad("a record is cut short")
    magic, length, number = _RECORD.unpack_from(data, offset)
    body = data[begin : begin + length]
    if magic != _RECORD_MAGIC or len(body) < length:
        raise Bad("a record is cut short, or never was one")
    if _CRC.unpack_from(data, offset + _RECORD.size) != (
        zlib.crc32(body, zlib.crc32(data[offset : offset + _RECORD.size])),
    ):
        raise Bad("a record is not as it was written")
    return number, body, begin + length


def has_record_after(data: bytes, offset: int) -> bool:
    """Return whether any whole record begins behind an offset."""
    while (offset := data.find(_RECORD_MAGIC, offset + 1)) >= 0:
        try:
            record_at(data, offset)
        except Bad:
            continue
        return True
    return False


def entries_of(body: bytes) -> Iterator[Entry]:
    """Yield the entries of a record. Raises Bad."""
    place = 0
    while place < len(body):
        try:
            number, match, length = _ENTRY.unpack_from(body, place)
            kind = EntryKind(number)
        except (struct.error, ValueError) as error:
            raise Bad(f"an entry cannot be read ({error})") from error
        place += _ENTRY.size
        if place + length > len(body):
            raise Bad("an entry is cut short")
        yield Entry(kind, match, body[place : place + length])
        place += length
