"""Who takes part in ladders: owners, bots with their versions, tokens, and what admins did; and the protocol for them.

All times are ISO 8601 in UTC. A version is immutable: what a bot of that version is does not change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Scope: TypeAlias = Literal["bot", "owner", "spectator", "admin"]
"""What a token opens (access.proto)."""
BotStatus: TypeAlias = Literal["active", "withdrawn", "banned"]


@dataclass(frozen=True, slots=True)
class OwnerRecord:
    """Whoever answers for bots."""

    name: str
    is_house: bool
    """The server's own: its bots may meet each other at a rated table."""
    created_at: str


@dataclass(frozen=True, slots=True)
class BotRecord:
    """A bot, known by its name on the whole server."""

    name: str
    owner: str
    created_at: str
    status: BotStatus
    status_reason: str
    """Of a status that is not `active`, in words."""
    pinned_version: str
    """The one version that may play rated matches, where the owner rolled back to it; else empty."""
    last_seen_at: str
    """When it was last connected; empty before the first time."""


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """A version of a bot. `number` counts a bot's versions from 1, in the order in which they came."""

    bot: str
    version: str
    number: int
    content_hash: str
    """SHA-256 of what was submitted, hex; empty for a bot that runs elsewhere."""
    first_seen_at: str


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """A token as it is kept: never its secret."""

    id: str
    """16 hex digits; the public half of the token."""
    digest: bytes
    """SHA-256 of the secret half."""
    scope: Scope
    owner: str
    """Empty for spectators and admins that are nobody's."""
    bot: str
    """Of scope `bot`, else empty."""
    note: str
    created_at: str
    expires_at: str
    """Empty: never."""
    revoked_at: str
    """Empty: not."""
    last_used_at: str
    """Empty: never."""


@dataclass(frozen=True, slots=True)
class ActionRecord:
    """Something that an admin did."""

    at: str
    actor: str
    """The token's id, or `local` for a command on the server's own machine."""
    action: str
    subject: str
    reason: str


class Members(Protocol):
    """Where they are kept. Synchronous; every method is one transaction; raises StoreError.

    What contradicts what is there (a name that is another owner's, an owner or bot that does not exist) is a StoreError
    that says so.
    """

    def members_revision(self) -> int:
        """Return a number that grows with every change of owners, bots, versions or tokens, whoever makes it.

        That a token was used or a bot seen is no such change.
        """
        ...

    def add_owner(self, name: str, *, is_house: bool = False) -> OwnerRecord:
        """Add an owner, or return the one of that name."""
        ...

    def owners(self) -> Sequence[OwnerRecord]:
        """Return all owners by name."""
        ...

    def add_bot(self, name: str, owner: str) -> BotRecord:
        """Add a bot, or return the owner's own of that name."""
        ...

    def bots(self) -> Sequence[BotRecord]:
        """Return all bots by name."""
        ...

    def set_status(self, bot: str, status: BotStatus, reason: str) -> BotRecord:
        """Withdraw, ban or put back a bot."""
        ...

    def pin_version(self, bot: str, version: str) -> BotRecord:
        """Let one version alone play rated matches; empty lets any."""
        ...

    def seen(self, bots: Sequence[str], at: str) -> None:
        """Take note that these bots were connected at that time."""
        ...

    def add_version(self, bot: str, version: str, content_hash: str = "") -> VersionRecord:
        """Add a version, or return the one of that name. Another content under a version's name is an error."""
        ...

    def versions(self, bot: str | None = None) -> Sequence[VersionRecord]:
        """Return the versions of a bot, or of all, by bot and number."""
        ...

    def add_token(self, token: TokenRecord) -> None:
        """Add a token."""
        ...

    def tokens(self) -> Sequence[TokenRecord]:
        """Return all tokens, oldest first."""
        ...

    def revoke_token(self, token_id: str, at: str) -> TokenRecord:
        """Revoke a token; one that is revoked already stays as it is."""
        ...

    def tokens_used(self, used: Mapping[str, str]) -> None:
        """Take note of the last use of tokens, by their ids; unknown ones do not matter."""
        ...

    def log_action(self, action: ActionRecord) -> None:
        """Keep what an admin did."""
        ...

    def actions(self, limit: int) -> Sequence[ActionRecord]:
        """Return the latest actions, latest first."""
        ...
