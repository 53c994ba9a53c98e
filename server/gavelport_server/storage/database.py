"""A SQL database: its transactions, its schema, and which server may write to it (design 7, 8).

One server writes. It claims the database at its start, which raises the epoch, and each of its write transactions
checks that the epoch is still its own, under a lock that the next claim has to wait for. So whatever a server has
committed, it committed before the next one began.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from sqlalchemy import Connection, Engine, select, update
from sqlalchemy.exc import DBAPIError, TimeoutError  # noqa: A004  of the pool

from gavelport_server.storage import schema
from gavelport_server.storage.errors import FencedError, StoreError
from gavelport_server.storage.migrate import is_current, upgrade
from gavelport_server.storage.rows import UnsoundError
from gavelport_server.storage.times import utc_now

if TYPE_CHECKING:
    from collections.abc import Iterator


class Backend(Protocol):
    """What differs between the databases."""

    @property
    def where(self) -> str:
        """Return the database's place in words, without any password."""
        ...

    @property
    def reading(self) -> Engine:
        """Return the engine whose transactions only read, all of one state."""
        ...

    @property
    def writing(self) -> Engine:
        """Return the engine whose transactions write; their commits are durable."""
        ...

    def explained(self, error: DBAPIError) -> StoreError:
        """Return an error of the database in words: what, where, and what to do."""
        ...

    def damaged(self, what: object) -> StoreError:
        """Return the error of a database that does not hold what was written into it."""
        ...

    def problem(self, connection: Connection) -> str | None:
        """Return what is wrong with the database's structure, as far as it can tell by itself."""
        ...

    def wait_for_turn(self, connection: Connection) -> None:
        """Wait until no other transaction that waits here goes on: where there is no row yet that could be locked."""
        ...

    def hold(self) -> None:
        """Take the lock that one serving process has, where the database has such and it is not held already.

        Raises StoreError where another process has it, or the database is out of reach.
        """
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class Database:
    """A database, brought to the schema of today when it is opened. Raises StoreError."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.where = backend.where
        self._epoch: int | None = None
        try:
            with self._reading() as connection:
                current = is_current(connection, self.where)
            if not current:
                with self._writing() as connection:
                    backend.wait_for_turn(connection)
                    # Asked again: another process may have done it while this one waited for its turn.
                    if not is_current(connection, self.where):
                        upgrade(connection)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the database."""
        self._backend.close()

    def check(self) -> None:
        """Have the database read itself, and raise StoreError where its structure is damaged."""
        with self._reading() as connection:
            problem = self._backend.problem(connection)
        if problem is not None:
            raise self._backend.damaged(problem)

    def claim(self, holder: str) -> int:
        """Make this store the one through which a server writes; see `Store.claim`."""
        self._backend.hold()
        serving = schema.serving
        with self._writing() as connection:
            epoch = int(connection.execute(select(serving.c.epoch).with_for_update()).scalar_one()) + 1
            connection.execute(update(serving).values(epoch=epoch, holder=holder, since=utc_now()))
        self._epoch = epoch
        return epoch

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._transaction(self._backend.reading) as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._transaction(self._backend.writing) as connection:
            if self._epoch is not None:
                self._check_epoch(connection, self._epoch)
            yield connection

    def _check_epoch(self, connection: Connection, own: int) -> None:
        serving = schema.serving
        # Shared: a server's own writes do not wait for each other here, but a claim waits for them.
        row = connection.execute(select(serving.c.epoch, serving.c.holder).with_for_update(read=True)).one()
        if row.epoch != own:
            raise FencedError(
                f"another server has taken over this database ({self.where} is at epoch {row.epoch} of {row.holder}, "
                f"this server's is {own}); nothing more was written. Stop this one, or the other"
            )
        # Lost with its connection, the lock is taken anew: who took it meanwhile, and claimed, has been seen above.
        self._backend.hold()

    @contextmanager
    def _transaction(self, engine: Engine) -> Iterator[Connection]:
        """Give a connection in a transaction that is committed at the end; errors come out as StoreError."""
        try:
            with engine.begin() as connection:
                yield connection
        except TimeoutError as error:
            raise StoreError(f"{self.where}: more is asked at once than it answers in time; try again later") from error
        except DBAPIError as error:
            raise self._backend.explained(error) from error
        except UnsoundError as error:
            raise self._backend.damaged(error) from error
        except UnicodeDecodeError as error:  # SQLite quotes what is damaged as it stands
            raise self._backend.damaged("text in it is not UTF-8") from error
