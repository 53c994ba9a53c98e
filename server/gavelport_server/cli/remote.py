"""What the commands on a server share: where it is, who calls, and how they end.

The target is `--server` or `GAVELPORT_TARGET`. The token comes from `GAVELPORT_TOKEN` alone: an argument would be seen
by everybody on the machine. `GAVELPORT_CA` names the authority of a server's certificate, where it is one of one's own;
`GAVELPORT_CERT` and `GAVELPORT_KEY` name one's own certificate, where the server asks for one.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from google.protobuf.json_format import MessageToDict

from gavelport_server.archive.errors import ArchiveError
from gavelport_server.storage.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.protobuf.message import Message

    from gavelport_server.transport.client import Client
    from gavelport_server.transport.link import ServiceError

TARGET, TOKEN, CA, CERT, KEY = (f"GAVELPORT_{name}" for name in ("TARGET", "TOKEN", "CA", "CERT", "KEY"))
FAILED = 1
_ANSWERS_OF_WEB_SERVERS = ("Failed parsing HTTP/2", "missing selected ALPN property")
"""How gRPC tells of what speaks HTTP/1, without TLS and with it."""
OWNER, ADMIN = "--scope owner --owner NAME", "--scope admin"

server_option = click.option(
    "--server", envvar=TARGET, metavar="TARGET", help=f"HOST:PORT or unix:PATH of the server. Default: {TARGET}."
)


def connected(server: str | None, token_of: str = OWNER) -> Client:
    """Return a connection to the server, which is a context manager. Fails as wrong usage without target or token.

    Args:
        server: Where it is.
        token_of: Whose token the command takes, as options of `token create`.
    """
    # What needs no server does without gRPC.
    from gavelport_server.transport.client import Client, Trust  # noqa: PLC0415

    if not server:
        raise click.UsageError(f"no server: give --server HOST:PORT, or set {TARGET}")
    if problem := _problem_of(server):
        raise click.UsageError(f"--server or {TARGET} {problem}")
    token = os.environ.get(TOKEN, "")
    if not token:
        raise click.UsageError(
            f"no token: set {TOKEN}, never given as an argument. On the server's machine, "
            f"`gavelport token create {token_of} --data DIR` makes one"
        )
    if not token.isascii() or not token.isprintable():
        raise click.UsageError(f"{TOKEN} holds signs that no token has; copy it again, as it was printed")
    paths = {name: Path(text) if (text := os.environ.get(name)) else None for name in (CA, CERT, KEY)}
    if (paths[CERT] is None) != (paths[KEY] is None):
        raise click.UsageError(f"{CERT} and {KEY} go together: a certificate and its key")
    return Client(server, token, Trust(ca=paths[CA], cert=paths[CERT], key=paths[KEY]))


def _problem_of(server: str) -> str:
    """Return what is wrong with a target, in words; empty where nothing is. Without a port gRPC would take 443."""
    if server.startswith(("unix:", "unix-abstract:")):
        return ""
    if server.startswith(("http://", "https://")):
        return f'is no web address; give the one that serve prints for bots, as 127.0.0.1:7878, not "{server}"'
    host, _, port = server.rpartition(":")
    return "" if host and port.isdecimal() else f'should be HOST:PORT, as 127.0.0.1:7878, not "{server}"'


def as_dict(message: Message) -> dict[str, Any]:
    """Return an answer as `--json` prints it: the fields of the `.proto` files by their names, whole."""
    told: dict[str, Any] = MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return told


def print_json(told: object) -> None:
    """Print what a command tells, as JSON."""
    click.echo(json.dumps(told, ensure_ascii=False))


def end_with_server(run: Callable[[], int], server: str | None) -> None:
    """Run a command and end with its exit code; what the server refuses, or that there is none, is told in words."""
    from gavelport_server.transport.home import TransportError  # noqa: PLC0415
    from gavelport_server.transport.link import ServiceError  # noqa: PLC0415

    try:
        code = run()
    except ServiceError as error:
        click.echo(f"error: {refusal(error, server or '')}", err=True)
        code = FAILED
    except (ArchiveError, StoreError, TransportError) as error:
        click.echo(f"error: {error}", err=True)
        code = FAILED
    sys.exit(code)


def refusal(error: ServiceError, server: str) -> str:
    """Return what a server said, and what to do about it."""
    match error.code.name:
        case "UNAUTHENTICATED":
            return f"{server}: {error.text}; check {TOKEN}"
        case "UNAVAILABLE" if any(sign in error.text for sign in _ANSWERS_OF_WEB_SERVERS):
            return (
                f"no gavelport server answers at {server}, but a web server; check --server or {TARGET}: `gavelport "
                "serve` prints two addresses, and this takes the one for bots"
            )
        case "UNAVAILABLE":
            return (
                f"{server} cannot be reached ({error.text}); check --server or {TARGET}, and {CA} where the server's "
                "certificate is from an authority of your own"
            )
        case "UNIMPLEMENTED":
            return f"{server} is no gavelport server of this version ({error.text}); check --server or {TARGET}"
        case "DEADLINE_EXCEEDED":
            return f"{server} took too long: {error.text}"
        case _:
            return f"{server}: {error.text}"
