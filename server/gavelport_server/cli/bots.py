"""`gavelport bots`: an owner's bots on a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from gavelport.v1 import lobby_pb2 as pb

from gavelport_server.cli.data import console, counted, json_option
from gavelport_server.cli.groups import Group
from gavelport_server.cli.remote import TOKEN, as_dict, connected, end_with_server, print_json, server_option
from gavelport_server.cli.remote_tables import bot_faults_table, bots_table

if TYPE_CHECKING:
    from google.protobuf.message import Message


@click.group(
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"{TOKEN} is an owner's token; a bot's own lists that bot, its faults, and challenges. Exit codes: 0 done, "
    "1 refused or out of reach, 2 wrong usage.",
)
def bots() -> None:
    """See and manage your bots on a server."""


@bots.command("list")
@server_option
@json_option
def list_command(server: str | None, *, as_json: bool) -> None:
    """List your bots: which version plays, whether it is connected, and how it stands."""

    def run() -> int:
        with connected(server) as client:
            answer = client.call(pb.ListBotsRequest(), pb.ListBotsResponse)
        if as_json:
            print_json(as_dict(answer))
        elif answer.bots:
            console().print(bots_table(answer.bots))
        else:
            click.echo("no bots yet; `gavelport bots register NAME` takes a name", err=True)
        return 0

    end_with_server(run, server)


@bots.command("register")
@click.argument("name")
@click.option("--owner", default="", metavar="NAME", help="Whose it is; for admins.")
@server_option
@json_option
def register_command(name: str, owner: str, server: str | None, *, as_json: bool) -> None:
    """Take NAME for a bot of yours. `gavelport token create --bot NAME` then makes the token by which it plays."""
    request = pb.RegisterBotRequest(name=name, owner=owner)
    _change(request, pb.RegisterBotResponse, f"{name} is registered", server, as_json=as_json)


@bots.command("withdraw")
@click.argument("bot")
@server_option
@json_option
def withdraw_command(bot: str, server: str | None, *, as_json: bool) -> None:
    """Take BOT off its ladders: it ends its running matches and gets no new ones. Its rating stays."""
    request = pb.SetWithdrawnRequest(bot=bot, withdrawn=True)
    done = f"{bot} is withdrawn; `gavelport bots reinstate {bot}` puts it back"
    _change(request, pb.SetWithdrawnResponse, done, server, as_json=as_json)


@bots.command("reinstate")
@click.argument("bot")
@server_option
@json_option
def reinstate_command(bot: str, server: str | None, *, as_json: bool) -> None:
    """Put BOT back on its ladders."""
    request = pb.SetWithdrawnRequest(bot=bot, withdrawn=False)
    _change(request, pb.SetWithdrawnResponse, f"{bot} is back", server, as_json=as_json)


@bots.command("rollback")
@click.argument("bot")
@click.argument("version", required=False, default="")
@click.option("--lift", is_flag=True, help="Let the newest version play again.")
@server_option
@json_option
def rollback_command(bot: str, version: str, server: str | None, *, lift: bool, as_json: bool) -> None:
    """Roll BOT back to VERSION: no other plays rated matches until that is lifted, with --lift."""
    if lift == bool(version):
        raise click.UsageError("give the VERSION to roll back to, or --lift")
    request = pb.SetVersionRequest(bot=bot, version=version)
    done = f"{bot} plays as version {version}; `gavelport bots rollback --lift {bot}` lets the newest play again"
    _change(
        request, pb.SetVersionResponse, done if version else f"{bot}'s newest version plays", server, as_json=as_json
    )


@bots.command("challenge")
@click.argument("bot")
@click.argument("opponents", nargs=-1)
@click.option("--ladder", required=True, metavar="NAME", help="Whose game, options and seats the match has.")
@server_option
@json_option
def challenge_command(bot: str, opponents: tuple[str, ...], ladder: str, server: str | None, *, as_json: bool) -> None:
    """Begin an unrated match of BOT against OPPONENTS; seats that are left go to whoever is free."""
    request = pb.ChallengeRequest(bot=bot, opponents=opponents, ladder=ladder)

    def run() -> int:
        with connected(server) as client:
            match_id = client.call(request, pb.ChallengeResponse).match_id
        if as_json:
            print_json({"match_id": match_id})
        else:
            click.echo(match_id)
            click.echo(f"`gavelport replays download --match {match_id} --to DIR` gets it once it is over", err=True)
        return 0

    end_with_server(run, server)


@bots.command("faults")
@click.argument("bot")
@click.option(
    "--limit", type=click.IntRange(1, 500), default=20, show_default=True, metavar="N", help="So many matches."
)
@server_option
@json_option
def faults_command(bot: str, limit: int, server: str | None, *, as_json: bool) -> None:
    """List what went wrong with BOT in its latest matches, and how it began."""

    def run() -> int:
        with connected(server) as client:
            answer = client.call(pb.ListFaultsRequest(bot=bot, limit=limit), pb.ListFaultsResponse)
        if as_json:
            print_json(as_dict(answer))
        elif answer.faults:
            screen = console()
            screen.print(bot_faults_table(answer.faults, screen.width))
            click.echo(counted(len(answer.faults), "match with faults", "matches with faults"), err=True)
        else:
            click.echo(f"no faults of {bot} in its latest matches", err=True)
        return 0

    end_with_server(run, server)


def _change(request: Message, response: type[Message], done: str, server: str | None, *, as_json: bool) -> None:
    def run() -> int:
        with connected(server) as client:
            answer = client.call(request, response)
        if as_json:
            print_json(as_dict(answer))
        else:
            click.echo(done, err=True)
        return 0

    end_with_server(run, server)
