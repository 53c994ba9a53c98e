"""The asynchronous runner, for bots that wait for something themselves or think about several matches at once.

    class MyBot(Bot):
        games = ("container",)

        async def decide(self, observation):
            return await ask_my_model(observation)

    if __name__ == "__main__":
        run_async(MyBot, max_matches=8)

`decide` and `refused` may be coroutine functions; decisions of different matches run side by side, and the stream is
read meanwhile. A plain `decide` works too, but holds everything up while it runs. The other methods are plain ones.
When the time of a decision runs out, the match goes on: the next `decide` may begin while the last one still waits, and
what the last one returns is dropped.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn, Self

import grpc
import grpc.aio
from gavelport.v1.referee_pb2_grpc import RefereeServiceStub

from gavelport_sdk.channel import OPTIONS, TLS, Line, bearer, failure, is_local, session_with
from gavelport_sdk.entry import check, connection, version_of
from gavelport_sdk.errors import BotError, Exit, ProtocolError, SetupError
from gavelport_sdk.progress import Progress
from gavelport_sdk.session import Ask, Blamed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from gavelport.v1 import referee_pb2 as wire

    from gavelport_sdk.bot import Bot
    from gavelport_sdk.entry import Connection
    from gavelport_sdk.session import Session


def run_async(bot_class: type[Bot], *, max_matches: int = 1) -> NoReturn:
    """Do as `gavelport_sdk.run`, with decisions that may wait; at most `max_matches` matches at the same time."""
    try:
        found = connection(os.environ)
        check(bot_class, max_matches)
    except SetupError as error:
        sys.exit(failure(error))
    try:
        code = asyncio.run(play(bot_class, found, max_matches=max_matches))
    except KeyboardInterrupt:
        code = Exit.INTERRUPTED
    sys.exit(code)


async def play(
    bot_class: type[Bot],
    server: Connection,
    *,
    max_matches: int = 1,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Exit:
    """Play until the server ends the session or nothing more can be done; return the process's exit code."""
    try:
        session = session_with(server, bot_class, max_matches)
        line = Line(server.target, session)
        async with _Asking(session, Progress(server.target, version_of(bot_class))) as asking:
            while True:
                end = line.ended(*await asking.stream(server))
                if isinstance(end, Exit):
                    return end
                await sleep(end)
                asking.raise_failure()
    except (BotError, SetupError, ProtocolError) as error:
        return failure(error)


class _Asking:
    """The decisions that are being thought about. They outlive a lost stream: the next one takes what comes of them."""

    def __init__(self, session: Session, progress: Progress) -> None:
        self._session = session
        self._progress = progress
        self._tasks: set[asyncio.Task[None]] = set()
        self._call: Any = None
        self._writing = asyncio.Lock()
        self._failed: BaseException | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def stream(self, server: Connection) -> tuple[str, str]:
        """Play on one stream until it ends; return its status and the text that came with it. Raises BotError."""
        async with _channel(server) as channel:
            self._call = call = RefereeServiceStub(channel).Play(metadata=bearer(server.token))
            try:
                await self._write(self._session.hello())
                async for response in call:
                    step = self._session.receive(response)
                    self._progress.hear(response)
                    if isinstance(step, Ask):
                        task = asyncio.create_task(self._decide(step))
                        self._tasks.add(task)
                        task.add_done_callback(self._decided)
                    elif step is not None:
                        await self._write(step)
            except grpc.RpcError:
                pass  # the status below says how it ended
            except asyncio.CancelledError:
                if self._failed is None:
                    raise
            finally:
                self._call = None
                call.cancel()
            self.raise_failure()
            status = await call.code()
            return status.name, await call.details() or ""

    def raise_failure(self) -> None:
        """Raise what a bot's method raised, if one did."""
        if self._failed is not None:
            raise self._failed

    async def _decide(self, ask: Ask) -> None:
        action = ask.call()
        if inspect.isawaitable(action):
            with Blamed(ask.where):
                action = await action
        request = self._session.answer(ask, action)
        if request is not None:
            await self._write(request)

    def _decided(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._failed = task.exception()
            if self._call is not None:
                self._call.cancel()

    async def _write(self, request: wire.PlayRequest) -> None:
        """Send, if there is a stream; an answer that is lost with its stream is sent again when it is asked again."""
        call = self._call
        if call is None:
            return
        async with self._writing:
            # Else the stream is over, as whoever reads it will see.
            with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
                await call.write(request)


def _channel(server: Connection) -> grpc.aio.Channel:
    if is_local(server.target):
        return grpc.aio.insecure_channel(server.target, OPTIONS)
    credentials = grpc.ssl_channel_credentials(server.ca, *(server.own or ()))
    return grpc.aio.secure_channel(server.target.removeprefix(TLS), credentials, OPTIONS)
