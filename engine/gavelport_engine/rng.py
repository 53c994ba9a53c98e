"""Randomness as a value: counter-based streams of SHA-256 (`container-notation.md`, "The deal from a seed").

One stream per purpose, so that no draw for one purpose moves another, and no slip of a bot changes later chance.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import MutableSequence
from typing import Protocol, TypeVar

_T = TypeVar("_T")
_WORDS = struct.Struct(">8I")
_COUNTER = struct.Struct(">Q")
_SPAN = 1 << 32


class Rng(Protocol):
    """A source of whole numbers; what `ActionSpace.sample` asks for. `random.Random` does not fit on purpose."""

    def below(self, k: int) -> int:
        """Return a number in 0..k-1, each equally likely; k is at least 1."""
        ...


class Stream:
    """The stream SHA-256(seed ‖ purpose ‖ i), i = 0, 1, 2 … as 8 bytes big-endian, read as 4-byte big-endian words.

    The streams of a purpose that comes again are SHA-256(seed ‖ purpose ‖ k ‖ i), k as 8 bytes big-endian.
    """

    __slots__ = ("_counter", "_prefix", "_words")

    def __init__(self, seed: bytes, purpose: str, k: int | None = None) -> None:
        """Start a purpose's stream, or its k-th, of a seed (32 bytes for a deal, any length elsewhere)."""
        self._prefix = hashlib.sha256(seed + purpose.encode() + (b"" if k is None else _COUNTER.pack(k)))
        self._counter = 0
        self._words: list[int] = []

    def _refill(self) -> None:
        block = self._prefix.copy()
        block.update(_COUNTER.pack(self._counter))
        self._counter += 1
        self._words += _WORDS.unpack(block.digest())[::-1]

    def word(self) -> int:
        """Return the next 32-bit word."""
        if not self._words:
            self._refill()
        return self._words.pop()

    def below(self, k: int) -> int:
        """Return a number in 0..k-1 without bias: words at or above 2³² − (2³² mod k) are skipped.

        Raises ValueError for k below 1 or above 2³².
        """
        if not 1 <= k <= _SPAN:
            raise ValueError(f"below({k}): k must be 1 to 2**32")
        words = self._words
        limit = _SPAN - _SPAN % k
        while True:  # the word is taken inline: playouts spend much of their time here
            if not words:
                self._refill()
            word = words.pop()
            if word < limit:
                return word % k

    def shuffle(self, items: MutableSequence[_T]) -> None:
        """Shuffle in place: for i from len−1 down to 1, swap items i and below(i+1)."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]


def commitment(seed: bytes, match_id: str) -> str:
    """Return what is published at match start: SHA-256(seed ‖ match id in UTF-8), hex."""
    return hashlib.sha256(seed + match_id.encode()).hexdigest()
