"""Matches in lists: on the page of all matches, of a bot, of a competition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gavelport_engine.registry import GAMES

from gavelport_server.pages.figures import amount
from gavelport_server.pages.shelf import KEY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_server.pages.shelf import Shelf
    from gavelport_server.storage.store import FoundResult, SeatResult


@dataclass(frozen=True, slots=True)
class ListedSeat:
    """A bot at the table, with its result in print."""

    seat: int
    bot: str
    version: str
    rank: int
    amount: str
    faults: int
    retired: bool


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A match in a list; `seats` by rank."""

    match_id: str
    finished_at: str
    competition: str
    competition_path: str
    game: str
    seats: tuple[ListedSeat, ...]
    decisions: int
    is_sealed: bool
    void_reason: str


def rows_of(shelf: Shelf, found: Sequence[FoundResult]) -> list[ListedMatch]:
    """Return results as lines of a list."""
    return [row_of(one, is_sealed=shelf.source.is_sealed(one)) for one in found]


def row_of(found: FoundResult, *, is_sealed: bool) -> ListedMatch:
    """Return a result as a line of a list."""
    result = found.result
    name = found.game.partition("@")[0]
    unit = GAMES[name].total_unit if name in GAMES else ""
    seats = [
        ListedSeat(
            seat=place,
            bot=entrant.bot,
            version=entrant.version,
            rank=seat.rank,
            amount=amount(seat.total, unit),
            faults=_faults(seat),
            retired=seat.retired,
        )
        for place, (seat, entrant) in enumerate(zip(result.seats, found.entrants, strict=True))
    ]
    return ListedMatch(
        match_id=result.match_id,
        finished_at=result.finished_at,
        competition=found.tournament,
        competition_path=f"/{'ladders' if found.kind == 'ladder' else 'tournaments'}/{found.identity[:KEY]}",
        game=found.game,
        seats=tuple(sorted(seats, key=lambda seat: (seat.rank, seat.seat))),
        decisions=sum(seat.decisions for seat in result.seats),
        is_sealed=is_sealed,
        void_reason=result.void_reason,
    )


def _faults(seat: SeatResult) -> int:
    return sum(count for _, count in seat.faults)
