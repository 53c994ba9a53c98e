"""Serialised pieces of a position by content: a step changes few of them, and the others need not be made again."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

P = TypeVar("P")


class Memo(Generic[P]):
    """Bytes of pieces (a seat's board, say) that are equal where their keys are."""

    def __init__(self, key: Callable[[P], Hashable], make: Callable[[P], bytes], capacity: int = 4096) -> None:
        """Take what a piece's bytes depend on, and what makes them; at most `capacity` are kept, the oldest goes first.

        Pieces of some 500 bytes each with their keys take 2 MB.
        """
        self._key, self._make, self._capacity = key, make, capacity
        self._memo: OrderedDict[Hashable, bytes] = OrderedDict()

    def __call__(self, piece: P) -> bytes:
        """Return a piece's bytes."""
        key = self._key(piece)
        found = self._memo.get(key)
        if found is None:
            found = self._make(piece)
            if len(self._memo) >= self._capacity:
                self._memo.popitem(last=False)
            self._memo[key] = found
        return found

    def __len__(self) -> int:
        """Return how many are kept."""
        return len(self._memo)
