"""How every command ends when it is interrupted or wrongly used, and what groups tell of their commands."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from typing import Any

import click

BY_CTRL_C = 130


class Command(click.Command):
    """A command that a process may be started as."""

    def main(self, *arguments: Any, **settings: Any) -> Any:
        """Run the command and end the process. Ctrl-C ends it with 130, wherever it arrives; click would say 1.

        With `standalone_mode=False` this is click's own.
        """
        if not settings.get("standalone_mode", True):
            return super().main(*arguments, **settings)
        settings["standalone_mode"] = False
        try:
            code: Any = super().main(*arguments, **settings)
        except click.ClickException as error:
            code = _refused(error)
        except click.Abort as aborted:
            if not isinstance(aborted.__cause__, KeyboardInterrupt):
                raise
            code = _stopped()
        except BaseExceptionGroup as group:  # out of a nursery
            if group.split(KeyboardInterrupt)[1] is not None:
                raise
            code = _stopped()
        sys.exit(code)


class Group(Command, click.Group):
    """A command that has others."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is called for. Fails as wrong usage, naming those that are spelt alike."""
        name = args[0]
        known = self.list_commands(ctx)
        if name not in known and not name.startswith("-"):
            near = " or ".join(repr(one) for one in get_close_matches(name, known))
            raise click.UsageError(f"No such command {name!r}." + (f" Did you mean {near}?" if near else ""), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, each with its first sentence whole; click would cut it at the line's end."""
        rows = []
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            assert command is not None
            rows.append((name, command.get_short_help_str(limit=sys.maxsize)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _stopped() -> int:
    click.echo("Stopped.", err=True)
    return BY_CTRL_C


def _refused(error: click.ClickException) -> int:
    """Tell what was wrong as every command does, and return the exit code; click would begin it with a capital."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()  # which is the help
        return error.exit_code
    if isinstance(error, click.UsageError) and error.ctx is not None:
        click.echo(f"{error.ctx.get_usage()}\nTry '{error.ctx.command_path} --help' for help.\n", err=True)
    click.echo(f"error: {error.format_message()}", err=True)
    return error.exit_code
