"""Hostile bots in their sandboxes: nothing gets out, nobody else loses anything by them, and nothing is left."""

from __future__ import annotations

import select
import signal
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from gavelport_server.archive.record import Replay
from gavelport_server.conduct.keeper import HEAD_BYTES, TAIL_BYTES
from gavelport_server.launcher.client import LauncherProcess, attached
from gavelport_server.transport import home

from tests.hosted.bots import leftovers, open_folder, uids_left
from tests.hosted.hostile import Canaries, Seen, play_hostile, seat_of
from tests.hosted.kinds.registry import IN_ITS_OWN_WAY, KINDS, NEVER_THERE
from tests.launcher.conftest import require_sandbox
from tests.rogues.control import differences

TOGETHER = 4
"""Kinds that share a launcher in a long test."""
QUICK = ("LooksForNetwork", "ForkBomb", "MemoryHog", "SocketJunk", "Daemon")


def played(kinds: list[tuple[str, int]]) -> dict[tuple[str, int], Seen]:
    """Play them, and check what is left behind."""
    require_sandbox()
    with open_folder() as folder, Canaries(folder) as canaries:
        run_dir = folder / "run"
        run_dir.mkdir(mode=0o711)
        process = LauncherProcess(run_dir=run_dir)
        pid = process.process.pid

        async def main() -> dict[tuple[str, int], Seen]:
            async with attached(process) as launcher:
                return await play_hostile(kinds, folder, launcher, canaries)

        try:
            found = home.run(main)
            assert uids_left(process.base_uid) == []
        finally:
            process.close()
        assert canaries.touched() == []
        assert list(run_dir.iterdir()) == []
        assert leftovers(pid) == []
        assert list(folder.rglob("core*")) == []
        return found


def check(kind: str, seen: Seen) -> None:
    """Check all that is promised of a hostile bot's match."""
    duel = seen.duel
    assert "ESCAPED" not in seen.printed, [line for line in seen.printed.splitlines() if "ESCAPED" in line]
    assert seen.token not in seen.printed
    assert seen.log_bytes <= HEAD_BYTES + 2 * TAIL_BYTES + 100
    assert kind in IN_ITS_OWN_WAY or duel.rogue.was_there != (kind in NEVER_THERE)
    assert differences(duel.rogue.replay, duel.control.replay, duel.seat) == []
    for side in (duel.rogue, duel.control):
        for seat, figures in enumerate(side.report.figures):
            if seat != duel.seat:
                assert (figures.faults, figures.refusals) == ((), 0), figures
    assert duel.rogue.report.retired in ((), (duel.seat,))


@pytest.fixture(scope="module")
def quick() -> dict[tuple[str, int], Seen]:
    return played([(kind, seat_of(kind)) for kind in QUICK])


@pytest.fixture
def sound(quick: dict[tuple[str, int], Seen]) -> Seen:
    return quick["ForkBomb", seat_of("ForkBomb")]


@pytest.mark.parametrize("kind", QUICK)
def test_what_a_few_of_them_do_costs_nobody_anything(quick: dict[tuple[str, int], Seen], kind: str) -> None:
    check(kind, quick[kind, seat_of(kind)])


def test_there_are_many_kinds() -> None:
    assert len(KINDS) >= 25
    assert set(QUICK) < set(KINDS)


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, len(KINDS), TOGETHER))
def test_no_kind_on_any_seat_gets_out_or_costs_anybody_anything(first: int) -> None:
    kinds = list(KINDS)[first : first + TOGETHER]
    found = played([(kind, seat) for kind in kinds for seat in range(4)])
    assert len(found) == 4 * len(kinds)
    for (kind, seat), seen in found.items():
        figures = seen.duel.rogue.report.figures[seat]
        print(f"{kind} on seat {seat}: {dict(figures.faults)} {figures.first_fault}")
    for (kind, _), seen in found.items():
        check(kind, seen)


# -- what these checks are worth: each finds its planted fault


def planted_file(canaries: Canaries) -> None:
    canaries.file.write_text("planted")


def planted_name(canaries: Canaries) -> None:
    (canaries.folder / "planted").touch()


def planted_connection(canaries: Canaries) -> None:
    socket.create_connection(("127.0.0.1", canaries.told([])["port"])).close()


def planted_datagram(canaries: Canaries) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.sendto(b"planted", ("127.0.0.1", canaries.told([])["port"]))


def planted_unix(canaries: Canaries) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.connect(canaries.told([])["sockets"][0])


def planted_kill(canaries: Canaries) -> None:
    canaries.process.kill()
    canaries.process.wait()


@pytest.mark.parametrize(
    "plant", [planted_file, planted_name, planted_connection, planted_datagram, planted_unix, planted_kill]
)
def test_a_touched_canary_is_found(tmp_path: Path, plant: Callable[[Canaries], None]) -> None:
    with Canaries(tmp_path) as canaries:
        assert canaries.touched() == []
        plant(canaries)
        assert len(canaries.touched()) == 1


def test_a_signal_to_the_canary_is_found(tmp_path: Path) -> None:
    canaries = Canaries(tmp_path)
    canaries.process.send_signal(signal.SIGTERM)
    assert canaries.process.stdout is not None
    select.select([canaries.process.stdout], [], [], 10)
    with pytest.raises(AssertionError, match="heard signals"):
        canaries.__exit__()


def test_what_a_hostile_bot_gets_is_found(sound: Seen) -> None:
    check("ForkBomb", sound)
    report = sound.duel.rogue.report
    other = (sound.duel.seat + 1) % 4
    figures = list(report.figures)
    figures[other] = replace(figures[other], faults=(("timeout", 1),))
    harmed = replace(sound.duel.rogue, report=replace(report, figures=tuple(figures)))
    for planted in (
        replace(sound, printed="ESCAPED: planted"),
        replace(sound, printed=f"and {sound.token}"),
        replace(sound, log_bytes=10 * HEAD_BYTES),
        replace(sound, duel=replace(sound.duel, rogue=harmed)),
        replace(sound, duel=replace(sound.duel, control=replace(sound.duel.control, replay=other_replay(sound)))),
    ):
        with pytest.raises(AssertionError):
            check("ForkBomb", planted)


def other_replay(seen: Seen) -> Replay:
    replay = seen.duel.control.replay
    return replace(replay, choices=replay.choices[:-1])
