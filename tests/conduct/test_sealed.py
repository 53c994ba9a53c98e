"""In a sealed phase not a byte to a bidder depends on what the others answer, in which order, or when."""

from __future__ import annotations

from typing import Any

import pytest
import trio
from gavelport.v1 import referee_pb2 as pb
from gavelport_engine.container.actions import Bid
from gavelport_server.conduct.match import conduct_match

from tests.conduct.bots import Bot, Table, match_setup, send_answer


class SealedTable:
    """A match that is held at its first sealed phase: the bots that are asked wait for `release`."""

    def __init__(self) -> None:
        self.table = Table()
        self.asked: dict[int, pb.Decision] = {}
        self.bots = [Bot(self.table.connect(seat), decide=self._hold(seat)) for seat in range(4)]

    def _hold(self, seat: int) -> Any:
        def decide(bot: Bot, decision: pb.Decision) -> Any:
            if not decision.sealed:
                return bot.sample(decision)
            self.asked[seat] = decision
            return None

        return decide

    async def release(self, seat: int, amount: int) -> None:
        decision = self.asked.pop(seat)
        await send_answer(self.bots[seat].client, decision.match_id, decision.decision_id, Bid(amount))
        await trio.testing.wait_all_tasks_blocked()


async def watch(doings: list[tuple[int, int, float]], *, leak: bool = False) -> list[bytes]:
    """What the bidder with the lowest seat receives before its own answer, if the others bid so.

    A doing is the place of the bidder among the others, its amount, and the delay before it.
    """
    sealed = SealedTable()
    async with trio.open_nursery() as nursery:
        for bot in sealed.bots:
            nursery.start_soon(bot.play)
        for session in sealed.table.sessions:
            await session.wait_connected()
        nursery.start_soon(lambda: conduct_match(match_setup(max_rounds=100), sealed.table.sessions, reveal=True))
        await trio.testing.wait_all_tasks_blocked()  # it plays up to its first auction
        assert len(sealed.asked) == 3
        viewer, *others = sorted(sealed.asked)
        for place, amount, delay_s in doings:
            await trio.sleep(delay_s)
            await sealed.release(others[place], amount)
            if leak:
                sealed.table.sessions[viewer].send(b"")
                await trio.testing.wait_all_tasks_blocked()
        seen = list(sealed.bots[viewer].received)
        await sealed.release(viewer, 0)
        nursery.cancel_scope.cancel()
    return seen


DOINGS: list[list[tuple[int, int, float]]] = [
    [(0, 0, 0.0)],
    [(1, 0, 0.0)],
    [(0, 1, 0.5)],
    [(1, 2, 2.0)],
]


@pytest.mark.parametrize("doings", DOINGS)
async def test_not_a_byte_tells_of_a_sealed_answer(
    doings: list[tuple[int, int, float]], autojump_clock: trio.testing.MockClock
) -> None:
    assert await watch(doings) == await watch([])


@pytest.mark.parametrize("doings", [[(0, 1, 0.5), (1, 0, 0.5)], [(1, 2, 2.0), (0, 3, 0.1)]])
async def test_nor_when_only_the_viewer_is_waited_for(
    doings: list[tuple[int, int, float]], autojump_clock: trio.testing.MockClock
) -> None:
    assert await watch(doings) == await watch([])


async def test_a_byte_that_tells_is_caught(autojump_clock: trio.testing.MockClock) -> None:
    assert await watch(DOINGS[0], leak=True) != await watch([])
