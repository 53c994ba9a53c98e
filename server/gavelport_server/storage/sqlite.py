"""What SQLite needs beside the statements: durable settings, real transactions, and errors in words."""

from __future__ import annotations

import os
import sqlite3
import time
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.engine import URL

from gavelport_server.storage.errors import StoreError

_WRITES: Final = "gavelport_writes"
"""Execution option of a connection whose transaction is going to write."""

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection
    from sqlalchemy.exc import DBAPIError


class SqliteBackend:
    """A SQLite file as `Backend`. What one process alone may do in its folder is a matter of the folder's lock."""

    def __init__(self, path: Path, busy_s: float) -> None:
        """Describe the file; it is created on the first connection.

        Args:
            path: The file. In a folder that may not be written to it is only read.
            busy_s: How long to wait for another process's write to end.
        """
        self.path = path
        self.where = str(path)
        self.reading = _engine(path, busy_s)
        self.writing = self.reading.execution_options(**{_WRITES: True})

    def explained(self, error: DBAPIError) -> StoreError:
        """Return an error of the database in words."""
        return explained(error, self.where)

    def damaged(self, what: object) -> StoreError:
        """Return the error of a damaged file."""
        return damaged(self.where, what)

    def problem(self, connection: Connection) -> str | None:
        """Return the first thing that is wrong with the file's pages, indexes and references, which are all read."""
        problems = connection.scalars(text("PRAGMA integrity_check(1)")).all()
        if problems != ["ok"]:
            return str(problems[0])
        broken = connection.execute(text("PRAGMA foreign_key_check")).first()
        return None if broken is None else f"table {broken[0]} refers to what table {broken[2]} does not have"

    def wait_for_turn(self, connection: Connection) -> None:
        """Return at once: a transaction that writes is alone."""

    def hold(self) -> None:
        """Return at once: there is no such lock."""

    def close(self) -> None:
        """Close all connections."""
        self.reading.dispose()


def _engine(path: Path, busy_s: float) -> Engine:
    """Return an engine on a database file: write-ahead log, synced at every commit, foreign keys enforced."""
    url = URL.create("sqlite", database=str(path))
    if not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists():
        # To read a file with a write-ahead log SQLite writes beside it, unless it is told that nobody changes the file.
        url = URL.create("sqlite", database=path.absolute().as_uri(), query={"immutable": "1", "uri": "true"})
    engine = create_engine(
        url,
        hide_parameters=True,
        connect_args={"timeout": busy_s, "isolation_level": None, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def settings(connection: sqlite3.Connection, _record: object) -> None:
        _begin_log(connection, busy_s)
        for pragma in ("synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # The driver would begin late and as a reader, and a reader that turns writer can fail without waiting.
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _begin_log(connection: sqlite3.Connection, busy_s: float) -> None:
    """Have a file a write-ahead log; SQLite lets none wait of several processes that open a new file at once."""
    end = time.monotonic() + busy_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return


def damaged(where: str, what: object) -> StoreError:
    """Return the error of a database that does not hold what was written into it."""
    return StoreError(
        f"{where} is damaged ({' '.join(str(what).split())}); put back a copy of the file, or move it away and start "
        "anew; replays are files of their own and not touched by this"
    )


def explained(error: DBAPIError, where: str) -> StoreError:
    """Return an error of the database in words: what, where, and what to do."""
    original: Any = error.orig
    name = getattr(original, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        told = "is in use by another process; let that finish or stop it, then give the same command again"
    elif name.startswith("SQLITE_FULL"):
        told = (
            "cannot grow: no space is left; what was not yet acknowledged was not written. "
            "Free some space, then give the same command again"
        )
    elif name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR_SHORT_READ")):
        return damaged(where, original)
    elif name.startswith(("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")):
        told = "may not be written to; check the permissions of the file and of its folder"
    elif name.startswith("SQLITE_CANTOPEN"):
        told = "cannot be opened; check that its folder is there and may be written to"
    elif name.startswith("SQLITE_IOERR"):
        told = (
            f"cannot be read or written ({original}); check the disk and its free space, "
            "then give the same command again"
        )
    elif name.startswith("SQLITE_CONSTRAINT"):
        told = f"refuses a record that contradicts another one ({original})"
    else:
        told = f"failed: {original}"
    return StoreError(f"{where} {told}")
