"""The server's own log: JSON lines in a file, so that the terminal is left to whoever runs the command."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import FileIO
    from pathlib import Path

FILE = "server.log"


@contextmanager
def log_to(folder: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Append what the server logs to `server.log` in a folder, which is made where it is missing.

    A log that cannot be written costs nothing but itself: `tell` is told once, in words, and the rest is not logged.
    """
    lines = _Lines(folder / FILE, tell)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
            lines.append,
        ],
        cache_logger_on_first_use=False,
    )
    try:
        yield
    finally:
        structlog.reset_defaults()
        lines.close()


class _Lines:
    """A file of lines, given up at the first that cannot be written."""

    def __init__(self, path: Path, tell: Callable[[str], None]) -> None:
        self._path = path
        self._tell = tell
        self._file: FileIO | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            self._give_up(error)

    def append(self, _logger: object, _method: str, line: object) -> str:
        """Write a line; the last of the processors, so nothing is left for the logger to print."""
        if self._file is not None:
            try:
                self._file.write(f"{line}\n".encode())
            except OSError as error:
                self._give_up(error)
        raise structlog.DropEvent

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()

    def _give_up(self, error: OSError) -> None:
        self._tell(f"the server's log {self._path} cannot be written ({error.strerror}); this run goes on without it")
        self.close()
        self._file = None
