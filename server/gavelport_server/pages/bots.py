"""The list of bots, and the page of one: versions, rating, whom it beats, where its money comes from."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from shlex import quote
from typing import TYPE_CHECKING, Any

from gavelport_engine.registry import GAMES

from gavelport_server.archive.playback import Difference, Playback
from gavelport_server.archive.verify import verified_steps
from gavelport_server.pages.accounts import NOBODY
from gavelport_server.pages.errors import PageError
from gavelport_server.pages.figures import WIDTH, stretches, wilson
from gavelport_server.pages.matchlist import rows_of
from gavelport_server.pages.paging import Paging, asked
from gavelport_server.pages.rendering import bot_path, page
from gavelport_server.pages.standings import asked_owner, is_named, lines_of
from gavelport_server.pages.tables import TABLES
from gavelport_server.pages.tables.table import FULL
from gavelport_server.pages.versions import versions_of
from gavelport_server.storage.store import GROWING, ResultFilter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from gavelport_server.pages.replays import Replays
    from gavelport_server.pages.shelf import Competition, Shelf

PAGE = 100
RECENT = 12
LOOKED_AT = 20
"""So many of the latest matches tell where the money comes from: each must be played again."""


@dataclass(slots=True)
class Known:
    """A bot in the list of all."""

    name: str
    owner: str = ""
    """Whose it is; empty where that is nobody, or not known."""
    versions: set[str] = field(default_factory=set)
    matches: int = 0
    last: str = ""
    best: Competition | None = None
    """Where it played last."""


def bot_list(request: Request, shelf: Shelf) -> Response:
    """Return the list of all bots, by name; a text is looked for in the names of bot and owner, as on a ladder."""
    bots: dict[str, Known] = {}
    accounts = shelf.source.accounts()
    for competition in shelf.competitions():
        has_owners = competition.record.kind in GROWING  # in a tournament anybody's folder may have the name
        for entrant in competition.record.entrants:
            known = bots.setdefault(entrant.bot, Known(entrant.bot))
            if has_owners:
                known.owner = accounts.get(entrant.bot, NOBODY).owner
            known.versions.add(entrant.version)
            known.best = known.best or competition
        for course in competition.courses:
            known = bots[course.row.entrant.bot]
            known.matches += course.row.matches
            known.last = max(known.last, course.last)
    query = asked(request)
    owner = asked_owner(request)
    shown = [
        known
        for _, known in sorted(bots.items(), key=lambda one: one[0].lower())
        if owner in ("", known.owner) and is_named(query.text, known.name, known.owner)
    ]
    paging = Paging.of(len(shown), query.page, PAGE)
    return page(
        request,
        "bots.html",
        bots=paging.cut(shown),
        paging=paging,
        query=query,
        owner=owner,
        owners=sorted({known.owner for known in bots.values()} - {""}),
        count=len(bots),
    )


@dataclass(frozen=True, slots=True)
class Against:
    """How a bot did against another."""

    bot: str
    met: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Seat:
    """How a bot did on one seat."""

    seat: int
    places: tuple[int, ...]

    @property
    def matches(self) -> int:
        """Return how often it sat there."""
        return sum(self.places)

    @property
    def mean(self) -> float:
        """Return its mean place."""
        return sum(place * count for place, count in enumerate(self.places, 1)) / self.matches

    @property
    def bar(self) -> list[tuple[float, float]]:
        """Return the parts of the bar of places."""
        return stretches(self.places)


def bot_page(request: Request, shelf: Shelf) -> Response:
    """Return the page of a bot, as it does in one of the competitions in which it plays."""
    name, played, chosen = of_address(request, shelf)
    lines = [line for line in lines_of(chosen, shelf.source.accounts()) if line.row.entrant.bot == name]
    numbers = [line.row.entrant.number for line in lines]
    found = shelf.source.find_results(
        ResultFilter(bot=name, tournament=chosen.record.identity, with_unrated=True), limit=RECENT
    )
    return page(
        request,
        "bot.html",
        name=name,
        played=played,
        competition=chosen,
        game=GAMES.get(chosen.record.game.partition("@")[0]),
        lines=lines,
        against=_against(chosen, numbers),
        seats=_by_seat(chosen, numbers),
        recent=rows_of(shelf, found),
        width=WIDTH,
        versions=versions_of(shelf, chosen, name),
        curves=f"{bot_path(name)}/curves.json?in={chosen.key}",
        money=f"{bot_path(name)}/money?in={chosen.key}",
        faults=f"{bot_path(name)}/faults?in={chosen.key}",
        download=f"gavelport replays download --to replays --bot {quote(name)} --ladder {quote(chosen.record.name)}",
    )


def bot_money(request: Request, shelf: Shelf, replays: Replays) -> Response:
    """Return the part of a bot's page that says where its money comes from."""
    name, _, chosen = of_address(request, shelf)
    found = shelf.source.find_results(
        ResultFilter(bot=name, tournament=chosen.record.identity, with_unrated=True), limit=LOOKED_AT
    )
    sums: Counter[str] = Counter()
    matches = 0
    for one in found:
        seats = [seat for seat, entrant in enumerate(one.entrants) if entrant.bot == name]
        try:
            flows = income_of(replays, one.result.match_id)
        except (PageError, Difference):
            continue  # sealed, gone or damaged: its own page says so
        for seat in seats:
            matches += 1
            sums.update(flows[seat])
    means = sorted(((what, total / matches) for what, total in sums.items()), key=lambda one: -one[1])
    most = max((abs(mean) for _, mean in means), default=1.0)
    return page(
        request,
        "bot_money.html",
        name=name,
        competition=chosen,
        matches=matches,
        game=GAMES.get(chosen.record.game.partition("@")[0]),
        means=[(what, mean, round(WIDTH / 2 * abs(mean) / most, 2)) for what, mean in means],
    )


