"""A tournament's tables, for a terminal and as JSON."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gavelport_server.conduct.summary import Row, Summary
    from gavelport_server.ratings.standing import Chance
    from gavelport_server.storage.store import Entrant

NONE = "–"
WIDE = 104
"""From so many columns on, the standings have everything in one table."""
_NAME_WIDTH = 20
_SHARE_WIDTH, _CHANCE_WIDTH = 3, 7
"""Of a cell in those tables that have a column for each bot; its figure ends at the third place."""
_GAP = 2
"""Between two columns."""


def running_table(rows: Sequence[Row], unit: str) -> Table:
    """Return the standings while a tournament runs: by Elo, which moves with every match."""
    table = _standings("Elo", "matches", unit, *_PACE, "faults")
    for place, row in enumerate(rows, 1):
        elo = Text(f"{row.elo:.0f}", style="bold")
        _add(table, place, row, elo, str(row.matches), _number(row.mean_total), *_pace(row), _faults(row))
    return table


def standings_tables(rows: Sequence[Row], unit: str, width: int) -> list[Table]:
    """Return the standings by rating, each with its interval and match count; the pace apart where width is short."""
    columns = ("rating", "interval", "ranks", "matches", "Elo", unit)
    is_wide = width >= WIDE
    table = _standings(*columns, *(_PACE if is_wide else ()), "faults")
    for place, row in enumerate(rows, 1):
        rated = (*_rating(row), str(row.matches), f"{row.elo:.0f}", _number(row.mean_total))
        _add(table, place, row, *rated, *(_pace(row) if is_wide else ()), _faults(row))
    if is_wide:
        return [table]
    pace = _standings(*_PACE)
    for place, row in enumerate(rows, 1):
        _add(pace, place, row, *_pace(row))
    return [table, pace]


_PACE = ("decisions", "ms", "max ms")


def _pace(row: Row) -> tuple[str, str, str]:
    return f"{row.decisions:,}", _number(row.mean_ms), f"{row.slowest_ms:,}" if row.decisions else NONE


def _faults(row: Row) -> Text:
    faults = row.faults.total()
    return Text(f"{faults:,}", style="bold red") if faults else Text(NONE, style="dim")


def _rating(row: Row) -> tuple[Text, str, str]:
    """Return rating, interval and rank interval."""
    figures = row.figures
    if figures is None:
        return Text(NONE, style="dim"), NONE, NONE
    best, worst = figures.rank_interval
    return (
        Text(whole(figures.rating), style="bold"),
        interval_text(figures.interval, never_won=row.never_won, never_lost=row.never_lost),
        str(best) if best == worst else f"{best}–{worst}",
    )


def interval_text(interval: tuple[float, float] | None, *, never_won: bool, never_lost: bool) -> str:
    """Return a rating's interval; only the side that results bound, where they bound one."""
    if interval is None:
        return NONE
    low, high = interval
    if never_won:
        return f"≤ {whole(high)}"
    return f"≥ {whole(low)}" if never_lost else span_text(low, high)


def span_text(low: float, high: float) -> str:
    """Return both ends of a rating's interval; below zero with a word between, as a dash would look like a sign."""
    return f"{whole(low)}{'–' if round(low) >= 0 else ' to '}{whole(high)}"


def whole(figure: float) -> str:
    """Return a figure without decimals, with a minus sign that no dash is taken for."""
    return f"{round(figure)}".replace("-", "\N{MINUS SIGN}")


def head_to_head_tables(summary: Summary, width: int) -> list[Table]:
    """Return who beat whom: the share of meetings in which the bot of the row came out ahead, ties counting half."""

    def cell(row: Row, column: Row) -> Text:
        met = summary.head_to_head.get((row.entrant.number, column.entrant.number))
        if met is None or met.share is None:
            return Text(f"{NONE:>{_SHARE_WIDTH}}", style="dim")
        return Text(f"{100 * met.share:>{_SHARE_WIDTH}.0f}", style="green" if met.share > 0.5 else "")

    return _crossed("won against, in %", summary.rows, cell, _SHARE_WIDTH, width)


def chance_tables(summary: Summary, width: int) -> list[Table]:
    """Return how likely the bot of the row is to beat the one of the column, with the lower end of the interval."""

    def cell(row: Row, column: Row) -> Text:
        chance = summary.beats.get((row.entrant.number, column.entrant.number))
        if chance is None:
            return Text(f"{NONE:>{_SHARE_WIDTH}}", style="dim")
        return Text(chance_text(chance), style="green" if chance.low > 0.5 else "")

    return _crossed("chance to beat, in %", summary.rows, cell, _CHANCE_WIDTH, width)


