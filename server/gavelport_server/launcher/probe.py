"""Attacks on the sandbox, one function each, run inside it: `python probe.py`, with JSON in PROBE.

Whoever examines the sandbox reads one JSON line an attack: whether it got through, and what it saw. The same script
runs outside of it, as a user of its own, as the negative control. It never runs as root, where "got through" would do
harm; what grows is capped. It starts by itself in the sandbox: standard library only, nothing of ours.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import mmap
import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

MIB = 1024 * 1024
AF_VSOCK = 40
SYS_IO_URING_SETUP = 425
CLONE_NEWUSER = 0x10000000
PTRACE_ATTACH, PTRACE_DETACH = 16, 17
WAIT_S = 0.5

_libc = ctypes.CDLL(None, use_errno=True)
GIVEN: dict[str, Any] = json.loads(os.environ.get("PROBE", "{}"))


def read(path: str) -> str:
    """Return what a file holds, shortened; empty where it cannot be read."""
    with contextlib.suppress(OSError):
        return Path(path).read_bytes()[:40].decode("ascii", "replace")
    return ""


def connects(family: int, address: Any, kind: int = socket.SOCK_STREAM) -> str:
    """Return how a connection is made; empty where it is not."""
    with contextlib.suppress(OSError), socket.socket(family, kind) as made:
        made.settimeout(WAIT_S)
        made.connect(address)
        return f"connected to {address}"
    return ""


def secret() -> str:
    """The server's own files."""
    return next((f"{path}: {text}" for path in GIVEN["secrets"] if (text := read(path))), "")


def started(pid: int) -> int:
    """Return when a process was started, in ticks since the machine was. Raises OSError where there is none."""
    return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19])


def is_there(which: str) -> bool:
    """Return whether a process can be seen that is the very one: its number may be another's in here."""
    pid, then = GIVEN[which]
    with contextlib.suppress(OSError):
        return bool(started(pid) == then)
    return False


def environment_of_server() -> str:
    """The server's environment, which may hold a database's password."""
    return read(f"/proc/{GIVEN['server'][0]}/environ") if is_there("server") else ""


def other_files() -> str:
    """Another bot's files."""
    return read(GIVEN["other_file"])


def other_socket() -> str:
    """Another bot's way to the referee."""
    return connects(socket.AF_UNIX, GIVEN["other_socket"])


def tcp_loopback() -> str:
    """A port of this machine."""
    return connects(socket.AF_INET, tuple(GIVEN["tcp"]))


def tcp_socket() -> str:
    """Any socket to the network."""
    with contextlib.suppress(OSError):
        socket.socket(socket.AF_INET).close()
        return "an AF_INET socket"
    return ""


def udp_out() -> str:
    """A datagram to the network."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.sendto(b"probe", tuple(GIVEN["tcp"]))
        return "sent"
    return ""


def vsock() -> str:
    """A socket to the machine's own host, which no network namespace hides."""
    with contextlib.suppress(OSError):
        socket.socket(AF_VSOCK, socket.SOCK_STREAM).close()
        return "a vsock socket"
    return ""


def netlink() -> str:
    """A socket to the kernel's network configuration."""
    with contextlib.suppress(OSError, AttributeError):
        socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close()
        return "a netlink socket"
    return ""


def abstract_socket() -> str:
    """A socket in the abstract name space of the machine."""
    return connects(socket.AF_UNIX, "\0" + GIVEN["abstract"])


def ptrace_other() -> str:
    """The memory of another bot's process."""
    pid = GIVEN["other_pid"]
    if _libc.ptrace(PTRACE_ATTACH, pid, None, None) == 0:
        os.waitpid(pid, 0)
        _libc.ptrace(PTRACE_DETACH, pid, None, None)
        return f"attached to {pid}"
    return ""


def signal_other() -> str:
    """A signal to another bot's process."""
    with contextlib.suppress(OSError):
        os.kill(GIVEN["other_pid"], 0)
        return f"could signal {GIVEN['other_pid']}"
    return ""


def see_processes() -> str:
    """Other processes of the machine."""
    return "sees the server" if is_there("server") else ""


def user_namespace() -> str:
    """A user namespace, in which the kernel has more to be attacked."""
    pid = os.fork()
    if not pid:
        os._exit(0 if _libc.unshare(CLONE_NEWUSER) == 0 else 1)
    return "made one" if os.waitpid(pid, 0)[1] == 0 else ""


