"""Which version of a bot plays (design 6): a table in memory of owners, bots and versions, and the rules over it.

The version that plays is the one that the owner rolled back to, else the newest. A version is new when it first comes
for rated matches; from then on the one before plays only what it is at. Practice takes any version, and makes none new.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gavelport_server.conduct.admission import Refusal
from gavelport_server.transport.link import StatusCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gavelport_server.storage.members import BotRecord, OwnerRecord, VersionRecord

PIN = "gavelport bots rollback"
UNPIN = "gavelport bots rollback --lift"
RESTORE = "gavelport bots reinstate"
"""Commands that lift what is refused; the bot's name follows, of `PIN` also the version."""
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Roster:
    """Owners, bots and versions as the store has them, and new versions that it does not have yet."""

    def __init__(self) -> None:
        self._houses: frozenset[str] = frozenset()
        self._bots: dict[str, BotRecord] = {}
        self._versions: dict[str, list[str]] = {}
        self._contents: dict[tuple[str, str], str] = {}
        self.unsaved: list[tuple[str, str]] = []
        """New versions, as (bot, version), that are not in the store yet."""

    def load(self, owners: Iterable[OwnerRecord], bots: Iterable[BotRecord], versions: Iterable[VersionRecord]) -> None:
        """Take what the store has; new versions that it does not have yet stay."""
        self._houses = frozenset(owner.name for owner in owners if owner.is_house)
        self._bots = {bot.name: bot for bot in bots}
        self._versions = {}
        self._contents = {}
        for one in sorted(versions, key=lambda one: (one.bot, one.number)):
            self._versions.setdefault(one.bot, []).append(one.version)
            self._contents[one.bot, one.version] = one.content_hash
        self.unsaved = [pair for pair in self.unsaved if pair[1] not in self._versions.get(pair[0], ())]
        for bot, version in self.unsaved:
            self._versions.setdefault(bot, []).append(version)

    def bot(self, name: str) -> BotRecord | None:
        """Return a bot, None where there is none of this name."""
        return self._bots.get(name)

    @property
    def names(self) -> Sequence[str]:
        """The names of all bots."""
        return tuple(self._bots)

    def owner(self, bot: str) -> str:
        """Return who may not meet at a rated table: the bot's owner, empty for the house."""
        record = self._bots.get(bot)
        return "" if record is None or record.owner in self._houses else record.owner

    def playing(self, bot: str) -> str:
        """Return the version that plays rated matches; empty before there is any."""
        record = self._bots.get(bot)
        if record is not None and record.pinned_version:
            return record.pinned_version
        versions = self._versions.get(bot)
        return versions[-1] if versions else ""

    def content_hash(self, bot: str, version: str) -> str:
        """Return the hash of a version that was submitted, and runs on the server; empty for any other."""
        return self._contents.get((bot, version), "")

    def enter(self, bot: str, version: str) -> bool:
        """Take note of a version that has come for rated matches; return whether it is new."""
        versions = self._versions.setdefault(bot, [])
        if version in versions:
            return False
        versions.append(version)
        self.unsaved.append((bot, version))
        return True

    def why_not_in(self, bot: str, version: str, *, is_practice: bool) -> Refusal | None:
        """Return why a version that says Hello is not let in, None where it is."""
        record = self._bots.get(bot)
        if record is None:
            return Refusal(StatusCode.FAILED_PRECONDITION, f"there is no bot {bot} here any more; register it anew")
        if not _WORD.fullmatch(version):
            said = f"names the version {version[:64]!r}" if version else "names no bot_version"
            text = (
                f'Hello {said}; a ladder needs one, as `version = "1"` in bot.toml: 1 to 64 letters, digits, ".", "_" '
                'or "-", the first a letter or digit'
            )
            return Refusal(StatusCode.FAILED_PRECONDITION, text)
        if record.status == "banned":
            return Refusal(StatusCode.PERMISSION_DENIED, _status_words(record))
        if is_practice:
            return None
        if record.pinned_version and version != record.pinned_version:
            text = (
                f"{bot} was rolled back to version {record.pinned_version}, so that version {version} plays no rated "
                f"matches; `{UNPIN} {bot}` lifts that, and GAVELPORT_QUEUE=practice takes any"
            )
            return Refusal(StatusCode.FAILED_PRECONDITION, text)
        playing = self.playing(bot)
        if version != playing and version in self._versions.get(bot, ()):
            text = (
                f"version {playing} of {bot} came after version {version} and plays in its place; "
                f"`{PIN} {bot} {version}` rolls back to it, and GAVELPORT_QUEUE=practice takes any"
            )
            return Refusal(StatusCode.FAILED_PRECONDITION, text)
        return None

    def why_not_paired(self, bot: str) -> str:
        """Return why a bot that is there gets no new matches, in words; empty where it does."""
        record = self._bots.get(bot)
        if record is None:
            return f"there is no bot {bot} here any more"
        return "" if record.status == "active" else _status_words(record)


def _status_words(record: BotRecord) -> str:
    because = f" ({record.status_reason})" if record.status_reason else ""
    if record.status == "banned":
        return f"{record.name} is banned{because}; only whoever runs this server can lift that"
    return f"{record.name} is withdrawn{because} and gets no new matches; `{RESTORE} {record.name}` puts it back"
