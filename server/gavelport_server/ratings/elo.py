"""Pairwise Elo for tables of any size (design 6): pure, and the same to the last bit wherever it is computed.

A match of n seats counts as a game of each seat against each other:
ΔRᵢ = K/(n−1) · Σⱼ (Sᵢⱼ − Eᵢⱼ), j ascending by seat, from the ratings before the match. Every new rating is rounded to
10⁻⁶, so that a rebuild from the archive meets the stored numbers exactly.

In a tournament every entrant has a rating of its own. On a ladder it is the bot's, whatever version plays: a new
version, or an older one to which its owner goes back, goes on from it, with the larger K for that version's first
matches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

START = 1500.0
"""The rating before the first match."""
SETTLING_MATCHES = 30
"""So many matches a bot's rating moves by the larger K."""
SETTLING_K = 32.0
SETTLED_K = 16.0
DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Rated:
    """A bot's rating and the number of matches that made it."""

    elo: float = START
    matches: int = 0


def expected_score(own: float, other: float) -> float:
    """Return what a bot rated `own` is expected to score against one rated `other`, 0 to 1."""
    return float(1.0 / (1.0 + 10.0 ** ((other - own) / 400.0)))


def actual_score(own_rank: int, other_rank: int) -> float:
    """Return 1 for the better (smaller) rank, ½ for equal ones, 0 for the worse."""
    if own_rank == other_rank:
        return 0.5
    return 1.0 if own_rank < other_rank else 0.0


def k_factor(matches: int) -> float:
    """Return K for a bot that has played so many matches before this one."""
    return SETTLING_K if matches < SETTLING_MATCHES else SETTLED_K


def rated_after(before: Sequence[Rated], ranks: Sequence[int]) -> tuple[Rated, ...]:
    """Return the ratings after one match; both arguments and the answer are by seat.

    Raises ValueError with fewer than two seats or another number of ranks than of seats.
    """
    seats = len(before)
    if seats < 2 or len(ranks) != seats:
        raise ValueError(f"a rated match has two or more seats and a rank for each, not {seats} with ranks {ranks!r}")
    after = []
    for i, own in enumerate(before):
        surplus = 0.0
        for j, other in enumerate(before):
            if j != i:
                surplus += actual_score(ranks[i], ranks[j]) - expected_score(own.elo, other.elo)
        change = k_factor(own.matches) / (seats - 1) * surplus
        after.append(Rated(round(own.elo + change, DECIMALS), own.matches + 1))
    return tuple(after)


class EloTable:
    """The ratings of a tournament's entrants, advanced match by match."""

    def __init__(self, rated: Sequence[Rated]) -> None:
        self._rated = list(rated)

    @classmethod
    def fresh(cls, entrants: int) -> EloTable:
        """Return the table before the first match."""
        return cls([Rated()] * entrants)

    @property
    def rated(self) -> tuple[Rated, ...]:
        """Return the ratings by entrant number."""
        return tuple(self._rated)

    def count(self, entrants: Sequence[int], ranks: Sequence[int]) -> None:
        """Count a match in which these entrants sat, by seat, and got these ranks.

        Raises ValueError, changing nothing, for an entrant that sits twice or is none of the table's.
        """
        if len(set(entrants)) != len(entrants):
            raise ValueError(f"an entrant sits on one seat of a rated match only, not as in {list(entrants)}")
        if strangers := [number for number in entrants if not 0 <= number < len(self._rated)]:
            raise ValueError(f"entrants {strangers} do not play in a tournament of {len(self._rated)}")
        after = rated_after([self._rated[number] for number in entrants], ranks)
        for number, new in zip(entrants, after, strict=True):
            self._rated[number] = new


def elo_of(entrants: int, matches: Iterable[tuple[Sequence[int], Sequence[int]]]) -> tuple[Rated, ...]:
    """Return the ratings by entrant number after matches (entrants by seat, ranks by seat), in their order."""
    table = EloTable.fresh(entrants)
    for seated, ranks in matches:
        table.count(seated, ranks)
    return table.rated


@dataclass(frozen=True, slots=True)
class Change:
    """What a match did to a rating."""

    before: float
    after: float
    k: float


def ladder_changes(bots: Sequence[str], before: Sequence[Rated], ranks: Sequence[int]) -> tuple[Change, ...]:
    """Return by seat what a match of a ladder does to the ratings of these bots.

    Args:
        bots: Their names, by seat.
        before: By seat the bot's rating, and how many matches the version that sits there has played.
        ranks: By seat.

    Raises ValueError where a bot sits twice, or as `rated_after` does.
    """
    if len(set(bots)) != len(bots):
        raise ValueError(f"a bot sits on one seat of a rated match only, not as in {list(bots)}")
    after = rated_after(before, ranks)
    return tuple(Change(old.elo, new.elo, k_factor(old.matches)) for old, new in zip(before, after, strict=True))


class LadderTable:
    """The ratings on a ladder, advanced match by match. Entrants are versions of bots, by number."""

    def __init__(self, bots: Iterable[str] = ()) -> None:
        """Begin with these entrants, given by their bots' names."""
        self._bots: list[str] = []
        self._matches: list[int] = []
        self._elo: dict[str, float] = {}
        for bot in bots:
            self.add(bot)

    def add(self, bot: str) -> None:
        """Add a version of a bot as the next entrant."""
        self._bots.append(bot)
        self._matches.append(0)
        self._elo.setdefault(bot, START)

    @property
    def rated(self) -> tuple[Rated, ...]:
        """Return by entrant number the bot's rating, and the version's own number of matches."""
        return tuple(Rated(self._elo[bot], matches) for bot, matches in zip(self._bots, self._matches, strict=True))

    def changes(self, entrants: Sequence[int], ranks: Sequence[int]) -> tuple[Change, ...]:
        """Return by seat what a match between these entrants would change, given their ranks.

        Raises ValueError for a bot that sits twice and for an entrant that is none of the ladder's.
        """
        if strangers := [number for number in entrants if not 0 <= number < len(self._bots)]:
            raise ValueError(f"entrants {strangers} do not play in it")
        bots = [self._bots[number] for number in entrants]
        before = [Rated(self._elo[self._bots[number]], self._matches[number]) for number in entrants]
        return ladder_changes(bots, before, ranks)

    def count(self, entrants: Sequence[int], ranks: Sequence[int]) -> tuple[Change, ...]:
        """Count a match, and return what it changed; arguments, answer and errors are those of `changes`."""
        changes = self.changes(entrants, ranks)
        for number, change in zip(entrants, changes, strict=True):
            self._elo[self._bots[number]] = change.after
            self._matches[number] += 1
        return changes
