"""The gate: which token is whose, answered at once from a table in memory (design 9).

The table follows the database: its revision is looked at each second, and at once, but no more than five times a
second for all who ask, when a token comes that the table does not know. So another process may make or revoke tokens
(`gavelport token`), and a revoked one is worth nothing within a second. While the database cannot be read, the table
stays as it was.

Everything here is called in the trio thread.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import structlog
import trio

from gavelport_server.lobby.tokens import is_open, parse, written
from gavelport_server.storage.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gavelport_server.storage.members import Members, Scope, TokenRecord

POLL_S = 1.0
SOONEST_S = 0.2
"""Between two looks into the database."""
_PATIENCE_S = 5.0
"""How long whoever presents an unknown token waits for the database."""
_NO_DIGEST = bytes(32)
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever called with a token that opens something."""

    token_id: str
    scope: Scope
    owner: str
    """Empty for spectators and admins that are nobody's."""
    bot: str
    """Of scope `bot`, else empty."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Gate:
    """The tokens of a store. `run` keeps the table up to date; without it, `refresh` does so once."""

    def __init__(self, members: Members, *, now: Callable[[], datetime] = _utc_now) -> None:
        self._members = members
        self._now = now
        self._tokens: Mapping[str, TokenRecord] = {}
        self._open: frozenset[str] = frozenset()
        self._revision = -1
        self._listeners: list[Callable[[str], None]] = []
        self._used: dict[str, str] = {}
        """Tokens used since that was last written, with the minute."""
        self._used_written: dict[str, str] = {}
        self._wanted = trio.Event()
        self._looked = trio.Event()

    def on_revoked(self, call: Callable[[str], None]) -> None:
        """Have `call` told the id of every token that was revoked or has expired, once and in the trio thread."""
        self._listeners.append(call)

    def caller(self, token_text: str) -> Caller | None:
        """Return who calls with this token, None where it opens nothing."""
        presented = parse(token_text)
        if presented is None:
            return None
        record = self._tokens.get(presented.id)
        is_right = hmac.compare_digest(presented.digest, _NO_DIGEST if record is None else record.digest)
        now = self._now()
        if record is None or not is_right or not is_open(record, now):
            return None
        self._used[record.id] = written(now.replace(second=0))
        return Caller(record.id, record.scope, record.owner, record.bot)

    async def caller_after_refresh(self, token_text: str) -> Caller | None:
        """Return the same after a look into the database, where the table does not know the token."""
        caller = self.caller(token_text)
        presented = parse(token_text)
        if caller is None and presented is not None and presented.id not in self._tokens:
            self.look_soon()
            with trio.move_on_after(_PATIENCE_S):
                await self._looked.wait()
            caller = self.caller(token_text)
        return caller

    def look_soon(self) -> None:
        """Have the running gate look into the database without waiting for its time."""
        self._wanted.set()

    def is_open(self, token_id: str) -> bool:
        """Return whether a token, known by its id, still opens anything."""
        record = self._tokens.get(token_id)
        return record is not None and is_open(record, self._now())

    async def run(self) -> None:
        """Follow the database until cancelled."""
        has_failed = False
        while True:
            self._wanted = trio.Event()
            # Who asks from here on waits for the next look: this one may come too early for their token.
            looked, self._looked = self._looked, trio.Event()
            try:
                await self.refresh()
                await self._write_used()
            except StoreError as error:
                if not has_failed:  # once, as this comes every second
                    _log.error("gate_store_failed", reason=str(error))
                has_failed = True
            else:
                has_failed = False
            looked.set()
            await trio.sleep(SOONEST_S)
            with trio.move_on_after(POLL_S - SOONEST_S):
                await self._wanted.wait()

    async def refresh(self) -> None:
        """Look into the database now, and tell the listeners what opens nothing any more. Raises StoreError."""
        found = await trio.to_thread.run_sync(self._read, self._revision)
        if found is not None:
            self._revision, self._tokens = found
        now = self._now()
        opening = frozenset(one.id for one in self._tokens.values() if is_open(one, now))
        closed, self._open = self._open - opening, opening
        for token_id in sorted(closed):
            _log.info("token_closed", token_id=token_id)
            for call in self._listeners:
                call(token_id)

    def _read(self, known: int) -> tuple[int, dict[str, TokenRecord]] | None:
        # The revision first: what changes in between is read again the next time.
        revision = self._members.members_revision()
        return None if revision == known else (revision, {one.id: one for one in self._members.tokens()})

    async def _write_used(self) -> None:
        due = {token: at for token, at in self._used.items() if self._used_written.get(token) != at}
        self._used.clear()
        if due:
            self._used_written |= due
            await trio.to_thread.run_sync(self._members.tokens_used, due)