def chance_text(chance: Chance) -> str:
    """Return a chance in per cent, and what it is at least; the latter rounded down, and left out where it is 0.

    The chance takes 3 columns and the whole `_CHANCE_WIDTH`, so that one stands below the other.
    """
    percent = 100 * chance.p
    text = "<1" if percent < 0.5 else ">99" if percent > 99.5 else f"{percent:.0f}"
    least = math.floor(100 * chance.low)
    return f"{text:>3} {f'≥{least}' if least else '':<3}"


def _crossed(
    title: str, rows: Sequence[Row], cell: Callable[[Row, Row], Text], cell_width: int, width: int
) -> list[Table]:
    """Return a table of every bot against every other.

    Columns are numbered by place; as many go into one table as fit into the width, at least one.
    """
    names = labels([row.entrant for row in rows])
    fits = max(1, (width - len(str(len(rows))) - _GAP - _NAME_WIDTH) // (_GAP + cell_width))
    tables = []
    for first in range(0, len(rows), fits):
        table = _table()
        table.add_column("#", justify="right", style="dim")
        table.add_column(title, overflow="ellipsis", no_wrap=True, max_width=_NAME_WIDTH)
        columns = rows[first : first + fits]
        for place in range(first, first + len(columns)):
            table.add_column(f"{place + 1:>{_SHARE_WIDTH}}", no_wrap=True, min_width=cell_width)
        for place, row in enumerate(rows, 1):
            cells = [Text("  ·", style="dim") if row is column else cell(row, column) for column in columns]
            table.add_row(str(place), names[row.entrant.number], *cells)
        tables.append(table)
    return tables


def faults_table(rows: Sequence[Row]) -> Table | None:
    """Return the faults by reason of those bots that have any, or whose answers were refused; None without."""
    faulty = [row for row in rows if row.faults or row.refusals or row.retired]
    if not faulty:
        return None
    reasons = sorted({reason for row in faulty for reason in row.faults})
    names = labels([row.entrant for row in rows])
    table = _table()
    table.add_column("faults", overflow="ellipsis", max_width=_NAME_WIDTH)
    for header in (*reasons, "refused", "retired"):
        table.add_column(header, justify="right", no_wrap=True)
    for row in faulty:
        counts = [*(row.faults[reason] for reason in reasons), row.refusals, row.retired]
        cells = [Text(f"{one:,}" if one else NONE, style="" if one else "dim") for one in counts]
        table.add_row(names[row.entrant.number], *cells)
    return table


def labels(entrants: Sequence[Entrant]) -> dict[int, str]:
    """Return what each entrant is called, by number: its bot's name, with the version where there are several."""
    versions = Counter(one.bot for one in entrants)
    return {one.number: one.bot if versions[one.bot] == 1 else f"{one.bot} {one.version}" for one in entrants}


def as_json(summary: Summary, unit: str) -> dict[str, Any]:
    """Return the tables in the form that `run-tournament --json` prints; shares and means as plain numbers."""
    names = {row.entrant.number: row.entrant for row in summary.rows}

    def pair(one: int, other: int) -> dict[str, str]:
        return {
            "bot": names[one].bot,
            "version": names[one].version,
            "opponent": names[other].bot,
            "opponent_version": names[other].version,
        }

    return {
        "standings": [
            {
                "rank": place,
                "bot": row.entrant.bot,
                "version": row.entrant.version,
                **rating_json(row),
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
            {**pair(*numbers), "wins": met.wins, "ties": met.ties, "losses": met.losses}
            for numbers, met in sorted(summary.head_to_head.items())
        ],
        "beats": [
            {**pair(*numbers), "p": chance.p, "low": chance.low, "high": chance.high}
            for numbers, chance in sorted(summary.beats.items())
        ],
        "blocks": summary.blocks,
        "variance_ratio": _rounded(summary.variance_ratio),
        "company_variance_ratio": _rounded(summary.company_variance_ratio),
    }


def rating_json(row: Row) -> dict[str, Any]:
    """Return rating, interval, rank interval and the blocks that they rest on; null where they are not known."""
    figures = row.figures
    return {
        "rating": figures and figures.rating,
        "interval": figures and figures.interval,
        "rank_interval": figures and figures.rank_interval,
        "blocks": figures.blocks if figures else 0,
    }


def _standings(*columns: str) -> Table:
    table = _table()
    table.add_column("#", justify="right", style="dim")
    table.add_column("bot", overflow="ellipsis")
    for header in columns:
        table.add_column(header, justify="right", no_wrap=True)
    return table


def _add(table: Table, place: int, row: Row, *cells: Text | str) -> None:
    table.add_row(str(place), Text.assemble(row.entrant.bot, " ", (row.entrant.version, "dim")), *cells)


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:.1f}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
