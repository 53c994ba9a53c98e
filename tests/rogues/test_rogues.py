"""Every kind of rogue costs itself, and nobody else: its match is the one that a bot without fault would have made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import trio
from gavelport_server.archive.record import Choice, Replay
from gavelport_server.referee.report import SeatFigures

from tests.rogues.arena import CLOCK, HONEST, SEATS, Duel, play_duels, processes_inside
from tests.rogues.bots.kinds import KINDS
from tests.rogues.control import Script, differences

SLACK_S = 30.0
"""What a busy machine may add to a match; a rogue that holds up the server would hold it up for good."""

QUICK = (
    "never_connects",
    "does_not_start",
    "crashes_later",
    "hangs",
    "answers_late",
    "sends_junk",
    "sends_huge",
    "plays_illegally",
    "answers_old_decisions",
    "answers_elsewhere",
    "answers_twice",
    "floods",
    "never_reads",
    "disconnects_in_auction",
    "reconnects",
    "is_two",
    "leaves_grandchildren",
)
"""Those that are played whenever tests are run; the long tests play them all."""
PLACES = {kind: number % SEATS for number, kind in enumerate(KINDS)}


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rogues")


@pytest.fixture(scope="module")
def duels(arena: Path) -> dict[str, Duel]:
    return trio.run(lambda: play_duels([(kind, PLACES[kind]) for kind in QUICK], arena))


def check(kind: str, duel: Duel) -> None:
    """Check all that is promised of a rogue's match."""
    assert differences(duel.rogue.replay, duel.control.replay, duel.seat) == []
    assert duel.rogue.was_there != KINDS[kind].never_there
    report, control = duel.rogue.report, duel.control.report
    for seat, (figures, as_control) in enumerate(zip(report.figures, control.figures, strict=True)):
        if seat != duel.seat:
            assert (figures.faults, figures.refusals) == ((), 0)
            # No more than a busy machine explains: a rogue does not live on the others' clocks.
            assert figures.charged_ms <= as_control.charged_ms + 50 * figures.decisions
    blamed = report.figures[duel.seat]
    if (reason := KINDS[kind].reason) is not None:
        first_fault = blamed.first_fault
        assert (first_fault.split(": ")[1] if first_fault else "") == reason, first_fault
    assert report.retired in ((), (duel.seat,))
    # As long as its clock has it waited for, and no longer.
    waited_ms = blamed.charged_ms + blamed.decisions * CLOCK.allowance_ms
    assert waited_ms <= CLOCK.bank_ms + blamed.decisions * (CLOCK.increment_ms + CLOCK.allowance_ms)
    assert blamed.slowest_ms <= CLOCK.cap_ms
    assert duel.rogue.seconds <= waited_ms / 1000 + SLACK_S


@pytest.mark.parametrize("kind", QUICK)
def test_a_rogue_costs_nobody_else_anything(duels: dict[str, Duel], kind: str) -> None:
    check(kind, duels[kind])


def test_honest_bots_act_in_these_matches(duels: dict[str, Duel]) -> None:
    for duel in duels.values():
        figures = [one for seat, one in enumerate(duel.rogue.report.figures) if seat != duel.seat]
        assert len(figures) == len(HONEST)
        assert min(one.decisions for one in figures) > 10


@pytest.mark.usefixtures("duels")
def test_no_process_is_left(arena: Path) -> None:
    assert processes_inside(arena) == []


@pytest.mark.long
@pytest.mark.parametrize("turned", [1, 2])
def test_no_kind_on_any_seat_costs_anybody_else_anything(tmp_path: Path, turned: int) -> None:
    """All kinds twice, on seats other than above."""
    rogues = [(kind, (place + turned) % SEATS) for kind, place in PLACES.items()]
    for kind, duel in trio.run(lambda: play_duels(rogues, tmp_path)).items():
        print(kind, duel.rogue.report.figures[duel.seat])
        check(kind, duel)
    assert processes_inside(tmp_path) == []


# -- what these checks are worth: each finds its planted fault


def swapped(values: tuple[int, ...], seat: int) -> tuple[int, ...]:
    """Exchange what the first two honest seats have, or set one apart where that is the same."""
    one, other = [each for each in range(SEATS) if each != seat][:2]
    changed = list(values)
    changed[one], changed[other] = changed[other], changed[one]
    if tuple(changed) == values:
        changed[one] += 1
    return tuple(changed)


