"""`gavelport collusion-report`: pairs of bots that give each other more than their habits explain."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click
from gavelport_engine.registry import GAMES
from rich.markup import escape

from gavelport_server.archive.errors import ArchiveError
from gavelport_server.archive.files import ReplayFolder
from gavelport_server.archive.show import plain_table
from gavelport_server.archive.transfers import found_transfers
from gavelport_server.cli.data import console, counted, data_option, end_with, json_option, open_store

if TYPE_CHECKING:
    from pathlib import Path

    from gavelport_engine.game import AnyGame

    from gavelport_server.ratings.collusion import Evidence
    from gavelport_server.storage.store import TournamentRecord

NOTE = (
    "This is evidence, not a verdict: look at the matches of a flagged pair before you draw conclusions. "
    "docs/collusion.md says what is counted and how."
)


@click.command("collusion-report", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--ladder", metavar="NAME", help="Only this ladder or tournament, by its name.")
@data_option
@json_option
def collusion_report(ladder: str | None, data: Path, as_json: bool) -> None:
    """Print which pairs of bots give each other more than their habits explain.

    What counts as a gift is the game's matter: prices off the market, bids above one's own value. Now and then an
    honest pair is flagged, too. Nothing is done about a flagged pair.
    """
    end_with(lambda: _report(ladder, data, as_json=as_json))


def _report(ladder: str | None, data: Path, *, as_json: bool) -> int:
    # NumPy takes as long to import as the rest of the program.
    from gavelport_server.ratings.collusion import collusion  # noqa: PLC0415

    reports: list[tuple[TournamentRecord, AnyGame, Evidence]] = []
    problems: list[str] = []
    with closing(open_store(data)) as store:
        records = [one for one in store.tournaments() if one.kind != "practice" and ladder in {None, one.name}]
        if ladder is not None and not records:
            names = ", ".join(sorted({one.name for one in store.tournaments() if one.kind != "practice"})) or "none"
            raise ArchiveError(f"{data} has no ladder or tournament {ladder}; it has {names}")
        for record in records:
            game = GAMES.get(record.game.partition("@")[0])
            if game is None or game.id != record.game:
                problems.append(f"{record.name}: this program does not know the game {record.game}")
                continue
            found = found_transfers(record, store.results(record.identity), ReplayFolder(data), data)
            problems += found.problems
            reports.append((record, game, collusion(found.matches, game.least_transfer)))
    for problem in problems:
        click.echo(f"left out: {problem}", err=True)
    if as_json:
        click.echo(json.dumps({"reports": [_as_json(*report) for report in reports], "note": NOTE}, ensure_ascii=False))
        return 0
    for report in reports:
        _print(*report)
    click.echo(NOTE)
    return 0


def _print(record: TournamentRecord, game: AnyGame, evidence: Evidence) -> None:
    screen = console()
    judged = f"{counted(len(evidence.pairs), 'pair', 'pairs')} judged"
    untold = f", {evidence.untold} met too seldom" if evidence.untold else ""
    matches = counted(evidence.matches, "match", "matches")
    screen.print(f"[bold]{escape(record.name)}[/]: {game.id}, {matches}, {judged}{untold}")
    if not evidence.flagged:
        screen.print("No pair is flagged.")
        screen.print()
        return
    table = plain_table("bot", "gives to", "matches", "gift", "by habit", "back", "by habit", "chance", "gain")
    for pair in evidence.flagged:
        given = zip(pair.given, pair.expected, strict=True)
        figures = [f"{game.transfer_unit}{amount:.2f}" for both in given for amount in both]
        table.add_row(*map(escape, pair.bots), str(pair.matches), *figures, f"{pair.p:.3f}", f"{pair.gain:+.3f}")
    screen.print(table)
    screen.print()


def _as_json(record: TournamentRecord, game: AnyGame, evidence: Evidence) -> dict[str, Any]:
    return {
        "ladder": record.name,
        "identity": record.identity,
        "game": record.game,
        "unit": game.transfer_unit,
        "matches": evidence.matches,
        "pairs_judged": len(evidence.pairs),
        "pairs_met_too_seldom": evidence.untold,
        "flagged": [
            {
                "bots": list(pair.bots),
                "matches": pair.matches,
                "sittings": pair.sittings,
                "given": list(pair.given),
                "expected": list(pair.expected),
                "excess": pair.excess,
                "chance": pair.p,
                "gain": pair.gain,
                "gain_chance": pair.gain_p,
            }
            for pair in evidence.flagged
        ],
    }
