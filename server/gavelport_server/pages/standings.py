"""The page of a ladder or tournament: standings with their filters, blocks, faults, rating curves."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from gavelport_engine.registry import GAMES

from gavelport_server.pages.accounts import NOBODY
from gavelport_server.pages.crosstable import matrix, neighbours
from gavelport_server.pages.errors import PageError
from gavelport_server.pages.figures import axis, polyline, stretches
from gavelport_server.pages.matchlist import rows_of
from gavelport_server.pages.paging import MOST_DIGITS, Paging, asked, page_number
from gavelport_server.pages.rendering import page
from gavelport_server.storage.store import ResultFilter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from gavelport_server.conduct.summary import Row
    from gavelport_server.pages.accounts import Account
    from gavelport_server.pages.shelf import Competition, Shelf

PAGE = 100
"""Rows of standings on a page."""
CURVES = 6
"""So many curves are drawn until others are chosen."""
MOST_CURVES = 50
LATEST, LEADERS = 10, 3
BEYOND = 300.0
"""So far beyond all ratings the axis of intervals reaches at most."""
MOST_OWNER = 64
MOST_FAULTY = 20
"""Lines of the table of faults."""
PROVISIONAL = 30
"""With fewer matches a rating on a ladder is provisional (design 6)."""
SORTS = {
    "place": "Place",
    "bot": "Bot",
    "elo": "Elo",
    "matches": "Matches",
    "firsts": "Firsts",
    "above": "Above others",
    "money": "Mean result",
    "faults": "Faults",
}
"""What standings can be sorted by."""
HIDDEN = {"provisional": "provisional", "house": "house bots", "inactive": "inactive"}
"""What a ladder can be shown without."""


@dataclass(frozen=True, slots=True)
class Line:
    """One bot's line of the standings, as it is drawn."""

    place: int
    row: Row
    places: tuple[int, ...]
    """How often it came first, second, …"""
    curve: str
    """Points of the small curve of its Elo."""
    change: float | None
    """Of its Elo over the last day on which matches were played; None without any."""
    account: Account | None
    """Whose it is, on a ladder."""
    is_provisional: bool

    @property
    def is_inactive(self) -> bool:
        """Return whether it plays no more, and so has no place."""
        return self.account is not None and self.account.is_inactive

    @property
    def owner(self) -> str:
        """Return whose it is; empty where that is nobody, or not known."""
        return self.account.owner if self.account else ""

    @property
    def kinds(self) -> set[str]:
        """Return what of `HIDDEN` it is."""
        is_house = self.account is not None and self.account.is_house
        return {
            kind
            for kind, holds in (
                ("provisional", self.is_provisional),
                ("house", is_house),
                ("inactive", self.is_inactive),
            )
            if holds
        }

    @property
    def firsts(self) -> float:
        """Return the share of matches in which it came first."""
        return self.places[0] / self.row.matches if self.row.matches else 0.0

    @property
    def above(self) -> float | None:
        """Return the share of opponents that it left behind, ties counting half."""
        met = self.row.before + self.row.after
        return self.row.before / met if met else None

    @property
    def bar(self) -> list[tuple[float, float]]:
        """Return the parts of the bar of places."""
        return stretches(self.places)


def lines_of(competition: Competition, accounts: Mapping[str, Account]) -> list[Line]:
    """Return the standings, best first; on a ladder the inactive come after the others."""
    day = competition.day_from
    found = []
    rows = list(competition.rows)
    owned: dict[str, Account] = {}
    if competition.is_ladder:
        owned = {row.entrant.bot: accounts.get(row.entrant.bot, NOBODY) for row in rows}
        rows.sort(key=lambda row: owned[row.entrant.bot].is_inactive)
    for place, row in enumerate(rows, 1):
        course = competition.courses[row.entrant.number]
        found.append(
            Line(
                place=place,
                row=row,
                places=tuple(map(sum, zip(*course.places, strict=True))),
                curve=polyline(course.elo[-200:], 88, 20),
                change=course.elo[-1] - course.elo_at(day) if course.at and course.at[-1] > day else None,
                account=owned.get(row.entrant.bot),
                is_provisional=competition.is_ladder and row.matches < PROVISIONAL,
            )
        )
    return found


def leading(competition: Competition, accounts: Mapping[str, Account]) -> list[Row]:
    """Return those who hold a place, best first: on a ladder the inactive hold none."""
    if not competition.is_ladder:
        return list(competition.rows)
    return [row for row in competition.rows if not accounts.get(row.entrant.bot, NOBODY).is_inactive]


def standings_list(request: Request, shelf: Shelf) -> Response:
    """Return the list of all ladders and tournaments."""
    accounts = shelf.source.accounts()
    competitions = [(one, leading(one, accounts)[:LEADERS]) for one in shelf.competitions()]
    return page(request, "standings_list.html", competitions=competitions)


