"""What a tournament's results come to: standings, head to head, faults, and what the duplicate blocks are worth."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_server.storage.store import Entrant, Result, Standing, TournamentRecord


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

    @property
    def mean_total(self) -> float | None:
        """Return the mean result of a match in the game's unit, None before the first."""
        return self.total / self.matches if self.matches else None

    @property
    def mean_ms(self) -> float | None:
        """Return the mean charged time of a decision, None before the first."""
        return self.charged_ms / self.decisions if self.decisions else None


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
    variance_ratio: float | None
    """See `variance_ratio`."""
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

    def count(self, result: Result) -> None:
        """Count one result."""
        for own in result.seats:
            row = self._rows[own.entrant]
            row.matches += 1
            row.total += own.total
            row.decisions += own.decisions
            row.charged_ms += own.charged_ms
            row.slowest_ms = max(row.slowest_ms, own.slowest_ms)
            row.refusals += own.refusals
            row.retired += own.retired
            row.faults.update(dict(own.faults))
            row.first_fault = row.first_fault or own.first_fault
            for other in result.seats:
                if other is not own:
                    met = self.head_to_head[own.entrant, other.entrant]
                    met.wins += own.rank < other.rank
                    met.ties += own.rank == other.rank
                    met.losses += own.rank > other.rank


def summarize(record: TournamentRecord, results: Sequence[Result], standings: Sequence[Standing]) -> Summary:
    """Return the tables of a tournament from its results in schedule order and the stored Elo."""
    tally = Tally(record)
    for result in results:
        tally.count(result)
    complete = _complete_blocks(results, record.seats)
    return Summary(
        rows=tally.rows(standings),
        head_to_head=dict(tally.head_to_head),
        variance_ratio=variance_ratio(complete),
        blocks=len(complete),
    )


def _complete_blocks(results: Sequence[Result], seats: int) -> list[list[Result]]:
    blocks: defaultdict[tuple[int, int], list[Result]] = defaultdict(list)
    for result in results:
        blocks[result.block, result.table].append(result)
    return [block for block in blocks.values() if len(block) == seats]


def variance_ratio(blocks: Sequence[Sequence[Result]]) -> float | None:
    """Return (variance of single results / seats) ÷ variance of block means, bot means removed (design 5).

    Above 1, a block of duplicate matches says more of the bots than as many matches of independent deals, by
    that factor. None with fewer than two complete blocks of any bot, or where block means do not vary at all.
    """
    by_entrant: defaultdict[int, list[list[int]]] = defaultdict(list)
    for block in blocks:
        totals: defaultdict[int, list[int]] = defaultdict(list)
        for result in block:
            for seat in result.seats:
                totals[seat.entrant].append(seat.total)
        for entrant, of_block in totals.items():
            by_entrant[entrant].append(of_block)
    single = means = 0.0
    single_freedom = means_freedom = 0
    for played in by_entrant.values():
        every = [total for of_block in played for total in of_block]
        mean = fmean(every)
        single += sum((total - mean) ** 2 for total in every)
        single_freedom += len(every) - 1
        means += sum((fmean(of_block) - mean) ** 2 for of_block in played)
        means_freedom += len(played) - 1
    if not means_freedom or not means:
        return None
    seats = len(blocks[0])
    return (single / single_freedom / seats) / (means / means_freedom)
