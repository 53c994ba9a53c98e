"""Calls of services as grpc.aio has them handled, in its loop; their work is done in trio."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

import grpc
import structlog
import trio
from google.protobuf.message import Message

from gavelport_server.transport.crossing import Crossing
from gavelport_server.transport.guard import Guard
from gavelport_server.transport.limits import Limits
from gavelport_server.transport.link import ServiceError, StatusCode
from gavelport_server.transport.linked import Linked
from gavelport_server.transport.methods import Rpc
from gavelport_server.transport.services import Call, Services
from gavelport_server.transport.stream import CODES, SETTLE_S, Context, Stream
from gavelport_server.transport.taken import Taken

T = TypeVar("T")

RETRY_KEY = "retry-delay"
"""Metadata after a refusal: in how many seconds to try again."""
WRITE_S = 60.0
"""Within which a caller must have taken a stream's next answer."""
READ_S, UPLOAD_S = 20.0, 600.0
"""Within which a caller must have sent a stream's next request, and all of them."""
_LONGEST_TEXT = 1000
"""Of a refusal: it travels in a header, which gRPC limits."""
_log = structlog.get_logger(__name__)


def handlers(
    services: Services, limits: Limits, crossing: Crossing, now: Callable[[], float], host: Callable[[str], str]
) -> list[grpc.GenericRpcHandler]:
    """Return the handlers of services.

    Args:
        services: whose they are.
        limits: of links.
        crossing: between trio and the loop in which the handlers are called.
        now: trio's clock.
        host: tells a remote address from a gRPC peer.
    """
    found = []
    for name, rpcs in services.rpcs.items():
        methods: dict[str, Any] = {}
        for rpc in rpcs:
            calls = _Calls(services, rpc, limits, crossing, now, host)
            if rpc.method.client_streaming:
                methods[rpc.method.name] = grpc.stream_unary_rpc_method_handler(calls.fed)
            elif not rpc.method.server_streaming:
                methods[rpc.method.name] = grpc.unary_unary_rpc_method_handler(calls.unary)
            elif rpc.is_pulled:
                methods[rpc.method.name] = grpc.unary_stream_rpc_method_handler(calls.pulled)
            else:
                # The same on the wire; and a stream that reads its request itself can be a link.
                methods[rpc.method.name] = grpc.stream_stream_rpc_method_handler(calls.linked)
        found.append(grpc.method_handlers_generic_handler(name, methods))
    return found


class _Calls:
    """The calls of one RPC."""

    def __init__(
        self,
        services: Services,
        rpc: Rpc,
        limits: Limits,
        crossing: Crossing,
        now: Callable[[], float],
        host: Callable[[str], str],
    ) -> None:
        self._services = services
        self._rpc = rpc
        self._limits = limits
        self._crossing = crossing
        self._now = now
        self._host = host

    async def unary(self, message: bytes, context: Context) -> bytes:
        """One answer."""
        try:
            return await self._in_trio(partial(self._services.answer, self._rpc, self._call(context), message))
        except ServiceError as error:
            await _refuse(context, error)
            raise

    async def pulled(self, message: bytes, context: Context) -> None:
        """Answers one after the other."""
        try:
            await self._pull(message, context)
        except ServiceError as error:
            await _refuse(context, error)

    async def fed(self, _messages: object, context: Context) -> bytes:
        """One answer to a stream of requests."""
        try:
            async with asyncio.timeout(UPLOAD_S):
                return await self._feed(context)
        except TimeoutError:
            text = f"not everything was sent within {READ_S:g} s after what came before, and {UPLOAD_S:g} s in all"
            error = ServiceError(StatusCode.DEADLINE_EXCEEDED, f"{text}; try again over a faster connection")
            await _refuse(context, error)
            raise
        except ServiceError as error:
            await _refuse(context, error)
            raise

    async def linked(self, _messages: object, context: Context) -> None:
        """Answers as they come."""
        guard = Guard(Linked(self._services, self._rpc, self._call(context)))
        await Stream(context, self._limits, guard, self._crossing, self._now, is_one_sided=True).serve()

    async def _pull(self, message: bytes, context: Context) -> None:
        taken = Taken(self._services, self._rpc)
        try:
            await self._in_trio(partial(taken.begin, self._call(context), message))
            while (response := await self._in_trio(taken.next_answer)) is not None:
                try:
                    await asyncio.wait_for(context.write(response), WRITE_S)
                except TimeoutError:
                    text = f"the answer before was not read within {WRITE_S:g} s; read faster"
                    raise ServiceError(StatusCode.RESOURCE_EXHAUSTED, text) from None
        finally:
            self._crossing.to_trio(_spawn, taken.end)

    async def _feed(self, context: Context) -> bytes:
        rpc, taken = self._rpc, Taken(self._services, self._rpc)

        async def give(request: Message | None) -> bytes | None:
            return await self._in_trio(partial(taken.feed, request))

        try:
            await self._in_trio(partial(taken.begin, self._call(context)))
            answer = await give(None)
            while answer is None:
                async with asyncio.timeout(READ_S):  # wait_for of Python 3.11 swallows a cancellation now and then
                    message: Any = await context.read()
                if message is grpc.aio.EOF:
                    await asyncio.sleep(SETTLE_S)  # a caller that was killed shows an end, too, and is cancelled then
                    break
                answer = await give(rpc.parsed(message))
            if answer is None:
                answer = await give(None)
            if answer is None:
                raise TypeError(f"{rpc.method.full_name} is to be answered at the end of its requests")
            return answer
        finally:
            self._crossing.to_trio(_spawn, taken.end)

    def _call(self, context: Context) -> Call:
        metadata = {key: value for key, value in context.invocation_metadata() or () if isinstance(value, str)}
        return Call(
            rpc=self._rpc.method.name,
            scopes=self._rpc.scopes,
            authorization=metadata.get("authorization", ""),
            host=self._host(context.peer()),
        )

    async def _in_trio(self, work: Callable[[], Awaitable[T]]) -> T:
        """Return or raise what `work` does in trio. It is given up there when the call is given up here."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        scope = trio.CancelScope()

        async def run() -> None:
            with scope:
                try:
                    settle = partial(_settle, future, await work())
                except Exception as error:  # noqa: BLE001 - raised where it is waited for
                    settle = partial(_fail, future, error)
                self._crossing.to_asyncio(settle)

        self._crossing.to_trio(_spawn, run)
        try:
            return await future
        except asyncio.CancelledError:
            self._crossing.to_trio(scope.cancel)
            raise


def _settle(future: asyncio.Future[T], value: T) -> None:
    if not future.done():
        future.set_result(value)


def _fail(future: asyncio.Future[T], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)


def _spawn(work: Callable[[], Awaitable[None]]) -> None:
    trio.lowlevel.spawn_system_task(_safely, work)


async def _safely(work: Callable[[], Awaitable[None]]) -> None:
    """Do work that nobody waits for: what it raises must not end the process."""
    try:
        await work()
    except Exception:  # noqa: BLE001 - logged
        _log.exception("service_work_failed")


async def _refuse(context: Context, error: ServiceError) -> None:
    if error.retry_s is not None:
        context.set_trailing_metadata(((RETRY_KEY, f"{error.retry_s:.1f}"),))
    await context.abort(CODES[error.code], error.text[:_LONGEST_TEXT])
