"""`gavelport logs`: what went wrong with a bot: the decision, what it saw, and what it printed."""

from __future__ import annotations

import json
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from gavelport_server.cli.data import console, json_option, page_width
from gavelport_server.cli.remote import connected, end_with_server, print_json, server_option
from gavelport_server.cli.remote_tables import when
from gavelport_server.conduct.results import printable
from gavelport_server.lobby import mishaps

if TYPE_CHECKING:
    from rich.console import Console

FAILED = 1
_INDENT = "  "
_KEY_WIDTH = 14


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 refused or out of reach, 2 wrong usage.",
)
@click.argument("bot")
@click.option("--match", "match_id", default="", metavar="ID", help="This match alone, also one without faults.")
@click.option(
    "--last", type=click.IntRange(1, 100), default=1, show_default=True, metavar="N", help="So many faulty matches."
)
@server_option
@json_option
def logs(bot: str, match_id: str, last: int, server: str | None, *, as_json: bool) -> None:
    """Tell what went wrong with BOT, latest first: the decision, what the bot saw, and what it printed.

    Only its owner is told. What it printed is kept of bots that the server runs: of its latest matches the first and
    the last 256 KiB each; of these, long logs are shown shortened, and whole with --json.
    """

    def run() -> int:
        with connected(server) as client:
            matches = mishaps.faulty_matches(client, bot, match_id, last)
            told = [mishaps.told(client, bot, match) for match in matches]
            start = mishaps.printed(client, bot, mishaps.START) if not match_id else None
            notice = mishaps.notice(client, bot)
        if as_json:
            print_json({"bot": bot, "notice": notice, "matches": told, "start": start if notice else None})
            return 0
        screen = console()
        if notice:
            screen.print(Text(notice, "yellow"))
            _print_log(screen, start)
            screen.print()
        for one in told:
            _print(screen, one)
        if not told and not notice:
            click.echo(f"no faults of {bot} in its latest matches; --match ID shows any match", err=True)
        return 0

    end_with_server(run, server)


# -- for people


def _print(screen: Console, one: dict[str, Any]) -> None:
    faults = ", ".join(f"{number} {reason}" for reason, number in sorted(one["faults"].items())) or "no faults"
    title = Text.assemble(("match ", "dim"), (one["match_id"], "bold"), f"  {when(one['finished_at'])}")
    screen.print(title, soft_wrap=True)
    _field(screen, "seat", f"{one['seat']}, version {one['version']}")
    _field(screen, "faults", faults + ("; retired" if one["retired"] else ""), "red" if one["faults"] else "")
    if one["first_fault"]:
        _field(screen, "first fault", printable(one["first_fault"], "\t"))
    decision = one["decision"]
    if decision is not None:
        told = f"{decision['asked']} of its own, turn {decision['turn']}, {decision['phase']}, {decision['ms']} ms"
        _field(screen, "decision", f"{told}: {decision['fault']}")
        _field(screen, "default played", json.dumps(decision["action"], ensure_ascii=False))
        screen.print(Text(f"{_INDENT}it saw", "dim"))
        for label, part in mishaps.parts_of(decision["observation"]):
            _field(screen, label, json.dumps(part, ensure_ascii=False), indent=2 * _INDENT)
    _print_log(screen, one["printed"])
    screen.print()


def _print_log(screen: Console, printed: str | None) -> None:
    if printed is None:
        screen.print(Text(f"{_INDENT}nothing is kept of what it printed", "dim"))
        return
    lines = printed.splitlines()
    screen.print(Text(f"{_INDENT}it printed" if lines else f"{_INDENT}it printed nothing", "dim"))
    for line in mishaps.shortened(lines, "--json prints them all"):
        screen.print(Text(2 * _INDENT + printable(line, "\t")), soft_wrap=True)


def _field(screen: Console, label: str, text: str, style: str = "", indent: str = _INDENT) -> None:
    """Print a label and its text, wrapped beside it."""
    head = Text(f"{indent}{label:<{_KEY_WIDTH}} ", "dim")
    room = max(20, page_width(screen) - len(head))
    for line in wrap(text, room, break_on_hyphens=False) or [""]:
        screen.print(Text.assemble(head, (line, style)), soft_wrap=True)
        head = Text(" " * len(head))
