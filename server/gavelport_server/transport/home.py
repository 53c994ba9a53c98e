"""Where the asyncio loop of grpc.aio lives: in a thread of its own, or under trio in the same one.

A program started with `trio.run` gets the thread. One started with `run` below has its loop in the main thread with
trio as the loop's guest; then a message goes from gRPC to the listener and back without crossing a thread, which
costs the referee about half as much CPU (see `yardstick.py` for how to measure). It pays while the listener answers
by itself: each time that a *task* of trio is woken, a guest run costs more than the thread would.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import structlog
import trio

from gavelport_server.transport.crossing import Crossing, SameThread, TwoThreads
from gavelport_server.transport.loop import BurstLoop

T = TypeVar("T")

_log = structlog.get_logger(__name__)
_host: trio.lowlevel.RunVar[asyncio.AbstractEventLoop | None] = trio.lowlevel.RunVar("gavelport_host_loop", None)
_JOIN_PATIENCE_S = 10.0


class TransportError(Exception):
    """The transport could not start, or broke down while it served."""


class AddressError(TransportError):
    """An address cannot be listened on."""

    def __init__(self, address: str, problem: str) -> None:
        """Take the address as it was asked for, and what is wrong with it, in words."""
        super().__init__(problem)
        self.address = address


class Home:
    """An asyncio loop, the crossing to it, and word of its breakdown."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        crossing: Crossing,
        token: trio.lowlevel.TrioToken,
        on_crash: Callable[[BaseException], None],
    ) -> None:
        self.loop = loop
        self.crossing = crossing
        self._token = token
        self._on_crash = on_crash
        loop.set_exception_handler(self._loop_failed)

    def crash(self, error: BaseException) -> None:
        """Tell trio that the asyncio side is broken; from any thread."""
        with contextlib.suppress(trio.RunFinishedError):
            self._token.run_sync_soon(self._on_crash, error)

    def _loop_failed(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if "handle" in context and error is not None:
            # A callback of ours or of grpc.aio raised, and whatever it should have continued never continues.
            self.crash(error)
        else:
            _log.warning("asyncio_complaint", message=context.get("message"), error=repr(error))

    async def call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """What `coroutine` returns or raises, run in the asyncio loop; not to be cancelled on its way."""
        done = trio.Event()
        future = asyncio.run_coroutine_threadsafe(coroutine, self.loop)
        future.add_done_callback(lambda _: self._token.run_sync_soon(done.set))
        await done.wait()
        return future.result()


@contextlib.asynccontextmanager
async def open_home(on_crash: Callable[[BaseException], None]) -> AsyncIterator[Home]:
    """A home for as long as the context; `on_crash` is called in trio if its loop breaks down."""
    token = trio.lowlevel.current_trio_token()
    host = _host.get()
    if host is not None:
        yield Home(host, SameThread(), token, on_crash)
        return
    loop = BurstLoop()
    home = Home(loop, TwoThreads(token, loop), token, on_crash)
    ended = trio.Event()

    def live() -> None:
        try:
            asyncio.set_event_loop(loop)
            loop.run_forever()
        except BaseException as error:  # noqa: BLE001 - whatever ends the thread is trio's to know
            home.crash(error)
        finally:
            _close(loop)
            with contextlib.suppress(trio.RunFinishedError):
                token.run_sync_soon(ended.set)

    thread = threading.Thread(target=live, name="grpc.aio", daemon=True)
    thread.start()
    try:
        yield home
    finally:
        with trio.CancelScope(shield=True, deadline=trio.current_time() + _JOIN_PATIENCE_S):
            with contextlib.suppress(RuntimeError):  # The loop broke down and is closed already.
                loop.call_soon_threadsafe(loop.stop)
            await ended.wait()
        if ended.is_set():
            thread.join()
        else:
            _log.error("asyncio_thread_stuck", waited_s=_JOIN_PATIENCE_S)


def _close(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel what is left in a loop that no longer runs, let it end, and close the loop."""
    try:
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def run(async_fn: Callable[..., Awaitable[T]], *args: object) -> T:
    """What `trio.run(async_fn, *args)` would return or raise, with an asyncio loop for gRPC in the same thread.

    What exists before, modules above all, is taken to live as long as the run: the garbage collector leaves it alone.
    """
    gc.freeze()  # saves a referee a tenth of its CPU
    loop = BurstLoop()
    asyncio.set_event_loop(loop)

    async def main() -> T:
        _host.set(loop)
        return await async_fn(*args)

    async def host() -> Any:
        done: asyncio.Future[Any] = loop.create_future()
        trio.lowlevel.start_guest_run(
            main,
            run_sync_soon_threadsafe=loop.call_soon_threadsafe,
            run_sync_soon_not_threadsafe=loop.call_soon,
            done_callback=done.set_result,
        )
        return await done

    try:
        result = loop.run_until_complete(host())
    finally:
        _close(loop)
        gc.unfreeze()
    value: T = result.unwrap()
    return value
