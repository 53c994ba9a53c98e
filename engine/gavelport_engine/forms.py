"""Forms: single values of a game's notation, read strictly, written back, and recognised.

Each game has forms of its own beside those here; its actions, events and positions are put together from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gavelport_engine import reading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, slots=True)
class Form:
    """One form: what it is in words, how it is read and written, and what it holds."""

    what: str
    read: Callable[[object, str], Any]
    """(JSON, path) → value; raises NotationError."""
    write: Callable[[Any], Any]
    holds: Callable[[object], bool]
    """Whether an object is such a value; bounds that depend on the position are not asked."""


def is_whole(value: object) -> bool:
    """Return whether an object is a whole number ≥ 0; `True` is none."""
    return type(value) is int and value >= 0


def number(what: str, least: int = 0, most: int | None = None) -> Form:
    """Return the form of a whole number within bounds."""
    return Form(
        what,
        lambda value, path: reading.whole(value, path, least, most),
        lambda value: value,
        lambda value: type(value) is int and least <= value and (most is None or value <= most),
    )


def word(what: str, words: tuple[str, ...]) -> Form:
    """Return the form of one of some words."""
    return Form(
        what,
        lambda value, path: reading.one_of(value, path, words),
        lambda value: value,
        lambda value: type(value) is str and value in words,
    )


def named(what: str, names: Sequence[str]) -> Form:
    """Return the form of an index that the notation writes as a name."""
    index = {name: place for place, name in enumerate(names)}
    count = len(names)
    return Form(
        what,
        lambda value, path: reading.looked_up(value, path, index),
        lambda value: names[value],
        lambda value: type(value) is int and 0 <= value < count,
    )


def optional(form: Form) -> Form:
    """Return the form of a value, or of nothing."""
    return Form(
        f"{form.what} or nothing",
        lambda value, path: None if value is None else form.read(value, path),
        lambda value: None if value is None else form.write(value),
        lambda value: value is None or form.holds(value),
    )


def listed(what: str, form: Form) -> Form:
    """Return the form of a tuple of values, which the notation writes as a list."""
    return Form(
        what,
        lambda value, path: tuple(
            form.read(entry, reading.joined(path, place)) for place, entry in enumerate(reading.listing(value, path))
        ),
        lambda value: [form.write(entry) for entry in value],
        lambda value: type(value) is tuple and all(map(form.holds, value)),
    )


AMOUNT = number("a whole number ≥ 0")
SEAT = number("a seat number")
FLAG = Form("true or false", reading.flag, lambda value: value, lambda value: type(value) is bool)
