"""The pages of a server, in a process of their own (design 4: what computes for long is never in the referee's).

To show a table, pages read results of a ladder, and bots' clocks must not wait for that. So a server starts this
module as a process when they are first asked for, which serves them to this machine alone, and passes on to it whatever
is no other address of its own. What is asked has been through the shield by then. A process that answers no more is
ended, and the next one started.

`python -m gavelport_server.pages.elsewhere` reads a line of JSON from stdin, with `data` and `database` (a URL, or null
for the data folder's own), prints its port, and ends when its stdin does.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import closing, suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

import h11
import structlog
import trio
from starlette.responses import Response

from gavelport_server.pages.live.broadcast import Broadcast
from gavelport_server.pages.live.crowd import STREAM, Crowd
from gavelport_server.pages.shield import refusal
from gavelport_server.storage.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Receive, Scope, Send

    from gavelport_server.pages.live.broadcast import Live
    from gavelport_server.pages.shelf import Shelf

MODULE = "gavelport_server.pages.elsewhere"
HOST = "127.0.0.1"
NICE = 5
START_S = 10.0
"""So long whoever asks waits for a process that is being started."""
HEAD_S = 30.0
"""From a request to the beginning of its answer."""
BEGIN_S = 60.0
"""From a process's start to the first that is heard of it; after that it is taken to hang."""
ALIVE = b"x-alive"
"""The header by which it is asked whether it hangs, and which nobody else's requests bring. No thread is needed for the
answer, so that many slow pages are no reason."""
PING_S, ANSWER_S, MISSES = 5.0, 10.0, 3
"""It is asked so often, has so long to answer, and may miss one time less than that in a row."""
AGAIN_S, AGAIN_MOST_S, SOON_S = 1.0, 60.0, 60.0
"""As of house bots: from the end of a process to the next, and when that is doubled."""
CHUNK = 65_536
_ASKED = frozenset({b"accept", b"accept-encoding", b"if-none-match", b"if-modified-since", b"last-event-id", b"range"})
_OF_CONNECTIONS = frozenset({b"connection", b"date", b"keep-alive", b"transfer-encoding"})
_log = structlog.get_logger(__name__)


