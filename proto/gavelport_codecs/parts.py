"""How single attributes are written and read: the parts of which the tables of `records.py` are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from gavelport_codecs.errors import CodecError

if TYPE_CHECKING:
    from collections.abc import Sequence

Write = Callable[[Any], Any]
"""From an attribute to what the message's constructor takes; None stands for an absent field."""
Read = Callable[[Any, str, str], Any]
"""From a message, a field's name and the message's path to the attribute. Raises CodecError."""


def _as_it_is(value: Any) -> Any:
    return value


def _there(value: Any) -> Any:
    if value is None:  # which would be an absent field, and read as nought
        raise TypeError("None says nothing")
    return value


def _get(message: Any, name: str, path: str) -> Any:
    return getattr(message, name)


def _get_list(message: Any, name: str, path: str) -> Any:
    return tuple(getattr(message, name))


class Part(NamedTuple):
    """How one attribute is written and read. `name` is the message's field where that is not the attribute's."""

    write: Write = _there
    read: Read = _get
    name: str = ""
    form: str = ""
    """What the attribute should be, in words; empty where the message's field says it."""


PLAIN = Part()


def optional(part: Part) -> Part:
    """Return a part whose attribute is None where the field is absent."""

    def read(message: Any, name: str, path: str) -> Any:
        return part.read(message, name, path) if message.HasField(name) else None

    form = f"{part.form} or None" if part.form else ""
    return Part(lambda value: None if value is None else part.write(value), read, part.name, form)


def one_of(*words: str) -> Part:
    """Return a part for a string that must be one of the words."""

    def write(word: str) -> str:
        if word not in words:
            raise ValueError(f"{word!r} is none of {', '.join(words)}")
        return word

    def read(message: Any, name: str, path: str) -> str:
        word: str = getattr(message, name)
        if word not in words:
            raise CodecError(f"{path}.{name}", f"{word[:40]!r} is none of {', '.join(words)}")
        return word

    return Part(write, read, form=" or ".join(map(repr, words)))


def party(name: str, bank: int) -> Part:
    """Return a part for a seat in the field `name`, absent for the bank."""

    def read(message: Any, field: str, path: str) -> int:
        return getattr(message, field) if message.HasField(field) else bank

    return Part(lambda seat: None if seat == bank else seat, read, name)


NUMBERS = Part(_as_it_is, _get_list, form="a tuple of whole numbers")
"""A list of plain numbers."""

_MOST_NAMED = 12
"""So many names can be told in a sentence."""


class Numbered:
    """Things in a fixed order that a message numbers from 1, while 0 is none: the values of an enum, or cards."""

    def __init__(self, what: str, names: Sequence[str]) -> None:
        """Take what one of them is called, and the names of all."""
        self._what, self._names = what, names
        form = f"the number of {'an' if what[0] in 'AEIOUaeiou' else 'a'} {what} (0 to {len(names) - 1})"
        self.part = Part(self.number, self._read, form=form)
        """One of them."""
        self.maybe = Part(self.number_or_none, self._read_maybe, form=f"{form} or None")
        """One of them, or None."""
        self.several = Part(self.numbers, self._read_several, form=f"a tuple, of each {form}")
        """A list of them, a tuple on the engine's side."""

    def number(self, index: int) -> int:
        """Return the message's number. Raises ValueError for what is none of them."""
        if not 0 <= index < len(self._names):
            raise ValueError(f"{index!r} is no {self._what}; they are 0 to {len(self._names) - 1}")
        return index + 1

    def number_or_none(self, index: int | None) -> int:
        """Return the message's number, 0 for None. Raises ValueError for what is none of them."""
        return 0 if index is None else self.number(index)

    def numbers(self, indices: Sequence[int]) -> list[int]:
        """Return the message's numbers. Raises ValueError for what is none of them."""
        return [self.number(index) for index in indices]

    def index(self, number: int, path: str) -> int:
        """Return the index of a message's number. Raises CodecError for any other number."""
        count = len(self._names)
        if not 1 <= number <= count:
            names = f"{', '.join(self._names)} " if count <= _MOST_NAMED else ""
            raise CodecError(path, f"{number} is no {self._what}; set one of {names}(1 to {count})")
        return number - 1

    def index_or_none(self, number: int, path: str) -> int | None:
        """Return the index of a message's number, None for 0. Raises CodecError for any other number."""
        return self.index(number, path) if number else None

    def indices(self, numbers: Sequence[int], path: str) -> tuple[int, ...]:
        """Return the indices of a message's numbers. Raises CodecError."""
        return tuple([self.index(number, path) for number in numbers])

    def _read(self, message: Any, name: str, path: str) -> int:
        return self.index(getattr(message, name), f"{path}.{name}")

    def _read_maybe(self, message: Any, name: str, path: str) -> int | None:
        return self.index_or_none(getattr(message, name), f"{path}.{name}")

    def _read_several(self, message: Any, name: str, path: str) -> tuple[int, ...]:
        return self.indices(getattr(message, name), f"{path}.{name}")
