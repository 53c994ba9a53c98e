"""The one form of times in the database."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> str:
    """Return the time as ISO 8601 in UTC, to the second; such texts are ordered as the times are."""
    return datetime.now(UTC).isoformat(timespec="seconds")
