from __future__ import annotations

import trio
from gavelport_server.conduct.match import conduct_match
from gavelport_server.referee.report import MatchReport, Played

from tests.conduct.bots import CONTAINER, Bot, Table, match_setup


async def play(table: Table, bots: list[Bot], seats: int = 4, *, reveal: bool = True) -> MatchReport:
    """One match between bots at a table."""
    reports: list[MatchReport] = []
    async with trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(bot.play)
        for session in table.sessions:
            await session.wait_connected()
        reports.append(await conduct_match(match_setup(seats), table.sessions, reveal=reveal))
    return reports[0]


async def test_four_bots_play_a_match_to_its_end(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()
    bots = [Bot(table.connect(seat)) for seat in range(4)]
    report = await play(table, bots)

    played = [each for each in report.record if isinstance(each, Played)]
    assert len(played) > 50
    assert all(each.fault is None for each in played)
    assert sum(figures.decisions for figures in report.figures) == len(played)
    setup = match_setup()
    state = CONTAINER.initial_state(setup.options, setup.seed)
    for each in played:
        CONTAINER.apply_in_place(state, {each.seat: each.action}, None)
    assert CONTAINER.outcome(state) == report.outcome
    for bot in bots:
        assert bot.end is not None
        assert list(bot.end.ranks) == list(report.outcome.ranks)
        assert bot.end.reveal.seed == setup.seed
