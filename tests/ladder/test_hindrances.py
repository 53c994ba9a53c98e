"""When bots that get no matches for now may play again."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import Self

import pytest
from gavelport_server.conduct.ladder import hindrances
from gavelport_server.conduct.ladder.queues import HOUR_S, Ledger


def test_the_next_match_of_a_bot_at_its_most_begins_when_one_is_an_hour_old() -> None:
    ledger = Ledger()
    for at in (10.0, 20.0, 30.0):
        ledger.add(("ann", "bob"), at)
    ledger.add(("bob", "cat"), 40.0)
    assert [ledger.free_at(bot, 3, 50.0) for bot in ("ann", "bob", "cat", "dan")] == [
        10.0 + HOUR_S,
        20.0 + HOUR_S,  # of four, the two that are oldest have to be over
        50.0,
        50.0,
    ]
    ledger.expire(10.0 + HOUR_S)
    assert ledger.free_at("ann", 3, 10.0 + HOUR_S) == 10.0 + HOUR_S


@pytest.mark.parametrize(
    ("left_s", "said"), [(0, "22:34 UTC"), (1, "22:35 UTC"), (60, "22:35 UTC"), (5400, "00:04 UTC")]
)
def test_the_clock_is_told_no_minute_too_early(monkeypatch: pytest.MonkeyPatch, left_s: float, said: str) -> None:
    class Stopped(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls(2030, 1, 1, 22, 34, tzinfo=tz)

    monkeypatch.setattr(hindrances, "datetime", Stopped)
    assert hindrances.clock_text(left_s) == said
