"""The queues between the two threads, without threads: who is woken, and when."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import trio
from gavelport_server.transport.crossing import TwoThreads


class Sleeper:
    """Stands for either thread: keeps what it is woken for until it is let run."""

    def __init__(self) -> None:
        self.wakes: list[Callable[[], None]] = []
        self.is_over = False

    def run_sync_soon(self, wake: Callable[[], None]) -> None:
        if self.is_over:
            raise trio.RunFinishedError
        self.wakes.append(wake)

    call_soon_threadsafe = run_sync_soon

    def work(self) -> None:
        wakes, self.wakes = self.wakes, []
        for wake in wakes:
            wake()


def crossing() -> tuple[TwoThreads, Sleeper, Sleeper]:
    in_trio, in_asyncio = Sleeper(), Sleeper()
    token, loop = cast("trio.lowlevel.TrioToken", in_trio), cast("asyncio.AbstractEventLoop", in_asyncio)
    return TwoThreads(token, loop), in_trio, in_asyncio


def both_ways() -> list[tuple[Callable[..., None], Sleeper]]:
    queues, in_trio, in_asyncio = crossing()
    return [(queues.to_trio, in_trio), (queues.to_asyncio, in_asyncio)]


def test_a_burst_wakes_the_other_side_once_and_arrives_in_order() -> None:
    for post, side in both_ways():
        made: list[int] = []
        for number in range(5):
            post(made.append, number)
        assert len(side.wakes) == 1
        assert made == []
        side.work()
        assert made == [0, 1, 2, 3, 4]


def test_a_call_that_comes_while_draining_wakes_anew_and_is_not_left_lying() -> None:
    for post, side in both_ways():
        made: list[str] = []

        def first(post: Any = post, made: list[str] = made) -> None:
            made.append("first")
            post(made.append, "second")

        post(first)
        side.work()
        assert made == ["first"]
        assert len(side.wakes) == 1
        side.work()
        assert made == ["first", "second"]
        assert side.wakes == []


def test_what_comes_after_the_end_of_trio_is_dropped() -> None:
    queues, in_trio, _ = crossing()
    in_trio.is_over = True
    made: list[int] = []
    queues.to_trio(made.append, 1)
    queues.to_trio(made.append, 2)
    assert made == []
