"""A stream of a service that is worked through step by step: counted in and out, whenever its caller goes."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import trio

from gavelport_server.transport.services import serialized

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from gavelport_server.transport.methods import Rpc
    from gavelport_server.transport.services import Call, Known, Services


class Taken:
    """One such stream; `begin`, the steps and `end` are called in the trio thread.

    Each of them may be given up half-way, and `end` may come while the one before is still at work, or has not begun.
    """

    def __init__(self, services: Services, rpc: Rpc) -> None:
        self._services = services
        self._rpc = rpc
        self._caller: Known | None = None
        self._generator: Any = None
        self._is_over = False
        self._stepping = threading.Lock()
        """A step that was given up goes on in its thread, and is not to be disturbed."""

    async def begin(self, call: Call, message: bytes | None = None) -> None:
        """Let the caller in, with the request where there is one alone. Raises ServiceError."""
        caller = await self._services.admit(call)
        requests = () if message is None else (self._rpc.parsed(message),)
        if not self._is_over:
            self._services.begin(caller, is_stream=True)
            self._caller = caller
            self._generator = self._rpc.serve(caller, *requests)

    async def next_answer(self) -> bytes | None:
        """Return the next answer, None at the end. Raises ServiceError."""
        assert self._caller is not None
        return await self._services.next_answer(self._caller, self._next)

    async def feed(self, request: Message | None) -> bytes | None:
        """Send the next request, None first and last; return the answer once there is one. Raises ServiceError."""
        assert self._caller is not None
        return await self._services.feed(self._caller, self._send, request)

    async def end(self) -> None:
        """Count the stream out, where it was counted in, and let go of what it holds."""
        self._is_over = True
        if self._caller is not None:
            self._services.end(self._caller, is_stream=True)
            await trio.to_thread.run_sync(self._close)

    # -- in worker threads

    def _next(self) -> object:
        with self._stepping:
            return next(self._generator, None)

    def _send(self, request: Message | None) -> bytes | None:
        with self._stepping:
            try:
                self._generator.send(request)
            except StopIteration as done:
                return serialized(done.value)
            return None

    def _close(self) -> None:
        with self._stepping:
            self._generator.close()
