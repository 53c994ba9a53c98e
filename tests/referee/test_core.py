import math
import re
from pathlib import Path

import pytest
from gavelport_engine.game import Checkpoint
from gavelport_server.referee import codes, commands
from gavelport_server.referee.codes import Code
from gavelport_server.referee.commands import Ask, Begin, Finish, Refuse, Tell, Unreadable
from gavelport_server.referee.core import BACKLOG_EVENTS, MAX_FAULTS, MatchCore
from gavelport_server.referee.report import ClockSetting, MatchSetup, Played, SeatName

from tests.referee.tables import CLOCK, FULL_S, Table, of, setup
from tests.referee.toy import TOY, Options

ROOT = Path(__file__).resolve().parents[2]


def played(table: Table) -> list[Played]:
    return [each for each in table.core._record if isinstance(each, Played)]


# -- a match without a slip


def test_a_match_is_asked_played_and_recorded_in_order() -> None:
    table = Table(rounds=2)
    report = table.play_out()
    assert [(p.turn, p.seat, p.phase) for p in report.record if isinstance(p, Played)] == [
        (1, 0, "pick"),
        (1, 1, "guess"),
        (1, 2, "guess"),
        (2, 1, "pick"),
        (2, 0, "guess"),
        (2, 2, "guess"),
    ]
    assert [type(each) is Checkpoint for each in report.record].count(True) == 2
    assert isinstance(report.record[3], Checkpoint)
    assert report.outcome == TOY.outcome(table.core.state)
    assert report.retired == ()
    assert report.figures[0].first_fault == ""
    assert table.core.deadline() == math.inf


def test_every_seat_is_told_the_match_before_anything_is_asked() -> None:
    core = MatchCore(setup())
    core.lost(2, 0.0)
    started = core.start(0.0)
    assert started[:2] == [Begin(0), Begin(1)]
    assert [type(each) for each in started[2:]] == [Ask]


def test_every_ask_carries_the_clock() -> None:
    table = Table()
    ask = table.asked[0]
    assert (ask.time_ms, ask.bank_ms, ask.charged_ms) == (2_100, 10_100, 0)
    table.now = 0.6
    table.answer(0)
    for _ in range(2):
        for seat in table.open():
            table.answer(seat)
    ask = table.asked[0]
    assert (ask.time_ms, ask.bank_ms, ask.charged_ms) == (2_100, 10_100 - 500 + 100, 500)


def test_a_busy_server_costs_no_bot_its_time() -> None:
    table = Table()
    table.take(table.core.answer(0, 1, 3, "", now=3.0, arrived=0.5))  # read late, but it came in time
    assert played(table)[0].charged_ms == 400
    assert played(table)[0].fault is None
    assert table.core.deadline() == pytest.approx(3.0 + FULL_S)  # the next clocks run from when they were asked


def test_notes_are_kept_with_the_decision() -> None:
    table = Table()
    table.answer(0, 3, note="I think so")
    assert played(table)[0].note == "I think so"


# -- answers that cannot be taken


@pytest.mark.parametrize(
    ("action", "code", "reason"),
    [
        (7, "seven", "illegal"),
        (99, "number", "illegal"),
        ("junk", "number", "illegal"),
        (Unreadable(Code.UNREADABLE, "no action"), Code.UNREADABLE, "unreadable"),
        (Unreadable(Code.NOTE_TOO_LONG, "too long"), Code.NOTE_TOO_LONG, "unreadable"),
    ],
)
def test_three_tries_and_then_the_default(action: object, code: str, reason: str) -> None:
    table = Table()
    table.now = 0.5
    refusals = []
    for tries_left in (2, 1):
        commands = table.answer(0, action)
        (refuse,) = commands
        assert isinstance(refuse, Refuse)
        refusals.append(refuse)
        assert (refuse.code, refuse.tries_left, refuse.time_ms) == (code, tries_left, 1_600)
    refuse, *asks = table.answer(0, action)
    assert isinstance(refuse, Refuse)
    assert (refuse.code, refuse.tries_left, refuse.time_ms) == (code, 0, 0)
    assert [type(each) for each in asks] == [Ask, Ask]
    (one,) = played(table)
    assert (one.action, one.fault, one.charged_ms) == (0, reason, 400)
    figures = table.core._seats[0].figures()
    assert (figures.refusals, figures.faults) == (3, ((reason, 1),))
    assert figures.first_fault.startswith(f"decision 1: {reason}: {code}: ")


