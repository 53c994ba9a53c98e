"""Submitted versions of bots, and what became of them; the protocol for them (design 9).

A submission is examined before it becomes a version: until then it takes nobody's place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

SubmissionStatus: TypeAlias = Literal["received", "checking", "admitted", "refused"]
OPEN: tuple[SubmissionStatus, ...] = ("received", "checking")


@dataclass(frozen=True, slots=True)
class SubmissionRecord:
    """A submission. All times are ISO 8601 in UTC."""

    id: int
    """Counts all of the server's, in the order in which they came."""
    bot: str
    version: str
    content_hash: str
    """SHA-256 of its files, hex (`conduct/manifest.py`)."""
    owner: str
    received_at: str
    status: SubmissionStatus
    findings: str
    """JSON, a list of what its examination found."""
    decided_at: str
    """Empty: not yet."""


class Submissions(Protocol):
    """Where they are kept. Synchronous; every method is one transaction; raises StoreError."""

    def add_submission(self, bot: str, version: str, content_hash: str, owner: str, at: str) -> SubmissionRecord:
        """Add a submission, to be examined."""
        ...

    def submission(self, number: int) -> SubmissionRecord | None:
        """Return a submission by its id, or None where there is none."""
        ...

    def submissions(self, bot: str | None = None, limit: int | None = None) -> Sequence[SubmissionRecord]:
        """Return the submissions of a bot, or of all, latest first."""
        ...

    def open_submissions(self) -> Sequence[SubmissionRecord]:
        """Return those that are not decided, oldest first."""
        ...

    def submitted_since(self, owner: str, since: str) -> Sequence[SubmissionRecord]:
        """Return an owner's submissions that came at that time or later, oldest first."""
        ...

    def check_submission(self, number: int) -> None:
        """Take note that it is being examined."""
        ...

    def admit_submission(self, number: int, findings: str, at: str) -> SubmissionRecord:
        """Admit an open submission: its version is added in the same transaction.

        Another content under the version's name, which came meanwhile, is a StoreError.
        """
        ...

    def refuse_submission(self, number: int, findings: str, at: str) -> SubmissionRecord:
        """Refuse an open submission, with what was found."""
        ...
