"""`run-tournament --sandbox`: the same results as without, and nothing left behind."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from click.testing import CliRunner
from gavelport_server.main import gavelport

from tests.e2e.runs import finish, play, start, verified, without_times
from tests.launcher.conftest import require_sandbox

CUP = """
name = "Confined"
game = "container"
seats = 3
bots = ["sample:random_legal", "sample:factory_owner", "sample:node_trader"]

[clock]
bank_ms = 60000
cap_ms = 20000
allowance_ms = 0
"""


def leftovers() -> set[Path]:
    """Return the cgroups and folders of launchers that are gone."""
    groups = {path for path in Path("/sys/fs/cgroup").rglob("gavelport-*") if path.is_dir()}
    found = groups | set(Path("/run/gavelport").glob("*"))
    return {path for path in found if not Path("/proc", path.name.removeprefix("gavelport-")).exists()}


def listed(data: Path) -> list[dict[str, str]]:
    """Return the matches of a data folder, as `replays list --json` has them."""
    told = CliRunner().invoke(gavelport, ["replays", "list", "--data", str(data), "--json"])
    found: list[dict[str, str]] = json.loads(told.output)
    return found


def test_bots_in_sandboxes_play_the_same_matches(tmp_path: Path) -> None:
    require_sandbox()
    before = leftovers()
    (tmp_path / "cup.toml").write_text(CUP)
    asked = ("cup.toml", "--rounds", "3", "--seed", "5eed")
    confined = play(*asked, "--data", "confined", "--sandbox", cwd=tmp_path)
    bare = play(*asked, "--data", "bare", cwd=tmp_path)
    assert without_times(confined) == without_times(bare)
    assert all(row["faults"] == {} for row in confined["standings"])
    assert verified(tmp_path / "confined")
    words = "seats 0 1 2: 24 effects hold; 512 MiB, 64 processes, 1 core"
    assert {one["sandbox"] for one in listed(tmp_path / "confined")} == {words}
    assert {one["sandbox"] for one in listed(tmp_path / "bare")} == {""}
    assert leftovers() <= before


def test_where_no_sandbox_can_be_made_no_bot_is_started(tmp_path: Path) -> None:
    require_sandbox()
    only_python = tmp_path / "bin"
    only_python.mkdir()
    for program in ("python3", "node"):
        if found := shutil.which(program):
            (only_python / program).symlink_to(found)
    process = start("--rounds", "1", "--sandbox", "--data", "d", cwd=tmp_path, env={"PATH": str(only_python)})
    out, err = finish(process, 1)
    assert out == ""
    assert err.strip() == "error: bwrap is not installed; install bubblewrap (apt-get install bubblewrap)"
    assert not (tmp_path / "d").exists()
