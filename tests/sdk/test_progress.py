"""What an author at a terminal is told of connection and matches, and that nobody else is."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable

import grpc
import pytest
from gavelport.v1 import referee_pb2 as wire
from gavelport_sdk import Bot, aio, runner
from gavelport_sdk.entry import Connection
from gavelport_sdk.errors import Exit
from gavelport_sdk.progress import Progress

from tests.sdk.played import EndError, Part, serving
from tests.sdk.script import Diary, Script, welcome


def play_sync(bot: type[Bot], server: Connection) -> Exit:
    return runner.play(bot, server, sleep=lambda _: None)


def play_async(bot: type[Bot], server: Connection) -> Exit:
    async def at_once(_: float) -> None:
        pass

    return asyncio.run(aio.play(bot, server, sleep=at_once))


Play = Callable[[type[Bot], Connection], Exit]


@pytest.fixture(params=[play_sync, play_async])
def play(request: pytest.FixtureRequest) -> Play:
    found: Play = request.param
    return found


def two_streams() -> tuple[Callable[[], Part], Callable[[], Part]]:
    """A match that goes on over a second stream, and another one that is void."""
    first, second = Script("m-1"), Script("m-2")

    def lost() -> Part:
        yield None
        yield welcome()
        yield first.start()
        raise EndError(grpc.StatusCode.UNAVAILABLE, "unplugged")

    def found() -> Part:
        yield None
        yield welcome(resumed=True)
        yield first.start()
        yield first.end()
        yield second.start()
        yield second.end(is_void=True)

    return lost, found


def told(play: Play) -> str:
    """Play two streams; return where the server was."""
    with serving(*two_streams()) as server:
        assert play(Diary, Connection(server.target, "secret")) is Exit.OVER
    return server.target


def test_an_author_at_a_terminal_sees_connection_and_ends(
    play: Play, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    target = told(play)
    seat = Script().seat
    assert capsys.readouterr().err.splitlines() == [
        f"connected to {target} as version 7 of the token's bot; waiting for matches (Ctrl-C ends the bot)",
        f"no connection to {target} (UNAVAILABLE: unplugged); trying again in 0.1 s",
        f"connected to {target} again",
        f"match m-1 is over: bot{seat} 1 has place {[1, 2, 2][seat]} of 3",
        "match m-2 counts for nothing, by a fault of the server",
    ]


def test_where_stderr_is_no_terminal_nothing_is_written(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    target = told(play)
    assert capsys.readouterr().err == f"no connection to {target} (UNAVAILABLE: unplugged); trying again in 0.1 s\n"


def test_what_is_not_known_is_left_out(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = Progress("here:1", "")
    progress.hear(welcome())
    progress.hear(wire.PlayResponse(match_start=wire.MatchStart(match_id="m", seat=1, seats=[wire.Seat(bot="b")] * 2)))
    progress.hear(wire.PlayResponse(match_end=wire.MatchEnd(match_id="m")))
    progress.hear(wire.PlayResponse(match_end=wire.MatchEnd(match_id="unheard-of", ranks=[1, 2])))
    assert capsys.readouterr().err.splitlines() == [
        "connected to here:1; waiting for matches (Ctrl-C ends the bot)",
        "match m is over",
        "match unheard-of is over",
    ]
