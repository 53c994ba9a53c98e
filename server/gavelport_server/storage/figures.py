"""What a ladder's table says beside ratings, as sums over results: cheap to ask for again and again.

`tallies` is asked for what was counted since the last time, so that nobody reads a million results twice.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from gavelport_server.storage.store import Result, TournamentRecord


@dataclass(frozen=True, slots=True)
class Tally:
    """What an entrant's matches come to. Results that count no more are left out."""

    entrant: int
    matches: int
    firsts: float
    """In how many it came first; of a place that is shared, a share."""
    total: int
    faults: int


@dataclass(frozen=True, slots=True)
class Tallies:
    """The tallies of results one after the other."""

    following: int
    """The number of the first result that is not in them."""
    tallies: tuple[Tally, ...]
    """Of those entrants that have any."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """How two bots did against each other; `bot` comes before `other` by name."""

    bot: str
    other: str
    matches: int
    better: int
    """In which `bot` was ranked above `other`."""
    equal: int


class Figures(Protocol):
    """Sums over a ladder's results. Synchronous; every method is one transaction; raises StoreError."""

    def tallies(self, identity: str, first: int, most: int) -> Tallies:
        """Return what the results from number `first` on come to, at most so many of them."""
        ...

    def meetings(self, identity: str, bots: Collection[str]) -> Sequence[Meeting]:
        """Return how these bots, of all versions, did against each other, where they met."""
        ...

    def gains(self, identity: str, since: str) -> Mapping[str, float]:
        """Return by bot what the results finished at or after a time added to its Elo."""
        ...


def tallied(results: Sequence[Result], first: int, most: int) -> Tallies:
    """Return what results come to, out of all of a ladder's in their order."""
    matches: Counter[int] = Counter()
    totals: Counter[int] = Counter()
    faults: Counter[int] = Counter()
    firsts: dict[int, float] = {}
    chosen = results[first : first + most]
    for result in chosen:
        if result.void_reason:
            continue
        winners = sum(seat.rank == 1 for seat in result.seats)
        for seat in result.seats:
            matches[seat.entrant] += 1
            totals[seat.entrant] += seat.total
            faults[seat.entrant] += sum(number for _, number in seat.faults)
            firsts[seat.entrant] = firsts.get(seat.entrant, 0.0) + (seat.rank == 1) / winners
    return Tallies(
        first + len(chosen),
        tuple(Tally(one, matches[one], firsts[one], totals[one], faults[one]) for one in sorted(matches)),
    )


def met(record: TournamentRecord, results: Sequence[Result], bots: Collection[str]) -> list[Meeting]:
    """Return how bots did against each other in results."""
    names = {one.number: one.bot for one in record.entrants}
    counts: dict[tuple[str, str], list[int]] = {}
    for result in results:
        if result.void_reason:
            continue
        ranks = {names[seat.entrant]: seat.rank for seat in result.seats if names[seat.entrant] in bots}
        for bot, other in combinations(sorted(ranks), 2):
            found = counts.setdefault((bot, other), [0, 0, 0])
            found[0] += 1
            found[1] += ranks[bot] < ranks[other]
            found[2] += ranks[bot] == ranks[other]
    return [Meeting(bot, other, *count) for (bot, other), count in sorted(counts.items())]
