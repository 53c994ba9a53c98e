"""Ladders and practice on a SQL database: entrants that come, results in the order in which they come (design 6)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, exists, func, insert, select, update

from gavelport_server.ratings.elo import START, LadderTable, Rated, ladder_changes
from gavelport_server.storage import schema
from gavelport_server.storage.database import Database
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.rows import insert_result
from gavelport_server.storage.store import GROWING, RatingChange, RerunRecord, VoidRecord

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement, Connection, Row, Select

    from gavelport_server.ratings.elo import Change
    from gavelport_server.storage.store import Result

FOLD_AT_ONCE = 10_000
"""So many matches are in memory while ratings are folded anew."""


class SqlLadder(Database):
    """The part of `Store` that ladders and practice need."""

    def add_entrant(self, identity: str, bot: str, version: str, content_hash: str = "") -> int:
        """Return a bot's number among the entrants of a ladder or of practice; see `Store.add_entrant`."""
        entrants, standings = schema.entrant.c, schema.standing.c
        with self._writing() as connection:
            held = self._growing(connection, identity)
            own = select(entrants.number, entrants.version, entrants.content_hash, standings.elo)
            versions = connection.execute(
                own.join(schema.standing).where(entrants.tournament_id == held.id, entrants.bot == bot)
            ).all()
            for row in versions:
                if row.version == version:
                    if row.content_hash != content_hash:
                        raise StoreError(
                            f"{self.where}: bot {bot} {version} plays in {held.name} with other content; "
                            "give changed content another version"
                        )
                    return int(row.number)
            number = connection.execute(
                select(func.count()).select_from(schema.entrant).where(entrants.tournament_id == held.id)
            ).scalar_one()
            named = {"bot": bot, "version": version, "content_hash": content_hash}
            connection.execute(insert(schema.entrant).values(tournament_id=held.id, number=number, **named))
            elo = versions[0].elo if versions else START
            connection.execute(
                insert(schema.standing).values(tournament_id=held.id, entrant=number, elo=elo, matches=0)
            )
            return int(number)

    def append_result(self, identity: str, result: Result) -> Result | None:
        """Insert a result of a ladder or of practice at the next number and rate it; see `Store.append_result`."""
        with self._writing() as connection:
            held = self._growing(connection, identity)
            if self._is_settled(connection, result.match_id):
                return None
            if len(result.seats) != held.seats:
                raise StoreError(
                    f"{self.where}: match {result.match_id} has {len(result.seats)} seats, and {held.name} "
                    f"has {held.seats}; it was not added"
                )
            numbered = replace(result, number=held.counted, void_reason="")
            self._insert_rated(connection, held, numbered)
            events = schema.tournament
            connection.execute(update(events).where(events.c.id == held.id).values(counted=held.counted + 1))
            return numbered

    def void_result(self, match_id: str, reason: str) -> bool:
        """Take a result out of the ratings, which are folded anew; see `Store.void_result`."""
        results = schema.result
        with self._writing() as connection:
            played_in = select(schema.tournament.c.identity).join(results).where(results.c.match_id == match_id)
            identity = connection.scalar(played_in)
            if identity is None:
                raise StoreError(f"{self.where} holds no result of match {match_id}")
            held = self._growing(connection, identity)
            same = results.c.match_id == match_id
            row = connection.execute(select(results.c.number, results.c.void_reason).where(same)).one()
            if row.void_reason:
                return False
            connection.execute(update(results).where(same).values(void_reason=reason))
            if held.kind == "ladder":
                self._fold_anew(connection, held.id, row.number)
            return True

    def add_void(self, identity: str, void: VoidRecord) -> bool:
        """Keep a match that came to no result; see `Store.add_void`."""
        with self._writing() as connection:
            held = self._growing(connection, identity)
            if self._is_settled(connection, void.match_id):
                return False
            connection.execute(
                insert(schema.void).values(
                    match_id=void.match_id,
                    tournament_id=held.id,
                    reason=void.reason,
                    at=void.at,
                    bots=" ".join(void.bots),
                )
            )
            return True

    def voids(self, identity: str) -> Sequence[VoidRecord]:
        """Return the matches that came to no result, oldest first."""
        voids, reruns = schema.void.c, schema.rerun.c
        chosen = select(voids.match_id, voids.reason, voids.at, voids.bots, reruns.again_id).join_from(
            schema.void, schema.rerun, reruns.match_id == voids.match_id, isouter=True
        )
        with self._reading() as connection:
            ours = chosen.where(voids.tournament_id == self._key(connection, identity))
            return [
                VoidRecord(row.match_id, row.reason, row.at, tuple(row.bots.split()), row.again_id or "")
                for row in connection.execute(ours.order_by(voids.at, voids.match_id))
            ]

    def add_rerun(self, identity: str, rerun: RerunRecord) -> bool:
        """Keep that a void match is to be played again; see `Store.add_rerun`."""
        table = schema.rerun
        with self._writing() as connection:
            held = self._growing(connection, identity)
            if connection.scalar(select(exists().where(table.c.match_id == rerun.match_id))):
                return False
            again = {"match_id": rerun.match_id, "again_id": rerun.again_id, "bots": " ".join(rerun.bots)}
            connection.execute(insert(table).values(tournament_id=held.id, **again))
            return True

    def rerun(self, match_id: str) -> RerunRecord | None:
        """Return how a void match is played again, or None where it is not."""
        with self._reading() as connection:
            return next(_reruns(connection, schema.rerun.c.match_id == match_id), None)

    def reruns(self, identity: str) -> Sequence[RerunRecord]:
        """Return the matches that are still to be played again; see `Store.reruns`."""
        reruns = schema.rerun.c
        with self._reading() as connection:
            is_settled = exists().where(schema.result.c.match_id == reruns.again_id) | exists().where(
                schema.void.c.match_id == reruns.again_id
            )
            key = self._key(connection, identity)
            return list(_reruns(connection, (reruns.tournament_id == key) & ~is_settled))

    def rating_changes(self, identity: str, bot: str | None = None, limit: int | None = None) -> Sequence[RatingChange]:
        """Return what every rated match did, the latest match first, by seat; see `Store.rating_changes`."""
        results, seats, entrants, changes = (
            schema.result.c, schema.seat_result.c, schema.entrant.c, schema.rating_change.c,
        )  # fmt: skip
        with self._reading() as connection:
            key = self._key(connection, identity)
            # Not joined below: SQLite would look for each entrant in every match.
            known = connection.execute(
                select(entrants.number, entrants.bot, entrants.version).where(entrants.tournament_id == key)
            )
            names = {row.number: {"bot": row.bot, "version": row.version} for row in known}
            chosen = (
                select(
                    results.match_id, results.number, results.finished_at, seats.seat, seats.entrant,
                    seats.rank, changes.before, changes.after, changes.k,
                )
                .select_from(schema.rating_change)
                .join(schema.seat_result)
                .join(schema.result)
                .order_by(results.number.desc(), seats.seat)
            )  # fmt: skip
            if bot is None and limit is None:
                chosen = chosen.where(results.tournament_id == key)
            else:
                own = None if bot is None else [number for number, one in names.items() if one["bot"] == bot]
                chosen = chosen.where(results.match_id.in_(_latest_rated(key, own, limit)))
            found = []
            for row in connection.execute(chosen):
                values = row._asdict()
                found.append(RatingChange(**names[values.pop("entrant")], **values))
            return found

    # -- inside

    def _insert_rated(self, connection: Connection, held: Row[Any], result: Result) -> None:
        entrants, standings = schema.entrant.c, schema.standing.c
        chosen = (
            select(entrants.number, entrants.bot, standings.elo, standings.matches)
            .join(schema.standing)
            .where(entrants.tournament_id == held.id, entrants.number.in_([seat.entrant for seat in result.seats]))
        )
        known = {row.number: row for row in connection.execute(chosen)}
        try:
            if strangers := [seat.entrant for seat in result.seats if seat.entrant not in known]:
                raise ValueError(f"entrants {strangers} do not play in it")
            seated = [known[seat.entrant] for seat in result.seats]
            # Practice is held to the same rules, and leaves the ratings alone.
            changes = ladder_changes(
                [row.bot for row in seated],
                [Rated(row.elo, row.matches) for row in seated],
                [seat.rank for seat in result.seats],
            )
        except ValueError as error:
            raise StoreError(f"{self.where}: match {result.match_id} cannot be counted: {error}") from error
        insert_result(connection, held.id, result)
        if held.kind != "ladder":
            return
        connection.execute(insert(schema.rating_change), list(_change_rows(result.match_id, changes)))
        for row, change in zip(seated, changes, strict=True):
            versions = select(entrants.number).where(entrants.tournament_id == held.id, entrants.bot == row.bot)
            mine = standings.tournament_id == held.id
            connection.execute(
                update(schema.standing).where(mine, standings.entrant.in_(versions)).values(elo=change.after)
            )
            connection.execute(
                update(schema.standing).where(mine, standings.entrant == row.number).values(matches=row.matches + 1)
            )

    def _fold_anew(self, connection: Connection, key: int, first: int) -> None:
        """Fold a ladder's ratings from its results; changes before the match of number `first` stay as they are."""
        results, seats, entrants, changes = (
            schema.result.c, schema.seat_result.c, schema.entrant.c, schema.rating_change,
        )  # fmt: skip
        later = select(results.match_id).where(results.tournament_id == key, results.number >= first)
        connection.execute(delete(changes).where(changes.c.match_id.in_(later)))
        bots = select(entrants.bot).where(entrants.tournament_id == key).order_by(entrants.number)
        table = LadderTable(connection.scalars(bots))
        start = 0
        last = connection.scalar(select(func.max(results.number)).where(results.tournament_id == key))
        while last is not None and start <= last:
            counted = (
                select(results.number, results.match_id, seats.entrant, seats.rank)
                .join(schema.seat_result)
                .where(
                    results.tournament_id == key,
                    results.void_reason == "",
                    results.number >= start,
                    results.number < start + FOLD_AT_ONCE,
                )
                .order_by(results.number, seats.seat)
            )
            matches: dict[tuple[int, str], list[tuple[int, int]]] = {}
            for number, match_id, entrant, rank in connection.execute(counted):
                matches.setdefault((number, match_id), []).append((entrant, rank))
            rows: list[dict[str, object]] = []
            for (number, match_id), seated in matches.items():
                made = table.count([entrant for entrant, _ in seated], [rank for _, rank in seated])
                if number >= first:
                    rows.extend(_change_rows(match_id, made))
            if rows:
                connection.execute(insert(changes), rows)
            start += FOLD_AT_ONCE
        standings = schema.standing.c
        connection.execute(
            update(schema.standing)
            .where(standings.tournament_id == key, standings.entrant == bindparam("number"))
            .values(elo=bindparam("new_elo"), matches=bindparam("new_matches")),
            [
                {"number": number, "new_elo": one.elo, "new_matches": one.matches}
                for number, one in enumerate(table.rated)
            ],
        )

    def _is_settled(self, connection: Connection, match_id: str) -> bool:
        """Return whether a match has its result, or is void."""
        result, void = schema.result.c.match_id == match_id, schema.void.c.match_id == match_id
        return bool(connection.scalar(select(exists().where(result) | exists().where(void))))

    def _locked(self, connection: Connection, identity: str) -> Row[Any]:
        """Return a tournament's row, locked where the database has row locks, so that its results come one by one."""
        table = schema.tournament
        row = connection.execute(select(table).where(table.c.identity == identity).with_for_update()).one_or_none()
        if row is None:
            raise self._unknown(identity)
        return row

    def _growing(self, connection: Connection, identity: str) -> Row[Any]:
        row = self._locked(connection, identity)
        if row.kind not in GROWING:
            raise StoreError(
                f"{self.where}: {row.name} is a tournament, whose entrants and results are settled by its schedule; "
                "only ladders and practice take what comes"
            )
        return row

    def _key(self, connection: Connection, identity: str) -> int:
        key = connection.scalar(select(schema.tournament.c.id).where(schema.tournament.c.identity == identity))
        if key is None:
            raise self._unknown(identity)
        return int(key)

    def _unknown(self, identity: str) -> StoreError:
        return StoreError(f"{self.where} holds no tournament {identity}; `open_tournament` makes it")


