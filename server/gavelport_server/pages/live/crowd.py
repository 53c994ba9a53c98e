"""How many may look at running matches at a time: in all, and from one address.

An address is what it is for the rates in `shield.py`: behind a proxy that is not trusted all have one.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 200
MOST_OF_ONE = 24
STREAM = "/stream"
"""How the addresses end under which browsers are told of running matches."""


class Crowd:
    """Who looks at present."""

    def __init__(self, most: int = MOST, most_of_one: int = MOST_OF_ONE) -> None:
        self._most, self._most_of_one = most, most_of_one
        self._present: Counter[str] = Counter()

    @contextmanager
    def place(self, address: str) -> Iterator[str]:
        """Take a place for as long as it lasts; give why there is none, else nothing."""
        if self._present[address] >= self._most_of_one:
            yield "too many running matches are watched from this address; close a page and try again"
            return
        if self._present.total() >= self._most:
            yield "as many people look at running matches as can be told of them; try again in a while"
            return
        self._present[address] += 1
        try:
            yield ""
        finally:
            self._present[address] -= 1
            if not self._present[address]:
                del self._present[address]
