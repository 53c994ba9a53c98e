"""Whether a data folder is true: every replay, and the database against the replays (design 6, 7)."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING

from gavelport_server.archive.elo_audit import rating_difference, stored_ratings
from gavelport_server.archive.errors import ArchiveError, ReplayError, SealError
from gavelport_server.archive.files import SUFFIX, read, sha256_of
from gavelport_server.archive.fit import fingerprint, fit_difference, whole_history_again, whole_history_of
from gavelport_server.archive.playback import Difference
from gavelport_server.archive.record import chain_of
from gavelport_server.archive.replay import decode_replay
from gavelport_server.archive.salvage import what_differs
from gavelport_server.archive.verify import verify

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from gavelport_server.archive.files import ReplayFolder
    from gavelport_server.archive.private import PrivateText
    from gavelport_server.archive.verify import SeatRecord
    from gavelport_server.referee.report import SeatName
    from gavelport_server.storage.store import Result, Store, TournamentRecord

ALONE = 30
"""Up to so many replays are read by this process; more are worth the start of others."""


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """What a replay says, for comparison with the database. By seat but for `retired`."""

    match_id: str
    game: str
    seats: tuple[SeatName, ...]
    end: str
    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    seed: bytes
    retired: tuple[int, ...]
    refusals: tuple[int, ...]
    first_faults: tuple[PrivateText, ...]
    sha256: str
    figures: tuple[SeatRecord, ...]
    """Empty where the match was not played again."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A replay file after the check: what it says, or the first thing that is wrong with it."""

    path: Path
    record: MatchRecord | None
    problem: str


def check_file(path: Path, *, replay_whole: bool = True) -> Checked:
    """Read a replay and verify it; without `replay_whole` only that it is as it was written."""
    stored = b""
    try:
        stored = read(path)
        replay = decode_replay(stored)
        figures = verify(replay) if replay_whole else ()
        if not replay_whole and chain_of(replay) != replay.chain:
            return Checked(path, None, "its content does not have the chained hash that it states")
    except SealError as error:
        return Checked(path, None, f"{error}; {what_differs(stored)}" if replay_whole else str(error))
    except (ArchiveError, ReplayError, Difference) as error:
        return Checked(path, None, str(error).removeprefix(f"{path} "))
    end = replay.end
    record = MatchRecord(
        match_id=replay.header.match_id,
        game=replay.header.game.id,
        seats=replay.header.seats,
        end=end.end,
        totals=end.totals,
        ranks=end.ranks,
        seed=replay.seed,
        retired=end.retired,
        refusals=end.refusals,
        first_faults=end.first_faults,
        sha256=sha256_of(stored),
        figures=figures,
    )
    return Checked(path, record, "")


def _check_as_written(path: Path) -> Checked:
    return check_file(path, replay_whole=False)


def check_files(paths: Sequence[Path], *, replay_whole: bool = True) -> Iterator[Checked]:
    """Yield what `check_file` says of each, in order; many are shared out among processes."""
    check = check_file if replay_whole else _check_as_written
    if len(paths) <= ALONE:
        yield from map(check, paths)
        return
    cores = len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        yield from pool.map(check, paths, chunksize=8)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as it must be: where, and what in words."""

    where: str
    what: str


def audit(store: Store, folder: ReplayFolder) -> Iterator[Problem | MatchRecord]:
    """Yield, for every replay of a data folder, its record or what is wrong; then what is wrong with the database.

    Each replay is verified and compared with its result; results and replays must be there in pairs; and the Elo must
    be that of the matches.
    """
    # Replays first: a match that ends meanwhile gets its replay before its result.
    paths = [folder.path(match_id) for match_id in folder.list()]
    looked_at = set(paths)
    records: dict[str, MatchRecord] = {}
    for checked in check_files(paths):
        match_id = checked.path.name.removesuffix(SUFFIX)
        if checked.record is None:
            yield Problem(str(checked.path), checked.problem)
        elif checked.record.match_id != match_id:
            yield Problem(str(checked.path), f"is the replay of match {checked.record.match_id}; give it its own name")
        else:
            records[match_id] = checked.record
            yield checked.record
    stood = set(records)
    for found in store.tournaments():
        tournament, stored = stored_ratings(store, found.identity)
        for result in stored.results:
            stood.discard(result.match_id)
            path = folder.path(result.match_id)
            if path not in looked_at and path.exists() and (late := check_file(path)).record is not None:
                records[result.match_id] = late.record
                yield late.record
            if record := records.get(result.match_id):
                if what := difference(tournament, result, record):
                    yield Problem(str(path), what)
            elif not path.exists():
                yield Problem(str(path), missing(result))
        if what := rating_difference(tournament, stored, records):
            yield Problem(f"{tournament.kind} {tournament.name} ({tournament.identity[:12]})", what)
    for match_id in sorted(stood):
        yield Problem(
            str(folder.path(match_id)),
            "has no result in the database: its match was over, but the run ended before it was counted; "
            "give the same run-tournament or serve command again to count it",
        )


def missing(result: Result) -> str:
    """Return in words that a result's replay is gone."""
    return f"is not there, though match {result.match_id} has a result; put the file back from a copy"


