"""The commands `gavelport` and `run-tournament`. What a command needs is imported when that command runs."""

from __future__ import annotations

import importlib
from importlib.metadata import version
from typing import TYPE_CHECKING

import click

from gavelport_server.cli.groups import Group
from gavelport_server.cli.tournament import run_tournament

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["gavelport", "run_tournament"]

_COMMANDS = {
    "admin": "gavelport_server.cli.admin:admin",
    "bench": "gavelport_server.cli.bench:bench",
    "bots": "gavelport_server.cli.bots:bots",
    "check": "gavelport_server.cli.check:check",
    "collusion-report": "gavelport_server.cli.collusion:collusion_report",
    "db": "gavelport_server.cli.db:db",
    "doctor": "gavelport_server.cli.doctor:doctor",
    "init": "gavelport_server.cli.init:init",
    "ladder": "gavelport_server.cli.ladder:ladder",
    "logs": "gavelport_server.cli.logs:logs",
    "play": "gavelport_server.cli.match:play",
    "rate": "gavelport_server.cli.rate:rate",
    "replays": "gavelport_server.cli.replays:replays",
    "serve": "gavelport_server.cli.serve:serve",
    "run-tournament": "gavelport_server.cli.tournament:run_tournament",
    "status": "gavelport_server.cli.status:status",
    "submit": "gavelport_server.cli.submit:submit",
    "token": "gavelport_server.cli.token:token",
    "web": "gavelport_server.cli.web:web",
}


class _Lazy(Group):
    """A group whose commands are imported when they are called for."""

    def __init__(self, commands: Mapping[str, str], **settings: object) -> None:
        super().__init__(**settings)  # type: ignore[arg-type]  # click's own keywords, given by its decorator
        self._lazy = commands

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self._lazy)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self._lazy:
            return None
        module, _, command = self._lazy[name].partition(":")
        found = getattr(importlib.import_module(module), command)
        assert isinstance(found, click.Command)
        return found


@click.group(
    cls=_Lazy,
    commands=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 failed, 2 wrong usage or input, 130 stopped by Ctrl-C.",
)
@click.version_option(version("gavelport"), prog_name="gavelport")
def gavelport() -> None:
    """A tournament server for programmatic bots."""
