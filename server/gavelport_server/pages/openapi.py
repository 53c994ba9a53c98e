"""The JSON API described for programs, out of the endpoints' table and the `.proto` files' descriptors."""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from gavelport_server.pages.endpoints import request_fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_server.pages.endpoints import Endpoint

_TYPES: dict[int, dict[str, Any]] = {
    FieldDescriptor.CPPTYPE_BOOL: {"type": "boolean"},
    FieldDescriptor.CPPTYPE_DOUBLE: {"type": "number"},
    FieldDescriptor.CPPTYPE_INT32: {"type": "integer", "format": "int32"},
    FieldDescriptor.CPPTYPE_UINT32: {"type": "integer", "format": "int64", "minimum": 0, "maximum": 2**32 - 1},
    FieldDescriptor.CPPTYPE_UINT64: {"type": "string", "pattern": "^[0-9]+$"},
    FieldDescriptor.CPPTYPE_STRING: {"type": "string"},
}
_REFERENCE = "#/components/schemas/"
_ERROR = {
    "type": "object",
    "required": ["code", "message"],
    "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
}


def openapi(endpoints: Sequence[Endpoint], prefix: str) -> dict[str, Any]:
    """Return the description of the API in OpenAPI 3.1."""
    schemas: dict[str, Any] = {"Error": _ERROR}
    paths: dict[str, Any] = {}
    for one in endpoints:
        in_path = set(re.findall(r"{(\w+)}", one.path))
        answer = one.answer
        if answer is None:
            content = {"application/zstd": {"schema": {"type": "string", "format": "binary"}}}
        else:
            content = {"application/json": {"schema": _schema_of(answer, schemas)}}
        paths[prefix + one.path] = {
            "get": {
                "operationId": re.sub(r"\W+", "_", one.path).strip("_"),
                "summary": one.what,
                "parameters": [
                    {
                        "name": name,
                        "in": "path" if name in in_path else "query",
                        "required": name in in_path,
                        "schema": _field(place[-1], schemas),
                    }
                    for name, place in request_fields(one)
                ],
                "responses": {
                    "200": {"description": "As asked.", "content": content},
                    "default": {
                        "description": "What is wrong, in words.",
                        "content": {"application/json": {"schema": {"$ref": f"{_REFERENCE}Error"}}},
                    },
                },
            }
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Gavelport", "version": version("gavelport"), "description": "Read only; all times in UTC."},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _schema_of(message: Descriptor, schemas: dict[str, Any]) -> dict[str, Any]:
    """Return a reference to a message's schema, which is added to `schemas` with all that it needs."""
    if message.name not in schemas:
        schemas[message.name] = {}
        properties = {field.name: _field(field, schemas) for field in message.fields}
        schemas[message.name] = {"type": "object", "properties": properties}
    return {"$ref": _REFERENCE + message.name}


def _field(field: FieldDescriptor, schemas: dict[str, Any]) -> dict[str, Any]:
    one = _schema_of(field.message_type, schemas) if field.message_type is not None else _TYPES[field.cpp_type]
    return {"type": "array", "items": one} if field.is_repeated else dict(one)
