"""Other bots, the server, the network: looked for, read, signalled."""

import contextlib
import ctypes
import glob
import os
import signal
import socket
import sys
from pathlib import Path

from .hostile import CANARY, LIBC, OWN, AtOnce, Hostile, connects, escaped, readable


class LooksForBots(AtOnce):
    def attack(self) -> None:
        for path in CANARY["bots"]:
            readable(path)
        for path in [*CANARY["sockets"], *glob.glob("/tmp/**/*.sock", recursive=True), *glob.glob("/run/**/*.sock")]:
            if path != OWN:
                connects(socket.AF_UNIX, path)
        for place in ("/run/gavelport", "/sys/fs/cgroup", "/home", "/root", CANARY["folder"]):
            names = os.listdir(place) if os.path.isdir(place) else []
            # The interpreter may lie anywhere.
            seen = [name for name in names if not sys.base_prefix.startswith(os.path.join(place, name))]
            if seen:
                escaped(f"sees {place}: {seen[:3]}")


class LooksForNetwork(AtOnce):
    def attack(self) -> None:
        for family in (socket.AF_INET, socket.AF_INET6, 16, 40, 17, 31, 38):  # netlink, vsock, packet, bluetooth, alg
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
                with contextlib.suppress(OSError):
                    socket.socket(family, kind).close()
                    escaped(f"a socket of family {family}")
        connects(socket.AF_INET, ("127.0.0.1", CANARY["port"]))
        connects(socket.AF_INET, ("127.0.0.1", CANARY["port"]), socket.SOCK_DGRAM)
        connects(socket.AF_UNIX, "\0" + CANARY["abstract"])


class LooksForFiles(AtOnce):
    def attack(self) -> None:
        for path in (
            CANARY["file"],
            "/etc/shadow",
            "/etc/hostname",
            "/proc/1/root/etc/shadow",
            "/proc/kcore",
            "/dev/mem",
        ):
            readable(path)
        for path in (CANARY["file"], "/usr/planted", "/etc/passwd", "/var/planted", "/run/planted", "/bot/planted"):
            with contextlib.suppress(OSError), open(path, "ab") as file:
                file.write(b"planted")
                escaped(f"wrote to {path}")
        for device in (
            glob.glob("/dev/sd*") + glob.glob("/dev/vd*") + glob.glob("/dev/nvme*") + ["/dev/kvm", "/dev/fuse"]
        ):
            if os.path.exists(device):
                escaped(device)


class LooksForProcesses(AtOnce):
    def attack(self) -> None:
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                told = Path(path).read_bytes()
                if CANARY["canary"].encode() in told or b"gavelport_server" in told:
                    escaped(f"sees {path}: {told!r}")
        with contextlib.suppress(OSError):
            # Of the number that the canary has outside; inside it may be another's own.
            if CANARY["canary"] in Path(f"/proc/{CANARY['pid']}/cmdline").read_text():
                os.kill(CANARY["pid"], signal.SIGTERM)
                escaped("signalled the canary")


class PrintsSecrets(AtOnce):
    """All environments and open files that it can find; the test looks for what is secret among them."""

    def attack(self) -> None:
        print(dict(os.environ))
        for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                print(path, Path(path).read_bytes())
        for path in glob.glob("/proc/self/fd/*") + glob.glob("/proc/1/fd/*"):
            with contextlib.suppress(OSError):
                print(path, os.readlink(path))
        print(Path("/proc/self/mountinfo").read_text())


class KillsAll(Hostile):
    def attack(self) -> None:
        with contextlib.suppress(OSError):
            os.kill(-1, signal.SIGKILL)


class StopsItsSandbox(Hostile):
    def attack(self) -> None:
        for number in (signal.SIGSTOP, signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM):
            for pid in (1, os.getppid()):
                with contextlib.suppress(OSError):
                    os.kill(pid, number)


class KillsTheCanary(Hostile):
    """By its number, and all numbers near it."""

    def attack(self) -> None:
        own = {os.getpid(), 0, 1, *(int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())}
        for pid in {*range(CANARY["pid"] - 20, CANARY["pid"] + 20), *CANARY["pids"]} - own:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
                escaped(f"killed {pid}")


class Traces(Hostile):
    def attack(self) -> None:
        for request, pid in ((16, CANARY["pid"]), (16, 1), (0x4206, 1), (0, 0)):
            if LIBC.ptrace(request, pid, None, None) == 0:
                escaped(f"ptrace {request:#x} of {pid}")
        buffer = ctypes.create_string_buffer(16)
        if LIBC.process_vm_readv(CANARY["pid"], buffer, 1, buffer, 1, 0) >= 0:
            escaped("read another's memory")
