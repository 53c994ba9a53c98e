"""Whose the bots of a ladder are, and whether they still play: what the API tells everybody, by the same rules."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gavelport_server.lobby.board import away_since, is_inactive

if TYPE_CHECKING:
    from gavelport_server.storage.members import Members


@dataclass(frozen=True, slots=True)
class Account:
    """What is public of a bot's account."""

    owner: str
    """Empty for a bot that is nobody's."""
    is_house: bool
    """Whether it is the server's own."""
    is_inactive: bool
    """Whether it is off the ladder, or has been away for so long that it has no rank."""


NOBODY = Account("", is_house=False, is_inactive=True)
"""Of a bot that is not among the accounts."""


def accounts_of(members: Members, now: datetime | None = None) -> dict[str, Account]:
    """Return the accounts of all bots by name. Raises StoreError."""
    house = {owner.name for owner in members.owners() if owner.is_house}
    # Who is connected is kept once a minute, so that nobody need ask the server.
    away = away_since(now or datetime.now(UTC))
    return {
        bot.name: Account(bot.owner, bot.owner in house, is_inactive(bot, away, is_connected=False))
        for bot in members.bots()
    }
