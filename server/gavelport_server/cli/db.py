"""`gavelport db`: the database and the data folder as a server has them, upgraded, backed up, put back."""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import click

from gavelport_server.cli.data import counted, end_with, json_option
from gavelport_server.cli.groups import Group
from gavelport_server.cli.paths import NamedPath
from gavelport_server.config import ConfigError
from gavelport_server.serving import CONFIG, read_serving
from gavelport_server.storage.schema import HEAD
from gavelport_server.storage.sql import SqlStore, open_store

if TYPE_CHECKING:
    from pathlib import Path

    from gavelport_server.archive.backup import Backup
    from gavelport_server.serving import ServeSettings

_WRONG_USAGE = 2
_SHOWN = 5

_config_option = click.option(
    "--config", type=NamedPath(), envvar=CONFIG, metavar="FILE", help="The server's settings in TOML."
)
_data_option = click.option("--data", metavar="DIR", help="The data folder. Default: that of the settings.")


@click.group(
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Data folder and database are those that serve would use: of --data, of its variables "
    "(GAVELPORT_SERVE_DATA, GAVELPORT_SERVE_DATABASE), or of the file --config.",
)
def db() -> None:
    """Upgrade, back up and restore the database with the data folder."""


@db.command()
@_config_option
@_data_option
def upgrade(config: Path | None, data: str | None) -> None:
    """Bring the database to the schema of this Gavelport. Every command that opens it does so too."""
    settings = _settings(config, data)

    def run() -> int:
        with closing(_store(settings)) as store:
            store.check()
            click.echo(f"{store.where} has schema {HEAD}")
        return 0

    end_with(run)


@db.command()
@_config_option
@_data_option
@click.option("--to", type=NamedPath(), required=True, metavar="FILE", help="The new file, a tar archive.")
@json_option
def backup(config: Path | None, data: str | None, to: Path, *, as_json: bool) -> None:
    """Write the database, all replays and the journal to one file; the server may go on meanwhile.

    The file holds the ladders' secrets and is readable by its owner only. Exit code 1 where replays are missing.
    """
    from gavelport_server.archive.backup import back_up  # noqa: PLC0415  as below: not needed for --help

    settings = _settings(config, data)

    def run() -> int:
        with closing(_store(settings)) as store:
            return _tell(f"backed up to {to}", back_up(store, settings.data, to), as_json=as_json)

    end_with(run)


@db.command()
@click.argument("source", type=NamedPath(), metavar="FILE")
@_config_option
@_data_option
@click.option("--force", is_flag=True, help="Replace what is there.")
@json_option
def restore(source: Path, config: Path | None, data: str | None, *, force: bool, as_json: bool) -> None:
    """Put a backup back. No server may run on the data folder or its database.

    The whole backup is checked before anything is replaced. It may come from SQLite and go to PostgreSQL, or the other
    way. Exit code 1 where it failed, or where replays are missing.
    """
    from gavelport_server.archive import restore as restoring  # noqa: PLC0415
    from gavelport_server.conduct.folder import FolderError, locked  # noqa: PLC0415

    settings = _settings(config, data)

    def run() -> int:
        try:
            lock = locked(settings.data)
        except FolderError as error:
            click.echo(f"error: {error}", err=True)
            return 1
        elsewhere = None if settings.database is None else open_store(settings.database)
        try:
            restored = restoring.restore(source, settings.data, elsewhere, force=force)
        finally:
            if elsewhere is not None:
                elsewhere.close()
            os.close(lock)
        return _tell(f"restored {settings.data} as of {restored.made_at}", restored, as_json=as_json)

    end_with(run)


def _settings(config: Path | None, data: str | None) -> ServeSettings:
    """Return the server's settings, or end the process with what is wrong with them."""
    try:
        return read_serving(config, environment=os.environ, flags={("data",): data} if data else {})
    except ConfigError as error:
        click.echo(f"error: {error.source}:", err=True)
        for problem in error.problems:
            click.echo(f"  {problem}", err=True)
        sys.exit(_WRONG_USAGE)


def _store(settings: ServeSettings) -> SqlStore:
    return open_store(settings.database or settings.data, create=False)


def _tell(done: str, backup: Backup, *, as_json: bool) -> int:
    """Print what was done, and return the exit code."""
    if as_json:
        told = {
            "made_at": backup.made_at,
            "replays": backup.replays,
            "segments": backup.segments,
            "missing": list(backup.missing),
        }
        click.echo(json.dumps(told))
    else:
        replays = counted(backup.replays, "replay", "replays")
        click.echo(f"{done}: database, {replays}, {counted(backup.segments, 'segment', 'segments')} of the journal")
    if backup.missing:
        named = ", ".join(backup.missing[:_SHOWN]) + (", …" if len(backup.missing) > _SHOWN else "")
        click.echo(f"error: {counted(len(backup.missing), 'replay is', 'replays are')} missing: {named}", err=True)
    return 1 if backup.missing else 0
