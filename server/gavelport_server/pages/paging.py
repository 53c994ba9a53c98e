"""What a list's address asks for: a page, an order, a text to look for."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, TypeVar

from gavelport_server.pages.errors import PageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

T = TypeVar("T")
MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Query:
    """What was asked for, checked."""

    page: int
    sort: str
    text: str


def asked(request: Request, *, sort: Sequence[str] = ("",), most_text: int = 100) -> Query:
    """Return the query of an address: `page`, `sort` (the first of the list by default), `q`. Raises PageError."""
    given = request.query_params
    wanted = given.get("sort") or sort[0]
    if wanted not in sort:
        raise PageError(HTTPStatus.BAD_REQUEST, "unknown order", f"A list can be sorted by {', '.join(sort)}.")
    return Query(page_number(given.get("page", "")), wanted, given.get("q", "").strip()[:most_text])


def page_number(text: str) -> int:
    """Return the number of a page, 1 where none is given. Raises PageError for what is none."""
    if not text:
        return 1
    if not (text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS and int(text)):
        raise PageError(HTTPStatus.BAD_REQUEST, "no such page", "Pages are numbered from 1.")
    return int(text)


@dataclass(frozen=True, slots=True)
class Paging:
    """A page of a list of known length."""

    number: int
    last: int
    size: int

    @classmethod
    def of(cls, length: int, number: int, size: int) -> Paging:
        """Return the page of that number. Raises PageError beyond the last."""
        last = max(1, -(-length // size))
        if number > last:
            raise PageError.missing("no such page", f"The last page is {last}.")
        return cls(number, last, size)

    def cut(self, items: Sequence[T]) -> Sequence[T]:
        """Return what is on the page."""
        return items[(self.number - 1) * self.size : self.number * self.size]
