"""Whether the stored Elo is that of the replays, for tournaments, ladders and practice (design 6)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gavelport_server.ratings.elo import Change, EloTable, LadderTable, Rated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gavelport_server.archive.audit import MatchRecord
    from gavelport_server.storage.store import RatingChange, Result, Standing, Store, TournamentRecord


@dataclass(frozen=True, slots=True)
class StoredRatings:
    """What the database says of a tournament's matches and ratings, all at one time."""

    results: Sequence[Result]
    standings: Sequence[Standing]
    changes: Sequence[RatingChange]
    """Of a ladder."""

    def fingerprint(self) -> str:
        """Return 16 hex digits that are the same for the same ratings and changes, to the last digit."""
        return hashlib.sha256(repr((self.standings, self.changes)).encode()).hexdigest()[:16]


def stored_ratings(store: Store, identity: str) -> tuple[TournamentRecord, StoredRatings]:
    """Return a tournament, and what is stored of its ratings. Raises StoreError.

    Where a server goes on counting meanwhile, it is what was stored at the beginning.
    """
    before = store.standings(identity)
    record = next(one for one in store.tournaments() if one.identity == identity)
    results = store.results(identity)
    changes = store.rating_changes(identity) if record.kind == "ladder" else ()
    if store.standings(identity) != before:
        record = replace(record, entrants=record.entrants[: len(before)])
        if record.kind == "ladder":
            counting = [one.number for one in results if not one.void_reason]
            first = sum(one.matches for one in before) // record.seats
            end = counting[first] if first < len(counting) else len(results)
            results = [one for one in results if one.number < end]
            changes = [one for one in changes if one.number < end]
    return record, StoredRatings(results, before, changes)


def rating_difference(
    tournament: TournamentRecord, stored: StoredRatings, records: Mapping[str, MatchRecord]
) -> str | None:
    """Return the first difference between the stored Elo and that of the replays, in words, or None.

    The results give the order and who sat where, the replays the ranks. In a tournament matches after a gap in the
    schedule wait; on a ladder a result that counts no more is left out; practice leaves all ratings as they began.
    """
    bots = [one.bot for one in tournament.entrants]
    table = EloTable.fresh(len(bots)) if tournament.kind == "tournament" else LadderTable(bots)
    changes: dict[str, tuple[Change, ...]] = {}
    for counted, result in enumerate(stored.results):
        if result.number != counted and tournament.kind == "tournament":
            break
        if result.number != counted:
            return f"results are numbered 0 to {counted - 1}, and then {result.number}: some are missing"
        if result.void_reason or tournament.kind == "practice":
            continue
        record = records.get(result.match_id)
        if record is None:
            return f"Elo cannot be rebuilt beyond {counted} matches: the replay of match {result.match_id} is not sound"
        entrants = [seat.entrant for seat in result.seats]
        try:
            if isinstance(table, LadderTable):
                changes[result.match_id] = table.count(entrants, record.ranks)
            else:
                table.count(entrants, record.ranks)
        except ValueError as error:
            return f"Elo cannot be rebuilt beyond {counted} matches: match {result.match_id}: {error}"
    return _standing_difference(tournament, table.rated, stored.standings) or _change_difference(changes, stored)


def _standing_difference(tournament: TournamentRecord, ours: Sequence[Rated], stored: Sequence[Standing]) -> str | None:
    for entrant, rated, standing in zip(tournament.entrants, ours, stored, strict=True):
        if (rated.elo, rated.matches) != (standing.elo, standing.matches):
            return (
                f"Elo of {entrant.bot} {entrant.version} is {rated.elo:.6f} after {rated.matches} matches by the "
                f"replays, {standing.elo:.6f} after {standing.matches} in the database"
            )
    return None


def _change_difference(ours: Mapping[str, tuple[Change, ...]], stored: StoredRatings) -> str | None:
    theirs: dict[str, dict[int, Change]] = {}
    for one in stored.changes:
        theirs.setdefault(one.match_id, {})[one.seat] = Change(one.before, one.after, one.k)
    for match_id, changes in ours.items():
        kept = theirs.pop(match_id, {})
        for seat, change in enumerate(changes):
            if kept.get(seat) != change:
                return (
                    f"match {match_id} changed the rating of its seat {seat} from {change.before:.6f} to "
                    f"{change.after:.6f} with K {change.k:g} by the replays, {_told(kept.get(seat))} in the database"
                )
    return f"match {min(theirs)} counts for nothing and has a change of ratings" if theirs else None


def _told(change: Change | None) -> str:
    return f"from {change.before:.6f} to {change.after:.6f} with K {change.k:g}" if change else "not at all"
