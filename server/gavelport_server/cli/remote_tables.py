"""What a server answered, as tables for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from gavelport_server.cli.tables import span_text, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport.v1 import admin_pb2, ladder_pb2, lobby_pb2

NONE = "–"
WIDE = 104
"""From so many columns on, the standings have everything."""
_HERE = Text("●", style="green")


def plain_table(*headers: str, right: Sequence[str] = ()) -> Table:
    """Return an empty table in the look of all tables; columns named in `right` hold figures."""
    table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for header in headers:
        if header in right:
            table.add_column(header, justify="right", no_wrap=True)
        else:
            table.add_column(header, overflow="fold")
    return table


def when(time: str) -> str:
    """Return a time to the minute, UTC."""
    return time[:16].replace("T", " ") or NONE


def standings_table(rows: Sequence[ladder_pb2.LadderStanding], unit: str, width: int) -> Table:
    """Return a ladder's standings."""
    is_wide = width >= WIDE
    figures = ["Elo", "24 h", "matches", "rating", "interval"]
    figures += ["ranks", "firsts", unit] if is_wide else []
    figures.append("faults")
    table = plain_table("#", "bot", "", *figures, right=("#", *figures))
    table.columns[1].overflow = "ellipsis"  # and it wraps: else figures would be cut where a name is long
    for row in rows:
        cells: list[Text | str] = [
            Text.assemble((f"{row.elo:.0f}", "bold"), ("?" if row.provisional else " ", "dim")),
            _change(row.day_change),
            f"{row.matches:,}",
        ]
        fit = row.fit if row.HasField("fit") else None
        cells += [whole(fit.rating), span_text(fit.low, fit.high)] if fit else [NONE, NONE]
        if is_wide:
            ranks = NONE
            if fit:
                low, high = fit.rank_low, fit.rank_high
                ranks = str(low) if low == high else f"{low}–{high}"
            cells += [ranks, f"{100 * row.first_share:.0f} %", f"{row.mean_total:.1f}"]
        cells.append(Text(f"{row.faults:,}", style="red") if row.faults else Text(NONE, style="dim"))
        name = Text.assemble(row.bot, " ", (row.version, "dim"))
        if is_wide and row.owner:
            name.append(f" by {row.owner}", "dim")
        rank = str(row.rank) if row.rank else NONE
        table.add_row(rank, name, _HERE if row.connected else "", *cells, style="dim" if row.inactive else None)
    return table


def standings_caption(answer: ladder_pb2.GetStandingsResponse) -> str:
    """Return what is to be known of the standings."""
    lines = ["● connected; ? under 30 matches; 24 h: what the Elo gained in a day."]
    if answer.fitted_at:
        matches = f"{answer.fitted_matches:,} matches"
        lines.append(f"Rating and interval, at 95 %, are from {matches}, computed {when(answer.fitted_at)} UTC.")
    shown = len(answer.standings)
    if shown < answer.total:
        lines.append(f"{shown} of {answer.total} bots; --limit shows more.")
    return "\n".join(lines)


def ladders_table(ladders: Sequence[ladder_pb2.Ladder]) -> Table:
    """Return the ladders there are."""
    figures = ("seats", "bots", "matches", "running")
    table = plain_table("ladder", "game", *figures, right=figures)
    for one in ladders:
        table.add_row(one.name, one.game, str(one.seats), f"{one.bots:,}", f"{one.matches:,}", f"{one.running:,}")
    return table


def history_table(changes: Sequence[ladder_pb2.RatingChange], width: int) -> Table:
    """Return the changes of a rating, each with what made it; on a narrow screen without the time."""
    is_wide = width >= WIDE
    headers = ("match", *(("finished",) if is_wide else ()), "Elo", "change", "against, expected score")
    table = plain_table(*headers, right=headers[:-1])
    for column in table.columns[: len(headers) - 3]:
        column.justify = "left"
    for one in changes:
        others = Text("\n").join(_pair(pair) for pair in one.pairs)
        time = (when(one.finished_at),) if is_wide else ()
        table.add_row(one.match_id, *time, f"{one.after:.0f}", _change(one.after - one.before), others)
    return table


def bots_table(bots: Sequence[lobby_pb2.Bot]) -> Table:
    """Return bots with how they stand."""
    table = plain_table("bot", "", "owner", "version", "status", "last seen")
    for one in bots:
        version = one.version or NONE
        if one.pinned_version:
            version += " (rolled back)"
        status = Text(one.status, style="" if one.status == "active" else "yellow")
        if one.reason:
            status.append(f": {one.reason}")
        here = _HERE if one.connected else ""
        table.add_row(one.name, here, one.owner, version, status, "now" if one.connected else when(one.last_seen_at))
    return table


def bot_faults_table(faults: Sequence[lobby_pb2.BotFault], width: int) -> Table:
    """Return what went wrong with a bot, each time with how it began; on a narrow screen without the time."""
    is_wide = width >= WIDE
    table = plain_table(
        "match", *(("finished",) if is_wide else ()), "seat", "version", "faults, and the first of them"
    )
    for column in table.columns[:-1]:
        column.no_wrap = True
    for one in faults:
        what = Text(", ".join(f"{number} {reason}" for reason, number in sorted(one.faults.items())) or NONE)
        if one.retired:
            what.append("; retired", "bold red")
        if one.first_fault:
            what.append(f"\n{one.first_fault}", "dim")
        time = (when(one.finished_at),) if is_wide else ()
        table.add_row(one.match_id, *time, str(one.seat), one.version, what)
    return table


def actions_table(actions: Sequence[admin_pb2.AdminAction], width: int) -> Table:
    """Return what admins did; on a narrow screen without the tokens by which they were known."""
    is_wide = width >= WIDE
    table = plain_table("at", "action", "subject", "reason", *(("token",) if is_wide else ()))
    for column in table.columns[:2]:
        column.no_wrap = True
    for one in actions:
        token = (Text(one.actor),) if is_wide else ()
        table.add_row(when(one.at), one.action, Text(one.subject or NONE), Text(one.reason or NONE), *token)
    return table


def _change(gain: float) -> Text:
    rounded = round(gain)
    if not rounded:
        return Text("0" if gain else NONE, style="dim")
    return Text(f"{rounded:+d}".replace("-", "−"), style="green" if rounded > 0 else "red")


def _pair(pair: ladder_pb2.RatingPair) -> Text:
    word = {1.0: "before", 0.5: "level with", 0.0: "behind"}[pair.scored]
    return Text.assemble(f"{word} {pair.bot} ({pair.before:.0f}), ", (f"{pair.expected:.2f}", "bold"))
