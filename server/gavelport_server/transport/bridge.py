"""The bridge: a gRPC server for bots whose listener lives in trio.

Trio owns the program; grpc.aio has its asyncio loop wherever `home.py` puts it. Messages are opaque bytes here.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import grpc
import grpc.aio
import trio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from gavelport_server.transport.calls import handlers as service_handlers
from gavelport_server.transport.crossing import Crossing
from gavelport_server.transport.guard import Guard
from gavelport_server.transport.home import AddressError, TransportError, open_home
from gavelport_server.transport.limits import Limits
from gavelport_server.transport.link import Listener, remote_host
from gavelport_server.transport.sanitise import Sanitiser
from gavelport_server.transport.services import Services
from gavelport_server.transport.stream import SHUTDOWN, Context, Stream
from gavelport_server.transport.tls import Tls, is_local, server_credentials

PLAY_METHOD = "/gavelport.v1.RefereeService/Play"
_STOP_GRACE_S = 0.5
"""What is left of the calls that have their status already, once the streams' own grace is over."""

_STOP_PATIENCE_S = 10.0
_MAX_ANSWER_BYTES = 4 * 1024 * 1024
"""Longest answer of a service: what gRPC's clients take unless told otherwise. Bots' streams have their own limit."""


class Bridge:
    """A running server."""

    def __init__(self, target: str) -> None:
        self.target = target
        """Where bots connect: `127.0.0.1:PORT`, `[::1]:PORT` or `unix:PATH`."""


@contextlib.asynccontextmanager
async def serve(
    listener: Listener,
    *,
    address: str = "127.0.0.1:0",
    limits: Limits = Limits(),  # noqa: B008 - frozen
    play_method: str = PLAY_METHOD,
    handlers: Sequence[grpc.GenericRpcHandler] = (),
    services: Services | None = None,
    tls: Tls | None = None,
    reflects: bool = False,
) -> AsyncIterator[Bridge]:
    """A server for as long as the context.

    At its end, also by exception or cancellation, every stream is told UNAVAILABLE after what is queued for it,
    those that do not read are cut after the grace, and the listener has been told of each by then.

    Args:
        listener: is told of streams, in the trio thread.
        address: `HOST:PORT` (port 0: any free one), or `unix:PATH`; without `tls`, of the loopback interface only.
        limits: what a bot may take.
        play_method: the full name of the bidirectional method, `/package.Service/Method`.
        handlers: further services, whose methods are coroutines of the asyncio loop.
        services: those that are bound to desks, whose work is done in trio.
        tls: the certificate to serve with.
        reflects: whether gRPC's reflection service tells which services there are.

    Raises:
        TransportError: the address is not local and there is no certificate; it cannot be bound; the certificate cannot
            be used; or the asyncio side broke down.
    """
    if tls is None:
        _require_local(address)
    credentials = None if tls is None else server_credentials(tls)
    scope = trio.CancelScope()
    crashes: list[BaseException] = []

    def crashed(error: BaseException) -> None:
        crashes.append(error)
        scope.cancel()

    now = trio.lowlevel.current_clock().current_time
    async with open_home(crashed) as home:
        server = _Server(Guard(listener), limits, home.crossing, now, home.crash)
        with trio.CancelScope(shield=True):
            if services is not None:
                bound = service_handlers(services, limits, home.crossing, now, remote_host)
                handlers = (*handlers, *bound)
            names = [play_method.lstrip("/").partition("/")[0], *(() if services is None else services.rpcs)]
            start = server.start(address, play_method, handlers, names, credentials, reflects=reflects)
            target = await home.call(start)
        try:
            with scope:
                yield Bridge(target)
        finally:
            # Bounded, because a broken loop may answer no more.
            with trio.CancelScope(shield=True, deadline=trio.current_time() + server.stop_patience_s):
                if not home.loop.is_closed():
                    await home.call(server.stop())
    if crashes:
        raise TransportError("the asyncio side of the transport broke down") from crashes[0]


def _require_local(address: str) -> None:
    if not is_local(address):
        raise TransportError(
            f"refusing to serve without TLS on {address!r}, which is not local: "
            "give a certificate and its key, or listen on 127.0.0.1, [::1], localhost or unix:PATH"
        )


