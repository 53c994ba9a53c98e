"""The store on a SQL database: SQLAlchemy Core statements that SQLite and PostgreSQL share (design 8)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import func, insert, or_, select, tuple_, update

from gavelport_server.ratings.elo import START, EloTable
from gavelport_server.storage import schema
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.postgres import SCHEMES, PostgresBackend
from gavelport_server.storage.rows import found_results, insert_result, rated, results, tournaments
from gavelport_server.storage.sql_copies import SqlCopies
from gavelport_server.storage.sql_figures import SqlFigures
from gavelport_server.storage.sql_submissions import SqlSubmissions
from gavelport_server.storage.sqlite import SqliteBackend
from gavelport_server.storage.store import Standing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Connection, Select

    from gavelport_server.storage.store import FoundResult, Place, Result, ResultFilter, TournamentRecord

FILE = "gavelport.db"
"""The database's name in a data folder."""
SQLITE = "sqlite:///"
BUSY_S = 30.0
"""How long to wait for another process's write to end."""


class SqlStore(SqlFigures, SqlSubmissions, SqlCopies):
    """A `Store`, `Members`, and `Submissions`, in a SQL database, brought to the schema of today when it is opened."""

    def __init__(self, place: Path | str, *, busy_s: float = BUSY_S) -> None:
        """Open a database. Raises StoreError.

        Args:
            place: A SQLite file, which is created where it is missing; or the `postgresql://` URL of a database, which
                must be there, though it may be empty.
            busy_s: How long to wait for another process's write to end.
        """
        super().__init__(SqliteBackend(place, busy_s) if isinstance(place, Path) else PostgresBackend(place, busy_s))

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

    # -- tournaments

    def open_tournament(self, record: TournamentRecord) -> TournamentRecord:
        """Create the tournament, or return the one that is there under the same identity (its secret and start)."""
        # Looked for first without the write lock: a ladder that is there is read again and again.
        with self._reading() as connection:
            if found := tournaments(connection, record.identity):
                return found[0]
        with self._writing() as connection:
            self._backend.wait_for_turn(connection)
            if found := tournaments(connection, record.identity):
                return found[0]
            columns = ("identity", "name", "game", "options", "secret", "seats", "started_at", "kind")
            values = {name: getattr(record, name) for name in columns}
            inserted = connection.execute(insert(schema.tournament).values(**values, counted=0))
            (key,) = inserted.inserted_primary_key or (None,)
            for one in record.entrants:
                connection.execute(
                    insert(schema.entrant).values(
                        tournament_id=key,
                        number=one.number,
                        bot=one.bot,
                        version=one.version,
                        content_hash=one.content_hash,
                    )
                )
                connection.execute(
                    insert(schema.standing).values(tournament_id=key, entrant=one.number, elo=START, matches=0)
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
            held = self._locked(connection, identity)
            if held.kind != "tournament":
                raise StoreError(f"{self.where}: {identity} is no tournament; its results go to `append_result`")
            if self._is_settled(connection, result.match_id):
                return False
            place = select(schema.result.c.match_id).where(
                schema.result.c.tournament_id == held.id, schema.result.c.number == result.number
            )
            if (other := connection.scalar(place)) is not None:
                raise StoreError(
                    f"{self.where} already has match {other} at place {result.number} of the schedule; "
                    f"match {result.match_id} was not added"
                )
            insert_result(connection, held.id, result)
            self._advance(connection, held.id, held.counted)
        return True

    def results(self, identity: str, *, first: int = 0, limit: int | None = None) -> Sequence[Result]:
        """Return a tournament's results in schedule order; see `Store.results`."""
        with self._reading() as connection:
            return results(connection, self._key(connection, identity), first, limit)

    def voided(self, identity: str) -> Sequence[int]:
        """Return the numbers of the results that count no more, ascending."""
        held = schema.result.c
        with self._reading() as connection:
            mine = held.tournament_id == self._key(connection, identity)
            return connection.scalars(select(held.number).where(mine, schema.IS_VOIDED).order_by(held.number)).all()

    def result(self, match_id: str) -> FoundResult | None:
        """Return a match's result, or None where it has none."""
        with self._reading() as connection:
            known = connection.scalar(select(schema.result.c.match_id).where(schema.result.c.match_id == match_id))
            return None if known is None else found_results(connection, [match_id])[0]

    def find_results(
        self, wanted: ResultFilter, *, beyond: Place | None = None, limit: int = 100, oldest_first: bool = False
    ) -> Sequence[FoundResult]:
        """Return results of all tournaments, the latest first, at most `limit`; see `Store.find_results`."""
        place = tuple_(schema.result.c.finished_at, schema.result.c.match_id)
        chosen = _fitting(wanted)
        if beyond is not None:
            chosen = chosen.where(place > beyond if oldest_first else place < beyond)
        columns = (schema.result.c.finished_at, schema.result.c.match_id)
        ordered = chosen.order_by(*(one if oldest_first else one.desc() for one in columns))
        with self._reading() as connection:
            match_ids = [row.match_id for row in connection.execute(ordered.limit(limit))]
            return found_results(connection, match_ids)

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


def open_store(place: Path | str, *, create: bool = True, busy_s: float = BUSY_S) -> SqlStore:
    """Open the database of a data folder, or the one that a URL names. Raises StoreError.

    Args:
        place: The data folder; or `postgresql://user:password@host:port/database`, or `sqlite:///FILE`.
        create: Whether to make folder and SQLite file where they are missing; else a missing one is an error.
        busy_s: How long to wait for another process's write to end.
    """
    if isinstance(place, str) and place.startswith(SCHEMES):
        return SqlStore(place, busy_s=busy_s)
    if isinstance(place, str) and place.startswith(SQLITE):
        path = Path(place.removeprefix(SQLITE))
        if not create and not path.is_file():
            raise StoreError(f"{path} is not there; give the file of a database")
        return SqlStore(path, busy_s=busy_s)
    return SqlStore.in_folder(Path(place), create=create, busy_s=busy_s)


def _fitting(wanted: ResultFilter) -> Select[tuple[str]]:
    """Return the match ids of the results that a filter lets through."""
    results_, events = schema.result.c, schema.tournament.c
    chosen = select(results_.match_id).join(schema.tournament)
    if not wanted.with_unrated:
        chosen = chosen.where(events.kind != "practice")
    if wanted.tournament:
        chosen = chosen.where(or_(events.name == wanted.tournament, _begins(events.identity, wanted.tournament)))
    if wanted.game:
        chosen = chosen.where(or_(events.game == wanted.game, _begins(events.game, f"{wanted.game}@")))
    if wanted.since:
        chosen = chosen.where(results_.finished_at >= wanted.since)
    if wanted.until:
        chosen = chosen.where(results_.finished_at < wanted.until)
    if wanted.bot or wanted.version or wanted.is_faulty:
        chosen = chosen.where(results_.match_id.in_(_seated(wanted.bot, wanted.version, is_faulty=wanted.is_faulty)))
    if wanted.against:
        chosen = chosen.where(results_.match_id.in_(_seated(wanted.against)))
    return chosen


def _seated(bot: str, version: str = "", *, is_faulty: bool = False) -> Select[tuple[str]]:
    """Return the match ids of the results in which a bot sat."""
    # From the bot's few entries to their seats, by the indexes; results in order of time would all be looked at.
    seated, entrants, other = schema.seat_result.c, schema.entrant.c, schema.result.alias()
    played = (
        select(seated.match_id)
        .join(other, other.c.match_id == seated.match_id)
        .join(schema.entrant, (entrants.tournament_id == other.c.tournament_id) & (entrants.number == seated.entrant))
    )
    if bot:
        played = played.where(entrants.bot == bot)
    if version:
        played = played.where(entrants.version == version)
    if is_faulty:
        played = played.join(schema.seat_fault)
    return played


def _begins(column: ColumnElement[str], beginning: str) -> ColumnElement[bool]:
    # LIKE has wildcards, and in SQLite takes capitals for small letters.
    return func.substr(column, 1, len(beginning)) == beginning
