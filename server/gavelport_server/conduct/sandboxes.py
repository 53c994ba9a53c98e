"""Whether a server hosts bots, settled before it has any threads: the launcher, its examination, and who the server is.

The launcher is started as root, and examined by attacks on it. Then the server becomes another user and keeps no
privilege. Where anything is missing no bot is hosted, and why is said; bots that run elsewhere play all the same.
"""

from __future__ import annotations

import os
import pwd
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gavelport_server import shipped
from gavelport_server.conduct.ladder.hosted import most_processes
from gavelport_server.launcher.client import LauncherError
from gavelport_server.launcher.examine import held_launcher
from gavelport_server.launcher.limits import MIB, Confinement

if TYPE_CHECKING:
    from gavelport_server.launcher.client import LauncherProcess
    from gavelport_server.serving import ServeSettings

ROOT = "root"
OFF = "hosting is off; `hosting = true` among the server's settings has it run submitted bots"


class UserError(RuntimeError):
    """The server cannot be the user that it is to be; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Sandboxes:
    """What a server hosts bots in."""

    limits: Confinement
    most: int
    """Processes at the same time."""
    process: LauncherProcess | None = None
    why_not: str = ""
    """Why no bot is hosted, in words; empty where there is a launcher."""
    words: str = ""
    """What is kept with each match of hosted bots."""

    def close(self) -> None:
        """End the launcher, and whatever it still runs."""
        if self.process is not None:
            self.process.close()

    def again(self) -> LauncherProcess:
        """Start and examine another launcher, in the place of one that was lost. Blocks. Raises LauncherError."""
        return held_launcher(shipped.node_modules())


def sandboxes(settings: ServeSettings) -> Sandboxes:
    """Start the launcher, if bots are to be hosted, and examine it; some seconds. To be called before any thread."""
    limits = Confinement(memory_bytes=settings.memory_mib * MIB)
    most = settings.hosted_processes or most_processes(
        max(one.seats for one in settings.ladders),
        limits.memory_bytes,
        cores=len(os.sched_getaffinity(0)),
        machine_bytes=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
    )
    if not settings.hosting:
        return Sandboxes(limits, most, why_not=OFF)
    try:
        process = held_launcher(shipped.node_modules())
    except LauncherError as error:
        return Sandboxes(limits, most, why_not=str(error))
    return Sandboxes(limits, most, process, words=limits.in_words(process.effects))


def require_user(settings: ServeSettings) -> None:
    """Raise UserError where it is not settled who a server that hosts bots is to be."""
    if settings.user is not None:
        _record(settings.user)
    elif settings.hosting and os.geteuid() == 0:
        raise UserError(
            'user: a server that hosts bots keeps no privileges of root for itself; set `user = "NAME"`, who is to own '
            'the data folder, or `user = "root"` where this machine is nothing but this server'
        )


def become(settings: ServeSettings) -> None:
    """Be the user that the settings name from now on, for good, and see that the data folder is that user's.

    A data folder that is not there yet is made and given to the user. To be called before any thread. Raises UserError.
    """
    if settings.user is None:
        return
    record = _record(settings.user)
    if record.pw_uid != os.geteuid():
        if os.geteuid() != 0:
            raise UserError(f"user: only root can become {settings.user}; start the server as one of the two")
        if not settings.data.exists():
            settings.data.mkdir(parents=True)
            os.chown(settings.data, record.pw_uid, record.pw_gid)
        os.initgroups(settings.user, record.pw_gid)
        os.setresgid(record.pw_gid, record.pw_gid, record.pw_gid)
        os.setresuid(record.pw_uid, record.pw_uid, record.pw_uid)
        os.environ |= {"HOME": record.pw_dir, "USER": settings.user, "LOGNAME": settings.user}
    if not os.access(sys.executable, os.X_OK):
        raise UserError(
            f"user: {settings.user} cannot run {sys.executable}{_closed(Path(sys.executable))}; "
            "install Gavelport, and its Python, where every user can read it"
        )
    if settings.data.exists() and (foreign := _foreign(settings.data)) is not None:
        raise UserError(
            f"{foreign} cannot be changed by {settings.user}, who this server is; "
            f"`chown -R {settings.user}: {settings.data}` hands the data folder over"
        )


def _record(user: str) -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(user)
    except KeyError:
        raise UserError(
            f"user: there is no user {user!r} on this machine; `useradd --system {user}` makes one"
        ) from None


def _closed(program: Path) -> str:
    """Return, for people, what is in this process's way to a program: where a link leads to, and a closed folder."""
    place = program.resolve()
    led = "" if place == program else f", which is {place}"
    shut = next((one for one in reversed(place.parents) if not os.access(one, os.X_OK)), None)
    return led if shut is None else f"{led}: {shut} is closed to it"


def _foreign(data: Path) -> Path | None:
    """Return what in a data folder cannot be changed by this process, the folder included; None without any."""
    try:
        paths = [data, *data.iterdir()]
    except PermissionError:
        return data
    for path in paths:
        if path.is_symlink() and not path.exists():  # it leads nowhere now, as to sockets that a server has taken away
            continue
        wanted = os.R_OK | os.W_OK | (os.X_OK if path.is_dir() else 0)
        if not os.access(path, wanted):
            return path
    return None
