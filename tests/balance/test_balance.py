"""The balance tool: what a block is, and that a lopsided game is found and an even one is not."""

from __future__ import annotations

import shutil
from collections import Counter

import pytest
from gavelport_engine.rng import Stream
from gavelport_sdk.testing import play

from tests.balance import matches
from tests.balance.__main__ import BOTS, FOURTH, jobs
from tests.balance.matches import IllegalAnswerError, Match, play_block, play_match
from tests.balance.report import bankruptcies, report
from tests.sample_bots.bots import bot_class

HOMES = ("santos", "mumbai", "shanghai")


def planted(blocks: int, *, for_seat: int = 0, for_home: int = 0) -> list[list[Match]]:
    """Return blocks between three equal bots, with points given to seat 1 and to Mumbai."""
    chance = Stream(bytes(32), "points")
    found = []
    for deal in range(blocks):
        homes = tuple(HOMES[(deal + seat) % 3] for seat in range(3))
        block = []
        for turn in range(3):
            bots = tuple("abc"[(turn + seat) % 3] for seat in range(3))
            points = tuple(
                100 + chance.below(20) + for_seat * (seat == 1) + for_home * (homes[seat] == "mumbai")
                for seat in range(3)
            )
            ranks = tuple(1 + sum(other > own for other in points) for own in points)
            block.append(Match(bots, deal, homes, (0, 1, 2), points, ranks, (False, turn == 0, False)))
        found.append(block)
    return found


def lopsided(text: str) -> str:
    return text.split("## Lopsided")[1]


def test_an_even_game_is_called_even() -> None:
    assert lopsided(report(planted(300))).strip().endswith("none.")


def test_a_seat_that_pays_is_named() -> None:
    assert "- Seat 1: +" in lopsided(report(planted(300, for_seat=9)))


def test_a_home_that_pays_is_named_and_the_bots_are_not() -> None:
    found = lopsided(report(planted(300, for_home=9)))
    assert "- Home city mumbai: +6" in found
    assert "Strategy" not in found
    assert "Seat" not in found


def test_first_places_are_shared_out_among_all_seats() -> None:
    lines = [
        line.split("|") for line in report(planted(30)).splitlines() if line.startswith(("| a |", "| b |", "| c |"))
    ]
    assert sum(float(cells[5].split("±")[0]) for cells in lines) == pytest.approx(100, abs=0.2)


def test_bankruptcies_are_counted() -> None:
    assert bankruptcies(planted(4)) == {"a": 0, "b": 4, "c": 0}


def test_the_bots_sit_down_equally_often() -> None:
    seated = Counter(bot for bots, _ in jobs(200) for bot in bots)
    assert seated == Counter({**dict.fromkeys(BOTS, 250), FOURTH[0]: 50})


def test_in_a_block_every_bot_plays_every_hand() -> None:
    block = play_block((("shipping_filler", "random_legal"), 5))
    assert [match.bots for match in block] == [
        ("shipping_filler", "random_legal"),
        ("random_legal", "shipping_filler"),
    ]
    assert block[0].homes == block[1].homes
    assert block[0].places == block[1].places
    assert block == play_block((("shipping_filler", "random_legal"), 5))


def test_a_match_goes_as_by_messages() -> None:
    bots = ("shipping_filler", "shipping_industrialist")  # these draw no numbers
    by_messages = play([bot_class(bot) for bot in bots], "shipping", seed=5).outcome
    here = play_match(bots, 5, "match")
    assert (here.points, here.ranks) == (by_messages.totals, by_messages.ranks)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_a_bot_on_node_plays_in_process() -> None:
    match = play_match(("random_legal", "shipping_trader"), 3, "match")
    assert match.ranks == (2, 1)


def test_an_illegal_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "_player", lambda *_: lambda _: "nonsense")
    with pytest.raises(IllegalAnswerError, match="random_legal in match, seat"):
        play_match(("random_legal", "random_legal"), 3, "match")
