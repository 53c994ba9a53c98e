"""The way in: what `run` needs is read and checked before anything heavy is loaded."""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from gavelport_sdk.errors import Exit, SetupError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gavelport_sdk.bot import Bot


class Connection(NamedTuple):
    """Where the server is, who comes, and what for."""

    target: str
    token: str
    ca: bytes | None = None
    """Certificates in PEM that the server's is to be signed by, where the connection is TLS; None: the usual ones."""
    own: tuple[bytes, bytes] | None = None
    """Key and certificate of one's own in PEM, for a server that asks for one."""
    is_practice: bool = False
    """Whether the bot wants unrated matches only, on a ladder."""


def run(bot_class: type[Bot], *, max_matches: int = 1) -> NoReturn:
    """Play what the server at `GAVELPORT_TARGET` gives this bot, then end the process.

    Reads `GAVELPORT_TARGET` (host:port, tls:host:port or unix:PATH), `GAVELPORT_TOKEN`, and where they are set
    `GAVELPORT_CA`, `GAVELPORT_CERT` with `GAVELPORT_KEY`, and `GAVELPORT_QUEUE` (docs/protocol.md, "Connecting").
    Decisions are taken one at a time in the calling thread, also with `max_matches` above 1. A lost connection is made
    again by itself. The exit codes are those of `gavelport_sdk.errors.Exit`.
    """
    try:
        found = connection(os.environ)
        check(bot_class, max_matches)
    except SetupError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(Exit.SETUP)

    from gavelport_sdk.runner import play  # noqa: PLC0415  loads gRPC, which importing the SDK must not

    sys.exit(play(bot_class, found, max_matches=max_matches))


def connection(environment: Mapping[str, str]) -> Connection:
    """Return what the environment says. Raises SetupError."""
    values = []
    for name, what in (("GAVELPORT_TARGET", "where the server is: host:port or unix:PATH"), ("GAVELPORT_TOKEN", "")):
        value = environment.get(name, "")
        if not value.strip():
            meaning = what or "the bot's token, as `gavelport token` shows it once"
            raise SetupError(f"{name} is not set; it says {meaning}. A tournament sets both for the bots it starts")
        if not value.isascii() or not value.isprintable() or value != value.strip():
            raise SetupError(f"{name} has characters that cannot be sent (spaces at the ends, line ends, non-ASCII)")
        values.append(value)
    queue = environment.get("GAVELPORT_QUEUE") or "rated"
    if queue not in ("rated", "practice"):
        raise SetupError(f"GAVELPORT_QUEUE is {queue!r}; set it to practice for unrated matches only, or leave it out")
    ca, key, cert = (_pem(environment, name) for name in ("GAVELPORT_CA", "GAVELPORT_KEY", "GAVELPORT_CERT"))
    if (key is None) != (cert is None):
        raise SetupError("GAVELPORT_CERT and GAVELPORT_KEY belong together; set both, or neither")
    own = None if key is None or cert is None else (key, cert)
    return Connection(values[0], values[1], ca, own, queue == "practice")


def _pem(environment: Mapping[str, str], name: str) -> bytes | None:
    path = environment.get(name, "")
    if not path:
        return None
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise SetupError(f"{name}: {path} cannot be read ({error.strerror}); name a file in PEM") from None


def check(bot_class: type[Bot], max_matches: int) -> None:
    """Raise SetupError unless the class can be run."""
    games = bot_class.games
    if not isinstance(games, tuple) or not games or not all(isinstance(game, str) for game in games):
        from gavelport_engine.registry import GAMES  # noqa: PLC0415  loads every game, which importing the SDK must not

        raise SetupError(f'{bot_class.__name__}.games is {games!r}; write for example games = ("{min(GAMES)}",)')
    if max_matches < 1:
        raise SetupError(f"max_matches is {max_matches}; it is how many matches run at the same time, at least 1")


def version_of(bot_class: type[Bot]) -> str:
    """Return the class's `version`; where it names none, that of the `bot.toml` beside its file; else nothing."""
    file = getattr(sys.modules.get(bot_class.__module__), "__file__", None)
    if bot_class.version or file is None:
        return bot_class.version
    try:
        said = tomllib.loads((Path(file).parent / "bot.toml").read_text("utf-8")).get("version", "")
    except (OSError, ValueError):  # whoever needs a version says so, and `gavelport check` what is wrong with the file
        return ""
    return said if isinstance(said, str) else ""
