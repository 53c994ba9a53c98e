"""How every command ends when it is interrupted, in one place."""

from __future__ import annotations

import sys
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
            error.show()
            code = error.exit_code
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


def _stopped() -> int:
    click.echo("Stopped.", err=True)
    return BY_CTRL_C
