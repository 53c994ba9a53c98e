"""`gavelport doctor`: whether strangers' bots can be run on this machine, shown by attacks that must fail."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING

import click
from gavelport_engine.registry import GAMES
from rich.table import Table

from gavelport_server import shipped
from gavelport_server.cli.data import console, json_option, page_width
from gavelport_server.launcher.client import LauncherError, LauncherProcess
from gavelport_server.launcher.examine import MUST, examined
from gavelport_server.launcher.runtime import interpreter

if TYPE_CHECKING:
    from gavelport_server.launcher.examine import Finding

_PACKAGES = ("gavelport", "grpcio", "protobuf", "numpy")
"""By the names under which they are installed; `gavelport` brings the SDK and the engine (`launcher/runtime.py`)."""
_NODE_PACKAGES = ("@grpc/grpc-js", "@grpc/proto-loader")


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 the sandbox holds; 1 it does not, and hosted bots would be refused; 2 wrong usage.",
)
@click.option("--runtime", is_flag=True, help="Only print what hosted bots find installed, with its versions.")
@json_option
def doctor(*, runtime: bool, as_json: bool) -> None:
    """Attack the sandbox from inside and print what holds.

    Two bots are started as a server would start them, and one tries to get at the other, at the server, at the network
    and at more of the machine than is its share. Where anything gets through, a server refuses to host bots; bots that
    run elsewhere and connect still play. To be run as root, as the server is started.
    """
    if runtime:
        _print_runtime(as_json=as_json)
        return
    try:
        found = _found()
    except LauncherError as error:
        if as_json:
            click.echo(json.dumps({"holds": False, "problem": str(error), "effects": []}))
        else:
            click.echo(f"error: no bot can be hosted here: {error}", err=True)
        sys.exit(1)
    holds = all(finding.holds for finding in found)
    if as_json:
        click.echo(json.dumps({"holds": holds, "problem": "", "effects": [asdict(each) for each in found]}))
    else:
        _print(found)
    sys.exit(0 if holds else 1)


def _found() -> list[Finding]:
    process = LauncherProcess(shipped.node_modules())
    try:
        return examined(process)
    finally:
        process.close()


def _print_runtime(*, as_json: bool) -> None:
    found = _runtime()
    if as_json:
        click.echo(json.dumps(found))
        return
    width = max(map(len, found))
    for name, number in found.items():
        click.echo(f"{name:<{width}}  {number}")
    if "Node" not in found:
        click.echo("bots on Node are not hosted here: no node on PATH, or not what they need", err=True)


def _runtime() -> dict[str, str]:
    """Return what hosted bots find, each with its version; what is not installed is left out."""
    found = {"Python": platform.python_version()}
    found |= {name: version(name) for name in _PACKAGES}
    found["games"] = ", ".join(game.id for game in GAMES.values())
    node, modules = interpreter("node"), shipped.node_modules()
    if node is not None and modules is not None:
        told = subprocess.run([*node, "--version"], capture_output=True, text=True, check=True).stdout
        found["Node"] = told.strip().removeprefix("v")
        for name in _NODE_PACKAGES:
            found[name] = json.loads((modules / name / "package.json").read_text("utf-8"))["version"]
    return found


def _print(found: list[Finding]) -> None:
    screen = console()
    for title, must in (("Out of a bot's reach", False), ("What a bot must have", True)):
        table = Table(
            title=title, title_justify="left", box=None, show_header=False, pad_edge=False, title_style="bold"
        )
        table.add_column(width=1)
        table.add_column(max_width=page_width(screen) - 2)
        for finding in found:
            if (finding.name in MUST) is must:
                table.add_row("[green]✓[/]" if finding.holds else "[red]✗[/]", finding.what)
                if not finding.holds:
                    table.add_row("", f"[red]{finding.saw}[/]")
                    table.add_row("", f"[dim]remedy[/] {finding.remedy}")
        screen.print(table)
        screen.print()
    wrong = sum(not finding.holds for finding in found)
    if wrong:
        screen.print(f"[bold red]{wrong} of {len(found)} do not hold; bots are not hosted here.[/]")
    else:
        screen.print("[bold green]The sandbox holds.[/]")
