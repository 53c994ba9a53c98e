"""`gavelport play`: one match between bots on this machine, told live."""

from __future__ import annotations

import json
import shlex
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import trio
from rich.text import Text

from gavelport_server.archive.errors import ArchiveError
from gavelport_server.archive.files import ReplayFolder, explained
from gavelport_server.archive.show import Narration
from gavelport_server.cli.data import console, counted, json_option, page_width
from gavelport_server.cli.paths import NamedPath
from gavelport_server.conduct.casual import CasualError, casual_match, play_casual
from gavelport_server.conduct.entrants import EntrantsError
from gavelport_server.conduct.local import find_bots, unless_stopped
from gavelport_server.conduct.match import MatchVoid
from gavelport_server.conduct.results import first_fault
from gavelport_server.config import parse_seed
from gavelport_server.log import log_to
from gavelport_server.referee.codes import Code
from gavelport_server.transport import home

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gavelport_engine.game import Trace

    from gavelport_server.archive.playback import Step
    from gavelport_server.conduct.casual import Casual
    from gavelport_server.conduct.local import LocalBot
    from gavelport_server.referee.commands import Refuse
    from gavelport_server.referee.report import MatchReport

PLAYS = "plays"
"""The folder in the data folder: these matches count for nothing, and are kept apart from those that do."""
MOST_REFUSED = 3
"""So many answers that are not taken are shown of a seat until its next decision takes effect; it has as many tries."""
LAST_LINES = 20
"""So much is shown of what a bot printed before it misbehaved."""
FAILED, REFUSED, BY_SIGNAL = 1, 2, 128


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 played, whatever the bots did; 1 the server or the data folder failed; 2 wrong usage or "
    "bot.toml; 130 stopped by Ctrl-C.",
)
@click.argument("bots", nargs=-1, required=True, metavar="BOT...")
@click.option("--seed", metavar="HEX", help="What the deal follows from; the same bots and seed play the same match.")
@click.option("--quiet", is_flag=True, help="Only the final scoring.")
@click.option("--verbose", is_flag=True, help="Also all that the bots print.")
@click.option(
    "--data",
    type=NamedPath(),
    default=".gavelport-data",
    show_default=True,
    metavar="DIR",
    help="The data folder; replay and logs go to its folder `plays`.",
)
@click.option("--open", "opens", is_flag=True, help="Show the match and its replay in the browser, until Ctrl-C.")
@json_option
def play(
    bots: tuple[str, ...], seed: str | None, data: Path, *, quiet: bool, verbose: bool, opens: bool, as_json: bool
) -> None:
    """Play one match, and tell it live. It is rated nowhere.

    BOT is the folder of a bot, or the name of a sample bot; they sit in the order given. Seats that the game needs
    beyond that are filled with sample bots.
    """
    try:
        secret = None if seed is None else parse_seed(seed)
        casual = casual_match(find_bots(bots), secret)
    except EntrantsError as error:
        sys.exit(_refuse(error.problems))
    except CasualError as error:
        sys.exit(_refuse([str(error)]))
    except ValueError as error:
        sys.exit(_refuse([f"--seed: {error}"]))
    told = Told(casual, bots, quiet=quiet or as_json, verbose=verbose)
    sys.exit(_play(casual, data, told, opens=opens, as_json=as_json))


