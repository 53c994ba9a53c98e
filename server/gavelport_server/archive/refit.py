"""Computes a ladder's ratings by the whole history, in a process of its own that takes what others leave.

A bot's strength may change with its version, so each version is an entrant of the fit; what is told of a bot are the
figures of the version that played its latest match, among those of the other bots. Deals are independent, so every
match is a block.

`python -m gavelport_server.archive.refit` reads a job as JSON from stdin and writes the fit's file.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from gavelport_server.archive.fits import LEADERS, BotFit, LadderFit, write_fit
from gavelport_server.storage.sql import open_store

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gavelport_server.storage.store import Result, TournamentRecord

AWAY_DAYS = 14
"""A bot unconnected for so long is unranked (design 6)."""
MOST_MEMORY = 4 << 30
MOST_CPU_S = 1800
NICE = 19
_REPETITIONS = ((100, 1000), (300, 400))
"""Up to so many entrants, so many repetitions of the bootstrap; beyond, `_FEWEST`. With 100,000 matches each of these
ends within some five minutes on one core; with fewer repetitions the ends of the intervals are less steady."""
_FEWEST = 200


def repetitions(entrants: int) -> int:
    """Return how often the bootstrap is repeated for so many entrants."""
    return next((number for most, number in _REPETITIONS if entrants <= most), _FEWEST)


def ladder_fit(record: TournamentRecord, results: Sequence[Result], away: Collection[str]) -> LadderFit | None:
    """Return the fit of a ladder's results, None while nobody has played.

    Args:
        record: the ladder's.
        results: those that count no more are left out.
        away: bots that get no place.
    """
    began = time.monotonic()
    counting = [one for one in results if not one.void_reason]
    # Only who has played is an entrant here, in the order of the ladder's own.
    played = sorted({seat.entrant for one in counting for seat in one.seats})
    number = {entrant: place for place, entrant in enumerate(played)}
    named = {one.number: one for one in record.entrants}
    latest = {named[seat.entrant].bot: seat.entrant for one in counting for seat in one.seats}
    field = [latest[bot] for bot in sorted(latest.keys() - set(away))]
    if not field:
        return None
    # Imported late: threads only cost here, and NumPy reads the variable while it is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from gavelport_server.ratings.results import Results  # noqa: PLC0415
    from gavelport_server.ratings.standing import whole_history  # noqa: PLC0415

    matches = (
        ([number[seat.entrant] for seat in one.seats], [seat.rank for seat in one.seats], place)
        for place, one in enumerate(counting)
    )
    times = repetitions(len(played))
    fit = whole_history(Results.of(len(played), record.seats, matches), times, [number[one] for one in field])
    order = sorted(range(len(field)), key=lambda i: (fit.entrants[i].rank, named[field[i]].bot))
    bots = []
    for i in order:
        figures = fit.entrants[i]
        if figures.interval is not None:
            entrant = named[field[i]]
            bots.append(
                BotFit(
                    entrant.bot,
                    entrant.version,
                    figures.rating,
                    *figures.interval,
                    *figures.rank_interval,
                    figures.matches,
                )
            )
    leaders = [i for i in order if fit.entrants[i].interval is not None][:LEADERS]
    return LadderFit(
        fitted_at=datetime.now(UTC).isoformat(timespec="seconds"),
        matches=len(counting),
        repetitions=times,
        seconds=round(time.monotonic() - began, 3),
        bots=tuple(bots),
        leaders=tuple(named[field[i]].bot for i in leaders),
        beats=tuple(tuple(fit.beats[i][j].p for j in leaders) for i in leaders),
        spans=tuple(tuple((fit.beats[i][j].low, fit.beats[i][j].high) for j in leaders) for i in leaders),
    )


def refit(data: Path, database: str | None, identity: str) -> LadderFit | None:
    """Compute a ladder's fit, write its file, and return it; None while there is nothing to compute from.

    Raises StoreError, OSError.
    """
    since = (datetime.now(UTC) - timedelta(days=AWAY_DAYS)).isoformat(timespec="seconds")
    with closing(open_store(database or data, create=False)) as store:
        record = next((one for one in store.tournaments() if one.identity == identity), None)
        if record is None:
            return None
        results = store.results(identity)
        away = [one.name for one in store.bots() if one.status != "active" or "" < one.last_seen_at < since]
    fit = ladder_fit(record, results, away)
    if fit is not None:
        write_fit(data, identity, fit)
    return fit


def main() -> None:
    """Do the job on stdin."""
    os.nice(NICE)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S))
    job = json.load(sys.stdin)
    fit = refit(Path(job["data"]), job["database"], job["identity"])
    said = {} if fit is None else {"matches": fit.matches, "seconds": fit.seconds, "bots": len(fit.bots)}
    sys.stdout.write(json.dumps(said) + "\n")


if __name__ == "__main__":
    main()
