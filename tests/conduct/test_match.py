from __future__ import annotations

from typing import Any

import pytest
import structlog.testing
import trio
from gavelport.v1 import referee_pb2 as pb
from gavelport_engine.rng import commitment
from gavelport_server.conduct.match import MatchVoid, conduct_match
from gavelport_server.referee.core import MatchCore
from gavelport_server.referee.report import MatchReport, Played
from gavelport_server.transport.memory import StreamEnded
from google.protobuf.unknown_fields import UnknownFieldSet

from tests.conduct.bots import CODEC, CONTAINER, Bot, Table, hello, match_setup, receive


async def play(table: Table, bots: list[Bot], *, reveal: bool = True, match_id: str = "match-1") -> MatchReport:
    """One match between bots at a table."""
    reports: list[MatchReport] = []
    async with trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(bot.play)
        for session in table.sessions:
            await session.wait_connected()
        setup = match_setup(len(table.sessions), match_id)
        reports.append(await conduct_match(setup, table.sessions, reveal=reveal))
    return reports[0]


def played(report: MatchReport) -> list[Played]:
    return [each for each in report.record if isinstance(each, Played)]


def events_told(bot: Bot) -> list[Any]:
    """All events that a bot was told, in order; their numbers are checked."""
    events: list[Any] = []
    for message in map(pb.PlayResponse.FromString, bot.received):
        kind = message.WhichOneof("message")
        if kind == "decision":
            events += message.decision.events
            assert message.decision.last_event == len(events)
        elif kind == "events":
            events += message.events.events
            assert message.events.last_event == len(events)
    return [CODEC.decode_event(event) for event in events]


