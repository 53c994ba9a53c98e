"""What a bot in the sandbox cannot get at; and that the attacks are real: a bare process gets through."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import trio
from gavelport_server.launcher import examine, probe
from gavelport_server.launcher.client import Ended, Hosted, Launcher, LauncherProcess, attached
from gavelport_server.launcher.limits import MIB, Confinement
from gavelport_server.launcher.scene import Scene, marked

from tests.launcher.conftest import require_sandbox

BARE_UID = 899_999_999
OPEN_TO_A_BARE_PROCESS = (
    "secret", "other_files", "other_socket", "tcp_loopback", "tcp_socket", "udp_out", "vsock", "netlink",
    "abstract_socket", "ptrace_other", "signal_other", "see_processes", "user_namespace", "io_uring", "write_outside",
    "more_privileges", "fork_bomb", "memory_hog", "disk_fill", "shared_memory_fill",
)  # fmt: skip
CLOSED_EVEN_SO = ("environment_of_server", "inherited_files")
"""What permissions of files, and the closing of descriptors by whoever starts a process, hold back."""
SYSTEM_PYTHON = shutil.which("python3", path="/usr/bin") or sys.executable
"""An interpreter that any user may reach."""


def bare(scene: Scene, attacks: list[str], other_pid: int) -> dict[str, dict[str, object]]:
    """Run attacks in a process that is confined by nothing but a user of its own."""
    environment = {
        "PROBE": json.dumps(scene.given(attacks=attacks, other_pid=other_pid)),
        "GAVELPORT_TARGET": f"unix:{scene.socket('prober')}",
    }
    done = subprocess.run(
        [SYSTEM_PYTHON, scene.bot("prober") / "main.py"],
        user=BARE_UID, group=BARE_UID, extra_groups=[], env=environment, capture_output=True, text=True, check=False,
        timeout=60, cwd="/",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return examine.parsed(done.stdout)


async def test_every_attack_is_contained(launcher: Launcher) -> None:
    found = await examine.findings(launcher)
    assert [each for each in found if not each.holds] == []
    assert {each.name for each in found} == {attack.__name__ for attack in probe.ATTACKS}


def test_the_attacks_get_through_where_nothing_holds_them() -> None:
    require_sandbox()
    with Scene() as scene:
        waits = [SYSTEM_PYTHON, "-c", "import time; time.sleep(60)"]
        with subprocess.Popen(waits, user=BARE_UID, group=BARE_UID, extra_groups=[], cwd="/") as other:
            try:
                told = bare(scene, [*OPEN_TO_A_BARE_PROCESS, *CLOSED_EVEN_SO, "own_socket"], other.pid)
                bare(scene, ["leave_descendant"], other.pid)
                left = marked(scene.mark)
            finally:
                other.kill()
                for pid in marked(scene.mark):
                    os.kill(pid, 9)
    through = {name for name, one in told.items() if one["through"]}
    assert through == {*OPEN_TO_A_BARE_PROCESS, "own_socket"}
    assert len(left) == 1


async def test_another_process_of_the_same_number_inside_is_no_finding(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a container the server's number is 1, which inside is that of the sandbox's own."""
    with monkeypatch.context() as patched:
        patched.setattr(os, "getpid", lambda: 1)
        scene = Scene()
    with scene:
        told = await examine.attacked(launcher, scene, ["see_processes", "environment_of_server"], other_pid=1)
    assert [one["saw"] for one in told.values()] == ["", ""]


async def test_an_attack_that_gets_through_is_found(launcher: Launcher, monkeypatch: pytest.MonkeyPatch) -> None:
    # Limits so wide that what must be stopped is not.
    wide = Confinement(memory_bytes=1024 * MIB, processes=1000, scratch_bytes=512 * MIB)
    monkeypatch.setattr(examine, "PROBE_LIMITS", wide)
    found = await examine.findings(launcher)
    wrong = {each.name: each for each in found if not each.holds}
    assert set(wrong) == {"fork_bomb", "memory_hog", "disk_fill"}
    assert wrong["fork_bomb"].saw == "200 processes"
    assert all(each.remedy for each in wrong.values())


async def start(
    launcher: Launcher, scene: Scene, command: list[str], limits: Confinement = examine.PROBE_LIMITS
) -> Hosted:
    return await launcher.start(
        command,
        folder=scene.bot("prober"),
        socket_path=scene.socket("prober"),
        log=scene.log("prober"),
        limits=limits,
    )


async def run(
    launcher: Launcher, scene: Scene, code: str, limits: Confinement = examine.PROBE_LIMITS
) -> tuple[str, Ended]:
    """Run Python code in a sandbox; return what it printed, and how it ended."""
    hosted = await start(launcher, scene, [*examine.python(), "-c", code], limits)
    with trio.fail_after(30):
        end = await hosted.wait()
    return scene.log("prober").read_text(), end


async def test_what_is_stated_to_be_installed_is_there(launcher: Launcher) -> None:
    code = "import gavelport_sdk, gavelport_engine, gavelport_codecs, grpc, numpy, google.protobuf; print('all')"
    with Scene() as scene:
        assert (await run(launcher, scene, code))[0] == "all\n"
        printed, _ = await run(launcher, scene, "import gavelport_server")
    assert "ModuleNotFoundError" in printed


