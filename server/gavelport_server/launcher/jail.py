"""The command line of bubblewrap for one bot: what it sees of the machine, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_server.launcher.runtime import SITE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gavelport_server.launcher.limits import Confinement

SOCKET = "/run/referee.sock"
"""Where the bot finds its referee, and nobody else's."""
FOLDER = "/bot"
_DEV_SHM_BYTES = 4 * 1024 * 1024


def arguments(  # noqa: PLR0913  one a thing that is put together here
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    shared: Sequence[tuple[Path, str]],
    links: Sequence[tuple[str, str]],
    folder: Path,
    socket: Path,
    passwd: int,
    seccomp: int,
    limits: Confinement,
) -> list[str]:
    """Return the arguments.

    Args:
        command: What runs inside.
        environment: All of it; `GAVELPORT_TARGET` and what the interpreters need is added.
        shared: What every bot sees read-only: where it is mounted, and where a bot sees it.
        links: Symbolic links of the root folder: to what, where.
        folder: The bot's own folder.
        socket: The bot's own socket.
        passwd: An open file with the one user that there is.
        seccomp: An open file with the filter of system calls.
        limits: What it may take.
    """
    made = ["bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"]
    made += ["--cap-drop", "ALL", "--hostname", "gavelport", "--seccomp", str(seccomp)]
    for source, inside in shared:
        made += ["--ro-bind", str(source), inside]
    for to, where in links:
        made += ["--symlink", to, where]
    made += ["--ro-bind-data", str(passwd), "/etc/passwd", "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
    made += ["--size", str(_DEV_SHM_BYTES), "--tmpfs", "/dev/shm"]  # noqa: S108  inside
    made += ["--size", str(limits.scratch_bytes), "--perms", "0700", "--tmpfs", "/tmp"]  # noqa: S108  inside
    made += ["--ro-bind", str(folder), FOLDER, "--bind", str(socket), SOCKET]
    made += ["--remount-ro", "/", "--chdir", FOLDER, "--clearenv"]
    inside_environment = {
        **environment,
        "GAVELPORT_TARGET": f"unix:{SOCKET}",
        "GAVELPORT_TOKEN": "hosted",  # the socket is the identity; the SDKs want a value
        "GAVELPORT_PROTO_DIR": SITE,
        "HOME": "/tmp",  # noqa: S108
        "LANG": "C.UTF-8",
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": SITE,
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    for name, value in inside_environment.items():
        made += ["--setenv", name, value]
    return [*made, "--", *command]