async def test_four_bots_play_a_match_to_its_end(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()
    bots = [Bot(table.connect(seat)) for seat in range(4)]
    report = await play(table, bots)

    assert len(played(report)) > 50
    assert all(each.fault is None for each in played(report))
    assert sum(figures.decisions for figures in report.figures) == len(played(report))
    setup = match_setup()
    state = CONTAINER.initial_state(setup.options, setup.seed)
    for each in played(report):
        CONTAINER.apply_in_place(state, {each.seat: each.action}, None)
    assert CONTAINER.outcome(state) == report.outcome
    for bot in bots:
        assert bot.end is not None
        assert list(bot.end.ranks) == list(report.outcome.ranks)
        assert list(bot.end.totals) == list(report.outcome.totals)
        assert bot.end.reveal.seed == setup.seed
        assert len(bot.end.reveal.scores) == 4
        assert set(bot.end.terminations) == {pb.TERMINATION_NORMAL}
    assert not any(session.places for session in table.sessions)


async def test_no_bot_is_given_more_matches_than_it_said(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()
    for seat in range(4):
        await hello(table.connect(seat), max_matches=1 if seat == 2 else 2)

    async def begin(match_id: str) -> None:
        await conduct_match(match_setup(4, match_id), table.sessions, reveal=True)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(begin, "match-1")
        await trio.testing.wait_all_tasks_blocked()
        with pytest.raises(ValueError, match=r"match-2: bot2 plays 1 already, and said in its Hello that it plays 1 "):
            await begin("match-2")
        assert [list(session.places) for session in table.sessions] == [["match-1"]] * 4
        await hello(table.connect(2), max_matches=2)
        nursery.start_soon(begin, "match-2")
        await trio.testing.wait_all_tasks_blocked()
        assert [list(session.places) for session in table.sessions] == [["match-1", "match-2"]] * 4
        nursery.cancel_scope.cancel()


async def test_what_a_bot_is_told_at_the_start(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()
    bots = [Bot(table.connect(seat)) for seat in range(4)]
    await play(table, bots)
    setup = match_setup()
    state = CONTAINER.initial_state(setup.options, setup.seed)
    for seat, bot in enumerate(bots):
        (start,) = bot.messages("match_start")
        assert start.match_id == "match-1"
        assert start.game == "container@1"
        assert start.seat == seat
        assert [each.bot for each in start.seats] == ["bot0", "bot1", "bot2", "bot3"]
        assert start.clock == pb.Clock(bank_ms=20_000, increment_ms=200, cap_ms=5_000, allowance_ms=100)
        assert start.commitment == commitment(setup.seed, "match-1")
        assert start.deal == CODEC.deal(state, seat)


async def test_spliced_decisions_are_what_protobuf_itself_would_write(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()
    bots = [Bot(table.connect(seat)) for seat in range(4)]
    await play(table, bots)
    decisions = bots[0].messages("decision")
    assert len(decisions) > 10
    for number, decision in enumerate(decisions, 1):
        assert decision.decision_id == number
        assert decision.phase
        assert decision.kinds
        assert decision.time_ms == min(5_000, decision.bank_ms) + 100
        assert len(UnknownFieldSet(decision)) == len(UnknownFieldSet(decision.observation)) == 0
        observed = CODEC.decode_observation(decision.observation, match_setup().options)
        asked = CONTAINER.observed_decision(observed)
        assert asked is not None
        assert (asked.phase, asked.space.kinds(), asked.sealed) == (
            decision.phase,
            tuple(decision.kinds),
            decision.sealed,
        )


async def test_every_bot_is_told_every_event_once(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()
    bots = [Bot(table.connect(seat)) for seat in range(4)]
    await play(table, bots)
    told = [events_told(bot) for bot in bots]
    assert told[0] == told[1] == told[2] == told[3]
    assert len(told[0]) > 50


async def test_without_reveal_neither_seed_nor_cards_are_told(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()
    bots = [Bot(table.connect(seat)) for seat in range(4)]
    await play(table, bots, reveal=False)
    for bot in bots:
        assert bot.end is not None
        assert not bot.end.HasField("reveal")
        assert match_setup().seed not in b"".join(bot.received)


async def test_observations_are_left_out_where_the_bot_wants_events_only(
    autojump_clock: trio.testing.MockClock,
) -> None:
    table = Table(3)

    def default(bot: Bot, decision: pb.Decision) -> Any:
        assert not decision.HasField("observation")
        return None  # let its time run out

    bots = [Bot(table.connect(0), decide=default), *(Bot(table.connect(seat)) for seat in (1, 2))]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lambda: bots[0].play(events_only=True))
        nursery.start_soon(bots[1].play)
        nursery.start_soon(bots[2].play)
        for session in table.sessions:
            await session.wait_connected()
        report = await conduct_match(match_setup(3), table.sessions, reveal=True)
    assert report.retired == (0,)
    assert bots[1].messages("decision")[0].HasField("observation")


# -- several matches, in turn and at once


async def test_matches_in_turn_on_the_same_links(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()
    bots = [Bot(table.connect(seat)) for seat in range(4)]
    async with trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(bot.play, 3)
        for session in table.sessions:
            await session.wait_connected()
        reports = [await conduct_match(match_setup(match_id=f"m{n}"), table.sessions, reveal=True) for n in range(3)]
    assert [len(bot.messages("match_end")) for bot in bots] == [3] * 4
    assert len({report.setup.match_id for report in reports}) == 3


async def test_matches_at_once_on_the_same_links(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()
    bots = [Bot(table.connect(seat)) for seat in range(4)]
    async with trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(lambda bot: bot.play(3, max_matches=3), bot)
        for session in table.sessions:
            await session.wait_connected()
        async with trio.open_nursery() as matches:
            for n in range(3):
                setup = match_setup(match_id=f"m{n}")
                matches.start_soon(lambda setup: conduct_match(setup, table.sessions, reveal=True), setup)
    for bot in bots:
        assert {end.match_id for end in bot.messages("match_end")} == {"m0", "m1", "m2"}
        assert not bot.messages("refused")


async def test_sessions_must_fit_the_match(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()
    setup = match_setup()
    for sessions in (table.sessions[:3], [table.sessions[0]] * 4):
        with pytest.raises(ValueError, match="as many sessions, all different"):
            await conduct_match(setup, sessions, reveal=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lambda: conduct_match(setup, table.sessions, reveal=True))
        await trio.testing.wait_all_tasks_blocked()
        with pytest.raises(ValueError, match="is being played already"):
            await conduct_match(setup, table.sessions, reveal=True)
        nursery.cancel_scope.cancel()


# -- bots that are not there


async def test_a_match_of_bots_that_never_come_ends_by_time_alone(autojump_clock: trio.testing.MockClock) -> None:
    table = Table(3)
    report = await conduct_match(match_setup(3), table.sessions, reveal=True)
    assert report.retired == (0, 1, 2)
    assert {each.fault for each in played(report)} == {"disconnected", "retired"}


async def test_a_bot_that_is_gone_costs_the_others_no_time(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()
    table.sessions[3].gone("it crashed")
    bots = [Bot(table.connect(seat)) for seat in range(3)]
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(bot.play)
        for session in table.sessions[:3]:
            await session.wait_connected()
        report = await conduct_match(match_setup(), table.sessions, reveal=True)
    assert trio.current_time() == began
    assert report.retired == (3,)
    assert report.outcome.ranks[3] == 4
    assert all(each.fault is None for each in played(report) if each.seat != 3)


async def test_a_bot_that_dies_in_the_middle(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()

    def die(bot: Bot, decision: pb.Decision) -> Any:
        if decision.decision_id == 5:
            bot.client.cancel()
            table.sessions[2].gone("exit code 1")
            return None
        return bot.sample(decision)

    bots = [Bot(table.connect(seat), decide=die if seat == 2 else None) for seat in range(4)]
    report = await play(table, bots)
    own = [each for each in played(report) if each.seat == 2]
    assert [each.fault for each in own[:9]] == [None] * 4 + ["disconnected"] * 5
    assert report.figures[2].first_fault == "decision 5: disconnected: exit code 1"
    assert all(each.fault is None for each in played(report) if each.seat != 2)


async def test_a_bot_that_loses_its_stream_comes_back_and_goes_on(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()
    lost: list[int] = []

    def fall_away(bot: Bot, decision: pb.Decision) -> Any:
        if decision.decision_id in (3, 8) and decision.decision_id not in lost:
            lost.append(decision.decision_id)
            bot.client.cancel()
            return None
        return bot.sample(decision)

    async def returning(bot: Bot) -> None:
        await bot.play()
        while bot.end is None:
            await trio.sleep(0.5)
            seen = max(m.last_event for m in bot.messages("decision") + bot.messages("events"))
            token = bot.welcome.session_token
            bot.client = table.connect(1)
            await bot.play(session_token=token, resume=[pb.Resume(match_id="match-1", last_event=seen)])

    bots = [Bot(table.connect(seat), decide=fall_away if seat == 1 else None) for seat in range(4)]
    async with trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(returning if bot is bots[1] else Bot.play, bot)
        for session in table.sessions:
            await session.wait_connected()
        report = await conduct_match(match_setup(), table.sessions, reveal=True)

    assert lost == [3, 8]
    assert all(each.fault is None for each in played(report))
    charged = [each.charged_ms for each in played(report) if each.seat == 1]
    assert charged[2] == charged[7] == 400  # half a second away, less the allowance
    assert bots[1].welcome.resumed
    starts, returns = bots[1].messages("match_start"), bots[1].messages("events")
    assert len(starts) == 3
    assert starts[0] == starts[1] == starts[2]
    assert all(message.HasField("observation") for message in returns[:2])
    numbers = [m.decision_id for m in bots[1].messages("decision")]
    assert numbers.count(3) == numbers.count(8) == 2  # the open decision is asked again
    assert events_told(bots[1]) == events_told(bots[0])  # nothing missed, nothing twice


async def test_a_bot_that_was_away_at_the_end_is_told_it_on_its_return(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()

    def leave(bot: Bot, decision: pb.Decision) -> Any:
        bot.client.cancel()

    bots = [Bot(table.connect(seat), decide=leave if seat == 0 else None) for seat in range(4)]
    report = await play(table, bots)
    assert report.retired == (0,)
    assert not bots[0].messages("match_end")
    token = bots[0].welcome.session_token
    bots[0].client = table.connect(0)
    await bots[0].play(session_token=token, resume=[pb.Resume(match_id="match-1", last_event=1)])
    assert bots[0].end is not None
    assert list(bots[0].end.ranks) == list(report.outcome.ranks)
    assert bots[0].end.terminations[0] == pb.TERMINATION_RETIRED


# -- what is ours


class Broken(MatchCore):
    """A planted fault: fails with a secret in its text when the fifth step is over."""

    def answer(self, *args: Any, **kwargs: Any) -> Any:
        if self.step == 5 and self.setup.match_id == "match-broken":
            raise RuntimeError("SECRET CARD 7")
        return super().answer(*args, **kwargs)


async def test_a_fault_of_ours_voids_its_match_and_no_other(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gavelport_server.conduct.resume.MatchCore", Broken)
    table = Table()
    bots = [Bot(table.connect(seat)) for seat in range(4)]
    reports: list[MatchReport] = []

    async def whole() -> None:
        reports.append(await conduct_match(match_setup(match_id="match-whole"), table.sessions, reveal=True))

    with structlog.testing.capture_logs() as logs:
        async with trio.open_nursery() as nursery:
            for bot in bots:
                nursery.start_soon(lambda bot: bot.play(2, max_matches=2), bot)
            for session in table.sessions:
                await session.wait_connected()
            nursery.start_soon(whole)
            with pytest.raises(MatchVoid, match="match-broken"):
                await conduct_match(match_setup(match_id="match-broken"), table.sessions, reveal=True)
    assert [entry["match"] for entry in logs if entry["event"] == "match_void"] == ["match-broken"]
    assert len(reports) == 1
    for bot in bots:
        ends = {end.match_id: end.is_void for end in bot.messages("match_end")}
        assert ends == {"match-broken": True, "match-whole": False}
        assert b"SECRET" not in b"".join(bot.received)


async def test_a_match_whose_end_cannot_be_told_is_void(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **options: object) -> bytes:
        raise RuntimeError("planted")

    monkeypatch.setattr("gavelport_server.conduct.match.match_end", fail)
    table = Table(3)
    with pytest.raises(MatchVoid):
        await conduct_match(match_setup(3), table.sessions, reveal=True)


async def test_a_cancelled_match_is_void_to_its_bots(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()
    silent = [table.connect(seat) for seat in range(4)]
    async with trio.open_nursery() as nursery:
        for client in silent:
            await client.send(pb.PlayRequest(hello=pb.Hello(protocol_version=1)).SerializeToString())
        nursery.start_soon(lambda: conduct_match(match_setup(), table.sessions, reveal=True))
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    for client in silent:
        message = await receive(client)
        while message.WhichOneof("message") != "match_end":
            message = await receive(client)
        assert message.match_end.is_void
    assert not any(session.places for session in table.sessions)


async def test_a_bot_that_does_not_read_is_cut_off_and_the_match_goes_on(
    autojump_clock: trio.testing.MockClock,
) -> None:
    table = Table()
    deaf = table.connect(3)
    await deaf.send(pb.PlayRequest(hello=pb.Hello(protocol_version=1)).SerializeToString())
    beat = pb.PlayRequest(heartbeat=pb.Heartbeat(number=1)).SerializeToString()
    bots = [Bot(table.connect(seat)) for seat in range(3)]

    async def flood_without_reading() -> None:
        with pytest.raises(StreamEnded, match="waiting to be read"):  # noqa: PT012  one of many sends
            for _ in range(300):  # slowly enough to be no flood
                await deaf.send(beat)
                await trio.sleep(0.03)

    async with trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(bot.play)
        for session in table.sessions:
            await session.wait_connected()
        nursery.start_soon(flood_without_reading)
        report = await conduct_match(match_setup(), table.sessions, reveal=True)
    assert report.retired == (3,)
    assert all(each.fault is None for each in played(report) if each.seat != 3)
