"""What a server answered, on screens of 80 and 120 columns: within them, ids whole, nothing taken for markup."""

from __future__ import annotations

import pytest
from gavelport.v1 import admin_pb2, ladder_pb2, lobby_pb2
from gavelport_server.cli.remote_tables import (
    actions_table,
    bot_faults_table,
    bots_table,
    history_table,
    ladders_table,
    standings_caption,
    standings_table,
)
from rich.console import Console
from rich.table import Table

MATCH = "06e9e51860368e6d96b6"
LONG = "a_bot_with_a_long_name_that_goes_on_and_o"
AT = "2030-01-01T10:00:00+00:00"
FIT = ladder_pb2.RatingFit(rating=1689.2, low=1637, high=1764, rank_low=1, rank_high=2)


def printed(table: Table, width: int) -> str:
    screen = Console(width=width, highlight=False, no_color=True)
    with screen.capture() as captured:
        screen.print(table)
    text = captured.get()
    assert max(map(len, text.splitlines())) <= width
    return text


WIDTHS = pytest.mark.parametrize("width", [80, 120])


@WIDTHS
def test_standings(width: int) -> None:
    rows = [
        ladder_pb2.LadderStanding(
            rank=1, bot=LONG, version="1.0.0", owner="ann", elo=1653.4, matches=12_345, connected=True, fit=FIT,
            first_share=0.49, mean_total=21.44, faults=7, day_change=153.2,
        ),
        ladder_pb2.LadderStanding(bot="bee", version="2", elo=1400, matches=3, provisional=True, inactive=True,
                                  day_change=-0.2),
    ]  # fmt: skip
    text = printed(standings_table(rows, "money", width), width)
    for told in ("1653", "+153", "12,345", "1689", "1637–1764", "1400?", "●"):
        assert told in text
    assert [told in text for told in ("1–2", "49 %", "21.4")] == [width == 120] * 3


@WIDTHS
def test_reasons(width: int) -> None:
    pairs = [
        ladder_pb2.RatingPair(seat=seat, bot=bot, before=1500, scored=scored, expected=0.51)
        for seat, (bot, scored) in enumerate((("bee", 1.0), ("cow", 0.5), ("eel", 0.0)))
    ]
    change = ladder_pb2.RatingChange(match_id=MATCH, finished_at=AT, before=1500, after=1490, k=32, pairs=pairs)
    text = printed(history_table([change], width), width)
    for told in (MATCH, "1490", "−10", "before bee (1500), 0.51", "level with cow", "behind eel"):
        assert told in text
    assert ("2030-01-01 10:00" in text) == (width == 120)


@WIDTHS
def test_faults_bots_and_actions(width: int) -> None:
    fault = lobby_pb2.BotFault(
        match_id=MATCH, finished_at=AT, seat=2, version="1.0.0", faults={"illegal": 4, "timeout": 1}, retired=True,
        first_fault="decision 7: illegal (cannot_pay): [bold]the price[/] of 7 is more than the 4 that this seat has",
    )  # fmt: skip
    text = printed(bot_faults_table([fault], width), width)
    for told in (MATCH, "4 illegal, 1 timeout; retired", "[bold]the price[/]"):
        assert told in " ".join(text.split())
    bot = lobby_pb2.Bot(name=LONG, owner="ann", status="banned", reason="[x] stalls", pinned_version="1", version="1")
    assert "banned: [x] stalls" in " ".join(printed(bots_table([bot]), width).split())
    action = admin_pb2.AdminAction(at=AT, actor="dfc4e0ffb63e1f9f", action="void", subject=MATCH, reason="[a bug]")
    text = printed(actions_table([action], width), width)
    assert MATCH in text
    assert "[a bug]" in text
    assert ("dfc4e0ffb63e1f9f" in text) == (width == 120)


def test_ladders_and_what_is_to_be_known() -> None:
    text = printed(ladders_table([ladder_pb2.Ladder(name="main", game="container@1", seats=4, matches=1234)]), 80)
    assert "1,234" in text
    answer = ladder_pb2.GetStandingsResponse(total=300, standings=[ladder_pb2.LadderStanding()] * 100)
    assert standings_caption(answer).endswith("100 of 300 bots; --limit shows more.")
    answer = ladder_pb2.GetStandingsResponse(fitted_at=AT, fitted_matches=4000)
    assert "are from 4,000 matches, computed 2030-01-01 10:00 UTC." in standings_caption(answer)
