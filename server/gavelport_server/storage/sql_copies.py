"""Copies of a whole database: to a SQLite file, whatever it is kept in, and back.

A copy is of one state, also while a server writes. SQLite is copied by its own online backup; PostgreSQL row by row out
of one snapshot, so that a copy needs neither its tools nor its version, and can be put into either.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, insert, select, text, update

from gavelport_server.storage import schema
from gavelport_server.storage.database import Database
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.sqlite import SqliteBackend

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection

_AT_ONCE = 1000
"""So many rows are in memory."""
_HISTORY = (schema.tournament, schema.owner, schema.token, schema.action)
"""Where these are empty, nothing was ever kept."""
_NO_WAIT_S = 0.0


class SqlCopies(Database):
    """What backups need of a database."""

    def is_fresh(self) -> bool:
        """Return whether nothing was ever kept in it."""
        with self._reading() as connection:
            counts = [connection.scalar(select(func.count()).select_from(table)) for table in _HISTORY]
        return not any(counts)

    def replay_hashes(self) -> Iterator[tuple[str, str]]:
        """Yield match id and SHA-256 of the replay of every result, ordered by match id."""
        columns = select(schema.result.c.match_id, schema.result.c.replay_sha256).order_by(schema.result.c.match_id)
        with self._reading() as connection:
            for row in connection.execution_options(yield_per=_AT_ONCE).execute(columns):
                yield row.match_id, row.replay_sha256

    def copy_to(self, path: Path) -> None:
        """Write everything to a SQLite file that is not there yet. Raises StoreError."""
        if not isinstance(self._backend, SqliteBackend):
            with closing(SqlCopies(SqliteBackend(path, _NO_WAIT_S))) as target:
                self.pour_into(target)
            return
        try:
            with closing(sqlite3.connect(self._backend.path)) as source, closing(sqlite3.connect(path)) as target_file:
                source.backup(target_file)
        except sqlite3.Error as error:
            raise StoreError(
                f"{path} cannot be made a copy of {self.where} ({error}); check the disk and its free space"
            ) from error

    def replace_by(self, path: Path) -> None:
        """Replace everything by what a SQLite file holds, in one transaction. Raises StoreError.

        No server may serve the database meanwhile, and one that did is shut out.
        """
        self.claim("restore")
        with closing(SqlCopies(SqliteBackend(path, _NO_WAIT_S))) as source:
            source.pour_into(self)

    def pour_into(self, target: SqlCopies) -> None:
        """Replace everything in another database by what is in this one."""
        with self._reading() as rows:
            target.fill(rows)

    def fill(self, rows: Connection) -> None:
        """Replace everything by the rows of another database; the epoch becomes the larger one of both."""
        serving, tables = schema.serving, schema.metadata.sorted_tables
        with self._writing() as connection:
            own = connection.execute(select(serving.c.epoch)).scalar_one()
            for table in reversed(tables):
                connection.execute(delete(table))
            for table in tables:
                found = rows.execution_options(yield_per=_AT_ONCE).execute(select(table))
                for part in found.mappings().partitions():
                    connection.execute(insert(table), [dict(row) for row in part])
            connection.execute(update(serving).where(serving.c.epoch < own).values(epoch=own))
            if connection.dialect.name == "postgresql":
                _continue_counters(connection)


def check_copy(path: Path) -> None:
    """Raise StoreError where a SQLite file is no sound copy. One of an older schema is brought to that of today."""
    with closing(SqlCopies(SqliteBackend(path, _NO_WAIT_S))) as copy:
        copy.check()


def _continue_counters(connection: Connection) -> None:
    """Have PostgreSQL give out ids behind those that came with their rows."""
    for table in (schema.tournament, schema.action, schema.submission):
        following = select(func.coalesce(func.max(table.c.id), 0) + 1).scalar_subquery()
        counter = func.pg_get_serial_sequence(table.name, "id")
        connection.execute(select(func.setval(counter, following, text("false"))))
