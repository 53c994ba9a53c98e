"""`gavelport play`: a match told live, by the command as a user gives it."""

import json
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from gavelport_engine.registry import GAMES, game_named
from gavelport_server import shipped
from gavelport_server.archive.files import read
from gavelport_server.archive.verify import verify_stored
from gavelport_server.cli.match import Told
from gavelport_server.conduct import local
from gavelport_server.conduct.casual import CasualError, casual_match
from gavelport_server.conduct.entrants import EntrantsError
from gavelport_server.conduct.local import common_game, find_bots, plays, sparring_partners
from gavelport_server.conduct.manifest import read_manifest
from gavelport_server.main import gavelport
from gavelport_server.referee.commands import Refuse

from tests.author.folders import bad_bot
from tests.e2e.runs import GAVELPORT, processes_with

TIMES = {"mean_ms", "slowest_ms", "replay", "logs"}


def play(*arguments: str | Path) -> Result:
    return CliRunner().invoke(gavelport, ["play", *map(str, arguments)])


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What a match of two named bots and a third prints, and its data folder."""
    data = tmp_path_factory.mktemp("data")
    done = play("shipper", "factory_owner", "--seed", "c0ffee", "--data", data)
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout, data


def test_the_match_is_told_from_the_deal_to_the_scoring(told: tuple[str, Path]) -> None:
    text, _ = told
    assert "Seed c0ffee" in text
    assert "Sample bots fill 1 seat: random_legal" in text
    turns = [int(number) for number in re.findall(r"^Turn (\d+) ", text, flags=re.MULTILINE)]
    assert turns == list(range(1, len(turns) + 1))
    numbers = [int(number) for number in re.findall(r"^ +(\d+)  .* \d+ ms$", text, flags=re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert "The end: " in text
    assert max(map(len, text.partition("Replay ")[0].splitlines())) <= 100


def test_sealed_bids_are_told_together_behind_the_auction_s_beginning(told: tuple[str, Path]) -> None:
    lines = told[0].splitlines()
    auctions = [at for at, line in enumerate(lines) if "auction of " in line]
    assert auctions
    for at in auctions:
        assert all(re.search(r" bids \$\d+", line) for line in lines[at + 1 : at + 3])


def test_the_replay_is_kept_and_true_and_shown_by_the_command_that_is_printed(told: tuple[str, Path]) -> None:
    text, data = told
    path = Path(re.findall(r"^Replay  (.*)$", text, flags=re.MULTILINE)[0])
    assert path.parent.parent == data / "plays"
    replay, _ = verify_stored(read(path))
    assert [seat.bot for seat in replay.header.seats] == ["shipper", "factory_owner", "random_legal"]
    command = re.findall(r"^Show    gavelport (.*)$", text, flags=re.MULTILINE)[0].split()
    shown = CliRunner().invoke(gavelport, command).stdout
    decisions = re.findall(r"^ +\d+  .*(?= +\d+ ms$)", text, flags=re.MULTILINE)
    assert decisions
    assert decisions == re.findall(r"^ +\d+  .*(?= +\d+ ms$)", shown, flags=re.MULTILINE)


def test_the_same_seed_plays_the_same_match_again(told: tuple[str, Path], tmp_path: Path) -> None:
    def without_times(done: Result) -> dict[str, Any]:
        found = json.loads(done.stdout)
        seats = [{key: value for key, value in seat.items() if key not in TIMES} for seat in found["seats"]]
        return {**{key: value for key, value in found.items() if key not in TIMES}, "seats": seats}

    again = without_times(play("shipper", "factory_owner", "--seed", "c0ffee", "--json", "--data", told[1]))
    assert again["match"] in told[0]
    assert again == without_times(play("shipper", "factory_owner", "--seed", "C0FFEE", "--json", "--data", tmp_path))
    assert min(seat["rank"] for seat in again["seats"]) == 1
    assert {seat["bot"] for seat in again["seats"]} == {"shipper", "factory_owner", "random_legal"}


def test_a_bot_at_fault_is_shown_with_what_it_printed(tmp_path: Path) -> None:
    done = play(bad_bot(tmp_path, "crashes_in_match"), "shipper", "shipper", "--data", tmp_path)
    assert done.exit_code == 0
    assert "crashes_in_match at fault: disconnected; this is the default" in done.stdout
    assert "crashes_in_match │ ZeroDivisionError: planted" in done.stdout
    assert "5 faults (5 disconnected)" in done.stdout
    assert "its process ended with exit code 1: ZeroDivisionError: planted" in done.stdout
    assert "shipper/1 │" not in done.stdout


def test_quiet_tells_the_end_and_the_slips_only(tmp_path: Path) -> None:
    done = play(bad_bot(tmp_path, "slips"), "shipper", "--quiet", "--data", tmp_path)
    assert "Turn " not in done.stdout
    assert "slips │" not in done.stdout
    assert re.search(r"^slips: 1 answer refused \(1 \w+\); ", done.stdout, re.MULTILINE)
    assert "slips is refused" not in done.stdout
    assert "The end: " in done.stdout


def test_answers_that_are_refused_are_told_with_the_reason_and_counted_by_it(tmp_path: Path) -> None:
    done = play(bad_bot(tmp_path, "illegal"), bad_bot(tmp_path, "slips"), "--seed", "c0ffee", "--data", tmp_path)
    told, _, end = done.stdout.partition("The end: ")
    assert told.count("slips is refused: ") == 1
    (first, *_) = re.finditer(r"( {7}illegal is refused: (\w+): .*\n(?: {7}.*\n)?)", told)
    assert told[first.start() :].startswith(first[1] * 3)
    after = told[first.start() :].removeprefix(first[1] * 3).splitlines()
    assert re.match(r" +\d+  ", after[0])
    assert "illegal at fault: illegal; this is the default" in after[1]
    assert re.search(r"^slips: 1 answer refused \(1 \w+\); each was followed by one that was taken$", end, re.MULTILINE)
    assert re.search(
        r"^illegal: 5 faults \(5 illegal\), 15 answers refused \(\d+ \w+(, \d+ \w+)*\); ", end, re.MULTILINE
    )


def test_of_many_refused_answers_to_a_decision_a_few_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    bots = find_bots(["shipper", "shipper", "shipper"])
    told = Told(casual_match(bots, b"secret"), ["shipper"] * 3, quiet=False, verbose=False)
    for seat in [1] * 6 + [2]:
        told.refused(Refuse(seat, 7, "already_answered", "decision 7 was answered before", 0, 0))
    told.refused(Refuse(2, 8, "timeout", "no answer within 5000 ms", 0, 0))
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        *["shipper/1 is refused: already_answered: decision 7 was answered before"] * 3,
        "shipper/1 is refused: more answers to this decision, which are counted at the end",
        "shipper/2 is refused: already_answered: decision 7 was answered before",
    ]


def test_verbose_shows_what_bots_print_without_fault(tmp_path: Path) -> None:
    done = play(bad_bot(tmp_path, "slips"), "shipper", "--verbose", "--data", tmp_path)
    assert "slips │ refused (2 tries left)" in done.stdout


def test_a_bot_that_does_not_start_is_told_at_once(tmp_path: Path) -> None:
    done = play(bad_bot(tmp_path, "fails_at_start"), "shipper", "--data", tmp_path)
    head = done.stdout.partition("The end")[0]
    assert "fails_at_start does not play: its process ended with exit code 1: ImportError: planted" in head
    assert "fails_at_start │ Traceback" in head


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Missing argument 'BOT...'"),
        (["nobody"], "nobody: is neither a bot's folder nor a sample bot; sample bots: "),
        (["./shipper"], "./shipper: is neither a bot's folder nor a sample bot"),
        (["shipper", "--seed", "abc"], "--seed: should be an even number of hex digits"),
        (["shipper"] * 6, "container has at most 5 seats, and 6 bots are named; leave out some"),
    ],
)
def test_wrong_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str) -> None:
    monkeypatch.chdir(tmp_path)
    done = play(*arguments)
    assert words in done.stderr
    assert (done.exit_code, done.stdout) == (2, "")
    assert list(tmp_path.iterdir()) == []


def test_a_broken_bot_is_told_whole(tmp_path: Path) -> None:
    folder = bad_bot(tmp_path, "good")
    (folder / "bot.toml").write_text("name = 3\n")
    done = play(folder, "nobody", "--data", tmp_path / "data")
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 6
    assert not (tmp_path / "data").exists()


def test_a_data_folder_that_cannot_be_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    done = play("shipper", "--quiet", "--data", tmp_path / "data")
    assert done.exit_code == 1
    assert "data/plays cannot be used: a file stands where a folder is expected; give another folder" in done.stderr


def test_ctrl_c_ends_it_with_all_bots(tmp_path: Path) -> None:
    bad_bot(tmp_path, "hangs")
    command = [str(GAVELPORT), "play", "hangs", "shipper", "--data", str(tmp_path / "data")]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("Match ")
        assert processes_with(str(tmp_path))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "Stopped; nothing of the match is kept.\n"
    deadline = time.monotonic() + 10
    while left := processes_with(str(tmp_path)):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def test_a_reader_who_leaves_ends_it_without_a_word(tmp_path: Path) -> None:
    command = [str(GAVELPORT), "play", "shipper", "--data", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("Match ")
        process.stdout.close()
        assert process.wait(60) == 128 + signal.SIGPIPE
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert not (tmp_path / "plays" / "replays").exists()


def test_a_folder_comes_before_a_sample_bot_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bad_bot(tmp_path, "good").rename("shipper")
    assert [bot.name for bot in find_bots(["shipper", "factory_owner"])] == ["good", "factory_owner"]


def test_partners_are_others_first_and_over_again_where_they_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    container = game_named("container")
    shipper = find_bots(["shipper"])
    assert [bot.name for bot in sparring_partners(container, 2, shipper)] == ["factory_owner", "random_legal"]
    monkeypatch.setattr(shipped, "sample_bots", lambda: [shipper[0].folder])
    assert [bot.name for bot in sparring_partners(container, 3)] == ["shipper"] * 3
    monkeypatch.setattr(shipped, "sample_bots", list)
    with pytest.raises(EntrantsError, match="no sample bot of container@1"):
        sparring_partners(container, 1)


def test_the_partners_that_sample_bots_name_are_there_for_every_game() -> None:
    samples = {bot.name: bot for bot in map(read_manifest, shipped.sample_bots())}
    assert set(shipped.partners()) <= set(samples)
    for game in GAMES.values():
        preferred = [name for name in shipped.partners() if plays(samples[name], game)]
        assert len(preferred) >= game.least_seats - 1
        assert [bot.name for bot in sparring_partners(game, len(preferred))] == preferred


def test_a_sample_bot_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = bad_bot(tmp_path, "good")
    (folder / "main.py").unlink()
    monkeypatch.setattr(shipped, "sample_bots", lambda: [folder])
    with pytest.raises(EntrantsError, match=r"bot\.toml: entry: there is no file 'main\.py'"):
        sparring_partners(game_named("container"), 1)


def test_bots_without_a_common_game_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    bots = find_bots(["shipper", "factory_owner"])
    assert common_game(bots).name == "container"
    monkeypatch.setattr(local, "plays", lambda bot, _game: bot.name == "shipper")
    with pytest.raises(EntrantsError, match=r"shipper: container; factory_owner: container"):
        common_game(bots)


def test_one_match_is_one_id() -> None:
    bots = find_bots(["shipper", "factory_owner", "random_legal"])
    one = casual_match(bots, b"\x01")
    assert one.setup == casual_match(bots, b"\x01").setup
    assert one.setup.match_id != casual_match(bots[::-1], b"\x01").setup.match_id
    assert one.setup.match_id != casual_match(bots, b"\x02").setup.match_id
    assert casual_match(bots, None).secret != casual_match(bots, None).secret
    with pytest.raises(CasualError):
        casual_match(bots * 2, None)
