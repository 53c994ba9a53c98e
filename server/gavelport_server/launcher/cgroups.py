"""Control groups, in both layouts: memory, processes and CPU time of one bot with all that it starts.

Version 1 has a tree for each controller, version 2 one for all; a machine may have both at once, with the controllers
in the first. Groups are made below the launcher's own; in version 2, where that has not been handed all controllers, as
in somebody's shell, below the root.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gavelport_server.launcher.limits import Confinement

CONTROLLERS = ("memory", "pids", "cpu")
_PERIOD_US = 100_000
_PATIENCE_S = 5.0


class CgroupError(Exception):
    """No control groups can be made; the text says why."""


class Group(Protocol):
    """The control groups of one bot."""

    def entries(self) -> list[Path]:
        """Return the files into which a process writes its id to be held."""
        ...

    def processes(self) -> list[int]:
        """Return the processes in it, as this machine numbers them."""
        ...

    def kill(self) -> None:
        """Kill all that is in it; it may take seconds until all its memory is given back, and it is gone."""
        ...

    def memory(self) -> tuple[int, int]:
        """Return the most bytes that were in use at once, and how many processes were killed for memory."""
        ...

    def remove(self) -> bool:
        """Take the group away; return whether it is, which what was killed may hold up."""
        ...


class Cgroups:
    """Where groups are made: in version 2 if it has the controllers, else in version 1."""

    def __init__(
        self, name: str, mounts: Path = Path("/proc/self/mounts"), own: Path = Path("/proc/self/cgroup")
    ) -> None:
        """Make the parent of all groups. Raises CgroupError."""
        self.version, trees = _trees(mounts.read_text(), own.read_text())
        self._parents = {controller: tree / name for controller, tree in trees.items()}
        try:
            if self.version == 2:
                _delegate(trees["memory"])
            for parent in set(self._parents.values()):
                parent.mkdir(exist_ok=True)
                if self.version == 2:
                    (parent / "cgroup.subtree_control").write_text(" ".join(f"+{each}" for each in CONTROLLERS))
        except OSError as error:
            raise CgroupError(f"{error.filename}: {error.strerror}") from error

    def make(self, name: str, limits: Confinement) -> Group:
        """Make a group with its limits. Raises OSError."""
        folders = {controller: parent / name for controller, parent in self._parents.items()}
        for folder in set(folders.values()):
            folder.mkdir()
        quota = int(limits.cores * _PERIOD_US)
        if self.version == 2:
            folder = folders["memory"]
            (folder / "memory.max").write_text(str(limits.memory_bytes))
            _write_if_there(folder / "memory.swap.max", "0")
            (folder / "pids.max").write_text(str(limits.processes))
            (folder / "cpu.max").write_text(f"{quota} {_PERIOD_US}")
        else:
            (folders["memory"] / "memory.limit_in_bytes").write_text(str(limits.memory_bytes))
            _write_if_there(folders["memory"] / "memory.memsw.limit_in_bytes", str(limits.memory_bytes))
            (folders["pids"] / "pids.max").write_text(str(limits.processes))
            (folders["cpu"] / "cpu.cfs_period_us").write_text(str(_PERIOD_US))
            (folders["cpu"] / "cpu.cfs_quota_us").write_text(str(quota))
        return _Group(folders)

    def close(self) -> None:
        """Take away what is left, killing what is in it."""
        for parent in set(self._parents.values()):
            for folder in [each for each in parent.glob("*") if each.is_dir()]:
                clear(_Group(dict.fromkeys(CONTROLLERS, folder)))
            with contextlib.suppress(OSError):
                parent.rmdir()


class _Group:
    def __init__(self, folders: dict[str, Path]) -> None:
        self._folders = folders

    def entries(self) -> list[Path]:
        return [folder / "cgroup.procs" for folder in sorted(set(self._folders.values()))]

    def processes(self) -> list[int]:
        with contextlib.suppress(FileNotFoundError):
            return [int(pid) for pid in (self._folders["pids"] / "cgroup.procs").read_text().split()]
        return []

    def kill(self) -> None:
        _write_if_there(self._folders["pids"] / "cgroup.kill", "1")
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def memory(self) -> tuple[int, int]:
        folder = self._folders["memory"]
        peak = _first_number(folder, "memory.peak", "memory.max_usage_in_bytes")
        for name in ("memory.events", "memory.oom_control"):
            with contextlib.suppress(FileNotFoundError):
                counts = dict(line.split() for line in (folder / name).read_text().splitlines())
                return peak, int(counts.get("oom_kill", 0))
        return peak, 0

    def remove(self) -> bool:
        for folder in set(self._folders.values()):
            with contextlib.suppress(OSError):
                folder.rmdir()
        return not any(folder.exists() for folder in self._folders.values())


def clear(group: Group) -> None:
    """Kill all that is in a group, and take it away; what does not go in some seconds is left."""
    until = time.monotonic() + _PATIENCE_S
    group.kill()
    while not group.remove() and time.monotonic() < until:
        time.sleep(0.002)
        group.kill()


def _trees(mounts: str, own: str) -> tuple[int, dict[str, Path]]:
    """Return the layout's version and, by controller, the folder of the group below which groups can be made."""
    paths: dict[str, str] = {}
    for line in own.splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(",") if controllers else [""]:
            paths[controller] = path
    found: dict[str, Path] = {}
    unified: tuple[Path, ...] = ()
    for line in mounts.splitlines():
        _, where, kind, options, *_ = line.split()
        if kind == "cgroup2":
            unified = (_below(Path(where), paths.get("", "/")), Path(where))
        elif kind == "cgroup":
            for controller in set(options.split(",")) & set(CONTROLLERS):
                found[controller] = _below(Path(where), paths.get(controller, "/"))
    for folder in unified:
        listed = folder / "cgroup.controllers"
        if listed.exists() and set(CONTROLLERS) <= set(listed.read_text().split()):
            return 2, dict.fromkeys(CONTROLLERS, folder)
    if missing := [controller for controller in CONTROLLERS if controller not in found]:
        what = f"no control groups for {', '.join(missing)}, neither in version 1 nor in version 2"
        raise CgroupError(f"{what}; mount them, or have Docker and the like hand them in")
    return 1, found


def _below(mount: Path, path: str) -> Path:
    """Return a group's folder; in a container the path may be one of the host's, which is not there."""
    folder = mount / path.lstrip("/")
    return folder if folder.is_dir() else mount


def _delegate(tree: Path) -> None:
    """Hand this tree's controllers to the groups below it.

    Its own processes go into a leaf, as in version 2 only leaves hold processes; but for the machine's root, which may
    hold both, and is known by having no type.
    """
    if set(CONTROLLERS) <= set((tree / "cgroup.subtree_control").read_text().split()):
        return
    if (tree / "cgroup.type").exists():
        leaf = tree / "gavelport-server"
        leaf.mkdir(exist_ok=True)
        for pid in (tree / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                (leaf / "cgroup.procs").write_text(pid)
    (tree / "cgroup.subtree_control").write_text(" ".join(f"+{controller}" for controller in CONTROLLERS))


def _write_if_there(path: Path, text: str) -> None:
    """Write into a file that only some kernels have."""
    if path.exists():
        with contextlib.suppress(OSError):
            path.write_text(text)


def _first_number(folder: Path, *names: str) -> int:
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            return int((folder / name).read_text())
    return 0
