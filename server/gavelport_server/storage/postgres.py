"""What PostgreSQL needs beside the statements: a connection that lasts, the lock of the one server, errors in words.

A URL may hold a password. It goes to the driver and nowhere else: `where` names server and database without it, and no
error carries the URL or what a statement was given.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError

from gavelport_server.storage.errors import StoreError

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection

SCHEMES: Final = ("postgresql://", "postgresql+psycopg://", "postgres://")

_CONNECT: Final = {
    "application_name": "gavelport",
    "connect_timeout": "10",
    # A server that is gone without a word is noticed within half a minute.
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}
"""Of every connection, unless the URL says otherwise."""
_SERVING, _TURNS = 0x6761_7665, 0x6C70_6F72
"""First halves of advisory locks; the second is the schema that holds the tables."""
_SCHEMA = "(SELECT oid::int FROM pg_namespace WHERE nspname = current_schema())"
_HOLDER: Final = f"""
    SELECT a.pid, coalesce(host(a.client_addr), 'the same machine'), a.backend_start
    FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE l.locktype = 'advisory' AND l.granted AND l.classid = {_SERVING} AND l.objid = {_SCHEMA}::oid
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""  # noqa: S608  made of our own constants

_WORDS: Final = (
    (("28",), "refuses this user or password ({said}); put right what the URL says of them"),
    (("3D",), "is not there ({said}); create the database first, e.g. with createdb"),
    (("3F",), "has no schema to keep tables in ({said}); create it first"),
    (("53100",), "cannot grow: no space is left; what was not yet acknowledged was not written; free some space"),
    (("53300",), "takes no more connections ({said}); end some, or allow more"),
    (("40", "55P03", "57014"), "is in use by another process; let that finish or stop it, then try again"),
    (("57P", "08"), "cannot be reached ({said}); check that the server runs, then try again"),
    (("42501", "25006"), "may not be written to ({said}); give the user of the URL the right to, or another database"),
    (("23",), "refuses a record that contradicts another one ({said})"),
)  # fmt: skip
"""What an error means, by the beginning of its SQLSTATE."""


class PostgresBackend:
    """A PostgreSQL database as `Backend`."""

    def __init__(self, url: str, busy_s: float) -> None:
        """Describe the database; nothing is connected yet. Raises StoreError for a URL that names none.

        Args:
            url: `postgresql://user:password@host:port/database`.
            busy_s: How long to wait for another process's write to end.
        """
        parsed = _parsed(url)
        self.where = _place(parsed)
        self._password = parsed.password
        self._lock: Any = None
        self._holding = threading.Lock()
        try:
            self._engine = create_engine(
                _full(parsed, busy_s), hide_parameters=True, pool_pre_ping=True, pool_size=10, max_overflow=10
            )
        except ImportError as error:
            raise StoreError(
                f"{self.where} needs a driver that is not installed ({error.name}); pip install 'gavelport[postgres]'"
            ) from None
        # One snapshot for all that a reader asks; writers take row locks instead, and see what was there before them.
        self.reading = self._engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        self.writing = self._engine.execution_options(isolation_level="READ COMMITTED")

    def explained(self, error: DBAPIError) -> StoreError:
        """Return an error of the database in words."""
        original: Any = error.orig
        state = getattr(original, "sqlstate", None) or ("08" if error.connection_invalidated else "")
        # Without the details, which quote what a row holds.
        primary = getattr(getattr(original, "diag", None), "message_primary", None)
        said = self._without_password(primary or str(original))
        if not state and isinstance(original, self._engine.dialect.loaded_dbapi.OperationalError):
            # The driver itself could not connect; only its text tells why.
            missing = "does not exist" in said
            if "authentication failed" in said or "no password supplied" in said or ('role "' in said and missing):
                state = "28"
            else:
                state = "3D" if 'database "' in said and missing else "08"
        if state.startswith("XX"):
            return self.damaged(said)
        for states, words in _WORDS:
            if state.startswith(states):
                return StoreError(f"{self.where} {words.format(said=said)}")
        return StoreError(f"{self.where} failed: {said}")

    def damaged(self, what: object) -> StoreError:
        """Return the error of a database that does not hold what was written into it."""
        return StoreError(
            f"{self.where} is damaged ({' '.join(str(what).split())}); put back a backup; replays are files of their "
            "own and not touched by this"
        )

    def problem(self, connection: Connection) -> str | None:
        """Return None: PostgreSQL tells by itself of pages that it cannot read."""
        return None

    def wait_for_turn(self, connection: Connection) -> None:
        """Wait until no other transaction that waits here goes on."""
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_TURNS}, {_SCHEMA})"))

    def hold(self) -> None:
        """Take the lock that one serving process has, on a connection of its own, anew where that was lost.

        Raises StoreError where another process has it, or the database is out of reach.
        """
        with self._holding:
            if not self._is_held():
                self._hold()

    def _hold(self) -> None:
        try:
            lock = self._engine.raw_connection()
            lock.detach()
            driver: Any = lock.dbapi_connection
            driver.autocommit = True
            (taken,) = driver.execute(f"SELECT pg_try_advisory_lock({_SERVING}, {_SCHEMA})").fetchone()
            holder = "" if taken else _holder(driver)
        except self._engine.dialect.loaded_dbapi.Error as error:
            raise self.explained(DBAPIError("", None, error)) from None
        if not taken:
            lock.close()
            raise StoreError(
                f"{self.where} is served by another process{holder}; stop that one first. If its machine is gone, the "
                "database notices that by itself after a while"
            )
        self._lock = lock

    def _is_held(self) -> bool:
        if self._lock is None:
            return False
        try:
            self._lock.dbapi_connection.execute("SELECT 1")
        except self._engine.dialect.loaded_dbapi.Error:
            self._lock.close()
            self._lock = None
            return False
        return True

    def close(self) -> None:
        """Close all connections, and let go of the lock with its own."""
        if self._lock is not None:
            self._lock.close()
        self._engine.dispose()

    def _without_password(self, said: str) -> str:
        line = " ".join(said.split())
        return line.replace(self._password, "***") if self._password else line


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url.replace("postgres://", "postgresql://", 1)).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError):
        parsed = None  # whatever the parser says may quote a password
    if parsed is None or "@" in (parsed.host or ""):
        raise StoreError(
            "the database's URL cannot be read; write postgresql://user:password@host:port/database, with @, / and : "
            "in a password as %40, %2F and %3A"
        )
    return parsed


def _place(url: URL) -> str:
    """Return user, host and database in words: no password, nor anything of the query, which may hold others."""
    host = url.query.get("host", url.host or "") or "localhost"
    at = f"{url.username}@" if url.username else ""
    port = f":{url.port}" if url.port else ""
    return f"postgresql://{at}{host if isinstance(host, str) else host[0]}{port}/{url.database or ''}"


def _full(url: URL, busy_s: float) -> URL:
    asked = {key: value for key, value in _CONNECT.items() if key not in url.query}
    given = url.query.get("options", "")
    options = given if isinstance(given, str) else " ".join(given)
    ours = f"-c synchronous_commit=on -c lock_timeout={max(1, round(busy_s * 1000))}"
    return url.update_query_dict({**asked, "options": f"{options} {ours}".strip()})


def _holder(driver: Any) -> str:
    """Return in words who has the lock, as far as may be seen."""
    row = driver.execute(_HOLDER).fetchone()
    return f" (connection {row[0]} from {row[1]} since {row[2]:%Y-%m-%d %H:%M})" if row else ""
