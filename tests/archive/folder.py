"""A data folder with a played tournament."""

from dataclasses import replace
from pathlib import Path

from gavelport_server.archive.files import ReplayFolder, sha256_of
from gavelport_server.archive.replay import encode_replay
from gavelport_server.referee.report import MatchReport
from gavelport_server.storage.store import Entrant, Kind, Result, SeatResult, Store, TournamentRecord

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


def fill_ladder(store: Store, data: Path, matches: int, *, kind: Kind = "ladder") -> ReplayFolder:
    """Play so many matches on a ladder or in practice, the last one with a new version of bot_a, and keep them."""
    identity, first = ("fedcba98", 100) if kind == "ladder" else ("fedcba99", 200)
    folder, record = ReplayFolder(data), store.open_tournament(replace(tournament(), identity=identity, kind=kind))
    for number in range(matches):
        report = short_match(first + number)
        if number == matches - 1:
            seats = (replace(report.setup.seats[0], version="2.0"), *report.setup.seats[1:])
            report = replace(report, setup=replace(report.setup, seats=seats))
        stored = encode_replay(report)
        folder.put(report.setup.match_id, stored)
        made = result_of(number, report, stored)
        if number == matches - 1:
            entrant = store.add_entrant(record.identity, "bot_a", "2.0")
            made = replace(made, seats=(replace(made.seats[0], entrant=entrant), *made.seats[1:]))
        store.append_result(record.identity, made)
    return folder


def fill(store: Store, data: Path, matches: int) -> ReplayFolder:
    """Play so many matches and keep them."""
    folder, record = ReplayFolder(data), store.open_tournament(tournament())
    for number in range(matches):
        report = short_match(number)
        stored = encode_replay(report)
        folder.put(report.setup.match_id, stored)
        store.add_result(record.identity, result_of(number, report, stored))
    return folder
