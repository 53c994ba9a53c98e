"""The errors of the archive."""

from __future__ import annotations


class ReplayError(Exception):
    """A replay cannot be read; the text says what is wrong with it."""


class SealError(ReplayError):
    """A replay is not as it was written, whatever may still be read of it."""


class ArchiveError(Exception):
    """The folder of replays cannot do what was asked; the text says what is wrong, where, and what to do about it."""


class JournalError(Exception):
    """The journal cannot be read or written; the text says what is wrong, in which file, and what to do about it."""
