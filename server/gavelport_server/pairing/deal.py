"""What a pairing is dealt from and what its match is called."""

from __future__ import annotations

import hashlib
import hmac

MATCH_ID_DIGITS = 20
"""80 bits: no two matches of one archive will share an id by chance."""


def deal_seed(secret: bytes, deal: int) -> bytes:
    """Return the 32-byte seed of a deal: HMAC-SHA256(secret, `deal N`), unpredictable without the secret (design 4).

    It depends on nothing else, so the same secret deals the same cards to other entrants.
    """
    return hmac.digest(secret, f"deal {deal}".encode(), hashlib.sha256)


def match_id(identity: str, number: int) -> str:
    """Return the id of a tournament's match, 20 hex digits; the same whenever and wherever the match is played.

    It is made from what is public, so it tells nothing of the seed.
    """
    return hashlib.sha256(f"{identity} match {number}".encode()).hexdigest()[:MATCH_ID_DIGITS]
