"""No exception of a gRPC handler tells its text to a client.

grpc.aio sends `Unexpected <class>: <text>` of whatever a handler raises. The interceptor here stands round every
handler of the server, and replaces that by INTERNAL and a random error id; the log has the id with the details.
"""

from __future__ import annotations

import inspect
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
import grpc.aio
import structlog

_log = structlog.get_logger(__name__)
_Behaviour = Callable[..., Any]


class Sanitiser(grpc.aio.ServerInterceptor):
    """Wraps each handler when it is looked up; handlers must be asynchronous."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """The handler with its guard; None where there is no such method."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        kinds: dict[tuple[bool, bool], tuple[Callable[..., Any], _Behaviour]] = {
            (False, False): (grpc.unary_unary_rpc_method_handler, handler.unary_unary),
            (False, True): (grpc.unary_stream_rpc_method_handler, handler.unary_stream),
            (True, False): (grpc.stream_unary_rpc_method_handler, handler.stream_unary),
            (True, True): (grpc.stream_stream_rpc_method_handler, handler.stream_stream),
        }
        make, behaviour = kinds[bool(handler.request_streaming), bool(handler.response_streaming)]
        method = handler_call_details.method
        return make(_guarded(behaviour, method), handler.request_deserializer, handler.response_serializer)


def _guarded(behaviour: _Behaviour, method: str) -> _Behaviour:
    if inspect.isasyncgenfunction(behaviour):

        async def stream(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncIterator[Any]:
            try:
                async for response in behaviour(request, context):
                    yield response
            except grpc.aio.BaseError:  # AbortError, and what grpc.aio raises itself, have no text of ours.
                raise
            except Exception:  # noqa: BLE001 - whatever it is, _fail logs it
                await _fail(context, method)

        return stream

    async def plain(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        try:
            return await behaviour(request, context)
        except grpc.aio.BaseError:  # As above.
            raise
        except Exception:  # noqa: BLE001 - whatever it is, _fail logs it
            await _fail(context, method)

    return plain


async def _fail(context: grpc.aio.ServicerContext[Any, Any], method: str) -> None:
    error_id = secrets.token_hex(8)
    _log.exception("handler_failed", method=method, peer=context.peer(), error_id=error_id)
    await context.abort(grpc.StatusCode.INTERNAL, f"internal error {error_id}")
