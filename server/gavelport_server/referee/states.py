"""The states of a seat in a match, and every transition between them (design 4).

A seat has two states at a time, which move apart from each other.

Its **duty** says what the referee waits for. A step opens (OPEN) for all seats that must act at once; each is ASKED. Of
an answer that cannot be taken the bot hears why, and tries again while the clock runs (REFUSE). Its decision is settled
when a legal answer is taken (TAKE) or when the referee plays the default for it (DEFAULT): after the last try, when the
time is out, or at once when the bot's process is gone. A settled seat is ANSWERED and waits for the others; nobody
learns of it. Once nobody is ASKED any more the step closes (CLOSE), takes effect, and only then anything is told. A
seat with too many faults is retired between two steps (RETIRE): from then on the referee plays its defaults and asks it
nothing.

Its **presence** says whether messages reach the bot. Nothing is sent to a seat that is AWAY; its clock runs on, and
when it returns it is told what it missed. A seat that is GONE never comes back.

What becomes of an answer follows from the duty and from how the answer's decision id stands to the decisions that the
seat was asked (VERDICTS). Only the open decision's answer is judged; all others are refused and change nothing.

Everything about transitions stands in these tables; what is not in a table cannot happen, and an attempt is a bug of
ours.
`docs/referee-states.md` is drawn from them (`diagram.py`).
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping


class _State(enum.Enum):
    """Members are the only ones of their value, so that their identity is hash enough: the tables are asked often."""

    __hash__ = object.__hash__


class Duty(_State):
    """What the referee waits for from a seat."""

    IDLE = "idle"
    ASKED = "asked"
    ANSWERED = "answered"
    RETIRED = "retired"


class Happening(_State):
    """What moves a seat's duty."""

    OPEN = "open"
    REFUSE = "refuse"
    TAKE = "take"
    DEFAULT = "default"
    CLOSE = "close"
    RETIRE = "retire"


DUTIES: Mapping[tuple[Duty, Happening], Duty] = {
    (Duty.IDLE, Happening.OPEN): Duty.ASKED,
    (Duty.ASKED, Happening.REFUSE): Duty.ASKED,
    (Duty.ASKED, Happening.TAKE): Duty.ANSWERED,
    (Duty.ASKED, Happening.DEFAULT): Duty.ANSWERED,
    (Duty.ANSWERED, Happening.CLOSE): Duty.IDLE,
    (Duty.IDLE, Happening.RETIRE): Duty.RETIRED,
    (Duty.RETIRED, Happening.OPEN): Duty.RETIRED,
    (Duty.RETIRED, Happening.CLOSE): Duty.RETIRED,
}


class Presence(_State):
    """Whether messages reach the bot."""

    HERE = "here"
    AWAY = "away"
    GONE = "gone"


class Sighting(_State):
    """What moves a seat's presence."""

    LOST = "lost"
    BACK = "back"
    LEFT = "left"


PRESENCES: Mapping[tuple[Presence, Sighting], Presence] = {
    (Presence.HERE, Sighting.LOST): Presence.AWAY,
    (Presence.HERE, Sighting.BACK): Presence.HERE,  # a newer connection fenced the older
    (Presence.AWAY, Sighting.BACK): Presence.HERE,
    (Presence.HERE, Sighting.LEFT): Presence.GONE,
    (Presence.AWAY, Sighting.LEFT): Presence.GONE,
}


class Aim(_State):
    """How the decision id of an answer stands to the decisions that the seat was asked."""

    LATEST = "latest"
    EARLIER = "earlier"
    NEVER_ASKED = "never asked"


class Verdict(enum.Enum):
    """What becomes of an answer."""

    JUDGE = "judge"
    PAST = "past"
    """Refused: `already_answered`, or `too_late` where the default was played."""
    WRONG = "wrong"
    """Refused: `wrong_decision`."""
    RETIRED = "retired"
    """Refused: `retired`."""


VERDICTS: Mapping[tuple[Duty, Aim], Verdict] = {
    (Duty.IDLE, Aim.LATEST): Verdict.PAST,
    (Duty.IDLE, Aim.EARLIER): Verdict.PAST,
    (Duty.IDLE, Aim.NEVER_ASKED): Verdict.WRONG,
    (Duty.ASKED, Aim.LATEST): Verdict.JUDGE,
    (Duty.ASKED, Aim.EARLIER): Verdict.PAST,
    (Duty.ASKED, Aim.NEVER_ASKED): Verdict.WRONG,
    (Duty.ANSWERED, Aim.LATEST): Verdict.PAST,
    (Duty.ANSWERED, Aim.EARLIER): Verdict.PAST,
    (Duty.ANSWERED, Aim.NEVER_ASKED): Verdict.WRONG,
    (Duty.RETIRED, Aim.LATEST): Verdict.RETIRED,
    (Duty.RETIRED, Aim.EARLIER): Verdict.RETIRED,
    (Duty.RETIRED, Aim.NEVER_ASKED): Verdict.RETIRED,
}


class TransitionError(RuntimeError):
    """A transition that no table has: the referee, or whoever drives it, is wrong."""


_S = TypeVar("_S", Duty, Presence)
_M = TypeVar("_M", Happening, Sighting)


def follow(table: Mapping[tuple[_S, _M], _S], state: _S, move: _M) -> _S:
    """Return the state after a move. Raises TransitionError where the table has none."""
    after = table.get((state, move))
    if after is None:
        raise TransitionError(f"a seat that is {state.value} cannot {move.value}")
    return after
