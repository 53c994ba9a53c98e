"""The good bots are as strong as they are said to be; and the measuring of it is sound."""

from __future__ import annotations

from collections import Counter

import pytest
from gavelport_engine.container.actions import Action, Pass
from gavelport_sdk import Bot
from gavelport_sdk.testing import play

from tests.sample_bots import arena, strength
from tests.sample_bots.arena import Played, play_block, play_blocks, play_match
from tests.sample_bots.bots import bot_class

TABLE = ("all_rounder", "factory_owner", "shipper", "trader")


@pytest.mark.parametrize("seats", [3, 4])
def test_a_match_in_the_arena_goes_as_by_messages(seats: int) -> None:
    bots = ("trader", "factory_owner", "shipper", "trader")[:seats]  # these draw no numbers
    by_messages = play([bot_class(bot) for bot in bots], seed=5).outcome
    here = play_match(bots, 5, "match")
    assert (here.totals, here.ranks, here.end) == (by_messages.totals, by_messages.ranks, by_messages.end)


def test_a_block_gives_each_bot_each_hand_however_many_processes_play_it() -> None:
    block = play_block((TABLE, 3))
    assert [match.bots.index("trader") for match in block] == [3, 2, 1, 0]
    assert {match.deal for match in block} == {3}
    again = play_blocks([(TABLE, 3), (TABLE, 4)], workers=2)
    assert [match.totals for match in again[:4]] == [match.totals for match in block]


def test_a_fault_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stubborn(Bot):
        games = ("container",)

        def decide(self, observation: object) -> Action:
            return Pass()  # no answer to a bid

    monkeypatch.setattr(arena, "bot_class", lambda bot: Stubborn if bot == "shipper" else bot_class(bot))
    found = strength.faults([play_match(TABLE, 3, "match")])
    assert found
    assert all(fault.startswith("shipper, match match, decision ") for fault in found)


def test_a_shared_first_place_is_not_first_alone() -> None:
    def match(*ranks: int) -> Played:
        return Played(("trader", "shipper"), 0, ranks, (50, 40), "two_colours", [0.0, 0.0], [1, 1])

    got = strength.measured([match(1, 1), match(1, 2), match(2, 1)], "trader")
    assert (got.matches, got.alone, got.money) == (3, 1, 50)


def test_who_always_loses_is_not_said_to_win() -> None:
    lost = [
        Played(("trader", "shipper", "look_ahead"), deal, (3, 1, 2), (0, 0, 0), "two_colours", [0.0], [1])
        for deal in range(20)
    ]
    assert strength.beats(lost, "trader")["shipper"].high < 0.5
    assert strength.beats(lost, "shipper")["trader"].low > 0.5


@pytest.mark.long
@pytest.mark.parametrize("bot", strength.GOOD)
def test_it_is_first_alone_against_chance(bot: str) -> None:
    matches = strength.against_chance(bot)
    assert strength.faults(matches) == []
    assert strength.measured(matches, bot).alone >= 0.95 * 200


@pytest.mark.long
def test_the_all_rounder_beats_each_simple_strategy() -> None:
    matches = strength.against_simple("all_rounder")
    assert strength.faults(matches) == []
    chances = strength.beats(matches, "all_rounder")
    assert set(chances) == set(strength.SIMPLE)
    assert min(chance.low for chance in chances.values()) > 0.6, chances


@pytest.mark.long
def test_matches_among_good_bots_end_by_two_colours() -> None:
    matches = strength.among_good()
    assert strength.faults(matches) == []
    assert len(matches) == 100
    ends = Counter(match.end for match in matches)
    assert ends["two_colours"] >= 95, ends
