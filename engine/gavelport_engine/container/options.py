"""The options of a game (`container.md 1.1`, 3.5, 4, 8.2)."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from gavelport_engine.container.table import Options
from gavelport_engine.errors import NotationError, OptionsError
from gavelport_engine.reading import flag, one_of, shown, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gavelport_engine.game import Json

LEAST_SEATS, MOST_SEATS = 3, 5
_LARGEST = 10**6
"""No number among the options is larger; nothing in the rules needs one that is."""

_CHECKS: dict[str, Callable[[object, str], object]] = {
    "seats": lambda value, path: whole(value, path, LEAST_SEATS, MOST_SEATS),
    "supply_per_player": lambda value, path: whole(value, path, 1, _LARGEST),
    "domestic_sale": flag,
    "seized_to": lambda value, path: one_of(value, path, ("box", "supply")),
    "max_rounds": lambda value, path: whole(value, path, 0, _LARGEST),
    "stall_rounds": lambda value, path: whole(value, path, 0, _LARGEST),
}


def options(given: Mapping[str, object]) -> Options:
    """Return validated options, defaults filled in. Raises OptionsError with every problem."""
    known = {field.name for field in fields(Options)}
    problems = [f"unknown option {shown(key)}; there are: {', '.join(_CHECKS)}" for key in given if key not in known]
    for name, check in _CHECKS.items():
        if name in given:
            try:
                check(given[name], name)
            except NotationError as error:
                problems.append(str(error))
    if problems:
        raise OptionsError(problems)
    return Options(**given)  # type: ignore[arg-type]  # every value was checked above


def options_to_notation(chosen: Options) -> Json:
    """Return the options in full, as they stand in a position."""
    return {name: getattr(chosen, name) for name in _CHECKS}
