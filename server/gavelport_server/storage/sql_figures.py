"""A ladder's sums on a SQL database (see `figures.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import and_, case, func, select

from gavelport_server.storage import schema
from gavelport_server.storage.figures import Meeting, Tallies, Tally
from gavelport_server.storage.sql_ladder import SqlLadder

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_results, _seats, _faults = schema.result.c, schema.seat_result.c, schema.seat_fault.c
_entrants, _changes = schema.entrant.c, schema.rating_change.c


class SqlFigures(SqlLadder):
    """The part of `Figures`."""

    def tallies(self, identity: str, first: int, most: int) -> Tallies:
        """Return what the results from number `first` on come to; see `Figures.tallies`."""
        with self._reading() as connection:
            key = self._key(connection, identity)
            stands = and_(_results.tournament_id == key, _results.number >= first, _results.number < first + most)
            last = connection.scalar(select(func.max(_results.number)).where(stands))
            if last is None:
                return Tallies(first, ())
            counts = and_(stands, _results.void_reason == "")
            winners = (
                select(_results.match_id, func.count().label("number"))
                .join(schema.seat_result)
                .where(counts, _seats.rank == 1)
                .group_by(_results.match_id)
                .subquery()
            )
            sums = (
                select(
                    _seats.entrant,
                    func.count(),
                    func.sum(case((_seats.rank == 1, 1.0 / winners.c.number), else_=0.0)),
                    func.sum(_seats.total),
                )
                .select_from(winners)
                .join(schema.seat_result, _seats.match_id == winners.c.match_id)
                .group_by(_seats.entrant)
                .order_by(_seats.entrant)
            )
            faults = (
                select(_seats.entrant, func.sum(_faults.faults))
                .select_from(schema.result)
                .join(schema.seat_result)
                .join(schema.seat_fault)
                .where(counts)
                .group_by(_seats.entrant)
            )
            faulty = {entrant: int(number) for entrant, number in connection.execute(faults)}
            return Tallies(
                last + 1,
                tuple(
                    Tally(entrant, matches, float(firsts), int(total), faulty.get(entrant, 0))
                    for entrant, matches, firsts, total in connection.execute(sums)
                ),
            )

    def meetings(self, identity: str, bots: Collection[str]) -> Sequence[Meeting]:
        """Return how these bots did against each other; see `Figures.meetings`."""
        with self._reading() as connection:
            key = self._key(connection, identity)
            chosen = select(_entrants.number, _entrants.bot).where(
                _entrants.tournament_id == key, _entrants.bot.in_(bots)
            )
            names: dict[int, str] = {row.number: row.bot for row in connection.execute(chosen)}
            own, other = schema.seat_result.alias("own"), schema.seat_result.alias("other")
            met = (
                select(
                    own.c.entrant,
                    other.c.entrant,
                    func.count(),
                    func.sum(case((own.c.rank < other.c.rank, 1), else_=0)),
                    func.sum(case((own.c.rank == other.c.rank, 1), else_=0)),
                )
                .select_from(own)
                .join(other, and_(other.c.match_id == own.c.match_id, other.c.seat != own.c.seat))
                .join(schema.result, _results.match_id == own.c.match_id)
                .where(
                    own.c.entrant.in_(names),
                    other.c.entrant.in_(names),
                    _results.tournament_id == key,
                    _results.void_reason == "",
                )
                .group_by(own.c.entrant, other.c.entrant)
            )
            counts: dict[tuple[str, str], list[int]] = {}
            for one, another, *count in connection.execute(met):
                pair = (names[one], names[another])
                if pair[0] < pair[1]:
                    found = counts.setdefault(pair, [0, 0, 0])
                    for place, number in enumerate(count):
                        found[place] += int(number)
            return [Meeting(*pair, *count) for pair, count in sorted(counts.items())]

    def gains(self, identity: str, since: str) -> Mapping[str, float]:
        """Return by bot what the results of late added to its Elo; see `Figures.gains`."""
        with self._reading() as connection:
            key = self._key(connection, identity)
            sums = (
                select(_entrants.bot, func.sum(_changes.after - _changes.before))
                .select_from(schema.result)
                .join(schema.seat_result)
                .join(schema.rating_change)
                .join(schema.entrant, and_(_entrants.tournament_id == key, _entrants.number == _seats.entrant))
                .where(_results.tournament_id == key, _results.finished_at >= since, _results.void_reason == "")
                .group_by(_entrants.bot)
            )
            return {bot: round(float(gain), 6) for bot, gain in connection.execute(sums)}
