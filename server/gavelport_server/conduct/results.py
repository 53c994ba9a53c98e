"""From a finished match, or the replay that is left of one, to what the tables count."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gavelport_server.archive.files import sha256_of
from gavelport_server.archive.playback import Difference
from gavelport_server.archive.verify import verify_stored
from gavelport_server.storage.store import Result, SeatResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_server.pairing.schedule import Pairing
    from gavelport_server.referee.report import MatchReport, MatchSetup, SeatFigures


WORDS_MOST = 300
"""Characters of the words of a first fault, of which a bot may have printed the most."""


def explained(
    report: MatchReport, gone_reasons: Sequence[str], complaints: Sequence[str], printed: Sequence[str]
) -> MatchReport:
    """Return the report with all that is known of first faults, not only what the referee knows.

    Args:
        report: What the referee left behind.
        gone_reasons: By seat, why the bot's process is gone for good; empty while it is not.
        complaints: By seat, what the bot was told of messages that were none; empty where all could be read.
        printed: By seat, what a bot at fault printed first of an error; empty for any other.
    """
    return replace(
        report,
        figures=tuple(
            replace(figures, first_fault=first_fault(figures, gone_reason, complaint, line))
            for figures, gone_reason, complaint, line in zip(
                report.figures, gone_reasons, complaints, printed, strict=True
            )
        ),
    )


def result_of(pairing: Pairing, report: MatchReport, *, replay_sha256: str, seconds: float) -> Result:
    """Return the result of a match that has just ended.

    Args:
        pairing: The match's place in the schedule.
        report: What it left behind, explained.
        replay_sha256: Hash of the stored replay, hex.
        seconds: How long the match took.
    """
    outcome = report.outcome
    return Result(
        match_id=report.setup.match_id,
        number=pairing.number,
        round=pairing.round,
        block=pairing.block,
        rotation=pairing.rotation,
        table=pairing.table,
        end=outcome.end,
        seats=tuple(
            SeatResult(
                entrant=entrant,
                rank=outcome.ranks[seat],
                total=outcome.totals[seat],
                retired=seat in report.retired,
                decisions=figures.decisions,
                charged_ms=figures.charged_ms,
                slowest_ms=figures.slowest_ms,
                refusals=figures.refusals,
                faults=tuple(sorted(figures.faults)),
                first_fault=figures.first_fault,
            )
            for seat, (entrant, figures) in enumerate(zip(pairing.entrants, report.figures, strict=True))
        ),
        replay_sha256=replay_sha256,
        seconds=round(seconds, 3),
        finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def result_of_replay(pairing: Pairing, setup: MatchSetup, stored: bytes, finished_at: str) -> Result:
    """Return the result of a match of which only the replay was kept, after verifying that.

    How long the match took is not in a replay, and 0.

    Raises:
        Difference: The replay is not sound, or not of this match of this tournament.
    """
    replay, figures = verify_stored(stored)
    header, end = replay.header, replay.end
    if replay.is_withholding:
        raise Difference("it is a copy in which notes or first faults are withheld")
    for what, found, due in (
        ("match", header.match_id, setup.match_id),
        ("game", header.game.id, setup.game.id),
        ("options", header.options, setup.options),
        ("bots", header.seats, setup.seats),
        ("clock", header.clock, setup.clock),
        ("seed", replay.seed, setup.seed),
    ):
        if found != due:
            raise Difference(f"it is of another tournament: its {what} differs")
    return Result(
        match_id=setup.match_id,
        number=pairing.number,
        round=pairing.round,
        block=pairing.block,
        rotation=pairing.rotation,
        table=pairing.table,
        end=end.end,
        seats=tuple(
            SeatResult(
                entrant=entrant,
                rank=end.ranks[seat],
                total=end.totals[seat],
                retired=seat in end.retired,
                decisions=figures[seat].decisions,
                charged_ms=figures[seat].charged_ms,
                slowest_ms=figures[seat].slowest_ms,
                refusals=end.refusals[seat],
                faults=figures[seat].faults,
                first_fault=str(end.first_faults[seat]),
            )
            for seat, entrant in enumerate(pairing.entrants)
        ),
        replay_sha256=sha256_of(stored),
        seconds=0.0,
        finished_at=finished_at,
    )


def first_fault(figures: SeatFigures, gone_reason: str, complaint: str = "", printed: str = "") -> str:
    """Return what first went wrong; the referee knows that a bot was gone, whoever ran its process knows why.

    Where the bot was still there, two things may tell what ailed it: what it was told of its messages, and the first
    line that it printed of an error.
    """
    decision, _, what = figures.first_fault.partition(": ")
    words = figures.first_fault
    if gone_reason and what.startswith("disconnected: "):
        words = f"{decision}: disconnected: {gone_reason}"
    elif words:
        words += f"; it was told: {complaint}" if complaint else ""
        words += f"; it printed: {printed}" if printed else ""
    return bounded(words)


def bounded(words: str) -> str:
    """Return words that a bot may have had a hand in, cut to `WORDS_MOST` and without what cannot be printed."""
    if len(words) > WORDS_MOST:
        words = words[: WORDS_MOST - 1] + "…"
    return printable(words)


def printable(text: str, kept: str = "") -> str:
    """Return a text without what cannot be printed, such as what moves a cursor, but for the signs of `kept`."""
    return "".join(sign if sign.isprintable() or sign in kept else "\N{REPLACEMENT CHARACTER}" for sign in text)
