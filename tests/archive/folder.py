"""A data folder with a played tournament."""

from pathlib import Path

from gavelport_server.archive.files import ReplayFolder, sha256_of
from gavelport_server.archive.replay import encode_replay
from gavelport_server.referee.report import MatchReport
from gavelport_server.storage.store import Entrant, Result, SeatResult, Store, TournamentRecord

from tests.archive.play import played_match

SEATS = 3
SHORT = {"supply_per_player": 1, "stall_rounds": 2}
"""Options for matches of some fifty decisions."""


def tournament(entrants: int = SEATS) -> TournamentRecord:
    return TournamentRecord(
        identity="0123456789abcdef",
        name="cup",
        game="container@1",
        options="{}",
        secret=b"secret",
        seats=SEATS,
        entrants=tuple(Entrant(seat, f"bot_{'abcde'[seat]}", f"1.{seat}", "") for seat in range(entrants)),
        started_at="2030-01-01T10:00:00+00:00",
    )


def short_match(number: int) -> MatchReport:
    return played_match(number, seats=SEATS, options=SHORT)


def result_of(number: int, report: MatchReport, stored: bytes) -> Result:
    return Result(
        match_id=report.setup.match_id,
        number=number,
        round=number,
        block=number,
        rotation=0,
        table=0,
        end=report.outcome.end,
        seats=tuple(
            SeatResult(
                entrant=seat,
                rank=report.outcome.ranks[seat],
                total=report.outcome.totals[seat],
                retired=seat in report.retired,
                decisions=figures.decisions,
                charged_ms=figures.charged_ms,
                slowest_ms=figures.slowest_ms,
                refusals=figures.refusals,
                faults=figures.faults,
                first_fault=figures.first_fault,
            )
            for seat, figures in enumerate(report.figures)
        ),
        replay_sha256=sha256_of(stored),
        seconds=1.0,
        finished_at=f"2030-01-01T10:{number:02}:00+00:00",
    )


def fill(store: Store, data: Path, matches: int) -> ReplayFolder:
    """Play so many matches and keep them."""
    folder, record = ReplayFolder(data), store.open_tournament(tournament())
    for number in range(matches):
        report = short_match(number)
        stored = encode_replay(report)
        folder.put(report.setup.match_id, stored)
        store.add_result(record.identity, result_of(number, report, stored))
    return folder
