"""Actions and events as tables: which field of a message holds which attribute of a value, converted how (`parts.py`).

A `Record` is one kind of action or event, a `Family` all kinds of one `oneof`. The kinds' names are the notation's,
which are the names of the `oneof`'s fields too.
"""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message_factory import GetMessageClass

from gavelport_codecs.errors import CodecError
from gavelport_codecs.parts import PLAIN, Part
from gavelport_codecs.splice import field

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from google.protobuf.message import Message


_MISFITS = (ValueError, TypeError, AttributeError)
"""What comes of a value that fits into no message."""
_FORMS = {
    FieldDescriptor.CPPTYPE_BOOL: "True or False",
    FieldDescriptor.CPPTYPE_STRING: "a text",
    FieldDescriptor.CPPTYPE_INT32: f"a whole number from {-(2**31)} to {2**31 - 1}",
    FieldDescriptor.CPPTYPE_UINT32: f"a whole number from 0 to {2**32 - 1}",
}
_PLAINLY_SHOWN = (int, float, str, tuple, type(None))
_SHOWN = 80
_REMEMBERED = 1024
"""So many values of a kind are kept with their bytes: most come again, in the same match or in others."""


class Record:
    """One kind: a frozen dataclass of the engine and the message with the same content."""

    def __init__(
        self, kind: str, number: int, value_class: type[Any], message_class: type[Message], parts: Mapping[str, Part]
    ) -> None:
        """Take the kind's field in the `oneof`, and a part for each attribute that is no plain number, flag or word."""
        self.kind, self.number = kind, number
        self.value_class = value_class
        self._message_class = message_class
        fields = [(each.name, parts.get(each.name, PLAIN)) for each in dataclasses.fields(value_class)]
        self._writes = [(attribute, part.name or attribute, part.write) for attribute, part in fields]
        self._forms = {attribute: part.form or self._form(part.name or attribute) for attribute, part in fields}
        self._reads = [(part.name or attribute, part.read) for attribute, part in fields]
        self.attributes: Callable[[Any], Any] = attrgetter(*[attribute for attribute, _ in fields]) if fields else type
        """From a value to what tells it from others of its kind, which is hashed and compared faster than the value."""
        self.remembered: dict[Any, tuple[int, bytes, bytes]] = {}
        """By those attributes: the kind's number, the value's bytes bare and in the envelope."""

    def message(self, value: Any) -> Message:
        """Return the value as a message."""
        return self._message_class(**{name: write(getattr(value, attr)) for attr, name, write in self._writes})

    def misfit(self, value: Any) -> tuple[str, str] | None:
        """Return the first attribute that fits into no message, and what is wrong with it; None where each one fits."""
        for attribute, name, write in self._writes:
            given = getattr(value, attribute)
            try:
                hash(given)
                self._message_class(**{name: write(given)})
            except _MISFITS:
                return attribute, f"should be {self._forms[attribute]}, not {_shown(given)}"
        return None

    def _form(self, name: str) -> str:
        """Return in words what a field of a message takes."""
        return _FORMS.get(self._message_class.DESCRIPTOR.fields_by_name[name].cpp_type, "what its type says")

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
        self._by_class: dict[type[Any], Record] = {}
        for kind, value_class in kinds.items():
            message_class = GetMessageClass(fields[kind].message_type)
            record = Record(kind, fields[kind].number, value_class, message_class, parts.get(kind, {}))
            self._by_kind[kind] = self._by_class[value_class] = record

    @property
    def kinds(self) -> tuple[type[Any], ...]:
        """The values' classes."""
        return tuple(self._by_class)

    def encode(self, value: Any) -> bytes:
        """Return the value as a serialised envelope; equal values give equal bytes.

        Raises CodecError for what does not fit.
        """
        return self._encoded(value)[2]

    def content(self, value: Any) -> tuple[int, bytes]:
        """Return the kind's number in the `oneof`, and its serialised message. Otherwise like `encode`."""
        return self._encoded(value)[:2]

    def _encoded(self, value: Any) -> tuple[int, bytes, bytes]:
        record = self._by_class.get(type(value))
        if record is None:
            raise CodecError(self._oneof, f"{type(value).__name__} is none of the game {self._game}")
        try:
            key = record.attributes(value)
            found = record.remembered.get(key)
            if found is None:
                content = record.message(value).SerializeToString(deterministic=True)
                found = record.number, content, field(self._game_number, field(record.number, content))
                if len(record.remembered) >= _REMEMBERED:
                    record.remembered.clear()
                record.remembered[key] = found
            return found
        except _MISFITS as error:
            if (found_wrong := record.misfit(value)) is None:
                raise CodecError(f"{self._game}.{record.kind}", f"fits into no message: {error}") from None
            attribute, problem = found_wrong
            raise CodecError(f"{type(value).__name__}.{attribute}", problem) from None

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


def _shown(value: Any) -> str:
    """Return a value as it is told: on one line, cut where it is long, with its type where that does not show."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # a number of more digits than can be written
        text = "such a number"
    text = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return text if isinstance(value, _PLAINLY_SHOWN) else f"the {type(value).__name__} {text}"
