"""In a sealed step nothing of an answer reaches anyone before all are in: not its content, order, time, or number."""

from dataclasses import dataclass

import pytest
from gavelport_server.referee.commands import Command, Tell
from gavelport_server.referee.core import MatchCore
from hypothesis import given
from hypothesis import strategies as st

from tests.referee.tables import FULL_S, setup

SEATS = 5
Seen = list[tuple[float, Command]]


@dataclass(frozen=True)
class Say:
    """What a seat does in the sealed step, and when: an action, junk, or falling away and coming back."""

    at: float
    action: int | str


def watch(core: MatchCore, viewer: int, own: list[Say], others: dict[int, list[Say]]) -> Seen:
    """What the viewer is told in the sealed step until it closes, with the time of each command."""
    core.start(0.0)
    core.answer(0, 1, 5, "", 0.0)  # seat 0 picks; 1 to 4 guess, sealed
    step = core.step
    doings = [(say.at, viewer, say.action) for say in own]
    doings += [(say.at, seat, say.action) for seat, says in others.items() for say in says]
    seen: Seen = []
    for at, seat, action in sorted(doings, key=lambda doing: doing[:2]):
        if action == "lost":
            commands = core.lost(seat, at) + core.back(seat, at, 2)
        else:
            commands = core.answer(seat, 1, action, "", at)
        if core.step != step:
            break
        seen += [(at, command) for command in commands if getattr(command, "seat", None) == viewer]
    return seen


late = FULL_S - 0.01
times = st.floats(0.0, late)
actions = st.sampled_from([0, 1, 5, 9, 7, "junk", "lost"])
others_say = st.fixed_dictionaries({}, optional={seat: st.lists(st.builds(Say, times, actions)) for seat in (2, 3, 4)})


class Leaky(MatchCore):
    """A planted fault: tells the others that a seat has answered, with an empty message."""

    def answer(
        self, seat: int, decision_id: int, action: object, note: str, now: float, arrived: float | None = None
    ) -> list[Command]:
        commands = super().answer(seat, decision_id, action, note, now, arrived)
        return commands + [Tell(other, [], 0, self.step) for other in range(SEATS) if other != seat]


def told_the_same(kind: type[MatchCore], own: list[Say], one: dict[int, list[Say]], two: dict[int, list[Say]]) -> bool:
    # Seat 4's good answer comes last in both, so that the step stays open while the viewer is watched.
    last = {4: [Say(late, 3)]}
    quiet = {seat: [say for say in says if seat != 4 or say.action in (7, "lost")][:2] for seat, says in one.items()}
    other = {seat: [say for say in says if seat != 4 or say.action in (7, "lost")][:2] for seat, says in two.items()}
    views = [watch(kind(setup(SEATS)), 1, own, {**says, 4: says.get(4, []) + last[4]}) for says in (quiet, other)]
    return views[0] == views[1]


@given(st.lists(st.builds(Say, times, actions), max_size=3), others_say, others_say)
def test_what_a_seat_is_told_does_not_depend_on_the_others(
    own: list[Say], one: dict[int, list[Say]], two: dict[int, list[Say]]
) -> None:
    assert told_the_same(MatchCore, own, one, two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({2: [Say(0.5, 1)]}, {}),  # whether a seat has answered
        ({2: [Say(0.5, 1)]}, {2: [Say(0.6, 1)]}),  # when
    ],
)
def test_a_planted_leak_is_caught(one: dict[int, list[Say]], two: dict[int, list[Say]]) -> None:
    assert not told_the_same(Leaky, [], one, two)
    assert told_the_same(MatchCore, [], one, two)


def test_the_asks_go_out_together_and_the_reveal_at_once() -> None:
    core = MatchCore(setup(SEATS))
    core.start(0.0)
    asks = core.answer(0, 1, 5, "", 0.0)
    assert [getattr(ask, "seat", None) for ask in asks] == [1, 2, 3, 4]
    for seat in (3, 1, 4):
        assert core.answer(seat, 1, seat, "", 0.5) == []
    revealed = core.answer(2, 1, 2, "", 1.0)
    assert [getattr(each, "seat", None) for each in revealed] == [1]  # the next to pick is asked, all others wait
    assert core.state.sums == [5, 1, 2, 3, 4]