def test_a_good_answer_after_bad_ones_is_taken() -> None:
    table = Table()
    table.answer(0, 7)
    table.answer(0, "junk")
    table.answer(0, 5)
    (one,) = played(table)
    assert (one.action, one.fault) == (5, None)
    assert table.core._seats[0].figures().refusals == 2
    assert table.core._seats[0].faults == 0


def test_tries_are_counted_anew_for_each_decision() -> None:
    table = Table()
    for seat in (0, 1, 2):
        table.answer(seat, 7)
        table.answer(seat, 7)
        table.answer(seat, 1)
    assert all(one.fault is None for one in played(table))


def test_a_duplicate_is_harmless() -> None:
    table = Table()
    table.answer(0, 3)
    before = table.core._seats[1].decision_id, list(table.open())
    (refuse,) = table.answer(0, 4, 1)
    assert isinstance(refuse, Refuse)
    assert refuse.code == Code.ALREADY_ANSWERED
    assert (table.core._seats[1].decision_id, table.open()) == before
    assert table.core.state.picked == 3


def test_an_answer_after_the_default_is_too_late() -> None:
    table = Table()
    table.wait(FULL_S)
    (refuse,) = table.answer(0, 4, 1)
    assert isinstance(refuse, Refuse)
    assert refuse.code == Code.TOO_LATE


# -- time


def test_the_deadline_is_known_and_kept() -> None:
    table = Table()
    assert table.core.deadline() == pytest.approx(FULL_S)
    assert table.wait(FULL_S - 0.001) == []
    refuse, *asks = table.wait(0.001)
    assert isinstance(refuse, Refuse)
    assert (refuse.code, refuse.tries_left) == (Code.TIMEOUT, 0)
    assert [type(each) for each in asks] == [Ask, Ask]
    assert (played(table)[0].fault, played(table)[0].charged_ms) == ("timeout", 2_000)


def test_an_answer_that_comes_too_late_finds_the_default_played_even_before_a_tick() -> None:
    table = Table()
    table.now = FULL_S
    commands = table.answer(0, 4)
    assert [command.code for command in of(Refuse, commands, 0)] == [Code.TIMEOUT, Code.TOO_LATE]
    assert played(table)[0].action == 0


def test_one_seat_out_of_time_makes_the_others_wait_no_longer() -> None:
    table = Table()
    table.answer(0)
    table.answer(1)
    table.wait(FULL_S)
    assert [(p.seat, p.fault) for p in played(table)] == [(0, None), (1, None), (2, "timeout")]


def test_clocks_of_one_step_run_out_each_on_its_own() -> None:
    table = Table(clock=ClockSetting(bank_ms=1_000, increment_ms=0, cap_ms=1_000, allowance_ms=0))
    table.now = 0.9
    table.answer(0)  # 100 ms left
    table.answer(1)
    table.answer(2)
    table.answer(1)  # seat 1 picks again; 0 and 2 guess
    assert table.core.deadline() == pytest.approx(1.0)
    (refuse,) = table.wait(0.1)
    assert isinstance(refuse, Refuse)
    assert refuse.seat == 0
    assert table.core.deadline() == pytest.approx(1.9)
    assert table.open() == [2]


# -- a seat that is not there


