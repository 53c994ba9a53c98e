"""`gavelport rate`: the ratings of a data folder's tournaments, and whether they are those of the replays."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import click
from gavelport_engine.registry import GAMES
from rich.markup import escape

from gavelport_server.archive.audit import Problem, RatedTruly, check_ratings
from gavelport_server.archive.files import ReplayFolder
from gavelport_server.archive.fit import whole_history_of
from gavelport_server.cli.data import console, counted, data_option, end_with, json_option, open_store
from gavelport_server.cli.report import print_ratings
from gavelport_server.cli.tables import as_json as tables_json
from gavelport_server.conduct.summary import summarize

if TYPE_CHECKING:
    from pathlib import Path

    from gavelport_server.conduct.summary import Summary
    from gavelport_server.storage.store import Store, TournamentRecord


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--check", is_flag=True, help="Rebuild all ratings from the replays and compare them.")
@data_option
@json_option
def rate(check: bool, data: Path, as_json: bool) -> None:
    """Print the ratings of every tournament of a data folder, as run-tournament does.

    With --check they are rebuilt from the replays: the Elo must be the stored one bit for bit, and the ratings those of
    the results in the database. The exit code is 1 where anything differs. The fingerprint is that of all figures; it
    is the same as long as the results are.
    """
    end_with(lambda: _check(data, as_json=as_json) if check else _rate(data, as_json=as_json))


def _check(data: Path, *, as_json: bool) -> int:
    with closing(open_store(data)) as store:
        found = list(check_ratings(store, ReplayFolder(data)))
    problems = [one for one in found if isinstance(one, Problem)]
    right = [one for one in found if isinstance(one, RatedTruly)]
    if as_json:
        told = {
            "right": [
                {
                    "tournament": one.tournament.name,
                    "identity": one.tournament.identity,
                    "matches": one.matches,
                    "fingerprint": one.fingerprint,
                }
                for one in right
            ],
            "failures": [{"where": problem.where, "difference": problem.what} for problem in problems],
        }
        click.echo(json.dumps(told, ensure_ascii=False))
    else:
        for problem in problems:
            click.echo(f"{problem.where}: {problem.what}")
        for one in right:
            name = f"{one.tournament.name} ({one.tournament.identity[:12]})"
            click.echo(f"{name}: {counted(one.matches, 'match', 'matches')}, fingerprint {one.fingerprint}")
        tournaments = counted(len(right), "tournament", "tournaments")
        click.echo(f"{tournaments} rated as the replays say, {counted(len(problems), 'failure', 'failures')}")
    return 1 if problems else 0


def _rate(data: Path, *, as_json: bool) -> int:
    with closing(open_store(data)) as store:
        rated = [one for one in store.tournaments() if one.kind != "practice"]
        summaries = [(tournament, _summary(store, tournament)) for tournament in rated]
    if as_json:
        told = [
            {
                "tournament": one.name,
                "identity": one.identity,
                "game": one.game,
                "seats": one.seats,
                **tables_json(summary, _unit(one)),
            }
            for one, summary in summaries
        ]
        click.echo(json.dumps(told, ensure_ascii=False))
        return 0
    screen = console()
    for number, (tournament, summary) in enumerate(summaries):
        opening = "\n" if number else ""
        screen.print(f"{opening}[bold]{escape(tournament.name)}[/]: {tournament.game}, {tournament.seats} seats")
        if summary.rows:
            print_ratings(screen, summary, _unit(tournament))
        else:
            screen.print("Nobody has played here yet.")
    if not summaries:
        click.echo(f"{data} has no tournament.", err=True)
    return 0


def _unit(tournament: TournamentRecord) -> str:
    """Return what results are counted in; a game that this server no longer has tells nothing of it."""
    game = GAMES.get(tournament.game.partition("@")[0])
    return "result" if game is None else game.total_unit


def _summary(store: Store, tournament: TournamentRecord) -> Summary:
    results = [one for one in store.results(tournament.identity) if not one.void_reason]
    standings = store.standings(tournament.identity)
    return summarize(tournament, results, standings, whole_history_of(tournament, results))
