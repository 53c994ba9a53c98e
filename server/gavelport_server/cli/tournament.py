"""`run-tournament`: its options; `play.py` does the work."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from gavelport_server.cli.groups import Command
from gavelport_server.cli.paths import NamedPath


@click.command(
    "run-tournament",
    cls=Command,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 all matches played, whatever the bots did; 1 the data folder or the server failed; 2 wrong "
    "usage, tournament file or bot.toml; 130 stopped by Ctrl-C, 143 by SIGTERM. However it ends, finished matches are "
    "kept, and the same command goes on.",
)
@click.argument("tournament", required=False, type=NamedPath())
@click.option("--rounds", type=click.IntRange(min=1), metavar="N", help="How many rounds in all; more continue it.")
@click.option("--seats", type=click.IntRange(min=2), metavar="N", help="Table size; default: all entrants, up to 5.")
@click.option("--seed", metavar="HEX", help="What all deals follow from; default: drawn once and kept.")
@click.option(
    "--bot",
    "bots",
    multiple=True,
    type=NamedPath(),
    metavar="DIR",
    help="The folder of a bot to be entered beside the others; may be given again and again.",
)
@click.option(
    "--data",
    type=NamedPath(),
    default=Path(".gavelport-data"),
    show_default=True,
    metavar="DIR",
    help="Where results and replays are kept.",
)
@click.option("--sandbox", is_flag=True, help="Run every bot in a sandbox, as a server does; needs root.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object to stdout; progress goes to stderr.")
def run_tournament(
    tournament: Path | None,
    rounds: int | None,
    seats: int | None,
    seed: str | None,
    bots: tuple[Path, ...],
    data: Path,
    *,
    sandbox: bool,
    as_json: bool,
) -> None:
    """Play a tournament between bot processes, or go on with it, and print its tables.

    TOURNAMENT is a TOML file, or the name of a ready one; without it, `standard`. Entrants are the bots that it names,
    or else all sample bots, and those added by --bot.
    """
    from gavelport_server.cli.play import Request, play  # noqa: PLC0415  all that --help can do without

    sys.exit(play(Request(tournament, rounds, seats, seed, bots, data, sandbox=sandbox), as_json=as_json))
