"""`gavelport token`: tokens made, listed and revoked, in a data folder or on a server."""

from __future__ import annotations

import os
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol, TypeVar

import click
from gavelport.v1 import access_pb2
from gavelport.v1 import lobby_pb2 as pb
from google.protobuf.message import Message
from rich.text import Text

from gavelport_server.cli.data import console, json_option
from gavelport_server.cli.groups import Group
from gavelport_server.cli.paths import NamedPath
from gavelport_server.cli.remote import TARGET, TOKEN, as_dict, connected, end_with_server, print_json
from gavelport_server.cli.remote_tables import NONE, plain_table, when

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rich.table import Table

    from gavelport_server.storage.sql import SqlStore

M = TypeVar("M", bound=Message)

SCOPES = ("bot", "owner", "spectator", "admin")
DATABASE = "GAVELPORT_SERVE_DATABASE"
"""Names the database, for `serve` as for these commands."""

_data_option = click.option(
    "--data", type=NamedPath(), metavar="DIR", help="The server's data folder, on its own machine."
)
_server_option = click.option(
    "--server", metavar="TARGET", help=f"HOST:PORT or unix:PATH of a server. Default: {TARGET}, without --data."
)


class Place(Protocol):
    """Where tokens are kept."""

    def call(self, request: Message, response: type[M]) -> M:
        """Return the answer to a request of the lobby. Raises ServiceError."""
        ...


@click.group(
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"On a server, {TOKEN} says who asks. With --data no token is needed; the database is the one that `serve` "
    f"takes, {DATABASE}, else the data folder's own.",
)
def token() -> None:
    """Make, list and revoke the tokens by which bots, owners, spectators and admins are known."""


@token.command("create")
@_data_option
@_server_option
@click.option("--scope", type=click.Choice(SCOPES), default="bot", show_default=True, help="What it opens.")
@click.option("--bot", default="", metavar="NAME", help="Of scope bot: which one; registered where it is new.")
@click.option("--owner", default="", metavar="NAME", help="Whose it is, added where it is new; for admins and --data.")
@click.option("--note", default="", metavar="TEXT", help="What it is for, for the list.")
@click.option("--days", type=click.IntRange(min=1), metavar="N", help="How long it opens. Default: for ever.")
@json_option
def create_command(
    data: Path | None,
    server: str | None,
    scope: str,
    bot: str,
    owner: str,
    note: str,
    days: int | None,
    *,
    as_json: bool,
) -> None:
    """Make a token and print it, this once.

    `--bot NAME` makes one by which a bot plays, `--scope owner --owner NAME` one by which its bots are managed.
    """
    if (scope == "bot") != bool(bot):
        raise click.UsageError(
            "a token of scope bot needs --bot NAME" if not bot else f"scope {scope} goes without --bot"
        )
    if owner and scope in ("spectator", "admin"):
        raise click.UsageError(f"a token of scope {scope} is nobody's own; leave --owner out")
    if not owner and (scope == "owner" or data is not None) and scope in ("bot", "owner"):
        raise click.UsageError(f"whose is it? give --owner NAME with a token of scope {scope}")

    def create(place: Place) -> int:
        if bot and owner:
            place.call(pb.RegisterBotRequest(name=bot, owner=owner), pb.RegisterBotResponse)
        number = access_pb2.Scope.Value(f"SCOPE_{scope.upper()}")
        request = pb.CreateTokenRequest(scope=number, owner=owner, bot=bot, note=note, expires_in_days=days or 0)
        if scope == "bot":
            request.ClearField("owner")
        made = place.call(request, pb.CreateTokenResponse)
        if as_json:
            print_json({"secret": made.secret, **_as_json(made.token)})
        else:
            click.echo(made.secret)
            click.echo(_what_to_do(made.token), err=True)
        return 0

    _run(create, data, server, may_make=True)


@token.command("list")
@_data_option
@_server_option
@json_option
def list_command(data: Path | None, server: str | None, *, as_json: bool) -> None:
    """List your tokens, without their secrets; an admin's list, and that of a data folder, has all."""

    def show(place: Place) -> int:
        tokens = place.call(pb.ListTokensRequest(), pb.ListTokensResponse).tokens
        if as_json:
            print_json([_as_json(one) for one in tokens])
        elif tokens:
            console().print(_table(list(tokens)))
        else:
            click.echo("no tokens", err=True)
        return 0

    _run(show, data, server)


