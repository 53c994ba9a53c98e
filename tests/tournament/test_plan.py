"""What makes two tournaments the same, and what a pairing's match is dealt."""

import json
from itertools import permutations
from pathlib import Path

import pytest
from gavelport_server.conduct.manifest import BotManifest
from gavelport_server.conduct.plan import Plan, PlanError, make_plan
from gavelport_server.config import overridden

from tests.tournament.build import manifest, settings

BOTS = [manifest("ann"), manifest("bob"), manifest("cyn"), manifest("cyn", "2"), manifest("dan")]


def plan(folder: Path, text: str = "", bots: list[BotManifest] = BOTS) -> Plan:
    return make_plan(settings(folder, text), bots)


def test_entrants_are_numbered_by_name_and_version_in_whatever_order_they_come(tmp_path: Path) -> None:
    plans = [plan(tmp_path, bots=list(order)) for order in permutations(BOTS)]
    assert {one.identity() for one in plans} == {plans[0].identity()}
    assert [(one.bot, one.version) for one in plans[7].record().entrants] == [
        ("ann", "1"), ("bob", "1"), ("cyn", "1"), ("cyn", "2"), ("dan", "1"),
    ]  # fmt: skip


def test_rounds_are_no_part_of_the_identity(tmp_path: Path) -> None:
    assert plan(tmp_path, "rounds = 3").identity() == plan(tmp_path, "rounds = 4\n# and a remark\n").identity()


@pytest.mark.parametrize(
    "other",
    [
        "seats = 4",
        'format = "swiss"',
        'format = "gauntlet"\nchallenger = "ann"',
        'seed = "00"',
        "[options]\nsupply_per_player = 3",
        "[clock]\ncap_ms = 1000",
    ],
)
def test_every_other_setting_makes_another_tournament(tmp_path: Path, other: str) -> None:
    assert plan(tmp_path, other).identity() != plan(tmp_path).identity()


def test_a_changed_bot_makes_another_tournament(tmp_path: Path) -> None:
    changed = [*BOTS[:-1], manifest("dan", content_hash="01")]
    assert plan(tmp_path, bots=changed).identity() != plan(tmp_path).identity()


def test_given_seats_that_equal_the_default_make_no_other_tournament(tmp_path: Path) -> None:
    assert plan(tmp_path, "seats = 5").identity() == plan(tmp_path).identity()


@pytest.mark.parametrize(("bots", "seats"), [(3, 3), (4, 4), (5, 5), (9, 5)])
def test_the_default_table_seats_all_up_to_five(tmp_path: Path, bots: int, seats: int) -> None:
    assert plan(tmp_path, bots=[manifest(f"bot{number}") for number in range(bots)]).seats == seats


@pytest.mark.parametrize(
    ("bots", "text", "words"),
    [
        (2, "", "container at tables of 3 takes at least 3 entrants, and there are 2 (bot0, bot1); give more bots"),
        (0, "", "there are 0 (none)"),
        (4, "seats = 5", "takes at least 5 entrants, and there are 4 (bot0, bot1, bot2, bot3); give a smaller --seats"),
    ],
)
def test_too_few_entrants_are_refused(tmp_path: Path, bots: int, text: str, words: str) -> None:
    with pytest.raises(PlanError) as refused:
        plan(tmp_path, text, bots=[manifest(f"bot{number}") for number in range(bots)])
    assert words in str(refused.value)


def test_two_bots_of_one_name_and_version_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"two entrants are called bob 1: .*00 and .*01; leave one out"):
        plan(tmp_path, bots=[*BOTS, manifest("bob", content_hash="01")])


GAUNTLET = 'format = "gauntlet"\n'


def test_the_challenger_of_a_gauntlet_is_the_bot_added_first_or_the_one_that_the_file_names(tmp_path: Path) -> None:
    named = plan(tmp_path, GAUNTLET + 'challenger = "dan"')
    assert named.challenger == 4
    assert plan(tmp_path, GAUNTLET + 'challenger = "cyn 2"').challenger == 3
    given = make_plan(settings(tmp_path, GAUNTLET + 'challenger = "dan"'), BOTS, BOTS[1])
    assert given.challenger == 1
    assert given.identity() != named.identity()
    assert all(1 in pairing.entrants for pairing in given.schedule(20).pairings)
    assert make_plan(settings(tmp_path), BOTS, BOTS[1]).challenger is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 'none is named; give your bot with --bot DIR, or write challenger = "NAME" into the tournament file'),
        ('challenger = "eve"', 'challenger = "eve" is none of the entrants (ann, bob, cyn, cyn, dan)'),
        ('challenger = "cyn"', 'challenger = "cyn" may be any of "cyn 1", "cyn 2"; write the one that is meant'),
    ],
)
def test_a_gauntlet_without_a_clear_challenger_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(PlanError) as refused:
        plan(tmp_path, GAUNTLET + text)
    assert words in str(refused.value)


def test_a_given_seed_deals_and_a_drawn_one_is_not_to_be_guessed(tmp_path: Path) -> None:
    seeded = overridden(settings(tmp_path), rounds=None, seats=None, seed="c0ffee")
    assert make_plan(seeded, BOTS).record().secret == bytes.fromhex("c0ffee")
    drawn = {plan(tmp_path).record().secret for _ in range(5)}
    assert len(drawn) == 5
    assert {len(secret) for secret in drawn} == {32}


def test_matches_of_one_block_and_table_are_dealt_alike_and_no_others(tmp_path: Path) -> None:
    one = plan(tmp_path, "seats = 4")
    record = one.record()
    setups = [(pairing, one.match(record, pairing)) for pairing in one.schedule(12).pairings]
    assert len({setup.match_id for _, setup in setups}) == 12
    assert len({(pairing.block, pairing.table, setup.seed) for pairing, setup in setups}) == 3
    assert len({setup.seed for _, setup in setups}) == 3
    for pairing, setup in setups:
        assert [seat.bot for seat in setup.seats] == [one.bots[entrant].name for entrant in pairing.entrants]
        assert setup.game.seats(setup.options) == 4


def test_the_record_tells_what_the_tournament_is(tmp_path: Path) -> None:
    told = json.loads(plan(tmp_path, "[options]\nsupply_per_player = 3").record().options)
    assert told["options"]["supply_per_player"] == 3
    assert told["options"]["seats"] == told["seats"] == 5
    assert told["clock"]["cap_ms"] == 5000
