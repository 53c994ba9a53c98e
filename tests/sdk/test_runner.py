"""Both runners over real gRPC: a match, lost streams, statuses and exit codes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
import pytest
import trustme
from gavelport.v1 import referee_pb2 as wire
from gavelport_engine.container.actions import Pass
from gavelport_sdk import aio, runner
from gavelport_sdk.channel import Backoff, Line, is_local
from gavelport_sdk.entry import Connection
from gavelport_sdk.errors import Exit
from gavelport_sdk.session import Session

from tests.sdk.played import EndError, Part, serving
from tests.sdk.script import CODEC, Diary, Script, notice, welcome

Play = Callable[[type[Diary], str, list[float]], Exit]
"""Runs a bot against a target; the waits between tries go into the list instead of being waited for."""


TRUST: dict[str, Any] = {}
"""What a test adds to its bots' connections."""


def play_sync(bot: type[Diary], target: str, waits: list[float]) -> Exit:
    return runner.play(bot, Connection(target, "secret", **TRUST), sleep=waits.append)


def play_async(bot: type[Diary], target: str, waits: list[float]) -> Exit:
    async def note(seconds: float) -> None:
        waits.append(seconds)

    return asyncio.run(aio.play(bot, Connection(target, "secret", **TRUST), sleep=note))


class Waiting(Diary):
    """Decides after giving others a turn."""

    async def decide(self, observation: Any) -> Any:
        await asyncio.sleep(0)
        return super().decide(observation)

    async def refused(self, refusal: Any) -> Any:
        await asyncio.sleep(0)
        return super().refused(refusal)


@pytest.fixture(params=["sync", "async", "async, waiting"])
def play(request: pytest.FixtureRequest) -> Play:
    Diary.all.clear()
    if request.param == "sync":
        return play_sync
    if request.param == "async":
        return play_async

    def play_waiting(bot: type[Diary], target: str, waits: list[float]) -> Exit:
        return play_async(Waiting if bot is Diary else bot, target, waits)

    return play_waiting


def answered(request: wire.PlayRequest, number: int) -> None:
    assert request.answer.decision_id == number
    assert CODEC.decode_action(request.answer.action) == Pass()


def test_a_match(play: Play) -> None:
    script = Script()

    def part() -> Part:
        hello = yield None
        assert hello.hello.games == ["container@1"]
        yield welcome()
        yield script.start()
        for number in (1, 2, 3):
            yield script.decision()
            answered((yield None), number)
            script.play(Pass())
        yield script.decision()
        yield None
        yield script.refused()
        answered((yield None), 4)
        yield script.refused("timeout", tries_left=0)
        yield wire.PlayResponse(heartbeat=wire.Heartbeat(number=5))
        yield script.end()

    waits: list[float] = []
    with serving(part) as server:
        assert play(Diary, server.target, waits) is Exit.OVER
    assert server.tokens == ["Bearer secret"]
    assert waits == []
    (bot,) = Diary.all
    assert bot.lines[-1] == "finish"
    assert [refusal.tries_left for refusal in bot.refusals] == [2, 0]
    assert bot.heard == script.events


