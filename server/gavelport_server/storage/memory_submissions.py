"""Submissions in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.memory_members import MemoryMembers
from gavelport_server.storage.submissions import OPEN, SubmissionRecord

if TYPE_CHECKING:
    from collections.abc import Sequence


class MemorySubmissions(MemoryMembers):
    """`Submissions`, and `Members`, that are gone with their process."""

    def __init__(self) -> None:
        super().__init__()
        self._submissions: dict[int, SubmissionRecord] = {}

    def add_submission(self, bot: str, version: str, content_hash: str, owner: str, at: str) -> SubmissionRecord:
        """Add a submission, to be examined."""
        with self._lock:
            self._bot(bot)
            number = len(self._submissions) + 1
            record = SubmissionRecord(number, bot, version, content_hash, owner, at, "received", "[]", "")
            self._submissions[number] = record
            return record

    def submission(self, number: int) -> SubmissionRecord | None:
        """Return a submission by its id, or None where there is none."""
        return self._submissions.get(number)

    def submissions(self, bot: str | None = None, limit: int | None = None) -> Sequence[SubmissionRecord]:
        """Return the submissions of a bot, or of all, latest first."""
        with self._lock:
            return [one for _, one in sorted(self._submissions.items(), reverse=True) if bot in (None, one.bot)][:limit]

    def open_submissions(self) -> Sequence[SubmissionRecord]:
        """Return those that are not decided, oldest first."""
        with self._lock:
            return [one for _, one in sorted(self._submissions.items()) if one.status in OPEN]

    def submitted_since(self, owner: str, since: str) -> Sequence[SubmissionRecord]:
        """Return an owner's submissions that came at that time or later, oldest first."""
        with self._lock:
            mine = (one for _, one in sorted(self._submissions.items()) if one.owner == owner)
            return [one for one in mine if one.received_at >= since]

    def check_submission(self, number: int) -> None:
        """Take note that it is being examined."""
        with self._lock:
            self._submissions[number] = replace(self._open(number), status="checking")

    def admit_submission(self, number: int, findings: str, at: str) -> SubmissionRecord:
        """Admit an open submission: its version is added with it."""
        with self._lock:
            record = self._open(number)
            self.add_version(record.bot, record.version, record.content_hash)
            record = replace(record, status="admitted", findings=findings, decided_at=at)
            self._submissions[number] = record
            return record

    def refuse_submission(self, number: int, findings: str, at: str) -> SubmissionRecord:
        """Refuse an open submission, with what was found."""
        with self._lock:
            record = replace(self._open(number), status="refused", findings=findings, decided_at=at)
            self._submissions[number] = record
            return record

    def _open(self, number: int) -> SubmissionRecord:
        found = self._submissions.get(number)
        if found is None or found.status not in OPEN:
            raise StoreError(f"{self.where} has no open submission {number}")
        return found