def competition_page(request: Request, shelf: Shelf) -> Response:
    """Return the page of one ladder or tournament."""
    competition = shelf.competition(request.path_params["key"])
    record = competition.record
    lines = lines_of(competition, shelf.source.accounts())
    query = asked(request, sort=tuple(SORTS), most_text=60)
    wanted = _wanted(request)
    shown = [line for line in lines if wanted.shows(line, query.text)]
    if query.sort != "place":
        shown.sort(key=lambda line: _sort_key(line, query.sort))
    paging = Paging.of(len(shown), query.page, PAGE)
    crossed = [page_number(request.query_params.get(side, "")) for side in ("rows", "columns")]
    faulty = [line for line in lines if line.row.faults or line.row.refusals or line.row.retired]
    faulty.sort(key=lambda line: _sort_key(line, "faults"))
    latest = shelf.source.find_results(ResultFilter(tournament=record.identity, with_unrated=True), limit=LATEST)
    playing = shelf.source.playing()
    return page(
        request,
        "competition.html",
        competition=competition,
        record=record,
        running=playing if playing is not None and playing.identity == record.identity else None,
        setting=json.loads(record.options),
        game=GAMES.get(record.game.partition("@")[0]),
        lines=paging.cut(shown),
        count=len(lines),
        found=len(shown),
        paging=paging,
        query=query,
        wanted=wanted,
        owners=sorted({line.owner for line in lines} - {""}),
        hidden=HIDDEN,
        # What the address keeps when one thing is chosen anew; defaults stay out of it.
        kept={
            "q": query.text,
            "owner": wanted.owner,
            "hide": sorted(wanted.hidden),
            "sort": query.sort if query.sort != "place" else "",
            "rows": crossed[0] if crossed[0] > 1 else "",
            "columns": crossed[1] if crossed[1] > 1 else "",
        },
        sorts=SORTS,
        axis=axis(_ends(lines) or [line.row.elo for line in lines]),
        matrix=matrix(competition, lines, *crossed),
        blocks=blocks(competition),
        faulty=faulty[:MOST_FAULTY],
        others_faulty=max(0, len(faulty) - MOST_FAULTY),
        reasons=sorted({reason for line in lines for reason in line.row.faults}),
        chosen={line.row.entrant.number for line in lines[:CURVES]},
        all_lines=lines,
        latest=rows_of(shelf, latest),
        neighbours=neighbours(competition, lines),
        faults=sum(line.row.faults.total() for line in lines),
    )


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which bots of a ladder are to be shown."""

    owner: str
    """Empty: anybody's."""
    hidden: frozenset[str]
    """Of `HIDDEN`."""

    def shows(self, line: Line, text: str) -> bool:
        """Return whether a line is shown, where a text is looked for in the names of bot and owner."""
        found = is_named(text, line.row.entrant.bot, line.owner)
        return found and self.owner in ("", line.owner) and not self.hidden & line.kinds


def is_named(text: str, *names: str) -> bool:
    """Return whether a text stands in one of the names, in capitals or not."""
    return any(text.lower() in name.lower() for name in names)


def asked_owner(request: Request) -> str:
    """Return whose bots an address asks for; empty: anybody's."""
    return request.query_params.get("owner", "").strip()[:MOST_OWNER]


def _wanted(request: Request) -> Wanted:
    """Return what the address asks for. Raises PageError."""
    hidden = frozenset(request.query_params.getlist("hide"))
    if not hidden <= HIDDEN.keys():
        raise PageError(HTTPStatus.BAD_REQUEST, "unknown filter", f"What can be hidden: {', '.join(HIDDEN)}.")
    return Wanted(asked_owner(request), hidden)


def _ends(lines: Sequence[Line]) -> list[float]:
    """Return the ratings and the ends of their intervals.

    Not those that no result bounds; and those far beyond all ratings, as of bots with a handful of matches, are cut
    there, where their bars leave the axis: else nothing could be told apart on it.
    """
    rated = [(line.row, line.row.figures) for line in lines if line.row.figures is not None]
    if not rated:
        return []
    ratings = [figures.rating for _, figures in rated]
    low, high = min(ratings) - BEYOND, max(ratings) + BEYOND
    found = ratings
    for row, figures in rated:
        if figures.interval and not row.never_won:
            found.append(max(low, figures.interval[0]))
        if figures.interval and not row.never_lost:
            found.append(min(high, figures.interval[1]))
    return found


def curves_json(request: Request, shelf: Shelf) -> dict[str, Any]:
    """Return the rating curves of the entrants that `of` names, as the page's script reads them. Raises PageError."""
    competition = shelf.competition(request.path_params["key"])
    wanted = request.query_params.get("of", "").split(",")[:MOST_CURVES]
    numbers = {int(text) for text in wanted if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS}
    return {
        "curves": [
            {
                "entrant": one.number,
                "bot": one.bot,
                "x": list(competition.courses[one.number].at),
                "y": [round(elo, 1) for elo in competition.courses[one.number].elo],
            }
            for one in competition.record.entrants
            if one.number in numbers
        ]
    }


def _sort_key(line: Line, sort: str) -> Any:
    row = line.row
    keys: dict[str, Any] = {
        "bot": (row.entrant.bot.lower(), line.place),
        "elo": (-row.elo, line.place),
        "matches": (-row.matches, line.place),
        "firsts": (-line.firsts, line.place),
        "above": (-(line.above or 0.0), line.place),
        "money": (-(row.mean_total if row.mean_total is not None else -1e9), line.place),
        "faults": (-row.faults.total(), line.place),
    }
    return keys[sort]


def blocks(competition: Competition) -> list[tuple[int, list[bool]]]:
    """Return a tournament's blocks: number from 1, and of each of its matches whether it has been played."""
    record, played = competition.record, competition.played
    if not played:
        return []
    matches = record.seats * max(1, len(record.entrants) // record.seats)
    return [(block + 1, [place < played.get(block, 0) for place in range(matches)]) for block in range(max(played) + 1)]
