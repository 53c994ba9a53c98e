"""`gavelport submit`, `status` and `logs` against a server on a real socket: what they print, also when it fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from click.testing import CliRunner
from gavelport.v1 import lobby_pb2 as pb
from gavelport_server.cli import submit as submit_command
from gavelport_server.conduct.checks.finding import Finding, Verdict
from gavelport_server.main import gavelport
from gavelport_server.storage.members import BotStatus
from structlog.testing import capture_logs

from tests.lobby.test_commands import Shell
from tests.lobby.world import House
from tests.submit.world import BAD, GOOD, MANIFEST, Double, examining, opened


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TARGET", "TOKEN", "CA", "CERT", "KEY"):
        monkeypatch.delenv(f"GAVELPORT_{name}", raising=False)
    monkeypatch.setattr(submit_command, "LOOK_S", 0.02)


@pytest.fixture
def double(house: House) -> Double:
    return opened(house)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot's folder."""
    made = tmp_path / "mine"
    made.mkdir()
    (made / "bot.toml").write_text(MANIFEST)
    (made / "main.py").write_text("pass\n")
    (made / ".hidden").write_text("left out")
    return made


def as_ann(house: House, act: Callable[[Shell], Any]) -> Any:
    token = house.token("owner", owner="ann")

    async def main() -> Any:
        with capture_logs():
            async with examining(house) as target:
                return await trio.to_thread.run_sync(lambda: act(Shell(target, token)))

    return trio.run(main)


def test_a_bot_is_sent_examined_and_admitted(house: House, double: Double, folder: Path) -> None:
    done = as_ann(house, lambda shell: shell("submit", str(folder)))
    assert done.exit_code == 0, done.output
    assert done.stdout == ("✓ manifest           as it should be\n✓ full match         12 decisions, no fault\n")
    assert done.stderr == (
        "ant 2: 2 files, 0 KiB zipped\nant 2 is submission 1.\n"
        "ant 2 is admitted and plays from now on; `gavelport status ant` tells how it stands.\n"
    )
    assert sorted(double.seen[0]) == ["bot.toml", "main.py"]


def test_a_bot_that_fails_is_refused_with_the_remedy(house: House, double: Double, folder: Path) -> None:
    double.findings = [Finding("start-up", Verdict.FAILED, "fails", "main.py", "mend it", ("\x1b[2Jline",))]
    done = as_ann(house, lambda shell: shell("submit", str(folder)))
    assert done.exit_code == 1
    assert "✗ start-up           fails\n" in done.stdout
    assert "remedy           mend it\n" in done.stdout
    assert "      \ufffd[2Jline\n" in done.stdout, "what a bot printed moves no cursor"
    assert "ant 2 is refused. Mend it and submit it again, under the same version if you like" in done.stderr


def test_without_waiting_it_ends_once_the_bot_was_received(house: House, double: Double, folder: Path) -> None:
    double.gate = trio.Event()
    done = as_ann(house, lambda shell: shell("submit", str(folder), "--no-wait"))
    assert (done.exit_code, done.stdout) == (0, "")
    assert "`gavelport status ant` tells what became of it." in done.stderr


def test_json_has_the_submission_alone(house: House, double: Double, folder: Path) -> None:
    double.findings = [GOOD, BAD]
    done = as_ann(house, lambda shell: shell("submit", str(folder), "--json"))
    assert (done.exit_code, done.stderr) == (1, "")
    told = json.loads(done.stdout)
    assert (told["bot"], told["version"], told["status"], told["id"]) == ("ant", "2", "refused", 1)
    assert [one["verdict"] for one in told["findings"]] == ["passed", "passed", "failed"]


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (lambda store: store.pin_version("ant", "1"), "was rolled back to 1: `gavelport bots rollback --lift ant`"),
        (lambda store: store.set_status("ant", "withdrawn", "x"), "withdrawn: `gavelport bots reinstate ant`"),
    ],
)
def test_what_keeps_an_admitted_version_from_playing_is_said(
    house: House, double: Double, folder: Path, setting: Callable[[Any], object], words: str
) -> None:
    setting(house.store)
    done = as_ann(house, lambda shell: shell("submit", str(folder)))
    assert done.exit_code == 0
    assert words in done.stderr


