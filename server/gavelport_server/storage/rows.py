"""Records to rows and back.

SQLite has no checksums: a changed byte may leave a file that it reads without complaint. So what is read is checked
against the schema's types and against itself, before anybody builds on it.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, get_args

from sqlalchemy import insert, select, tuple_

from gavelport_server.ratings.elo import Rated
from gavelport_server.storage import schema
from gavelport_server.storage.store import Entrant, FoundResult, Kind, Result, SeatResult, TournamentRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, Row, Select, Table

_RESULT_COLUMNS = (
    "match_id", "number", "round", "block", "rotation", "end", "replay_sha256", "seconds", "finished_at", "void_reason",
    "sandbox",
)  # fmt: skip
_SEAT_COLUMNS = (
    "entrant", "rank", "total", "retired", "decisions", "charged_ms", "slowest_ms", "refusals", "first_fault",
)  # fmt: skip
# By place, as names take twice as long, and a ladder has a million seats.
_result_values = itemgetter(*map(schema.result.columns.keys().index, _RESULT_COLUMNS))
_seat_values = itemgetter(*map(schema.seat_result.columns.keys().index, _SEAT_COLUMNS))


class UnsoundError(Exception):
    """Rows that cannot have been written so; the text says which and why."""


def tournaments(connection: Connection, identity: str | None = None) -> list[TournamentRecord]:
    """Return all tournaments, oldest first, or the one of an identity. Raises UnsoundError."""
    chosen = select(schema.tournament).order_by(schema.tournament.c.started_at, schema.tournament.c.id)
    if identity is not None:
        chosen = chosen.where(schema.tournament.c.identity == identity)
    return [
        TournamentRecord(
            identity=row.identity,
            name=row.name,
            game=row.game,
            options=row.options,
            secret=row.secret,
            seats=row.seats,
            entrants=tuple(
                Entrant(one.number, one.bot, one.version, one.content_hash) for one in _entrants(connection, row.id)
            ),
            started_at=row.started_at,
            kind=_kind(row.kind),
        )
        for row in read(connection, schema.tournament, chosen)
    ]


def rated(connection: Connection, key: int) -> list[Rated]:
    """Return the stored Elo of a tournament's entrants, by number. Raises UnsoundError."""
    table = schema.standing
    rows = read(connection, table, select(table).where(table.c.tournament_id == key).order_by(table.c.entrant))
    _numbered("standings", [row.entrant for row in rows], len(_entrants(connection, key)))
    return [Rated(row.elo, row.matches) for row in rows]


def insert_result(connection: Connection, key: int, result: Result) -> None:
    """Insert a result with its seats and faults."""
    values = {name: getattr(result, name) for name in _RESULT_COLUMNS}
    connection.execute(insert(schema.result).values(**values, tournament_id=key, table_number=result.table))
    seats = [
        {"match_id": result.match_id, "seat": seat, **{name: getattr(one, name) for name in _SEAT_COLUMNS}}
        for seat, one in enumerate(result.seats)
    ]
    connection.execute(insert(schema.seat_result), seats)
    faults = [
        {"match_id": result.match_id, "seat": seat, "reason": reason, "faults": count}
        for seat, one in enumerate(result.seats)
        for reason, count in one.faults
    ]
    if faults:
        connection.execute(insert(schema.seat_fault), faults)


def results(connection: Connection, key: int, first: int = 0, limit: int | None = None) -> list[Result]:
    """Return a tournament's results in schedule order, at most so many, from a number on. Raises UnsoundError."""
    table = schema.result
    chosen = (table.c.tournament_id == key) & (table.c.number >= first)
    rows = read(connection, table, select(table).where(chosen).order_by(table.c.number).limit(limit))
    if limit is not None and rows:
        chosen &= table.c.number <= rows[-1].number
    found = _with_seats(connection, rows, select(table.c.match_id).where(chosen))
    size = connection.scalar(select(schema.tournament.c.seats).where(schema.tournament.c.id == key))
    entrants = len(_entrants(connection, key))
    for one in found:
        seated = [seat.entrant for seat in one.seats]
        if len(seated) != size:
            raise UnsoundError(f"match {one.match_id} has {len(seated)} seats, and its tournament {size}")
        if len(set(seated)) < len(seated) or not all(0 <= entrant < entrants for entrant in seated):
            raise UnsoundError(f"match {one.match_id} seats entrants {seated} of {entrants}")
    return found


