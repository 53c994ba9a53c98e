"""What pages know of tournaments and ladders: their tables, made once for each state of the data.

The fit over all matches takes from a tenth of a second to minutes. That of a ladder is kept in its data folder by
whoever serves it. Else a small one is made at once, a large one by another process, and until it is there the table
stands by Elo, or by the last fit.
"""

from __future__ import annotations

import math
import threading
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import TYPE_CHECKING, NamedTuple

from gavelport_server.archive.fit import whole_history_of
from gavelport_server.conduct.summary import Tally, summarize
from gavelport_server.pages.errors import PageError
from gavelport_server.ratings.elo import EloTable, LadderTable
from gavelport_server.ratings.standing import Figures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gavelport_server.archive.fits import LadderFit
    from gavelport_server.conduct.summary import Meetings, Row
    from gavelport_server.pages.source import Source
    from gavelport_server.ratings.standing import Fit
    from gavelport_server.storage.store import Result, TournamentRecord

AT_ONCE = 20_000
"""A fit of up to so many entrants × matches is made while the page waits."""
MOST_FITTED = 1_000_000
"""Beyond that it would take very long, and the table stays by Elo."""
LEAST_KEY = 8
"""So many digits of an identity name a tournament in an address."""
KEY = 12
"""So many stand in the addresses of links."""


class Beats(NamedTuple):
    """How likely one comes before another in a match."""

    p: float
    interval: tuple[float, float]
    """At 95 %."""


@dataclass(frozen=True, slots=True)
class Competition:
    """A tournament or ladder with its tables. A ladder's entrants are its bots here, each with its latest version."""

    record: TournamentRecord
    results: tuple[Result, ...]
    """Those that count, in their order; on a ladder, entrants are bots."""
    rows: tuple[Row, ...]
    """Best first."""
    head_to_head: Mapping[tuple[int, int], Meetings]
    """By pairs of entrants, both ways round."""
    beats: Mapping[tuple[int, int], Beats]
    """By pairs of entrants, as far as the fit says it."""
    has_fit: bool
    """Whether rows have ratings with intervals; without, they stand by Elo."""
    blocks: int
    """Complete duplicate blocks."""
    variance_ratio: float | None
    """See `conduct.summary.variance_ratio`."""
    curves: Mapping[int, Sequence[tuple[int, float]]]
    """By entrant, its Elo after each of its matches: (the match's place, Elo)."""
    is_behind: bool
    """Whether ratings do not have the latest results in them yet."""

    @property
    def key(self) -> str:
        """Return what stands for it in addresses."""
        return self.record.identity[:KEY]

    @property
    def path(self) -> str:
        """Return the address of its page."""
        return f"/{'ladders' if self.record.kind == 'ladder' else 'tournaments'}/{self.key}"

    @property
    def is_ladder(self) -> bool:
        """Return whether it never ends."""
        return self.record.kind == "ladder"


class Shelf:
    """All competitions of a source, made when they are asked for. May be used by several threads."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._lock = threading.RLock()
        self._revision: object = None
        self._records: tuple[TournamentRecord, ...] = ()
        self._competitions: dict[str, Competition] = {}
        self._fits: dict[str, tuple[int, Fit]] = {}
        self._fitting: dict[str, tuple[int, Future[Fit]]] = {}
        self._pool: ProcessPoolExecutor | None = None

    def close(self) -> None:
        """End the process that fits, if there is one."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def records(self) -> Sequence[TournamentRecord]:
        """Return all tournaments and ladders, latest first."""
        with self._lock:
            self._refresh()
            return self._records

    def competition(self, key: str) -> Competition:
        """Return the one whose identity begins so. Raises PageError where that is none, or several."""
        with self._lock:
            self._refresh()
            found = [one for one in self._records if len(key) >= LEAST_KEY and one.identity.startswith(key)]
            if len(found) != 1:
                raise PageError.missing("no such tournament or ladder", "The link may be wrong, or of another server.")
            return self._made(found[0])

    def competitions(self) -> Sequence[Competition]:
        """Return all, latest first."""
        with self._lock:
            return [self._made(record) for record in self.records()]

    def _refresh(self) -> None:
        revision = self.source.revision()
        if revision != self._revision:
            self._records = tuple(reversed(self.source.tournaments()))
            self._competitions.clear()
            self._revision = revision

    def _made(self, record: TournamentRecord) -> Competition:
        identity = record.identity
        made = self._competitions.get(identity)
        if made is None or (made.is_behind and self._is_fitted(identity)):
            made = self._competitions[identity] = self._make(record)
        return made

    def _make(self, record: TournamentRecord) -> Competition:
        known = len(record.entrants)  # those who have entered since come with the next revision
        results: Sequence[Result] = [
            one
            for one in self.source.results(record.identity)
            if not one.void_reason and all(seat.entrant < known for seat in one.seats)
        ]
        standings = self.source.standings(record.identity)[:known]
        if record.kind == "ladder":
            curves = _ladder_curves(record, results)
            record, results, numbers = _by_bot(record, results)
            standings = [replace(standings[number], entrant=place) for place, number in enumerate(numbers)]
        else:
            curves = _curves(record, results)
        tally = Tally(record)
        for result in results:
            tally.count(result)
        rows: Sequence[Row] = tally.rows(standings)
        beats: Mapping[tuple[int, int], Beats] = {}
        blocks, ratio = 0, None
        kept = self.source.ladder_fit(record.identity) if record.kind == "ladder" else None
        if kept is not None:
            counted, has_fit = kept.matches, True
            rows, beats = _by_kept_fit(rows, kept)
        else:
            counted, fit = self._fit(record, results)
            has_fit = fit is not None
            if fit is not None:
                summary = summarize(record, results, standings, fit)
                rows, blocks, ratio = summary.rows, summary.blocks, summary.variance_ratio
                beats = {pair: Beats(one.p, (one.low, one.high)) for pair, one in summary.beats.items()}
        return Competition(
            record=record,
            results=tuple(results),
            rows=tuple(rows),
            head_to_head=dict(tally.head_to_head),
            beats=beats,
            has_fit=has_fit,
            blocks=blocks,
            variance_ratio=ratio,
            curves=curves,
            is_behind=counted < len(results),
        )

    def _fit(self, record: TournamentRecord, results: Sequence[Result]) -> tuple[int, Fit | None]:
        """Return the latest fit, and how many results are in it."""
        identity, entrants = record.identity, len(record.entrants)
        counted, fit = self._fits.get(identity, (0, None))
        if record.kind == "practice" or not results or entrants * len(results) > MOST_FITTED:
            return len(results), None
        if counted == len(results) and fit is not None and len(fit.entrants) == entrants:
            return counted, fit
        if entrants * len(results) <= AT_ONCE:
            fit = whole_history_of(record, results)
            self._fits[identity] = len(results), fit
            return len(results), fit
        if self._is_fitted(identity):
            counted, future = self._fitting.pop(identity)
            try:
                fit = future.result()
            except BrokenProcessPool:
                self._pool = None
            else:
                self._fits[identity] = counted, fit
        if identity not in self._fitting and counted < len(results):
            self._pool = self._pool or ProcessPoolExecutor(1, mp_context=get_context("spawn"))
            self._fitting[identity] = len(results), self._pool.submit(whole_history_of, record, tuple(results))
        if fit is not None and len(fit.entrants) != entrants:
            return 0, None
        return counted, fit

    def _is_fitted(self, identity: str) -> bool:
        return identity in self._fitting and self._fitting[identity][1].done()


