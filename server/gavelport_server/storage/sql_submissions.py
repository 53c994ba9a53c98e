"""Submissions in a SQL database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from gavelport_server.storage import schema
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.rows import read
from gavelport_server.storage.sql_members import SqlMembers, locked
from gavelport_server.storage.submissions import OPEN, SubmissionRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, Select

    from gavelport_server.storage.submissions import SubmissionStatus

_TABLE = schema.submission


class SqlSubmissions(SqlMembers):
    """`Submissions`, and `Members`, in a SQL database."""

    def add_submission(self, bot: str, version: str, content_hash: str, owner: str, at: str) -> SubmissionRecord:
        """Add a submission, to be examined."""
        record: dict[str, Any] = {
            "bot": bot,
            "version": version,
            "content_hash": content_hash,
            "owner": owner,
            "received_at": at,
            "status": "received",
            "findings": "[]",
            "decided_at": "",
        }
        with self._writing() as connection:
            self._bot(connection, bot)
            number = connection.execute(insert(_TABLE).values(**record).returning(_TABLE.c.id)).scalar_one()
        return SubmissionRecord(id=number, **record)

    def submission(self, number: int) -> SubmissionRecord | None:
        """Return a submission by its id, or None where there is none."""
        with self._reading() as connection:
            return next(iter(_found(connection, select(_TABLE).where(_TABLE.c.id == number))), None)

    def submissions(self, bot: str | None = None, limit: int | None = None) -> Sequence[SubmissionRecord]:
        """Return the submissions of a bot, or of all, latest first."""
        chosen = select(_TABLE).order_by(_TABLE.c.id.desc()).limit(limit)
        with self._reading() as connection:
            return _found(connection, chosen if bot is None else chosen.where(_TABLE.c.bot == bot))

    def open_submissions(self) -> Sequence[SubmissionRecord]:
        """Return those that are not decided, oldest first."""
        with self._reading() as connection:
            return _found(connection, select(_TABLE).where(_TABLE.c.status.in_(OPEN)).order_by(_TABLE.c.id))

    def submitted_since(self, owner: str, since: str) -> Sequence[SubmissionRecord]:
        """Return an owner's submissions that came at that time or later, oldest first."""
        mine = (_TABLE.c.owner == owner) & (_TABLE.c.received_at >= since)
        with self._reading() as connection:
            return _found(connection, select(_TABLE).where(mine).order_by(_TABLE.c.id))

    def check_submission(self, number: int) -> None:
        """Take note that it is being examined."""
        with self._writing() as connection:
            self._open(connection, number)
            connection.execute(update(_TABLE).where(_TABLE.c.id == number).values(status="checking"))

    def admit_submission(self, number: int, findings: str, at: str) -> SubmissionRecord:
        """Admit an open submission: its version is added in the same transaction."""
        with self._writing() as connection:
            revision = locked(connection)
            record = self._open(connection, number)
            self._add_version(connection, revision, record.bot, record.version, record.content_hash)
            return _decided(connection, number, "admitted", findings, at)

    def refuse_submission(self, number: int, findings: str, at: str) -> SubmissionRecord:
        """Refuse an open submission, with what was found."""
        with self._writing() as connection:
            self._open(connection, number)
            return _decided(connection, number, "refused", findings, at)

    def _open(self, connection: Connection, number: int) -> SubmissionRecord:
        found = _found(connection, select(_TABLE).where(_TABLE.c.id == number))
        if not found or found[0].status not in OPEN:
            raise StoreError(f"{self.where} has no open submission {number}")
        return found[0]


def _decided(connection: Connection, number: int, status: SubmissionStatus, findings: str, at: str) -> SubmissionRecord:
    same = _TABLE.c.id == number
    connection.execute(update(_TABLE).where(same).values(status=status, findings=findings, decided_at=at))
    return _found(connection, select(_TABLE).where(same))[0]


def _found(connection: Connection, chosen: Select[Any]) -> list[SubmissionRecord]:
    return [SubmissionRecord(**row._asdict()) for row in read(connection, _TABLE, chosen)]