class Elsewhere:
    """The pages as an ASGI application; `run` keeps their process."""

    def __init__(
        self,
        data: Path,
        database: str | None = None,
        *,
        module: str = MODULE,
        live: Live | None = None,
        is_served: bool = False,
    ) -> None:
        """Take what is shown.

        Args:
            data: the data folder.
            database: the URL of a database that is kept elsewhere.
            module: what is run as the process.
            live: conducts matches that can be watched.
            is_served: whether the API and the owners' form are served beside.
        """
        self._command = [sys.executable, "-m", module]
        self._job = {"data": str(data), "database": database, "is_served": is_served}
        self._live = live
        self._crowd = Crowd()
        self._port: int | None = None
        self._wanted = trio.Event()
        self._ready = trio.Event()

    async def run(self) -> None:
        """Keep the process running from the first time that it is wanted, until cancelled."""
        await self._wanted.wait()
        delay_s = AGAIN_S
        while True:
            began = trio.current_time()
            try:
                code = await self._run_once()
                if code is None:
                    _log.error("pages_silent")
                else:
                    _log.error("pages_ended", exit_code=code)
            except OSError as error:
                _log.error("pages_not_started", error=error.strerror)
            except Exception:  # noqa: BLE001  costs those who look, and never the matches of this process
                _log.exception("pages_failed")
            delay_s = min(AGAIN_MOST_S, 2 * delay_s) if trio.current_time() - began < SOON_S else AGAIN_S
            await trio.sleep(delay_s)

    async def _run_once(self) -> int | None:
        """Run the process once, and return its exit code; None where it answered no more and was ended.

        Raises OSError where it cannot be started.
        """
        ours, theirs = trio.socket.socketpair()
        with ours:
            with theirs:
                process = await trio.lowlevel.open_process(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,  # Ctrl-C reaches the server alone
                )
                job = {**self._job, "live": None if self._live is None else theirs.fileno()}
            async with trio.open_nursery() as nursery:
                if self._live is not None:
                    nursery.start_soon(Broadcast(self._live).run, trio.SocketStream(ours))
                code = await self._until_ended(process, json.dumps(job).encode() + b"\n")
                nursery.cancel_scope.cancel()
            return code

    async def _until_ended(self, process: trio.Process, job: bytes) -> int | None:
        """Give a process its job, say that it is ready, and wait for its end, or end it when it answers no more."""
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with suppress(trio.BrokenResourceError):  # it has ended already
                await process.stdin.send_all(job)
            with trio.move_on_after(BEGIN_S) as beginning:
                printed = await process.stdout.receive_some(100)
            if beginning.cancelled_caught:
                return None
            if not printed.strip().isdigit():
                return await process.wait()
            self._port = port = int(printed)
            self._ready.set()
            code = None
            async with trio.open_nursery() as nursery:

                async def watch() -> None:
                    await _until_silent(port)
                    nursery.cancel_scope.cancel()

                nursery.start_soon(watch)
                code = await process.wait()
                nursery.cancel_scope.cancel()
            return code
        finally:
            self._port = None
            if self._ready.is_set():  # else whoever waits, waits for the next one
                self._ready = trio.Event()
            with suppress(
                ProcessLookupError
            ):  # its workers, too, which would not notice; nothing of theirs can be lost
                os.killpg(process.pid, signal.SIGKILL)
            with trio.CancelScope(shield=True):
                await process.wait()
                await process.stdin.aclose()
                await process.stdout.aclose()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and its answer back."""
        if scope["type"] != "http":
            return
        if not scope["path"].endswith(STREAM):
            await self._answer(scope, receive, send)
            return
        with self._crowd.place(scope["client"][0] if scope.get("client") else "") as reason:
            if reason:
                answer = self._refused(scope, HTTPStatus.TOO_MANY_REQUESTS, reason, {"retry-after": "30"})
                await answer(scope, receive, send)
                return
            # A stream that breaks off is nothing to tell of: browsers ask again.
            try:
                await self._answer(scope, receive, send)
            except* (trio.BrokenResourceError, h11.RemoteProtocolError):
                pass

    def _refused(
        self, scope: Scope, status: HTTPStatus, message: str, headers: Mapping[str, str] | None = None
    ) -> Response:
        return refusal(scope, status, message, headers, has_live=self._live is not None)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._wanted.set()
        with trio.move_on_after(START_S):
            await self._ready.wait()
        try:
            if self._port is None:
                raise OSError
            stream = await trio.open_tcp_stream(HOST, self._port)
        except OSError:
            text = "the pages are being started; try again in a few seconds"
            await self._refused(scope, HTTPStatus.SERVICE_UNAVAILABLE, text)(scope, receive, send)
            return
        is_whole = False
        async with stream, trio.open_nursery() as nursery:

            async def leave() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                nursery.cancel_scope.cancel()

            nursery.start_soon(leave)
            await _pass_on(scope, stream, send)
            is_whole = True
            nursery.cancel_scope.cancel()
        if is_whole:
            # Not in there: with the end of an answer the client may be gone at once, which would cancel the sending.
            await send({"type": "http.response.body", "body": b""})


async def _until_silent(port: int) -> None:
    """Return when the process behind a port has not answered for several times in a row."""
    misses = 0
    while misses < MISSES:
        await trio.sleep(PING_S)
        misses = 0 if await _answers(port) else misses + 1


async def _answers(port: int) -> bool:
    ping = f"HEAD / HTTP/1.1\r\nhost: {HOST}\r\n{ALIVE.decode()}: 1\r\nconnection: close\r\n\r\n"
    try:
        with trio.fail_after(ANSWER_S):
            async with await trio.open_tcp_stream(HOST, port) as stream:
                await stream.send_all(ping.encode())
                return bool(await stream.receive_some(1))
    except (OSError, trio.BrokenResourceError, trio.TooSlowError):
        return False


async def _pass_on(scope: Scope, stream: trio.SocketStream, send: Send) -> None:
    target: bytes = scope["raw_path"]
    if scope["query_string"]:
        target += b"?" + scope["query_string"]
    headers = [(name, value) for name, value in scope["headers"] if name in _ASKED]
    ours = h11.Connection(h11.CLIENT)
    head = h11.Request(
        method=scope["method"], target=target, headers=[(b"host", HOST.encode()), (b"connection", b"close"), *headers]
    )
    await stream.send_all((ours.send(head) or b"") + (ours.send(h11.EndOfMessage()) or b""))
    with trio.fail_after(HEAD_S) as patience:
        while not isinstance(event := ours.next_event(), h11.EndOfMessage):
            if event is h11.NEED_DATA:
                ours.receive_data(await stream.receive_some(CHUNK))
            elif isinstance(event, h11.Response):
                patience.deadline = float("inf")
                kept = [(name, value) for name, value in event.headers if name not in _OF_CONNECTIONS]
                await send({"type": "http.response.start", "status": event.status_code, "headers": kept})
            elif isinstance(event, h11.Data):
                await send({"type": "http.response.body", "body": bytes(event.data), "more_body": True})
            else:
                raise TypeError(f"the pages' process sent {event!r}")


async def _serve(data: Path, database: str | None, live: int | None, *, is_served: bool) -> None:
    from gavelport_server.archive.public import public_copy  # noqa: PLC0415  the referee's process does without
    from gavelport_server.pages.live.hall import Hall  # noqa: PLC0415
    from gavelport_server.pages.live.views import list_as_text  # noqa: PLC0415
    from gavelport_server.pages.server import serve_http  # noqa: PLC0415
    from gavelport_server.pages.site import site  # noqa: PLC0415
    from gavelport_server.pages.source import StoreSource  # noqa: PLC0415
    from gavelport_server.storage.memory import MemoryStore  # noqa: PLC0415
    from gavelport_server.storage.sql import FILE, open_store  # noqa: PLC0415

    class Public(StoreSource):
        """What anybody may see: replays without what bots noted."""

        def replay(self, match_id: str) -> bytes:
            return public_copy(super().replay(match_id))

    # Where matches are played for their own sake alone, there is no database.
    is_empty = database is None and not (data / FILE).exists()
    with closing(MemoryStore() if is_empty else open_store(database or data, create=False)) as store:
        async with trio.open_nursery() as nursery:
            hall = None
            if live is not None:
                hall = Hall(
                    trio.SocketStream(trio.socket.fromfd(live, socket.AF_UNIX, socket.SOCK_STREAM)), list_as_text
                )
                nursery.start_soon(hall.run)
            pages = site(Public(store, data), hall, is_served=is_served)

            async def app(scope: Scope, receive: Receive, send: Send) -> None:
                is_ping = scope["type"] == "http" and any(name == ALIVE for name, _ in scope["headers"])
                await (Response(status_code=HTTPStatus.NO_CONTENT) if is_ping else pages)(scope, receive, send)

            url = await nursery.start(serve_http, app, f"{HOST}:0")
            sys.stdout.write(url.rpartition(":")[2] + "\n")
            sys.stdout.flush()
            nursery.start_soon(_warm, pages.state.shelf)
            await trio.lowlevel.FdStream(os.dup(0)).receive_some(1)
            nursery.cancel_scope.cancel()


async def _warm(shelf: Shelf) -> None:
    """Have all results read meanwhile. What goes wrong, whoever asks for a page is told."""
    with suppress(StoreError):
        await trio.to_thread.run_sync(shelf.warm, abandon_on_cancel=True)


def main() -> None:
    """Serve the pages of the job on stdin."""
    os.nice(NICE)
    job = json.loads(os.read(0, CHUNK))  # not sys.stdin, which might read beyond the line
    trio.run(
        partial(_serve, is_served=job.get("is_served", False)), Path(job["data"]), job["database"], job.get("live")
    )


if __name__ == "__main__":
    main()
