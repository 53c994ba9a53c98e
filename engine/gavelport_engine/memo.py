"""What is made of the pieces of a position: a step changes few of them, and of the others it need not be made again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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

    def __call__(self, pieces: Iterable[P]) -> list[T]:
        """Return what is made of each piece, in their order."""
        content_of, latest = self._content, self._latest
        found = []
        for piece in pieces:
            content = content_of(piece)
            entry = latest.get(id(piece))
            if entry is None or entry[0] != content:  # quick: what did not change is mostly the same object
                if entry is None and len(latest) >= self._capacity:
                    latest.clear()
                entry = latest[id(piece)] = (content, self._make(piece))
            found.append(entry[1])
        return found

    def __len__(self) -> int:
        """Return how many are kept."""
        return len(self._latest)
