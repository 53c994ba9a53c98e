"""What the commands on a data folder share: its option, its parts, and how they end."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from gavelport_server.archive.errors import ArchiveError
from gavelport_server.cli.paths import NamedPath
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.sql import open_store as opened

if TYPE_CHECKING:
    from collections.abc import Callable

    from gavelport_server.storage.sql import SqlStore

DATABASE = "GAVELPORT_SERVE_DATABASE"
"""The variable with the URL of a database that is not in the data folder, the same as for `serve`."""
WIDTH = 100
"""Of output that goes to no terminal."""
MIN_PAGE, MAX_PAGE = 60, 110
"""Bounds for lines of running text."""

data_option = click.option(
    "--data",
    type=NamedPath(),
    default=".gavelport-data",
    show_default=True,
    metavar="DIR",
    help="The data folder, as given to run-tournament.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON to stdout.")


def open_store(data: Path) -> SqlStore:
    """Return the database of a data folder, which must be there, or the one that the environment names.

    A URL may hold a password, so that it is no option. Raises StoreError.
    """
    return opened(os.environ.get(DATABASE) or data, create=False)


def console() -> Console:
    """Return where tables and texts go."""
    plain = _Screen(highlight=False)
    return plain if plain.is_terminal else _Screen(highlight=False, width=WIDTH)


class _Screen(Console):
    """A console that tells of a reader who has gone by an error, which comes out of nurseries and threads."""

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError, where rich would end the process."""
        try:
            super().on_broken_pipe()
        except SystemExit:
            raise BrokenPipeError(errno.EPIPE, "nobody reads the output any more") from None


def page_width(screen: Console) -> int:
    """Return how wide lines of text are to be: as the screen, but no wider than is good to read."""
    return max(MIN_PAGE, min(screen.width, MAX_PAGE))


def end_with(run: Callable[[], int]) -> None:
    """Run a command and end with its exit code; what is wrong with folder or database is told in words."""
    try:
        code = run()
    except (ArchiveError, StoreError) as error:
        click.echo(f"error: {error}", err=True)
        code = 1
    sys.exit(code)


def counted(number: int, one: str, many: str) -> str:
    """Return a number with its noun."""
    return f"{number} {one if number == 1 else many}"
