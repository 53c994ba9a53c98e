"""What a service's descriptor says of its RPCs, and the method of a desk behind each."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from gavelport.v1 import access_pb2
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from gavelport_server.transport.link import ServiceError, StatusCode


@dataclass(frozen=True, slots=True)
class Rpc:
    """An RPC that a desk serves."""

    method: MethodDescriptor
    serve: Callable[..., Any]
    """The desk's method."""
    scopes: frozenset[str]

    def parsed(self, message: bytes) -> Message:
        """Return a request. Raises ServiceError for what is none, and for texts with a NUL: PostgreSQL takes none."""
        try:
            request = GetMessageClass(self.method.input_type).FromString(message)
        except DecodeError:
            text = f"the request cannot be read as {self.method.input_type.full_name}"
            raise ServiceError(StatusCode.INVALID_ARGUMENT, text) from None
        if field := _field_with_nul(request):
            raise ServiceError(StatusCode.INVALID_ARGUMENT, f"{field} has the sign NUL (\\0) in it; leave it out")
        return request

    @property
    def is_pulled(self) -> bool:
        """Return whether its answers are taken from a generator, one by one."""
        return inspect.isgeneratorfunction(self.serve)


def _field_with_nul(message: Message) -> str:
    """Return the path of the first text field with a NUL in it, empty where there is none."""
    for field, value in message.ListFields():
        parts: Iterable[object] = value if field.is_repeated else [value]
        if isinstance(value, Mapping):  # of a map, its keys and its values
            parts = [*value, *value.values()]
        for part in parts:
            if isinstance(part, str) and "\0" in part:
                return str(field.name)
            if isinstance(part, Message) and (inner := _field_with_nul(part)):
                return f"{field.name}.{inner}"
    return ""


def rpc_of(method: MethodDescriptor, desk: object) -> Rpc:
    """Return an RPC with its desk's method. Raises ValueError where it has no scope, or the desk no such method."""
    scopes = scopes_of(method)
    if not scopes:
        raise ValueError(f"{method.full_name} declares no scope, and so nobody may call it; give it `option (scopes)`")
    serve = getattr(desk, method_name(method.name), None)
    if serve is None:
        raise ValueError(f"{type(desk).__name__} has no {method_name(method.name)}, which is to serve {method.name}")
    return Rpc(method, serve, scopes)


def scopes_of(method: MethodDescriptor) -> frozenset[str]:
    """Return the scopes that an RPC declares; none, where it is open to nobody."""
    declared = method.GetOptions().Extensions[access_pb2.scopes]
    names = (access_pb2.Scope.Name(one).removeprefix("SCOPE_").lower() for one in declared)
    return frozenset(names) - {"unspecified"}


def method_taking(request: Message | type[Message]) -> MethodDescriptor:
    """Return the RPC that takes such a request: each has a message of its own."""
    for service in request.DESCRIPTOR.file.services_by_name.values():
        for method in service.methods:
            if method.input_type is request.DESCRIPTOR:
                return cast("MethodDescriptor", method)
    raise ValueError(f"no service takes {request.DESCRIPTOR.full_name}")


def method_name(rpc: str) -> str:
    """Return what an RPC's method of a desk is called: `get_standings` for `GetStandings`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", rpc).lower()