def _play(casual: Casual, data: Path, told: Told, *, opens: bool, as_json: bool) -> int:
    folder = data / PLAYS
    match_id, replays = casual.setup.match_id, ReplayFolder(folder)
    logs = folder / "logs" / match_id
    reports: list[MatchReport] = []

    def finish() -> None:
        if as_json:
            told_ = _as_json(casual, reports[0], replays.path(match_id), logs)
            click.echo(json.dumps(told_, ensure_ascii=False))
        else:
            told.summary(reports[0], folder, logs)

    async def play_out() -> None:
        reports.append(await play_casual(casual, replays, logs, told))

    async def play_in_browser() -> None:
        from gavelport_server.cli.watch import OneMatch, watched  # noqa: PLC0415  only who looks waits for it to load

        one = OneMatch(casual.setup)

        async def play_out() -> None:
            try:
                reports.append(await play_casual(casual, replays, logs, told, one.watch))
            finally:
                one.end(reports[0].outcome if reports else None)
            await trio.to_thread.run_sync(finish)

        await watched(data, one, match_id, play_out)

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with log_to(logs, lambda text: click.echo(f"notice: {text}", err=True)):
            stopped_by = home.run(unless_stopped, play_in_browser if opens else play_out)
        if not opens and stopped_by is None:
            finish()
    except MatchVoid:
        click.echo(f"error: the match is void by a fault of the server; see {logs / 'server.log'}", err=True)
        return FAILED
    except (ArchiveError, home.TransportError) as error:
        click.echo(f"error: {error}", err=True)
        return FAILED
    except BrokenPipeError:
        return BY_SIGNAL + signal.SIGPIPE
    except OSError as error:
        click.echo(f"error: {explained(error, folder)}", err=True)
        return FAILED
    if stopped_by is not None:
        if not reports:
            click.echo("Stopped; nothing of the match is kept.", err=True)
        return BY_SIGNAL + stopped_by
    return 0


