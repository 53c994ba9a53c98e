"""What is kept of tournaments and results, and the protocol that every store fulfils (design 7, 8).

The log is the truth: results are inserted once, under their match id, and ratings are a fold over them that can be
thrown away and rebuilt (`gavelport rate --check`).

A ladder is kept like a tournament that never ends: its entrants grow, and its results are numbered in the order in
which they come. So is practice, which is never rated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Kind: TypeAlias = Literal["tournament", "ladder", "practice"]
"""A tournament has a schedule and its entrants from the start; the others grow. Practice is never rated."""
GROWING: Final[tuple[Kind, ...]] = ("ladder", "practice")


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot in a tournament. `number` is its place in the entrants' order, from 0."""

    number: int
    bot: str
    version: str
    content_hash: str
    """SHA-256 of the bot's folder, hex (design 5: part of the tournament's identity); empty where it runs elsewhere."""


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
    kind: Kind = "tournament"


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
    """Place in the tournament's schedule, from 0: the order in which Elo takes matches (design 6). On a ladder the
    place in the order in which results came, given by the store."""
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
    """ISO 8601, UTC."""
    void_reason: str = ""
    """Why it counts no more, where an admin took it out of the ratings; else empty."""
    sandbox: str = ""
    """Which seats' bots this machine ran in sandboxes, what was found to hold, and their limits; empty without any."""


@dataclass(frozen=True, slots=True)
class Standing:
    """An entrant's Elo after the results that were counted so far, in schedule order without gaps.

    On a ladder the entrants of one bot share the Elo; `matches` is each entrant's own. In practice both stay as they
    began.
    """

    entrant: int
    elo: float
    matches: int


@dataclass(frozen=True, slots=True)
class RatingChange:
    """What a match of a ladder did to the rating of the bot on one of its seats."""

    match_id: str
    number: int
    """The match's place in the order in which results are counted."""
    finished_at: str
    seat: int
    bot: str
    version: str
    rank: int
    before: float
    after: float
    k: float


@dataclass(frozen=True, slots=True)
class VoidRecord:
    """A match that came to no result: what was begun counts for nothing."""

    match_id: str
    reason: str
    at: str
    """ISO 8601, UTC."""
    bots: tuple[str, ...] = ()
    """By seat; empty where that was not kept."""
    again_id: str = ""
    """Of the match that is played in its place, as `add_rerun` kept it; empty where there is none."""


@dataclass(frozen=True, slots=True)
class RerunRecord:
    """A void match that is to be played again."""

    match_id: str
    again_id: str
    """The id of the match that is played in its place."""
    bots: tuple[str, ...]
    """By seat."""


Place: TypeAlias = tuple[str, str]
"""Where a result stands among all by time: when it finished, and its match id."""


@dataclass(frozen=True, slots=True)
class ResultFilter:
    """Which results are looked for; what is empty does not matter."""

    bot: str = ""
    version: str = ""
    against: str = ""
    """A bot that played in it, too."""
    is_faulty: bool = False
    """Whether only matches in which that bot had a fault are meant; any bot, where none is named."""
    tournament: str = ""
    """A tournament's or ladder's name, or the beginning of its identity."""
    game: str = ""
    """`container`, or `container@1`."""
    since: str = ""
    """Finished then or later: the beginning of an ISO 8601 time in UTC, so a date will do."""
    until: str = ""
    """Finished earlier."""
    with_unrated: bool = False
    """Practice too."""


@dataclass(frozen=True, slots=True)
class FoundResult:
    """A result with what its tournament says of it."""

    result: Result
    entrants: tuple[Entrant, ...]
    """By seat."""
    identity: str
    """Of the tournament, as are the following."""
    tournament: str
    game: str
    kind: Kind

    @property
    def place(self) -> Place:
        """Return where the search goes on after this result."""
        return self.result.finished_at, self.result.match_id


