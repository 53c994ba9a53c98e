"""The options of a game (`shipping.md 2.1`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.errors import NotationError, OptionsError
from gavelport_engine.reading import flag, shown, whole
from gavelport_engine.shipping.data import META
from gavelport_engine.shipping.table import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gavelport_engine.game import Json

LEAST_SEATS: int = META["min_players"]
MOST_SEATS: int = META["max_players"]
YEARS: tuple[int, ...] = tuple(META["years_allowed"])


def _years(value: object, path: str) -> int:
    years = whole(value, path)
    if years not in YEARS:
        raise NotationError(path, f"expected one of {', '.join(map(str, YEARS))}, got {shown(value)}")
    return years


_CHECKS: dict[str, Callable[[object, str], object]] = {
    "seats": lambda value, path: whole(value, path, LEAST_SEATS, MOST_SEATS),
    "years": _years,
    "no_elimination": flag,
}


def options(given: Mapping[str, object]) -> Options:
    """Return validated options, defaults filled in. Raises OptionsError (E70) with every problem."""
    problems = [f"unknown option {shown(key)}; there are: {', '.join(_CHECKS)}" for key in given if key not in _CHECKS]
    for name, check in _CHECKS.items():
        if name in given:
            try:
                check(given[name], name)
            except NotationError as error:
                problems.append(str(error))
    if problems:
        raise OptionsError(problems, "E70")
    return Options(**given)  # type: ignore[arg-type]  # every value was checked above


def options_to_notation(chosen: Options) -> Json:
    """Return the options in full, as they stand in a position."""
    return {name: getattr(chosen, name) for name in _CHECKS}
