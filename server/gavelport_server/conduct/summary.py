"""What a tournament's results come to: standings, head to head, faults, and what the duplicate blocks are worth."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import permutations
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_server.ratings.standing import Chance, Figures, Fit
    from gavelport_server.storage.store import Entrant, Result, SeatResult, Standing, TournamentRecord


@dataclass(slots=True)
class Row:
    """How one entrant has done so far."""

    entrant: Entrant
    elo: float
    matches: int = 0
    total: int = 0
    """Sum over its matches, in the game's unit."""
    decisions: int = 0
    charged_ms: int = 0
    slowest_ms: int = 0
    refusals: int = 0
    retired: int = 0
    """Matches in which it was retired for too many faults."""
    faults: Counter[str] = field(default_factory=Counter)
    """By reason."""
    first_fault: str = ""
    """What first went wrong, in the order in which results were counted."""
    before: int = 0
    """Opponents that finished behind it or level with it, over all its matches."""
    after: int = 0
    """Opponents that finished before it or level with it."""
    figures: Figures | None = None
    """Its rating by the whole history, and how sure that is; None while only the Elo is known, or before any match."""

    @property
    def mean_total(self) -> float | None:
        """Return the mean result of a match in the game's unit, None before the first."""
        return self.total / self.matches if self.matches else None

    @property
    def mean_ms(self) -> float | None:
        """Return the mean charged time of a decision, None before the first."""
        return self.charged_ms / self.decisions if self.decisions else None

    @property
    def never_won(self) -> bool:
        """Return whether it finished behind all opponents that it met: results bound its rating from above only."""
        return self.after > 0 and not self.before

    @property
    def never_lost(self) -> bool:
        """Return whether it finished before all opponents that it met: results bound its rating from below only."""
        return self.before > 0 and not self.after

    def count(self, own: SeatResult, seats: Sequence[SeatResult]) -> None:
        """Count a match by its own seat and all the seats."""
        self.matches += 1
        self.total += own.total
        self.decisions += own.decisions
        self.charged_ms += own.charged_ms
        self.slowest_ms = max(self.slowest_ms, own.slowest_ms)
        self.refusals += own.refusals
        self.retired += own.retired
        self.faults.update(dict(own.faults))
        self.first_fault = self.first_fault or own.first_fault
        for other in seats:
            if other is not own:
                self.before += own.rank <= other.rank
                self.after += own.rank >= other.rank


@dataclass(slots=True)
class Meetings:
    """How one entrant has done against another at the same tables."""

    wins: int = 0
    ties: int = 0
    losses: int = 0

    @property
    def matches(self) -> int:
        """Return how often the two met."""
        return self.wins + self.ties + self.losses

    @property
    def share(self) -> float | None:
        """Return the share of meetings won, a tie being half of one; None where they never met."""
        return (self.wins + self.ties / 2) / self.matches if self.matches else None


@dataclass(frozen=True, slots=True)
class Summary:
    """A tournament's tables."""

    rows: tuple[Row, ...]
    """Best first."""
    head_to_head: dict[tuple[int, int], Meetings]
    """By pairs of entrant numbers, both ways round."""
    beats: dict[tuple[int, int], Chance]
    """By pairs of entrants that have both played: how likely the first is to finish a match before the second."""
    variance_ratio: float | None
    """See `variance_ratio`."""
    company_variance_ratio: float | None
    """The same among blocks of the same company only, None where no company came together again."""
    blocks: int
    """Complete blocks, each at one table."""


class Tally:
    """Counts results as they come, for the running table and the last one."""

    def __init__(self, record: TournamentRecord) -> None:
        self._rows = [Row(one, 0.0) for one in record.entrants]
        self.head_to_head: defaultdict[tuple[int, int], Meetings] = defaultdict(Meetings)

    def rows(self, standings: Sequence[Standing]) -> tuple[Row, ...]:
        """Return the rows under the given Elo, best first: by Elo, then by number of the entrant."""
        for row, standing in zip(self._rows, standings, strict=True):
            row.elo = standing.elo
        return tuple(sorted(self._rows, key=lambda row: (-row.elo, row.entrant.number)))

    def rated_rows(self, standings: Sequence[Standing], fit: Fit) -> tuple[Row, ...]:
        """Return the rows under a fit, best first: by rating, those that have not played last; then by Elo."""
        for row, figures in zip(self._rows, fit.entrants, strict=True):
            row.figures = figures if figures.matches else None
        return tuple(sorted(self.rows(standings), key=lambda row: -row.figures.rating if row.figures else math.inf))

    def count(self, result: Result) -> None:
        """Count one result."""
        for own in result.seats:
            self._rows[own.entrant].count(own, result.seats)
            for other in result.seats:
                if other is not own:
                    met = self.head_to_head[own.entrant, other.entrant]
                    met.wins += own.rank < other.rank
                    met.ties += own.rank == other.rank
                    met.losses += own.rank > other.rank


def summarize(record: TournamentRecord, results: Sequence[Result], standings: Sequence[Standing], fit: Fit) -> Summary:
    """Return the tables of a tournament from its results in schedule order, their Elo and their fit."""
    tally = Tally(record)
    for result in results:
        tally.count(result)
    complete = complete_blocks(results, record.seats)
    return Summary(
        rows=tally.rated_rows(standings, fit),
        head_to_head=dict(tally.head_to_head),
        beats={
            (one, other): fit.beats[one][other]
            for one, other in permutations(range(len(record.entrants)), 2)
            if fit.entrants[one].matches and fit.entrants[other].matches
        },
        variance_ratio=variance_ratio(complete),
        company_variance_ratio=variance_ratio(complete, same_company=True),
        blocks=len(complete),
    )


def complete_blocks(results: Sequence[Result], seats: int) -> list[list[Result]]:
    """Return a tournament's blocks all of whose matches have results, each at one table."""
    blocks: defaultdict[tuple[int, int], list[Result]] = defaultdict(list)
    for result in results:
        blocks[result.block, result.table].append(result)
    return [block for block in blocks.values() if len(block) == seats]


def variance_ratio(blocks: Sequence[Sequence[Result]], *, same_company: bool = False) -> float | None:
    """Return (variance of single results / seats) ÷ variance of block means, bot means removed (design 5).

    Above 1, a block of duplicate matches says more of the bots than as many matches of independent deals, by
    that factor. Who else sits at the table stays the same through a block, and its effect goes into the block's mean
    whole; with `same_company`, means are removed for each bot in each company apart, and that effect with them. None
    where nothing was played twice, or where block means do not vary at all.
    """
    alike: defaultdict[tuple[int, ...], list[list[int]]] = defaultdict(list)
    for block in blocks:
        totals: defaultdict[int, list[int]] = defaultdict(list)
        for result in block:
            for seat in result.seats:
                totals[seat.entrant].append(seat.total)
        company = tuple(sorted(totals)) if same_company else ()
        for entrant, of_block in totals.items():
            alike[entrant, *company].append(of_block)
    repeated = [played for played in alike.values() if len(played) > 1]
    freedom = sum(len(played) - 1 for played in repeated)
    squares = of_means = 0.0
    for played in repeated:
        mean = fmean(total for of_block in played for total in of_block)
        squares += sum((total - mean) ** 2 for of_block in played for total in of_block)
        of_means += sum((fmean(of_block) - mean) ** 2 for of_block in played)
    if not of_means:
        return None
    means, seats = of_means / freedom, len(blocks[0])
    # Squares around a mean that was taken from the same results fall short by that mean's own variance.
    single = squares / (seats * sum(map(len, repeated))) + means * len(repeated) / sum(map(len, repeated))
    return (single / seats) / means