@pytest.mark.parametrize("how", ["removed", "moved"])
async def test_what_is_installed_is_that_of_now(how: str, run_dir: Path, tmp_path: Path) -> None:
    """An upgrade of the machine puts new files in the places of old ones, while a server runs for months."""
    require_sandbox()
    modules = run_dir / "modules"
    code = "print(open('/node_modules/said').read())"

    def install(said: str) -> None:
        modules.mkdir()
        (modules / "said").write_text(said)

    install("old")
    process = LauncherProcess(modules, run_dir=run_dir)
    try:
        async with attached(process) as launcher:
            with Scene() as scene:
                assert (await run(launcher, scene, code))[0] == "old\n"
                shutil.rmtree(modules) if how == "removed" else modules.rename(tmp_path / "before")
                if how == "moved":
                    assert (await run(launcher, scene, code))[0] == "old\n"
                install("new")
                assert (await run(launcher, scene, code))[0] == "new\n"
    finally:
        process.close()


async def test_a_process_that_takes_too_much_memory_is_told_from_one_that_fails(launcher: Launcher) -> None:
    with Scene() as scene:
        _, hog = await run(launcher, scene, "held = bytearray(b'1') * (200 * 1024 * 1024)")
        _, failed = await run(launcher, scene, "raise SystemExit(3)")
    assert (hog.cause, failed.cause, failed.code) == ("memory", "ended", 3)
    assert 100 * MIB < hog.peak_bytes <= 128 * MIB


async def test_one_process_has_its_share_of_a_core(launcher: Launcher) -> None:
    code = "import time; began = time.monotonic()\nwhile time.monotonic() - began < 1: pass\nprint(time.process_time())"
    with Scene() as scene:
        printed, _ = await run(launcher, scene, code, replace(examine.PROBE_LIMITS, cores=0.25))
    assert float(printed) < 0.6


async def test_head_and_tail_of_a_flood_of_output_are_kept(launcher: Launcher) -> None:
    flood = "print('first')\nfor _ in range(200000): print('x' * 20)\nprint('last')"
    with Scene() as scene:
        printed, _ = await run(launcher, scene, flood)
    assert printed.startswith("first\n")
    assert printed.endswith("last\n")
    assert "bytes left out" in printed
    assert len(printed) < 2 * MIB


async def test_a_process_is_stopped_with_all_that_it_started(launcher: Launcher) -> None:
    with Scene() as scene:
        code = f"import os, time\nfor _ in range(4): os.fork()\ntime.sleep(60) # {scene.mark}"
        hosted = await start(launcher, scene, [*examine.python(), "-c", code])
        for _ in range(1000):
            if len(marked(scene.mark)) >= 16:
                break
            await trio.sleep(0.01)
        assert len(marked(scene.mark)) >= 16
        assert (await launcher.stop(hosted)).cause == "stopped"
        assert marked(scene.mark) == []


async def test_two_at_once_have_users_of_their_own(launcher: Launcher) -> None:
    with Scene() as scene:
        waits = [await start(launcher, scene, ["/bin/sleep", "60"]) for _ in range(2)]
        assert launcher.uid_of(waits[0]) != launcher.uid_of(waits[1])
        for each in waits:
            await launcher.stop(each)
        again = await start(launcher, scene, ["/bin/true"])
        assert again.slot == 0  # free again
        assert (await again.wait()).code == 0


async def measured_ms(launcher: Launcher, scene: Scene) -> tuple[float, float]:
    """Return the medians of starting `true` bare and in a sandbox, in turn."""
    bare_ms: list[float] = []
    held_ms: list[float] = []
    for _ in range(9):
        began = time.perf_counter()
        await trio.run_process(["/bin/true"])
        bare_ms.append(1000 * (time.perf_counter() - began))
        began = time.perf_counter()
        await (await start(launcher, scene, ["/bin/true"])).wait()
        held_ms.append(1000 * (time.perf_counter() - began))
    return sorted(bare_ms)[4], sorted(held_ms)[4]


async def test_starting_is_measured(launcher: Launcher, capsys: pytest.CaptureFixture[str]) -> None:
    with Scene() as scene:
        bare_ms, held_ms = await measured_ms(launcher, scene)
    with capsys.disabled():
        print(f"\nstart of /bin/true: bare {bare_ms:.1f} ms, in the sandbox {held_ms:.1f} ms")
    assert bare_ms > 0
    assert held_ms > 0


@pytest.mark.parametrize("which", ["folder", "socket_path"])
async def test_the_server_cannot_have_mounted_what_it_has_not_opened(
    which: str, launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server in other hands names one path and opens another; the launcher compares."""
    with Scene() as scene:
        honest = os.open
        other = {"folder": scene.bot("other"), "socket_path": scene.socket("other")}[which]
        named = {"folder": scene.bot("prober"), "socket_path": scene.socket("prober")}[which]

        def opened(path: str, flags: int, mode: int = 0o777) -> int:
            return honest(str(other) if str(path) == str(named) else path, flags, mode)

        monkeypatch.setattr("gavelport_server.launcher.client.os.open", opened)
        with pytest.raises(RuntimeError, match=r"not the file that the server has opened|Operation not permitted"):
            await start(launcher, scene, ["/bin/true"])


@pytest.mark.parametrize("how", [os.O_RDONLY, os.O_PATH])
async def test_the_server_cannot_have_written_what_it_may_not_write(
    how: int, launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server in other hands gives, as a bot's log, a file that it has opened for less than writing."""
    with Scene() as scene:
        honest, log = os.open, scene.log("prober")
        log.write_text("not the server's to write")

        def opened(path: str, flags: int, mode: int = 0o777) -> int:
            return honest(path, how if str(path) == str(log) else flags, mode)

        monkeypatch.setattr("gavelport_server.launcher.client.os.open", opened)
        hosted = await start(launcher, scene, ["/bin/echo", "written by root"])
        assert (await hosted.wait()).code == 0
        assert log.read_text() == "not the server's to write"
