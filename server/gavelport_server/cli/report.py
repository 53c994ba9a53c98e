"""What `run-tournament` prints in the end: the tables, where everything is, and what can be done next."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from rich.text import Text

from gavelport_server.archive.files import ReplayFolder
from gavelport_server.cli.tables import as_json, faults_table, head_to_head_tables, standings_table

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from gavelport_server.conduct.entrants import Field
    from gavelport_server.conduct.plan import Plan
    from gavelport_server.conduct.summary import Summary
    from gavelport_server.conduct.tournament import Run
    from gavelport_server.config import Settings


def report_json(plan: Plan, settings: Settings, field: Field, run: Run, summary: Summary, data: Path) -> dict[str, Any]:
    """Return what `--json` prints (design 5)."""
    return {
        "tournament": plan.name,
        "identity": run.record.identity,
        "game": plan.game.id,
        "seats": plan.seats,
        "rounds": settings.rounds,
        "matches": len(run.results),
        "played": run.played,
        "finished": run.stopped_by is None,
        "seconds": round(run.seconds, 3),
        **as_json(summary, plan.game.total_unit),
        "data": str(data),
        "replays": str(ReplayFolder(data).folder),
        "notices": list(field.notices),
    }


def print_report(console: Console, plan: Plan, run: Run, summary: Summary, data: Path) -> None:
    """Print the tables for people."""
    title = Text.assemble(
        (plan.name, "bold"), f": {plan.game.id}, {plan.seats} seats, {len(run.results)} of {run.matches} matches"
    )
    if earlier := len(run.results) - run.played:
        title.append(f", {earlier} of them played before")
    title.append(f"; {run.seconds:.1f} s")
    _print(console, title)
    _print(console)
    console.print(standings_table(summary.rows, plan.game.total_unit))
    for table in head_to_head_tables(summary, console.width):
        _print(console)
        console.print(table)
    _print(console)
    _print_faults(console, summary)
    if summary.variance_ratio is not None:
        _print(
            console,
            f"Duplicate blocks: {summary.blocks} complete, variance ratio {summary.variance_ratio:.2f} "
            "(above 1 they beat independent matches).",
        )
    _print(console)
    _print(console, f"Replays   {ReplayFolder(data).folder}")
    _print(console, f"Verify    {shlex.join(['gavelport', 'replays', 'verify', '--all', '--data', str(data)])}")


def _print_faults(console: Console, summary: Summary) -> None:
    table = faults_table(summary.rows)
    if table is None:
        _print(console, "No faults.")
        return
    console.print(table)
    for row in summary.rows:
        if row.first_fault:
            _print(console, Text.assemble((f"{row.entrant.bot}: ", "bold"), row.first_fault))


def _print(console: Console, text: Text | str = "") -> None:
    """Print a line as it is: no markup, no colours of rich's own, and no line broken that may be copied."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)
