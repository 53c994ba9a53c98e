"""`gavelport status`: how an owner's bots stand: versions, submissions, ratings, what keeps them from playing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from gavelport.v1 import ladder_pb2
from gavelport.v1 import lobby_pb2 as pb
from rich.table import Table
from rich.text import Text

from gavelport_server.cli.check import MARKS
from gavelport_server.cli.data import console, counted, json_option, page_width
from gavelport_server.cli.remote import as_dict, connected, end_with_server, print_json, server_option
from gavelport_server.cli.remote_tables import NONE, bots_table, plain_table, when
from gavelport_server.cli.tables import span_text, whole
from gavelport_server.conduct.checks.finding import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gavelport_server.transport.client import Client

FAILED = 1
_PAGE = 500
_LATEST = 10
_FAULTS = 20
_LABEL_WIDTH = 12
_STYLES = {"admitted": "green", "refused": "red", "checking": "yellow", "received": "yellow"}


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 refused or out of reach, 2 wrong usage.",
)
@click.argument("bot", required=False)
@server_option
@json_option
def status(bot: str | None, server: str | None, *, as_json: bool) -> None:
    """Tell how your bots stand, or BOT in all detail: versions, which of them plays, submissions, ratings, faults."""

    def run() -> int:
        with connected(server) as client:
            if bot is None:
                return _all(client, as_json=as_json)
            return _one(client, bot, as_json=as_json)

    end_with_server(run, server)


def _all(client: Client, *, as_json: bool) -> int:
    bots = client.call(pb.ListBotsRequest(), pb.ListBotsResponse)
    submissions = client.call(pb.ListSubmissionsRequest(limit=_LATEST), pb.ListSubmissionsResponse)
    if as_json:
        print_json({**as_dict(bots), **as_dict(submissions)})
        return 0
    if not bots.bots:
        click.echo(
            "no bots yet; `gavelport submit DIR` sends one, `gavelport bots register NAME` takes a name", err=True
        )
        return 0
    screen = console()
    screen.print(bots_table(bots.bots))
    if submissions.submissions:
        screen.print()
        screen.print(submissions_table(submissions.submissions, with_bot=True))
    for bot in bots.bots:
        for words in filter(None, (bot.notice, bot.held_back)):
            screen.print(Text(f"\n{words}", "yellow"))
    return 0


def _one(client: Client, name: str, *, as_json: bool) -> int:
    bots = client.call(pb.ListBotsRequest(), pb.ListBotsResponse).bots
    bot = next((one for one in bots if one.name == name), None)
    if bot is None:
        there = ", ".join(one.name for one in bots) or "none yet"
        click.echo(f"error: you have no bot {name}; there are: {there}", err=True)
        return FAILED
    request = pb.ListSubmissionsRequest(bot=name, limit=_LATEST)
    submissions = client.call(request, pb.ListSubmissionsResponse).submissions
    faults = client.call(pb.ListFaultsRequest(bot=name, limit=_FAULTS), pb.ListFaultsResponse).faults
    standings = dict(_standings(client, name))
    if as_json:
        print_json(
            {
                "bot": as_dict(bot),
                "submissions": [as_dict(one) for one in submissions],
                "standings": {ladder: as_dict(row) for ladder, row in standings.items()},
                "faults": [as_dict(one) for one in faults],
            }
        )
        return 0
    screen = console()
    screen.print(_table(_lines(bot, standings, len(faults)), page_width(screen)))
    if submissions:
        screen.print()
        screen.print(submissions_table(submissions))
    return 0


def _standings(client: Client, bot: str) -> Iterable[tuple[str, ladder_pb2.LadderStanding]]:
    """Yield where a bot stands, by ladder."""
    for ladder in client.call(ladder_pb2.ListLaddersRequest(), ladder_pb2.ListLaddersResponse).ladders:
        offset, total = 0, 1
        while offset < total:
            request = ladder_pb2.GetStandingsRequest(ladder=ladder.name, offset=offset, limit=_PAGE, with_inactive=True)
            page = client.call(request, ladder_pb2.GetStandingsResponse)
            found = [row for row in page.standings if row.bot == bot]
            if found:
                yield ladder.name, found[0]
                break
            offset, total = offset + _PAGE, page.total


def _lines(bot: pb.Bot, standings: dict[str, ladder_pb2.LadderStanding], faults: int) -> Iterable[tuple[str, Text]]:
    """Yield what is told of a bot, each with its label."""
    state = Text(bot.status, style="green" if bot.status == "active" else "yellow")
    if bot.reason:
        state.append(f": {bot.reason}")
    yield bot.name, Text.assemble(f"of {bot.owner}, ", state)
    hosted = frozenset(bot.hosted_versions)
    if not bot.version:
        yield "plays", Text("nothing yet; no version was admitted or has connected")
    else:
        yield "plays", Text(_playing(bot, is_hosted=bot.version in hosted))
        shown = (f"{one} (submitted)" if one in hosted else one for one in bot.versions[::-1][:_LATEST])
        yield "versions", Text(", ".join(shown))
    for words in filter(None, (bot.notice, bot.held_back)):
        yield "notice", Text(words, "yellow")
    for ladder, row in standings.items():
        yield ladder, Text(_standing(row))
    if faults:
        many = f"{faults} or more" if faults == _FAULTS else str(faults)
        yield "faults", Text(f"in {many} of its latest matches; `gavelport logs {bot.name}` tells what went wrong")


def _playing(bot: pb.Bot, *, is_hosted: bool) -> str:
    """Return which version plays, and how; of a bot that is off its ladders, how it gets back."""
    if bot.status == "withdrawn":
        return f"nothing, as it is withdrawn; `gavelport bots reinstate {bot.name}` puts {bot.version} back"
    if bot.status != "active":
        return f"nothing, as it is {bot.status}, which only whoever runs this server can lift"
    there = "is there" if bot.connected else f"last there {when(bot.last_seen_at)}"
    where = "run by the server" if is_hosted else f"connects from elsewhere, {there}"
    return f"{bot.version}, {where}{'; rolled back to it' if bot.pinned_version else ''}"


def _standing(row: ladder_pb2.LadderStanding) -> str:
    told = [f"#{row.rank}" if row.rank else "unranked"]
    told.append(f"Elo {row.elo:.0f}{' (provisional)' if row.provisional else ''}")
    if round(row.day_change):
        told.append(f"{row.day_change:+.0f} in 24 h".replace("-", "\N{MINUS SIGN}"))
    told.append(counted(row.matches, "match", "matches"))
    if row.HasField("fit"):
        told.append(f"rating {whole(row.fit.rating)} in {span_text(row.fit.low, row.fit.high)}")
    told.append(counted(row.faults, "fault", "faults") if row.faults else "no faults")
    return ", ".join(told)


def _table(lines: Iterable[tuple[str, Text]], width: int) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(max_width=width - _LABEL_WIDTH)
    for label, text in lines:
        table.add_row(label, text)
    return table


def submissions_table(submissions: Sequence[pb.Submission], *, with_bot: bool = False) -> Table:
    """Return submissions with what became of them; of those that were refused, the first thing that failed."""
    table = plain_table("submission", *(("bot",) if with_bot else ()), "version", "received", "verdict")
    for column in table.columns[:-1]:
        column.no_wrap = True
    for one in submissions:
        verdict = Text(one.status, style=_STYLES[one.status])
        failed = [finding for finding in one.findings if finding.verdict == Verdict.FAILED]
        if failed:
            mark, style = MARKS[Verdict.FAILED]
            verdict.append(f"\n{mark} {failed[0].check}: {failed[0].what}", style)
        elif one.status == "checking":
            verdict.append(f", {counted(len(one.findings), 'finding', 'findings')} so far", "dim")
        name = (one.bot,) if with_bot else ()
        table.add_row(str(one.id), *name, one.version or NONE, when(one.received_at), verdict)
    return table
