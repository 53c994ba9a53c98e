"""Messages changed as messages: what random bytes hardly ever bring about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.protobuf.descriptor import FieldDescriptor

if TYPE_CHECKING:
    import random

    from google.protobuf.message import Message

_BITS = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
    FieldDescriptor.CPPTYPE_ENUM: (-(2**31), 2**31 - 1),
}
_TEXTS = (
    "",
    "m",
    "é",
    "\0",
    "a",
    "main",
    "ant",
    "m0",
    "\U0010ffff",
    "x" * 1100,
    "..",
    "%s{0}",
    "2030-01-01T10:00:00+00:00",
)
_MOST_DEPTH = 8


def mutate(message: Message, rng: random.Random) -> None:
    """Change a message, somewhere in it, in one to three places."""
    for _ in range(rng.randint(1, 3)):
        inner = rng.choice(_messages(message, 0))
        fields = inner.DESCRIPTOR.fields
        if fields:
            _change(inner, rng.choice(fields), rng)


def _messages(message: Any, depth: int) -> list[Any]:
    found = [message]
    if depth < _MOST_DEPTH:
        for one, value in message.ListFields():
            if one.message_type is not None and not _is_map(one):
                for inner in value if one.is_repeated else [value]:
                    found += _messages(inner, depth + 1)
    return found


def _is_map(one: FieldDescriptor) -> bool:
    return one.message_type is not None and one.message_type.GetOptions().map_entry


def _change(message: Any, one: FieldDescriptor, rng: random.Random) -> None:
    if rng.random() < 0.15 or _is_map(one):
        message.ClearField(one.name)
    elif one.is_repeated:
        values = getattr(message, one.name)
        if values and rng.random() < 0.4:
            del values[rng.randrange(len(values))]
        elif one.message_type is not None:
            values.add()
        else:
            values.extend([_value(one, rng)] * rng.choice((1, 1, 2, 300)))
    elif one.message_type is not None:
        getattr(message, one.name).SetInParent()
    else:
        setattr(message, one.name, _value(one, rng))


def _value(one: FieldDescriptor, rng: random.Random) -> Any:
    if one.cpp_type in _BITS:
        least, most = _BITS[one.cpp_type]
        return max(least, min(most, rng.choice((0, 1, 2, 3, 5, 7, 40, 255, -1, -2, least, most, rng.randrange(2**33)))))
    if one.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return rng.random() < 0.5
    if one.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return rng.randbytes(rng.randrange(40)) if one.type == FieldDescriptor.TYPE_BYTES else rng.choice(_TEXTS)
    return rng.choice((0.0, -1.0, 1e300, float("inf"), float("nan")))
