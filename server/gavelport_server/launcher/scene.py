"""Two bots' folders and sockets, and things that only the server may see: what the sandbox is examined in."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import tempfile
from pathlib import Path
from typing import Any, Self

from gavelport_server.launcher import probe

MOST_FORKS = 200
MOST_MIB = 256
"""Caps of what grows, above the limits of a sandbox that is examined."""


class Scene:
    """What lies about. A context manager: all is gone at its end."""

    def __init__(self, parent: Path | None = None) -> None:
        """Make folders and listening sockets below `parent`, by default where temporary files go."""
        self.folder = Path(tempfile.mkdtemp(prefix="gavelport-probe-", dir=parent))
        self.mark = secrets.token_hex(8)
        """Found in the command line of a process that outlives its bot."""
        self._held = contextlib.ExitStack()
        self._held.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self.folder.chmod(0o711)
        for name in ("prober", "other"):
            place = self.bot(name)
            place.mkdir()
            (place / "main.py").write_bytes(Path(probe.__file__).read_bytes())
            place.chmod(0o755)
            (place / "main.py").chmod(0o644)
            self._listen(socket.AF_UNIX, str(self.socket(name)))
            self.socket(name).chmod(0o666)
        secret = self.folder / "secret"
        secret.write_text("the server's secret")
        secret.chmod(0o644)  # even what any user of the machine may read
        abstract = f"gavelport-probe-{secrets.token_hex(8)}"
        self._listen(socket.AF_UNIX, f"\0{abstract}")
        self._given: dict[str, Any] = {
            "secrets": [str(secret), "/etc/shadow"],
            "server": (os.getpid(), probe.started(os.getpid())),
            "other_file": str(self.bot("other") / "main.py"),
            "other_socket": str(self.socket("other")),
            "abstract": abstract,
            "tcp": self._listen(socket.AF_INET, ("127.0.0.1", 0)),
            "places": [str(self.folder)],
            "mark": self.mark,
            "scratch": "/tmp",  # noqa: S108  the sandbox's own
            "most_forks": MOST_FORKS,
            "most_mib": MOST_MIB,
        }

    def bot(self, name: str) -> Path:
        """Return a bot's folder."""
        return self.folder / name

    def socket(self, name: str) -> Path:
        """Return a bot's socket."""
        return self.folder / f"{name}.sock"

    def log(self, name: str) -> Path:
        """Return where a bot's output goes."""
        return self.folder / f"{name}.log"

    def given(self, **more: Any) -> dict[str, Any]:
        """Return what the probe is told."""
        return {**self._given, **more}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def _listen(self, family: int, address: Any) -> Any:
        made = self._held.enter_context(socket.socket(family))
        made.bind(address)
        made.listen(64)
        return made.getsockname()


def marked(mark: str, *, uid: int | None = None) -> list[int]:
    """Return the processes of the machine whose command line has a mark, of one user where `uid` is given."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                if mark.encode() in (entry / "cmdline").read_bytes() and uid in (None, entry.stat().st_uid):
                    found.append(int(entry.name))
    return found
