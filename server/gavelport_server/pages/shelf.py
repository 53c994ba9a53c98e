"""What pages know of tournaments and ladders: their tables, made once for each state of the data.

The fit over all matches takes from a tenth of a second to minutes. That of a ladder is kept in its data folder by
whoever serves it. Else a small one is made at once, a large one by another process, and until it is there the table
stands by Elo, or by the last fit.
"""

from __future__ import annotations

import math
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from itertools import permutations
from multiprocessing import get_context
from typing import TYPE_CHECKING, NamedTuple

from gavelport_server.archive.fit import whole_history_of
from gavelport_server.conduct.summary import complete_blocks, variance_ratio
from gavelport_server.pages.errors import PageError
from gavelport_server.pages.fold import Fold, read_on
from gavelport_server.ratings.standing import Figures

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gavelport_server.archive.fits import LadderFit
    from gavelport_server.conduct.summary import Meetings, Row
    from gavelport_server.pages.fold import Course
    from gavelport_server.pages.source import Source
    from gavelport_server.ratings.standing import Fit
    from gavelport_server.storage.store import Result, TournamentRecord

READING_S = 2.0
"""How long one who asks reads results, until it is shown what they have come to so far."""
PAUSE_S = 0.05
"""Between two such times, for those that wait."""
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
    courses: Sequence[Course]
    """By entrant."""
    rows: tuple[Row, ...]
    """Best first."""
    matches: int
    """Those that count."""
    finished_at: str
    """When the last of them finished; empty before the first."""
    day_from: int
    """Which place among all matches the last one had before the day of the latest one."""
    played: Mapping[int, int]
    """By block of a tournament, how many of its matches were played."""
    faults: Mapping[int, int]
    """By the store's number of an entrant, which on a ladder is a version of a bot; those that played."""
    beats: Mapping[tuple[int, int], Beats]
    """By pairs of entrants, as far as the fit says it."""
    has_fit: bool
    """Whether rows have ratings with intervals; without, they stand by Elo."""
    blocks: int
    """Complete duplicate blocks of a tournament."""
    variance_ratio: float | None
    """See `conduct.summary.variance_ratio`."""
    is_behind: bool
    """Whether ratings do not have the latest results in them yet."""
    is_whole: bool
    """Whether all results have been read: a long ladder's take several looks."""

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

    def met(self, one: int, other: int) -> Meetings | None:
        """Return how an entrant did against another one; None where they never met."""
        return self.courses[one].met(other)


@dataclass(slots=True)
class _Place:
    """What is kept of one competition."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held by whoever reads its results."""
    fold: Fold | None = None
    """Of what grows."""
    made: Competition | None = None
    revision: object = None
    """The one for which all was read; None while some of it is still to be read."""


