"""A tournament's ratings by the whole history, from its results or from its replays alone (design 6)."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gavelport_server.archive.audit import MatchRecord
    from gavelport_server.ratings.standing import Fit
    from gavelport_server.storage.store import Result, TournamentRecord


def whole_history_of(record: TournamentRecord, results: Sequence[Result]) -> Fit:
    """Return the fit of the results that count; a block is the matches of one deal, at one table.

    On a ladder, where each match has its own deal, it is the match, and each version of a bot is an entrant.
    """
    tables = max(1, len(record.entrants) // record.seats)
    is_scheduled = record.kind == "tournament"
    return fitted(
        record,
        (
            (
                [seat.entrant for seat in one.seats],
                [seat.rank for seat in one.seats],
                one.block * tables + one.table if is_scheduled else one.number,
            )
            for one in results
            if not one.void_reason
        ),
    )


def whole_history_again(record: TournamentRecord, results: Sequence[Result], replays: Mapping[str, MatchRecord]) -> Fit:
    """Return the fit that the replays of results say: who sat there, the ranks, and by the seed which deal it was.

    The results give only the order of the matches; every one must have its replay, with bots of the tournament.
    """
    numbers = {(one.bot, one.version): one.number for one in record.entrants}
    deals: dict[bytes, int] = {}
    return fitted(
        record,
        (
            (
                [numbers[seat.bot, seat.version] for seat in replay.seats],
                replay.ranks,
                deals.setdefault(replay.seed, len(deals)),
            )
            for replay in (replays[one.match_id] for one in results)
        ),
    )


def fit_difference(record: TournamentRecord, ours: Fit, theirs: Fit) -> str | None:
    """Return in words the first difference between a fit by the replays and one by the database, or None."""
    for entrant, by_replays, by_database in zip(record.entrants, ours.entrants, theirs.entrants, strict=True):
        if by_replays != by_database:
            return (
                f"rating of {entrant.bot} {entrant.version} is {by_replays.rating:.6f} by the replays, with "
                f"{by_replays.blocks} deals, and {by_database.rating:.6f} by the database, with {by_database.blocks}"
            )
    return None if ours.beats == theirs.beats else "chances by the replays are others than by the database"


def fingerprint(fit: Fit) -> str:
    """Return 16 hex digits that are the same for fits with the same figures, to the last digit."""
    return hashlib.sha256(repr(fit).encode()).hexdigest()[:16]


def fitted(record: TournamentRecord, matches: Iterable[tuple[Sequence[int], Sequence[int], int]]) -> Fit:
    """Return the fit of matches: entrants by seat, ranks by seat, block."""
    # What needs no ratings does without NumPy; and threads only cost where matrices have a dozen rows.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from gavelport_server.ratings.results import Results  # noqa: PLC0415
    from gavelport_server.ratings.standing import Fit, whole_history  # noqa: PLC0415

    if not record.entrants:  # a ladder on which nobody has played yet
        return Fit((), ())
    return whole_history(Results.of(len(record.entrants), record.seats, matches))
