"""From a finished match, or the replay that is left of one, to what the tables count."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gavelport_server.archive.files import sha256_of
from gavelport_server.archive.playback import Difference, Playback
from gavelport_server.archive.verify import verify_stored
from gavelport_server.storage.store import Result, SeatResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_server.archive.record import Replay
    from gavelport_server.pairing.schedule import Pairing
    from gavelport_server.referee.report import MatchReport, MatchSetup, SeatFigures


def result_of(
    pairing: Pairing,
    report: MatchReport,
    *,
    gone_reasons: Sequence[str],
    printed: Sequence[str],
    replay_sha256: str,
    seconds: float,
) -> Result:
    """Return the result of a match that has just ended.

    Args:
        pairing: The match's place in the schedule.
        report: What the referee left behind.
        gone_reasons: By seat, why the bot's process is gone for good; empty while it is not.
        printed: By seat, what a bot at fault printed first of an error; empty for any other.
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
                first_fault=first_fault(figures, gone_reason, line),
            )
            for seat, (entrant, figures, gone_reason, line) in enumerate(
                zip(pairing.entrants, report.figures, gone_reasons, printed, strict=True)
            )
        ),
        replay_sha256=replay_sha256,
        seconds=round(seconds, 3),
        finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def result_of_replay(pairing: Pairing, setup: MatchSetup, stored: bytes, finished_at: str) -> Result:
    """Return the result of a match of which only the replay was kept, after verifying that.

    What a replay does not hold is empty: how long the match took, refusals, and the words of the first fault.

    Raises:
        Difference: The replay is not sound, or not of this match of this tournament.
    """
    replay, figures = verify_stored(stored)
    header, end = replay.header, replay.end
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
                refusals=0,
                faults=figures[seat].faults,
                first_fault=_first_fault_in(replay, seat),
            )
            for seat, entrant in enumerate(pairing.entrants)
        ),
        replay_sha256=sha256_of(stored),
        seconds=0.0,
        finished_at=finished_at,
    )


def _first_fault_in(replay: Replay, seat: int) -> str:
    choices = [step.choice for step in Playback(replay) if step.seat == seat]
    return next((f"decision {number}: {one.fault}" for number, one in enumerate(choices, 1) if one.fault), "")


def first_fault(figures: SeatFigures, gone_reason: str, printed: str = "") -> str:
    """Return what first went wrong; the referee knows that a bot was gone, whoever ran its process knows why.

    Where the bot was still there, `printed` may tell what ailed it: the first line that it printed of an error.
    """
    decision, _, what = figures.first_fault.partition(": ")
    if gone_reason and what.startswith("disconnected: "):
        return f"{decision}: disconnected: {gone_reason}"
    if printed and figures.first_fault:
        return f"{figures.first_fault}; it printed: {printed}"
    return figures.first_fault
