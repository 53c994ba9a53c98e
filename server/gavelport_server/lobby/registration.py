"""Names taken for bots and owners."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_server import shipped
from gavelport_server.lobby.own import quoted
from gavelport_server.scaffold import NAME, NAME_FORM
from gavelport_server.transport.link import ServiceError, StatusCode

if TYPE_CHECKING:
    from gavelport_server.storage.members import BotRecord, Members

MAX_BOTS = 50
"""Of one owner."""


def register(members: Members, name: str, owner: str, *, is_admin: bool) -> BotRecord:
    """Return the owner's bot of a name, added where it is new, as is the owner.

    Raises ServiceError for what is no name, is somebody else's or a sample bot's, or where the owner has too many bots.
    """
    if not NAME.fullmatch(name):
        raise ServiceError(StatusCode.INVALID_ARGUMENT, f"{quoted(name)} is no name of a bot: {NAME_FORM}")
    bots = members.bots()
    held = next((bot for bot in bots if bot.name == name), None)
    if held is not None and held.owner != owner:
        raise ServiceError(StatusCode.ALREADY_EXISTS, f"the name {name} is taken; choose another")
    if held is None and not is_admin:
        if shipped.sample_bot(name) is not None:
            text = f"{name} is the name of a sample bot, which is the server's own; choose another"
            raise ServiceError(StatusCode.ALREADY_EXISTS, text)
        if sum(bot.owner == owner for bot in bots) >= MAX_BOTS:
            raise ServiceError(StatusCode.RESOURCE_EXHAUSTED, f"{owner} has {MAX_BOTS} bots, which is the most")
    add_owner(members, owner)
    return members.add_bot(name, owner)


def add_owner(members: Members, name: str) -> str:
    """Return an owner's name, added where it is new. Raises ServiceError for what is no name."""
    if not NAME.fullmatch(name):
        raise ServiceError(StatusCode.INVALID_ARGUMENT, f"{quoted(name)} is no name of an owner: {NAME_FORM}")
    return members.add_owner(name).name
