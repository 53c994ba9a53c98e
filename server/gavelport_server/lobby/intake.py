"""What is looked at before a package is kept and examined: it is read as data, and nothing in it is run (design 9).

A version is immutable: what was submitted under its name stays. What was refused is no version, and may come mended
under the same name.
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from gavelport_server.conduct.manifest import FILE, ManifestError, bot_files, read_manifest
from gavelport_server.conduct.results import printable
from gavelport_server.lobby.own import now_text, own_bot
from gavelport_server.lobby.package import MIB, PackageError, unpacked, write
from gavelport_server.lobby.registration import register
from gavelport_server.lobby.tokens import written
from gavelport_server.storage.submissions import OPEN
from gavelport_server.transport.link import ServiceError, StatusCode

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Protocol

    from gavelport_server.conduct.manifest import BotManifest
    from gavelport_server.lobby.gate import Caller
    from gavelport_server.lobby.packages import Packages
    from gavelport_server.storage.members import BotRecord, Members
    from gavelport_server.storage.submissions import SubmissionRecord, Submissions

    class Accounts(Members, Submissions, Protocol):
        """Both of them."""


DAILY = 10
"""Submissions of one owner in 24 hours."""
KEPT_MIB = 1024
"""So much may the packages of an owner's versions take together."""
MANIFEST_BYTES = 4 * 1024
"""Of bot.toml; what nests deeply takes the square of its length to be read."""
_TOLD, _WIDTH = 5, 180
"""So many problems are told, each so long."""


class Intake:
    """Takes packages in."""

    def __init__(self, accounts: Accounts, packages: Packages) -> None:
        self._accounts = accounts
        self._packages = packages
        self._lock = threading.Lock()

    def require_room(self, owner: str) -> None:
        """Raise ServiceError where an owner has submitted as much as may be, in a day or in all."""
        now = datetime.now(UTC)
        past = self._accounts.submitted_since(owner, "")
        day_ago = written(now - timedelta(days=1))
        latest = [one for one in past if one.received_at >= day_ago]
        if len(latest) >= DAILY:
            free = datetime.fromisoformat(latest[-DAILY].received_at) + timedelta(days=1)
            text = f"{owner} has submitted {DAILY} times in 24 hours, which is the most"
            wait_s = max(1.0, (free - now).total_seconds())
            raise ServiceError(
                StatusCode.RESOURCE_EXHAUSTED, f"{text}; the next may come at {free:%H:%M} UTC", retry_s=wait_s
            )
        kept = {one.content_hash for one in past}
        if (taken := sum(map(self._packages.size, kept))) >= KEPT_MIB * MIB:
            text = f"{owner}'s versions take {taken // MIB:,} MiB, and {KEPT_MIB:,} are the most"
            raise ServiceError(StatusCode.RESOURCE_EXHAUSTED, f"{text}; ask whoever runs this server")

    def take(self, package: Path, caller: Caller) -> SubmissionRecord:
        """Keep a package that has come whole, and return its submission; that of before, where it is the same again.

        Raises ServiceError, with what is wrong and where.
        """
        with self._lock:  # one at a time: what is unpacked is in memory
            files = package.with_name("bot")
            try:
                manifest = _unpack(package, files)
            except (PackageError, ManifestError) as error:
                raise refusal(error.problems, files) from error
            bot = self._bot(caller, manifest)
            known = self._known(bot, manifest)
            if known is not None:
                return known
            self.require_room(bot.owner)
            self._packages.keep(package, files, manifest.content_hash)
            return self._accounts.add_submission(
                bot.name, manifest.version, manifest.content_hash, bot.owner, now_text()
            )

    def _bot(self, caller: Caller, manifest: BotManifest) -> BotRecord:
        """Return the bot whose version this is, registered where its name is free."""
        if caller.scope == "bot" and manifest.name != caller.bot:
            text = (
                f'{FILE}: name: is "{manifest.name}", and this token is for {caller.bot} alone; use its owner\'s token'
            )
            raise ServiceError(StatusCode.PERMISSION_DENIED, text)
        if caller.scope == "admin":
            bot = own_bot(self._accounts, caller, manifest.name)
        else:
            bot = register(self._accounts, manifest.name, caller.owner, is_admin=False)
        if bot.status == "banned":
            text = f"{bot.name} is banned; only whoever runs this server can lift that"
            raise ServiceError(StatusCode.FAILED_PRECONDITION, text)
        return bot

    def _known(self, bot: BotRecord, manifest: BotManifest) -> SubmissionRecord | None:
        """Return the submission that these files were before. Raises ServiceError where the version is taken."""
        other = f"{bot.name} {manifest.version} is there with other content; raise version in {FILE}"
        past = [one for one in self._accounts.submissions(bot.name) if one.version == manifest.version]
        for one in past:
            if one.status in OPEN and one.content_hash != manifest.content_hash:
                text = f"{bot.name} {manifest.version} is being examined with other content"
                raise ServiceError(StatusCode.ALREADY_EXISTS, f"{text}; wait for that, or raise version in {FILE}")
            if one.status != "refused" and one.content_hash == manifest.content_hash:
                return one
        for version in self._accounts.versions(bot.name):
            if version.version == manifest.version:
                if not version.content_hash:
                    other = (
                        f"{bot.name} {manifest.version} has played from elsewhere already, and a version does not "
                        f"change; raise version in {FILE}"
                    )
                raise ServiceError(StatusCode.ALREADY_EXISTS, other)
        return None


def refusal(problems: list[str], folder: Path) -> ServiceError:
    """Return problems of a package as they are told: paths as in the package, long ones cut."""
    told = []
    for problem in problems[:_TOLD]:
        text = problem.replace(f"{folder.resolve()}/", "").replace(f"{folder.resolve()}: ", "")
        text = printable(text)
        told.append(text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…")
    if len(problems) > _TOLD:
        told.append(f"and {len(problems) - _TOLD} more")
    return ServiceError(StatusCode.INVALID_ARGUMENT, "\n".join(told))


def _unpack(package: Path, files: Path) -> BotManifest:
    """Write a package's files into a folder and read what it says. Raises PackageError, ManifestError."""
    contents = unpacked(package.read_bytes())
    if len(contents.get(FILE, b"")) > MANIFEST_BYTES:
        raise PackageError([f"{FILE}: has more than {MANIFEST_BYTES} bytes"])
    write(contents, files)
    counted = {path.relative_to(files).as_posix() for path in bot_files(files)}
    if beyond := sorted(set(contents) - counted):
        raise PackageError(
            [
                f"{name!r}: is hidden, or made by a tool (node_modules, __pycache__), and would be no part of the "
                "version; leave it out, or put what the bot needs under another name"
                for name in beyond
            ]
        )
    return read_manifest(files)
