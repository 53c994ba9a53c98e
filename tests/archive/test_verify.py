"""Verification finds every planted fault, and says where it is."""

from dataclasses import replace
from typing import Any

import pytest
from gavelport.v1.replay_pb2 import ReplayFrame
from gavelport_engine.container import actions as act
from gavelport_server.archive.packing import unpack
from gavelport_server.archive.playback import Difference
from gavelport_server.archive.record import Choice, Replay, chain_of
from gavelport_server.archive.replay import decode_replay, encode, encode_replay, replay_of
from gavelport_server.archive.verify import verify, verify_stored
from gavelport_server.referee.report import Played

from tests.archive.folder import SHORT, short_match
from tests.archive.play import played_match


def found(replay: Replay) -> str:
    """The difference found, even where the forger made the chain anew."""
    with pytest.raises(Difference) as raised:
        verify(replace(replay, chain=chain_of(replay)))
    return str(raised.value)


def choices(replay: Replay, place: int, **change: Any) -> Replay:
    """The replay with one decision changed."""
    changed = list(replay.choices)
    changed[place] = replace(changed[place], **change)
    return replace(replay, choices=tuple(changed))


@pytest.fixture(scope="module")
def replay() -> Replay:
    return replay_of(short_match(0))


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_true_replays_pass(seats: int) -> None:
    for number in range(3):
        report = played_match(number, seats=seats, faults={5: "timeout", 9: "disconnected"}, notes={3: "hm"})
        records = verify_stored(encode_replay(report))[1]
        for record, figures in zip(records, report.figures, strict=True):
            assert (record.decisions, record.charged_ms, record.slowest_ms) == (
                figures.decisions,
                figures.charged_ms,
                figures.slowest_ms,
            )
        assert sum(count for record in records for _, count in record.faults) == 2


def test_the_seed_must_fit_the_commitment(replay: Replay) -> None:
    assert "commitment to the seed for match match-0 is" in found(replace(replay, seed=bytes(31) + b"\1"))
    renamed = replace(replay, header=replace(replay.header, match_id="other"))
    assert "commitment to the seed for match other" in found(renamed)


def test_an_illegal_action_is_named_with_its_place(replay: Replay) -> None:
    said = found(choices(replay, 0, action=act.Load((1,) + (0,) * 29)))
    assert said.startswith("decision 1 (turn 1, seat ")
    assert "{'type': 'load', 'take': {'1': {'black': 1}}} is not legal: " in said


def test_a_legal_action_in_place_of_another_meets_the_fingerprint(replay: Replay) -> None:
    place, _ = next(
        (place, choice)
        for place, choice in enumerate(replay.choices)
        if isinstance(choice.action, act.BuyWarehouse | act.BuyFactory | act.Sail)
    )
    said = found(choices(replay, place, action=act.Pass()))
    assert "fingerprint after turn" in said or "not legal" in said


def test_a_fault_must_come_with_the_default(replay: Replay) -> None:
    place = next(place for place, choice in enumerate(replay.choices) if isinstance(choice.action, act.BuyWarehouse))
    said = found(choices(replay, place, fault="timeout"))
    assert said.startswith(f"decision {place + 1} (turn ")
    assert "was played for a bot at fault (timeout), where the default is {'type': 'pass'}" in said


def test_decisions_may_neither_lack_nor_be_left_over(replay: Replay) -> None:
    fewer = replace(replay, choices=replay.choices[:-1])
    assert f"after the last decision ({len(replay.choices) - 1}): the match is not over; " in found(fewer)
    more = replace(replay, choices=(*replay.choices, Choice(act.Pass(), 0, None, "")))
    assert found(more) == f"decision {len(replay.choices) + 1}: the match was over with decision {len(replay.choices)}"


def test_each_fingerprint_counts(replay: Replay) -> None:
    for number in range(len(replay.prefixes)):
        changed = list(replay.prefixes)
        changed[number] = bytes(4)
        said = found(replace(replay, prefixes=tuple(changed)))
        assert f"fingerprint after turn {number + 1} begins {replay.prefixes[number].hex()}" in said
        assert said.endswith("the replay says 00000000")
    assert "fingerprint of the final position is" in found(replace(replay, fingerprint=bytes(32)))
    assert "for which the replay has no fingerprint" in found(replace(replay, prefixes=replay.prefixes[:-1]))
    longer = (*replay.prefixes, bytes(4))
    assert f"the match has {len(longer) - 1} checkpoints" in found(replace(replay, prefixes=longer))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"end": "max_rounds"}, "result: end by the rules: "),
        ({"totals": (50, 50, 50)}, "result: money by the rules: ["),
        ({"ranks": (1, 1, 1)}, "result: ranks by the rules: ["),
        ({"retired": (1,)}, "result: retired seats are [1], but seats [1] were never at fault"),
        ({"retired": (1, 0)}, "result: retired seats [1, 0] do not ascend"),
        ({"retired": (7,)}, "seats [7] were never at fault"),
    ],
)
def test_the_result_is_derived_again(replay: Replay, change: dict[str, Any], said: str) -> None:
    assert said in found(replace(replay, end=replace(replay.end, **change)))


