"""The one error of every store."""

from __future__ import annotations


class StoreError(Exception):
    """The database cannot do what was asked; the text says what is wrong, where, and what to do about it."""