def test_a_folder_that_is_not_sound_is_not_sent(house: House, double: Double, folder: Path) -> None:
    def act(shell: Shell) -> list[Any]:
        (folder / "link").symlink_to("/etc")
        ended = [shell("submit", str(folder))]
        (folder / "link").unlink()
        (folder / "bot.toml").write_text("name = 3\n")
        return [*ended, shell("submit", str(folder)), shell("submit", str(folder / "none"))]

    link, manifest, none = as_ann(house, act)
    assert [done.exit_code for done in (link, manifest, none)] == [1, 2, 2], "the latter two as in play"
    assert "links lead out of the folder" in link.stdout
    assert manifest.stderr.count("error: ") == 5
    assert "is no folder; name the folder that has the bot's bot.toml" in none.stderr
    assert not house.store.submissions()


def test_the_servers_refusal_is_told(house: House, folder: Path) -> None:
    house.live.hosting = "hosting is off"
    done = as_ann(house, lambda shell: shell("submit", str(folder)))
    assert done.exit_code == 1
    assert "this server runs no submitted bots: hosting is off. A bot that runs elsewhere can connect" in done.stderr
    done = CliRunner().invoke(gavelport, ["submit", str(folder)])
    assert (done.exit_code, "no server: give --server HOST:PORT" in done.output) == (2, True)


# -- status


def test_status_tells_of_all_and_of_one(house: House, double: Double, folder: Path) -> None:
    house.play("m0", ["ant", "bee", "cow"])

    def act(shell: Shell) -> list[Any]:
        shell("submit", str(folder))
        (folder / "bot.toml").write_text(MANIFEST.replace('"2"', '"3"'))
        double.findings = [BAD]
        shell("submit", str(folder))
        return [shell("status"), shell("status", "ant"), shell("status", "bee"), shell.json("status", "ant")]

    everything, one, other, told = as_ann(house, act)
    assert "refused" in everything.stdout
    assert "✗ full match: faults: 1 illegal" in everything.stdout
    lines = [line.rstrip() for line in one.stdout.splitlines()]
    assert lines[:3] == [
        "ant       of ann, active",
        "plays     2, run by the server",
        "versions  2 (submitted), 1",
    ]
    assert lines[3].startswith("main      #")
    assert "Elo 1484 (provisional), \N{MINUS SIGN}16 in 24 h, 1 match, 1 fault" in lines[3]
    assert lines[4] == "faults    in 1 of its latest matches; `gavelport logs ant` tells what went wrong"
    assert other.exit_code == 1
    assert other.stderr == "error: you have no bot bee; there are: ant, asp\n"
    assert told["bot"]["hosted_versions"] == ["2"]
    assert [submission["status"] for submission in told["submissions"]] == ["refused", "admitted"]
    assert list(told["standings"]) == ["main"]
    assert len(told["faults"]) == 1


@pytest.mark.parametrize(
    ("owner", "bot", "words", "key"),
    [("bob", "bee", "bee rests", "notice"), ("cid", "cow", "cow has played enough", "held_back")],
)
def test_status_tells_what_keeps_a_bot_from_playing(house: House, owner: str, bot: str, words: str, key: str) -> None:
    token = house.token("owner", owner=owner)

    async def main() -> Any:
        with capture_logs():
            async with examining(house) as target:
                shell = Shell(target, token)
                return await trio.to_thread.run_sync(
                    lambda: ([shell("status"), shell("status", bot)], shell.json("status", bot))
                )

    shown, told = trio.run(main)
    for done in shown:
        assert words in done.stdout
    assert told["bot"][key] == words


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("withdrawn", "nothing, as it is withdrawn; `gavelport bots reinstate ant` puts 1 back"),
        ("banned", "nothing, as it is banned, which only whoever runs this server can lift"),
    ],
)
def test_status_says_that_a_bot_off_its_ladders_plays_nothing(house: House, status: BotStatus, words: str) -> None:
    house.store.set_status("ant", status, "by somebody")
    done = as_ann(house, lambda shell: shell("status", "ant"))
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert lines[:2] == [f"ant       of ann, {status}: by somebody", f"plays     {words}"]


