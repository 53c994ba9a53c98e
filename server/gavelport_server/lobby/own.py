"""Whose bots are whose. A bot that is somebody else's looks to its caller like one that there is not."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gavelport_server.conduct.results import printable
from gavelport_server.lobby.tokens import written
from gavelport_server.transport.link import ServiceError, StatusCode

if TYPE_CHECKING:
    from gavelport_server.lobby.gate import Caller
    from gavelport_server.storage.members import BotRecord, Members

_LONGEST_TEXT = 200


def own_bots(members: Members, caller: Caller) -> list[BotRecord]:
    """Return the bots that are the caller's own: of a bot's token that bot alone, and of an admin all."""
    bots = members.bots()
    match caller.scope:
        case "admin":
            return list(bots)
        case "owner":
            return [bot for bot in bots if bot.owner == caller.owner]
        case "bot":
            return [bot for bot in bots if bot.name == caller.bot]
        case "spectator":
            return []


def own_bot(members: Members, caller: Caller, name: str) -> BotRecord:
    """Return a bot of the caller's. Raises ServiceError where the caller has none of this name."""
    for bot in own_bots(members, caller):
        if bot.name == name:
            return bot
    whose = "there is no bot" if caller.scope == "admin" else "you have no bot"
    raise ServiceError(StatusCode.NOT_FOUND, f"{whose} {quoted(name)}; `gavelport bots list` tells which there are")


def secrets_of(members: Members, caller: Caller) -> frozenset[str]:
    """Return the bots whose notes and faults the caller may read: nobody's but the owner's, admins not excepted."""
    return frozenset() if caller.scope == "admin" else frozenset(bot.name for bot in own_bots(members, caller))


def quoted(text: str) -> str:
    """Return a text that came from outside, as it is told: short, on one line, without signs that move a cursor."""
    shown = printable(text[:64])
    return f'"{shown}…"' if len(text) > 64 else f'"{shown}"'


def sentence(text: str, field: str) -> str:
    """Return a reason or note as it is kept. Raises ServiceError for one that is too long or does not print."""
    if len(text) > _LONGEST_TEXT or any(unicodedata.category(sign).startswith("C") for sign in text):
        said = f"{field} should be up to {_LONGEST_TEXT} letters on one line"
        raise ServiceError(StatusCode.INVALID_ARGUMENT, said)
    return text.strip()


def needed(text: str, field: str) -> str:
    """Return the same of a text that must not be empty."""
    kept = sentence(text, field)
    if not kept:
        raise ServiceError(StatusCode.INVALID_ARGUMENT, f"{field} is missing; it is kept with what is done")
    return kept


def now_text() -> str:
    """Return the time as it is kept."""
    return written(datetime.now(UTC))
