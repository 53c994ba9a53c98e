"""What is kept of tournaments and results, and the protocol that every store fulfils (design 7, 8).

The log is the truth: results are inserted once, under their match id, and ratings are a fold over them that can be
thrown away and rebuilt (`gavelport rate --check`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot in a tournament. `number` is its place in the entrants' order, from 0."""

    number: int
    bot: str
    version: str
    content_hash: str
    """SHA-256 of the bot's folder, hex (design 5: part of the tournament's identity)."""


@dataclass(frozen=True, slots=True)
class TournamentRecord:
    """A tournament as it was set up."""

    identity: str
    """Hex digest of everything that makes it this tournament and no other; the same identity resumes (design 5)."""
    name: str
    game: str
    """`container@1`."""
    options: str
    """The game's options, and all else that is part of the identity, as canonical JSON."""
    secret: bytes
    """What the seeds are derived from; given by `--seed`, else random and kept here."""
    seats: int
    entrants: tuple[Entrant, ...]
    started_at: str
    """ISO 8601, UTC."""


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How one seat of a match did."""

    entrant: int
    rank: int
    total: int
    retired: bool
    decisions: int
    charged_ms: int
    slowest_ms: int
    refusals: int
    faults: tuple[tuple[str, int], ...]
    """Faults by reason, ascending by reason."""
    first_fault: str


@dataclass(frozen=True, slots=True)
class Result:
    """A finished match of a tournament."""

    match_id: str
    number: int
    """Place in the tournament's schedule, from 0: the order in which Elo takes matches (design 6)."""
    round: int
    """From 0."""
    block: int
    """Which duplicate block the match belongs to, from 0."""
    rotation: int
    table: int
    end: str
    seats: tuple[SeatResult, ...]
    """By seat."""
    replay_sha256: str
    seconds: float
    finished_at: str


@dataclass(frozen=True, slots=True)
class Standing:
    """An entrant's Elo after the results that were counted so far, in schedule order without gaps."""

    entrant: int
    elo: float
    matches: int


class Store(Protocol):
    """Where tournaments and results are kept. Synchronous; whoever waits calls it in a thread.

    Every method is one transaction. Raises StoreError (errors.py) with what, where and what to do when the database is
    damaged, locked, full, of a newer schema or out of reach.
    """

    def open_tournament(self, record: TournamentRecord) -> TournamentRecord:
        """Create the tournament, or return the one that is there under the same identity (its secret and start)."""
        ...

    def tournaments(self) -> Sequence[TournamentRecord]:
        """Return all tournaments, oldest first."""
        ...

    def add_result(self, identity: str, result: Result) -> bool:
        """Insert a result and count it into the Elo, all in one transaction.

        Elo takes matches in schedule order, so ratings advance over the results that stand without a gap before them.
        Returns False, changing nothing, where a result stands under that match id already.
        """
        ...

    def results(self, identity: str) -> Sequence[Result]:
        """Return a tournament's results in schedule order."""
        ...

    def standings(self, identity: str) -> Sequence[Standing]:
        """Return the stored Elo of every entrant, by entrant number."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...
