"""Who meets whom on a ladder, out of those who wait at one moment (design 5, 6).

Whoever is most urgent gets a table first, and the others at it are those who are near by rating, wait long and are
known little. A bot's urgency grows with its waiting without bound, and faster while it has few matches: so nobody
starves, and new bots find their place soon. Who has few matches counts as near: its rating says little.

What never happens: two bots of one owner at a table (but the house's), a pair beyond its day's number, a bot beyond its
hour's, and a table of house bots alone that are all settled, which would go on for ever and tell nobody anything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping, Sequence

SETTLED_MATCHES = 30
"""With so many a bot is no longer provisional (design 6)."""
PAIR_MOST = 400
"""Matches of a pair in 24 hours."""
HOUR_MOST = 240
"""Matches of a bot in an hour."""
PATIENCE_S = 4.0
"""So long a bot waits for better company, as long as others are still playing: those of a match that has just ended
would else meet again and again, however far apart they are."""
TABLES_AT_ONCE = 25
"""No more are made in one call, which takes the time of the matches that run; the next call makes the next."""

_EAGERNESS = 3.0
"""The waiting of a bot without matches counts so many times that of one with many."""
_COMPANY_TABLES = (2, 6)
"""Company is good once the bots of so many tables wait: the first in a small field, the second in a large one."""
_COMPANY_SHARE = 1 / 8
"""Of those who play, so many waiting are good company, between the two bounds above."""
_CANDIDATES = 100
"""An anchor looks at the most urgent so many: with thousands waiting, others are as near."""
_JITTER = 60.0
"""Elo points of chance, so that the same bots do not sit together for ever."""
_PER_MEETING = 15.0
"""Elo points by which a pair is farther apart for each meeting of the last day."""
_MEETINGS_MOST = 40
_PER_SECOND = 2.0
"""Elo points by which a second of waiting brings a bot nearer."""
_UNKNOWN = 350.0
"""How far the rating of a bot without matches may be off; falls with the root of their number."""
_TRUSTED = 150.0


@dataclass(frozen=True, slots=True)
class Waiting:
    """A bot that is free for a match."""

    bot: str
    owner: str
    """Empty for the house's."""
    elo: float
    matches: int
    """Its rated ones here, of all versions."""
    since: float
    """When it became free, in seconds of the clock that `now` is of."""
    recent: int = 0
    """Matches in the last hour."""


def tables(
    waiting: Sequence[Waiting],
    seats: int,
    now: float,
    rng: random.Random,
    met: Mapping[frozenset[str], int],
    *,
    playing: int = 0,
    pair_most: int = PAIR_MOST,
    hour_most: int = HOUR_MOST,
) -> list[tuple[str, ...]]:
    """Return tables that can begin now, each with its bots by seat.

    Args:
        waiting: Who is free, each bot once.
        seats: Of a table.
        now: The time.
        rng: Draws seats and chance; the same numbers give the same tables.
        met: How often pairs of bots met in the last 24 hours.
        playing: How many others play now, and will be free some time.
        pair_most: So often a pair meets in 24 hours.
        hour_most: So many matches a bot plays in an hour.
    """
    free = [one for one in waiting if one.recent < hour_most]
    free.sort(key=lambda one: (-_urgency(one, now), one.bot))
    least, most = (tables * seats for tables in _COMPANY_TABLES)
    company = min(most, max(least, int(playing * _COMPANY_SHARE))) if playing else 0
    found: list[tuple[str, ...]] = []
    at = 0
    while len(free) >= seats and at < len(free) and len(found) < TABLES_AT_ONCE:
        anchor = free[at]
        has_time = now - anchor.since < PATIENCE_S
        if _is_settled_house(anchor) or (has_time and len(free) < company):
            at += 1
            continue
        table = _table(anchor, [one for one in free if one is not anchor], seats, now, rng, met, pair_most)
        if table is None:
            at += 1
            continue
        rng.shuffle(table)
        found.append(tuple(one.bot for one in table))
        seated = set(found[-1])
        at = sum(one.bot not in seated for one in free[:at])
        free = [one for one in free if one.bot not in seated]
    return found


def held_back(
    waiting: Sequence[Waiting],
    seats: int,
    met: Mapping[frozenset[str], int],
    *,
    pair_most: int = PAIR_MOST,
    hour_most: int = HOUR_MOST,
) -> dict[str, str]:
    """Return who of those that wait cannot be at a table for now, by bot, with the reason in words.

    A bot has had its matches of the hour, or its meetings of the day with all but too few of those who are there.
    """
    found: dict[str, str] = {}
    for one in waiting:
        if one.recent >= hour_most:
            found[one.bot] = f"it has played {one.recent} matches in the last hour, and {hour_most} are the most"
            continue
        others = [other for other in waiting if _may_meet(one, other, {}, pair_most)]
        free = sum(_may_meet(one, other, met, pair_most) for other in others)
        if free < seats - 1 <= len(others):
            found[one.bot] = (
                f"it has met {len(others) - free} of the {len(others)} bots that wait as often as a pair may in 24 "
                f"hours, {pair_most} times, and the others are too few for a table"
            )
    return found


def _table(
    anchor: Waiting,
    others: Sequence[Waiting],
    seats: int,
    now: float,
    rng: random.Random,
    met: Mapping[frozenset[str], int],
    pair_most: int,
) -> list[Waiting] | None:
    """Return the anchor with the nearest that may sit with it and with each other; None where they are too few."""
    by_distance = sorted(
        (_distance(anchor, one, now, met) + rng.gauss(0.0, _JITTER), one.bot, one) for one in others[:_CANDIDATES]
    )
    # Beyond those, for an anchor that may meet few, whoever comes next.
    candidates = [one for _, _, one in by_distance] + list(others[_CANDIDATES:])
    table = [anchor]
    for one in candidates:
        if all(_may_meet(one, seated, met, pair_most) for seated in table):
            table.append(one)
            if len(table) == seats:
                return table
    return None


def _may_meet(one: Waiting, other: Waiting, met: Mapping[frozenset[str], int], pair_most: int) -> bool:
    if one.bot == other.bot or (one.owner == other.owner and one.owner):
        return False
    return met.get(frozenset((one.bot, other.bot)), 0) < pair_most


def _is_settled_house(one: Waiting) -> bool:
    return not one.owner and one.matches >= SETTLED_MATCHES


def _urgency(one: Waiting, now: float) -> float:
    eagerness = 1.0 + (_EAGERNESS - 1.0) * SETTLED_MATCHES / (SETTLED_MATCHES + one.matches)
    return (1.0 + max(0.0, now - one.since)) * eagerness


def _distance(anchor: Waiting, one: Waiting, now: float, met: Mapping[frozenset[str], int]) -> float:
    """Return how far two bots are apart, in points of Elo, less what urges the other one."""
    doubt = math.hypot(_TRUSTED, _doubt(anchor), _doubt(one))
    apart = abs(anchor.elo - one.elo) * _TRUSTED / doubt
    meetings = min(_MEETINGS_MOST, met.get(frozenset((anchor.bot, one.bot)), 0))
    return apart + _PER_MEETING * meetings - _PER_SECOND * min(_urgency(one, now), 600.0)


def _doubt(one: Waiting) -> float:
    return _UNKNOWN / math.sqrt(1 + one.matches)
