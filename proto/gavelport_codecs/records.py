"""Actions and events as tables: which field of a message holds which attribute of a value, converted how (`parts.py`).

A `Record` is one kind of action or event, a `Family` all kinds of one `oneof`. The kinds' names are the notation's,
which are the names of the `oneof`'s fields too.
"""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from google.protobuf.message_factory import GetMessageClass

from gavelport_codecs.errors import CodecError
from gavelport_codecs.parts import PLAIN, Part
from gavelport_codecs.splice import field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from google.protobuf.message import Message


_REMEMBERED = 4096
"""So many values of a family are kept with their bytes: most come again, in the same match or in others."""


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
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._content)
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
        number, content = self.content(value)
        return field(self._game_number, field(number, content))

    def content(self, value: Any) -> tuple[int, bytes]:
        """Return the kind's number in the `oneof`, and its serialised message. Raises CodecError for what does not fit.

        Equal values give equal bytes.
        """
        try:
            return self._remembered(value)
        except TypeError:  # it cannot be hashed, so it is none of ours, or holds what is not
            return self._content(value)

    def _content(self, value: Any) -> tuple[int, bytes]:
        try:
            kind, number, record = self._by_class[type(value)]
        except KeyError:
            raise CodecError(self._oneof, f"{type(value).__name__} is none of the game {self._game}") from None
        try:
            return number, record.message(value).SerializeToString(deterministic=True)
        except (ValueError, TypeError, AttributeError) as error:
            raise CodecError(f"{self._game}.{kind}", f"{value!r} fits into no message: {error}") from None

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