def difference(tournament: TournamentRecord, result: Result, record: MatchRecord) -> str | None:
    """Return the first difference between a result in the database and its replay, in words, or None."""
    if result.replay_sha256 != record.sha256:
        return f"file has SHA-256 {record.sha256}, the database says {result.replay_sha256}: it is not the file stored"
    by_seat = [(seat.rank, seat.total, seat.retired) for seat in result.seats]
    entrants = {one.number: (one.bot, one.version) for one in tournament.entrants}
    pairs: list[tuple[str, object, object]] = [
        ("game", record.game, tournament.game),
        (
            "bots",
            [f"{s.bot} {s.version}" for s in record.seats],
            [" ".join(entrants.get(seat.entrant, ("?", "?"))) for seat in result.seats],
        ),
        ("end", record.end, result.end),
        ("ranks", list(record.ranks), [rank for rank, _, _ in by_seat]),
        ("totals", list(record.totals), [total for _, total, _ in by_seat]),
        ("retired seats", list(record.retired), [seat for seat, (_, _, retired) in enumerate(by_seat) if retired]),
    ]
    pairs += [
        ("refusals", list(record.refusals), [seat.refusals for seat in result.seats]),
        ("first faults", list(record.first_faults), [seat.first_fault for seat in result.seats]),
    ]
    for seat, (figures, row) in enumerate(zip(record.figures, result.seats, strict=False)):
        pairs += [
            (f"decisions of seat {seat}", figures.decisions, row.decisions),
            (f"charged ms of seat {seat}", figures.charged_ms, row.charged_ms),
            (f"slowest decision in ms of seat {seat}", figures.slowest_ms, row.slowest_ms),
            (f"faults of seat {seat}", dict(figures.faults), dict(row.faults)),
        ]
    for what, replayed, stored in pairs:
        if replayed != stored:
            return f"{what}: {replayed} by the replay, {stored} in the database"
    return None


@dataclass(frozen=True, slots=True)
class RatedTruly:
    """A tournament or ladder whose ratings are those of its replays."""

    tournament: TournamentRecord
    matches: int
    fingerprint: str
    """Of a tournament's fit, see `fit.fingerprint`; of a ladder's Elo with all its changes."""


def check_ratings(store: Store, folder: ReplayFolder) -> Iterator[Problem | RatedTruly]:
    """Yield each tournament whose ratings are those of its replays, or else what is wrong (`gavelport rate --check`).

    The Elo in the database is compared bit for bit with one from the replays, on a ladder every change of it too; and
    the fit of a tournament's results in the database with one from the replays alone. Of practice is told only what is
    wrong. Replays are taken as they were written, by their chained hash and the hash
    in the database, and not played again.
    """
    for found in store.tournaments():
        tournament, stored = stored_ratings(store, found.identity)
        paths = [folder.path(result.match_id) for result in stored.results]
        records = {}
        problem: Problem | None = None
        for result, checked in zip(stored.results, check_files(paths, replay_whole=False), strict=True):
            what = checked.problem or (checked.record and difference(tournament, result, checked.record))
            if what:
                problem = problem or Problem(str(checked.path), what)
            elif checked.record:
                records[result.match_id] = checked.record
        if problem is not None:
            yield problem
            continue
        what = rating_difference(tournament, stored, records)
        made = stored.fingerprint()
        if what is None and tournament.kind == "tournament":
            fit = whole_history_of(tournament, stored.results)
            what = fit_difference(tournament, whole_history_again(tournament, stored.results, records), fit)
            made = fingerprint(fit)
        if what:
            yield Problem(f"{tournament.kind} {tournament.name} ({tournament.identity[:12]})", what)
        elif tournament.kind != "practice":
            yield RatedTruly(tournament, len(stored.results), made)
