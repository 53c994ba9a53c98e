"""Whoever watches a running match sees each step whole, and sealed answers at their reveal only."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import trio
from gavelport_server.conduct.match import conduct_match
from gavelport_server.referee.report import MatchReport, Played

from tests.conduct.bots import Bot, Table, match_setup


async def watched(seed: int) -> tuple[MatchReport, list[int]]:
    """A match, and how long the record was whenever it was looked at."""
    table = Table()
    lengths: list[int] = []
    reports: list[MatchReport] = []
    async with trio.open_nursery() as nursery:
        for seat in range(4):
            nursery.start_soon(Bot(table.connect(seat)).play)
        for session in table.sessions:
            await session.wait_connected()

        def watch(record: Sequence[object]) -> None:
            lengths.append(len(record))

        setup = replace(match_setup(4), match_id=f"match-{seed}", seed=bytes([seed]) * 32)
        reports.append(await conduct_match(setup, table.sessions, reveal=True, watch=watch))
    return reports[0], lengths


async def test_sealed_answers_come_together(autojump_clock: trio.testing.MockClock) -> None:
    bids = 0
    for seed in range(10):
        report, lengths = await watched(seed)
        assert lengths == sorted(lengths)
        assert lengths[-1] == len(report.record)
        for start, end in zip([0, *lengths], lengths, strict=False):
            phases = Counter(one.phase for one in report.record[start:end] if isinstance(one, Played))
            if "bid" in phases:
                bids += 1
                assert phases["bid"] == 3
        if bids:
            return
    raise AssertionError("no auction was held")
