"""What the system tells of processes, and of the memory that they take."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def of_user(uid: int) -> list[int]:
    """Return the processes of a user."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError):  # it has ended meanwhile
            if entry.stat().st_uid == uid:
                found.append(int(entry.name))
    return found


def below(above: int) -> list[int]:
    """Return all processes that one has started, and those that they have."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            children[int(entry.read_bytes().rpartition(b")")[2].split()[1])].append(int(entry.parent.name))
        except OSError:  # it has ended meanwhile
            continue
    waiting, found = list(children[above]), []
    while waiting:
        pid = waiting.pop()
        waiting += children[pid]
        found.append(pid)
    return found


def peak_memory_kib(pids: Iterable[int]) -> int | None:
    """Return the sum of the peaks of resident memory of processes; None where that cannot be read.

    Pages that several of them share are counted for each.
    """
    peaks = []
    for pid in pids:
        try:
            status = Path(f"/proc/{pid}/status").read_text("ascii", "replace")
        except OSError:  # likewise
            continue
        peaks += [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")]
    return sum(peaks) if peaks else None
