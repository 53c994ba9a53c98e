"""The JSON read API: the answers of the gRPC services, as anybody may see them (design 3).

Each path is a call of an RPC: what stands in the path or behind `?` is a field of its request, those of a message
within (`filter`) by their own names. The answer is the response in protobuf's JSON, with the names of the `.proto`
files. So there is one place that says what is public: the services' desks.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeAlias

import trio
from gavelport.v1 import archive_pb2
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from gavelport_server.lobby.gate import Caller
from gavelport_server.pages.endpoints import ENDPOINTS, PREFIX, Endpoint, request_fields
from gavelport_server.pages.openapi import openapi
from gavelport_server.pages.shield import error
from gavelport_server.transport.link import ServiceError, StatusCode
from gavelport_server.transport.services import REST

if TYPE_CHECKING:
    from starlette.requests import Request

ANYBODY = Caller(token_id="", scope="spectator", owner="", bot="")
THREADS = 4
"""That work for HTTP at a time; so pages never take all threads there are."""
Desks: TypeAlias = Mapping[str, object]
"""By the service's name: what has a method `(caller, request)` for each of its RPCs."""

_STATUS = {
    StatusCode.INVALID_ARGUMENT: HTTPStatus.BAD_REQUEST,
    StatusCode.NOT_FOUND: HTTPStatus.NOT_FOUND,
    StatusCode.PERMISSION_DENIED: HTTPStatus.FORBIDDEN,
    StatusCode.UNAUTHENTICATED: HTTPStatus.FORBIDDEN,
    StatusCode.FAILED_PRECONDITION: HTTPStatus.CONFLICT,
    StatusCode.RESOURCE_EXHAUSTED: HTTPStatus.TOO_MANY_REQUESTS,
    StatusCode.DEADLINE_EXCEEDED: HTTPStatus.GATEWAY_TIMEOUT,
    StatusCode.UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
}
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
_NUMBERS = (FieldDescriptor.CPPTYPE_UINT32, FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_UINT64)


class RequestError(ValueError):
    """A request that cannot be made out; the text says what to write instead."""


def routes(desks: Desks) -> list[Route]:
    """Return the routes of the API, on these desks."""
    threads = trio.CapacityLimiter(THREADS)
    found = [Route(PREFIX + one.path, (_replay if one.is_file else _twin)(one, desks, threads)) for one in ENDPOINTS]

    async def described(_request: Request) -> Response:
        return JSONResponse(openapi(ENDPOINTS, PREFIX))

    async def nothing(request: Request) -> Response:
        return error(HTTPStatus.NOT_FOUND, f"there is nothing at this path; {PREFIX}/openapi.json lists all that is")

    return [
        *found,
        Route(f"{PREFIX}/openapi.json", described),
        Route("/api", nothing),
        Route("/api/{rest:path}", nothing),  # not a page's error: who asks here is a program
    ]


Chunk: TypeAlias = archive_pb2.DownloadReplaysResponse
Handler: TypeAlias = Callable[["Request"], Any]


def _twin(endpoint: Endpoint, desks: Desks, threads: trio.CapacityLimiter) -> Handler:
    call = getattr(desks[endpoint.service], endpoint.desk_method)

    def answer(request: Message) -> str:
        response = call(ANYBODY, request)
        assert isinstance(response, Message)
        return MessageToJson(
            response, preserving_proto_field_name=True, always_print_fields_with_no_presence=True, indent=None
        )

    async def handle(request: Request) -> Response:
        try:
            asked = request_of(endpoint, request.path_params, request.query_params.multi_items())
            text = await trio.to_thread.run_sync(answer, asked, limiter=threads)
        except RequestError as problem:
            return error(HTTPStatus.BAD_REQUEST, str(problem))
        except ServiceError as problem:
            return refused(problem)
        return Response(text, media_type="application/json")

    return handle


def _replay(endpoint: Endpoint, desks: Desks, threads: trio.CapacityLimiter) -> Handler:
    call = getattr(desks[endpoint.service], endpoint.desk_method)
    stepping = trio.CapacityLimiter(1)

    async def following(chunks: Iterator[Chunk]) -> Chunk | None:
        """Return the next chunk, at the pace of the RPC's (`REST`): who downloads keeps nobody who plays waiting."""
        async with stepping:
            began = trio.current_time()
            chunk: Chunk | None = await trio.to_thread.run_sync(partial(next, chunks, None), limiter=threads)
            await trio.sleep(REST * (trio.current_time() - began))
        return chunk

    async def handle(request: Request) -> Response:
        try:
            asked = request_of(endpoint, request.path_params, request.query_params.multi_items())
            chunks: Iterator[Chunk] = call(ANYBODY, asked)
            first = await following(chunks)
        except RequestError as problem:
            return error(HTTPStatus.BAD_REQUEST, str(problem))
        except ServiceError as problem:
            return refused(problem)
        if first is None:
            return error(HTTPStatus.NOT_FOUND, f"there is no replay of match {request.path_params['match_id']}")

        async def parts() -> AsyncIterator[bytes]:
            chunk: Chunk | None = first
            while chunk is not None:
                yield chunk.data
                chunk = await following(chunks)

        name = f"{first.match_id}.zst"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return StreamingResponse(parts(), media_type="application/zstd", headers=headers)

    return handle


def refused(problem: ServiceError) -> JSONResponse:
    """Return a service's refusal as HTTP has it."""
    headers = {} if problem.retry_s is None else {"retry-after": str(int(problem.retry_s) + 1)}
    return error(_STATUS.get(problem.code, HTTPStatus.INTERNAL_SERVER_ERROR), problem.text, headers)


# -- requests


def request_of(endpoint: Endpoint, path: Mapping[str, str], query: list[tuple[str, str]]) -> Message:
    """Return the request that a path and what stands behind `?` come to. Raises RequestError."""
    request: Message = GetMessageClass(endpoint.method.input_type)()
    fields = dict(request_fields(endpoint))
    given: set[str] = set()
    for name, text in [*path.items(), *query]:
        place = fields.get(name)
        if place is None or (name in path and (name, text) in query):
            there = ", ".join(sorted(fields.keys() - path.keys())) or "none"
            raise RequestError(f"{name}: no such parameter here; there are: {there}")
        *tables, field = place
        message: Any = request
        for table in tables:
            message = getattr(message, table.name)
        if field.is_repeated:
            getattr(message, field.name).append(_value(field, name, text))
            continue
        if name in given:
            raise RequestError(f"{name}: is given twice; give it once")
        given.add(name)
        value = _value(field, name, text)
        try:
            setattr(message, field.name, value)
        except ValueError as problem:
            raise RequestError(f"{name}: {text} is out of range") from problem
    return request


def _value(field: FieldDescriptor, name: str, text: str) -> object:
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        if text not in _TRUTHS:
            raise RequestError(f'{name}: should be true or false, not "{text}"')
        return _TRUTHS[text]
    if field.cpp_type in _NUMBERS:
        if not text.isascii() or not text.isdecimal() or len(text) > 12:
            raise RequestError(f'{name}: should be a whole number, not "{text}"')
        return int(text)
    return text
