"""What server and launcher say to each other: one JSON object a packet, with open files beside it.

Whatever a bot gets of the server's files comes as an open descriptor beside its path, so that nothing that the server,
or somebody who got hold of it, may not open itself can be had through the launcher.
"""

from __future__ import annotations

import array
import json
import socket
from typing import Any, TypeAlias

Message: TypeAlias = dict[str, Any]
MOST_BYTES = 64 * 1024
MOST_FILES = 8


def send(link: socket.socket, message: Message, files: tuple[int, ...] = ()) -> None:
    """Send a message; raises OSError once the other side is gone."""
    packed = json.dumps(message).encode()
    if len(packed) > MOST_BYTES:
        raise ValueError(f"a message of {len(packed)} bytes to or from the launcher; {MOST_BYTES} are the most")
    ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
    link.sendmsg([packed], ancillary)


def receive(link: socket.socket) -> tuple[Message, tuple[int, ...]] | None:
    """Return the next message and the files that came with it, which are the caller's now; None at the end."""
    space = socket.CMSG_SPACE(MOST_FILES * array.array("i").itemsize)
    packed, ancillary, _, _ = link.recvmsg(MOST_BYTES, space, socket.MSG_CMSG_CLOEXEC)
    files = array.array("i")
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            files.frombytes(data[: len(data) - len(data) % files.itemsize])
    if not packed:
        return None
    message: Message = json.loads(packed)
    return message, tuple(files)


def pair() -> tuple[socket.socket, socket.socket]:
    """Return the two ends of a link that keeps packets apart."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
