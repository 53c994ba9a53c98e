"""A tournament's tables, for a terminal and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_server.conduct.summary import Row, Summary

NONE = "–"
_NAME_WIDTH = 20
_CELL_WIDTH = 6
_REASONS = ("timeout", "illegal", "unreadable", "disconnected")
"""The faults that always have a column once there are faults; a column for any other comes when it occurs."""


def standings_table(rows: Sequence[Row], unit: str) -> Table:
    """Return rank, bot, Elo, matches, mean result, decisions, milliseconds a decision and faults."""
    table = _table()
    table.add_column("#", justify="right", style="dim")
    table.add_column("bot", overflow="ellipsis")
    for header in ("Elo", "matches", unit, "decisions", "ms", "max ms", "faults"):
        table.add_column(header, justify="right", no_wrap=True)
    for place, row in enumerate(rows, 1):
        faults = row.faults.total()
        table.add_row(
            str(place),
            Text.assemble(row.entrant.bot, " ", (row.entrant.version, "dim")),
            Text(f"{row.elo:.0f}", style="bold"),
            str(row.matches),
            _number(row.mean_total),
            f"{row.decisions:,}",
            _number(row.mean_ms),
            f"{row.slowest_ms:,}" if row.decisions else NONE,
            Text(f"{faults:,}", style="bold red") if faults else Text(NONE, style="dim"),
        )
    return table


def head_to_head_tables(summary: Summary, width: int) -> list[Table]:
    """Return who beat whom: the share of meetings in which the bot of the row came out ahead, ties counting half.

    Columns are numbered by rank; as many go into one table as fit into the width, at least one.
    """
    rows = summary.rows
    fits = max(1, (width - _NAME_WIDTH - 6) // _CELL_WIDTH)
    tables = []
    for first in range(0, len(rows), fits):
        table = _table()
        table.add_column("#", justify="right", style="dim")
        table.add_column("won against", overflow="ellipsis", no_wrap=True, max_width=_NAME_WIDTH)
        columns = rows[first : first + fits]
        for place in range(first, first + len(columns)):
            table.add_column(str(place + 1), justify="right", no_wrap=True)
        for place, row in enumerate(rows, 1):
            cells = [_share(summary, row, column) for column in columns]
            table.add_row(str(place), row.entrant.bot, *cells)
        tables.append(table)
    return tables


def _share(summary: Summary, row: Row, column: Row) -> Text:
    met = summary.head_to_head.get((row.entrant.number, column.entrant.number))
    if met is None or met.share is None:
        return Text("·" if row is column else NONE, style="dim")
    return Text(f"{100 * met.share:.0f} %", style="green" if met.share > 0.5 else "")


def faults_table(rows: Sequence[Row]) -> Table | None:
    """Return the faults by reason of those bots that have any, or whose answers were refused; None without."""
    faulty = [row for row in rows if row.faults or row.refusals or row.retired]
    if not faulty:
        return None
    others = sorted({reason for row in faulty for reason in row.faults} - set(_REASONS))
    table = _table()
    table.add_column("faults", overflow="ellipsis", max_width=_NAME_WIDTH)
    for header in (*_REASONS, *others, "refused", "retired"):
        table.add_column(header, justify="right", no_wrap=True)
    for row in faulty:
        counts = [row.faults[reason] for reason in (*_REASONS, *others)] + [row.refusals, row.retired]
        table.add_row(row.entrant.bot, *(Text(str(one) if one else NONE, style="" if one else "dim") for one in counts))
    return table


def as_json(summary: Summary, unit: str) -> dict[str, Any]:
    """Return the tables in the form that `run-tournament --json` prints; shares and means as plain numbers."""
    names = {row.entrant.number: row.entrant for row in summary.rows}
    return {
        "standings": [
            {
                "rank": place,
                "bot": row.entrant.bot,
                "version": row.entrant.version,
                "matches": row.matches,
                "elo": row.elo,
                unit: _rounded(row.mean_total),
                "decisions": row.decisions,
                "mean_ms": _rounded(row.mean_ms),
                "slowest_ms": row.slowest_ms,
                "faults": dict(sorted(row.faults.items())),
                "refusals": row.refusals,
                "retired": row.retired,
                "first_fault": row.first_fault,
            }
            for place, row in enumerate(summary.rows, 1)
        ],
        "head_to_head": [
            {
                "bot": names[one].bot,
                "version": names[one].version,
                "opponent": names[other].bot,
                "opponent_version": names[other].version,
                "wins": met.wins,
                "ties": met.ties,
                "losses": met.losses,
            }
            for (one, other), met in sorted(summary.head_to_head.items())
        ],
        "blocks": summary.blocks,
        "variance_ratio": _rounded(summary.variance_ratio),
    }


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:.1f}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