def test_a_seat_that_is_away_is_asked_nothing_and_its_clock_runs() -> None:
    table = Table()
    table.core.lost(0, 0.5)
    table.wait(FULL_S)
    assert (played(table)[0].fault, played(table)[0].charged_ms) == ("disconnected", 2_000)
    assert of(Refuse, table.told[0]) == []


def test_a_seat_that_returns_is_told_all_and_goes_on() -> None:
    table = Table()
    table.core.lost(2, 0.0)
    table.answer(0, 5)
    assert 2 not in table.asked
    table.now = 1.0
    begin, tell, ask = table.take(table.core.back(2, 1.0, 0))
    assert begin == Begin(2)
    assert isinstance(tell, Tell)
    assert [event.kind for event in tell.events] == ["round", "picked"]
    assert (tell.last_event, tell.is_return) == (2, True)
    assert isinstance(ask, Ask)
    assert (ask.decision_id, ask.time_ms, ask.events, ask.last_event) == (1, 1_100, [], 2)
    table.answer(2, 4)
    table.answer(1, 4)
    assert all(one.fault is None for one in played(table))


def test_a_returning_seat_is_told_only_what_it_missed() -> None:
    table = Table()
    table.answer(0, 5)
    table.answer(1)
    table.core.lost(0, 0.0)
    table.answer(2)
    commands = table.take(table.core.back(0, 0.0, 3))
    (tell,) = of(Tell, commands)
    assert [event.kind for event in tell.events] == ["reveal", "round"]
    assert tell.last_event == 5


@pytest.mark.parametrize("claimed", [-1, 3, 10_000])
def test_a_claim_to_events_that_were_never_sent_is_refused(claimed: int) -> None:
    table = Table()
    table.answer(0)
    refuse = of(Refuse, table.take(table.core.back(1, 0.0, claimed)))[0]
    assert refuse.code == Code.UNKNOWN_EVENT
    (tell,) = of(Tell, table.told[1])
    assert [event.kind for event in tell.events] == ["round", "picked"]


def test_a_seat_that_is_gone_plays_by_default_at_once() -> None:
    table = Table(rounds=12)
    commands = table.take(table.core.gone(0, 0.3, "it was killed"))
    assert [ask.seat for ask in of(Ask, commands)] == [1, 2]
    assert (played(table)[0].fault, played(table)[0].charged_ms) == ("disconnected", 200)
    report = table.play_out()
    own = [p for p in report.record if isinstance(p, Played) and p.seat == 0]
    assert [p.fault for p in own[:MAX_FAULTS]] == ["disconnected"] * MAX_FAULTS
    assert {p.fault for p in own[MAX_FAULTS:]} == {"retired"}
    assert report.retired == (0,)
    assert report.figures[0].decisions == MAX_FAULTS
    assert report.figures[0].first_fault == "decision 1: disconnected: it was killed"
    assert report.outcome.ranks[0] == 3


def test_a_match_of_nobody_ends_by_defaults() -> None:
    table = Table(start=False)
    for seat in range(3):
        table.core.gone(seat, 0.0)
    (finish,) = table.core.start(0.0)
    assert isinstance(finish, Finish)
    assert finish.report.outcome.totals == (0, 0, 0)


# -- faults and retirement


def test_a_retired_seat_is_asked_nothing_more_and_ranks_below_all() -> None:
    table = Table(rounds=30)
    table.retire(1)
    asked = len(of(Ask, table.told[1]))
    report = table.play_out()
    assert len(of(Ask, table.told[1])) == asked
    assert report.retired == (1,)
    assert report.outcome.ranks[1] == 3
    assert report.figures[1].decisions == MAX_FAULTS
    tail = [p for p in report.record if isinstance(p, Played) and p.seat == 1][MAX_FAULTS:]
    assert tail
    assert {(p.fault, p.action, p.charged_ms) for p in tail} == {("retired", 0, 0)}


