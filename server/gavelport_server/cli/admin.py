"""`gavelport admin`: running a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from gavelport.v1 import admin_pb2 as pb

from gavelport_server.cli.data import console, counted, json_option
from gavelport_server.cli.groups import Group
from gavelport_server.cli.remote import ADMIN, TOKEN, as_dict, connected, end_with_server, print_json, server_option
from gavelport_server.cli.remote_tables import actions_table, when

if TYPE_CHECKING:
    from google.protobuf.message import Message

_reason_option = click.option("--reason", default="", metavar="TEXT", help="Why; kept with what is done.")
_needed_option = click.option("--reason", required=True, metavar="TEXT", help="Why; kept with what is done.")


@click.group(
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"{TOKEN} is an admin's; `gavelport token create --scope admin --data DIR` makes one on the "
    "server's machine. Exit codes: 0 done, 1 refused or out of reach, 2 wrong usage.",
)
def admin() -> None:
    """Run a server: pause it, drain it, ban bots, take matches out of the ratings."""


@admin.command("status")
@server_option
@json_option
def status_command(server: str | None, *, as_json: bool) -> None:
    """Print how the server is."""

    def run() -> int:
        with connected(server, ADMIN) as client:
            status = client.call(pb.GetStatusRequest(), pb.GetStatusResponse)
        if as_json:
            print_json(as_dict(status))
            return 0
        state = "draining" if status.draining else "paused" if status.paused else "running"
        click.echo(f"{state}, version {status.version}, since {when(status.started_at)} UTC, epoch {status.epoch}")
        bots = counted(status.connected, "bot", "bots")
        click.echo(f"{bots} connected, {counted(status.running, 'match', 'matches')} running")
        click.echo(f"submitted bots: {status.hosting or 'run in sandboxes'}")
        return 0

    end_with_server(run, server)


@admin.command("pause")
@_reason_option
@server_option
@json_option
def pause_command(reason: str, server: str | None, *, as_json: bool) -> None:
    """Begin no new matches until `gavelport admin resume`; running ones go on."""
    request = pb.SetPausedRequest(paused=True, reason=reason)
    _act(request, pb.SetPausedResponse, "paused; `gavelport admin resume` goes on", server, as_json=as_json)


@admin.command("resume")
@_reason_option
@server_option
@json_option
def resume_command(reason: str, server: str | None, *, as_json: bool) -> None:
    """Begin new matches again."""
    _act(pb.SetPausedRequest(paused=False, reason=reason), pb.SetPausedResponse, "resumed", server, as_json=as_json)


@admin.command("drain")
@_reason_option
@server_option
@json_option
def drain_command(reason: str, server: str | None, *, as_json: bool) -> None:
    """Begin no new matches, and end the server once those that run are over."""
    done = "draining; the server ends once its matches are over"
    _act(pb.DrainRequest(reason=reason), pb.DrainResponse, done, server, as_json=as_json)


@admin.command("ban")
@click.argument("bot")
@_needed_option
@server_option
@json_option
def ban_command(bot: str, reason: str, server: str | None, *, as_json: bool) -> None:
    """Ban BOT: it is told why, ends its running matches, and is let in no more."""
    request = pb.SetBannedRequest(bot=bot, banned=True, reason=reason)
    done = f"{bot} is banned; `gavelport admin unban {bot} --reason TEXT` lifts that"
    _act(request, pb.SetBannedResponse, done, server, as_json=as_json)


@admin.command("unban")
@click.argument("bot")
@_needed_option
@server_option
@json_option
def unban_command(bot: str, reason: str, server: str | None, *, as_json: bool) -> None:
    """Let BOT in again."""
    request = pb.SetBannedRequest(bot=bot, banned=False, reason=reason)
    _act(request, pb.SetBannedResponse, f"{bot} may come back", server, as_json=as_json)


@admin.command("void")
@click.argument("match_id", metavar="MATCH")
@_needed_option
@server_option
@json_option
def void_command(match_id: str, reason: str, server: str | None, *, as_json: bool) -> None:
    """Have MATCH count for nothing: a running one is ended, a result is taken out of the ratings."""
    request = pb.VoidMatchRequest(match_id=match_id, reason=reason)
    done = f"{match_id} is void; `gavelport admin rerun {match_id}` plays it again"
    _act(request, pb.VoidMatchResponse, done, server, as_json=as_json)


@admin.command("rerun")
@click.argument("match_id", metavar="MATCH")
@_reason_option
@server_option
@json_option
def rerun_command(match_id: str, reason: str, server: str | None, *, as_json: bool) -> None:
    """Play the void match MATCH again: the same bots and seats, a fresh deal, as soon as all are there."""

    def run() -> int:
        with connected(server, ADMIN) as client:
            again = client.call(pb.RerunMatchRequest(match_id=match_id, reason=reason), pb.RerunMatchResponse)
        if as_json:
            print_json(as_dict(again))
        else:
            click.echo(again.match_id)
            click.echo(f"{match_id} is played again as {again.match_id} once its bots are there", err=True)
        return 0

    end_with_server(run, server)


@admin.command("actions")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, metavar="N", help="So many.")
@server_option
@json_option
def actions_command(limit: int, server: str | None, *, as_json: bool) -> None:
    """List what admins did, the latest first."""

    def run() -> int:
        with connected(server, ADMIN) as client:
            answer = client.call(pb.ListActionsRequest(limit=limit), pb.ListActionsResponse)
        if as_json:
            print_json(as_dict(answer))
        elif answer.actions:
            screen = console()
            screen.print(actions_table(answer.actions, screen.width))
        else:
            click.echo("nothing was done yet", err=True)
        return 0

    end_with_server(run, server)


def _act(request: Message, response: type[Message], done: str, server: str | None, *, as_json: bool) -> None:
    def run() -> int:
        with connected(server, ADMIN) as client:
            client.call(request, response)
        if as_json:
            print_json({"done": done.partition(";")[0]})
        else:
            click.echo(done, err=True)
        return 0

    end_with_server(run, server)
