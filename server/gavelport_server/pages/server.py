"""HTTP under trio: hypercorn with limits, in front of whatever is served (design 9, 10).

Hypercorn's own logs say nothing of requests. It closes a connection whose next request is not there within
`KEEP_ALIVE_S`, headers and all; one that does not read its answer, the kernel closes after `UNREAD_S`, since hypercorn
would wait for it for ever, even when it is to end.
"""

from __future__ import annotations

import socket
import ssl
from typing import TYPE_CHECKING

import trio
from hypercorn import protocol
from hypercorn.config import Config, Sockets
from hypercorn.protocol.h11 import H11Protocol
from hypercorn.trio.run import worker_serve
from hypercorn.utils import wrap_app

from gavelport_server.config import split_address
from gavelport_server.transport.home import AddressError, TransportError

if TYPE_CHECKING:
    from pathlib import Path

    import h11
    from starlette.types import ASGIApp

KEEP_ALIVE_S = 10.0
UNREAD_S = 10
HANDSHAKE_S = 5.0
LARGEST_HEAD = 16 * 1024
"""Bytes of a request's first line and headers."""
END_S = 1.0
"""What is running when the server ends may take so long."""
BACKLOG = 128


class _Http1(H11Protocol):
    """HTTP/1.1 alone: whoever asks for HTTP/2 is answered in HTTP/1.1.

    Hypercorn would change over for anybody, TLS or not, and then keep a connection for ever that asks for nothing, or
    that lets nothing be sent: past all rates, until there are no files left for the bots.
    """

    async def _check_protocol(self, event: h11.Request) -> None:
        """Look for no other protocol."""


protocol.H11Protocol = _Http1  # type: ignore[attr-defined]  # there is no setting for it


async def serve_http(
    app: ASGIApp,
    address: str,
    *,
    cert: Path | None = None,
    key: Path | None = None,
    task_status: trio.TaskStatus[str] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve until cancelled; started with the URL under which it is reached, without a slash at its end.

    Args:
        app: what is served.
        address: `HOST:PORT`; port 0 is any free one.
        cert: a PEM file; with it and the key it is HTTPS.
        key: a PEM file.
        task_status: of the nursery.

    Raises:
        AddressError: the address cannot be had.
        TransportError: the certificate cannot be used.
    """
    listener = _listener(address)
    with listener:
        scheme = "http" if cert is None else "https"
        host, port = listener.getsockname()[:2]
        url = f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"
        config = _config(cert, key)
        try:
            config.create_ssl_context()
        except (OSError, ssl.SSLError) as error:
            raise TransportError(f"{cert} and {key} are no certificate with its key: {error}") from error
        sockets = Sockets([], [listener], []) if cert is None else Sockets([listener], [], [])
        over = trio.Event()

        async def work(task_status: trio.TaskStatus[list[str]]) -> None:
            with trio.CancelScope(shield=True):  # it ends by its trigger: politely
                await worker_serve(
                    wrap_app(app, 0, "asgi"),  # type: ignore[arg-type]  # starlette says the same in other types
                    config,
                    sockets=sockets,
                    shutdown_trigger=over.wait,
                    task_status=task_status,
                )

        async with trio.open_nursery() as nursery:
            await nursery.start(work)
            task_status.started(url)
            try:
                await trio.sleep_forever()
            finally:
                over.set()


def _listener(address: str) -> socket.socket:
    host, port = split_address(address)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Inherited by the connections, and counted for a reader that takes nothing, too.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_S * 1000)
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        problem = f"cannot listen on {address!r} for HTTP: {error.strerror or error}"
        raise AddressError(address, problem) from error
    listener.setblocking(False)
    return listener


def _config(cert: Path | None, key: Path | None) -> Config:
    config = Config()
    config.accesslog = None
    config.errorlog = None  # what the application raises is logged and answered by ours (`shield.py`)
    config.alpn_protocols = ["http/1.1"]
    config.h11_max_incomplete_size = LARGEST_HEAD
    config.keep_alive_timeout = KEEP_ALIVE_S
    config.ssl_handshake_timeout = HANDSHAKE_S
    config.graceful_timeout = END_S
    config.include_server_header = False
    if cert is not None and key is not None:
        config.certfile, config.keyfile = str(cert), str(key)
    return config
