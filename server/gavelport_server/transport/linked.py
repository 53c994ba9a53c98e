"""A stream of answers that come by themselves, as the listener of its link."""

from __future__ import annotations

from collections.abc import Callable

import trio

from gavelport_server.transport.guard import fail
from gavelport_server.transport.link import Link, LostReason, ServiceError, StatusCode
from gavelport_server.transport.methods import Rpc
from gavelport_server.transport.services import Call, Services

REQUEST_S = 5.0
"""From the opening of the stream to its request."""


class Linked:
    """Lets the caller in, and has the desk answer the first message, which is the only one, by the link."""

    def __init__(self, services: Services, rpc: Rpc, call: Call) -> None:
        self._services = services
        self._rpc = rpc
        self._call = call
        self._scope = trio.CancelScope()
        self._request: bytes | None = None
        self._asked = trio.Event()
        self._left: list[Callable[[], None]] = []
        """What is to be called when the link is lost, last first."""

    def opened(self, link: Link) -> None:
        """Begin."""
        trio.lowlevel.spawn_system_task(self._begin, link)

    def received(self, link: Link, message: bytes, at: float) -> None:
        """Take the request."""
        if self._request is None:
            self._request = message
            self._asked.set()

    def lost(self, link: Link, reason: LostReason) -> None:
        """Tell whoever answers."""
        self._scope.cancel()
        while self._left:
            self._left.pop()()

    async def _begin(self, link: Link) -> None:
        with self._scope:
            try:
                await self._serve(link)
            except ServiceError as error:
                link.close(error.code, error.text)
            except Exception:  # noqa: BLE001 - whatever it is, fail logs it
                fail(link, self._rpc.method.full_name)

    async def _serve(self, link: Link) -> None:
        services = self._services
        caller = await services.admit(self._call)
        with trio.move_on_after(REQUEST_S):
            await self._asked.wait()
        if self._request is None:
            raise ServiceError(StatusCode.DEADLINE_EXCEEDED, f"no request within {REQUEST_S:g} s")
        request = self._rpc.parsed(self._request)
        services.begin(caller, is_stream=True)
        self._left.append(lambda: services.end(caller, is_stream=True))
        services.joined(link, caller)
        self._left.append(lambda: services.left(link))
        self._left.append(self._rpc.serve(caller, request, link))
