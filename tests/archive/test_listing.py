"""The table of matches fits the screen, and what is copied from it stays whole."""

import io

import pytest
from gavelport_server.archive.listing import Listed, ListedSeat, listing_table
from rich.console import Console

LONG = "shipping_industrialist_of_the_north"
MATCH = Listed(
    match_id="fb1a9f7e571ee869b2a6",
    finished_at="2026-11-30T08:59:37+00:00",
    tournament="Cup",
    game="container@1",
    seats=(ListedSeat(LONG, "1", 1, 1190), ListedSeat("ann", "1", 2, -21)),
    end="two_colours",
    decisions=1234,
)


def lines(width: int) -> list[str]:
    screen = Console(file=io.StringIO(), width=width)
    screen.print(listing_table([MATCH], width))
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue().splitlines()


@pytest.mark.parametrize("width", [80, 100, 140])
def test_only_names_of_bots_are_cut(width: int) -> None:
    shown = lines(width)
    assert max(map(len, shown)) <= width
    first, second = shown[2:4]
    for whole in (MATCH.match_id, MATCH.game, " 1190 ", MATCH.end, str(MATCH.decisions)):
        assert whole in first
    assert "2 ann −21" in second
    assert (LONG in first) == (width == 140)
    assert ("2026-11-30 08:59" in first) == (width > 80)
