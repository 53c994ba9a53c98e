"""`gavelport ladder`: a server's ladders, their standings, and why a rating is what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from gavelport.v1 import ladder_pb2 as pb
from rich.markup import escape
from rich.text import Text

from gavelport_server.cli.data import console, json_option
from gavelport_server.cli.remote import as_dict, connected, end_with_server, print_json, server_option
from gavelport_server.cli.remote_tables import history_table, ladders_table, standings_caption, standings_table

if TYPE_CHECKING:
    from gavelport_server.transport.client import Client


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name", required=False)
@click.option("--why", "bot", metavar="BOT", help="Every change of this bot's rating, and what made it.")
@click.option("--limit", type=click.IntRange(1, 500), metavar="N", help="So many rows. Default: 100, with --why 20.")
@click.option("--all", "with_inactive", is_flag=True, help="Bots too that are withdrawn or were long away.")
@server_option
@json_option
def ladder(
    name: str | None, bot: str | None, limit: int | None, server: str | None, *, with_inactive: bool, as_json: bool
) -> None:
    """Print the standings of the ladder NAME, or, without it, of the one there is; of several, list them."""

    def run() -> int:
        with connected(server) as client:
            chosen = name or _only(client)
            if chosen is None:
                _list(client, as_json=as_json)
            elif bot:
                _why(client, chosen, bot, limit or 20, as_json=as_json)
            else:
                request = pb.GetStandingsRequest(ladder=chosen, limit=limit or 0, with_inactive=with_inactive)
                _standings(client, request, as_json=as_json)
        return 0

    end_with_server(run, server)


def _only(client: Client) -> str | None:
    ladders = client.call(pb.ListLaddersRequest(), pb.ListLaddersResponse).ladders
    return ladders[0].name if len(ladders) == 1 else None


def _list(client: Client, *, as_json: bool) -> None:
    ladders = client.call(pb.ListLaddersRequest(), pb.ListLaddersResponse)
    if as_json:
        print_json(as_dict(ladders))
    elif ladders.ladders:
        console().print(ladders_table(ladders.ladders))
        click.echo("\n`gavelport ladder NAME` prints the standings of one.", err=True)
    else:
        click.echo("this server has no ladder yet", err=True)


def _standings(client: Client, request: pb.GetStandingsRequest, *, as_json: bool) -> None:
    answer = client.call(request, pb.GetStandingsResponse)
    if as_json:
        print_json(as_dict(answer))
        return
    screen = console()
    one = answer.ladder
    screen.print(
        f"[bold]{escape(one.name)}[/]: {escape(one.game)}, {one.seats} seats, {one.matches:,} matches, "
        f"{one.running:,} running\n"
    )
    if not answer.standings:
        click.echo("nobody is ranked here yet", err=True)
        return
    screen.print(standings_table(answer.standings, _unit(one.game), screen.width))
    screen.print(Text(f"\n{standings_caption(answer)}", "dim"))


def _why(client: Client, name: str, bot: str, limit: int, *, as_json: bool) -> None:
    answer = client.call(pb.GetHistoryRequest(ladder=name, bot=bot, limit=limit), pb.GetHistoryResponse)
    if as_json:
        print_json(as_dict(answer))
        return
    if not answer.changes:
        click.echo(f"{bot} has no rated match on {name}", err=True)
        return
    screen = console()
    screen.print(history_table(answer.changes, screen.width))
    latest = answer.changes[0]
    others = len(latest.pairs)
    screen.print(
        Text(
            "\nA match counts against each other seat: 1 for coming before it, ½ for a tie, 0 for coming behind. "
            f"The change is K ÷ {others} × the sum of (scored − expected); K is {latest.k:.0f} now, 32 in the first 30 "
            "matches of a version and 16 after them.",
            "dim",
        )
    )


def _unit(game: str) -> str:
    from gavelport_engine.registry import GAMES  # noqa: PLC0415 - JSON needs no rules

    known = GAMES.get(game.partition("@")[0])
    return "result" if known is None else known.total_unit
