"""As a new user: a bot is made, checked and submitted, climbs a ladder, and one that crashes is explained."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from gavelport_server.launcher.client import BASE_UID, LAUNCHERS
from gavelport_server.launcher.limits import MOST_SLOTS

from tests.architecture.sources import ROOT
from tests.e2e.test_sandbox import leftovers
from tests.launcher.conftest import require_sandbox
from tests.serve.servers import Server, serving

BIN = Path(sys.executable).parent
MATCHES = 300
LADDER = """
hosting = true
user = "root"
sample_bots = ["random_legal", "trader", "shipper"]
[[ladder]]
name = "main"
game = "container"
seats = 3
bot_per_hour = 100000
pair_per_day = 100000
"""
CRASH = """        if observation.table.phase == "bid" and not self.match.match_id.startswith("check"):
            print("about to bid", flush=True)
            raise RuntimeError("I never thought of bidding")
"""


class Shell:
    """Somebody's shell."""

    def __init__(self, folder: Path, server: Server, token: str) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "GAVELPORT_TARGET": server.target,
            "GAVELPORT_TOKEN": token,
        }

    def __call__(self, line: str) -> str:
        """Run a command, which must end well, and return what it printed."""
        done = subprocess.run(
            line.split(),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    def status(self, bot: str) -> Any:
        done = subprocess.run(
            ["gavelport", "status", bot, "--json"], env=self.environment, capture_output=True, text=True, check=False
        )
        return json.loads(done.stdout) if done.returncode == 0 else {"submissions": [], "standings": {}, "faults": []}


def owner(data: Path, name: str) -> str:
    """A token of a new owner."""
    command = [str(BIN / "gavelport"), "token", "create", "--data", str(data), "--scope", "owner", "--owner", name]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def make_crash(folder: Path) -> None:
    main = folder / "main.py"
    text = main.read_text()
    place = text.index("        self.table = observation.table")
    main.write_text(text[:place] + CRASH + text[place:])


@pytest.mark.long
@pytest.mark.timeout(2400)
def test_a_new_user_submits_a_bot_and_it_climbs(tmp_path: Path) -> None:
    require_sandbox()
    launchers, servers = [], []
    data, config = tmp_path / "league", tmp_path / "league.toml"
    config.write_text(LADDER)
    with serving(data, "--config", str(config)) as server:
        launchers.append(launcher(server))
        servers.append(server.process.pid)
        ann = Shell(tmp_path, server, owner(data, "ann"))
        bob = Shell(tmp_path, server, owner(data, "bob"))
        ann("gavelport init my_bot")
        assert "14 checks passed." in ann("gavelport check my_bot")
        told = ann("gavelport submit my_bot")
        assert told.count("✓") == 14
        assert "my_bot 0.1.0 is admitted and plays from now on" in told
        hosted = tmp_path / "hosted_owner"
        shutil.copytree(ROOT / "sample_bots" / "factory_owner", hosted)
        manifest = hosted / "bot.toml"
        manifest.write_text(manifest.read_text().replace('"factory_owner"', '"hosted_owner"'))
        assert "is admitted" in bob("gavelport submit hosted_owner")
        server.wait_until(lambda: matches(server, "my_bot") >= MATCHES, patience_s=1800)
        assert bots_of(servers[0]), "bots run as users of their own"
        stands = ann.status("my_bot")["standings"]["main"]
        assert stands["rank"] < standing(server, "random_legal")["rank"], "it is above a bot that plays at random"
        assert stands["faults"] == 0
        assert re.search(r"^main +#\d, Elo \d+", ann("gavelport status my_bot"), re.MULTILINE)
        other = bob.status("hosted_owner")["standings"]["main"]
        assert other["matches"] > MATCHES / 3

        # One that will crash, examined again by the next server after this one is killed meanwhile.
        ann("gavelport init crasher")
        make_crash(tmp_path / "crasher")
        ann("gavelport submit crasher --no-wait")
        server.wait_until(lambda: [one["status"] for one in ann.status("crasher")["submissions"]] == ["checking"])
        server.stop(signal.SIGKILL)
        server.process.wait()
    with serving(data, "--config", str(config)) as server:
        launchers.append(launcher(server))
        servers.append(server.process.pid)
        ann.environment["GAVELPORT_TARGET"] = bob.environment["GAVELPORT_TARGET"] = server.target
        server.wait_until(lambda: ann.status("crasher")["submissions"][0]["status"] == "admitted", patience_s=240)
        server.wait_until(lambda: ann.status("crasher")["faults"] != [], patience_s=240)
        is_explained(ann("gavelport logs crasher"))
        goes_forth_and_back(ann, server, tmp_path / "my_bot" / "bot.toml")
        assert server.stop() == 0
    verified = subprocess.run(
        ["bash", "-c", f"gavelport replays verify --all --data {data} && gavelport rate --check --data {data}"],
        env=ann.environment,
        check=False,
    )
    assert verified.returncode == 0
    assert [path for path in leftovers() if path.name.removeprefix("gavelport-") in launchers] == []
    assert [pid for one in servers for pid in bots_of(one)] == []


def is_explained(told: str) -> None:
    """See that it is told which decision went wrong, and on what."""
    decision = re.search(r"first fault +decision (\d+): disconnected: its process ended with exit code 1", told)
    assert decision is not None, told
    assert re.search(
        rf"^  decision +{decision[1]} of its own, turn \d+, bid, \d+ ms: disconnected$", told, re.MULTILINE
    )
    assert re.search(r'^    phase +"bid"$', told, re.MULTILINE)
    assert re.search(r'^    seats 0 +\{"cash": ', told, re.MULTILINE)
    assert "    about to bid\n" in told
    assert "    RuntimeError: I never thought of bidding\n" in told


def goes_forth_and_back(ann: Shell, server: Server, manifest: Path) -> None:
    """Submit another version, roll it back, withdraw the bot."""
    manifest.write_text(manifest.read_text().replace("0.1.0", "0.2.0"))
    assert "my_bot 0.2.0 is admitted and plays from now on" in ann("gavelport submit my_bot")
    played = matches(server, "my_bot")
    server.wait_until(lambda: matches(server, "my_bot") > played)
    ann("gavelport bots rollback my_bot 0.1.0")
    assert "0.1.0, run by the server; rolled back to it" in ann("gavelport status my_bot")
    ann("gavelport bots withdraw my_bot")
    assert "withdrawn" in ann("gavelport status my_bot")


def launcher(server: Server) -> str:
    """The process id of a server's launcher."""
    command = ["pgrep", "-P", str(server.process.pid), "-f", "gavelport_server.launcher.main"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def bots_of(server: int) -> list[str]:
    """The processes that run as users of the slots of a server's launcher."""
    base = BASE_UID + MOST_SLOTS * (server % LAUNCHERS)
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_uid in range(base, base + MOST_SLOTS):
                found.append(path.name)
    return found


def standing(server: Server, bot: str) -> Any:
    rows = server.get("/api/v1/ladders/main/standings")["standings"]
    return next((row for row in rows if row["bot"] == bot), None)


def matches(server: Server, bot: str) -> int:
    """So many rated matches of a bot count."""
    found = standing(server, bot)
    return 0 if found is None else int(found["matches"])