class Told:
    """The match on the terminal, as it is played."""

    def __init__(self, casual: Casual, named: Sequence[str], *, quiet: bool, verbose: bool) -> None:
        """Take the match, the bots as the command line named them, and how much is told."""
        self._casual = casual
        self._named = named
        self._quiet, self._verbose = quiet, verbose
        self._console = console()
        self._narration = Narration(casual.setup.game, casual.setup.seats, page_width(self._console))
        self._bots: Sequence[LocalBot] = ()
        self._at_fault: set[int] = set()
        self._refused: dict[int, Counter[str]] = {}
        """By seat, the codes of answers that were not taken."""
        self._refused_of_late: Counter[int] = Counter()

    def opened(self, bots: Sequence[LocalBot], opening: Trace[Any], state: Any) -> None:
        """Tell who plays what."""
        self._bots = bots
        if self._quiet:
            return
        setup, names = self._casual.setup, self._narration.names
        self._print(Text.assemble(("Match ", "bold"), (setup.match_id, "bold cyan"), f": {setup.game.id}"))
        self._print(f"Seed {self._casual.secret.hex()}: with it and the same bots the same match is played again")
        if filled := names[self._casual.asked :]:
            self._print(f"Sample bots fill {counted(len(filled), 'seat', 'seats')}: {', '.join(filled)}")
        for piece in self._narration.deal(setup.options, setup.seed):
            self._console.print(piece)
        for piece in self._narration.happenings(opening.events, state):
            self._console.print(piece)
        for seat, bot in enumerate(bots):
            if bot.session.gone_reason:
                self._print(Text(f"{names[seat]} does not play: {bot.session.gone_reason}", "red"))
                self._show_log(seat)

    def played(self, steps: Sequence[tuple[Step, Any]]) -> None:
        """Tell decisions and what came of them; where a bot is at fault, also what it printed."""
        if self._quiet:
            return
        for step, state in steps:
            for piece in self._narration.step(step, state):
                self._console.print(piece)
            self._refused_of_late[step.seat] = 0
            if step.choice.fault is not None and step.choice.fault != "retired":
                self._at_fault.add(step.seat)
                self._show_log(step.seat)
        if self._verbose:
            for seat in range(len(self._bots)):
                self._show_log(seat)

    def refused(self, refusal: Refuse) -> None:
        """Tell an answer that was not taken, with the reason that the bot is given."""
        seat = refusal.seat
        if refusal.code == Code.TIMEOUT:  # there was no answer; the decision tells
            return
        self._refused.setdefault(seat, Counter())[refusal.code] += 1
        self._refused_of_late[seat] += 1
        if self._quiet or self._refused_of_late[seat] > MOST_REFUSED + 1:
            return
        name = self._narration.names[seat]
        said = f"{refusal.code}: {refusal.sentence}"
        if self._refused_of_late[seat] > MOST_REFUSED:
            said = "more answers to this decision, which are counted at the end"
        for piece in self._narration.aside(f"{name} is refused: {said}"):
            self._console.print(piece)

    def over(self, report: MatchReport) -> None:
        """Tell the final scoring."""
        if not self._quiet:
            for seat in range(len(self._bots)):
                if self._verbose or seat in self._at_fault:
                    self._show_log(seat)

    def summary(self, report: MatchReport, folder: Path, logs: Path) -> None:
        """Print the final scoring, what went wrong, and where everything is."""
        for piece in self._narration.result(report.outcome, report.retired):
            self._console.print(piece)
        self._print("")
        for seat, figures in enumerate(report.figures):
            told = _slips(dict(figures.faults), figures.refusals, self._refused.get(seat, Counter()))
            if not told:
                continue
            gone = self._bots[seat].session.gone_reason
            followed = "each was followed by one that was taken" if figures.refusals else "none of these was asked for"
            why = first_fault(figures, gone) or followed
            line = Text.assemble((self._narration.names[seat], "bold red"), f": {told}; {why}")
            self._print(line)
            self._print(f"  what it printed: {self._bots[seat].process.log_path}")
        if self._refused or any(figures.faults or figures.refusals for figures in report.figures):
            self._print("")
        again = ["gavelport", "play", *self._named, "--seed", self._casual.secret.hex()]
        match_id = self._casual.setup.match_id
        self._print(f"Replay  {ReplayFolder(folder).path(match_id)}")
        self._print(f"Logs    {logs}")
        self._print(f"Show    {shlex.join(['gavelport', 'replays', 'show', match_id, '--data', str(folder)])}")
        self._print(f"Again   {shlex.join(again)}")

    def _show_log(self, seat: int) -> None:
        lines = self._bots[seat].fresh_lines()
        name = self._narration.names[seat]
        if len(lines) > LAST_LINES and not self._verbose:
            self._print(Text(f"{name} │ … {len(lines) - LAST_LINES} lines more in its log", "yellow dim"))
            lines = lines[-LAST_LINES:]
        for line in lines:
            self._print(Text.assemble((f"{name} │ ", "yellow"), line))

    def _print(self, text: Text | str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


def _slips(faults: dict[Any, int], refusals: int, codes: Counter[str]) -> str:
    """Return a bot's faults and refused answers in words, empty where there are none.

    `codes` has answers to decisions that were not open too, and lacks those of whom nobody was there to tell.
    """
    told = []
    if faults:
        told.append(f"{counted(sum(faults.values()), 'fault', 'faults')}{_by_reason(faults)}")
    if many := max(refusals, codes.total()):
        told.append(f"{counted(many, 'answer', 'answers')} refused{_by_reason(dict(codes.most_common()))}")
    return ", ".join(told)


def _by_reason(counts: Mapping[Any, int]) -> str:
    return f" ({', '.join(f'{number} {why}' for why, number in counts.items())})" if counts else ""


def _as_json(casual: Casual, report: MatchReport, replay: Path, logs: Path) -> dict[str, Any]:
    outcome = report.outcome
    return {
        "match": casual.setup.match_id,
        "game": casual.setup.game.id,
        "seed": casual.secret.hex(),
        "end": outcome.end,
        "seats": [
            {
                "bot": name.bot,
                "version": name.version,
                "rank": outcome.ranks[seat],
                casual.setup.game.total_unit: outcome.totals[seat],
                "score": outcome.scores[seat],
                "decisions": figures.decisions,
                "mean_ms": round(figures.charged_ms / figures.decisions, 3) if figures.decisions else None,
                "slowest_ms": figures.slowest_ms,
                "refusals": figures.refusals,
                "faults": dict(Counter(dict(figures.faults))),
                "first_fault": figures.first_fault,
                "retired": seat in report.retired,
            }
            for seat, (name, figures) in enumerate(zip(casual.setup.seats, report.figures, strict=True))
        ],
        "replay": str(replay),
        "logs": str(logs),
    }


def _refuse(problems: Sequence[str]) -> int:
    for problem in problems:
        click.echo(f"error: {problem}", err=True)
    return REFUSED
