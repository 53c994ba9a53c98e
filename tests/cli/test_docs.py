"""docs/cli.md names every command and option there is."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from gavelport_server.config import ClockTable, _File, read_settings
from gavelport_server.main import gavelport

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "cli.md"


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """All commands below one, each with its path."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, (*path, name))
    yield path, command


def undocumented(command: click.Command, document: str) -> list[str]:
    """Commands and options that a document does not name; options in the section of their command."""
    missing = []
    sections = dict(re.findall(r"^(#+ .*)\n((?:(?!^#).*\n?)*)", document, flags=re.MULTILINE))
    for path, one in commands(command):
        words = " ".join(path)
        places = [heading + text for heading, text in sections.items() if path and path[0] in heading]
        text = "\n".join(places) or document
        if path and not re.search(rf"`(gavelport )?{words}\b", text):
            missing.append(words)
        missing += [
            f"{words} {option}".strip()
            for parameter in one.params
            if isinstance(parameter, click.Option)
            for option in parameter.opts
            if option.startswith("--") and not re.search(rf"{option}\b", text)
        ]
    return missing


def test_every_command_and_option_is_documented() -> None:
    assert undocumented(gavelport, DOCUMENT.read_text("utf-8")) == []


def test_there_are_commands_to_document() -> None:
    found = {" ".join(path) for path, _ in commands(gavelport)}
    assert {"run-tournament", "replays verify", "rate", "bench engine"} <= found


@pytest.mark.parametrize(
    ("gone", "missing"),
    [("--seats", "run-tournament --seats"), ("replays export", "replays export"), ("--check", "rate --check")],
)
def test_what_is_left_out_is_caught(gone: str, missing: str) -> None:
    assert missing in undocumented(gavelport, DOCUMENT.read_text("utf-8").replace(gone, "…"))


def shown_commands(document: str) -> list[str]:
    """Command lines of ours in the shell examples of a document, without comments."""
    lines = "".join(re.findall(r"```sh\n(.*?)```", document, flags=re.DOTALL)).splitlines()
    return [line.partition("  #")[0].rstrip() for line in lines if re.match(r"(gavelport|run-tournament) ", line)]


def is_understood(line: str) -> bool:
    """Whether the command with these options exists; it is not run."""
    words = line.removeprefix("gavelport ").split()
    return CliRunner().invoke(gavelport, [*words, "--help"]).exit_code == 0


@pytest.mark.parametrize("name", ["README.md", "docs/first-bot.md"])
def test_the_commands_that_are_shown_exist(name: str) -> None:
    lines = shown_commands((DOCUMENT.parents[1] / name).read_text("utf-8"))
    assert len(lines) > 5
    assert [line for line in lines if not is_understood(line)] == []


def test_a_command_that_does_not_exist_is_caught() -> None:
    document = "```sh\ncd x\ngavelport play . --loud  # aloud\nrun-tournament --rounds 2\ngavelport replay list\n```\n"
    lines = shown_commands(document)
    assert lines == ["gavelport play . --loud", "run-tournament --rounds 2", "gavelport replay list"]
    assert [is_understood(line) for line in lines] == [False, True, False]


def test_every_key_of_a_tournament_file_is_documented() -> None:
    document = DOCUMENT.read_text("utf-8")
    keys = {*_File.model_fields, *ClockTable.model_fields}
    assert len(keys) > 8
    assert [key for key in keys if not re.search(rf"^(\[{key}\]|{key} = )", document, flags=re.MULTILINE)] == []


def test_the_example_in_the_document_is_a_tournament(tmp_path: Path) -> None:
    example = re.search(r"```toml\n(.*?)```", DOCUMENT.read_text("utf-8"), flags=re.DOTALL)
    assert example is not None
    path = tmp_path / "cup.toml"
    path.write_text(example[1])
    assert read_settings(path).game.options({**read_settings(path).options, "seats": 4}).supply_per_player == 4
