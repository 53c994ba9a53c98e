"""The store on a SQL database: SQLAlchemy Core statements that SQLite and PostgreSQL share (design 8)."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, insert, select, text, update
from sqlalchemy.exc import DBAPIError

from gavelport_server.ratings.elo import EloTable, Rated
from gavelport_server.storage import schema
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.migrate import is_current, upgrade
from gavelport_server.storage.rows import UnsoundError, insert_result, rated, results, tournaments
from gavelport_server.storage.sqlite import WRITES, damaged, explained, sqlite_engine
from gavelport_server.storage.store import Result, Standing, TournamentRecord

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FILE = "gavelport.db"
"""The database's name in a data folder."""
BUSY_S = 30.0
"""How long to wait for another process's write to end."""


class SqlStore:
    """A `Store` in a SQLite file, brought to the schema of today when it is opened."""

    def __init__(self, path: Path, *, busy_s: float = BUSY_S) -> None:
        """Open the database file, creating it where it is missing. Raises StoreError."""
        self.where = str(path)
        self._engine = sqlite_engine(path, busy_s)
        try:
            with self._reading() as connection:
                current = is_current(connection, self.where)
            if not current:
                with self._writing() as connection:
                    # Asked again: another process may have done it while this one waited for its turn.
                    if not is_current(connection, self.where):
                        upgrade(connection)
        except StoreError:
            self.close()
            raise

    @classmethod
    def in_folder(cls, folder: Path, *, create: bool, busy_s: float = BUSY_S) -> SqlStore:
        """Open the database of a data folder. Raises StoreError.

        Args:
            folder: The data folder.
            create: Whether to make folder and database where they are missing; else a missing one is an error.
            busy_s: How long to wait for another process's write to end.
        """
        path = folder / FILE
        if folder.exists() and not folder.is_dir():
            raise StoreError(f"{folder} is not a folder; give a folder for the data")
        if path.is_dir():
            raise StoreError(f"{path} is a folder, and the database is a file; move it away")
        if not create and not path.exists():
            raise StoreError(f"{folder} holds no tournament data (there is no {FILE}); give the folder of a tournament")
        if create:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(
                    f"{folder} cannot be made ({error.strerror}); give a data folder that may be written to"
                ) from error
        return cls(path, busy_s=busy_s)

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def check(self) -> None:
        """Read the whole file and raise StoreError where its structure is damaged."""
        with self._reading() as connection:
            problems = connection.scalars(text("PRAGMA integrity_check(1)")).all()
        if problems != ["ok"]:
            raise damaged(self.where, problems[0])

    # -- tournaments

    def open_tournament(self, record: TournamentRecord) -> TournamentRecord:
        """Create the tournament, or return the one that is there under the same identity (its secret and start)."""
        with self._writing() as connection:
            found = tournaments(connection, record.identity)
            if found:
                return found[0]
            columns = ("identity", "name", "game", "options", "secret", "seats", "started_at")
            values = {name: getattr(record, name) for name in columns}
            inserted = connection.execute(insert(schema.tournament).values(**values, counted=0))
            (key,) = inserted.inserted_primary_key or (None,)
            connection.execute(
                insert(schema.entrant),
                [
                    {
                        "tournament_id": key,
                        "number": one.number,
                        "bot": one.bot,
                        "version": one.version,
                        "content_hash": one.content_hash,
                    }
                    for one in record.entrants
                ],
            )
            connection.execute(
                insert(schema.standing),
                [
                    {"tournament_id": key, "entrant": one.number, "elo": Rated().elo, "matches": 0}
                    for one in record.entrants
                ],
            )
        return record

    def tournaments(self) -> Sequence[TournamentRecord]:
        """Return all tournaments, oldest first."""
        with self._reading() as connection:
            return tournaments(connection)

    # -- results

    def add_result(self, identity: str, result: Result) -> bool:
        """Insert a result and count it into the Elo, all in one transaction; see `Store.add_result`.

        Raises StoreError, keeping nothing, where another match holds the result's place in the schedule or a seat's
        entrant is none of the tournament's.
        """
        with self._writing() as connection:
            # Locked where the database has row locks, so that results of one tournament come one by one.
            locked = select(schema.tournament.c.id, schema.tournament.c.counted).where(
                schema.tournament.c.identity == identity
            )
            row = connection.execute(locked.with_for_update()).one_or_none()
            if row is None:
                raise self._unknown(identity)
            key, counted = row
            same = select(schema.result.c.match_id).where(schema.result.c.match_id == result.match_id)
            if connection.scalar(same) is not None:
                return False
            place = select(schema.result.c.match_id).where(
                schema.result.c.tournament_id == key, schema.result.c.number == result.number
            )
            if (other := connection.scalar(place)) is not None:
                raise StoreError(
                    f"{self.where} already has match {other} at place {result.number} of the schedule; "
                    f"match {result.match_id} was not added"
                )
            insert_result(connection, key, result)
            self._advance(connection, key, counted)
        return True

    def results(self, identity: str) -> Sequence[Result]:
        """Return a tournament's results in schedule order."""
        with self._reading() as connection:
            return results(connection, self._key(connection, identity))

    def standings(self, identity: str) -> Sequence[Standing]:
        """Return the stored Elo of every entrant, by entrant number."""
        with self._reading() as connection:
            stored = rated(connection, self._key(connection, identity))
            return [Standing(number, one.elo, one.matches) for number, one in enumerate(stored)]

    # -- inside

    def _advance(self, connection: Connection, key: int, counted: int) -> None:
        """Count into the Elo whatever results now stand without a gap after the first `counted`."""
        waiting = (
            select(schema.result.c.number, schema.seat_result.c.entrant, schema.seat_result.c.rank)
            .join(schema.seat_result)
            .where(schema.result.c.tournament_id == key, schema.result.c.number >= counted)
            .order_by(schema.result.c.number, schema.seat_result.c.seat)
        )
        seats: dict[int, list[tuple[int, int]]] = {}
        for number, entrant_number, rank in connection.execute(waiting):
            seats.setdefault(number, []).append((entrant_number, rank))
        before = rated(connection, key)
        table = EloTable(before)
        first = counted
        while counted in seats:
            entrants, ranks = zip(*seats[counted], strict=True)
            try:
                table.count(entrants, ranks)
            except ValueError as error:
                raise StoreError(f"{self.where}: place {counted} of the schedule cannot be rated: {error}") from error
            counted += 1
        if counted == first:
            return
        connection.execute(update(schema.tournament).where(schema.tournament.c.id == key).values(counted=counted))
        for number, (old, new) in enumerate(zip(before, table.rated, strict=True)):
            if new != old:
                connection.execute(
                    update(schema.standing)
                    .where(schema.standing.c.tournament_id == key, schema.standing.c.entrant == number)
                    .values(elo=new.elo, matches=new.matches)
                )

    def _key(self, connection: Connection, identity: str) -> int:
        key = connection.scalar(select(schema.tournament.c.id).where(schema.tournament.c.identity == identity))
        if key is None:
            raise self._unknown(identity)
        return int(key)

    def _unknown(self, identity: str) -> StoreError:
        return StoreError(f"{self.where} holds no tournament {identity}; `open_tournament` makes it")

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._connection(writes=False) as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._connection(writes=True) as connection:
            yield connection

    @contextmanager
    def _connection(self, *, writes: bool) -> Iterator[Connection]:
        """Give a connection in a transaction that is committed at the end; errors come out as StoreError."""
        try:
            with self._engine.connect().execution_options(**{WRITES: writes}) as connection, connection.begin():
                yield connection
        except DBAPIError as error:
            raise explained(error, self.where) from error
        except UnsoundError as error:
            raise damaged(self.where, error) from error
        except UnicodeDecodeError as error:  # SQLite quotes what is damaged as it stands
            raise damaged(self.where, "text in it is not UTF-8") from error
