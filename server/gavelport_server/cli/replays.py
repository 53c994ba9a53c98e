"""`gavelport replays`: list, show, verify and export the matches of a data folder."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gavelport_server.archive.audit import Problem, audit, check_files
from gavelport_server.archive.errors import ArchiveError, ReplayError
from gavelport_server.archive.export import export, jsonl
from gavelport_server.archive.files import ReplayFolder, read
from gavelport_server.archive.listing import listed, listing_table
from gavelport_server.archive.playback import Difference
from gavelport_server.archive.replay import decode_replay
from gavelport_server.archive.show import shown
from gavelport_server.cli.data import console, counted, data_option, end_with, json_option, open_store, page_width
from gavelport_server.cli.download import download, listed_on
from gavelport_server.cli.groups import Group
from gavelport_server.cli.paths import NamedPath
from gavelport_server.cli.remote import end_with_server

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_server.archive.listing import Listed
    from gavelport_server.archive.record import Replay


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def replays() -> None:
    """List, show, verify and export the matches of a data folder; list and download those of a server."""


replays.add_command(download)


@replays.command("list")
@data_option
@click.option("--bot", "bots", multiple=True, metavar="NAME", help="Only matches of this bot; again for several.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the N newest.")
@click.option("--server", metavar="TARGET", help="Those of a server, not of a data folder; takes one --bot.")
@json_option
def list_command(data: Path, bots: tuple[str, ...], limit: int | None, server: str | None, as_json: bool) -> None:
    """List the matches, newest first."""
    if server is None:
        end_with(lambda: _list(data, bots, limit, as_json=as_json))
    if len(bots) > 1:
        raise click.UsageError("with --server, give one --bot")
    bot = bots[0] if bots else ""
    end_with_server(lambda: _print_list(listed_on(server, bot, limit), server or "", bots, as_json=as_json), server)


def _list(data: Path, bots: tuple[str, ...], limit: int | None, *, as_json: bool) -> int:
    with closing(open_store(data)) as store:
        return _print_list(listed(store, bots, limit), str(data), bots, as_json=as_json)


def _print_list(matches: Sequence[Listed], where: str, bots: tuple[str, ...], *, as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps([match.as_json() for match in matches], ensure_ascii=False))
    elif matches:
        screen = console()
        screen.print(listing_table(matches, screen.width))
    else:
        click.echo(f"{where} has no match{' of ' + ' and '.join(bots) if bots else ''}.", err=True)
    return 0


@replays.command("show")
@click.argument("match")
@data_option
@json_option
def show_command(match: str, data: Path, as_json: bool) -> None:
    """Print a match as readable text.

    MATCH is a match id of the data folder, or a replay file. With --json, the records of the notation, one a line.
    """
    end_with(lambda: _show(match, data, as_json=as_json))


def _show(match: str, data: Path, *, as_json: bool) -> int:

    path = _path(match, data)
    try:
        replay = _replay(path)
        if as_json:
            click.echo(jsonl(replay), nl=False)
        else:
            screen = console()
            for piece in shown(replay, page_width(screen)):
                screen.print(piece)
    except Difference as difference:
        click.echo(f"error: {path}: {difference}", err=True)
        return 1
    return 0


@replays.command("verify")
@click.argument("files", nargs=-1, type=NamedPath())
@click.option("--all", "everything", is_flag=True, help="Every replay of the data folder, and its database.")
@data_option
@json_option
def verify_command(files: tuple[Path, ...], everything: bool, data: Path, as_json: bool) -> None:
    """Play replays again and compare: deal, legality, fingerprints, result, hashes.

    With --all also the results and ratings in the database. Prints the first difference of each that is not right; the
    exit code is 1 where there is any.
    """
    if everything == bool(files):
        raise click.UsageError("give the replay files to verify, or --all for those of the data folder")
    end_with(lambda: _verify(files, data, as_json=as_json))


def _verify(files: tuple[Path, ...], data: Path, *, as_json: bool) -> int:

    problems: list[Problem] = []
    right = 0
    if files:
        for checked in check_files(files):
            if checked.record is None:
                problems.append(Problem(str(checked.path), checked.problem))
            else:
                right += 1
    else:
        right, problems = _audited(data)
    if as_json:
        failures = [{"where": problem.where, "difference": problem.what} for problem in problems]
        click.echo(json.dumps({"right": right, "failures": failures}, ensure_ascii=False))
    else:
        for problem in problems:
            click.echo(f"{problem.where}: {problem.what}")
        click.echo(f"{counted(right, 'replay', 'replays')} right, {counted(len(problems), 'failure', 'failures')}")
    return 1 if problems else 0


def _audited(data: Path) -> tuple[int, list[Problem]]:
    with closing(open_store(data)) as store:
        store.check()
        found = list(audit(store, ReplayFolder(data)))
    problems = [one for one in found if isinstance(one, Problem)]
    return len(found) - len(problems), problems


@replays.command("export")
@click.argument("matches", nargs=-1, metavar="[MATCH]...")
@click.option("--format", "kind", type=click.Choice(["jsonl"]), default="jsonl", show_default=True)
@click.option("--to", type=NamedPath(), required=True, metavar="DIR", help="Where the files go.")
@data_option
@json_option
def export_command(matches: tuple[str, ...], kind: str, to: Path, data: Path, as_json: bool) -> None:
    """Write matches as files of the notation, DIR/<match id>.jsonl.

    MATCH is a match id of the data folder, or a replay file; without any, all of the data folder.
    """
    end_with(lambda: _export(matches, to, data, as_json=as_json))


def _export(matches: tuple[str, ...], to: Path, data: Path, *, as_json: bool) -> int:

    if not matches:
        open_store(data).close()  # says what is wrong where this is no data folder
    folder = ReplayFolder(data)
    paths = [_path(match, data) for match in matches] or [folder.path(match_id) for match_id in folder.list()]
    failures = []
    for path in paths:
        try:
            export(_replay(path), to)
        except Difference as difference:
            failures.append({"where": str(path), "difference": str(difference)})
    exported = len(paths) - len(failures)
    if as_json:
        click.echo(json.dumps({"exported": exported, "to": str(to), "failures": failures}, ensure_ascii=False))
    else:
        for failure in failures:
            click.echo(f"error: {failure['where']}: {failure['difference']}", err=True)
        click.echo(f"{counted(exported, 'match', 'matches')} exported to {to}")
    return 1 if failures else 0


def _path(match: str, data: Path) -> Path:
    """Return the replay file that is meant: a file, or a match id of the data folder. Raises ArchiveError."""
    if Path(match).is_file():
        return Path(match)
    path = ReplayFolder(data).path(match)
    if not path.exists():
        raise ArchiveError(
            f"{match} is neither a file nor a match in {data}; `gavelport replays list --data {data}` lists those"
        )
    return path


def _replay(path: Path) -> Replay:
    """Return the replay of a file. Raises ArchiveError where it is not there, Difference where it cannot be read."""
    try:
        return decode_replay(read(path))
    except ReplayError as error:
        raise Difference(str(error)) from error
