"""Whether the sandbox holds, by its effects: attacks are run in it beside a second bot, and none may get through.

Versions and settings promise nothing; a kernel, a container or a policy may take away what they say. `gavelport doctor`
prints what is found here, and hosted bots are refused unless all of it holds (design 9).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import trio

from gavelport_server.launcher import probe, runtime
from gavelport_server.launcher.client import LauncherError, LauncherProcess, attached
from gavelport_server.launcher.limits import MIB, Confinement
from gavelport_server.launcher.scene import Scene, marked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gavelport_server.launcher.client import Launcher

PROBE_LIMITS = Confinement(memory_bytes=128 * MIB, processes=40, scratch_bytes=16 * MIB)
ALONE = ("fork_bomb", "memory_hog", "disk_fill", "shared_memory_fill", "leave_descendant")
"""Each in a sandbox of its own, because it may end it."""
MUST = ("own_socket",)
"""What has to get through."""
_PATIENCE_S = 30.0
_WAITS = "import time; time.sleep(600)"

REMEDIES = {
    "own_socket": "the bot cannot reach its referee: a data folder on a file system without sockets?",
    "memory_hog": "the memory controller of control groups does not hold; Docker and the like have to hand it in",
    "fork_bomb": "the pids controller of control groups does not hold; Docker and the like have to hand it in",
    "leave_descendant": "processes outlive their bot: pid namespaces do not hold",
    "user_namespace": "the filter of system calls does not hold: install libseccomp2",
    "vsock": "the filter of system calls does not hold: install libseccomp2",
}
_REMEDY = "run the server where namespaces are not restricted (not in Docker's default), on a kernel of 5.10 or newer"


@dataclass(frozen=True, slots=True)
class Finding:
    """One effect: whether it holds, what was seen where it does not, and what to do then."""

    name: str
    what: str
    holds: bool
    saw: str = ""
    remedy: str = ""


async def findings(launcher: Launcher, parent: Path | None = None) -> list[Finding]:
    """Run every attack in a sandbox, and return what holds. Raises LauncherError where no sandbox can be started."""
    with Scene(parent) as scene:
        other = await launcher.start(
            [*python(), "-c", _WAITS],
            folder=scene.bot("other"),
            socket_path=scene.socket("other"),
            log=scene.log("other"),
            limits=PROBE_LIMITS,
        )
        try:
            pid = await _pid(_WAITS, launcher.uid_of(other))
            together = [attack.__name__ for attack in probe.ATTACKS if attack.__name__ not in ALONE]
            told = await attacked(launcher, scene, together, other_pid=pid)
            for name in ALONE:
                told |= await attacked(launcher, scene, [name], other_pid=pid)
            left = await _left_behind(scene.mark)
        finally:
            await launcher.stop(other)
    return [_finding(attack.__name__, attack.__doc__ or "", told, left) for attack in probe.ATTACKS]


def held_launcher(node_modules: Path | None) -> LauncherProcess:
    """Start a launcher, examine it, and return it with the number of effects, all of which hold; some seconds.

    Blocks. Raises LauncherError, with what does not hold and the remedy, and leaves nothing running then.
    """
    process = LauncherProcess(node_modules)
    try:
        found = examined(process)
        if wrong := [each for each in found if not each.holds]:
            told = "; ".join(f"{each.what} ({each.saw}): {each.remedy}" for each in wrong)
            raise LauncherError(f"bots cannot be confined here. Within their reach: {told}")
    except BaseException:
        process.close()
        raise
    process.effects = len(found)
    return process


def examined(process: LauncherProcess) -> list[Finding]:
    """Return the findings on a launcher that is used for nothing else yet. Raises LauncherError."""

    async def examine() -> list[Finding]:
        async with attached(process) as launcher:
            return await findings(launcher)

    return trio.run(examine)


async def attacked(
    launcher: Launcher, scene: Scene, attacks: Sequence[str], *, other_pid: int
) -> dict[str, dict[str, Any]]:
    """Run attacks in one sandbox; return what each told, by name. One that ended its process told nothing."""
    hosted = await launcher.start(
        [*python(), "main.py"],
        folder=scene.bot("prober"),
        socket_path=scene.socket("prober"),
        log=scene.log("prober"),
        environment={"PROBE": json.dumps(scene.given(attacks=list(attacks), other_pid=other_pid))},
        limits=PROBE_LIMITS,
    )
    with trio.move_on_after(_PATIENCE_S):
        await hosted.wait()
    end = await launcher.stop(hosted)
    told = parsed(await trio.Path(scene.log("prober")).read_text())
    for name in attacks:
        told.setdefault(name, {"through": False, "saw": f"its process ended: {end.cause}, code {end.code}", "end": end})
    return told


def parsed(printed: str) -> dict[str, dict[str, Any]]:
    """Return what a probe printed, by attack."""
    lines = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    return {line["attack"]: line for line in lines}


def python() -> list[str]:
    """Return the command that runs Python inside; this program runs on it, so it is there."""
    return runtime.interpreter("python") or []


def _finding(name: str, what: str, told: Mapping[str, Mapping[str, Any]], left: Sequence[int]) -> Finding:
    one = told[name]
    holds, saw = not one["through"], str(one["saw"])
    if name in MUST:
        holds = one["through"]
    elif name == "memory_hog":  # to be ended is the one right answer
        holds = "end" in one and one["end"].cause == "memory"
    elif name == "leave_descendant":
        holds, saw = not left, f"processes {list(left)} outlived their bot"
    elif "end" in one:  # an attack that ends by anything else than its own return has shown nothing
        holds = False
    if holds:
        return Finding(name, what.rstrip("."), holds=True)
    return Finding(name, what.rstrip("."), holds=False, saw=saw or "nothing", remedy=REMEDIES.get(name, _REMEDY))


async def _left_behind(mark: str) -> list[int]:
    """Return the processes of the machine that carry the mark, a second after their bot has ended."""
    found: list[int] = []
    for _ in range(20):
        found = marked(mark)
        if not found:
            break
        await trio.sleep(0.05)
    return found


async def _pid(mark: str, uid: int) -> int:
    """Return a process of a slot's user, as this machine numbers it; 0 where none comes up."""
    for _ in range(100):
        if found := marked(mark, uid=uid):
            return found[-1]
        await trio.sleep(0.02)
    return 0
