"""Whoever is killed, no bot stays behind, and the next launcher clears up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
import trio
import trio.testing
from gavelport_server.launcher import main
from gavelport_server.launcher.cgroups import Cgroups
from gavelport_server.launcher.client import LauncherError, LauncherProcess, attached
from gavelport_server.launcher.scene import Scene, marked

from tests.launcher.conftest import require_sandbox

SERVER = """
import sys, time, trio
from pathlib import Path
from gavelport_server.launcher import examine
from gavelport_server.launcher.client import LauncherProcess, attached
run_dir, folder, mark = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
process = LauncherProcess(run_dir=run_dir)

async def main():
    async with attached(process) as launcher:
        for _ in range(3):
            await launcher.start(
                [*examine.python(), "-c", f"import os, time; os.fork(); time.sleep(60) # {mark}"],
                folder=folder / "prober", socket_path=folder / "prober.sock", log=folder / "prober.log",
            )
        print(process.process.pid, flush=True)
        await trio.sleep_forever()

trio.run(main)
"""


def serve(scene: Scene, run_dir: Path) -> tuple[subprocess.Popen[str], int]:
    """Start a server with three bots of two processes; return it and its launcher's process id."""
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(run_dir), str(scene.folder), scene.mark], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    launcher = int(server.stdout.readline())
    until = time.monotonic() + 10
    while len(bots(scene)) < 6 and time.monotonic() < until:
        time.sleep(0.01)
    if len(found := bots(scene)) != 6:
        server.kill()
        server.wait()
    assert len(found) == 6
    return server, launcher


def bots(scene: Scene) -> list[int]:
    """Return the bots' processes: those with the mark that are no part of the sandbox itself, nor the server."""
    found = []
    for pid in marked(scene.mark):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except FileNotFoundError:
            continue
        if (
            words[0] != b"bwrap"
            and b"time.sleep(60)" in b" ".join(words)
            and b"LauncherProcess" not in b" ".join(words)
        ):
            found.append(pid)
    return found


@pytest.mark.parametrize("victim", ["server", "launcher"])
def test_killing_server_or_launcher_leaves_no_bot_after_a_second(victim: str, run_dir: Path) -> None:
    require_sandbox()
    with Scene() as scene:
        server, launcher = serve(scene, run_dir)
        try:
            os.kill(server.pid if victim == "server" else launcher, signal.SIGKILL)
            time.sleep(1)
            assert bots(scene) == []
        finally:
            server.kill()
            server.wait()
            assert server.stdout is not None
            server.stdout.close()
    until = time.monotonic() + 5
    while Path(f"/proc/{launcher}").exists() and time.monotonic() < until:
        time.sleep(0.01)
    left = [path.name for path in run_dir.iterdir()]
    assert left == ([] if victim == "server" else [f"gavelport-{launcher}"])
    LauncherProcess(run_dir=run_dir).close()
    assert list(run_dir.iterdir()) == []
    groups = [path for path in Path("/sys/fs/cgroup").rglob(f"gavelport-{launcher}") if path.is_dir()]
    assert groups == []


async def test_a_lost_launcher_ends_its_bots_and_is_said(launcher_process: LauncherProcess) -> None:
    async with attached(launcher_process) as launcher:
        with Scene() as scene:
            start = partial(
                launcher.start,
                folder=scene.bot("prober"),
                socket_path=scene.socket("prober"),
                log=scene.log("prober"),
            )
            hosted = await start(["/bin/sleep", "60"])
            launcher_process.process.kill()
            with trio.fail_after(5):
                assert (await hosted.wait()).cause == "lost"
            assert launcher.is_lost
            with pytest.raises(LauncherError, match="restart the server"):
                await start(["/bin/true"])


async def test_what_is_slow_to_go_keeps_its_slot_and_holds_up_nobody(launcher_process: LauncherProcess) -> None:
    """As a bot's memory can be, page by page; here a group within its group is in the way of its removal."""
    async with attached(launcher_process) as launcher:
        with Scene() as scene, trio.fail_after(30):
            start = partial(
                launcher.start,
                folder=scene.bot("prober"),
                socket_path=scene.socket("prober"),
                log=scene.log("prober"),
            )
            slow = await start(["/bin/sleep", "60"])
            name = f"gavelport-{launcher_process.process.pid}"
            held = next(Path("/sys/fs/cgroup").glob(f"**/{name}/slot0")) / "held"  # noqa: ASYNC240
            held.mkdir()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(launcher.stop, slow)
                await trio.testing.wait_all_tasks_blocked()
                for _ in range(3):
                    other = await start(["/bin/true"])
                    assert (other.slot, (await other.wait()).code) == (1, 0)
                assert slow.end is None
                held.rmdir()
            assert (await slow.wait()).cause == "stopped"


def test_a_folder_of_an_earlier_launcher_of_the_same_number_is_cleared_up(
    run_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a container that is started again, every launcher has the number of the one before."""
    folder = run_dir / f"gavelport-{os.getpid()}"
    folder.mkdir()
    ended: list[str] = []
    monkeypatch.setattr(Cgroups, "__init__", lambda _, name: ended.append(name))
    monkeypatch.setattr(Cgroups, "close", lambda _: None)
    assert main.sweep(run_dir) == [folder.name]
    assert (ended, folder.exists()) == ([folder.name], False)
