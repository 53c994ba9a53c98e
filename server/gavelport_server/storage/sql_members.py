"""Owners, bots, versions, tokens and admins' actions in a SQL database."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import bindparam, func, insert, select, update

from gavelport_server.storage import schema
from gavelport_server.storage.database import Database
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.members import ActionRecord, BotRecord, OwnerRecord, TokenRecord, VersionRecord
from gavelport_server.storage.rows import read
from gavelport_server.storage.times import utc_now

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import ColumnElement, Connection, Table

    from gavelport_server.storage.members import BotStatus

_Record = TypeVar("_Record", OwnerRecord, BotRecord, VersionRecord, TokenRecord)


class SqlMembers(Database):
    """`Members` in a SQL database."""

    def members_revision(self) -> int:
        """Return a number that grows with every change of owners, bots, versions or tokens, whoever makes it."""
        with self._reading() as connection:
            return int(connection.execute(select(schema.members_revision.c.revision)).scalar_one())

    def add_owner(self, name: str, *, is_house: bool = False) -> OwnerRecord:
        """Add an owner, or return the one of that name."""
        with self._writing() as connection:
            revision = locked(connection)
            found = _all(connection, schema.owner, OwnerRecord, schema.owner.c.name == name)
            if not found:
                return _added(connection, revision, schema.owner, OwnerRecord(name, is_house, utc_now()))
            if found[0].is_house != is_house:
                kind = "the house's own" if found[0].is_house else "not the house's"
                raise StoreError(f"{self.where}: owner {name} is there already and is {kind}; take another name")
            return found[0]

    def owners(self) -> Sequence[OwnerRecord]:
        """Return all owners by name."""
        with self._reading() as connection:
            return _all(connection, schema.owner, OwnerRecord)

    def add_bot(self, name: str, owner: str) -> BotRecord:
        """Add a bot, or return the owner's own of that name."""
        with self._writing() as connection:
            revision = locked(connection)
            if not _all(connection, schema.owner, OwnerRecord, schema.owner.c.name == owner):
                raise StoreError(f"{self.where} knows no owner {owner}; add the owner first")
            found = _all(connection, schema.bot, BotRecord, schema.bot.c.name == name)
            if not found:
                return _added(connection, revision, schema.bot, BotRecord(name, owner, utc_now(), "active", "", "", ""))
            if found[0].owner != owner:
                raise StoreError(f"{self.where}: bot {name} is another owner's; take another name")
            return found[0]

    def bots(self) -> Sequence[BotRecord]:
        """Return all bots by name."""
        with self._reading() as connection:
            return _all(connection, schema.bot, BotRecord)

    def set_status(self, bot: str, status: BotStatus, reason: str) -> BotRecord:
        """Withdraw, ban or put back a bot."""
        with self._writing() as connection:
            return self._changed_bot(connection, bot, status=status, status_reason=reason)

    def pin_version(self, bot: str, version: str) -> BotRecord:
        """Let one version alone play rated matches; empty lets any."""
        with self._writing() as connection:
            versions = schema.bot_version.c
            mine = (versions.bot == bot) & (versions.version == version)
            if version and not _all(connection, schema.bot_version, VersionRecord, mine):
                raise StoreError(f"{self.where}: bot {bot} has no version {version}")
            return self._changed_bot(connection, bot, pinned_version=version)

    def seen(self, bots: Sequence[str], at: str) -> None:
        """Take note that these bots were connected at that time."""
        with self._writing() as connection:
            connection.execute(update(schema.bot).where(schema.bot.c.name.in_(bots)).values(last_seen_at=at))

    def add_version(self, bot: str, version: str, content_hash: str = "") -> VersionRecord:
        """Add a version, or return the one of that name. Another content under a version's name is an error."""
        with self._writing() as connection:
            return self._add_version(connection, locked(connection), bot, version, content_hash)

    def versions(self, bot: str | None = None) -> Sequence[VersionRecord]:
        """Return the versions of a bot, or of all, by bot and number."""
        table = schema.bot_version
        with self._reading() as connection:
            found = _all(connection, table, VersionRecord, None if bot is None else table.c.bot == bot)
            return sorted(found, key=lambda one: (one.bot, one.number))

    def add_token(self, token: TokenRecord) -> None:
        """Add a token."""
        with self._writing() as connection:
            revision = locked(connection)
            if _all(connection, schema.token, TokenRecord, schema.token.c.id == token.id):
                raise StoreError(f"{self.where} has token {token.id} already")
            if token.owner and not _all(connection, schema.owner, OwnerRecord, schema.owner.c.name == token.owner):
                raise StoreError(f"{self.where} knows no owner {token.owner}; add the owner first")
            if token.bot and self._bot(connection, token.bot).owner != token.owner:
                raise StoreError(f"{self.where}: bot {token.bot} is another owner's than the token's {token.owner}")
            _added(connection, revision, schema.token, token)

    def tokens(self) -> Sequence[TokenRecord]:
        """Return all tokens, oldest first."""
        with self._reading() as connection:
            return sorted(_all(connection, schema.token, TokenRecord), key=lambda one: (one.created_at, one.id))

    def revoke_token(self, token_id: str, at: str) -> TokenRecord:
        """Revoke a token; one that is revoked already stays as it is."""
        same = schema.token.c.id == token_id
        with self._writing() as connection:
            revision = locked(connection)
            found = _all(connection, schema.token, TokenRecord, same)
            if not found:
                raise StoreError(f"{self.where} has no token {token_id}")
            if found[0].revoked_at:
                return found[0]
            connection.execute(update(schema.token).where(same).values(revoked_at=at))
            _raise(connection, revision)
            return _all(connection, schema.token, TokenRecord, same)[0]

    def tokens_used(self, used: Mapping[str, str]) -> None:
        """Take note of the last use of tokens, by their ids; unknown ones do not matter."""
        if used:
            table = schema.token
            change = update(table).where(table.c.id == bindparam("token")).values(last_used_at=bindparam("used_at"))
            with self._writing() as connection:
                connection.execute(change, [{"token": token, "used_at": at} for token, at in sorted(used.items())])

    def log_action(self, action: ActionRecord) -> None:
        """Keep what an admin did."""
        with self._writing() as connection:
            connection.execute(insert(schema.action).values(**asdict(action)))

    def actions(self, limit: int) -> Sequence[ActionRecord]:
        """Return the latest actions, latest first."""
        table = schema.action
        with self._reading() as connection:
            rows = read(connection, table, select(table).order_by(table.c.id.desc()).limit(limit))
            return [ActionRecord(row.at, row.actor, row.action, row.subject, row.reason) for row in rows]

    # -- inside

    def _bot(self, connection: Connection, name: str) -> BotRecord:
        found = _all(connection, schema.bot, BotRecord, schema.bot.c.name == name)
        if not found:
            raise StoreError(f"{self.where} knows no bot {name}")
        return found[0]

    def _add_version(
        self, connection: Connection, revision: int, bot: str, version: str, content_hash: str
    ) -> VersionRecord:
        table = schema.bot_version
        self._bot(connection, bot)
        found = _all(connection, table, VersionRecord, (table.c.bot == bot) & (table.c.version == version))
        if not found:
            before = select(func.count()).select_from(table).where(table.c.bot == bot)
            number = connection.execute(before).scalar_one() + 1
            record = VersionRecord(bot, version, number, content_hash, utc_now())
            return _added(connection, revision, table, record)
        if found[0].content_hash != content_hash:
            raise StoreError(
                f"{self.where}: bot {bot} {version} is there with other content; give changed content another version"
            )
        return found[0]

    def _changed_bot(self, connection: Connection, name: str, **values: str) -> BotRecord:
        revision = locked(connection)
        before = self._bot(connection, name)
        connection.execute(update(schema.bot).where(schema.bot.c.name == name).values(**values))
        after = self._bot(connection, name)
        if after != before:
            _raise(connection, revision)
        return after


def locked(connection: Connection) -> int:
    """Return the revision, locked where the database has row locks, so that changes come one by one."""
    return int(connection.execute(select(schema.members_revision.c.revision).with_for_update()).scalar_one())


def _raise(connection: Connection, revision: int) -> None:
    connection.execute(update(schema.members_revision).values(revision=revision + 1))


def _added(connection: Connection, revision: int, table: Table, record: _Record) -> _Record:
    connection.execute(insert(table).values(**asdict(record)))
    _raise(connection, revision)
    return record


def _all(
    connection: Connection, table: Table, kind: type[_Record], condition: ColumnElement[bool] | None = None
) -> list[_Record]:
    """Return the records of a table whose columns are the record's attributes, ordered by its key."""
    chosen = select(table).order_by(*table.primary_key)
    if condition is not None:
        chosen = chosen.where(condition)
    records: list[Any] = [kind(**row._asdict()) for row in read(connection, table, chosen)]
    return records
