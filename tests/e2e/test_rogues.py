"""Bots that misbehave cost themselves, and nobody else: every match is played, and the table says what happened."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.runs import PATIENCE_S, finish, play, start
from tests.rogues.bots.kinds import KINDS
from tests.rogues.folders import rogue_folder
from tests.tournament.build import bot_folder

SEATS = 4
CLOCK = "[clock]\nbank_ms = 2000\nincrement_ms = 200\ncap_ms = 2000\nallowance_ms = 20\n"
HONEST = ("all_rounder", "factory_owner", "random_legal", "shipper")
QUICK = (
    "hangs",
    "answers_late",
    "sends_junk",
    "sends_junk_only",
    "sends_huge",
    "sends_huge_notes",
    "sends_empty_actions",
    "plays_illegally",
    "floods",
    "answers_elsewhere",
    "answers_twice",
    "says_no_hello",
    "speaks_another_version",
    "has_another_token",
    "does_not_start",
    "crashes_later",
)
"""The others are in the long tests: the slow ones, and those that only differ in how the match goes."""

ELSEWHERE = ("never_connects", "crashes_in_auction", "disconnects_in_auction")
"""Named below: one takes a minute to be given up, the others misbehave only if there is an auction at their table."""


class Cup:
    """A tournament between honest bots and rogues, each seated once, as its table was printed."""

    def __init__(self, folder: Path, kinds: Sequence[str]) -> None:
        self.kinds = kinds
        self.filled = -(len(HONEST) + len(kinds)) % SEATS
        for kind in kinds:
            rogue_folder(folder, kind)
        for number in range(self.filled):
            rogue_folder(folder, "behaves", f"filler_{number}")
        fillers = [f"filler_{number}" for number in range(self.filled)]
        bots = [f"sample:{name}" for name in HONEST] + [*kinds, *fillers]
        (folder / "cup.toml").write_text(
            f'name = "Rogues"\ngame = "container"\nseats = {SEATS}\nrounds = 1\nseed = "02"\n'
            f"bots = {json.dumps(bots)}\n"
            "[options]\nmax_rounds = 25\n"
            f"{CLOCK}"
        )
        self.told = play("cup.toml", cwd=folder)
        self.text, _ = finish(start("cup.toml", cwd=folder))
        """Of the same command again, which plays nothing."""

    def row(self, bot: str) -> dict[str, Any]:
        return row(self.told, bot)

    def check(self) -> None:
        """Check what holds whoever is in it."""
        bots = len(HONEST) + len(self.kinds) + self.filled
        assert (self.told["matches"], self.told["finished"]) == (bots // SEATS, True)
        assert {one["matches"] for one in self.told["standings"]} == {1}
        for bot in HONEST:
            clean = self.row(bot)
            assert (clean["faults"], clean["refusals"], clean["retired"], clean["first_fault"]) == ({}, 0, 0, "")
            assert clean["decisions"] > 10
            assert f"\n{bot}: " not in self.text
        for kind in self.kinds:
            self.check_blamed(kind)

    def check_blamed(self, kind: str) -> None:
        """Check that a rogue is blamed by kind of fault and in words, in the table for programs and that for people."""
        reason, words, blamed = KINDS[kind].reason, KINDS[kind].words, self.row(kind)
        if reason == "":
            assert (blamed["faults"], blamed["first_fault"]) == ({}, ""), kind
        elif reason is not None:
            assert blamed["faults"].get(reason, 0) > 0, blamed
            assert words in blamed["first_fault"], blamed
            assert f"\n{kind}: {blamed['first_fault']}\n" in self.text


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Cup:
    return Cup(tmp_path_factory.mktemp("rogues"), QUICK)


def row(report: dict[str, Any], bot: str) -> dict[str, Any]:
    return next(one for one in report["standings"] if one["bot"] == bot)


def test_every_match_is_played_and_every_rogue_named(cup: Cup) -> None:
    cup.check()


def test_a_rogue_that_is_told_wrong_is_found(cup: Cup) -> None:
    assert "hangs: " in cup.text
    cup.row("hangs")["first_fault"] += "planted"
    with pytest.raises(AssertionError):
        cup.check_blamed("hangs")


@pytest.mark.long
def test_every_kind_is_named(tmp_path: Path) -> None:
    Cup(tmp_path, [kind for kind in KINDS if kind not in ELSEWHERE]).check()


@pytest.mark.parametrize("kind", ["crashes_in_auction", pytest.param("disconnects_in_auction", marks=pytest.mark.long)])
def test_a_bot_that_leaves_an_auction_is_in_the_table_for_people(tmp_path: Path, kind: str) -> None:
    rogue_folder(tmp_path, kind)
    (tmp_path / "cup.toml").write_text(
        'name = "Cup"\ngame = "container"\nrounds = 1\nseed = "01"\n'
        f'bots = ["sample:factory_owner", "sample:shipper", "{kind}"]\n{CLOCK}'
    )
    out, _ = finish(start("cup.toml", cwd=tmp_path))
    lines = out.splitlines()
    header = next(at for at, line in enumerate(lines) if line.startswith("faults "))
    assert lines[header].split() == ["faults", "disconnected", "refused", "retired"]
    name, faults, refused, retired = lines[header + 2].split()
    assert kind.startswith(name.rstrip("…"))
    assert (faults, refused, retired) == ("5", "–", "1")
    assert not lines[header + 3].startswith(("factory_owner", "shipper"))
    assert KINDS[kind].words in next(line for line in lines if line.startswith(f"{kind}: "))


def test_a_bot_in_no_state_to_start_is_given_up_and_its_starts_are_counted(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    bot_folder(tmp_path, "broken", text=f'open({str(marks)!r}, "a").write("x")\nraise SystemExit("no luck")\n')
    (tmp_path / "cup.toml").write_text(
        'name = "Cup"\ngame = "container"\nrounds = 9\nbots = ["sample:shipper", "sample:random_legal", "broken-1"]\n'
        "[options]\nmax_rounds = 3\n"
    )
    told = play("cup.toml", cwd=tmp_path)
    assert told["matches"] == 9
    assert row(told, "broken")["faults"]["disconnected"] > 0
    assert "did not start: no luck" in row(told, "broken")["first_fault"]
    # Three in a row are enough; those for the other seats may be under way by then.
    assert 3 <= len(marks.read_text()) <= 5


@pytest.mark.long
def test_a_bot_that_never_connects_is_given_up(tmp_path: Path) -> None:
    rogue_folder(tmp_path, "never_connects")
    (tmp_path / "cup.toml").write_text(
        'name = "Cup"\ngame = "container"\nrounds = 6\nbots = ["sample:shipper", "sample:random_legal", '
        '"never_connects"]\n[options]\nmax_rounds = 3\n'
    )
    told = play("cup.toml", cwd=tmp_path)
    assert told["seconds"] < PATIENCE_S
    assert told["matches"] == 6
    assert "did not start: it did not connect within 20 s" in row(told, "never_connects")["first_fault"]
    assert row(told, "shipper")["faults"] == {}
