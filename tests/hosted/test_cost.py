"""What it costs that bots are run in sandboxes: to start one, and in matches a minute. Printed, and not judged."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from statistics import median

import pytest
from gavelport_server import shipped
from gavelport_server.conduct.crew import START_S
from gavelport_server.conduct.local import local_table
from gavelport_server.conduct.manifest import read_manifest
from gavelport_server.launcher.client import Launcher, LauncherProcess, attached
from gavelport_server.transport import home

from tests.e2e.runs import play
from tests.hosted.bots import hosting, open_folder, sample, submit
from tests.launcher.conftest import require_sandbox
from tests.serve.servers import Server, serving

BOTS = ("trader", "shipper", "random_legal", "factory_owner")
ROUNDS = 5
MATCHES = 24
CONFIG = """
[[ladder]]
name = "container"
game = "container"
seats = 4
"""


async def start_ms(folder: Path, logs: Path, launcher: Launcher | None) -> float:
    """Return how long a bot takes from its start to its Hello."""
    async with local_table(logs, launcher=launcher) as table:
        began = time.perf_counter()
        bot = await table.start(read_manifest(folder))
        assert await bot.connect(START_S) == ""
        return 1000 * (time.perf_counter() - began)


@pytest.mark.long
@pytest.mark.parametrize("name", ["random_legal", "node_trader"])
def test_from_start_to_hello(name: str, tmp_path: Path) -> None:
    require_sandbox()
    process = LauncherProcess(shipped.node_modules())
    bare, confined = [], []

    async def measure() -> None:
        async with attached(process) as launcher:
            for number in range(ROUNDS):
                bare.append(await start_ms(sample(name), tmp_path / f"bare{number}", None))
                confined.append(await start_ms(sample(name), tmp_path / f"confined{number}", launcher))

    try:
        home.run(measure)
    finally:
        process.close()
    print(f"\n{name}, from start to Hello: bare {median(bare):.0f} ms, in the sandbox {median(confined):.0f} ms")
    assert min(*bare, *confined) > 0


@pytest.mark.long
def test_matches_a_minute_in_a_tournament(tmp_path: Path) -> None:
    require_sandbox()
    (tmp_path / "cup.toml").write_text(
        f'name = "Cost"\ngame = "container"\nseats = 4\nbots = {[f"sample:{bot}" for bot in BOTS]}\n'
    )
    rates: dict[str, list[float]] = {"bare": [], "confined": []}
    for number in range(3):
        for how, more in (("bare", ()), ("confined", ("--sandbox",))):
            told = play("cup.toml", "--rounds", "20", "--data", f"{how}{number}", *more, cwd=tmp_path)
            rates[how].append(60 * told["matches"] / told["seconds"])
    print(f"\na tournament of 20 matches: {said(rates)}")
    assert all(len(found) == 3 for found in rates.values())


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_matches_a_minute_on_a_ladder() -> None:
    """A hosted bot has a fresh process a match; one that is connected, the same one for all."""
    require_sandbox()
    rates: dict[str, list[float]] = {"bare": [], "confined": []}
    for _ in range(3):
        with open_folder() as folder:
            rates["bare"].append(ladder_rate(folder, is_hosted=False))
        with open_folder() as folder:
            rates["confined"].append(ladder_rate(folder, is_hosted=True))
    print(f"\na ladder of four bots, {MATCHES} matches: {said(rates)}")
    assert all(len(found) == 3 for found in rates.values())


def ladder_rate(folder: Path, *, is_hosted: bool) -> float:
    (folder / "serve.toml").write_text(CONFIG)
    config = ("--config", str(folder / "serve.toml"))
    if is_hosted:
        submit(folder / "data", [sample(bot) for bot in BOTS])
        with hosting(folder / "data", *config, "--hosted-processes", "8") as server:
            return rate(server)
    with serving(folder / "data", *config, "--sample-bots", ",".join(BOTS)) as server:
        return rate(server)


def rate(server: Server) -> float:
    """Return the matches a minute, from the end of the fourth on."""

    def over() -> list[datetime]:
        return [datetime.fromisoformat(one["timestamp"]) for one in server.events() if one["event"] == "match_over"]

    server.wait_until(lambda: len(over()) >= MATCHES, patience_s=300)
    first, *_, last = over()[3:MATCHES]
    return 60 * (MATCHES - 4) / (last - first).total_seconds()


def said(rates: dict[str, list[float]]) -> str:
    bare, confined = median(rates["bare"]), median(rates["confined"])
    return f"bare {bare:.0f} matches a minute, in sandboxes {confined:.0f} ({confined / bare:.2f} times)"
