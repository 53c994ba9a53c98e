"""Every check of a bot is shown to find what it is there for, on a bot that was broken in that way."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import trio
from gavelport_engine.game import AnyGame
from gavelport_engine.registry import game_named
from gavelport_server.conduct.checks import examination, run, sparring
from gavelport_server.conduct.checks.examination import Examination
from gavelport_server.conduct.checks.finding import Finding, Verdict, shortened
from gavelport_server.conduct.checks.run import CLOCK, check_bot, check_files
from gavelport_server.conduct.checks.sparring import Sparring
from gavelport_server.conduct.checks.tamper import Tamperer
from gavelport_server.conduct.hub import Hub
from gavelport_server.conduct.local import LocalBot, local_table
from gavelport_server.conduct.manifest import read_manifest
from gavelport_server.referee.report import ClockSetting

from tests.author.folders import bad_bot

QUICK = ClockSetting(bank_ms=1_500, increment_ms=300, cap_ms=1_000, allowance_ms=0)
IN_TIME = ("hangs", "silent_when_refused", "slow", "never_returns")
"""Those that are waited for, or measured."""
PASSED, WARNING, FAILED = Verdict.PASSED, Verdict.WARNING, Verdict.FAILED

Check = Callable[[Examination], Awaitable[Finding]]


async def speed_after_a_match(bot: Examination) -> Finding:
    await bot.plays()
    return bot.is_fast()


async def memory_after_a_match(bot: Examination) -> Finding:
    await bot.plays()
    return bot.is_small()


async def second_match(bot: Examination) -> Finding:
    await bot.plays()
    return await bot.plays_again()


async def determinism(bot: Examination) -> Finding:
    await bot.plays()
    return await bot.is_deterministic()


# The bot, the check, and what must be found: verdict; words of what, where, and what it printed.
CASES: dict[str, tuple[str, Check, Verdict, str, str, str]] = {
    "fails at start": ("fails_at_start", Examination.starts, FAILED, "planted: no such module", "main.py", "Traceback"),
    "ends at once": ("does_nothing", Examination.starts, FAILED, "ended without connecting", "main.py", ""),
    "never connects": ("never_connects", Examination.starts, FAILED, "did not connect within 1 s", "main.py", ""),
    "another game": ("names_another_game", Examination.starts, FAILED, "than container@1: chess@1", "main.py", ""),
    "crashes": ("crashes_in_match", Examination.plays, FAILED, "5 disconnected", "ZeroDivisionError", "planted"),
    "illegal": ("illegal", Examination.plays, FAILED, "5 illegal", "decision 1: illegal: wrong_phase", ""),
    "hangs": ("hangs", Examination.plays, FAILED, "5 timeout", "decision 1: timeout: no answer", ""),
    "slips": ("slips", Examination.plays, WARNING, "refused answers: 1, in", "decision 2: ", "refused (2 tries left)"),
    "leftovers": ("one_match_only", second_match, FAILED, "disconnected", "RuntimeError: planted", "start() in match"),
    "moody": ("moody", determinism, WARNING, "in another way", "of the match (action): first {", ""),
    "silent": ("silent_when_refused", Examination.takes_refusals, FAILED, "did not answer again", "decision ", ""),
    "stays away": (
        "never_returns",
        Examination.reconnects,
        FAILED,
        "did not come back",
        "answer on its way",
        "planted",
    ),
    "forgets": ("forgets_on_return", Examination.reconnects, WARNING, "but not to its session", "on its way", ""),
    "repeats": ("stumbles_over_repeats", Examination.takes_repeats, FAILED, "disconnected", "KeyError", "planted"),
    "unknown": (
        "stumbles_over_unknown_kinds",
        Examination.takes_strange_messages,
        FAILED,
        "disc",
        "KeyError",
        "what is",
    ),
    "late": ("stumbles_over_late_notices", Examination.takes_strange_messages, FAILED, "match that is over", "5", ""),
    "stays on": ("outlives_session", Examination.ends_with_session, WARNING, "still ran", "main.py", ""),
    "ends badly": ("ends_badly", Examination.ends_with_session, WARNING, "with exit code 7", "main.py", ""),
    "deaf": ("ignores_sigterm", Examination.stops, FAILED, "still ran 2 s after SIGTERM", "main.py", ""),
    "slow": ("slow", speed_after_a_match, WARNING, "of 1,000", "decision ", ""),
}
GOOD: dict[str, tuple[Check, str]] = {
    "start-up": (Examination.starts, "said Hello after"),
    "full match": (Examination.plays, "decisions, no fault"),
    "second match": (Examination.plays_again, "at a table of 5"),
    "determinism": (Examination.is_deterministic, "in the same way"),
    "refusals": (Examination.takes_refusals, "answered again each time"),
    "reconnect": (Examination.reconnects, "came back 3 times"),
    "repeated question": (Examination.takes_repeats, "twice: no harm done"),
    "strange messages": (Examination.takes_strange_messages, "skipped fields from a later version"),
    "end of session": (Examination.ends_with_session, "with exit code 0"),
    "stop": (Examination.stops, "after SIGTERM"),
    "speed": (speed_after_a_match, "slowest decision"),
    "memory": (memory_after_a_match, "MiB at most"),
}


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Finding]:
    """All cases, one after another at one table, so that partners are started once."""
    folder = tmp_path_factory.mktemp("checks")
    found: dict[str, Finding] = {}

    async def examine() -> None:
        tamperers: list[Tamperer] = []

        def listen(hub: Hub) -> Tamperer:
            tamperers.append(Tamperer(hub))
            return tamperers[0]

        async with local_table(folder / "logs", listen) as table:
            partners: list[LocalBot] = []

            def examination_of(kind: str) -> tuple[Sparring, Examination]:
                known = folder / kind
                manifest = read_manifest(known if known.exists() else bad_bot(folder, kind))
                clock = QUICK if kind in IN_TIME else CLOCK
                room = Sparring(manifest, game_named("container"), clock, table, tamperers[0])
                room.partners = partners
                return room, Examination(room)

            for name, (kind, check, *_) in CASES.items():
                room, bot = examination_of(kind)
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(examination, "SETTLE_S", 10.0)  # waited out only where the fault is not there
                    if kind == "never_connects":
                        patch.setattr(examination, "START_S", 1.0)
                    found[name] = await check(bot)
                await room.leave()
            room, bot = examination_of("good")
            for name, (check, _) in GOOD.items():
                found[f"good: {name}"] = await check(bot)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(examination, "SLOW_START_S", 0.0)
                patch.setattr(examination, "MUCH_MEMORY_MIB", 1)
                room, bot = examination_of("good")
                found["slow start"] = await bot.starts()
                found["much memory"] = await memory_after_a_match(bot)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(examination, "END_S", 3.0)
        patch.setattr(sparring, "RETURN_S", 0.5)
        trio.run(examine)
    return found


@pytest.mark.parametrize("name", CASES)
def test_a_bad_bot_is_found_out(findings: dict[str, Finding], name: str) -> None:
    _, _, verdict, what, where, printed = CASES[name]
    found = findings[name]
    assert found.verdict is verdict, found
    assert what in found.what
    assert where in found.where
    assert printed in "\n".join(found.printed)
    assert found.remedy


@pytest.mark.parametrize("name", GOOD)
def test_a_good_bot_passes(findings: dict[str, Finding], name: str) -> None:
    found = findings[f"good: {name}"]
    assert found.check == name
    assert found.verdict is PASSED, found
    assert GOOD[name][1] in found.what


def test_a_slow_start_and_much_memory_are_warned_of(findings: dict[str, Finding]) -> None:
    for name in ("slow start", "much memory"):
        assert findings[name].verdict is WARNING
        assert findings[name].remedy


async def told(folder: Path, logs: Path) -> list[Finding]:
    found: list[Finding] = []
    await check_bot(folder, logs, found.append, QUICK)
    return found


async def test_every_fault_of_a_manifest_is_told_and_nothing_is_started(tmp_path: Path) -> None:
    folder = bad_bot(tmp_path, "good")
    (folder / "bot.toml").write_text('name = "Good Bot"\nversion = "1"\nlanguage = "cobol"\nentry = "other.py"\n')
    found = await told(folder, tmp_path / "logs")
    assert {one.check for one in found} == {"manifest"}
    assert {one.verdict for one in found} == {FAILED}
    assert len(found) == 4
    assert all("bot.toml" in one.where for one in found)
    assert not (tmp_path / "logs").exists()


@pytest.mark.parametrize(
    ("content", "remedy"),
    [
        (b"name == 1\n", 'write a line for each key, such as version = "1"'),
        (b'name = "\xff"\n', "save it as UTF-8"),
        (None, "let it be a file that can be read"),
    ],
)
async def test_a_manifest_that_cannot_be_read_has_a_remedy(tmp_path: Path, content: bytes | None, remedy: str) -> None:
    folder = bad_bot(tmp_path, "good")
    manifest = folder / "bot.toml"
    manifest.unlink()
    if content is None:
        manifest.mkdir()
    else:
        manifest.write_bytes(content)
    (found,) = await told(folder, tmp_path / "logs")
    assert (found.verdict, found.where, found.remedy) == (FAILED, str(manifest), remedy)
    assert found.what.startswith("cannot be read as TOML in UTF-8: ")


@pytest.mark.parametrize("name", ["Good", "good.1", "1good", "g" * 41])
async def test_a_name_that_no_ladder_takes_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    async def examine(*_: object) -> None:
        """Nothing: the bot plays like any other."""

    monkeypatch.setattr(run, "_examine", examine)
    folder = bad_bot(tmp_path, "good")
    assert (await told(folder, tmp_path / "logs"))[0].verdict is PASSED
    manifest = folder / "bot.toml"
    manifest.write_text(manifest.read_text().replace('"good"', f'"{name}"'))
    (found, files) = await told(folder, tmp_path / "logs")
    assert (found.check, found.verdict, files.verdict) == ("manifest", WARNING, PASSED)
    assert found.what == f"{name} 1, python, container: no server takes this name for a ladder"
    assert found.where == f"{manifest}: name"
    assert found.remedy == "use 1 to 40 lower-case letters, digits, _ or -, the first a letter"


async def test_what_cannot_be_looked_at_is_left_out(tmp_path: Path) -> None:
    found = await told(bad_bot(tmp_path, "fails_at_start"), tmp_path / "logs")
    verdicts = [(one.check, one.verdict) for one in found]
    assert verdicts == [
        ("manifest", PASSED),
        ("files", PASSED),
        ("start-up", FAILED),
        ("all else", Verdict.LEFT_OUT),
    ]


async def test_a_bot_of_several_games_is_checked_in_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = bad_bot(tmp_path, "good")
    manifest = (folder / "bot.toml").read_text()
    (folder / "bot.toml").write_text(manifest.replace('["container"]', '["container", "shipping", "container@1"]'))

    async def examine(_: object, game: AnyGame, __: object, tell: Callable[[Finding], None], *___: object) -> None:
        tell(Finding("start-up", PASSED, f"said Hello for {game.id}"))

    monkeypatch.setattr(run, "_examine", examine)
    found = [one.what for one in await told(folder, tmp_path / "logs") if one.check == "start-up"]
    assert found == ["container: said Hello for container@1", "shipping: said Hello for shipping@1"]


async def test_node_packages_that_are_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = bad_bot(tmp_path, "good")
    manifest = (folder / "bot.toml").read_text().replace('"python"', '"node"')
    (folder / "bot.toml").write_text(manifest)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = await told(folder, tmp_path / "logs")
    assert (found[-1].check, found[-1].verdict) == ("start-up", FAILED)
    assert "no `node` on PATH" in found[-1].what
    assert found[-1].remedy


def test_folders_that_no_server_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = bad_bot(tmp_path, "good")
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "much").write_bytes(bytes(3 * 2**20))
    (folder / ".hidden").write_bytes(bytes(3 * 2**20))
    monkeypatch.setattr(run, "MOST_MIB", 2)
    monkeypatch.setattr(run, "MOST_FILES", 4)
    assert check_files(read_manifest(folder)).verdict is PASSED

    (folder / "venv").mkdir()
    (folder / "venv" / "much").write_bytes(bytes(3 * 2**20))
    found = check_files(read_manifest(folder))
    assert found.verdict is FAILED
    assert "most is venv, 3.0 MiB" in found.where
    (folder / "venv" / "much").write_bytes(b"")

    (folder / "more.txt").write_text("")
    assert "5 files" in check_files(read_manifest(folder)).what
    assert check_files(read_manifest(folder)).verdict is FAILED
    (folder / "more.txt").unlink()

    (folder / "secrets").symlink_to("/etc")
    found = check_files(read_manifest(folder))
    assert (found.verdict, found.what) == (FAILED, "links lead out of the folder")
    assert "secrets" in found.where


def test_long_output_keeps_its_beginning_and_its_end() -> None:
    lines = [str(number) for number in range(50)]
    kept = shortened(lines)
    assert kept[:6] == tuple(lines[:6])
    assert kept[6] == "… 40 lines …"
    assert kept[7:] == tuple(lines[-4:])
    assert shortened(lines[:12]) == tuple(lines[:12])