def test_the_words_of_a_first_fault_must_fit_the_decisions() -> None:
    replay = replay_of(played_match(1, seats=3, options=SHORT, faults={5: "timeout", 9: "timeout"}))
    seat = next(seat for seat, words in enumerate(replay.end.first_faults) if words)
    words = str(replay.end.first_faults[seat])
    verify(replay)

    def told(*first_faults: str) -> Replay:
        return replace(replay, end=replace(replay.end, first_faults=first_faults))

    others = ["" if one != seat else words.replace("timeout", "illegal") for one in range(3)]
    assert f'result: first fault of seat {seat} is "{others[seat]}"; by the decisions: "decision ' in found(
        told(*others)
    )
    assert "first fault of seat" in found(told("", "", ""))
    innocent = next(one for one, first in enumerate(replay.end.first_faults) if not first)
    planted = [words if one == innocent else str(first) for one, first in enumerate(replay.end.first_faults)]
    assert f"first fault of seat {innocent} is " in found(told(*planted))


def test_refusals_are_held_by_the_chain_and_cost_nothing_where_there_are_none(replay: Replay) -> None:
    assert (replay.end.refusals, replay.end.first_faults) == ((0, 0, 0), ("", "", ""))
    refused = replace(replay, end=replace(replay.end, refusals=(0, 2, 0)))
    with pytest.raises(Difference, match="have the chained hash"):
        verify(refused)
    chained = replace(refused, chain=chain_of(refused))
    assert decode_replay(encode(chained)) == chained
    end = ReplayFrame.FromString(unpack(encode(replay))[2]).end
    assert (list(end.refusals), list(end.first_faults)) == ([], [])


def test_times_and_notes_are_held_by_the_chain(replay: Replay) -> None:
    for changed in (choices(replay, 3, charged_ms=999), choices(replay, 3, note="planted")):
        with pytest.raises(Difference, match="have the chained hash"):
            verify(changed)


def test_a_changed_file_is_told_in_words() -> None:
    stored = bytearray(encode_replay(short_match(0)))
    stored[100] ^= 1
    with pytest.raises(Difference, match="is not as it was written"):
        verify_stored(bytes(stored))


# -- retirement


def retired_match(seat: int) -> Replay:
    """A match in which a seat is at fault once and retired from then on."""
    plain = replay_of(played_match(2, seats=3, options=SHORT))
    faults: dict[int, Any] = {}
    while True:
        report = played_match(2, seats=3, options=SHORT, faults=faults, retired=(seat,) if faults else ())
        turns = [one for one in report.record if isinstance(one, Played)]
        wanted = {
            number: "timeout" if number == min(n for n, t in enumerate(turns) if t.seat == seat) else "retired"
            for number, one in enumerate(turns)
            if one.seat == seat
        }
        if wanted == faults:
            assert plain.end.ranks != report.outcome.ranks or report.outcome.ranks[seat] == 3
            return replay_of(report)
        faults = wanted


def test_a_retired_seat_ranks_last() -> None:
    replay = retired_match(1)
    verify(replay)
    assert replay.end.ranks[1] == 3
    assert "result: ranks by the rules" in found(
        replace(replay, end=replace(replay.end, ranks=(*replay.end.ranks[1:], replay.end.ranks[0])))
    )


def test_retirement_cannot_be_left_out_or_invented() -> None:
    replay = retired_match(1)
    kept = replace(replay, end=replace(replay.end, retired=()))
    assert "but seats [1] were retired in the match" in found(kept)
    first = next(place for place, choice in enumerate(replay.choices) if choice.fault == "timeout")
    assert "the seat is said to be retired, but was never at fault" in found(choices(replay, first, fault="retired"))
    later = [place for place, choice in enumerate(replay.choices) if choice.fault == "retired"]
    assert "the seat plays on, though retired since decision" in found(choices(replay, later[-1], fault="timeout"))


def test_a_replay_of_another_writer_is_the_same(replay: Replay) -> None:
    assert verify_stored(encode(replay))[0] == replay
