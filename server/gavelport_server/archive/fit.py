"""A tournament's ratings by the whole history, from its results or from its replays alone (design 6)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gavelport_server.ratings.standing import Fit
    from gavelport_server.storage.store import Result, TournamentRecord


def whole_history_of(record: TournamentRecord, results: Sequence[Result]) -> Fit:
    """Return the fit of a tournament's results; a block is the matches of one deal, at one table."""
    tables = max(1, len(record.entrants) // record.seats)
    return fitted(
        record,
        (
            ([seat.entrant for seat in one.seats], [seat.rank for seat in one.seats], one.block * tables + one.table)
            for one in results
        ),
    )


def fitted(record: TournamentRecord, matches: Iterable[tuple[Sequence[int], Sequence[int], int]]) -> Fit:
    """Return the fit of matches: entrants by seat, ranks by seat, block."""
    # What needs no ratings does without NumPy; and threads only cost where matrices have a dozen rows.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from gavelport_server.ratings.results import Results  # noqa: PLC0415
    from gavelport_server.ratings.standing import whole_history  # noqa: PLC0415

    return whole_history(Results.of(len(record.entrants), record.seats, matches))
