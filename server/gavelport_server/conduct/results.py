"""From a finished match to what the tables count."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gavelport_server.storage.store import Result, SeatResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_server.pairing.round_robin import Pairing
    from gavelport_server.referee.report import MatchReport, SeatFigures


def result_of(
    pairing: Pairing, report: MatchReport, *, gone_reasons: Sequence[str], replay_sha256: str, seconds: float
) -> Result:
    """Return the result of a match that has just ended.

    Args:
        pairing: The match's place in the schedule.
        report: What the referee left behind.
        gone_reasons: By seat, why the bot's process is gone for good; empty while it is not.
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
                first_fault=_first_fault(figures, gone_reason),
            )
            for seat, (entrant, figures, gone_reason) in enumerate(
                zip(pairing.entrants, report.figures, gone_reasons, strict=True)
            )
        ),
        replay_sha256=replay_sha256,
        seconds=round(seconds, 3),
        finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _first_fault(figures: SeatFigures, gone_reason: str) -> str:
    """Return what first went wrong; the referee knows that a bot was gone, whoever ran its process knows why."""
    decision, _, what = figures.first_fault.partition(": ")
    if gone_reason and what.startswith("disconnected: "):
        return f"{decision}: disconnected: {gone_reason}"
    return figures.first_fault