def with_choice(replay: Replay, number: int, choice: Choice) -> Replay:
    choices = list(replay.choices)
    choices[number] = choice
    return replace(replay, choices=tuple(choices))


def test_a_tampered_replay_is_found(duels: dict[str, Duel]) -> None:
    duel = duels["crashes_later"]
    rogue, control, seat = duel.rogue.replay, duel.control.replay, duel.seat
    by_default = next(number for number, choice in enumerate(rogue.choices) if choice.fault is not None)
    first, second = control.choices[:2]
    planted = {
        "money: ": replace(control, end=replace(control.end, totals=swapped(control.end.totals, seat))),
        "order of the honest seats: ": replace(
            control, end=replace(control.end, ranks=swapped(control.end.ranks, seat))
        ),
        "end: ": replace(control, end=replace(control.end, end="planted")),
        "checkpoints: ": replace(control, prefixes=control.prefixes[:-1]),
        "final position: ": replace(control, fingerprint=bytes(32)),
        "control: ": with_choice(control, by_default, replace(control.choices[by_default], fault="timeout")),
        "no match of these rules: ": replace(control, choices=control.choices[:-1]),
    }
    for words, replay in planted.items():
        found = differences(rogue, replay, seat)
        assert len(found) == 1
        assert found[0].startswith(words)
    assert first.action != second.action
    assert differences(rogue, with_choice(control, 0, second), seat)


def test_who_was_slow_at_fault_or_retired_is_no_difference(duels: dict[str, Duel]) -> None:
    duel = duels["hangs"]
    assert duel.rogue.replay.end.retired == (duel.seat,)
    assert duel.control.replay.end.retired == ()
    assert sum(one.charged_ms for one in duel.rogue.replay.choices) > CLOCK.bank_ms
    assert sum(one.fault == "timeout" for one in duel.rogue.replay.choices) == 5
    assert differences(duel.rogue.replay, duel.control.replay, duel.seat) == []


def skip_one(script: Script) -> Script:
    """Leave out the first action that is followed by another one."""
    at = next(at for at in range(len(script) - 1) if script[at] != script[at + 1])
    return [*script[:at], *script[at + 1 :], None]


def play_one_otherwise(script: Script) -> Script:
    """Play the default in place of the first action that is none: a pass, which ends the turn."""
    at = next(at for at, action in enumerate(script) if action is not None and action["type"] != "pass")
    return [*script[:at], None, *script[at + 1 :]]


@pytest.mark.parametrize("edit", [skip_one, pytest.param(play_one_otherwise, marks=pytest.mark.long)])
def test_a_control_that_does_something_else_is_found(tmp_path: Path, edit: Callable[[Script], Script]) -> None:
    duel = trio.run(lambda: play_duels([("behaves", 1)], tmp_path, tables=1, edit=edit))["behaves"]
    found = differences(duel.rogue.replay, duel.control.replay, duel.seat)
    assert any("against decision" in difference for difference in found), found
    with pytest.raises(AssertionError):
        check("behaves", duel)


def test_a_rogue_that_costs_others_something_is_found(duels: dict[str, Duel]) -> None:
    duel = duels["crashes_later"]
    honest = (duel.seat + 1) % SEATS
    figures = list(duel.rogue.report.figures)
    for planted in (
        {"faults": (("timeout", 1),)},
        {"refusals": 1},
        {"charged_ms": duel.control.report.figures[honest].charged_ms + 51 * figures[honest].decisions},
    ):
        changed = [*figures]
        changed[honest] = replace(figures[honest], **planted)
        with pytest.raises(AssertionError):
            check("crashes_later", with_figures(duel, changed))
    changed = [*figures]
    most_ms = CLOCK.bank_ms + figures[duel.seat].decisions * CLOCK.increment_ms
    changed[duel.seat] = replace(figures[duel.seat], charged_ms=most_ms + 1)
    with pytest.raises(AssertionError):
        check("crashes_later", with_figures(duel, changed))
    check("crashes_later", with_figures(duel, figures))


def with_figures(duel: Duel, figures: Sequence[SeatFigures]) -> Duel:
    report = replace(duel.rogue.report, figures=tuple(figures))
    return replace(duel, rogue=replace(duel.rogue, report=report))
