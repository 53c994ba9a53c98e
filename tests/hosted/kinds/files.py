"""Its own folder and scratch, and what privileged readers might do with them."""

import contextlib
import os
import resource
import shutil
from pathlib import Path

from .hostile import CANARY, Hostile, done, escaped


class DeletesItself(Hostile):
    def attack(self) -> None:
        shutil.rmtree("/bot", ignore_errors=True)
        if changed := done(lambda: os.chmod("/bot/main.py", 0), lambda: os.rename("/bot/main.py", "/bot/gone")):
            escaped(f"its folder was changed: {changed}")
        if not Path("/bot/main.py").exists():
            escaped("its folder is gone")


class Links(Hostile):
    """Links in its scratch to whatever a privileged reader or sweeper might follow."""

    def attack(self) -> None:
        scratch = Path("/tmp")
        for number, target in enumerate(
            (CANARY["file"], CANARY["folder"], "/etc/shadow", "/", "/proc/1/root", "/tmp/5")
        ):
            (scratch / str(number)).symlink_to(target)
        with contextlib.suppress(OSError):
            os.link("/etc/passwd", scratch / "hard")
            escaped("a hard link to /etc/passwd")
        os.mkfifo(scratch / "start.log")
        deep = scratch / "deep"
        with contextlib.suppress(OSError):
            for _ in range(400):
                deep.mkdir()
                os.chdir(deep)
                deep = Path("d" * 100)
        os.chdir("/bot")


class DumpsCore(Hostile):
    def attack(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        os.chdir("/tmp")
        os.abort()
