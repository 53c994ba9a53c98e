"""What a hosted process may have of its own referee; no sandbox is needed for that."""

from __future__ import annotations

import fcntl
import os
import socket
from contextlib import ExitStack
from typing import TYPE_CHECKING, cast

import pytest
import trio
from gavelport_server.conduct.hosting import CONNECTIONS, hosting
from gavelport_server.conduct.manifest import BotManifest
from gavelport_server.conduct.process import NoSandboxError

if TYPE_CHECKING:
    from pathlib import Path

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


async def test_a_log_that_cannot_be_kept_is_the_servers_fault(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file where a folder should be")
    bot = BotManifest("bot", "1", "python", "main.py", ("container",), tmp_path, "")
    async with hosting(cast("Launcher", None), cast("Listener", None)) as host:
        with pytest.raises(NoSandboxError, match=r"^bot: .*logs"):
            await host.process(bot, "token", tmp_path / "logs" / "bot.log").start()


async def test_the_folder_of_sockets_is_held_against_whatever_clears_old_files() -> None:
    async with hosting(cast("Launcher", None), cast("Listener", None)) as host:
        descriptor = os.open(host.folder, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # what systemd-tmpfiles tries
        os.close(descriptor)


def _first(connection: socket.socket) -> bytes:
    """Return the first of what comes, which is nothing where it is closed."""
    try:
        return connection.recv(9)
    except ConnectionResetError:
        return b""
