"""Wrong usage and wrong input: exit code 2, one clear message, nothing begun."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from gavelport_server.main import gavelport, run_tournament

from tests.tournament.build import bot_folder


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(run_tournament, list(arguments))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--rounds", "0"], "0 is not in the range x>=1"),
        (["--rounds", "many"], "'many' is not a valid integer"),
        (["--round", "3"], "Did you mean one of: '--json', '--rounds'?"),
        (["--seats", "9"], "error: --seats: container has 3 to 5 seats, not 9"),
        (["--seed", "abc"], 'error: --seed: should be an even number of hex digits (0-9, a-f), not "abc"'),
        (["--bot", "nowhere"], "nowhere: is no folder"),
        (["nowhere.toml"], "error: nowhere.toml: cannot be read: No such file or directory"),
        (
            ["nonsense"],
            "error: nonsense: is no file, and no ready tournament is called so; there are: beginners, blitz, gauntlet",
        ),
        (["one.toml", "two.toml"], "unexpected extra argument"),
    ],
)
def test_wrong_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str) -> None:
    monkeypatch.chdir(tmp_path)
    done = invoke(*arguments)
    assert words in done.stderr
    assert (done.exit_code, done.stdout) == (2, "")
    assert list(tmp_path.iterdir()) == [], "nothing was begun"


def test_a_folder_is_no_tournament(tmp_path: Path) -> None:
    done = invoke(str(bot_folder(tmp_path, "mine")))
    assert "to enter a bot, give --bot DIR" in done.stderr
    assert done.exit_code == 2


def test_a_broken_file_is_told_whole(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text('game = "container"\nrounds = "ten"\ncolour = 1\n')
    done = invoke(str(tmp_path / "cup.toml"))
    assert done.exit_code == 2
    assert done.stderr.splitlines()[0] == f"error: {tmp_path / 'cup.toml'}: 3 problems"
    for words in ("  name: is missing", "  rounds: should be a whole number, not 'ten'", "  colour: unknown key"):
        assert words in done.stderr


def test_a_broken_bot_is_told_whole(tmp_path: Path) -> None:
    folder = bot_folder(tmp_path, "mine")
    (folder / "bot.toml").write_text('name = 3\nlanguage = "cobol"\n')
    done = invoke("--bot", str(folder), "--data", str(tmp_path / "data"))
    assert done.exit_code == 2
    for words in ("bot.toml: name: ", "bot.toml: language: ", "bot.toml: version: is missing", "bot.toml: games"):
        assert words in done.stderr
    assert not (tmp_path / "data").exists()


def test_too_few_entrants(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text('name = "Cup"\ngame = "container"\nbots = ["sample:shipper"]\n')
    done = invoke(str(tmp_path / "cup.toml"), "--data", str(tmp_path / "data"))
    assert done.exit_code == 2
    assert done.stderr == (
        "error: container at tables of 3 takes at least 3 entrants, and there are 1 (shipper); "
        "give more bots with --bot DIR\n"
    )


def test_a_data_folder_that_cannot_be_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    done = invoke("--data", str(tmp_path / "data"))
    assert done.exit_code == 1
    assert "data is a file; give a folder for the data with --data DIR" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["run-tournament", "--data", ""],
        ["run-tournament", "--bot", ""],
        ["play", "shipper", "--data", ""],
        ["replays", "list", "--data", ""],
        ["replays", "verify", ""],
        ["replays", "export", "--to", ""],
        ["rate", "--data", ""],
        ["check", ""],
    ],
    ids=" ".join,
)
def test_an_empty_path_is_not_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(gavelport, arguments)
    assert "is empty; name a file or folder, or write . for the current folder" in done.stderr
    assert (done.exit_code, done.stdout) == (2, "")
    assert list(tmp_path.iterdir()) == [], "nothing was begun"


@pytest.mark.parametrize(
    "raised", [KeyboardInterrupt(), BaseExceptionGroup("of a nursery", [KeyboardInterrupt()])], ids=["bare", "group"]
)
@pytest.mark.parametrize("command", ["check", "play", "web", "replays"])
def test_ctrl_c_while_a_command_is_loaded_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, command: str, raised: BaseException
) -> None:
    def interrupted(_: str) -> None:
        raise raised

    monkeypatch.setattr("importlib.import_module", interrupted)
    done = CliRunner().invoke(gavelport, [command])
    assert (done.exit_code, done.stderr.strip(), done.stdout) == (130, "Stopped.", "")


def test_run_tournament_ends_so_under_both_its_names(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gavelport_server.cli.play.play", interrupted)
    for done in (invoke(), CliRunner().invoke(gavelport, ["run-tournament"])):
        assert (done.exit_code, done.stderr.strip(), done.stdout) == (130, "Stopped.", "")


def test_what_is_no_interrupt_is_not_taken_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise EOFError("a pipe")

    monkeypatch.setattr("gavelport_server.cli.play.play", broken)
    assert invoke().exit_code == 1


def test_both_names_are_one_command() -> None:
    context = gavelport.make_context("gavelport", ["--help"], resilient_parsing=True)
    assert gavelport.get_command(context, "run-tournament") is run_tournament


@pytest.mark.parametrize("arguments", [["--help"], ["run-tournament", "--help"], ["replays", "--help"], ["--version"]])
def test_help_and_version(arguments: list[str]) -> None:
    done = CliRunner().invoke(gavelport, arguments)
    assert done.exit_code == 0
    assert ("gavelport, version" if "--version" in arguments else "Usage: gavelport") in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["replay"], "error: No such command 'replay'. Did you mean 'replays' or 'play'?\n"),
        (["checks"], "error: No such command 'checks'. Did you mean 'check'?\n"),
        (["ini", "my_bot"], "error: No such command 'ini'. Did you mean 'init'?\n"),
        (["bots", "rolback"], "error: No such command 'rolback'. Did you mean 'rollback'?\n"),
        (["xyzzy"], "error: No such command 'xyzzy'.\n"),
        (["--loud"], "error: No such option '--loud'.\n"),
        (["play"], "error: Missing argument 'BOT...'.\n"),
        (["web", "--port", "x"], "error: Invalid value for '--port': 'x' is not a valid integer range.\n"),
    ],
)
def test_wrong_usage_ends_in_a_line_like_every_error(arguments: list[str], words: str) -> None:
    done = CliRunner().invoke(gavelport, arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert re.fullmatch(r"Usage: gavelport .*\nTry 'gavelport.* --help' for help.\n\n" + re.escape(words), done.stderr)


@pytest.mark.parametrize("group", [[], ["admin"]], ids=["gavelport", "admin"])
def test_a_group_without_a_command_helps(group: list[str]) -> None:
    done = CliRunner().invoke(gavelport, group)
    assert (done.exit_code, done.stderr.startswith("Usage: gavelport"), "error:" in done.stderr) == (2, True, False)


def test_help_tells_of_each_command_in_whole_sentences() -> None:
    narrow = {"COLUMNS": "80"}
    paths = [[], *([name] for name in ("admin", "bench", "bots", "db", "replays", "token"))]
    for path in paths:
        told = CliRunner().invoke(gavelport, [*path, "--help"], env=narrow).stdout
        assert "Commands:" in told
        assert "..." not in told.partition("Commands:")[2], told
        assert max(map(len, told.splitlines())) <= 80