class Store(Protocol):
    """Where tournaments and results are kept. Synchronous; whoever waits calls it in a thread.

    Every method is one transaction. Raises StoreError (errors.py) with what, where and what to do when the database is
    damaged, locked, full, of a newer schema or out of reach; and FencedError where another server has claimed it.
    """

    def claim(self, holder: str) -> int:
        """Make this store the one through which a server writes, and return its epoch, one more than the last one's.

        From then on every write of a store that had claimed before raises FencedError. A store that never claimed is
        not checked.
        """
        ...

    def open_tournament(self, record: TournamentRecord) -> TournamentRecord:
        """Create the tournament, or return the one that is there under the same identity (its secret and start)."""
        ...

    def tournaments(self) -> Sequence[TournamentRecord]:
        """Return all tournaments, oldest first."""
        ...

    def add_entrant(self, identity: str, bot: str, version: str, content_hash: str = "") -> int:
        """Return a bot's number among the entrants of a ladder or of practice; a new one is added.

        A new version goes on from its bot's rating. Another content under a version's name is an error, and so is a
        tournament, whose entrants are part of its identity.
        """
        ...

    def add_result(self, identity: str, result: Result) -> bool:
        """Insert a result of a tournament and count it into the Elo, all in one transaction.

        Elo takes matches in schedule order, so ratings advance over the results that stand without a gap before them.
        Returns False, changing nothing, where a result stands under that match id already.
        """
        ...

    def append_result(self, identity: str, result: Result) -> Result | None:
        """Insert a result of a ladder or of practice at the next number, rate it, and return it with its number.

        The number that `result` has is not looked at. All is one transaction; its cost does not grow with the results.
        Returns None, changing nothing, where the match id is settled already: by a result, or by being void.
        """
        ...

    def void_result(self, match_id: str, reason: str) -> bool:
        """Take a result of a ladder or of practice out of the ratings, which are folded anew in the same transaction.

        The result stays, with the reason. Returns False, changing nothing, where it is void already.
        """
        ...

    def add_void(self, identity: str, void: VoidRecord) -> bool:
        """Keep a match of a ladder or of practice that came to no result.

        Returns False, changing nothing, where the match id is settled already: by a result, or by being void.
        """
        ...

    def voids(self, identity: str) -> Sequence[VoidRecord]:
        """Return the matches that came to no result, oldest first."""
        ...

    def add_rerun(self, identity: str, rerun: RerunRecord) -> bool:
        """Keep that a void match of a ladder or of practice is to be played again.

        Returns False, changing nothing, where that is kept already: a match is played again once.
        """
        ...

    def rerun(self, match_id: str) -> RerunRecord | None:
        """Return how a void match is played again, or None where it is not."""
        ...

    def reruns(self, identity: str) -> Sequence[RerunRecord]:
        """Return what is still to be played again: whose `again_id` has come to no result and is not void."""
        ...

    def results(self, identity: str, *, first: int = 0, limit: int | None = None) -> Sequence[Result]:
        """Return a tournament's results in schedule order; on a ladder also those that count no more.

        Args:
            identity: The tournament's.
            first: Only those from this number on.
            limit: At most so many, the earliest of them.
        """
        ...

    def voided(self, identity: str) -> Sequence[int]:
        """Return the numbers of the results that count no more, ascending.

        With the match that has the last number somebody has read, they tell whether all that was read still stands:
        nothing else of a result on a ladder ever changes, and none comes before another that is there.
        """
        ...

    def result(self, match_id: str) -> FoundResult | None:
        """Return a match's result, or None where it has none."""
        ...

    def find_results(
        self, wanted: ResultFilter, *, beyond: Place | None = None, limit: int = 100, oldest_first: bool = False
    ) -> Sequence[FoundResult]:
        """Return results of all tournaments, the latest first, at most `limit`.

        Args:
            wanted: What they must be.
            beyond: Where to go on: the place of the last one of the page before.
            limit: How many at most.
            oldest_first: The other order.
        """
        ...

    def standings(self, identity: str) -> Sequence[Standing]:
        """Return the stored Elo of every entrant, by entrant number."""
        ...

    def rating_changes(self, identity: str, bot: str | None = None, limit: int | None = None) -> Sequence[RatingChange]:
        """Return what every rated match of a ladder did, the latest match first, by seat.

        All seats of a match are there, so that each change can be explained. A result that counts no more has none.

        Args:
            identity: The ladder's.
            bot: Only the matches of this bot.
            limit: Only the latest so many matches.
        """
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...