class _Server:
    """The grpc.aio server, in the asyncio loop."""

    def __init__(
        self,
        guard: Guard,
        limits: Limits,
        crossing: Crossing,
        now: Callable[[], float],
        crash: Callable[[BaseException], None],
    ) -> None:
        self._guard = guard
        self._limits = limits
        self._crossing = crossing
        self._now = now
        self._crash = crash
        self._end_s = limits.close_grace_ms / 1000 + _STOP_GRACE_S
        self.stop_patience_s = self._end_s + _STOP_PATIENCE_S
        self._streams: dict[Stream, asyncio.Task[Any]] = {}
        self._hosts: Counter[str] = Counter()

    async def start(
        self,
        address: str,
        play_method: str,
        handlers: Sequence[grpc.GenericRpcHandler],
        names: Sequence[str],
        credentials: grpc.ServerCredentials | None,
        *,
        reflects: bool,
    ) -> str:
        """Bind and serve; the target of clients. `names` are those of the services, for health and reflection."""
        self._server = server = grpc.aio.server(options=_options(self._limits), interceptors=[Sanitiser()])
        service, _, method = play_method.lstrip("/").partition("/")
        play: Any = grpc.stream_stream_rpc_method_handler(self._play)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {method: play}), *handlers))
        self._health = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        for name in ("", *names):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        if reflects:
            from grpc_reflection.v1alpha import reflection  # noqa: PLC0415 - for development only

            reflection.enable_server_reflection((*names, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
        try:
            if credentials is None:
                port = server.add_insecure_port(address)
            else:
                port = server.add_secure_port(address, credentials)
        except RuntimeError as error:
            problem = f"cannot listen on {address!r}: it is taken, or is no address of here"
            raise AddressError(address, problem) from error
        await server.start()
        self._watch = asyncio.create_task(self._wait())
        return address if address.startswith("unix") else f"{address.rpartition(':')[0]}:{port}"

    async def _wait(self) -> None:
        """Notice a server that ends by itself."""
        try:
            await self._server.wait_for_termination()
        except Exception as error:  # noqa: BLE001 - passed on
            self._crash(error)

    async def stop(self) -> None:
        """End every stream politely, then the server."""
        await self._health.enter_graceful_shutdown()
        tasks = list(self._streams.values())
        for stream in list(self._streams):
            stream.end(SHUTDOWN)
        if tasks:
            # The streams themselves end within their grace; what remains is a status that nobody reads.
            await asyncio.wait(tasks, timeout=self._end_s)
        # With a grace, idle connections are closed in peace; without, clients would log an error about each.
        await self._server.stop(_STOP_GRACE_S)
        await self._watch

    async def _play(self, _requests: object, context: Context) -> None:
        host = remote_host(context.peer())
        if len(self._streams) >= self._limits.max_streams:
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "the server has all the streams it takes")
        if host and self._hosts[host] >= self._limits.max_streams_per_host:
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many streams from this address")
        stream = Stream(context, self._limits, self._guard, self._crossing, self._now)
        task = asyncio.current_task()
        assert task is not None
        self._streams[stream] = task
        self._hosts[host] += 1
        try:
            await stream.serve()
        finally:
            del self._streams[stream]
            self._hosts[host] -= 1
            if not self._hosts[host]:
                del self._hosts[host]


def _options(limits: Limits) -> list[tuple[str, int]]:
    most = limits.max_connections
    return [
        *([] if most is None else [("grpc.max_allowed_incoming_connections", most)]),
        ("grpc.so_reuseport", 0),  # Two servers on one port would share its bots at random.
        ("grpc.max_receive_message_length", limits.max_receive_bytes),
        ("grpc.max_send_message_length", max(limits.max_send_bytes, _MAX_ANSWER_BYTES)),
        ("grpc.max_concurrent_streams", limits.max_streams_per_connection),
        ("grpc.server_handshake_timeout_ms", limits.handshake_timeout_ms),
        ("grpc.keepalive_time_ms", limits.keepalive_interval_ms),
        ("grpc.keepalive_timeout_ms", limits.keepalive_timeout_ms),
        # Without this one too, gRPC waits a minute for the answer, whatever the one above says.
        ("grpc.http2.ping_timeout_ms", limits.keepalive_timeout_ms),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.http2.min_ping_interval_without_data_ms", limits.min_ping_interval_ms),
        ("grpc.http2.max_ping_strikes", limits.max_ping_strikes),
    ]
