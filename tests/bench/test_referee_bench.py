import pytest
import trio
from gavelport.v1 import referee_pb2 as pb
from gavelport_server.bench.instant import GAME, SEATS, InstantBot, Traffic, match_id, parts, seed
from gavelport_server.bench.referee import run_referee_bench
from gavelport_server.conduct.match import conduct_match
from gavelport_server.referee.report import ClockSetting, MatchReport, MatchSetup
from gavelport_server.transport.memory import StreamEnded

from tests.conduct.bots import Table, hello

SCRIPT = 3


async def play(scripts: list[list[list[bytes]]], traffic: Traffic) -> MatchReport:
    """A match between bots that follow the scripts."""
    table = Table(SEATS)
    clients = [table.connect(seat) for seat in range(SEATS)]

    async def follow(seat: int) -> None:
        bot = InstantBot(scripts, traffic)
        try:
            while True:
                answer = bot.answer(await clients[seat].receive())
                if answer is not None:
                    await clients[seat].send(answer)
        except StreamEnded:
            return

    names = tuple(session.name for session in table.sessions)
    setup = MatchSetup(match_id(SCRIPT, 12), GAME, GAME.options({"seats": SEATS}), seed(SCRIPT), names, ClockSetting())
    async with trio.open_nursery() as nursery:
        for seat in range(SEATS):
            await hello(clients[seat])
            nursery.start_soon(follow, seat)
        report = await conduct_match(setup, table.sessions, reveal=True)
        for session in table.sessions:
            table.hub.dismiss(session)
    return report


async def test_the_load_plays_a_real_match_without_a_slip(autojump_clock: trio.testing.MockClock) -> None:
    scripts: list[list[list[bytes]]] = [[], [], [], parts(SCRIPT)]
    traffic = Traffic()
    report = await play(scripts, traffic)
    assert traffic.refused == 0
    assert [figures.decisions for figures in report.figures] == [len(said) for said in scripts[SCRIPT]]
    assert traffic.asked == sum(map(len, scripts[SCRIPT])) > 100
    assert report.outcome.end
    assert {figures.faults for figures in report.figures} == {()}


async def test_a_load_that_plays_another_match_is_noticed(autojump_clock: trio.testing.MockClock) -> None:
    traffic = Traffic()
    scripts: list[list[list[bytes]]] = [[], [], [], [said * 50 for said in parts(4)]]
    await play(scripts, traffic)
    assert traffic.refused > 0


def test_an_answer_names_match_and_decision() -> None:
    bot = InstantBot([[[b"", b"\x1a\x00"]] * SEATS], Traffic())
    asked = pb.PlayResponse(decision=pb.Decision(match_id="bench.0.77", decision_id=2))
    answer = bot.answer(asked.SerializeToString())
    assert answer is not None
    said = pb.PlayRequest.FromString(answer).answer
    assert (said.match_id, said.decision_id, said.HasField("action")) == ("bench.0.77", 2, True)


@pytest.mark.long
def test_the_bench_measures_both() -> None:
    result = run_referee_bench((4,), pairs=1, seconds=0.5)
    (one,) = result["streams"].values()
    assert one["ratio"] == pytest.approx(one["ours_us"] / one["raw_us"], rel=0.01)
    assert one["down_bytes"] > 100
    assert one["up_bytes"] > 10
