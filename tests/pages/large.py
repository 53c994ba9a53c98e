"""A ladder of many bots and matches, made up, and written at once: to append each result would take minutes."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from gavelport_server.ratings.elo import LadderTable
from gavelport_server.storage import schema
from gavelport_server.storage.sql import SqlStore
from gavelport_server.storage.store import Result, SeatResult
from sqlalchemy import BindParameter, bindparam, insert, update

from tests.pages.folders import LADDER, record

SEATS = 4
SETTING = '{"clock":{},"options":{"seats":4},"seats":4}'
AT_ONCE = 5_000


def made_up(bots: int, matches: int, *, first: int = 0) -> Iterator[Result]:
    """Yield results between bots of which the first are the best; company and ranks are drawn by the match's number."""
    for number in range(first, first + matches):
        rng = random.Random(number)
        seated = rng.sample(range(bots), SEATS)
        order = sorted(range(SEATS), key=lambda seat: rng.random() * bots / 2 + seated[seat])
        faults = (("timeout", 1),) if number % 50 == 0 else ()
        seats = tuple(
            SeatResult(entrant, order.index(seat) + 1, 50 - order.index(seat), False, 80, 10, 1, 0, faults, "")
            for seat, entrant in enumerate(seated)
        )
        days, second = divmod(number, 2_000)
        finished_at = f"2030-{1 + days // 28:02}-{1 + days % 28:02}T{second // 3600:02}:{second // 60 % 60:02}:00+00:00"
        yield Result(f"m{number:07}", number, 0, number, 0, 0, "two_colours", seats, "0" * 64, 1.0, finished_at)


def fill(store: SqlStore, bots: int, matches: int) -> None:
    """Make the ladder `LADDER`, with so many bots of one version each."""
    ladder = replace(record("container"), identity=LADDER, name="Large", kind="ladder", entrants=(), seats=SEATS)
    store.open_tournament(replace(ladder, options=SETTING))
    for number in range(bots):
        store.add_entrant(LADDER, f"bot_{number:04}", "1")
    table, results = LadderTable(f"bot_{number:04}" for number in range(bots)), made_up(bots, matches)
    while some := list(islice(results, AT_ONCE)):
        _write(store, table, some)
    with store._writing() as connection:
        standings = schema.standing
        mine = standings.c.tournament_id == store._key(connection, LADDER)
        rated: dict[str, BindParameter[float]] = {"elo": bindparam("new_elo"), "matches": bindparam("new_matches")}
        connection.execute(
            update(standings).where(mine, standings.c.entrant == bindparam("number")).values(**rated),
            [
                {"number": number, "new_elo": one.elo, "new_matches": one.matches}
                for number, one in enumerate(table.rated)
            ],
        )


def _write(store: SqlStore, table: LadderTable, results: list[Result]) -> None:
    rows: dict[str, list[dict[str, object]]] = {"result": [], "seat_result": [], "seat_fault": [], "rating_change": []}
    with store._writing() as connection:
        key = store._key(connection, LADDER)
        for one in results:
            changes = table.count([seat.entrant for seat in one.seats], [seat.rank for seat in one.seats])
            columns = {name: getattr(one, name, None) for name in schema.result.c.keys()}  # noqa: SIM118  no mapping
            rows["result"].append({**columns, "tournament_id": key, "table_number": one.table})
            for seat, (own, change) in enumerate(zip(one.seats, changes, strict=True)):
                place = {"match_id": one.match_id, "seat": seat}
                columns = {name: getattr(own, name, None) for name in schema.seat_result.c.keys()}  # noqa: SIM118
                rows["seat_result"].append({**columns, **place})
                rows["seat_fault"] += [{**place, "reason": reason, "faults": count} for reason, count in own.faults]
                rows["rating_change"].append({**place, "before": change.before, "after": change.after, "k": change.k})
        for name, values in rows.items():
            if values:
                connection.execute(insert(schema.metadata.tables[name]), values)
        counted = results[-1].number + 1
        connection.execute(update(schema.tournament).where(schema.tournament.c.id == key).values(counted=counted))
