"""Tokens: `gp_`, the id (16 hex digits), `_`, the secret (256 bits, base64url) (design 9).

The id is public and names a token in lists. The secret is shown once, to whom the token was made for; kept is its
SHA-256. A secret that is random needs no slow hash.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from gavelport_server.storage.members import TokenRecord

if TYPE_CHECKING:
    from gavelport_server.storage.members import Scope

_FORM = re.compile(r"gp_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")


@dataclass(frozen=True, slots=True)
class Presented:
    """A token as somebody presents it: its id, and the hash of its secret."""

    id: str
    digest: bytes = field(repr=False)


def parse(text: str) -> Presented | None:
    """Return what a token's text holds, None where it has not the form of one."""
    found = _FORM.fullmatch(text)
    return None if found is None else Presented(found[1], _digest(found[2]))


def make(
    scope: Scope,
    *,
    owner: str = "",
    bot: str = "",
    note: str = "",
    now: datetime,
    expires_in: timedelta | None = None,
) -> tuple[str, TokenRecord]:
    """Return a new token's text, which is to be shown this once, and what is kept of it."""
    token_id, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
    record = TokenRecord(
        id=token_id,
        digest=_digest(secret),
        scope=scope,
        owner=owner,
        bot=bot,
        note=note,
        created_at=written(now),
        expires_at="" if expires_in is None else written(now + expires_in),
        revoked_at="",
        last_used_at="",
    )
    return f"gp_{token_id}_{secret}", record


def is_open(record: TokenRecord, now: datetime) -> bool:
    """Return whether a token opens anything: it is not revoked, and its time is not over."""
    return not record.revoked_at and (not record.expires_at or now < datetime.fromisoformat(record.expires_at))


def written(moment: datetime) -> str:
    """Return a time as the database keeps it: ISO 8601, UTC, to the second."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
