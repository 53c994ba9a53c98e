"""What can go wrong, by whose fault it is; each ends the process with the exit code that it carries."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """The exit codes of `run` (docs/protocol.md, "Exit codes of the Python SDK")."""

    OVER = 0
    """The server ended the session."""
    BOT = 1
    """The bot raised an exception."""
    SETUP = 2
    """Something about target, token, protocol version or games is wrong; trying again would not help."""
    SERVER = 3
    """The server could not be reached for long (a minute; ten where it was reached before), or broke the protocol."""
    FENCED = 4
    """A newer connection with the same token took over."""
    INTERRUPTED = 130
    """Ctrl-C."""


class SetupError(Exception):
    """What the author, or whoever started the bot, has to mend; says what to do."""


class ProtocolError(Exception):
    """The server sent something that the protocol does not allow."""


class BotError(Exception):
    """The bot raised an exception; it is the `__cause__`, and the text says in which method, match and decision."""
