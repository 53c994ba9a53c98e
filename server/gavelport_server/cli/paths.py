"""Paths as the command line takes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


class NamedPath(click.Path):
    """A path that says which: an empty one, as an unset variable of a shell makes it, is not the current folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Fails as wrong usage where it is empty."""
        if value == "":
            self.fail("is empty; name a file or folder, or write . for the current folder", param, ctx)
        return super().convert(value, param, ctx)
