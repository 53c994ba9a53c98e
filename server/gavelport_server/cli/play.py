"""What `run-tournament` does: reads what is asked for, plays it, prints the report, and says how it went."""

from __future__ import annotations

import json
import shlex
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
from rich.console import Console

from gavelport_server import shipped
from gavelport_server.archive.errors import ArchiveError
from gavelport_server.archive.fit import whole_history_of
from gavelport_server.cli.data import console
from gavelport_server.cli.progress import progress_on
from gavelport_server.cli.report import print_report, report_json
from gavelport_server.conduct.entrants import EntrantsError, gather
from gavelport_server.conduct.folder import FolderError, open_folder
from gavelport_server.conduct.manifest import ManifestError
from gavelport_server.conduct.plan import PlanError, make_plan
from gavelport_server.conduct.summary import summarize
from gavelport_server.conduct.tournament import TournamentError, run_tournament
from gavelport_server.config import ConfigError, overridden, read_settings
from gavelport_server.launcher.client import LauncherError
from gavelport_server.launcher.examine import held_launcher
from gavelport_server.log import log_to
from gavelport_server.storage.errors import StoreError
from gavelport_server.transport import home

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from gavelport_server.conduct.entrants import Field
    from gavelport_server.conduct.plan import Plan
    from gavelport_server.config import Settings
    from gavelport_server.launcher.client import LauncherProcess

READY = "standard"
"""What is played where no file is named."""
FAILED, REFUSED, BY_SIGNAL = 1, 2, 128
"""Exit codes; the last is added to the signal's number."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for."""

    tournament: Path | None
    rounds: int | None
    seats: int | None
    seed: str | None
    bots: tuple[Path, ...]
    data: Path
    sandbox: bool

    def command(self, rounds: int) -> str:
        """Return the command line that means this tournament with so many rounds."""
        words = ["run-tournament"]
        if self.tournament is not None:
            words.append(str(self.tournament))
        words += ["--rounds", str(rounds)]
        if self.seats is not None:
            words += ["--seats", str(self.seats)]
        if self.seed is not None:
            words += ["--seed", self.seed]
        for bot in self.bots:
            words += ["--bot", str(bot)]
        if self.sandbox:
            words.append("--sandbox")
        return shlex.join([*words, "--data", str(self.data)])


def play(request: Request, *, as_json: bool) -> int:
    """Play the tournament and print how it went; return the exit code."""
    try:
        settings = overridden(
            read_settings(_file(request.tournament)), rounds=request.rounds, seats=request.seats, seed=request.seed
        )
        field = gather(settings, request.bots)
        plan = make_plan(settings, field.bots, field.first_added)
    except (ConfigError, EntrantsError, ManifestError) as error:
        return _refuse(getattr(error, "source", ""), error.problems)
    except PlanError as error:
        return _refuse("", [str(error)])
    try:
        return _play(request, settings, field, plan, as_json=as_json)
    except (FolderError, StoreError, ArchiveError, TournamentError, LauncherError) as error:
        click.echo(f"error: {error}", err=True)
        return FAILED


def _play(request: Request, settings: Settings, field: Field, plan: Plan, *, as_json: bool) -> int:
    with (
        _sandbox(wanted=request.sandbox) as sandbox,
        open_folder(request.data) as folder,
        progress_on(Console(stderr=True), plan.game.total_unit) as progress,
        log_to(folder.logs(plan.identity()), progress.notice),
    ):
        for notice in field.notices:
            progress.notice(notice)
        run = home.run(run_tournament, plan, settings.rounds, folder, progress, sandbox)
    summary = summarize(run.record, run.results, run.standings, whole_history_of(run.record, run.results))
    if as_json:
        click.echo(json.dumps(report_json(plan, settings, field, run, summary, request.data)))
    else:
        print_report(console(), plan, run, summary, request.data)
    if run.stopped_by is not None:
        click.echo(
            f"Stopped: {len(run.results)} of {run.matches} matches are played and kept. Go on with:\n"
            f"  {request.command(settings.rounds)}",
            err=True,
        )
        return BY_SIGNAL + run.stopped_by
    if not as_json:
        click.echo(f"Continue  {request.command(2 * settings.rounds)}")
    return 0


@contextmanager
def _sandbox(*, wanted: bool) -> Iterator[LauncherProcess | None]:
    """Give the launcher, once the sandbox was seen to hold. Raises LauncherError."""
    if not wanted:
        yield None
        return
    process = held_launcher(shipped.node_modules())
    try:
        yield process
    finally:
        process.close()


def _file(tournament: Path | None) -> Path:
    """Return the TOML file that is meant. Raises ConfigError."""
    name = READY if tournament is None else str(tournament)
    if tournament is not None and (tournament.exists() or tournament.suffix == ".toml"):
        if tournament.is_dir():
            raise ConfigError(name, ["is a folder, and a tournament is a TOML file; to enter a bot, give --bot DIR"])
        return tournament
    ready = shipped.ready_tournament(name)
    if ready is None:
        known = ", ".join(path.stem for path in shipped.ready_tournaments())
        raise ConfigError(name, [f"is no file, and no ready tournament is called so; there are: {known}"])
    return ready


def _refuse(source: str, problems: Sequence[str]) -> int:
    """Print what is wrong with the input and return the exit code."""
    where = f"{source}: " if source else ""
    if len(problems) == 1:
        click.echo(f"error: {where}{problems[0]}", err=True)
    else:
        click.echo(f"error: {where}{len(problems)} problems", err=True)
        for problem in problems:
            click.echo(f"  {problem}", err=True)
    return REFUSED
