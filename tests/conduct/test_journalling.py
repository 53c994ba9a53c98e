"""A server that is killed loses nothing that it has told, and its matches go on as if nothing had happened."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest
import structlog.testing
import trio
from gavelport.v1 import referee_pb2 as pb
from gavelport_server.archive.disk import REAL_DISK
from gavelport_server.archive.errors import JournalError
from gavelport_server.archive.journal_entries import InputKind
from gavelport_server.conduct.journalling import Journal
from gavelport_server.conduct.match import MatchLeft, MatchVoid, conduct_match
from gavelport_server.referee.report import MatchReport
from gavelport_server.transport.memory import MemoryClient, StreamEnded

from tests.conduct.bots import hello, match_setup, receive
from tests.conduct.ladder import Gate, Player, Server, aside, entry_of


async def played(server: Server, players: list[Player]) -> MatchReport:
    """A match of players from its beginning to its end."""
    reports: list[MatchReport] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.journal.run)
        for number, player in enumerate(players):
            nursery.start_soon(player.play, server.connect(number))
        for session in server.sessions:
            await session.wait_connected()
        reports.append(await server.conduct(match_setup()))
        nursery.cancel_scope.cancel()
    return reports[0]


async def killed(server: Server, players: list[Player], at: trio.Event, to: Path) -> Path:
    """Begin a match and kill the server when it is time; return the data folder that is left."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.journal.run)
        clients = [server.connect(number) for number in range(len(players))]
        for player, client in zip(players, clients, strict=True):
            nursery.start_soon(player.play, client)
        for session in server.sessions:
            await session.wait_connected()
        nursery.start_soon(server.conduct, match_setup())
        await at.wait()
        await trio.testing.wait_all_tasks_blocked()
        left = server.copied(to)
        for client in clients:  # what the old server still does is heard by nobody
            client.cancel()
        nursery.cancel_scope.cancel()
    return left


async def gone_on(server: Server, players: Mapping[int, Player]) -> MatchReport:
    """Play on the one match that was running."""
    (unfinished,) = server.journal.unfinished()
    assert unfinished.void_reason == ""
    assert unfinished.report is None
    setup = unfinished.log.entry.setup
    reports: list[MatchReport] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.journal.run)
        for number, player in players.items():
            nursery.start_soon(player.play, server.connect(number))
        reports.append(
            await conduct_match(setup, server.sessions, reveal=True, log=unfinished.log, past=unfinished.past)
        )
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    return reports[0]


def asked_at(number: int, player: Player, event: trio.Event, *, is_sent: bool, gate: Gate | None = None) -> None:
    """When a player is asked for the so-manieth time, have an event set, and a gate shut."""

    def before_answer(asked: int, _: int) -> bool:
        if asked == number:
            event.set()
            if gate is not None:
                gate.shut()
            return is_sent
        return True

    player.before_answer = before_answer


@pytest.mark.parametrize("number", [1, 2, 7, 16])
@pytest.mark.parametrize("when", ["not answered", "not journalled", "not acknowledged"])
async def test_a_killed_server_goes_on_where_it_was(
    tmp_path: Path, when: str, number: int, autojump_clock: trio.testing.MockClock
) -> None:
    control = await played(Server(tmp_path / "control"), [Player() for _ in range(4)])

    gate = Gate(after=when == "not acknowledged")
    players = [Player() for _ in range(4)]
    time_to_go = trio.Event()
    is_sent = when != "not answered"
    asked_at(number, players[2], time_to_go, is_sent=is_sent, gate=gate if is_sent else None)
    left = await killed(Server(tmp_path / "first", in_worker=gate), players, time_to_go, tmp_path / "second")
    await trio.sleep(100)
    for player in players:
        player.before_answer = lambda *_: True
    report = await gone_on(Server(left), dict(enumerate(players)))

    assert report.record == control.record  # decisions, actions, charged times, faults, fingerprints
    assert report.outcome == control.outcome
    assert report.figures == control.figures
    for player in players:
        (end,) = player.ends
        assert not end.is_void
        first, second = player.bots
        assert second.heard[: len(first.heard)] == first.heard
        assert second.asked == list(range(second.asked[0], second.asked[-1] + 1))
    again = players[2].bots[1].asked[0]
    assert again == (number + 1 if when == "not acknowledged" else number)


