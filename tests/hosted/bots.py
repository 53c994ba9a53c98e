"""Bots in a data folder as if they had been submitted and admitted, and a server that runs them as another user."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from gavelport_server import shipped
from gavelport_server.archive.backup import PACKAGES
from gavelport_server.conduct.manifest import read_manifest
from gavelport_server.launcher.client import BASE_UID, LAUNCHERS, RUN_DIR
from gavelport_server.launcher.limits import MOST_SLOTS
from gavelport_server.lobby.package import packed
from gavelport_server.storage.sql import SqlStore

from tests.launcher.conftest import require_sandbox
from tests.serve.servers import Server, command

USER = "nobody"
MANIFEST = 'name = "{name}"\nversion = "1"\nlanguage = "python"\nentry = "main.py"\ngames = ["container"]\n'
PLAYS = """
from typing import Any
from gavelport_sdk import Bot, run

class Made(Bot):
    games = ("container",)
    asked = 0

    def decide(self, observation: Any) -> Any:
        self.asked += 1
        {act}
        return self.decision.default()

if __name__ == "__main__":
    {first}
    run(Made)
"""
"""A bot that does something first, and something at each decision."""

SHOWN = """
set -e
base=$(mktemp -d)
mkdir -p "$base$1"; chmod -R 755 "$base"
mount --bind "$1" "$base$1"
mount --rbind "$base$2" "$2"
shift 2
exec "$@"
"""
"""Shows a folder below another one that is closed to all but root, and nothing else of that, to one process."""


def made_bot(inside: Path, name: str, *, act: str = "pass", first: str = "pass") -> Path:
    """Make a bot's folder."""
    folder = inside / name
    folder.mkdir(parents=True)
    (folder / "bot.toml").write_text(MANIFEST.format(name=name))
    (folder / "main.py").write_text(PLAYS.format(act=act, first=first))
    return folder


def submit(data: Path, folders: Iterable[Path]) -> None:
    """Put bots into a data folder, each of an owner of its own, as an admitted submission is."""
    packages = data / PACKAGES
    packages.mkdir(parents=True, exist_ok=True)
    with closing(SqlStore.in_folder(data, create=True)) as store:
        for folder in folders:
            bot = read_manifest(folder)
            (packages / f"{bot.content_hash}.zip").write_bytes(packed(folder))
            store.add_owner(f"owner-{bot.name}")
            store.add_bot(bot.name, f"owner-{bot.name}")
            store.add_version(bot.name, bot.version, bot.content_hash)


def sample(name: str) -> Path:
    found = shipped.sample_bot(name)
    assert found is not None
    return found


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that every user of the machine can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="gavelport-hosted-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


class Hosting(Server):
    """A server that hosts, which has started."""

    @property
    def launcher(self) -> int:
        """The launcher's process."""
        threads = Path(f"/proc/{self.process.pid}/task").iterdir()
        told = [pid for thread in threads for pid in (thread / "children").read_text().split()]
        (found,) = (int(pid) for pid in told if "gavelport_server.launcher.main" in _command_line(int(pid)))
        return found

    @property
    def bots(self) -> list[int]:
        """Every process of a user of its launcher that is not dead."""
        return uids_left(BASE_UID + MOST_SLOTS * (self.process.pid % LAUNCHERS))


@contextmanager
def hosting(
    data: Path, *arguments: str, user: str = USER, env: Mapping[str, str] | None = None, is_given: bool = True
) -> Iterator[Hosting]:
    """Start a server that hosts, as that user, to whom its data folder is given before; it is gone at the end."""
    require_sandbox()
    scratch = data.parent / "tmp"
    scratch.mkdir(exist_ok=True)
    given = [data, scratch] if is_given else [scratch]
    subprocess.run(["chown", "-R", f"{user}:", *map(str, given)], check=True)
    subprocess.run(["chown", f"{user}:", str(data.parent)], check=True)  # where its log goes
    started = command(data, "--hosting", "true", "--user", user, *arguments)
    if user != "root":
        started = as_seen_by_others(started)
    process = subprocess.Popen(
        started,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "TMPDIR": str(scratch), **(env or {})},
    )
    assert process.stdout is not None
    with closing(process.stdout):
        try:
            yield Hosting(process, data.parent / "serve.log")
        finally:
            process.kill()
            process.wait()


def as_seen_by_others(command: list[str]) -> list[str]:
    """Return the command with the interpreter within everybody's reach, where it lies in a closed folder."""
    prefix = Path(sys.base_prefix).resolve()
    closed = [parent for parent in prefix.parents if not parent.stat().st_mode & 0o001]
    if not closed:
        return command
    shown = ["unshare", "--mount", "sh", "-c", SHOWN, "sh", str(prefix), str(closed[-1])]
    return [*shown, *command]


def uids_left(first: int) -> list[int]:
    """Return the processes of a launcher's users that are not dead; `first` is its first user."""
    return [pid for pid in _processes() if first <= _uid(pid) < first + MOST_SLOTS and not _is_dead(pid)]


def leftovers(launcher: int) -> list[str]:
    """Return what is left of a launcher: its folder, control groups, mounts."""
    name = f"gavelport-{launcher}"
    found = [str(path) for path in RUN_DIR.glob(name)]
    found += [str(path) for path in Path("/sys/fs/cgroup").rglob(name) if path.is_dir()]
    return found + [line for line in Path("/proc/self/mounts").read_text().splitlines() if name in line]


def _processes() -> Iterator[int]:
    return (int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal())


def _uid(pid: int) -> int:
    try:
        return Path(f"/proc/{pid}").stat().st_uid
    except FileNotFoundError:
        return -1


def _is_dead(pid: int) -> bool:
    """Return whether a process only waits for somebody to take note of its end."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):
        return True


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
