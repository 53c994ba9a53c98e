"""`gavelport init`: what it makes, and what it refuses."""

import filecmp
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from gavelport_engine.registry import GAMES
from gavelport_server import shipped
from gavelport_server.cli.init import _BEGIN
from gavelport_server.cli.play import READY
from gavelport_server.conduct.local import find_bots, plays
from gavelport_server.conduct.manifest import read_manifest
from gavelport_server.config import read_settings
from gavelport_server.main import gavelport
from gavelport_server.scaffold import ScaffoldError, make_bot

from tests.architecture.sources import ROOT

TEMPLATES = [(game, language) for game, found in shipped.bot_templates().items() for language in found]


def init(*arguments: str) -> Result:
    return CliRunner().invoke(gavelport, ["init", *arguments])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_are_templates_of_every_game_for_both_languages() -> None:
    assert {(game, language) for game in GAMES for language in ("python", "node")} <= set(TEMPLATES)


@pytest.mark.parametrize(("game", "language"), TEMPLATES)
def test_every_template_makes_a_bot_of_its_game_and_language(here: Path, game: str, language: str) -> None:
    done = init("ann-1", "--game", game, "--language", language)
    assert (done.exit_code, done.stderr) == (0, "")
    manifest = read_manifest(here / "ann-1")
    assert (manifest.name, manifest.language, manifest.games) == ("ann-1", language, (game,))
    assert (here / "ann-1" / _BEGIN[language]).is_file()
    whole = "".join(path.read_text("utf-8") for path in (here / "ann-1").rglob("*") if path.is_file())
    assert not re.search(r"\bmy_bot\b", whole)
    assert [path.name for path in (here / "ann-1").rglob("*") if path.is_symlink()] == []


@pytest.mark.parametrize(("game", "language"), TEMPLATES)
def test_what_is_printed_is_what_its_readme_says(here: Path, game: str, language: str) -> None:
    printed = init("ann", "--game", game, "--language", language).stdout
    assert "  cd ann\n" in printed
    commands = re.findall(r"```sh\n(.*?)```", (here / "ann" / "README.md").read_text("utf-8"), flags=re.DOTALL)
    lines = "".join(commands).splitlines()
    assert len(lines) > 3
    for line in lines:
        command, _, what = line.partition("#")
        assert re.search(rf"^  {re.escape(command.rstrip())} *{re.escape(what.strip())}$", printed, flags=re.MULTILINE)


@pytest.mark.parametrize(("game", "language"), TEMPLATES)
def test_the_bots_and_the_tournament_that_a_readme_names_are_there(here: Path, game: str, language: str) -> None:
    init("ann", "--game", game, "--language", language)
    readme = (here / "ann" / "README.md").read_text("utf-8")
    (named,) = re.findall(r"gavelport play \. (.*?) +#", readme)
    assert [bot.name for bot in find_bots(named.split()) if plays(bot, GAMES[game])] == named.split()
    (tournament,) = re.findall(r"run-tournament(?: (\w+))? --rounds", readme)
    path = shipped.ready_tournament(tournament or READY)
    assert path is not None
    assert read_settings(path).game is GAMES[game]


def test_a_node_bot_has_all_messages_along(here: Path) -> None:
    init("ann", "--language", "node")
    protos = [path.name for path in ROOT.glob("proto/gavelport/v1/*.proto")]
    assert "referee.proto" in protos
    made = here / "ann" / "proto" / "gavelport" / "v1"
    assert filecmp.cmpfiles(ROOT / "proto" / "gavelport" / "v1", made, protos, shallow=False)[0] == protos


# A line of the template's strategy, one that breaks it, and what a test of the bot then says.
BROKEN = {
    "container": ("return Pass()", "return Bid(1)", "wrong_phase"),
    "shipping": ("yield Buy(number)", "return", "!= Buy(ship=0, count=1)"),
}


@pytest.mark.parametrize("game", GAMES)
def test_a_python_bot_s_tests_pass_and_can_fail(here: Path, game: str) -> None:
    init("ann", "--game", game)

    def tested() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "unittest"]
        return subprocess.run(command, cwd=here / "ann", capture_output=True, text=True, check=False)

    assert tested().returncode == 0, tested().stderr
    main = here / "ann" / "main.py"
    right, wrong, said = BROKEN[game]
    main.write_text(main.read_text().replace(right, wrong))
    broken = tested()
    assert broken.returncode == 1
    assert said in broken.stderr


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("game", GAMES)
def test_a_node_bot_s_tests_pass(here: Path, game: str) -> None:
    init("ann", "--game", game, "--language", "node")
    node = shutil.which("node")
    assert node is not None
    tested = subprocess.run([node, "--test"], cwd=here / "ann", capture_output=True, text=True, check=False)
    assert tested.returncode == 0, tested.stdout
    assert "# pass 5" in tested.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["Ann"], '"Ann" cannot be the name of a bot: use 1 to 40 lower-case letters'),
        (["../ann"], '"../ann" cannot be the name of a bot'),
        (["ann/"], '"ann/" cannot be the name of a bot'),
        ([""], '"" cannot be the name of a bot'),
        (["1st"], "the first a letter"),
        (["a" * 41], "1 to 40"),
        (["shipper"], '"shipper" is a sample bot; give another name'),
        (["ann", "--game", "chess"], "'chess' is not"),
        (["ann", "--language", "cobol"], "'cobol' is not one of 'node', 'python'"),
        ([], "Missing argument 'NAME'"),
    ],
)
def test_what_is_refused_makes_nothing(here: Path, arguments: list[str], words: str) -> None:
    done = init(*arguments)
    assert words in done.stderr
    assert (done.exit_code, done.stdout) == (2, "")
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("is_folder", [True, False])
def test_what_is_there_is_left_as_it_is(here: Path, is_folder: bool) -> None:
    if is_folder:
        (here / "ann").mkdir()
        (here / "ann" / "main.py").write_text("mine")
    else:
        (here / "ann").write_text("mine")
    done = init("ann")
    assert done.exit_code == 2
    assert "ann is there already and was left as it is; give another name" in done.stderr
    assert (here / "ann" / "main.py" if is_folder else here / "ann").read_text() == "mine"


def test_a_bot_that_cannot_be_filled_leaves_nothing(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, *_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(ScaffoldError, match="No space left on device; nothing was kept"):
        make_bot("ann", here, "container", "python")
    assert list(here.iterdir()) == []


def test_games_and_languages_without_template_are_named(here: Path) -> None:
    with pytest.raises(ScaffoldError, match='no template for "chess"; there are: container'):
        make_bot("ann", here, "chess", "python")
    with pytest.raises(ScaffoldError, match="no template for container in cobol; there are: node, python"):
        make_bot("ann", here, "container", "cobol")