def test_a_stream_lost_between_question_and_answer(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    """The match goes on where it was: the same instance, no event twice, the lost answer again."""
    script = Script()

    def first() -> Part:
        yield None
        yield welcome()
        yield script.start()
        yield script.decision()
        answered((yield None), 1)
        raise EndError(grpc.StatusCode.UNAVAILABLE, "unplugged")

    def refused() -> Part:
        yield None
        raise EndError(grpc.StatusCode.UNAVAILABLE)

    def second() -> Part:
        hello = (yield None).hello
        assert hello.session_token == "session-1"
        assert [(each.match_id, each.last_event) for each in hello.resume] == [("m-1", len(script.events))]
        yield welcome("session-2", resumed=True)
        yield script.start()
        yield script.tell()
        yield script.decision(is_again=True)
        answered((yield None), 1)
        script.play(Pass())
        yield script.decision()
        answered((yield None), 2)
        yield script.end()

    waits: list[float] = []
    with serving(first, refused, second) as server:
        assert play(Diary, server.target, waits) is Exit.OVER
    (bot,) = Diary.all
    assert bot.lines == ["start m-1", "events", "decide 1", "events", "decide 2", "finish"]
    assert bot.heard == script.events
    assert waits == [0.1, 0.1 if waits[1] == 0.1 else 0.2]
    assert (
        f"no connection to {server.target} (UNAVAILABLE: unplugged); trying again in 0.1 s" in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("code", "end", "said"),
    [
        (grpc.StatusCode.UNAUTHENTICATED, Exit.SETUP, "does not accept the token; check GAVELPORT_TOKEN"),
        (grpc.StatusCode.PERMISSION_DENIED, Exit.SETUP, "check GAVELPORT_TOKEN"),
        (grpc.StatusCode.FAILED_PRECONDITION, Exit.SETUP, "FAILED_PRECONDITION: why"),
        (grpc.StatusCode.UNIMPLEMENTED, Exit.SETUP, "check GAVELPORT_TARGET"),
        (grpc.StatusCode.ABORTED, Exit.FENCED, "a newer connection with the same token"),
    ],
)
def test_statuses_after_which_nothing_helps(
    play: Play, code: grpc.StatusCode, end: Exit, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def part() -> Part:
        yield None
        raise EndError(code, "why")

    with serving(part) as server:
        assert play(Diary, server.target, []) is end
    assert said in capsys.readouterr().err


def test_a_fenced_connection_does_not_return(play: Play) -> None:
    def part() -> Part:
        yield None
        yield welcome()
        yield notice("fenced", wire.NOTICE_KIND_FENCED)
        raise EndError(grpc.StatusCode.UNAVAILABLE)

    with serving(part) as server:
        assert play(Diary, server.target, []) is Exit.FENCED


def test_a_server_that_is_not_there_is_given_up_after_a_minute(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    waits: list[float] = []
    assert play(Diary, "unix:/nonexistent/gavelport.sock", waits) is Exit.SERVER
    assert waits[:4] == [0.1, 0.2, 0.4, 0.8]
    assert max(waits) == 5.0
    assert 60 <= sum(waits) < 65
    assert "gave up after a minute. Check GAVELPORT_TARGET" in capsys.readouterr().err


def test_a_server_that_was_there_before_is_waited_for_longer(capsys: pytest.CaptureFixture[str]) -> None:
    session = Session(Diary, Diary.games)
    line = Line("league.example.org:443", session)
    session.hello()
    session.react(welcome())
    waits: list[float] = []
    while not isinstance(end := line.ended("UNAVAILABLE", "it restarts"), Exit):
        waits.append(end)
        session.hello()
    assert end is Exit.SERVER
    assert 600 <= sum(waits) < 605
    assert max(waits) == 5.0
    assert "gave up after 10 minutes" in capsys.readouterr().err


@pytest.mark.parametrize("trusted", [True, False])
def test_a_server_with_a_certificate_of_its_own(play: Play, trusted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    authority, other = trustme.CA(), trustme.CA()
    monkeypatch.setattr("gavelport_sdk.channel._TOTAL_S", 0.1)

    def part() -> Part:
        yield None
        yield welcome()

    own = authority if trusted else other
    monkeypatch.setitem(TRUST, "ca", own.cert_pem.bytes())
    if trusted:
        with serving(part, certificate=authority.issue_cert("localhost")) as server:
            assert play(Diary, server.target, []) is Exit.OVER
    else:
        with serving(certificate=authority.issue_cert("localhost")) as server:
            assert play(Diary, server.target, []) is Exit.SERVER


def test_a_server_that_asks_for_a_certificate(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = trustme.CA()
    mine = authority.issue_cert("bot.example.org")
    monkeypatch.setitem(TRUST, "ca", authority.cert_pem.bytes())
    monkeypatch.setitem(TRUST, "own", (mine.private_key_pem.bytes(), mine.cert_chain_pems[0].bytes()))

    def part() -> Part:
        yield None
        yield welcome()

    with serving(part, certificate=authority.issue_cert("localhost"), clients=authority.cert_pem.bytes()) as server:
        assert play(Diary, server.target, []) is Exit.OVER


def test_an_exception_of_the_bot_ends_the_process(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    class Crashing(Diary):
        def decide(self, observation: Any) -> Any:
            raise ZeroDivisionError("planted")

    script = Script()

    def part() -> Part:
        yield None
        yield welcome()
        yield script.start()
        yield script.decision()
        yield None

    with serving(part) as server:
        assert play(Crashing, server.target, []) is Exit.BOT
    said = capsys.readouterr().err
    assert "error: exception in decide() in match m-1, decision 1" in said
    assert "ZeroDivisionError: planted" in said
    assert "Traceback" in said


def test_a_server_that_breaks_the_protocol(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    def part() -> Part:
        yield None
        yield Script().start()

    with serving(part) as server:
        assert play(Diary, server.target, []) is Exit.SERVER
    assert "the server broke the protocol: the server sent match_start before welcome" in capsys.readouterr().err


def test_decisions_of_two_matches_run_side_by_side() -> None:
    """The second question is answered while the bot still thinks about the first."""
    Diary.all.clear()
    answers: list[str] = []
    thought = asyncio.Event()

    class Slow(Diary):
        async def decide(self, observation: Any) -> Any:
            if self.match.match_id == "m-1":
                await thought.wait()
            else:
                thought.set()
            return Pass()

    def part() -> Part:
        yield None
        yield welcome()
        for script in (Script("m-1"), Script("m-2")):
            yield script.start()
            yield script.decision()
        answers.append((yield None).answer.match_id)
        answers.append((yield None).answer.match_id)

    with serving(part) as server:
        assert play_async(Slow, server.target, []) is Exit.OVER
    assert sorted(answers) == ["m-1", "m-2"]


def test_waits_grow_and_end() -> None:
    backoff = Backoff()
    waits = []
    while (wait := backoff.next_s()) is not None:
        waits.append(wait)
    assert waits == sorted(waits)
    assert waits[0] == 0.1


@pytest.mark.parametrize(
    ("target", "local"),
    [
        ("127.0.0.1:5000", True),
        ("localhost:5000", True),
        ("[::1]:5000", True),
        ("unix:/tmp/x.sock", True),
        ("dns:///localhost:1", True),
        ("10.0.0.1:5000", False),
        ("league.example.org:443", False),
        ("localhost.example.org:443", False),
        ("127.0.0.1.example.org:443", False),
        ("tls:127.0.0.1:5000", False),
        ("tls:localhost:5000", False),
    ],
)
def test_which_targets_go_without_tls(target: str, local: bool) -> None:
    assert is_local(target) == local
