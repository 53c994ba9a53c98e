"""The page of a ladder or tournament: standings, who beats whom, blocks, faults, rating curves."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from gavelport_engine.registry import GAMES

from gavelport_server.pages.figures import axis, heat, percent, polyline, stretches
from gavelport_server.pages.matchlist import rows_of
from gavelport_server.pages.paging import MOST_DIGITS, Paging, asked
from gavelport_server.pages.rendering import page
from gavelport_server.storage.store import ResultFilter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from gavelport_server.conduct.summary import Row
    from gavelport_server.pages.shelf import Beats, Competition, Shelf
    from gavelport_server.ratings.standing import Figures
    from gavelport_server.storage.store import Result

PAGE = 100
"""Rows of standings on a page."""
MOST_CROSSED = 30
"""So many bots fit into a matrix that can be read."""
CURVES = 6
"""So many curves are drawn until others are chosen."""
MOST_CURVES = 50
LATEST = 10
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
    is_provisional: bool

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


def lines_of(competition: Competition) -> list[Line]:
    """Return the standings, best first."""
    record, results = competition.record, competition.results
    places: dict[int, Counter[int]] = {one.number: Counter() for one in record.entrants}
    for result in results:
        for seat in result.seats:
            places[seat.entrant][seat.rank] += 1
    day = _first_of_last_day(results)
    found = []
    for place, row in enumerate(competition.rows, 1):
        number = row.entrant.number
        curve = competition.curves[number]
        before = [elo for at, elo in curve if at <= day]
        found.append(
            Line(
                place=place,
                row=row,
                places=tuple(places[number][rank] for rank in range(1, record.seats + 1)),
                curve=polyline([elo for _, elo in curve[-200:]], 88, 20),
                change=curve[-1][1] - (before[-1] if before else 1500.0) if curve and curve[-1][0] > day else None,
                is_provisional=competition.is_ladder and row.matches < PROVISIONAL,
            )
        )
    return found


def _first_of_last_day(results: Sequence[Result]) -> int:
    """Return how many results were counted before the day of the last one."""
    if not results:
        return 0
    last = max(result.finished_at for result in results)[:10]
    return next(place for place, result in enumerate(results) if result.finished_at[:10] == last)


def standings_list(request: Request, shelf: Shelf) -> Response:
    """Return the list of all ladders and tournaments."""
    return page(request, "standings_list.html", competitions=shelf.competitions(), games=GAMES)


def competition_page(request: Request, shelf: Shelf) -> Response:
    """Return the page of one ladder or tournament."""
    competition = shelf.competition(request.path_params["key"])
    record = competition.record
    lines = lines_of(competition)
    query = asked(request, sort=tuple(SORTS), most_text=60)
    shown = [line for line in lines if query.text.lower() in line.row.entrant.bot.lower()]
    if query.sort != "place":
        shown.sort(key=lambda line: _sort_key(line, query.sort))
    paging = Paging.of(len(shown), query.page, PAGE)
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
        paging=paging,
        query=query,
        sorts=SORTS,
        axis=axis(_ends(lines) or [line.row.elo for line in lines]),
        matrix=matrix(competition, lines),
        blocks=blocks(competition),
        faulty=[line for line in lines if line.row.faults or line.row.refusals or line.row.retired],
        reasons=sorted({reason for line in lines for reason in line.row.faults}),
        chosen={line.row.entrant.number for line in lines[:CURVES]},
        all_lines=lines,
        latest=rows_of(shelf, latest),
        neighbours=neighbours(competition, lines),
        faults=sum(line.row.faults.total() for line in lines),
    )


def _ends(lines: Sequence[Line]) -> list[float]:
    """Return the ratings and the ends of their intervals, but for ends that no result bounds."""
    found = []
    for line in lines:
        if (figures := line.row.figures) is not None:
            found.append(figures.rating)
            if figures.interval and not line.row.never_won:
                found.append(figures.interval[0])
            if figures.interval and not line.row.never_lost:
                found.append(figures.interval[1])
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
                "x": [at for at, _ in competition.curves[one.number]],
                "y": [round(elo, 1) for _, elo in competition.curves[one.number]],
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


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the matrix: in per cent, how it is shaded, and in words."""

    text: str
    shade: str
    title: str


def matrix(competition: Competition, lines: Sequence[Line]) -> list[tuple[Line, list[Cell | None]]]:
    """Return who finished above whom, the best bots first; None stands on the diagonal.

    Empty without results. A cell's words tell the chance by the fit, where there is one.
    """
    if not competition.results:
        return []
    crossed = lines[:MOST_CROSSED]
    found = []
    for line in crossed:
        own = line.row.entrant
        cells: list[Cell | None] = []
        for other_line in crossed:
            other = other_line.row.entrant
            if other is own:
                cells.append(None)
                continue
            met = competition.head_to_head.get((own.number, other.number))
            words = f"{own.bot} above {other.bot}: "
            if met is None or met.share is None:
                cells.append(Cell("", "none", f"{words}never met"))
                continue
            words += f"{percent(met.share)} % of {met.matches}"
            if chance := competition.beats.get((own.number, other.number)):
                words += f"; chance {percent(chance.p)} %"
                if chance.interval:
                    words += f" ({percent(chance.interval[0])} to {percent(chance.interval[1])})"
            cells.append(Cell(percent(met.share), heat(met.share, met.matches), words))
        found.append((line, cells))
    return found


def blocks(competition: Competition) -> list[tuple[int, list[bool]]]:
    """Return a tournament's blocks: number from 1, and of each of its matches whether it has been played."""
    if competition.record.kind != "tournament" or not competition.results:
        return []
    record = competition.record
    played = Counter(result.block for result in competition.results)
    matches = record.seats * max(1, len(record.entrants) // record.seats)
    return [(block + 1, [place < played[block] for place in range(matches)]) for block in range(max(played) + 1)]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Two that stand next to each other, and whether the order between them is more than luck."""

    above: Row
    below: Row
    gap: float
    p: float
    verdict: str
    """`settled`, `likely` or `open`."""


def neighbours(competition: Competition, lines: Sequence[Line]) -> list[Neighbours]:
    """Return how sure the order is, down the table; empty without a fit."""
    found = []
    for one, other in pairwise(lines):
        above, below = one.row, other.row
        chance = competition.beats.get((above.entrant.number, below.entrant.number))
        if chance is None or above.figures is None or below.figures is None:
            continue
        gap = above.figures.rating - below.figures.rating
        found.append(Neighbours(above, below, gap, chance.p, _verdict(chance, above.figures, below.figures)))
    return found[:MOST_CROSSED]


def _verdict(chance: Beats, above: Figures, below: Figures) -> str:
    """Return how sure it is that the one is better: by the chance's interval, else by those of the two ratings."""
    if chance.interval is not None:
        low = chance.interval[0]
        return "settled" if low > 0.5 else "likely" if 0.5 - low < (chance.p - 0.5) / 2 else "open"
    if above.interval is None or below.interval is None:
        return "open"
    if above.interval[0] > below.interval[1]:
        return "settled"
    return "likely" if above.interval[0] > below.rating and above.rating > below.interval[1] else "open"
