"""What a hosted process may have of its own referee; no sandbox is needed for that."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from typing import TYPE_CHECKING, cast

import trio
from gavelport_server.conduct.hosting import CONNECTIONS, hosting

if TYPE_CHECKING:
    from gavelport_server.launcher.client import Launcher
    from gavelport_server.transport.link import Listener

PATIENCE_S = 10.0


async def test_a_process_has_a_few_connections_at_the_same_time_and_no_more() -> None:
    """Each takes one of the server's open files, for as long as its pings are answered."""
    async with hosting(cast("Launcher", None), cast("Listener", None)) as host:
        path = host.folder / "1.sock"
        server = await host.open_socket("token", path)
        with ExitStack() as held:
            firsts = []
            for _ in range(CONNECTIONS + 5):
                made = held.enter_context(socket.socket(socket.AF_UNIX))
                made.settimeout(PATIENCE_S)
                made.connect(str(path))
                firsts.append(await trio.to_thread.run_sync(_first, made))
        assert [bool(first) for first in firsts] == [True] * CONNECTIONS + [False] * 5
        server.cancel()


def _first(connection: socket.socket) -> bytes:
    """Return the first of what comes, which is nothing where it is closed."""
    try:
        return connection.recv(9)
    except ConnectionResetError:
        return b""
