import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from gavelport_server.referee import diagram
from gavelport_server.referee.codes import Code
from gavelport_server.referee.commands import Refuse
from gavelport_server.referee.core import MAX_FAULTS, TRIES
from gavelport_server.referee.states import (
    DUTIES,
    PRESENCES,
    VERDICTS,
    Aim,
    Duty,
    Happening,
    Presence,
    Sighting,
    TransitionError,
    Verdict,
    follow,
)

from tests.referee.tables import Table, of

ROOT = Path(__file__).resolve().parents[2]


def duty(table: Table, seat: int) -> Duty:
    return table.core._seats[seat].duty


def presence(table: Table, seat: int) -> Presence:
    return table.core._seats[seat].presence


def in_duty(wanted: Duty) -> tuple[Table, int]:
    """A table, and a seat of it in some duty, that has answered one decision and was asked a second if it can be."""
    table = Table(rounds=9)
    table.answer(0)  # picks
    table.answer(1)
    table.answer(2)  # both have guessed; seat 1 picks
    if wanted is Duty.IDLE:
        return table, 0
    if wanted is Duty.ASKED:
        return table, 1
    if wanted is Duty.ANSWERED:
        table.answer(1)
        table.answer(2)  # guesses, and waits for seat 0
        return table, 2
    table.retire(2)
    return table, 2


@pytest.mark.parametrize("wanted", Duty)
def test_every_duty_is_reached(wanted: Duty) -> None:
    table, seat = in_duty(wanted)
    assert duty(table, seat) is wanted


# How each row of DUTIES comes about, from a table and a seat in the row's first state.
HOW: dict[tuple[Duty, Happening], Callable[[Table, int], object]] = {
    (Duty.IDLE, Happening.OPEN): lambda table, _: table.answer(1),  # seat 1 picks, the others guess
    (Duty.ASKED, Happening.REFUSE): lambda table, seat: table.answer(seat, 7),
    (Duty.ASKED, Happening.TAKE): lambda table, seat: (table.answer(seat), table.answer(0)),
    (Duty.ASKED, Happening.DEFAULT): lambda table, seat: table.take(table.core.gone(seat, table.now)),
    (Duty.ANSWERED, Happening.CLOSE): lambda table, _: table.answer(0),
    (Duty.RETIRED, Happening.OPEN): lambda table, _: table.play_out(),
    (Duty.RETIRED, Happening.CLOSE): lambda table, _: table.play_out(),
    (Duty.IDLE, Happening.RETIRE): lambda table, seat: table.retire(seat),
}


@pytest.mark.parametrize("row", DUTIES)
def test_every_row_of_the_duties_comes_about(row: tuple[Duty, Happening]) -> None:
    table, seat = in_duty(row[0])
    moves: list[tuple[Duty, Happening]] = []
    watched = table.core._seats[seat]
    happen = type(watched).happen

    def seen(self: object, happening: Happening) -> None:
        if self is watched:
            moves.append((watched.duty, happening))
        happen(watched if self is watched else self, happening)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(watched), "happen", seen)
        HOW[row](table, seat)
    assert row in moves


def test_a_seat_is_retired_when_a_step_with_its_last_fault_has_closed() -> None:
    table = Table(rounds=20)
    table.retire(2)
    figures = table.core._seats[2].figures()
    assert figures.faults == (("timeout", MAX_FAULTS),)
    report = table.play_out()
    assert report.retired == (2,)
    assert report.outcome.ranks[2] == 3


def test_what_no_table_has_is_a_bug_of_ours() -> None:
    for state, move in itertools.product(Duty, Happening):
        if (state, move) not in DUTIES:
            with pytest.raises(TransitionError):
                follow(DUTIES, state, move)
    for presence_, sighting in itertools.product(Presence, Sighting):
        if (presence_, sighting) not in PRESENCES:
            with pytest.raises(TransitionError):
                follow(PRESENCES, presence_, sighting)


@pytest.mark.parametrize(("row", "after"), PRESENCES.items())
def test_every_row_of_the_presences(row: tuple[Presence, Sighting], after: Presence) -> None:
    table = Table()
    before, sighting = row
    if before is Presence.AWAY:
        table.core.lost(1, table.now)
    assert presence(table, 1) is before
    inputs = {
        Sighting.LOST: table.core.lost,
        Sighting.BACK: table.core.back,
        Sighting.LEFT: table.core.gone,
    }
    inputs[sighting](1, table.now)
    assert presence(table, 1) is after


@pytest.mark.parametrize(("row", "verdict"), VERDICTS.items())
def test_every_row_of_the_verdicts(row: tuple[Duty, Aim], verdict: Verdict) -> None:
    wanted, aim = row
    table, seat = in_duty(wanted)
    latest = table.core._seats[seat].decision_id
    assert latest >= 1
    if latest == 1 and aim is Aim.EARLIER:  # have it asked a second one, and come back to the duty
        table = Table(rounds=9)
        for _ in range(4):
            for each in table.open():
                table.answer(each)
        seat = {Duty.IDLE: 1, Duty.ASKED: 2}[wanted]
        latest = table.core._seats[seat].decision_id
    assert duty(table, seat) is wanted
    decision_id = {Aim.LATEST: latest, Aim.EARLIER: latest - 1, Aim.NEVER_ASKED: latest + 1}[aim]
    before = table.core._seats[seat].tries_left, duty(table, seat)

    commands = table.answer(seat, 7, decision_id)  # 7 is refused even where it is judged

    (refuse,) = of(Refuse, commands)
    expected: dict[Verdict, set[str]] = {
        Verdict.JUDGE: {"seven"},
        Verdict.PAST: {Code.ALREADY_ANSWERED, Code.TOO_LATE},
        Verdict.WRONG: {Code.WRONG_DECISION},
        Verdict.RETIRED: {Code.RETIRED},
    }
    assert refuse.code in expected[verdict]
    assert refuse.decision_id == decision_id
    if verdict is Verdict.JUDGE:
        assert refuse.tries_left == TRIES - 1
    else:
        assert (table.core._seats[seat].tries_left, duty(table, seat)) == before


@pytest.mark.parametrize("decision_id", [0, -1, 1 << 63])
def test_a_decision_id_that_never_was(decision_id: int) -> None:
    table = Table()
    (refuse,) = of(Refuse, table.answer(0, 1, decision_id))
    assert refuse.code == Code.WRONG_DECISION


def test_a_match_starts_once() -> None:
    table = Table()
    with pytest.raises(TransitionError):
        table.core.start(1.0)


def test_the_document_is_drawn_from_the_tables() -> None:
    assert (ROOT / "docs/referee-states.md").read_text("utf-8") == diagram.document()


def test_a_document_that_lags_behind_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    more = {**PRESENCES, (Presence.GONE, Sighting.BACK): Presence.HERE}
    monkeypatch.setattr(diagram, "PRESENCES", more)
    assert (ROOT / "docs/referee-states.md").read_text("utf-8") != diagram.document()
