"""What a page says instead of what was asked for."""

from __future__ import annotations

from http import HTTPStatus


class PageError(Exception):
    """A page that cannot be shown: its status, a heading and a sentence for people."""

    def __init__(self, status: HTTPStatus, heading: str, text: str) -> None:
        super().__init__(f"{status.value}: {heading}: {text}")
        self.status, self.heading, self.text = status, heading, text

    @classmethod
    def missing(cls, heading: str, text: str) -> PageError:
        """Return the error of what is not there."""
        return cls(HTTPStatus.NOT_FOUND, heading, text)
