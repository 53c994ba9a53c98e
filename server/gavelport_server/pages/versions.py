"""The versions of a bot: since when each plays, its faults, and what its matches did to the bot's Elo."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gavelport_server.storage.store import ResultFilter

if TYPE_CHECKING:
    from gavelport_server.pages.shelf import Competition, Shelf
    from gavelport_server.storage.store import Entrant, Result

MOST = 20
"""So many of the latest versions are told of."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a bot in a ladder or tournament, from its first match there to its latest."""

    version: str
    matches: int
    faults: int
    """In these, as far as they have been read."""
    since: str
    """When its first match finished; empty before that, as is `until`."""
    until: str
    first: int
    """Its first match's number among the bot's own, from 1."""
    start: float
    """The bot's Elo before that match."""
    end: float
    """The Elo after its latest match."""


def versions_of(shelf: Shelf, competition: Competition, bot: str) -> list[Version]:
    """Return the latest versions of a bot there, the newest first. Raises StoreError."""
    identity, is_ladder = competition.record.identity, competition.is_ladder
    record = next(one for one in shelf.records() if one.identity == identity)
    rated = {one.entrant: one.matches for one in shelf.source.standings(identity)}  # of practice there is none
    number = next(one.number for one in competition.record.entrants if one.bot == bot)
    found = []
    for entrant in [one for one in reversed(record.entrants) if one.bot == bot][:MOST]:
        course = competition.courses[number if is_ladder else entrant.number]
        first = _match(shelf, identity, entrant, oldest_first=True)
        last = _match(shelf, identity, entrant, oldest_first=False)
        # In a tournament each version has an Elo of its own.
        before = first.number if first and is_ladder else 0
        until = last.number + 1 if last and is_ladder else competition.matches
        found.append(
            Version(
                version=entrant.version,
                matches=rated.get(entrant.number, 0) if is_ladder else course.row.matches,
                faults=competition.faults.get(entrant.number, 0),
                since=first.finished_at if first else "",
                until=last.finished_at if last else "",
                first=bisect_right(course.at, before) + 1,
                start=course.elo_at(before),
                end=course.elo_at(until),
            )
        )
    return found


def _match(shelf: Shelf, identity: str, entrant: Entrant, *, oldest_first: bool) -> Result | None:
    wanted = ResultFilter(bot=entrant.bot, version=entrant.version, tournament=identity)
    found = shelf.source.find_results(wanted, limit=1, oldest_first=oldest_first)
    return found[0].result if found else None
