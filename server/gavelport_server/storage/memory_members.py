"""Owners, bots, versions, tokens and admins' actions in memory."""

from __future__ import annotations

from dataclasses import replace
from threading import RLock
from typing import TYPE_CHECKING

from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.members import BotRecord, OwnerRecord, VersionRecord
from gavelport_server.storage.times import utc_now

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gavelport_server.storage.members import ActionRecord, BotStatus, TokenRecord


class MemoryMembers:
    """`Members` that are gone with their process."""

    where = "the store in memory"

    def __init__(self) -> None:
        self._lock = RLock()
        self._revision = 0
        self._owners: dict[str, OwnerRecord] = {}
        self._bots: dict[str, BotRecord] = {}
        self._versions: dict[tuple[str, str], VersionRecord] = {}
        self._tokens: dict[str, TokenRecord] = {}
        self._actions: list[ActionRecord] = []

    def members_revision(self) -> int:
        """Return a number that grows with every change of owners, bots, versions or tokens."""
        return self._revision

    def add_owner(self, name: str, *, is_house: bool = False) -> OwnerRecord:
        """Add an owner, or return the one of that name."""
        with self._lock:
            if (found := self._owners.get(name)) is None:
                found = self._owners[name] = OwnerRecord(name, is_house, utc_now())
                self._revision += 1
            elif found.is_house != is_house:
                kind = "the house's own" if found.is_house else "not the house's"
                raise StoreError(f"{self.where}: owner {name} is there already and is {kind}; take another name")
            return found

    def owners(self) -> Sequence[OwnerRecord]:
        """Return all owners by name."""
        with self._lock:
            return [one for _, one in sorted(self._owners.items())]

    def add_bot(self, name: str, owner: str) -> BotRecord:
        """Add a bot, or return the owner's own of that name."""
        with self._lock:
            self._owner(owner)
            if (found := self._bots.get(name)) is None:
                found = self._bots[name] = BotRecord(name, owner, utc_now(), "active", "", "", "")
                self._revision += 1
            elif found.owner != owner:
                raise StoreError(f"{self.where}: bot {name} is another owner's; take another name")
            return found

    def bots(self) -> Sequence[BotRecord]:
        """Return all bots by name."""
        with self._lock:
            return [one for _, one in sorted(self._bots.items())]

    def set_status(self, bot: str, status: BotStatus, reason: str) -> BotRecord:
        """Withdraw, ban or put back a bot."""
        with self._lock:
            return self._changed(replace(self._bot(bot), status=status, status_reason=reason))

    def pin_version(self, bot: str, version: str) -> BotRecord:
        """Let one version alone play rated matches; empty lets any."""
        with self._lock:
            if version and (bot, version) not in self._versions:
                raise StoreError(f"{self.where}: bot {bot} has no version {version}")
            return self._changed(replace(self._bot(bot), pinned_version=version))

    def seen(self, bots: Sequence[str], at: str) -> None:
        """Take note that these bots were connected at that time."""
        with self._lock:
            for name in set(bots) & set(self._bots):
                self._bots[name] = replace(self._bots[name], last_seen_at=at)

    def add_version(self, bot: str, version: str, content_hash: str = "") -> VersionRecord:
        """Add a version, or return the one of that name. Another content under a version's name is an error."""
        with self._lock:
            self._bot(bot)
            if (found := self._versions.get((bot, version))) is None:
                number = 1 + sum(owner == bot for owner, _ in self._versions)
                found = self._versions[bot, version] = VersionRecord(bot, version, number, content_hash, utc_now())
                self._revision += 1
            elif found.content_hash != content_hash:
                raise StoreError(
                    f"{self.where}: bot {bot} {version} is there with other content; "
                    "give changed content another version"
                )
            return found

    def versions(self, bot: str | None = None) -> Sequence[VersionRecord]:
        """Return the versions of a bot, or of all, by bot and number."""
        with self._lock:
            chosen = [one for one in self._versions.values() if bot in (None, one.bot)]
            return sorted(chosen, key=lambda one: (one.bot, one.number))

    def add_token(self, token: TokenRecord) -> None:
        """Add a token."""
        with self._lock:
            if token.id in self._tokens:
                raise StoreError(f"{self.where} has token {token.id} already")
            if token.owner:
                self._owner(token.owner)
            if token.bot and self._bot(token.bot).owner != token.owner:
                raise StoreError(f"{self.where}: bot {token.bot} is another owner's than the token's {token.owner}")
            self._tokens[token.id] = token
            self._revision += 1

    def tokens(self) -> Sequence[TokenRecord]:
        """Return all tokens, oldest first."""
        with self._lock:
            return sorted(self._tokens.values(), key=lambda one: (one.created_at, one.id))

    def revoke_token(self, token_id: str, at: str) -> TokenRecord:
        """Revoke a token; one that is revoked already stays as it is."""
        with self._lock:
            if (found := self._tokens.get(token_id)) is None:
                raise StoreError(f"{self.where} has no token {token_id}")
            if not found.revoked_at:
                found = self._tokens[token_id] = replace(found, revoked_at=at)
                self._revision += 1
            return found

    def tokens_used(self, used: Mapping[str, str]) -> None:
        """Take note of the last use of tokens, by their ids; unknown ones do not matter."""
        with self._lock:
            for token_id in used.keys() & self._tokens.keys():
                self._tokens[token_id] = replace(self._tokens[token_id], last_used_at=used[token_id])

    def log_action(self, action: ActionRecord) -> None:
        """Keep what an admin did."""
        with self._lock:
            self._actions.append(action)

    def actions(self, limit: int) -> Sequence[ActionRecord]:
        """Return the latest actions, latest first."""
        with self._lock:
            return self._actions[::-1][:limit]

    def _owner(self, name: str) -> OwnerRecord:
        if name not in self._owners:
            raise StoreError(f"{self.where} knows no owner {name}; add the owner first")
        return self._owners[name]

    def _bot(self, name: str) -> BotRecord:
        if name not in self._bots:
            raise StoreError(f"{self.where} knows no bot {name}")
        return self._bots[name]

    def _changed(self, bot: BotRecord) -> BotRecord:
        if bot != self._bots[bot.name]:
            self._bots[bot.name] = bot
            self._revision += 1
        return bot
