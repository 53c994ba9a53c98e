"""Calls of the kernel that Python has no name for."""

from __future__ import annotations

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS = 0x00020000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC, MS_SLAVE = 1, 2, 4, 32, 4096, 16384, 1 << 19
MNT_DETACH = 2
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36


def unshare(flags: int) -> None:
    """Put this process into namespaces of its own. Raises OSError."""
    _check(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mount. Raises OSError."""
    made = _libc.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode() or None)
    _check(made, f"mount on {target}")


def unmount(target: str) -> None:
    """Take a mount away, also while it is in use. Raises OSError."""
    _check(_libc.umount2(target.encode(), MNT_DETACH), f"unmount {target}")


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process. Raises OSError."""
    _check(_libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0), f"prctl {option}")


def _check(returned: int, what: str) -> None:
    if returned:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
