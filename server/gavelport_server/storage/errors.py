"""What is wrong with a store."""

from __future__ import annotations


class StoreError(Exception):
    """The database cannot do what was asked; the text says what is wrong, where, and what to do about it."""


class FencedError(StoreError):
    """Another server has taken over the database: this one may write nothing more, and has to stop."""
