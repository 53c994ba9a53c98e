"""The matches of a data folder as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table

from gavelport_server.archive.show import minus

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gavelport_server.storage.store import Result, Store, TournamentRecord


@dataclass(frozen=True, slots=True)
class ListedSeat:
    """How a bot did in a match."""

    bot: str
    version: str
    rank: int
    total: int


@dataclass(frozen=True, slots=True)
class Listed:
    """A match in the list; `seats` by rank."""

    match_id: str
    finished_at: str
    tournament: str
    game: str
    seats: tuple[ListedSeat, ...]
    end: str
    decisions: int
    sandbox: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the match as `--json` prints it."""
        return {
            "match": self.match_id,
            "finished_at": self.finished_at,
            "tournament": self.tournament,
            "game": self.game,
            "bots": [
                {"bot": seat.bot, "version": seat.version, "rank": seat.rank, "total": seat.total}
                for seat in self.seats
            ],
            "end": self.end,
            "decisions": self.decisions,
            "sandbox": self.sandbox,
        }


def listed(store: Store, bots: Collection[str] = (), limit: int | None = None) -> list[Listed]:
    """Return the matches in which all the named bots sat, newest first, at most so many."""
    pairs = [
        (tournament, result) for tournament in store.tournaments() for result in store.results(tournament.identity)
    ]
    pairs.sort(key=lambda pair: (pair[1].finished_at, pair[1].number), reverse=True)
    matches = [_listed(tournament, result) for tournament, result in pairs]
    return [match for match in matches if set(bots) <= {seat.bot for seat in match.seats}][:limit]


def listing_table(matches: Sequence[Listed], width: int) -> Table:
    """Return the matches as a table no wider than that.

    Where it would be, bots' names are cut; on a narrow screen the time is left out.
    """
    fixed = sum(max(map(len, texts)) for texts in zip(*((m.match_id, m.game, m.end) for m in matches), strict=True))
    room = width - fixed - len("decisions") - 4 * _GAP
    has_time = room - _TIME_WIDTH - _GAP >= _LEAST_ROOM
    room = max(_LEAST_ROOM, room - (_TIME_WIDTH + _GAP) * has_time)
    table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column("match", no_wrap=True, style="cyan")
    if has_time:
        table.add_column("finished", no_wrap=True, style="dim")
    table.add_column("game", no_wrap=True)
    table.add_column("bots by rank", no_wrap=True)
    table.add_column("end", no_wrap=True)
    table.add_column("decisions", no_wrap=True, justify="right")
    for match in matches:
        when = (match.finished_at[:_TIME_WIDTH].replace("T", " "),) if has_time else ()
        seats = "\n".join(_ranked(seat, room) for seat in match.seats)
        table.add_row(match.match_id, *when, match.game, seats, match.end, str(match.decisions))
    return table


_TIME_WIDTH = len("2000-01-01 00:00")
_GAP = 2
"""Between two columns."""
_LEAST_ROOM = 16
"""Of a bot with its rank and total, however narrow the screen."""


def _ranked(seat: ListedSeat, room: int) -> str:
    total = minus(seat.total)
    name_room = room - len(f"{seat.rank}  {total}")
    name = seat.bot if len(seat.bot) <= name_room else f"{seat.bot[: name_room - 1]}…"
    return f"{seat.rank} {name} {total}"


def _listed(tournament: TournamentRecord, result: Result) -> Listed:
    entrants = {one.number: one for one in tournament.entrants}
    seats = [
        ListedSeat(entrants[seat.entrant].bot, entrants[seat.entrant].version, seat.rank, seat.total)
        for seat in sorted(result.seats, key=lambda seat: seat.rank)
    ]
    return Listed(
        match_id=result.match_id,
        finished_at=result.finished_at,
        tournament=tournament.name,
        game=tournament.game,
        seats=tuple(seats),
        end=result.end,
        decisions=sum(seat.decisions for seat in result.seats),
        sandbox=result.sandbox,
    )