def _latest_rated(key: int, entrants: Sequence[int] | None, limit: int | None) -> Select[tuple[str]]:
    """Return the ids of a ladder's latest rated matches, those of some entrants or of all."""
    results, seats, changes = schema.result.c, schema.seat_result.c, schema.rating_change.c
    is_rated = exists().where(changes.match_id == results.match_id)
    if entrants is None:
        matches = select(results.match_id).where(results.tournament_id == key, is_rated)
    else:
        # From the bot's seats to their results: with `+ 0` no index offers all results in order instead.
        played = select(results.match_id).join(schema.seat_result).where(seats.entrant.in_(entrants))
        matches = played.where(results.tournament_id + 0 == key, is_rated)
    return matches if limit is None else matches.order_by(results.number.desc()).limit(limit)


def _reruns(connection: Connection, which: ColumnElement[bool]) -> Iterator[RerunRecord]:
    table = schema.rerun.c
    chosen = select(table.match_id, table.again_id, table.bots).where(which).order_by(table.match_id)
    for row in connection.execute(chosen):
        yield RerunRecord(row.match_id, row.again_id, tuple(row.bots.split()))


def _change_rows(match_id: str, changes: Sequence[Change]) -> Iterator[dict[str, object]]:
    for seat, change in enumerate(changes):
        yield {
            "match_id": match_id,
            "seat": seat,
            "before": change.before,
            "after": change.after,
            "k": change.k,
        }
