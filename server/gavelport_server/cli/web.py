"""`gavelport web`: the pages over a data folder, read-only."""

from __future__ import annotations

import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
import trio
from starlette.applications import Starlette

from gavelport_server.cli.data import data_option
from gavelport_server.conduct.local import unless_stopped
from gavelport_server.log import log_lines
from gavelport_server.pages.server import serve_http
from gavelport_server.pages.shield import Shield
from gavelport_server.pages.site import routes
from gavelport_server.pages.source import DataFolderSource
from gavelport_server.storage.errors import StoreError
from gavelport_server.transport.home import AddressError, TransportError

if TYPE_CHECKING:
    from collections.abc import Callable

PORT = 8080
HOST = "127.0.0.1"
FAILED, BY_SIGNAL = 1, 128


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 1 the data folder or the port cannot be used; 130 stopped by Ctrl-C, 143 by SIGTERM.",
)
@data_option
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0 takes any free one.")
def web(data: Path, port: int) -> None:
    """Show a data folder in the browser: standings, bots, and every match decision by decision.

    Nothing is changed, and a tournament may be running in it. The pages are for this machine alone.
    """
    sys.exit(show_folder(data, port, lambda url: click.echo(f"{url}/ shows {data}; Ctrl-C ends it.")))


def show_folder(data: Path, port: int, ready: Callable[[str], object]) -> int:
    """Serve the pages of a data folder until Ctrl-C or SIGTERM, and return the exit code.

    Args:
        data: The folder.
        port: Of this machine's own address; 0 for any free one.
        ready: Called with the URL, without a slash at its end, once it can be asked.
    """

    async def serve(source: DataFolderSource) -> None:
        async with trio.open_nursery() as nursery:
            app = Shield(Starlette(routes=routes(source)))
            ready(await nursery.start(serve_http, app, f"{HOST}:{port}"))

    code = 0
    try:
        with closing(DataFolderSource(data)) as source, log_lines(None, "warning", _unheard):
            stopped_by = trio.run(unless_stopped, partial(serve, source))
        if stopped_by is not None:
            code = BY_SIGNAL + stopped_by
    except* (StoreError, TransportError) as errors:
        for error in errors.exceptions:
            more = "; give another with --port" if isinstance(error, AddressError) else ""
            click.echo(f"error: {error}{more}", err=True)
        code = FAILED
    return code


def _unheard(text: str) -> None:
    """Stderr that cannot be written to has nobody to be told."""
