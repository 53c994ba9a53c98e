"""Both layouts of control groups, on folders that look like them; test_sandbox.py has those of the machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from gavelport_server.launcher.cgroups import CgroupError, Cgroups
from gavelport_server.launcher.limits import Confinement

LIMITS = Confinement(memory_bytes=1000, processes=7, cores=0.5)


def unified(folder: Path, controllers: str, *, of_root: str = "io") -> Cgroups:
    """Return groups of a machine that has version 2 alone, with this process in `/mine`."""
    mine = folder / "mine"
    mine.mkdir()
    (mine / "cgroup.type").write_text("domain")
    for group, has in ((mine, controllers), (folder, of_root)):
        (group / "cgroup.controllers").write_text(has)
        (group / "cgroup.subtree_control").write_text("")
        (group / "cgroup.procs").write_text("11\n12\n")
    (folder / "mounts").write_text(f"cgroup2 {folder} cgroup2 rw 0 0\nproc /proc proc rw 0 0\n")
    (folder / "own").write_text("0::/mine\n")
    return Cgroups("gavelport-1", folder / "mounts", folder / "own")


def test_version_2_takes_its_limits_from_one_tree(tmp_path: Path) -> None:
    groups = unified(tmp_path, "cpuset cpu io memory pids")
    assert groups.version == 2
    group = groups.make("slot0", LIMITS)
    folder = tmp_path / "mine" / "gavelport-1" / "slot0"
    assert [(folder / name).read_text() for name in ("memory.max", "pids.max", "cpu.max")] == [
        "1000",
        "7",
        "50000 100000",
    ]
    assert group.entries() == [folder / "cgroup.procs"]
    assert (tmp_path / "mine" / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"
    # In version 2 only leaves hold processes: the server's own are in one, too.
    assert (tmp_path / "mine" / "gavelport-server" / "cgroup.procs").exists()
    (folder / "memory.peak").write_text("900\n")
    (folder / "memory.events").write_text("low 0\noom 3\noom_kill 2\n")
    assert group.memory() == (900, 2)


def test_a_shell_of_version_2_has_its_groups_below_the_root(tmp_path: Path) -> None:
    """A shell's own group has not all controllers, and the machine's root has processes, which stay there."""
    groups = unified(tmp_path, "memory pids", of_root="cpuset cpu io memory pids")
    group = groups.make("slot0", LIMITS)
    assert groups.version == 2
    assert group.entries() == [tmp_path / "gavelport-1" / "slot0" / "cgroup.procs"]
    assert (tmp_path / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"
    assert not (tmp_path / "gavelport-server").exists()
    assert not (tmp_path / "mine" / "gavelport-1").exists()


def test_version_1_takes_them_from_one_tree_a_controller(tmp_path: Path) -> None:
    lines = []
    for name in ("memory", "pids", "cpu"):
        (tmp_path / name / "mine").mkdir(parents=True)
        lines.append(f"cgroup {tmp_path / name} cgroup rw,relatime,{name} 0 0")
    (tmp_path / "mounts").write_text("\n".join(lines))
    (tmp_path / "own").write_text("3:pids:/mine\n2:memory:/mine\n1:cpu:/elsewhere\n0::/\n")
    groups = Cgroups("gavelport-1", tmp_path / "mounts", tmp_path / "own")
    group = groups.make("slot0", LIMITS)
    assert groups.version == 1
    memory = tmp_path / "memory" / "mine" / "gavelport-1" / "slot0"
    assert (memory / "memory.limit_in_bytes").read_text() == "1000"
    # A path that is not there is one of the host's, seen from a container: groups are made below the mount.
    assert (tmp_path / "cpu" / "gavelport-1" / "slot0" / "cpu.cfs_quota_us").read_text() == "50000"
    assert len(group.entries()) == 3


def test_a_machine_without_controllers_is_told(tmp_path: Path) -> None:
    with pytest.raises(CgroupError, match="no control groups for memory, pids, cpu"):
        unified(tmp_path, "io")
