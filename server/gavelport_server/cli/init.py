"""`gavelport init`: a new bot that plays at once."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from gavelport_server import shipped
from gavelport_server.scaffold import ScaffoldError, make_bot

_TEMPLATES = shipped.bot_templates()
_BEGIN = {"python": "main.py", "node": "strategy.js"}
REFUSED = 2


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 made; 2 the name cannot be used, or the folder is there already.",
)
@click.argument("name")
@click.option("--game", type=click.Choice(list(_TEMPLATES)), default=next(iter(_TEMPLATES)), show_default=True)
@click.option(
    "--language",
    type=click.Choice(sorted({language for templates in _TEMPLATES.values() for language in templates})),
    default="python",
    show_default=True,
)
def init(name: str, game: str, language: str) -> None:
    """Make the folder NAME with a bot that plays legally at once, and its test."""
    try:
        folder = make_bot(name, Path(), game, language)
    except ScaffoldError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(REFUSED)
    click.echo(f"{folder} holds a bot for {game} that plays at once. Its strategy is in {_BEGIN[language]}.")
    click.echo("Next:\n")
    for line in (f"cd {folder}", *next_steps(folder)):
        click.echo(f"  {line}")


def next_steps(folder: Path) -> list[str]:
    """Return the commands with which a new bot's README goes on, each with what it does."""
    block = re.search(r"```sh\n(.*?)```", (folder / "README.md").read_text("utf-8"), re.DOTALL)
    return [] if block is None else block[1].replace("  # ", "  ").splitlines()
