"""Ways out of the sandbox."""

import contextlib
import ctypes
import fcntl
import glob
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

from .hostile import LIBC, Hostile, done, escaped


class Namespaces(Hostile):
    def attack(self) -> None:
        for flag in (0x10000000, 0x00020000, 0x20000000, 0x40000000, 0x08000000, 0x04000000, 0x02000000, 0x00000080):
            if LIBC.unshare(flag) == 0:
                escaped(f"unshare({flag:#x})")
            if LIBC.syscall(56, flag | signal.SIGCHLD, 0, 0, 0, 0) >= 0:
                escaped(f"clone({flag:#x})")
        for command in (
            ["unshare", "-Ur", "true"],
            ["bwrap", "--bind", "/", "/", "true"],
            ["nsenter", "-t", "1", "-a"],
        ):
            with contextlib.suppress(OSError):
                if subprocess.run(command, capture_output=True, check=False).returncode == 0:
                    escaped(" ".join(command))
        for path in glob.glob("/proc/self/ns/*"):
            with contextlib.suppress(OSError):
                descriptor = os.open(path, os.O_RDONLY)
                if LIBC.setns(descriptor, 0) == 0:
                    escaped(f"setns {path}")


class Mounts(Hostile):
    def attack(self) -> None:
        for source, target, kind, flags in (
            (b"none", b"/tmp", b"tmpfs", 0),
            (b"proc", b"/tmp", b"proc", 0),
            (b"/", b"/tmp", b"", 4096),
            (b"none", b"/", b"", 32),
        ):
            if LIBC.mount(source, target, kind, flags, None) == 0:
                escaped(f"mounted {kind.decode() or source.decode()}")
        for act in (LIBC.chroot(b"/tmp"), LIBC.umount2(b"/bot", 2), LIBC.syscall(428, -100, b"/", 1)):
            if act >= 0:
                escaped("chroot, umount or open_tree")


class IoUring(Hostile):
    def attack(self) -> None:
        for number in (425, 426, 427, 321, 298, 323, 250, 304):  # io_uring, bpf, perf, userfaultfd, keyctl, handles
            if LIBC.syscall(number, 1, ctypes.create_string_buffer(256), 0, 0, 0) >= 0:
                escaped(f"system call {number}")


class BecomesRoot(Hostile):
    def attack(self) -> None:
        if become := done(
            lambda: os.setuid(0),
            lambda: os.setgid(0),
            lambda: os.setgroups([0]),
            lambda: os.setresuid(0, 0, 0),
        ):
            escaped(f"another user: {become}")
        for path in glob.glob("/usr/bin/*"):
            with contextlib.suppress(OSError, subprocess.SubprocessError):
                if os.stat(path).st_mode & 0o4000 and os.stat(path).st_uid == 0:
                    subprocess.run([path], capture_output=True, timeout=1, stdin=subprocess.DEVNULL, check=False)
        if os.geteuid() == 0 or b"NoNewPrivs:\t1" not in Path("/proc/self/status").read_bytes():
            escaped("privileges")


class TurnsKnobs(Hostile):
    def attack(self) -> None:
        for path, text in (
            ("/proc/self/oom_score_adj", "-1000"),
            ("/proc/sys/kernel/core_pattern", "|/bot/main.py"),
            ("/proc/sysrq-trigger", "b"),
            ("/proc/self/uid_map", "0 0 1"),
            *((path, "0") for path in glob.glob("/sys/fs/cgroup/**/cgroup.procs", recursive=True)),
        ):
            with contextlib.suppress(OSError):
                Path(path).write_text(text)
                escaped(f"wrote to {path}")


class SetsTheClock(Hostile):
    def attack(self) -> None:
        if changed := done(
            lambda: time.clock_settime(time.CLOCK_REALTIME, 0),
            lambda: socket.sethostname("planted"),
            lambda: LIBC.reboot(0x4321FEDC) == 0 or os.stat("/nowhere"),
        ):
            escaped(f"clock, name or machine: {changed}")


class Terminal(Hostile):
    """Input pushed into whatever terminal there is."""

    def attack(self) -> None:
        for path in ("/dev/tty", "/dev/console", "/dev/pts/0"):
            with contextlib.suppress(OSError), open(path, "rb+", buffering=0) as terminal:
                fcntl.ioctl(terminal, 0x5412, b"x")
                escaped(f"typed into {path}")