class Shelf:
    """All competitions of a source, made when they are asked for. May be used by several threads.

    A competition is read by one thread at a time, for `READING_S` at most. Who asks for it meanwhile waits for that and
    is given what it came to; who asks for another one does not wait.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._lock = threading.Lock()
        self._revision: object = None
        self._records: tuple[TournamentRecord, ...] = ()
        self._places: dict[str, _Place] = {}
        self._fits: dict[str, tuple[int, Fit]] = {}
        self._fitting: dict[str, tuple[int, Future[Fit]]] = {}
        self._pool: ProcessPoolExecutor | None = None

    def close(self) -> None:
        """End the process that fits, if there is one."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def records(self) -> Sequence[TournamentRecord]:
        """Return all tournaments and ladders, latest first."""
        return self._refreshed()[0]

    def competition(self, key: str) -> Competition:
        """Return the one whose identity begins so. Raises PageError where that is none, or several."""
        records, revision = self._refreshed()
        found = [one for one in records if len(key) >= LEAST_KEY and one.identity.startswith(key)]
        if len(found) != 1:
            raise PageError.missing("no such tournament or ladder", "The link may be wrong, or of another server.")
        return self._made(found[0], revision)

    def competitions(self) -> Sequence[Competition]:
        """Return all, latest first."""
        records, revision = self._refreshed()
        return [self._made(record, revision) for record in records]

    def warm(self) -> None:
        """Read all results, so that nobody has to look again for them."""
        while not all(one.is_whole for one in self.competitions()):
            time.sleep(PAUSE_S)

    def _refreshed(self) -> tuple[Sequence[TournamentRecord], object]:
        """Return the records, and the revision that they are of."""
        with self._lock:
            revision = self.source.revision()
            if revision != self._revision:
                self._records = tuple(reversed(self.source.tournaments()))
                self._revision = revision
            return self._records, revision

    def _made(self, record: TournamentRecord, revision: object) -> Competition:
        with self._lock:
            place = self._places.setdefault(record.identity, _Place())
        has_waited = not place.lock.acquire(blocking=False)
        if has_waited:
            place.lock.acquire()
        try:
            made = place.made
            is_fitted = made is not None and made.is_behind and self._is_fitted(record.identity)
            if made is None or not (has_waited or (place.revision == revision and not is_fitted)):
                made, is_whole = self._make(record, place)
                place.made, place.revision = made, revision if is_whole else None
            return made
        finally:
            place.lock.release()

    def _make(self, record: TournamentRecord, place: _Place) -> tuple[Competition, bool]:
        """Return a competition as far as it was read in time, and whether that is all."""
        if record.kind == "tournament":
            results = self.source.results(record.identity)
            fold, is_whole = Fold(record), True
            for result in results:
                fold.count(result)
        else:
            place.fold, is_whole = read_on(self.source, record, place.fold, READING_S)
            fold, results = place.fold, []
            if not is_whole and place.made is not None and place.made.is_whole:
                return place.made, False  # all is being read again, and less would be shown than before
        standings = self.source.standings(record.identity)
        entrants = tuple(replace(record.entrants[one], number=number) for number, one in enumerate(fold.latest))
        record = replace(record, entrants=entrants)
        rows: Sequence[Row] = fold.rows([standings[one].elo for one in fold.latest])
        beats: Mapping[tuple[int, int], Beats] = {}
        blocks, ratio = 0, None
        kept = self.source.ladder_fit(record.identity) if record.kind == "ladder" else None
        if kept is not None:
            counted, has_fit = kept.matches, True
            rows, beats = _by_kept_fit(rows, kept)
        else:
            counted, fit = fold.matches, None
            if is_whole:
                counted, fit = self._fit(record, fold.matches, lambda: results or self._by_bot(record, fold))
            has_fit = fit is not None
            rows, beats = (_by_rating(rows), {}) if fit is None else _by_fit(rows, fit)
            if has_fit and results:
                complete = complete_blocks(results, record.seats)
                blocks, ratio = len(complete), variance_ratio(complete)
        made = Competition(
            record=record,
            courses=fold.courses(),
            rows=tuple(rows),
            matches=fold.matches,
            finished_at=fold.finished_at,
            day_from=fold.day_from,
            played=dict(fold.played),
            faults=dict(fold.faults),
            beats=beats,
            has_fit=has_fit,
            blocks=blocks,
            variance_ratio=ratio,
            is_behind=counted < fold.matches,
            is_whole=is_whole,
        )
        return made, is_whole

    def _by_bot(self, record: TournamentRecord, fold: Fold) -> Sequence[Result]:
        """Return the results that a fold has counted, read again, with the bots as entrants."""
        return [
            fold.by_bot(one)
            for one in self.source.results(record.identity, limit=fold.following)
            if not one.void_reason
        ]

    def _fit(
        self, record: TournamentRecord, matches: int, results: Callable[[], Sequence[Result]]
    ) -> tuple[int, Fit | None]:
        """Return the latest fit, and how many results are in it; the results are asked for where one is to be made."""
        identity, entrants = record.identity, len(record.entrants)
        counted, fit = self._fits.get(identity, (0, None))
        if record.kind == "practice" or not matches or entrants * matches > MOST_FITTED:
            return matches, None
        if counted == matches and fit is not None and len(fit.entrants) == entrants:
            return counted, fit
        if entrants * matches <= AT_ONCE:
            fit = whole_history_of(record, results())
            self._fits[identity] = matches, fit
            return matches, fit
        if self._is_fitted(identity):
            counted, future = self._fitting.pop(identity)
            try:
                fit = future.result()
            except BrokenProcessPool:
                self._pool = None
            else:
                self._fits[identity] = counted, fit
        if identity not in self._fitting and counted < matches:
            counting = tuple(results())
            with self._lock:
                self._pool = self._pool or ProcessPoolExecutor(1, mp_context=get_context("spawn"))
                self._fitting[identity] = matches, self._pool.submit(whole_history_of, record, counting)
        if fit is not None and len(fit.entrants) != entrants:
            return 0, None
        return counted, fit

    def _is_fitted(self, identity: str) -> bool:
        return identity in self._fitting and self._fitting[identity][1].done()


def _by_fit(rows: Sequence[Row], fit: Fit) -> tuple[Sequence[Row], Mapping[tuple[int, int], Beats]]:
    """Return rows under a fit, those without a match last, and who beats whom."""
    for row, figures in zip(rows, fit.entrants, strict=True):
        row.figures = figures if figures.matches else None
    played = [number for number, figures in enumerate(fit.entrants) if figures.matches]
    beats = {
        (one, other): Beats(chance.p, (chance.low, chance.high))
        for one, other in permutations(played, 2)
        for chance in (fit.beats[one][other],)
    }
    return _by_rating(rows), beats


def _by_rating(rows: Sequence[Row]) -> Sequence[Row]:
    """Return rows best first: by rating, those without one last and by Elo."""
    return sorted(
        rows, key=lambda row: (-row.figures.rating if row.figures else math.inf, -row.elo, row.entrant.number)
    )


def _by_kept_fit(rows: Sequence[Row], kept: LadderFit) -> tuple[Sequence[Row], Mapping[tuple[int, int], Beats]]:
    """Return a ladder's rows under the fit that is kept of it, those without a rating last, and who beats whom."""
    numbers = {row.entrant.bot: row.entrant.number for row in rows}
    fitted = {one.bot: one for one in kept.bots}
    for row in rows:
        if (one := fitted.get(row.entrant.bot)) is not None:
            ranks = (one.rank_low, one.rank_high)
            row.figures = Figures(one.rating, (one.low, one.high), one.rank_low, ranks, one.matches, one.matches)
    beats = {
        (numbers[bot], numbers[other]): Beats(kept.chance(bot, other), kept.span(bot, other))
        for bot in kept.leaders
        for other in kept.leaders
        if bot != other and bot in numbers and other in numbers
    }
    return _by_rating(rows), beats
