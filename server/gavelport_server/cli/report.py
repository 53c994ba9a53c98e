"""What `run-tournament` prints in the end: the tables, where everything is, and what can be done next."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from rich.text import Text

from gavelport_server.archive.files import ReplayFolder
from gavelport_server.cli.data import page_width
from gavelport_server.cli.tables import (
    as_json,
    chance_tables,
    faults_table,
    head_to_head_tables,
    labels,
    standings_tables,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import Console
    from rich.table import Table

    from gavelport_server.conduct.entrants import Field
    from gavelport_server.conduct.manifest import BotManifest
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
        "format": plan.format,
        "challenger": None if plan.challenger is None else _bot_json(plan.bots[plan.challenger]),
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


def _bot_json(bot: BotManifest) -> dict[str, str]:
    return {"bot": bot.name, "version": bot.version}


def print_report(console: Console, plan: Plan, run: Run, summary: Summary, data: Path) -> None:
    """Print the tables for people."""
    title = Text.assemble(
        (plan.name, "bold"),
        f": {plan.game.id}, {format_words(plan)}, {plan.seats} seats, {len(run.results)} of {run.matches} matches",
    )
    if earlier := len(run.results) - run.played:
        title.append(f", {earlier} of them played before")
    title.append(f"; {run.seconds:.1f} s")
    _print_prose(console, title)
    print_ratings(console, summary, plan.game.total_unit)
    _print(console)
    _print_faults(console, summary)
    _print_blocks(console, summary)
    _print(console)
    _print(console, f"Replays   {ReplayFolder(data).folder}")
    _print(console, f"Verify    {shlex.join(['gavelport', 'replays', 'verify', '--all', '--data', str(data)])}")


def format_words(plan: Plan) -> str:
    """Return the tournament's format in words."""
    if plan.challenger is None:
        return plan.format.replace("_", " ")
    challenger = plan.bots[plan.challenger]
    return f"gauntlet of {challenger.name} {challenger.version}"


def print_ratings(console: Console, summary: Summary, unit: str) -> None:
    """Print standings, head to head and chances."""
    width = console.width
    standings, *pace = standings_tables(summary.rows, unit, width)
    _print_tables(console, [standings])
    caption = "Interval and ranks are what the results leave open, at 95 %."
    if any(row.figures and row.figures.interval is None for row in summary.rows):
        caption += "\nFewer than two blocks give no interval."
    _print(console, Text(caption, "dim"))
    _print_tables(console, pace)
    _print_tables(console, head_to_head_tables(summary, width))
    _print_tables(console, chance_tables(summary, width))
    _print(console, Text("By the ratings; ≥ is the least that the results leave open, at 95 %.", "dim"))


def _print_tables(console: Console, tables: Sequence[Table]) -> None:
    for table in tables:
        _print(console)
        console.print(table)


def _print_faults(console: Console, summary: Summary) -> None:
    table = faults_table(summary.rows)
    if table is None:
        _print(console, "No faults.")
        return
    console.print(table)
    names = labels([row.entrant for row in summary.rows])
    for row in summary.rows:
        if row.first_fault:
            _print_prose(console, Text.assemble((f"{names[row.entrant.number]}: ", "bold"), row.first_fault))


def _print_blocks(console: Console, summary: Summary) -> None:
    """Print what the duplicate blocks were worth, in words."""
    if summary.variance_ratio is None:
        return
    text = (
        f"Duplicate blocks: {summary.blocks} complete, variance ratio {summary.variance_ratio:.2f}; "
        "above 1, a block says more of the bots than as many matches of different deals."
    )
    if summary.variance_ratio != summary.company_variance_ratio:  # companies differ
        text += (
            " Who sits with a bot stays the same through a block and counts against it here; ratings allow for that."
        )
        if summary.company_variance_ratio is not None:
            text += f" Between blocks of the same company the ratio is {summary.company_variance_ratio:.2f}."
    console.print(text, markup=False, highlight=False, width=page_width(console))


def _print_prose(console: Console, text: Text) -> None:
    """Print a line that a terminal breaks between words, and that stays one line elsewhere."""
    console.print(text, markup=False, highlight=False, soft_wrap=not console.is_terminal)


def _print(console: Console, text: Text | str = "") -> None:
    """Print a line as it is: no markup, no colours of rich's own, and no line broken that may be copied."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)
