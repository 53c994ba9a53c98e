"""`gavelport serve` with hosted bots, as an operator starts it: as root, who then is somebody without privileges."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gavelport_server.conduct import sandboxes
from gavelport_server.conduct.ladder.requests import HOSTED_LOST
from gavelport_server.conduct.sandboxes import UserError, require_user
from gavelport_server.serving import read_serving
from gavelport_server.storage.sql import SqlStore
from gavelport_server.storage.store import FoundResult, ResultFilter

from tests.hosted.bots import USER, Hosting, hosting, leftovers, made_bot, open_folder, sample, submit
from tests.serve.servers import command

HOG = "if self.asked == 4: held = bytearray(400 << 20)"
CONFIG = """
memory_mib = 160

[[ladder]]
name = "container"
game = "container"
seats = 4
options = { max_rounds = 8 }
"""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with open_folder() as folder:
        (folder / "serve.toml").write_text(CONFIG)
        yield folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Hosting]:
    """A server with two sound hosted bots, one that takes too much memory and one that never starts."""
    made = folder / "made"
    submit(
        folder / "data",
        [
            sample("trader"),
            sample("shipper"),
            made_bot(made, "hog", act=HOG),
            made_bot(made, "broken", first="import planted"),
        ],
    )
    with hosting(
        folder / "data", "--config", str(folder / "serve.toml"), "--sample-bots", "random_legal,factory_owner"
    ) as server:
        yield server


def found(data: Path) -> list[FoundResult]:
    store = SqlStore.in_folder(data, create=False)
    try:
        return list(store.find_results(ResultFilter(), limit=1000))
    finally:
        store.close()


def first_faults(results: list[FoundResult], bot: str) -> list[str]:
    return [
        seat.first_fault
        for one in results
        for seat, entrant in zip(one.result.seats, one.entrants, strict=True)
        if entrant.bot == bot
    ]


def voids(data: Path) -> list[Any]:
    store = SqlStore.in_folder(data, create=False)
    try:
        return [void for one in store.tournaments() for void in store.voids(one.identity)]
    finally:
        store.close()


def events(server: Hosting, event: str, **fields: str) -> list[dict[str, Any]]:
    return [
        line
        for line in server.events()
        if line["event"] == event and all(line.get(name) == value for name, value in fields.items())
    ]


def test_the_server_gives_up_root_and_the_launcher_keeps_it(server: Hosting) -> None:
    assert Path(f"/proc/{server.process.pid}").stat().st_uid == int(
        subprocess.run(["id", "-u", USER], check=True, capture_output=True, text=True).stdout
    )
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    assert "CapEff:\t0000000000000000" in status
    assert "CapPrm:\t0000000000000000" in status
    assert Path(f"/proc/{server.launcher}").stat().st_uid == 0
    assert "hosted bots  up to" in server.printed
    assert server.get("/health")["notices"] == []


def test_hosted_and_house_bots_play_and_what_held_them_is_kept(server: Hosting, folder: Path) -> None:
    server.wait_until(lambda: len(first_faults(found(folder / "data"), "hog")) >= 2)
    results = found(folder / "data")
    hosted = {"trader", "shipper", "hog"}
    for one in results:
        seats = " ".join(str(seat) for seat, entrant in enumerate(one.entrants) if entrant.bot in hosted)
        assert one.result.sandbox.startswith(f"seats {seats}: ")
        assert one.result.sandbox.endswith(" effects hold; 160 MiB, 64 processes, 1 core")
    played = {entrant.bot for one in results for entrant in one.entrants}
    assert played == {*hosted, "random_legal", "factory_owner"} & played
    (listed, *_) = server.get("/api/v1/matches")["matches"]
    assert listed["sandbox"].startswith("seats ")


def test_a_process_killed_for_its_memory_costs_its_own_seat_only(server: Hosting, folder: Path) -> None:
    server.wait_until(lambda: bool(first_faults(found(folder / "data"), "hog")))
    results = found(folder / "data")
    words = "disconnected: it was killed: it took more than 160 MiB of memory"
    for fault in first_faults(results, "hog"):
        assert fault.partition(": ")[2] == words
    for one in results:
        for seat, entrant in zip(one.result.seats, one.entrants, strict=True):
            assert seat.faults == () or entrant.bot == "hog"
    assert voids(folder / "data") == []


def test_a_bot_that_never_starts_rests_and_its_error_is_kept(server: Hosting, folder: Path) -> None:
    server.wait_until(lambda: bool(events(server, "hosted_bot_rests", bot="broken")))
    (rests, *_) = events(server, "hosted_bot_rests", bot="broken")
    assert rests["reason"].endswith("ModuleNotFoundError: No module named 'planted'")
    log = folder / "data" / "logs" / "hosted" / "broken" / "1" / "start.log"
    assert "ModuleNotFoundError" in log.read_text()
    assert first_faults(found(folder / "data"), "broken") == []


def test_a_killed_server_leaves_no_bot_after_a_second(server: Hosting) -> None:
    """The last of those that share the server."""
    server.wait_until(lambda: bool(server.bots))
    assert leftovers(server.launcher) != []
    server.process.kill()
    time.sleep(1)
    assert server.bots == []


# -- kills


@pytest.fixture
def killed_folder() -> Iterator[Path]:
    with open_folder() as folder:
        (folder / "serve.toml").write_text(CONFIG)
        made = folder / "made"
        # Slow enough that a match is always under way.
        slow = [made_bot(made, f"slow{number}", act="import time; time.sleep(0.2)") for number in range(2)]
        submit(folder / "data", slow)
        yield folder


def start(folder: Path, user: str = USER) -> AbstractContextManager[Hosting]:
    config = ("--config", str(folder / "serve.toml"), "--sample-bots", "random_legal,factory_owner")
    return hosting(folder / "data", *config, user=user)


@pytest.mark.long
def test_the_start_after_a_kill_clears_up_and_goes_on(killed_folder: Path) -> None:
    data = killed_folder / "data"
    with start(killed_folder) as server:
        server.wait_until(lambda: server.metric("gavelport_running_matches") > 0)
        (begun,) = {line["match"] for line in events(server, "match_begun")} - {
            line["match"] for line in events(server, "match_over")
        }
        launcher = server.launcher
        server.process.kill()
    with start(killed_folder) as server:
        server.wait_until(lambda: bool(voids(data)))
        (void,) = voids(data)
        assert (void.match_id, void.reason) == (begun, HOSTED_LOST)
        server.wait_until(lambda: len(found(data)) >= 1)
        assert begun not in {one.result.match_id for one in found(data)}
        assert leftovers(launcher) == []
        assert len(list((killed_folder / "tmp").glob("gavelport-*"))) == 1
        launcher = server.launcher
        assert server.stop() == 0
        assert (server.bots, leftovers(launcher)) == ([], [])
    assert list((killed_folder / "tmp").glob("gavelport-*")) == []


@pytest.mark.long
def test_a_killed_launcher_costs_no_bot_anything_and_is_said(killed_folder: Path) -> None:
    data = killed_folder / "data"
    with start(killed_folder) as server:
        server.wait_until(lambda: server.metric("gavelport_running_matches") > 0)
        os.kill(server.launcher, signal.SIGKILL)
        time.sleep(1)
        assert server.bots == []
        server.wait_until(lambda: bool(voids(data)))
        assert [void.reason for void in voids(data)] == ["the launcher of hosted bots was lost; it is played again"]
        assert [one for one in found(data) if any(seat.faults for seat in one.result.seats)] == []
        health = server.get("/health")
        assert health["status"] == "ok"
        assert "restart the server" in health["notices"][0]
        assert server.stop() == 0


@pytest.mark.long
def test_a_server_that_is_still_root_starts_another_launcher(killed_folder: Path) -> None:
    data = killed_folder / "data"
    with start(killed_folder, user="root") as server:
        server.wait_until(lambda: server.metric("gavelport_running_matches") > 0)
        os.kill(server.launcher, signal.SIGKILL)
        server.wait_until(lambda: bool(events(server, "launcher_started_again")))
        assert server.get("/health")["notices"] == []
        begun = len(found(data))
        server.wait_until(lambda: len(found(data)) > begun)
        assert all(seat.faults == () for one in found(data) for seat in one.result.seats)
        launcher = server.launcher
        assert server.stop() == 0
    assert leftovers(launcher) == []


def test_a_server_that_hosts_starts_again_however_it_ended(folder: Path) -> None:
    data = folder / "again"
    submit(data, [])
    with hosting(data) as server:
        assert (data / ".sockets").is_symlink()
        assert server.stop() == 0
    assert not (data / ".sockets").is_symlink()
    (data / ".sockets").symlink_to(folder / "emptied-by-a-reboot")
    with hosting(data) as server:
        assert server.get("/health")["status"] == "ok"
        assert server.stop() == 0


# -- refusals


def test_who_the_server_is_has_to_be_settled(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root")
    settings = read_serving(None, flags={("hosting",): "true"})
    with pytest.raises(UserError, match="user: a server that hosts bots keeps no privileges of root for itself"):
        require_user(settings)
    require_user(replace(settings, hosting=False))
    require_user(replace(settings, user="root"))
    with pytest.raises(UserError, match="user: there is no user 'no-such-user' on this machine"):
        require_user(replace(settings, user="no-such-user"))
    done = subprocess.run(command(tmp_path / "data", "--hosting", "true"), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.startswith("error: user: a server that hosts")) == (2, True)
    assert not (tmp_path / "data").exists()


def test_what_keeps_a_user_from_the_interpreter_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python, real = tmp_path / "venv" / "python", tmp_path / "closed" / "bin" / "python"
    for each in (python, real):
        each.parent.mkdir(parents=True)
    real.touch()
    python.symlink_to(real)
    assert sandboxes._closed(python) == f", which is {real}"
    monkeypatch.setattr(os, "access", lambda path, _mode: path != tmp_path / "closed")
    assert sandboxes._closed(python) == f", which is {real}: {tmp_path / 'closed'} is closed to it"


@pytest.mark.long
def test_a_data_folder_of_somebody_else_is_refused(folder: Path) -> None:
    foreign = folder / "foreign"
    submit(foreign, [])
    said = rf"cannot be changed by {USER}, who this server is; `chown -R {USER}: {foreign}` hands the data folder over"
    with pytest.raises(AssertionError, match=said), hosting(foreign, is_given=False):
        pass


@pytest.mark.long
def test_where_no_sandbox_can_be_made_connected_bots_still_play(folder: Path) -> None:
    only_python = folder / "bin"
    only_python.mkdir()
    found_python = shutil.which("python3")
    assert found_python is not None
    (only_python / "python3").symlink_to(found_python)
    data = folder / "none"
    submit(data, [sample("trader")])
    asked = ("--config", str(folder / "serve.toml"), "--sample-bots", "random_legal,factory_owner,shipper,all_rounder")
    with hosting(data, *asked, user="root", env={"PATH": str(only_python)}) as server:
        why = "bwrap is not installed; install bubblewrap (apt-get install bubblewrap)"
        assert f"  hosted bots  none: {why}\n" in server.printed
        assert server.get("/health") == {"status": "ok", "problems": [], "notices": [f"no submitted bot is run: {why}"]}
        server.wait_until(lambda: len(found(data)) > 0)
        assert [one.result.sandbox for one in found(data)] == [""] * len(found(data))
