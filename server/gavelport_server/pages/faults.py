"""The part of a bot's page that says in which of its latest matches it was at fault, and at which decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gavelport_server.archive.playback import Difference, Playback
from gavelport_server.pages.bots import of_address
from gavelport_server.pages.errors import PageError
from gavelport_server.pages.rendering import page
from gavelport_server.storage.store import ResultFilter

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from gavelport_server.pages.replays import Replays
    from gavelport_server.pages.shelf import Competition, Shelf

LATEST = 10
"""So many faulty matches are told of: each must be played again."""
MOST_DECISIONS = 5
"""Of a match."""


@dataclass(frozen=True, slots=True)
class Faulty:
    """A match in which a bot was at fault."""

    match_id: str
    finished_at: str
    version: str
    seat: int
    faults: tuple[tuple[str, int], ...]
    """By reason."""
    retired: bool
    decisions: tuple[int, ...]
    """The first of those that came to a fault, by their numbers in the match; empty where its replay cannot be seen."""


def bot_faults(request: Request, shelf: Shelf, replays: Replays) -> Response:
    """Return the part of a bot's page about its faults."""
    name, _, chosen = of_address(request, shelf)
    return page(
        request, "bot_faults.html", name=name, competition=chosen, matches=faulty_matches(shelf, replays, chosen, name)
    )


def faulty_matches(shelf: Shelf, replays: Replays, competition: Competition, bot: str) -> list[Faulty]:
    """Return the latest matches in which a bot was at fault."""
    wanted = ResultFilter(bot=bot, tournament=competition.record.identity, with_unrated=True, is_faulty=True)
    found = []
    for one in shelf.source.find_results(wanted, limit=LATEST):
        decisions = _decisions(replays, one.result.match_id)
        found += [
            Faulty(
                match_id=one.result.match_id,
                finished_at=one.result.finished_at,
                version=entrant.version,
                seat=number,
                faults=seat.faults,
                retired=seat.retired,
                decisions=tuple(decision for decision, at in decisions if at == number)[:MOST_DECISIONS],
            )
            for number, (seat, entrant) in enumerate(zip(one.result.seats, one.entrants, strict=True))
            if entrant.bot == bot and seat.faults
        ]
    return found


def _decisions(replays: Replays, match_id: str) -> list[tuple[int, int]]:
    """Return the decisions of a match that came to a fault, each with its seat."""
    try:
        return [(step.number, step.seat) for step in Playback(replays.replay(match_id)) if step.choice.fault]
    except (PageError, Difference):
        return []  # sealed, gone or damaged: its own page says so