def io_uring() -> str:
    """System calls past any filter."""
    parameters = ctypes.create_string_buffer(120)
    ring = _libc.syscall(SYS_IO_URING_SETUP, 1, parameters)
    if ring >= 0:
        os.close(ring)
        return "a ring"
    return ""


def write_outside() -> str:
    """A file that outlives the process."""
    for place in ("/", "/dev", "/var/tmp", "/etc", "/usr", "/run", "/bot", "/opt", *GIVEN.get("places", [])):  # noqa: S108
        path = Path(place) / f"probe-{os.getpid()}"
        with contextlib.suppress(OSError):
            path.write_text("x")
            path.unlink()
            return f"wrote in {place}"
    return ""


def inherited_files() -> str:
    """Open files of whoever started the process."""
    beyond = [link for link in Path("/proc/self/fd").iterdir() if int(link.name) > 2 and _is_open(link.name)]
    return ", ".join(sorted(str(link.readlink()) for link in beyond))


def _is_open(name: str) -> bool:
    try:
        os.fstat(int(name))
    except OSError:
        return False
    return True


def more_privileges() -> str:
    """Capabilities, or a way to get some."""
    status = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":\t" in line)
    held = [name for name in ("CapPrm", "CapEff", "CapBnd") if int(status[name], 16)]
    return ", ".join(held) if held else "" if status["NoNewPrivs"] == "1" else "setuid programs work"


def fork_bomb() -> str:
    """More processes than are allowed."""
    made: list[int] = []
    try:
        while len(made) < GIVEN["most_forks"]:
            pid = os.fork()
            if not pid:
                time.sleep(30)
                os._exit(0)
            made.append(pid)
    except OSError as error:
        assert error.errno == errno.EAGAIN  # noqa: PT017  nothing else stops a fork
        return ""
    finally:
        for pid in made:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    return f"{len(made)} processes"


def memory_hog() -> str:
    """More memory than is allowed."""
    held = []
    for _ in range(GIVEN["most_mib"] // 16):
        block = mmap.mmap(-1, 16 * MIB)
        for page in range(0, 16 * MIB, mmap.PAGESIZE):
            block[page] = 1
        held.append(block)
    return f"{16 * len(held)} MiB"


def disk_fill() -> str:
    """More scratch than is allowed."""
    return _filled(GIVEN["scratch"])


def shared_memory_fill() -> str:
    """More shared memory than is allowed."""
    return _filled("/dev/shm")  # noqa: S108


def _filled(folder: str) -> str:
    written = 0
    paths: list[Path] = []
    try:
        while written < GIVEN["most_mib"] * MIB:
            path = Path(folder) / f"probe-{os.getpid()}-{len(paths)}"
            paths.append(path)
            with path.open("wb", buffering=0) as file:
                for _ in range(16):
                    written += file.write(bytes(MIB))
    except OSError:
        return ""
    finally:
        for path in paths:
            path.unlink(missing_ok=True)
    return f"{written // MIB} MiB"


def leave_descendant() -> str:
    """A process that outlives the bot."""
    if not os.fork():
        os.setsid()
        if not os.fork():
            os.closerange(0, 3)  # or whoever reads the bot's output would wait for it
            waits = f"import time; time.sleep(30) # {GIVEN['mark']}"
            os.execv(sys.executable, [sys.executable, "-c", waits])  # noqa: S606  an attack
        os._exit(0)
    time.sleep(WAIT_S)
    return ""


def own_socket() -> str:
    """The bot's own way to its referee."""
    return connects(socket.AF_UNIX, os.environ.get("GAVELPORT_TARGET", "").removeprefix("unix:"))


ATTACKS: tuple[Callable[[], str], ...] = (
    secret, environment_of_server, other_files, other_socket, tcp_loopback, tcp_socket, udp_out, vsock, netlink,
    abstract_socket, ptrace_other, signal_other, see_processes, user_namespace, io_uring, write_outside,
    inherited_files, more_privileges, fork_bomb, memory_hog, disk_fill, shared_memory_fill, leave_descendant,
    own_socket,
)  # fmt: skip


def main() -> int:
    """Run the attacks that PROBE names; print a line for each."""
    if os.getuid() == 0:
        sys.stderr.write("probe.py attacks what it runs on, and never as root\n")
        return 2
    by_name = {attack.__name__: attack for attack in ATTACKS}
    for name in GIVEN["attacks"]:
        saw = by_name[name]()
        sys.stdout.write(json.dumps({"attack": name, "through": bool(saw), "saw": saw}) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
