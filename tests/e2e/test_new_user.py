"""The way to a first bot, walked as docs/first-bot.md and README.md say, in an empty folder, with real processes."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tests.e2e.runs import PATIENCE_S, play, verified

DOCUMENT = ROOT / "docs" / "first-bot.md"
README = ROOT / "README.md"
NODE_MODULES = ROOT / "sample_bots" / "node_trader" / "node_modules"
BIN = Path(sys.executable).parent

Run = Callable[[str], str]
"""Of a line of the document: runs it, as in a shell, and returns what it printed."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("new-user")


def blocks(language: str, document: str = "") -> list[str]:
    """Return the blocks of code in a document, by default in that of the first bot."""
    return re.findall(rf"```{language}\n(.*?)```", document or DOCUMENT.read_text("utf-8"), flags=re.DOTALL)


def five_minutes() -> str:
    """Return the section on the first bot in README.md."""
    return README.read_text("utf-8").partition("## Your first bot in five minutes\n")[2].partition("\n## ")[0]


def run_all(block: str, inside: Path) -> dict[str, str]:
    """Run the lines of a block one after another; return what each printed, by its first two words."""
    at, printed = inside, {}
    for line in block.splitlines():
        words = line.split()
        if words[0] == "cd":
            at /= words[1]
        elif line == "npm install":  # the same packages as those of the sample bot, without a network
            (at / "node_modules").symlink_to(NODE_MODULES)
        else:
            environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
            done = subprocess.run(
                words, cwd=at, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
            )
            assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
            printed[" ".join(words[:2])] = done.stdout + done.stderr
    return printed


@pytest.fixture(scope="module")
def in_python(folder: Path) -> dict[str, str]:
    return run_all(blocks("sh")[0], folder)


def test_a_bot_in_python(in_python: dict[str, str]) -> None:
    assert "\nOK" in in_python["python -m"]
    assert "14 checks passed." in in_python["gavelport check"]
    assert "my_bot" in in_python["gavelport play"]
    assert "The end: " in in_python["gavelport play"]
    standing = [line for line in in_python["run-tournament --rounds"].splitlines() if " my_bot 0.1.0 " in line]
    assert standing
    _, _, _, rating, *_, faults = standing[0].split()
    assert rating != "–", "it played"
    assert faults == "–"


@pytest.mark.skipif(shutil.which("node") is None or shutil.which("npm") is None, reason="node or npm is not installed")
@pytest.mark.skipif(not NODE_MODULES.exists(), reason="what bots on Node need is not installed (make node-bots)")
def test_a_bot_on_node_and_both_in_a_tournament(folder: Path, in_python: dict[str, str]) -> None:
    assert in_python
    printed = run_all(blocks("sh")[1], folder)
    assert "# fail 0" in printed["npm test"]
    assert "14 checks passed." in printed["gavelport check"]
    assert "my_node_bot" in printed["gavelport play"]

    (folder / "cup.toml").write_text('name = "Cup"\ngame = "container"\nrounds = 1\nbots = ["sample:shipper"]\n')
    told = play("cup.toml", "--bot", "my_bot", "--bot", "my_node_bot", "--data", folder / "data", cwd=folder)
    rows = {row["bot"]: row for row in told["standings"]}
    assert set(rows) == {"my_bot", "my_node_bot", "shipper"}
    assert {row["matches"] for row in rows.values()} == {1}
    assert [row["faults"] for row in rows.values()] == [{}, {}, {}]
    assert verified(folder / "data")


def test_the_commands_in_the_readme_are_those_that_are_walked() -> None:
    assert blocks("sh", five_minutes()) == [blocks("sh")[0]]


@pytest.mark.parametrize("document", [DOCUMENT.read_text("utf-8"), five_minutes()], ids=["first-bot", "README"])
def test_the_bot_in_the_document_plays(tmp_path: Path, document: str) -> None:
    folder, (code,) = tmp_path, blocks("python", document)
    shown = folder / "shown"
    shown.mkdir()
    (shown / "main.py").write_text(code)
    (shown / "bot.toml").write_text(
        'name = "shown"\nversion = "1"\nlanguage = "python"\nentry = "main.py"\ngames = ["container"]\n'
    )
    command = [str(BIN / "gavelport"), "play", "shown", "shipper", "--json", "--seed", "01"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    seat = json.loads(done.stdout)["seats"][0]
    assert (seat["bot"], seat["faults"], seat["refusals"]) == ("shown", {}, 0)
    assert seat["decisions"] > 10


def test_a_failed_check_is_told_with_its_remedy_and_exit_code(folder: Path) -> None:
    broken = folder / "broken"
    broken.mkdir()
    (broken / "main.py").write_text('raise ModuleNotFoundError("No module named torch")\n')
    (broken / "bot.toml").write_text(
        'name = "broken"\nversion = "1"\nlanguage = "python"\nentry = "main.py"\ngames = ["container"]\n'
    )
    command = [str(BIN / "gavelport"), "check", "broken"]
    for arguments in ([], ["--json"]):
        environment = {**os.environ, "TMPDIR": str(folder)}  # where the logs of a failed check stay
        done = subprocess.run(
            [*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        if arguments:
            told = json.loads(done.stdout)
            assert told["passed"] is False
            assert [one["verdict"] for one in told["checks"]] == ["passed", "passed", "failed", "left_out"]
            assert told["checks"][2]["remedy"]
            assert "No module named torch" in "".join(told["checks"][2]["printed"])
        else:
            assert "✗ start-up" in done.stdout
            assert "remedy" in done.stdout
            assert f"Logs  {folder}" in done.stdout
            assert "    it printed\n      Traceback" in done.stdout
            assert "2 checks passed, 1 failed." in done.stdout
