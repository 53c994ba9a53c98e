"""A match as text: everything is in it, and it fits the page."""

from dataclasses import replace

import pytest
from gavelport_server.archive.playback import Difference
from gavelport_server.archive.record import Replay
from gavelport_server.archive.replay import replay_of
from gavelport_server.archive.show import WIDTH, seat_names, shown
from gavelport_server.referee.report import SeatName
from rich.console import Console

from tests.archive.folder import SHORT
from tests.archive.play import played_match


def text(replay: Replay) -> str:
    console = Console(width=WIDTH, highlight=False, color_system=None)
    with console.capture() as capture:
        for piece in shown(replay):
            console.print(piece)
    return capture.get()


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_everything_stands_in_it_within_the_page(seats: int) -> None:
    replay = replay_of(played_match(5, seats=seats, notes={3: "bob wants tan, I think. " * 8}))
    lines = text(replay).splitlines()
    assert max(map(len, lines)) <= WIDTH
    numbers = [int(line[:5]) for line in lines if line[:5].strip().isdigit() and line.rstrip().endswith("ms")]
    assert numbers == list(range(1, len(replay.choices) + 1))
    turns = [line.split()[1] for line in lines if line.startswith("Turn ")]
    assert turns == [str(turn) for turn in range(1, len(turns) + 1)]
    whole = "\n".join(lines)
    assert replay.seed.hex() in whole
    assert replay.header.commitment in whole
    assert "│ bob wants tan" in whole
    assert "The end: " in whole
    for seat, name in enumerate(replay.header.seats):
        last = next(line for line in reversed(lines) if name.bot in line)
        assert last.split()[0] == str(replay.end.ranks[seat])
        assert last.split()[-1] == str(replay.end.totals[seat]).replace("-", "−")


def test_faults_and_changed_options_are_told() -> None:
    options = {"domestic_sale": True, **SHORT}
    whole = text(replay_of(played_match(2, seats=3, options=options, faults={4: "timeout"})))
    assert "at fault: timeout; this is the default" in whole
    assert "Options: supply_per_player 1, domestic_sale True, stall_rounds 2" in whole


def test_what_is_not_true_is_shown_up_to_there() -> None:
    replay = replay_of(played_match(5, seats=3))
    prefixes = (*replay.prefixes[:3], bytes(4), *replay.prefixes[4:])
    pieces = shown(replace(replay, prefixes=prefixes))
    seen: list[object] = []
    with pytest.raises(Difference, match="fingerprint after turn 4"):  # noqa: PT012  it shows until it cannot
        for piece in pieces:
            seen.append(piece)  # noqa: PERF402
    assert len(seen) > 10


def test_bots_of_one_name_are_told_apart() -> None:
    assert seat_names([SeatName("a", "1"), SeatName("b", "1"), SeatName("a", "2")]) == ["a/0", "b", "a/2"]