async def test_the_outage_is_not_charged(tmp_path: Path, autojump_clock: trio.testing.MockClock) -> None:
    setup = match_setup()
    asked: list[pb.Decision] = []

    async def decision(client: MemoryClient) -> None:
        with suppress(StreamEnded):
            while True:
                message = await receive(client)
                if message.WhichOneof("message") == "decision":
                    asked.append(message.decision)

    async with trio.open_nursery() as nursery:
        server = Server(tmp_path / "first")
        nursery.start_soon(server.journal.run)
        clients = [server.connect(number) for number in range(4)]
        for client in clients:
            await hello(client)
            nursery.start_soon(decision, client)
        nursery.start_soon(server.conduct, setup)
        await trio.sleep(2)
        (acting,) = setup.game.to_act(setup.game.initial_state(setup.options, setup.seed))
        clients[acting - 1].cancel()  # the last that the journal knows
        await trio.sleep(1)
        left = server.copied(tmp_path / "second")
        nursery.cancel_scope.cancel()

    await trio.sleep(1_000)
    async with trio.open_nursery() as nursery:
        server = Server(left)
        nursery.start_soon(server.journal.run)
        (unfinished,) = server.journal.unfinished()
        nursery.start_soon(
            lambda: conduct_match(setup, server.sessions, reveal=True, log=unfinished.log, past=unfinished.past)
        )
        for number in range(4):
            await trio.sleep(20)
            client = server.connect(number)
            await hello(client)
            nursery.start_soon(decision, client)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    first, second = asked
    assert first.time_ms == 5_100
    assert 3_099 <= second.time_ms <= 3_100
    assert (second.decision_id, second.observation) == (first.decision_id, first.observation)


async def test_a_match_whose_bots_do_not_all_come_back_is_void(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    time_to_go = trio.Event()
    players = [Player() for _ in range(4)]
    asked_at(3, players[1], time_to_go, is_sent=False)
    left = await killed(Server(tmp_path / "first"), players, time_to_go, tmp_path / "second")
    server = Server(left)
    (unfinished,) = server.journal.unfinished()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.journal.run)
        for number in (0, 1, 3):
            nursery.start_soon(players[number].play, server.connect(number))
        began = trio.current_time()
        with pytest.raises(MatchVoid, match="match-1: not all bots came back within 30 s"):
            await conduct_match(
                match_setup(), server.sessions, reveal=True, log=unfinished.log, past=unfinished.past, grace_s=30
            )
        assert trio.current_time() - began == 30
        assert not any(session.places for session in server.sessions)
        unfinished.log.void("not all bots came back")
        await server.journal.synced()
        nursery.cancel_scope.cancel()
    assert Server(server.data).journal.unfinished() == []


async def test_a_bot_that_is_gone_for_good_is_not_waited_for(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    time_to_go = trio.Event()
    players = [Player() for _ in range(4)]
    asked_at(3, players[1], time_to_go, is_sent=False)
    left = await killed(Server(tmp_path / "first"), players, time_to_go, tmp_path / "second")
    server = Server(left)
    server.sessions[2].gone("its token was revoked")
    report = await gone_on(server, {number: players[number] for number in (0, 1, 3)})
    assert report.retired == (2,)
    assert [len(player.ends) for player in players] == [1, 1, 0, 1]


# -- what is told, and when


async def test_nothing_is_told_before_it_is_on_disk(tmp_path: Path, autojump_clock: trio.testing.MockClock) -> None:
    gate = Gate()
    server = Server(tmp_path, in_worker=gate)
    players = [Player() for _ in range(4)]
    seen: list[int] = []
    answered = trio.Event()
    asked_at(4, players[0], answered, is_sent=True, gate=gate)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.journal.run)
        for number, player in enumerate(players):
            nursery.start_soon(player.play, server.connect(number))
        for session in server.sessions:
            await session.wait_connected()
        nursery.start_soon(lambda: server.conduct(match_setup(), watch=lambda record: seen.append(len(record))))
        await answered.wait()
        await trio.testing.wait_all_tasks_blocked()
        before = [list(player.received) for player in players], list(seen)
        await trio.sleep(3)
        assert ([player.received for player in players], seen) == before
        gate.open.set()
        await trio.testing.wait_all_tasks_blocked()
        assert len(seen) > len(before[1])
        assert seen == sorted(seen)
        assert len(players[0].received) > len(before[0][0])
        nursery.cancel_scope.cancel()


async def test_a_new_link_is_told_nothing_that_was_meant_for_the_old(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    gate = Gate()
    server = Server(tmp_path, in_worker=gate)
    setup = match_setup()
    seat = setup.game.to_act(setup.game.initial_state(setup.options, setup.seed))[0]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.journal.run)
        clients = [server.connect(number) for number in range(4)]
        for client in clients:
            await hello(client)
        gate.shut()
        nursery.start_soon(server.conduct, setup)
        await trio.testing.wait_all_tasks_blocked()
        clients[seat].cancel()
        client = server.connect(seat)
        await hello(client)
        gate.open.set()
        kinds = [(await receive(client)).WhichOneof("message") for _ in range(3)]
        assert kinds == ["match_start", "events", "decision"]
        nursery.cancel_scope.cancel()


async def test_what_changes_nothing_is_not_journalled(tmp_path: Path, autojump_clock: trio.testing.MockClock) -> None:
    server = Server(tmp_path)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.journal.run)
        clients = [server.connect(number) for number in range(4)]
        for client in clients:
            await hello(client)
        nursery.start_soon(server.conduct, match_setup())
        await trio.testing.wait_all_tasks_blocked()
        before = server.journal.figures.entries
        answer = pb.PlayRequest(answer=pb.Answer(match_id="match-1", decision_id=77)).SerializeToString()
        for _ in range(20):
            await clients[0].send(answer)
        await trio.testing.wait_all_tasks_blocked()
        assert server.journal.figures.entries == before
        refused = [await receive(clients[0]) for _ in range(21)][-1]
        assert refused.refused.code == "wrong_decision"
        nursery.cancel_scope.cancel()


