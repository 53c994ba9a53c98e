"""Differences between JSON values of the same shape: what changes from one position to the next.

A difference is a list of changes, each `[key, key, …, value]`: put the value at the end of the path. An object
whose keys are others than before is put there whole, as is a list of another length. What reads them needs no rules.
"""

from __future__ import annotations

from typing import Any


def changes(before: Any, after: Any) -> list[list[Any]]:
    """Return what must be put where to make the one value into the other; nothing for equal ones."""
    found: list[list[Any]] = []
    _collect(before, after, [], found)
    return found


def _collect(before: Any, after: Any, path: list[Any], found: list[list[Any]]) -> None:
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        for key, value in after.items():
            _collect(before[key], value, [*path, key], found)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, value in enumerate(after):
            _collect(before[place], value, [*path, place], found)
    else:
        found.append([*path, after])


def applied(before: Any, difference: list[list[Any]]) -> Any:
    """Return the value that a difference makes; the given one is left as it was. The page's script does the same."""
    after = before
    for *path, value in difference:
        after = _put(after, path, value)
    return after


def _put(into: Any, path: list[Any], value: Any) -> Any:
    if not path:
        return value
    copy = list(into) if isinstance(into, list) else dict(into)
    copy[path[0]] = _put(into[path[0]], path[1:], value)
    return copy
