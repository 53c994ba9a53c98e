"""What SQLite needs beside the statements: durable settings, real transactions, and errors in words."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL

from gavelport_server.storage.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection
    from sqlalchemy.exc import DBAPIError

WRITES: Final = "gavelport_writes"
"""Execution option of a connection whose transaction is going to write."""


def sqlite_engine(path: Path, busy_s: float) -> Engine:
    """Return an engine on a database file: write-ahead log, synced at every commit, foreign keys enforced.

    Args:
        path: The file; it is created on the first connection. In a folder that may not be written to it is only read.
        busy_s: How long to wait for another process's write to end.
    """
    url = URL.create("sqlite", database=str(path))
    if not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists():
        # To read a file with a write-ahead log SQLite writes beside it, unless it is told that nobody changes the file.
        url = URL.create("sqlite", database=path.absolute().as_uri(), query={"immutable": "1", "uri": "true"})
    engine = create_engine(
        url,
        connect_args={"timeout": busy_s, "isolation_level": None, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def settings(connection: sqlite3.Connection, _record: object) -> None:
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # The driver would begin late and as a reader, and a reader that turns writer can fail without waiting.
        writes = connection.get_execution_options().get(WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


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
        text = "is in use by another process; let that finish or stop it, then give the same command again"
    elif name.startswith("SQLITE_FULL"):
        text = (
            "cannot grow: no space is left; what was not yet acknowledged was not written. "
            "Free some space, then give the same command again"
        )
    elif name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR_SHORT_READ")):
        return damaged(where, original)
    elif name.startswith(("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")):
        text = "may not be written to; check the permissions of the file and of its folder"
    elif name.startswith("SQLITE_CANTOPEN"):
        text = "cannot be opened; check that its folder is there and may be written to"
    elif name.startswith("SQLITE_IOERR"):
        text = (
            f"cannot be read or written ({original}); check the disk and its free space, "
            "then give the same command again"
        )
    elif name.startswith("SQLITE_CONSTRAINT"):
        text = f"refuses a record that contradicts another one ({original})"
    else:
        text = f"failed: {original}"
    return StoreError(f"{where} {text}")
