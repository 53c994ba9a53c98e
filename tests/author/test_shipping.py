"""What authors' tools do for Shipping: the templates play, are checked and told, as Container's are."""

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from gavelport_server.main import gavelport

from tests.architecture.sources import ROOT

NODE = shutil.which("node")
NODE_MODULES = ROOT / "sample_bots" / "node_trader" / "node_modules"
needs_node = pytest.mark.skipif(NODE is None or not NODE_MODULES.exists(), reason="node or its packages are missing")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(gavelport, [*map(str, arguments)])


@pytest.mark.parametrize("language", ["python", pytest.param("node", marks=[needs_node, pytest.mark.long])])
def test_the_templates_pass_every_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    monkeypatch.chdir(tmp_path)
    run("init", "ann", "--game", "shipping", "--language", language)
    if language == "node":
        (tmp_path / "ann" / "node_modules").symlink_to(NODE_MODULES)
    done = run("check", "ann", "--json")
    told = json.loads(done.stdout)
    checks = {one["check"]: one for one in told["checks"]}
    assert (done.exit_code, len(checks)) == (0, 14), told
    figures = {"start-up", "speed", "memory"}  # warnings for which the machine may be to blame
    assert [name for name, one in checks.items() if name not in figures and one["verdict"] != "passed"] == [], told
    assert "against shipping_" in checks["full match"]["what"]
    assert "came back 3 times" in checks["reconnect"]["what"]


def test_a_match_is_told_in_words_and_points(tmp_path: Path) -> None:
    done = run("play", "shipping_filler", "--seed", "c0ffee", "--data", tmp_path)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "Sample bots fill 1 seat: shipping_industrialist" in done.stdout
    assert max(map(len, done.stdout.partition("Replay ")[0].splitlines())) <= 100
    for words in ("The first turn is that of shipping_", " is launched", " aboard S", "News: ", "accounts of year 4"):
        assert words in done.stdout
    assert "The end: the last year's accounts were made." in done.stdout
    heading = next(line for line in done.stdout.splitlines() if line.startswith("rank "))
    assert heading.split()[-1] == "points"
    turns = [int(number) for number in re.findall(r"^Turn (\d+) ", done.stdout, flags=re.MULTILINE)]
    assert turns == list(range(1, 33))  # 4 years of 4 quarters, two seats
