"""The server's own log: JSON lines in a file or on stderr, so that stdout is left to whoever runs the command.

Lines hold the fields of `FIELDS` and no others: what is said of a match or a bot is an id, a name, a number or a fixed
sentence. Tokens, seeds, cards and messages have no field, so that none gets into a log by mistake.
"""

from __future__ import annotations

import logging
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

import structlog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, MutableMapping
    from pathlib import Path

FILE = "server.log"
LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
FIELDS = frozenset(
    {
        *("event", "level", "timestamp", "exception", "error", "error_id"),
        *("action", "actor", "again_in_s", "inputs", "key", "over", "subject"),
        *(
            "address",
            "attempts",
            "bot",
            "bots",
            "bytes",
            "callback",
            "cert",
            "code",
            "connected",
            "count",
            "decisions",
            "end",
            "epoch",
        ),
        *("exit_code", "ladder", "library", "match", "matches", "message", "method", "number", "owner", "path", "peer"),
        *(
            "played",
            "rated",
            "reason",
            "rest_s",
            "resumed",
            "running",
            "sdk",
            "seat",
            "seats",
            "seconds",
            "text",
            "token_id",
        ),
        *("version", "waited_s"),
    }
)
"""What a line may hold; `token_id` is a token's public half."""


@contextmanager
def log_to(folder: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Append what the server logs to `server.log` in a folder, which is made where it is missing.

    A log that cannot be written costs nothing but itself: `tell` is told once, in words, and the rest is not logged.
    """
    with log_lines(folder / FILE, "debug", tell):
        yield


@contextmanager
def log_lines(path: Path | None, level: str, tell: Callable[[str], None]) -> Iterator[None]:
    """Write what the server, and the libraries it uses, log from a level on.

    Args:
        path: the file, opened anew when another program has moved it away (logrotate); None: stderr.
        level: a key of `LEVELS`.
        tell: is told once, in words, when the file cannot be written; the rest is then not logged.
    """
    lines = _Lines(path, tell)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            only_fields,
            structlog.processors.JSONRenderer(),
            lines.append,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        cache_logger_on_first_use=False,
    )
    handler = _Libraries(max(LEVELS[level], logging.WARNING))
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
        structlog.reset_defaults()
        lines.close()


def only_fields(_logger: object, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Drop what has no place in a log, and name it, so that it is missed."""
    if strange := sorted(line.keys() - FIELDS):
        for name in strange:
            del line[name]
        line["text"] = f"left out, being no field of the log: {', '.join(strange)}"
    return line


class _Libraries(logging.Handler):
    """Warnings of libraries, as lines of ours."""

    def emit(self, record: logging.LogRecord) -> None:
        log = structlog.get_logger(record.name)
        log.log(record.levelno, "library", library=record.name, text=record.getMessage(), exc_info=record.exc_info)


class _Lines:
    """Lines in a file or on stderr, given up at the first that cannot be written."""

    def __init__(self, path: Path | None, tell: Callable[[str], None]) -> None:
        self._path = path
        self._tell = tell
        self._file: BinaryIO | None = None
        self._open()

    def append(self, _logger: object, _method: str, line: object) -> str:
        """Write a line; the last of the processors, so nothing is left for the logger to print."""
        if self._file is not None:
            try:
                if self._path is not None and self._moved(self._path):
                    self.close()
                    self._open()
                if self._file is not None:
                    self._file.write(f"{line}\n".encode())
            except OSError as error:
                self._give_up(error)
        raise structlog.DropEvent

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self) -> None:
        try:
            if self._path is None:
                self._file = os.fdopen(os.dup(sys.stderr.fileno()), "ab", buffering=0)
            else:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self._path.open("ab", buffering=0)
        except OSError as error:
            self._give_up(error)

    def _moved(self, path: Path) -> bool:
        assert self._file is not None
        ours = os.fstat(self._file.fileno())
        try:
            there = path.stat()
        except FileNotFoundError:
            return True
        return (ours.st_ino, ours.st_dev) != (there.st_ino, there.st_dev)

    def _give_up(self, error: OSError) -> None:
        where = self._path or "on stderr"
        self._tell(f"the server's log {where} cannot be written ({error.strerror}); this run goes on without it")
        self.close()