def found_results(connection: Connection, match_ids: Sequence[str]) -> list[FoundResult]:
    """Return these results, in this order, with what their tournaments say of them. Raises UnsoundError."""
    table = schema.result
    chosen = table.c.match_id.in_(match_ids)
    rows = read(connection, table, select(table).where(chosen))
    played_in = {row.match_id: row.tournament_id for row in rows}
    by_id = {one.match_id: one for one in _with_seats(connection, rows, select(table.c.match_id).where(chosen))}
    events = schema.tournament.c
    columns = select(events.id, events.identity, events.name, events.game, events.kind)
    keys = {row.id: row for row in connection.execute(columns.where(events.id.in_(set(played_in.values()))))}
    seated = schema.entrant.c
    pairs = {(played_in[one.match_id], seat.entrant) for one in by_id.values() for seat in one.seats}
    chosen_entrants = select(schema.entrant).where(tuple_(seated.tournament_id, seated.number).in_(sorted(pairs)))
    entrants = {
        (row.tournament_id, row.number): Entrant(row.number, row.bot, row.version, row.content_hash)
        for row in read(connection, schema.entrant, chosen_entrants)
    }
    if strangers := pairs - set(entrants):
        raise UnsoundError(f"matches seat entrants {sorted(strangers)}, whom their tournaments do not have")
    return [
        FoundResult(
            result=by_id[match_id],
            entrants=tuple(entrants[played_in[match_id], seat.entrant] for seat in by_id[match_id].seats),
            identity=(played := keys[played_in[match_id]]).identity,
            tournament=played.name,
            game=played.game,
            kind=_kind(played.kind),
        )
        for match_id in match_ids
    ]


def _with_seats(connection: Connection, rows: Sequence[Row[Any]], match_ids: Select[Any]) -> list[Result]:
    """Return the results of these rows, which are those of the match ids."""
    table = schema.seat_fault
    faults: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for row in read(connection, table, select(table).where(table.c.match_id.in_(match_ids)).order_by(table.c.reason)):
        faults.setdefault((row.match_id, row.seat), []).append((row.reason, row.faults))
    table = schema.seat_result
    seats: dict[str, list[Row[Any]]] = {}
    for row in read(connection, table, select(table).where(table.c.match_id.in_(match_ids)).order_by(table.c.seat)):
        seats.setdefault(row.match_id, []).append(row)
    for row in rows:
        seated = seats.setdefault(row.match_id, [])
        _numbered(f"seats of match {row.match_id}", [one.seat for one in seated], max(len(seated), 1))
    return [
        Result(
            **dict(zip(_RESULT_COLUMNS, _result_values(row), strict=True)),
            table=row.table_number,
            seats=tuple(
                SeatResult(
                    **dict(zip(_SEAT_COLUMNS, _seat_values(one), strict=True)),
                    faults=tuple(faults.get((one.match_id, one.seat), ())),
                )
                for one in seats[row.match_id]
            ),
        )
        for row in rows
    ]


def _kind(stored: str) -> Kind:
    kinds: tuple[Kind, ...] = get_args(Kind)
    for kind in kinds:
        if stored == kind:
            return kind
    raise UnsoundError(f"{stored!r:.40} stands in table tournament as kind")


def _entrants(connection: Connection, key: int) -> list[Row[Any]]:
    table = schema.entrant
    rows = read(connection, table, select(table).where(table.c.tournament_id == key).order_by(table.c.number))
    _numbered("entrants", [row.number for row in rows], len(rows))
    return rows


def read(connection: Connection, table: Table, chosen: Select[Any]) -> list[Row[Any]]:
    """Return rows of a whole table's columns, each value of its column's type; nothing in the schema may be null."""
    rows = list(connection.execute(chosen))
    types = [(column.name, column.type.python_type) for column in table.columns]  # looked up once: it takes long
    for row in rows:
        for (name, kind), value in zip(types, row, strict=True):
            if not isinstance(value, kind):
                raise UnsoundError(f"{value!r:.40} stands in table {table.name} as {name}")
    return rows


def _numbered(what: str, numbers: Sequence[int], count: int | None) -> None:
    if list(numbers) != list(range(count or 0)):
        raise UnsoundError(f"{what} are numbered {list(numbers)}")
