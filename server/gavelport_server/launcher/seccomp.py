"""The system calls that a hosted bot may not make, as a filter for the kernel.

A network namespace does not hide vsock, and every bot needs a socket to the referee; so sockets are of the family
AF_UNIX, whatever else the kernel knows. Besides, what has been used to get out of sandboxes and what no bot needs:
namespaces of its own, io_uring, tracing, keys, BPF, modules, mounts.
"""

from __future__ import annotations

import errno
import socket
import tempfile
from typing import IO

import pyseccomp

_CLONE_NEW = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000, 0x00000080)
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, NEWTIME."""

REFUSED = (
    "acct", "add_key", "bpf", "chroot", "delete_module", "fanotify_init", "finit_module", "fsconfig", "fsmount",
    "fsopen", "fspick", "init_module", "io_uring_enter", "io_uring_register", "io_uring_setup", "kcmp",
    "kexec_file_load", "kexec_load", "keyctl", "lookup_dcookie", "mount", "mount_setattr", "move_mount", "move_pages",
    "name_to_handle_at", "open_by_handle_at", "open_tree", "perf_event_open", "personality", "pidfd_getfd",
    "pivot_root", "process_vm_readv", "process_vm_writev", "ptrace", "quotactl", "reboot", "request_key", "setns",
    "swapoff", "swapon", "syslog", "umount2", "unshare", "userfaultfd", "vhangup",
)  # fmt: skip
"""Answered with EPERM."""


def filter_file() -> IO[bytes]:
    """Return an open file with the filter, as bubblewrap reads it. Raises OSError where libseccomp is missing."""
    allowed = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    refuse = pyseccomp.ERRNO(errno.EPERM)
    for name in REFUSED:
        try:
            allowed.add_rule(refuse, name)
        except (OSError, ValueError):  # a call that this architecture or libseccomp does not know cannot be made either
            continue
    no_family = pyseccomp.ERRNO(errno.EAFNOSUPPORT)
    for call in ("socket", "socketpair"):
        allowed.add_rule(no_family, call, pyseccomp.Arg(0, pyseccomp.NE, int(socket.AF_UNIX)))
    for flag in _CLONE_NEW:
        allowed.add_rule(refuse, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    # Its flags are in memory, which a filter cannot read; without it libc falls back on clone.
    allowed.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    file = tempfile.TemporaryFile()  # noqa: SIM115  the caller's
    allowed.export_bpf(file)
    file.seek(0)
    return file
