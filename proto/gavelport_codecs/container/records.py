"""Actions and events as tables: which field of a message holds which attribute of a value, and how it is converted.

A `Record` is one kind of action or event, a `Family` all kinds of one `oneof`. The kinds' names are the notation's,
which are the names of the `oneof`'s fields too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from google.protobuf.message_factory import GetMessageClass

from gavelport_codecs.errors import CodecError
from gavelport_codecs.splice import field

if TYPE_CHECKING:
    from google.protobuf.message import Message

Write = Callable[[Any], Any]
"""From an attribute to what the message's constructor takes; None stands for an absent field."""
Read = Callable[[Any, str, str], Any]
"""From a message, a field's name and the message's path to the attribute. Raises CodecError."""


def _as_it_is(value: Any) -> Any:
    return value


def _get(message: Any, name: str, path: str) -> Any:
    return getattr(message, name)


class Part(NamedTuple):
    """How one attribute is written and read. `name` is the message's field where that is not the attribute's."""

    write: Write = _as_it_is
    read: Read = _get
    name: str = ""


PLAIN = Part()


def optional(part: Part) -> Part:
    """Return a part whose attribute is None where the field is absent."""

    def read(message: Any, name: str, path: str) -> Any:
        return part.read(message, name, path) if message.HasField(name) else None

    return Part(lambda value: None if value is None else part.write(value), read, part.name)


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

    return Part(write, read)


class Record:
    """One kind: a frozen dataclass of the engine and the message with the same content."""

    def __init__(self, value_class: type[Any], message_class: type[Message], parts: Mapping[str, Part]) -> None:
        """Take the value's attributes in their order; those without a part are plain numbers, flags or words."""
        self.value_class = value_class
        self._message_class = message_class
        fields = [(each.name, parts.get(each.name, PLAIN)) for each in dataclasses.fields(value_class)]
        self._writes = [(attribute, part.name or attribute, part.write) for attribute, part in fields]
        self._reads = [(part.name or attribute, part.read) for attribute, part in fields]

    def message(self, value: Any) -> Message:
        """Return the value as a message."""
        return self._message_class(**{name: write(getattr(value, attr)) for attr, name, write in self._writes})

    def value(self, message: Any, path: str) -> Any:
        """Return the value of a message. Raises CodecError."""
        return self.value_class(*[read(message, name, path) for name, read in self._reads])


class Family:
    """All kinds of one `oneof`, wrapped in the envelope's field of the game."""

    def __init__(
        self, envelope: type[Message], game: str, oneof: str, kinds: Mapping[str, type[Any]], parts: Mapping[str, Any]
    ) -> None:
        """Take the kinds by name, and for each the parts that are not plain.

        Raises ValueError when a kind has no field in the `oneof`, or a field no kind.
        """
        self._envelope, self._game, self._oneof = envelope, game, oneof
        game_field = envelope.DESCRIPTOR.fields_by_name[game]
        game_type: Any = game_field.message_type
        fields = {each.name: each for each in game_type.oneofs_by_name[oneof].fields}
        if set(fields) != set(kinds) or set(parts) - set(kinds):
            raise ValueError(f"{game_type.name} has fields {sorted(fields)} for {sorted(kinds)}")
        self._game_number = game_field.number
        self._by_kind: dict[str, Record] = {}
        self._by_class: dict[type[Any], tuple[str, int, Record]] = {}
        for kind, value_class in kinds.items():
            record = Record(value_class, GetMessageClass(fields[kind].message_type), parts.get(kind, {}))
            self._by_kind[kind] = record
            self._by_class[value_class] = (kind, fields[kind].number, record)

    @property
    def kinds(self) -> tuple[type[Any], ...]:
        """The values' classes."""
        return tuple(self._by_class)

    def encode(self, value: Any) -> bytes:
        """Return the value as a serialised envelope. Raises CodecError for what does not fit."""
        try:
            kind, number, record = self._by_class[type(value)]
        except KeyError:
            raise CodecError(self._oneof, f"{type(value).__name__} is none of the game {self._game}") from None
        try:
            inner = record.message(value).SerializeToString()
        except (ValueError, TypeError, AttributeError) as error:
            raise CodecError(f"{self._game}.{kind}", f"{value!r} fits into no message: {error}") from None
        return field(self._game_number, field(number, inner))

    def decode(self, message: Any) -> Any:
        """Return the value in an envelope. Raises CodecError."""
        game = message.WhichOneof("game")
        if game != self._game:
            said = f"is for {game}" if game else "is not set"
            raise CodecError(self._oneof, f"the {self._oneof} of a game {said}; set the field {self._game!r}")
        inner = getattr(message, game)
        kind = inner.WhichOneof(self._oneof)
        if kind is None:
            raise CodecError(game, f"no kind of {self._oneof} is set; set one of {', '.join(self._by_kind)}")
        return self._by_kind[kind].value(getattr(inner, kind), f"{game}.{kind}")