# -- groups


async def test_what_is_put_while_a_group_is_written_is_one_group(tmp_path: Path) -> None:
    gate = Gate()
    journal = Journal(tmp_path, in_worker=gate)
    done: list[int] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(journal.run)
        gate.shut()
        log = journal.enter(entry_of(match_setup()))
        log.when_synced(lambda: done.append(0))
        await trio.testing.wait_all_tasks_blocked()
        for number in range(1, 6):
            log.put(b"x")
            log.when_synced(lambda number=number: done.append(number))  # type: ignore[misc]
        await trio.testing.wait_all_tasks_blocked()
        assert done == []
        gate.open.set()
        await journal.synced()
        assert done == [0, 1, 2, 3, 4, 5]
        assert (journal.figures.groups, journal.figures.entries, journal.figures.largest_group) == (2, 6, 5)
        log.when_synced(lambda: done.append(6))
        assert done[-1] == 6  # all is on disk: at once
        nursery.cancel_scope.cancel()


async def test_a_call_that_fails_costs_no_other(tmp_path: Path) -> None:
    journal = Journal(tmp_path, in_worker=aside)
    done: list[int] = []

    def fail() -> None:
        raise RuntimeError("planted")

    with structlog.testing.capture_logs() as logs:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(journal.run)
            log = journal.enter(entry_of(match_setup()))
            log.when_synced(fail)
            log.when_synced(lambda: done.append(1))
            await journal.synced()
            nursery.cancel_scope.cancel()
    assert done == [1]
    assert [entry["event"] for entry in logs] == ["journal_call_failed"]


# -- a disk that fails


async def test_a_journal_that_cannot_be_written_leaves_its_matches_and_tells_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    server = Server(tmp_path, disk=REAL_DISK)
    players = [Player() for _ in range(4)]
    time_to_go = trio.Event()
    asked_at(5, players[3], time_to_go, is_sent=True)
    told: list[str] = []
    outcomes: list[str] = []

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async def own() -> None:
        with pytest.raises(JournalError, match="journal cannot be written: no space is left"):
            await server.journal.run()
        told.append(server.journal.broken)

    async def conduct() -> None:
        with pytest.raises(MatchLeft):
            await server.conduct(match_setup())
        outcomes.append("left")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(own)
        for number, player in enumerate(players):
            nursery.start_soon(player.play, server.connect(number))
        for session in server.sessions:
            await session.wait_connected()
        nursery.start_soon(conduct)
        await time_to_go.wait()
        monkeypatch.setattr(os, "fdatasync", full)
        before = [player.received.count("decision") for player in players]
        await trio.testing.wait_all_tasks_blocked()
        assert outcomes == ["left"]
        assert len(told) == 1
        assert [player.received.count("decision") for player in players] == before
        assert [list(player.ends) for player in players] == [[]] * 4, "it goes on at the next start, and is not void"
        with pytest.raises(JournalError, match="no space is left"):
            server.journal.enter(entry_of(match_setup(match_id="match-2")))
        with pytest.raises(JournalError, match="no space is left"):
            await server.journal.synced()
        nursery.cancel_scope.cancel()


# -- what a crash leaves


async def test_a_match_that_was_entered_and_not_begun_is_void(tmp_path: Path) -> None:
    journal = Journal(tmp_path, in_worker=aside)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(journal.run)
        journal.enter(entry_of(match_setup()))
        await journal.synced()
        nursery.cancel_scope.cancel()
    (unfinished,) = Journal(tmp_path).unfinished()
    assert unfinished.void_reason == "it had not begun"
    assert unfinished.log.entry == entry_of(match_setup())


async def test_a_past_that_cannot_be_played_again_voids_its_match(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    time_to_go = trio.Event()
    players = [Player() for _ in range(4)]
    asked_at(3, players[1], time_to_go, is_sent=False)
    left = await killed(Server(tmp_path / "first"), players, time_to_go, tmp_path / "second")
    server = Server(left)
    with structlog.testing.capture_logs() as logs:
        (whole,) = server.journal.unfinished()
        start = next(given for given in whole.past if given.kind is InputKind.START)
        with pytest.raises(MatchVoid, match="its past cannot be played again"):
            await conduct_match(match_setup(), server.sessions, reveal=True, past=[start, start])
    assert [entry["event"] for entry in logs] == ["match_void"]


async def test_an_ended_match_takes_no_input(tmp_path: Path) -> None:
    journal = Journal(tmp_path, in_worker=aside)
    log = journal.enter(entry_of(match_setup()))
    log.void("stopped")
    log.end()  # the first counts
    with pytest.raises(JournalError, match="match-1 is ended, and takes no further input"):
        log.put(b"x")
