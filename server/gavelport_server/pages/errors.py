"""What a page says instead of what was asked for."""

from __future__ import annotations

from http import HTTPStatus


class PageError(Exception):
    """A page that cannot be shown: status, heading and a sentence for people; after how many seconds to ask again."""

    def __init__(self, status: HTTPStatus, heading: str, text: str, retry_s: int | None = None) -> None:
        super().__init__(f"{status.value}: {heading}: {text}")
        self.status, self.heading, self.text, self.retry_s = status, heading, text, retry_s

    @classmethod
    def missing(cls, heading: str, text: str) -> PageError:
        """Return the error of what is not there."""
        return cls(HTTPStatus.NOT_FOUND, heading, text)
