"""What is made of the pieces of a position: a step changes few of them, and of the others it need not be made again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = TypeVar("P")
T = TypeVar("T")


class Memo(Generic[P, T]):
    """What was made last of each piece (a seat's board, say), for as long as its content stays the same.

    An entry is found by the piece's identity and counts only if the content is equal, so that it does no harm when
    another piece comes to lie where a former one was.
    """

    def __init__(
        self, content: Callable[[P], tuple[object, ...]], make: Callable[[P], T], capacity: int = 4096
    ) -> None:
        """Take what the result depends on, as values that never change, and what makes the result.

        With `capacity` entries all are forgotten. Entries of some 500 bytes each with their contents take 2 MB.
        """
        self._content, self._make, self._capacity = content, make, capacity
        self._latest: dict[int, tuple[tuple[object, ...], T]] = {}

    def __call__(self, piece: P) -> T:
        """Return what is made of a piece."""
        content = self._content(piece)
        latest = self._latest.get(id(piece))
        if latest is not None and latest[0] == content:  # quick: what did not change is mostly the same object
            return latest[1]
        made = self._make(piece)
        if latest is None and len(self._latest) >= self._capacity:
            self._latest.clear()
        self._latest[id(piece)] = (content, made)
        return made

    def __len__(self) -> int:
        """Return how many are kept."""
        return len(self._latest)