# -- logs


def logged(house: House, match_id: str, text: str) -> None:
    place = house.data / "logs" / "hosted" / "ant" / "2"
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{match_id}.log").write_text(text)
    house.store.add_version("ant", "2", "ab" * 32)


def test_logs_name_the_decision_with_what_the_bot_saw_and_printed(house: House) -> None:
    house.play("m0", ["ant", "bee", "cow"])
    logged(house, "m0", "".join(f"line {number}\n" for number in range(100)) + "\x1b[31mthe end\n")
    done, whole, json_told = as_ann(
        house, lambda shell: [shell("logs", "ant"), shell("logs", "ant", "--match", "m0"), shell.json("logs", "ant")]
    )
    assert done.exit_code == 0, done.output
    assert done.stdout == whole.stdout
    (told,) = json_told["matches"]
    assert told["decision"]["fault"] == "illegal"
    assert told["decision"]["observation"]["viewer"] == 0
    assert told["printed"].count("\n") == 101
    for words in (
        "match m0  ",
        "  faults         1 illegal\n",
        f"  decision       {told['decision']['asked']} of its own, turn {told['decision']['turn']}, ",
        "  it saw\n",
        '    seats 0        {"cash": ',
        "    line 19\n    … 61 lines; --json prints them all …\n    line 81\n",
        "    \ufffd[31mthe end\n",
    ):
        assert words in done.stdout, words
    assert "line 50" not in done.stdout


def test_logs_of_a_match_without_faults_and_of_a_bot_from_elsewhere(house: House) -> None:
    house.play("m0", ["ant", "bee", "cow"], has_notes=False)
    quiet, match, wrong = as_ann(
        house,
        lambda shell: [
            shell("logs", "ant"),
            shell("logs", "ant", "--match", "m0"),
            shell("logs", "asp", "--match", "m0"),
        ],
    )
    assert (quiet.exit_code, quiet.stdout) == (0, "")
    assert quiet.stderr == "no faults of ant in its latest matches; --match ID shows any match\n"
    assert "no faults" in match.stdout
    assert "nothing is kept of what it printed" in match.stdout
    assert (wrong.exit_code, "asp had no seat in match m0" in wrong.stderr) == (1, True)


def test_logs_of_a_bot_that_does_not_start_tell_what_it_printed(house: House) -> None:
    place = house.data / "logs" / "hosted" / "bee" / "2"
    place.mkdir(parents=True)
    (place / "start.log").write_text("ImportError: no such thing\n")
    house.store.add_version("bee", "2", "ab" * 32)
    token = house.token("owner", owner="bob")

    async def main() -> Any:
        with capture_logs():
            async with examining(house) as target:
                return await trio.to_thread.run_sync(lambda: Shell(target, token)("logs", "bee"))

    done = trio.run(main)
    assert done.stdout == "bee rests\n  it printed\n    ImportError: no such thing\n\n"


def test_logs_are_nobody_elses(house: House) -> None:
    house.play("m0", ["ant", "bee", "cow"])
    done = as_ann(house, lambda shell: shell("logs", "bee"))
    assert (done.exit_code, 'you have no bot "bee"' in done.stderr) == (1, True)


def test_no_text_of_a_finding_moves_a_cursor() -> None:
    told = pb.CheckFinding(check="start-up", verdict="failed", what="\x1b[2J", where="\x9b1A", printed=["\x07"])
    shown = submit_command.finding_of(told)
    assert (shown.what, shown.where, shown.printed) == ("\ufffd[2J", "\ufffd1A", ("\ufffd",))
