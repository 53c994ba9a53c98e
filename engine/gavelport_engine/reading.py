"""Readers of JSON values: each returns the value or raises NotationError with its place.

A path names the place from the whole inwards: `seats.0.cash`. Only exact types are taken: `true`
is no number and 1.0 no whole one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from gavelport_engine.errors import NotationError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_T = TypeVar("_T")
_SHOWN = 40


def shown(value: object) -> str:
    """Return a value in short, for an error: never long, never an exception."""
    if type(value) is int and abs(value) >= 10**12:
        return "a huge number"
    if type(value) in (bool, int, float, str, type(None)):
        text = repr(value)
        return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    if type(value) is dict:
        return "an object"
    return "a list" if type(value) is list else f"a {type(value).__name__}"


def joined(path: str, key: object) -> str:
    """Return the path of a part."""
    return f"{path}.{key}" if path else str(key)


def mapping(value: object, path: str, required: Collection[str], optional: Collection[str] = ()) -> dict[str, object]:
    """Return an object that has all required keys and none that is unknown."""
    if type(value) is not dict:
        raise NotationError(path, f"expected an object, got {shown(value)}")
    for key in value:
        if key not in required and key not in optional:
            known = ", ".join((*required, *optional)) or "none"
            raise NotationError(path, f"unknown key {shown(key)}; there are: {known}")
    for key in required:
        if key not in value:
            raise NotationError(path, f"key {key!r} is missing")
    return value


def listing(value: object, path: str, length: int | None = None) -> list[object]:
    """Return a list, of a length where one is given."""
    if type(value) is not list:
        raise NotationError(path, f"expected a list, got {shown(value)}")
    if length is not None and len(value) != length:
        raise NotationError(path, f"expected {length} entries, got {len(value)}")
    return value


def whole(value: object, path: str, least: int = 0, most: int | None = None) -> int:
    """Return a whole number within bounds."""
    if type(value) is int and least <= value and (most is None or value <= most):
        return value
    bounds = f"at least {least}" if most is None else f"{least} to {most}"
    raise NotationError(path, f"expected a whole number, {bounds}, got {shown(value)}")


def flag(value: object, path: str) -> bool:
    """Return true or false."""
    if type(value) is not bool:
        raise NotationError(path, f"expected true or false, got {shown(value)}")
    return value


def one_of(value: object, path: str, names: Sequence[str]) -> str:
    """Return one of the words that there are."""
    if type(value) is not str or value not in names:
        raise NotationError(path, f"expected one of {', '.join(names)}, got {shown(value)}")
    return value


def looked_up(value: object, path: str, table: Mapping[str, _T]) -> _T:
    """Return what a word stands for."""
    return table[one_of(value, path, tuple(table))]
