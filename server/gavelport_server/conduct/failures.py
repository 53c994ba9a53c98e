"""Exceptions out of nurseries, as they were raised."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def first_failure() -> Iterator[None]:
    """Raise what nurseries wrap in groups as it is: of several exceptions the first."""
    failure: Exception | None = None
    try:
        yield
    except* Exception as group:  # noqa: BLE001  raised below; here it would be wrapped again
        failure = group
    while isinstance(failure, ExceptionGroup):
        failure = failure.exceptions[0]
    if failure is not None:
        raise failure
