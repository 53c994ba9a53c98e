"""`gavelport check`: what a server looks at before it takes a bot; each finding a line, failures with their remedy."""

from __future__ import annotations

import json
import shutil
import signal
import sys
import tempfile
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from gavelport_server.cli.data import console, counted, json_option, page_width
from gavelport_server.cli.paths import NamedPath
from gavelport_server.conduct.checks.finding import Verdict
from gavelport_server.conduct.checks.run import check_bot
from gavelport_server.conduct.checks.sparring import SparringError
from gavelport_server.conduct.entrants import EntrantsError
from gavelport_server.conduct.local import unless_stopped
from gavelport_server.conduct.match import MatchVoid
from gavelport_server.log import log_to
from gavelport_server.transport import home

if TYPE_CHECKING:
    from rich.console import Console

    from gavelport_server.conduct.checks.finding import Finding

MARKS = {
    Verdict.PASSED: ("✓", "green"),
    Verdict.WARNING: ("!", "yellow"),
    Verdict.FAILED: ("✗", "red"),
    Verdict.LEFT_OUT: ("–", "dim"),
}
_NAME_WIDTH = 18
FAILED, BY_SIGNAL = 1, 128


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 nothing failed, though there may be warnings; 1 a check failed; 130 stopped by Ctrl-C.",
)
@click.argument("folder", type=NamedPath(), metavar="DIR")
@json_option
def check(folder: Path, *, as_json: bool) -> None:
    """Check a bot as a server will: its folder, its start, and real matches against sample bots.

    In these matches answers are refused on purpose, the stream is cut, questions are repeated, and messages of later
    versions are sent. Each failure says what, where, and the remedy.
    """
    findings: list[Finding] = []
    screen = console()

    def tell(finding: Finding) -> None:
        findings.append(finding)
        if not as_json:
            print_finding(screen, finding)

    logs = Path(tempfile.mkdtemp(prefix="gavelport-check-"))
    with nullcontext() if as_json or not screen.is_terminal else screen.status("checking"):
        code = _check(folder, logs, tell)
    verdicts = Counter(finding.verdict for finding in findings)
    if code == 0 and verdicts[Verdict.FAILED]:
        code = FAILED
    if code == 0 and not verdicts[Verdict.WARNING]:
        shutil.rmtree(logs)
    if as_json:
        click.echo(json.dumps(_as_json(folder, findings, logs, code), ensure_ascii=False))
    elif code in (0, FAILED) and findings:
        screen.print()
        screen.print(_summary(verdicts), soft_wrap=True)
        if logs.exists():
            screen.print(f"Logs  {logs}", markup=False, soft_wrap=True)
    sys.exit(code)


def _check(folder: Path, logs: Path, tell: Any) -> int:
    async def run() -> None:
        await check_bot(folder, logs, tell)

    try:
        with log_to(logs, lambda text: click.echo(f"notice: {text}", err=True)):
            stopped_by = home.run(unless_stopped, run)
    except MatchVoid:
        click.echo(f"error: a match is void by a fault of the server; see {logs / 'server.log'}", err=True)
        return FAILED
    except (SparringError, EntrantsError) as error:
        click.echo(f"error: {error}", err=True)
        return FAILED
    except BrokenPipeError:
        return BY_SIGNAL + signal.SIGPIPE
    if stopped_by is not None:
        click.echo("Stopped.", err=True)
        return BY_SIGNAL + stopped_by
    return 0


def print_finding(screen: Console, finding: Finding) -> None:
    """Print a finding: a line, and what goes with a failure below it."""
    mark, style = MARKS[finding.verdict]
    room = page_width(screen) - _NAME_WIDTH - 3

    def put(head: Text, text: str, style: str = "") -> None:
        for line in wrap(text, room) or [""]:
            head.pad_right(_NAME_WIDTH + 3 - len(head))
            screen.print(Text.assemble(head, (line, style)), soft_wrap=True)
            head = Text()

    put(Text.assemble((mark, style), " ", finding.check), finding.what)
    if finding.verdict in (Verdict.PASSED, Verdict.LEFT_OUT):
        return
    for name, text in (("where", finding.where), ("remedy", finding.remedy)):
        if text:
            put(Text(f"    {name}", "dim"), text)
    if finding.printed:
        screen.print(Text("    it printed", "dim"))
    room = page_width(screen) - 6
    for line in finding.printed:
        screen.print(Text("      " + (line if len(line) <= room else f"{line[: room - 1]}…"), "dim"), soft_wrap=True)


def _summary(verdicts: Counter[Verdict]) -> Text:
    passed, failed, warned = (verdicts[one] for one in (Verdict.PASSED, Verdict.FAILED, Verdict.WARNING))
    told = [f"{counted(passed, 'check', 'checks')} passed"]
    if warned:
        told.append(counted(warned, "warning", "warnings"))
    if failed:
        told.append(f"{failed} failed")
    return Text(", ".join(told) + ".", "bold red" if failed else "bold green")


def _as_json(folder: Path, findings: list[Finding], logs: Path, code: int) -> dict[str, Any]:
    return {
        "bot": str(folder),
        "passed": code == 0,
        "checks": [
            {
                "check": finding.check,
                "verdict": finding.verdict,
                "what": finding.what,
                "where": finding.where,
                "remedy": finding.remedy,
                "printed": list(finding.printed),
            }
            for finding in findings
        ],
        "logs": str(logs) if logs.exists() else None,
    }
