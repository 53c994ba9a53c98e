"""What a replay holds for a bot's owner alone, and how others still verify it (docs/replay-format.md).

Notes and the words of first faults are a bot's own. The chained hash runs over salted digests of them instead of the
texts, so a copy that holds the digest of a text verifies as well as one that holds the text. Without its salt a text
cannot be guessed at, however short. All salts come from one key, which only the stored replay has; a copy has the
salts of the texts that it holds.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

KEY_BYTES = 16
SALT_BYTES = 16
DIGEST_BYTES = 32


@dataclass(frozen=True, slots=True)
class Withheld:
    """A text that a copy does not hold, by its digest."""

    digest: bytes


PrivateText: TypeAlias = "str | Withheld"
"""A text; empty where the bot wrote nothing, which everybody may know."""


@dataclass(frozen=True, slots=True)
class Salts:
    """Where the salts of a replay's texts come from."""

    key: bytes = b""
    """Of the match; empty in a copy, and where there is no text."""
    own: Mapping[str, bytes] | None = None
    """In a copy that holds texts: their salts by label."""

    def of(self, label: str) -> bytes:
        """Return the salt of a text: HMAC-SHA256(key, label), the first 16 bytes."""
        if self.own is not None and label in self.own:
            return self.own[label]
        return hmac.digest(self.key, label.encode(), hashlib.sha256)[:SALT_BYTES]

    def digest(self, label: str, text: PrivateText) -> bytes:
        """Return SHA-256(salt ‖ text in UTF-8); nothing for an empty text."""
        if isinstance(text, Withheld):
            return text.digest
        return hashlib.sha256(self.of(label) + text.encode()).digest() if text else b""


NO_SALTS = Salts()
"""Of a replay without private texts."""


def note_label(number: int) -> str:
    """Return the label of the note with a decision, which are counted from 1."""
    return f"note {number}"


def fault_label(seat: int) -> str:
    """Return the label of the words of a seat's first fault."""
    return f"first fault {seat}"