@token.command("revoke")
@click.argument("token_id", metavar="ID")
@_data_option
@_server_option
@json_option
def revoke_command(token_id: str, data: Path | None, server: str | None, *, as_json: bool) -> None:
    """Revoke a token by its ID, the 16 digits after `gp_`: its streams are cut, and it opens nothing any more."""
    if token_id.startswith("gp_"):
        raise click.UsageError("give the ID alone, the 16 digits after gp_, so that the secret stays one")

    def revoke(place: Place) -> int:
        place.call(pb.RevokeTokenRequest(id=token_id), pb.RevokeTokenResponse)
        if as_json:
            print_json({"revoked": token_id})
        else:
            click.echo(f"{token_id} is revoked", err=True)
        return 0

    _run(revoke, data, server)


class _Folder:
    """The store of a data folder as a place: what its owner may do, a server's admin may."""

    def __init__(self, store: SqlStore) -> None:
        from gavelport_server.lobby.token_desk import TokenDesk  # noqa: PLC0415

        self._store = store
        self._desk = TokenDesk(store, lambda: None)

    def call(self, request: Message, response: type[M]) -> M:
        """Return the answer to a request. Raises ServiceError, StoreError."""
        from gavelport_server.lobby.gate import Caller  # noqa: PLC0415
        from gavelport_server.lobby.registration import register  # noqa: PLC0415
        from gavelport_server.transport.methods import method_name  # noqa: PLC0415

        if isinstance(request, pb.RegisterBotRequest):
            register(self._store, request.name, request.owner, is_admin=True)
            return response()
        method = getattr(self._desk, method_name(type(request).__name__.removesuffix("Request")))
        answer: M = method(Caller("local", "admin", "", ""), request)
        return answer


def _run(act: Callable[[Place], int], data: Path | None, server: str | None, *, may_make: bool = False) -> None:
    if data is not None and server is not None:
        raise click.UsageError("give --data or --server, not both")
    target = server or os.environ.get(TARGET)
    if data is None and not target:
        raise click.UsageError(f"where? give --data DIR on the server's own machine, or --server TARGET (or {TARGET})")

    def run() -> int:
        with _place(data, target, may_make=may_make) as place:
            return act(place)

    end_with_server(run, str(data) if data is not None else target)


@contextmanager
def _place(data: Path | None, target: str | None, *, may_make: bool) -> Iterator[Place]:
    if data is None:
        with connected(target) as client:
            yield client
        return
    from gavelport_server.storage.sql import FILE, SqlStore  # noqa: PLC0415

    url = os.environ.get(DATABASE)
    is_new = not url and not (data / FILE).exists()
    store = SqlStore(url) if url else SqlStore.in_folder(data, create=may_make)
    if is_new:  # or its name is not spelt as the server's
        click.echo(
            f"notice: {data} is a new data folder, made just now; no server has used it yet, and the token is valid "
            f"on one that runs with --data {data}",
            err=True,
        )
    try:
        yield _Folder(store)
    finally:
        store.close()


def _what_to_do(made: pb.Token) -> str:
    use = f"Put it into {TOKEN} for the commands that call a server."
    if made.bot:
        use = f"Give it to {made.bot} as {TOKEN}, and the server's address as {TARGET}: so it plays on the ladder."
    return f"Shown this once. {use}\n`gavelport token revoke {made.id}` takes it back."


def _as_json(one: pb.Token) -> dict[str, object]:
    return {**as_dict(one), "scope": _scope(one)}


def _scope(one: pb.Token) -> str:
    return access_pb2.Scope.Name(one.scope).removeprefix("SCOPE_").lower()


def _table(tokens: list[pb.Token]) -> Table:
    table = plain_table("id", "scope", "whose", "state", "last used", "note")
    for number in (0, 1, 3, 4):
        table.columns[number].no_wrap = True
    for one in tokens:
        whose = f"{one.bot} of {one.owner}" if one.bot else one.owner or NONE
        used = when(one.last_used_at)[:10]
        table.add_row(one.id, _scope(one), whose, _state(one), used, Text(one.note or NONE))
    return table


def _state(one: pb.Token) -> str:
    if one.revoked_at:
        return "revoked"
    if not one.expires_at:
        return "open"
    is_over = datetime.fromisoformat(one.expires_at) <= datetime.now(UTC)
    return "expired" if is_over else f"till {when(one.expires_at)[:10]}"