def income_of(replays: Replays, match_id: str) -> dict[int, Counter[str]]:
    """Return by seat what money came and went for in a match, final scoring included.

    Raises PageError where there is no replay, Difference where it is not true.
    """
    replay = replays.replay(match_id)
    header = replay.header
    table = TABLES[header.game.name](header.options, [seat.bot for seat in header.seats], FULL)
    flows: dict[int, Counter[str]] = defaultdict(Counter)
    playback = Playback(replay)
    for events in (playback.opening.events, *(step.events for step in verified_steps(playback))):
        for seat, what, amount in table.income(events):
            flows[seat][what] += amount
    outcome = playback.game.outcome(playback.state, replay.end.retired)
    for line in table.scoring(outcome, playback.state):
        for seat, amount in enumerate(line.amounts):
            if line.what in table.LEFT:
                flows[seat][table.LEFT[line.what]] += amount
    return flows


def of_address(request: Request, shelf: Shelf) -> tuple[str, Sequence[Competition], Competition]:
    """Return the bot that an address names, where it plays, ladders first, and which of these is meant.

    Raises PageError where nobody knows the bot, or where it does not play.
    """
    name, key = request.path_params["bot"], request.query_params.get("in", "")
    found = [one for one in shelf.competitions() if any(entrant.bot == name for entrant in one.record.entrants)]
    if not found:
        raise PageError.missing("no such bot", "Nobody of that name has played here.")
    played = sorted(found, key=lambda one: not one.is_ladder)
    chosen = [one for one in played if key in ("", one.key)]
    if not chosen:
        raise PageError.missing("no such ladder or tournament", "The bot does not play there.")
    return name, played, chosen[0]


def _against(competition: Competition, numbers: Sequence[int]) -> list[Against]:
    points: Counter[str] = Counter()
    meetings: Counter[str] = Counter()
    for own in numbers:
        for other in competition.record.entrants:
            if met := competition.met(own, other.number):
                meetings[other.bot] += met.matches
                points[other.bot] += 2 * met.wins + met.ties
    found = []
    for row in competition.rows:
        bot = row.entrant.bot
        if times := meetings.pop(bot, 0):
            share = points[bot] / 2 / times
            found.append(Against(bot, times, share, *wilson(share, times)))
    return found


def _by_seat(competition: Competition, numbers: Sequence[int]) -> list[Seat]:
    courses = [competition.courses[number] for number in numbers]
    by_seat = [
        tuple(map(sum, zip(*(course.places[seat] for course in courses), strict=True)))
        for seat in range(competition.record.seats)
    ]
    return [Seat(seat, places) for seat, places in enumerate(by_seat) if any(places)]


def curves_json(request: Request, shelf: Shelf) -> dict[str, Any]:
    """Return the rating curves of a bot's versions in a competition, as the page's script reads them."""
    name, _, chosen = of_address(request, shelf)
    entrants = [one for one in chosen.record.entrants if one.bot == name]
    figures = next((row.figures for row in chosen.rows if row.entrant.bot == name and row.figures), None)
    versions = reversed(versions_of(shelf, chosen, name)) if chosen.is_ladder else ()
    return {
        "band": figures.interval if figures and chosen.is_ladder else None,
        "marks": [{"at": one.first, "text": one.version} for one in versions if one.since],
        "curves": [
            {
                "entrant": one.number,
                "bot": "Elo" if chosen.is_ladder else f"{one.bot} {one.version}",
                "x": list(range(1, len(chosen.courses[one.number].elo) + 1)),
                "y": [round(elo, 1) for elo in chosen.courses[one.number].elo],
            }
            for one in entrants
        ],
    }
