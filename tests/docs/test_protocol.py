"""docs/protocol.md says all that there is, and its examples play."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import grpc
import pytest
from gavelport.v1 import referee_pb2
from gavelport_engine.registry import GAMES
from gavelport_sdk.errors import Exit
from gavelport_server.conduct.checks.finding import Finding, Verdict
from gavelport_server.conduct.checks.run import check_bot
from gavelport_server.referee.codes import MEANINGS

from tests.sdk.played import EndError, Part, serving
from tests.sdk.script import CODEC, Script, welcome

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs/protocol.md").read_text("utf-8")


def rows(document: str) -> dict[str, str]:
    """Return every table row whose first cell is code, by that: `| `code` | meaning |`."""
    return dict(re.findall(r"^\| `(\w+)`[^|]*\| (.*) \|$", document, re.MULTILINE))


def section(document: str, heading: str) -> str:
    """Return the text under the one heading that begins so, up to the next one."""
    (found,) = re.findall(rf"^#+ {re.escape(heading)}.*?\n(.*?)(?=^#|\Z)", document, re.MULTILINE | re.DOTALL)
    return str(found)


def missing_codes(document: str) -> list[str]:
    """Return the reason codes that a document does not list with their meanings, each table under its heading."""
    listed: dict[str, dict[str, str]] = {"The referee's own": {str(code): said for code, said in MEANINGS.items()}}
    listed |= {f"{game.name.title()}'s, in `Refused`": dict(game.fault_codes) for game in GAMES.values()}
    return [
        code
        for heading, codes in listed.items()
        for code, meaning in codes.items()
        if rows(section(document, heading)).get(code) != meaning
    ]


def missing_fields(document: str) -> list[str]:
    """Return the messages and fields of the stream that a document does not list."""
    said = rows(document)
    return [
        f"{name}.{field.name}"
        for name, message in referee_pb2.DESCRIPTOR.message_types_by_name.items()
        if name not in {"PlayRequest", "PlayResponse"}
        for field in message.fields
        if f"`{field.name}`" not in said.get(name, "")
    ]


def test_every_reason_code_is_listed() -> None:
    assert missing_codes(DOCUMENT) == []


def test_every_message_and_field_is_listed() -> None:
    assert missing_fields(DOCUMENT) == []
    for enum in referee_pb2.DESCRIPTOR.enum_types_by_name.values():
        for value in enum.values:
            assert value.number == 0 or f"`{value.name}`" in DOCUMENT


def test_what_is_not_listed_is_noticed() -> None:
    assert missing_codes(DOCUMENT.replace("`too_late`", "`late`")) == ["too_late"]
    assert missing_codes(DOCUMENT.replace("no slot is free (1.6)", "no slot")) == ["no_slot"]
    assert missing_codes(DOCUMENT.replace("The message is no PlayRequest", "It is none")) == ["malformed"]
    assert missing_codes(DOCUMENT.replace("the row is full (9.3)", "the row has no room")) == ["E36"]
    assert missing_fields(DOCUMENT.replace("`charged_ms`", "`cost_ms`")) == ["Decision.charged_ms"]


def test_every_exit_code_is_listed() -> None:
    section = DOCUMENT.split("## Exit codes of the Python SDK")[1]
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", section, re.MULTILINE)} == set(Exit)


def broken_links(name: str, document: str) -> list[str]:
    """Return the links of a document in docs/ that lead to no file, or to no heading of it."""
    broken = []
    for link in re.findall(r"\]\(([^)]*)\)", document):
        file, hash_, anchor = link.partition("#")
        path = ROOT / "docs" / (file or name)
        if not path.exists():
            broken.append(link)
        elif hash_:
            headings = re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE)
            if anchor not in {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}:
                broken.append(link)
    return broken


@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("*.md")), ids=lambda path: path.name)
def test_links_within_the_documents_lead_somewhere(path: Path) -> None:
    assert broken_links(path.name, path.read_text("utf-8")) == []


def test_links_that_lead_nowhere_are_found() -> None:
    document = "[a](cli.md) [b](cli.md#bottoml) [c](#connecting) [d](none.md) [e](cli.md#none) [f](#none)"
    assert broken_links("protocol.md", document) == ["none.md", "cli.md#none", "#none"]


def example(language: str) -> str:
    (code,) = re.findall(rf"^```{language}\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)
    return str(code)


def play_example(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """Let an example play a few decisions and a refusal, lose its stream and come back; return its stderr."""
    script = Script()
    actions: list[object] = []

    def part() -> Part:
        hello = (yield None).hello
        assert (hello.protocol_version, list(hello.games), hello.bot_version) == (1, ["container@1"], "1")
        yield welcome()
        yield script.start()
        for number in range(1, 6):
            yield script.decision()
            answer = (yield None).answer
            assert (answer.match_id, answer.decision_id) == ("m-1", number)
            action = CODEC.decode_action(answer.action)
            actions.append(action)
            script.play(action)
        yield script.refused("timeout", tries_left=0)
        yield script.decision()
        answer = (yield None).answer
        yield script.refused()
        again = (yield None).answer
        assert (again.decision_id, again.action) == (6, answer.action)
        raise EndError(grpc.StatusCode.UNAVAILABLE, "unplugged")

    def return_() -> Part:
        hello = (yield None).hello
        assert (hello.session_token, hello.bot_version) == ("session-1", "1")
        assert [(each.match_id, each.last_event) for each in hello.resume] == [("m-1", len(script.events))]
        yield welcome(resumed=True)
        yield script.start()
        yield script.tell()
        yield script.decision(is_again=True)
        assert (yield None).answer.decision_id == 6
        yield script.end()

    with serving(part, return_) as server:
        run = subprocess.run(
            command,
            cwd=folder,
            env=os.environ | environment | {"GAVELPORT_TARGET": server.target, "GAVELPORT_TOKEN": "secret"},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    assert run.returncode == 0, run.stderr
    assert len(actions) == 5
    assert server.tokens == ["Bearer secret"] * 2
    return run.stderr


SAID = [
    "refused: timeout: because of timeout",
    "refused: no_cash: because of no_cash",
    "UNAVAILABLE: unplugged",
    "ranks 1 2 2",
]


async def findings(folder: Path, language: str, entry: str) -> list[Finding]:
    """Return what `gavelport check` finds of an example in a folder of its own."""
    (folder / "bot.toml").write_text(
        f'name = "shown"\nversion = "1"\nlanguage = "{language}"\nentry = "{entry}"\ngames = ["container"]\n', "utf-8"
    )
    found: list[Finding] = []
    await check_bot(folder, folder.with_name("logs"), found.append)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "shown"
    made.mkdir()
    return made


def test_the_python_example_plays(folder: Path) -> None:
    (folder / "example.py").write_text(example("python"), "utf-8")
    assert play_example([sys.executable, "example.py"], folder, {}).splitlines() == SAID


async def test_the_python_example_is_a_bot_that_a_server_takes(folder: Path) -> None:
    (folder / "example.py").write_text(example("python"), "utf-8")
    found = await findings(folder, "python", "example.py")
    assert len(found) == 14
    assert [one for one in found if one.verdict is Verdict.FAILED] == []


MODULES = ROOT / "sample_bots/node_trader/node_modules"
needs_node = pytest.mark.skipif(
    shutil.which("node") is None or not MODULES.exists(), reason="Node or its packages are missing"
)


@needs_node
def test_the_javascript_example_plays(folder: Path) -> None:
    (folder / "example.js").write_text(example("javascript"), "utf-8")
    environment = {"GAVELPORT_PROTO_DIR": str(ROOT / "proto"), "NODE_PATH": str(MODULES)}
    assert play_example(["node", "example.js"], folder, environment).splitlines() == SAID


@needs_node
async def test_the_javascript_example_is_a_bot_that_a_server_takes(folder: Path) -> None:
    (folder / "example.js").write_text(example("javascript"), "utf-8")
    (folder / "node_modules").symlink_to(MODULES)
    found = await findings(folder, "node", "example.js")
    assert len(found) == 14
    assert [one for one in found if one.verdict is Verdict.FAILED] == []


@needs_node
@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("GAVELPORT_TOKEN", "set GAVELPORT_TARGET (host:port or unix:path) and GAVELPORT_TOKEN\n"),
        ("GAVELPORT_PROTO_DIR", "set GAVELPORT_PROTO_DIR to the folder that has gavelport/v1/referee.proto\n"),
    ],
)
def test_the_javascript_example_says_what_is_not_set(folder: Path, missing: str, said: str) -> None:
    (folder / "example.js").write_text(example("javascript"), "utf-8")
    environment = {
        "GAVELPORT_TARGET": "127.0.0.1:1",
        "GAVELPORT_TOKEN": "secret",
        "GAVELPORT_PROTO_DIR": str(ROOT / "proto"),
        "NODE_PATH": str(MODULES),
    }
    run = subprocess.run(
        ["node", "example.js"],
        cwd=folder,
        env=os.environ | environment | {missing: ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (run.returncode, run.stderr) == (2, said)
