"""How a tournament is doing while it runs: a bar over the running table, or plain lines where nobody looks."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from gavelport_server.cli.data import counted
from gavelport_server.cli.tables import labels, running_table
from gavelport_server.conduct.summary import Tally

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from gavelport_server.storage.store import Result, Standing, TournamentRecord

LINES = 10
"""So many plain lines a tournament, one after each tenth of its matches."""
LEADERS = 5
"""So many bots are named in a line."""


class Bar:
    """A progress bar with the running table below, redrawn in place."""

    def __init__(self, console: Console, unit: str) -> None:
        self._unit = unit
        self._tally: Tally | None = None
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("matches"),
            TimeElapsedColumn(),
            TextColumn("[dim]left"),
            TimeRemainingColumn(),
            console=console,
            expand=True,
        )
        self._task = self._progress.add_task("", total=None)
        self._live = Live(self._progress, console=console, transient=True, refresh_per_second=4)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def started(self, record: TournamentRecord, results: Sequence[Result], matches: int) -> None:
        """Show the tournament with the results that stand already; `matches` are to be played in all."""
        self._tally = Tally(record)
        for result in results:
            self._tally.count(result)
        self._progress.update(self._task, description=record.name, total=matches, completed=len(results))

    def finished(self, result: Result, standings: Sequence[Standing]) -> None:
        """Show one more result."""
        assert self._tally is not None
        self._tally.count(result)
        self._progress.advance(self._task)
        self._live.update(Group(self._progress, "", running_table(self._tally.rows(standings), self._unit)))

    def notice(self, text: str) -> None:
        """Print a line above the bar."""
        self._live.console.print(f"[yellow]notice:[/] {text}", highlight=False, soft_wrap=True)


class Lines:
    """A line now and then, for logs."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._tally: Tally | None = None
        self._names: dict[int, str] = {}
        self._matches = self._done = 0
        self._since = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave nothing to be cleared away."""

    def started(self, record: TournamentRecord, results: Sequence[Result], matches: int) -> None:
        """Print what is going to be played."""
        self._tally, self._matches, self._done = Tally(record), matches, len(results)
        for result in results:
            self._tally.count(result)
        resumed = f", {self._done} of them played before" if self._done else ""
        self._names = labels(record.entrants)
        bots = ", ".join(self._names.values())
        played = counted(matches, "match", "matches")
        self._print(f"{record.name}: {record.game}, {record.seats} seats, {played}{resumed}: {bots}")

    def finished(self, result: Result, standings: Sequence[Standing]) -> None:
        """Count one more result, and print a line where another tenth is done."""
        assert self._tally is not None
        self._tally.count(result)
        before, self._done = self._done, self._done + 1
        if before * LINES // self._matches != self._done * LINES // self._matches:
            rows = self._tally.rows(standings)[:LEADERS]
            leaders = ", ".join(f"{self._names[row.entrant.number]} {row.elo:.0f}" for row in rows)
            self._print(f"{self._done} of {self._matches} matches, {time.monotonic() - self._since:.0f} s: {leaders}")

    def notice(self, text: str) -> None:
        """Print a line."""
        self._print(f"notice: {text}")

    def _print(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)


def progress_on(console: Console, unit: str) -> Bar | Lines:
    """Return what suits the console: the bar on a terminal, else lines."""
    return Bar(console, unit) if console.is_terminal else Lines(console)
