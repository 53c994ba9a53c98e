"""`gavelport rate`: the Elo of a data folder's tournaments, and whether it is that of the replays."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from gavelport_server.archive.audit import Problem, check_ratings
from gavelport_server.archive.files import ReplayFolder
from gavelport_server.archive.show import plain_table
from gavelport_server.cli.data import console, counted, data_option, end_with, json_option, open_store

if TYPE_CHECKING:
    from pathlib import Path

    from gavelport_server.storage.store import Store, TournamentRecord


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--check", is_flag=True, help="Rebuild the Elo from the replays and compare it bit for bit.")
@data_option
@json_option
def rate(check: bool, data: Path, as_json: bool) -> None:
    """Print the Elo of every tournament of a data folder.

    With --check it is rebuilt from the replays, in the order of the schedule; the exit code is 1 where the stored one
    differs.
    """
    end_with(lambda: _check(data, as_json=as_json) if check else _rate(data, as_json=as_json))


def _check(data: Path, *, as_json: bool) -> int:
    with closing(open_store(data)) as store:
        found = list(check_ratings(store, ReplayFolder(data)))
    problems = [one for one in found if isinstance(one, Problem)]
    right = len(found) - len(problems)
    if as_json:
        failures = [{"where": problem.where, "difference": problem.what} for problem in problems]
        click.echo(json.dumps({"right": right, "failures": failures}, ensure_ascii=False))
    else:
        for problem in problems:
            click.echo(f"{problem.where}: {problem.what}")
        tournaments = counted(right, "tournament", "tournaments")
        click.echo(f"{tournaments} rated as the replays say, {counted(len(problems), 'failure', 'failures')}")
    return 1 if problems else 0


def _rate(data: Path, *, as_json: bool) -> int:
    with closing(open_store(data)) as store:
        ladders = [(tournament, _ladder(store, tournament)) for tournament in store.tournaments()]
    if as_json:
        click.echo(
            json.dumps(
                [
                    {
                        "tournament": one.name,
                        "identity": one.identity,
                        "game": one.game,
                        "seats": one.seats,
                        "standings": rows,
                    }
                    for one, rows in ladders
                ],
                ensure_ascii=False,
            )
        )
        return 0
    screen = console()
    for number, (tournament, rows) in enumerate(ladders):
        opening = "\n" if number else ""
        screen.print(f"{opening}[bold]{escape(tournament.name)}[/]: {tournament.game}, {tournament.seats} seats\n")
        table = plain_table("#", "bot", "version", "Elo", "matches")
        for row in rows:
            table.add_row(str(row["rank"]), row["bot"], row["version"], f"{row['elo']:.1f}", str(row["matches"]))
        screen.print(table)
    if not ladders:
        click.echo(f"{data} has no tournament.", err=True)
    return 0


def _ladder(store: Store, tournament: TournamentRecord) -> list[dict[str, Any]]:
    standings = sorted(store.standings(tournament.identity), key=lambda standing: (-standing.elo, standing.entrant))
    entrants = {one.number: one for one in tournament.entrants}
    return [
        {
            "rank": place,
            "bot": entrants[standing.entrant].bot,
            "version": entrants[standing.entrant].version,
            "elo": standing.elo,
            "matches": standing.matches,
        }
        for place, standing in enumerate(standings, 1)
    ]
