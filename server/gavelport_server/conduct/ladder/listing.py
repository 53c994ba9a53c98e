"""What ladders are at a moment, for whoever lists it: matches that run, bots that are connected, who waits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunningMatch:
    """A running match, for whoever lists them."""

    match_id: str
    ladder: str
    is_rated: bool
    bots: tuple[str, ...]
    """By seat."""
    started_at: str
    decisions: int


@dataclass(frozen=True, slots=True)
class ConnectedBot:
    """A version of a bot that is connected."""

    bot: str
    version: str
    is_practice: bool
    matches: int
    """Running."""


@dataclass(frozen=True, slots=True)
class Queue:
    """Who waits on a ladder."""

    ladder: str
    waiting: tuple[str, ...]
    """Bots that are free for rated matches."""
    practising: tuple[str, ...]
    running: int
    """Matches, of both kinds."""