def test_faults_of_one_seat_touch_no_other() -> None:
    table = Table(rounds=8)
    while table.core.report is None:
        for seat in table.open():
            if seat != 1:
                table.answer(seat, 2)
        if table.open() == [1]:
            table.wait(FULL_S)
    assert [figures.faults for figures in table.core.report.figures] == [(), (("timeout", MAX_FAULTS),), ()]
    assert {p.action for p in table.core.report.record if isinstance(p, Played) and p.seat != 1} == {2}


def test_first_fault_says_what_first_went_wrong() -> None:
    table = Table()
    table.wait(FULL_S)
    for seat in table.open():
        table.answer(seat)
    figures = table.core._seats[0].figures()
    assert figures.first_fault == "decision 1: timeout: no answer within 2100 ms; the default was played"


# -- events


def test_events_are_counted_and_come_with_the_next_decision() -> None:
    table = Table()
    assert [event.kind for event in table.asked[0].events] == ["round"]
    table.answer(0, 5)
    assert [event.kind for event in table.asked[1].events] == ["round", "picked"]
    assert table.asked[1].last_event == 2
    table.answer(1)
    table.answer(2)
    table.answer(1)
    assert [event.kind for event in table.asked[0].events] == ["picked", "own", "reveal", "round", "picked"]
    assert table.asked[0].last_event == 6  # its own event counts for it alone


def test_a_backlog_is_told_before_it_grows() -> None:
    table = Table(seats=3, rounds=200)
    table.retire(2)
    for _ in range(100):
        for seat in table.open():
            table.answer(seat)
    tells = of(Tell, table.told[2])
    assert len(tells) >= 2
    assert all(0 < len(tell.events) <= BACKLOG_EVENTS for tell in tells)
    assert not any(tell.is_return for tell in tells)


def test_all_events_are_told_before_the_end() -> None:
    table = Table()
    table.play_out()
    for seat in range(3):
        told = [event for each in table.told[seat] if isinstance(each, Ask | Tell) for event in each.events]
        assert told == table.core._seats[seat].events
        assert told[-1].kind == "over"


def test_inputs_after_the_end_do_nothing() -> None:
    table = Table(rounds=1)
    report = table.play_out()
    core = table.core
    assert core.answer(0, 1, 1, "", 9.0) == []
    assert core.tick(99.0) == core.lost(0, 9.0) == core.back(0, 9.0) == core.gone(1, 9.0) == []
    assert core.report is report


# -- what is ours


def test_names_must_fit_the_seats() -> None:
    with pytest.raises(ValueError, match="2 names for a game of 3 seats"):
        MatchCore(MatchSetup("m", TOY, Options(3), bytes(32), (SeatName("a", "1"),) * 2, CLOCK))


def test_every_code_has_a_meaning() -> None:
    assert set(codes.MEANINGS) == set(Code)
    assert all(meaning.endswith(".") for meaning in codes.MEANINGS.values())
    assert not set(Code) & set(TOY.fault_codes)


def test_commands_are_values() -> None:
    assert Begin(1) == Begin(1)
    with pytest.raises(AttributeError):
        commands.Begin(1).seat = 2  # type: ignore[misc]


# -- the document

CODE_ROW = re.compile(r"^\| `(\w+)` \| (.*?) \|$", re.MULTILINE)


def listed(document: str) -> dict[str, str]:
    """The codes that a document lists under the heading of the referee's own, with their meanings."""
    section = document.partition("### The referee's own")[2].partition("\n##")[0]
    return dict(CODE_ROW.findall(section))


def test_the_document_lists_every_code_with_its_meaning() -> None:
    assert listed((ROOT / "docs/protocol.md").read_text("utf-8")) == {str(c): m for c, m in codes.MEANINGS.items()}


def test_a_code_that_the_document_lacks_is_caught() -> None:
    document = (ROOT / "docs/protocol.md").read_text("utf-8")
    without = "\n".join(line for line in document.splitlines() if "| `too_late` |" not in line)
    assert "too_late" not in listed(without)
    assert listed(without) != {str(c): m for c, m in codes.MEANINGS.items()}