def _by_bot(
    record: TournamentRecord, results: Sequence[Result]
) -> tuple[TournamentRecord, Sequence[Result], Sequence[int]]:
    """Return a ladder with its bots as entrants, and by bot the number of the entrant that is its latest version."""
    latest: dict[str, int] = {one.bot: one.number for one in record.entrants}
    places = {bot: place for place, bot in enumerate(latest)}
    place_of = [places[one.bot] for one in record.entrants]
    entrants = tuple(replace(record.entrants[number], number=places[bot]) for bot, number in latest.items())
    by_bot = [
        replace(result, seats=tuple(replace(seat, entrant=place_of[seat.entrant]) for seat in result.seats))
        for result in results
    ]
    return replace(record, entrants=entrants), by_bot, list(latest.values())


def _by_kept_fit(rows: Sequence[Row], kept: LadderFit) -> tuple[Sequence[Row], Mapping[tuple[int, int], Beats]]:
    """Return a ladder's rows under the fit that is kept of it, those without a rating last, and who beats whom."""
    numbers = {row.entrant.bot: row.entrant.number for row in rows}
    for row in rows:
        if (one := kept.of(row.entrant.bot)) is not None:
            ranks = (one.rank_low, one.rank_high)
            row.figures = Figures(one.rating, (one.low, one.high), one.rank_low, ranks, one.matches, one.matches)
    beats = {
        (numbers[bot], numbers[other]): Beats(kept.chance(bot, other), kept.span(bot, other))
        for bot in kept.leaders
        for other in kept.leaders
        if bot != other and bot in numbers and other in numbers
    }
    return sorted(rows, key=lambda row: -row.figures.rating if row.figures else math.inf), beats


def _ladder_curves(record: TournamentRecord, results: Sequence[Result]) -> dict[int, list[tuple[int, float]]]:
    """Return every bot's Elo after each of its matches on a ladder, rated anew; bots in the order of `_by_bot`."""
    places = {bot: place for place, bot in enumerate(dict.fromkeys(one.bot for one in record.entrants))}
    table = LadderTable(one.bot for one in record.entrants)
    curves: dict[int, list[tuple[int, float]]] = {place: [] for place in places.values()}
    for result in results:
        seated = [seat.entrant for seat in result.seats]
        for entrant, change in zip(seated, table.count(seated, [seat.rank for seat in result.seats]), strict=True):
            curves[places[record.entrants[entrant].bot]].append((result.number + 1, change.after))
    return curves


def _curves(record: TournamentRecord, results: Sequence[Result]) -> dict[int, list[tuple[int, float]]]:
    """Return every entrant's Elo after each of its matches in a tournament, rated anew in its order."""
    table = EloTable.fresh(len(record.entrants))
    curves: dict[int, list[tuple[int, float]]] = {one.number: [] for one in record.entrants}
    for place, result in enumerate(results, 1):
        seated = [seat.entrant for seat in result.seats]
        if len(set(seated)) != len(seated):
            continue
        table.count(seated, [seat.rank for seat in result.seats])
        rated = table.rated
        for entrant in seated:
            curves[entrant].append((place, rated[entrant].elo))
    return curves
