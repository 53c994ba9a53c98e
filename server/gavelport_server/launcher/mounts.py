"""The launcher's own view of the file system: what bots get to see is mounted here first.

A bot's user may not walk the way to the server's files, nor to an interpreter below somebody's home. In a mount
namespace of its own the launcher puts what is needed in one place; nobody else sees it, and it goes with the launcher.
"""

from __future__ import annotations

import contextlib
import errno
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gavelport_server.launcher import kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

_READ_ONLY = kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV


@dataclass(frozen=True, slots=True)
class Given:
    """A file of the server's, as it gives it: the path, and the same opened by the server (O_PATH).

    A descriptor alone cannot be mounted, being of another mount namespace; a path alone would let the server have
    mounted what it may not open itself.
    """

    path: str
    descriptor: int

    def opened(self) -> int:
        """Open it here. Raises OSError where the path leads to anything else than what the server has opened."""
        mine = os.open(self.path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
        ours, theirs = os.fstat(mine), os.fstat(self.descriptor)
        if (ours.st_dev, ours.st_ino) != (theirs.st_dev, theirs.st_ino):
            os.close(mine)
            raise PermissionError(errno.EPERM, "not the file that the server has opened", self.path)
        return mine


class Mounts:
    """Everything that is mounted; `root` is an empty folder of the real file system to mount it on."""

    def __init__(self, root: Path) -> None:
        """Leave the mount namespace of all others. Raises OSError without the privilege."""
        self.root = root
        self._sources: dict[Path, Path] = {}
        kernel.unshare(kernel.CLONE_NEWNS)
        kernel.mount(
            "none", "/", "none", kernel.MS_REC | kernel.MS_SLAVE
        )  # what is mounted later elsewhere is seen here too
        kernel.mount("gavelport", str(root), "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=0711,size=1m")

    def share(self, name: str, source: Path) -> Path:
        """Mount a file or folder for all bots to read; return where."""
        target = self.root / name
        descriptor = os.open(source, os.O_PATH | os.O_CLOEXEC)
        try:
            self._bind(descriptor, target, _READ_ONLY)
        finally:
            os.close(descriptor)
        self._sources[target] = source
        return target

    def renew(self) -> None:
        """Share anew whatever was replaced by something else of its name since, as any upgrade of the machine does.

        What is gone for good stays as it is: a start then says what is missing. Raises OSError.
        """
        for target, source in self._sources.items():
            with contextlib.suppress(FileNotFoundError):  # is just being replaced
                if not os.path.samestat(source.stat(), target.stat()):
                    kernel.unmount(str(target))
                    _remove(target)
                    self.share(target.name, source)

    def slot(self, number: int, group: int, folder: Given, socket: Given) -> tuple[Path, Path]:
        """Mount a bot's folder, read-only, and its socket for one slot; return where both are. Raises OSError."""
        place = self.root / f"slot{number}"
        place.mkdir(mode=0o710)
        os.chown(place, 0, group)
        for given, name, flags in (
            (folder, "bot", _READ_ONLY),
            (socket, "socket", kernel.MS_NOSUID | kernel.MS_NODEV),
        ):
            descriptor = given.opened()
            try:
                self._bind(descriptor, place / name, flags)
            finally:
                os.close(descriptor)
        return place / "bot", place / "socket"

    def clear(self, number: int) -> None:
        """Take a slot's mounts away."""
        place = self.root / f"slot{number}"
        for part in ("bot", "socket"):
            target = place / part
            with contextlib.suppress(OSError):  # a start that failed half-way has not mounted all
                kernel.unmount(str(target))
            _remove(target)
        place.rmdir()

    def names(self) -> Sequence[str]:
        """Return the slots that have mounts."""
        return sorted(path.name for path in self.root.iterdir() if path.name.startswith("slot"))

    def _bind(self, descriptor: int, target: Path, flags: int) -> None:
        source = f"/proc/self/fd/{descriptor}"
        if Path(source).is_dir():
            target.mkdir(parents=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.touch()
        kernel.mount(source, str(target), "none", kernel.MS_BIND | kernel.MS_REC)
        kernel.mount("none", str(target), "none", kernel.MS_REMOUNT | kernel.MS_BIND | flags)


def _remove(target: Path) -> None:
    """Remove what something was mounted on, where it is there."""
    if target.exists():
        target.rmdir() if target.is_dir() else target.unlink()
