"""Running matches told to browsers: public things only, in time, and nobody waits for anybody."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
from gavelport_engine.game import SPECTATOR
from gavelport_server.conduct.ladder import spectate
from gavelport_server.pages.delta import applied
from gavelport_server.pages.elsewhere import Elsewhere
from gavelport_server.pages.live import broadcast, channel, hall, wire
from gavelport_server.pages.live.broadcast import Broadcast
from gavelport_server.pages.live.channel import Channel, EventStream, message
from gavelport_server.pages.live.crowd import Crowd
from gavelport_server.pages.live.scene import KEPT
from gavelport_server.pages.tables import TABLES
from starlette.testclient import TestClient

from tests.archive.play import played_match
from tests.pages.folders import HOSTILE, SHORT, report_of
from tests.pages.live import AT_CANARY, Rich, Stage, Told, halls, parsed, positions

CONTAINER, SHIPPING = report_of("container", 1), report_of("shipping", 1)
BOTH = pytest.mark.parametrize("report", [CONTAINER, SHIPPING], ids=["container", "shipping"])


async def heard(found: hall.LiveMatch) -> list[Told]:
    """Return all that somebody is told who reads to the end."""
    out = b""
    with found.channel.listening() as listener:
        while (told := await listener.next()) is not None:
            out += told
    return parsed(out)


def shown(events: list[Told]) -> list[tuple[int, Any]]:
    """Return the tables that a page makes of what it is told, each with the decisions before it."""
    found: list[tuple[int, Any]] = []
    for one in events:
        told = one.json
        if one.event == "scene":
            found.append((told["before"], told["start"]))
        for step in told["steps"] if one.event == "scene" else told if one.event == "steps" else ():
            found.append((step["decisions"], applied(found[-1][1], step.get("to", []))))
    return found


@BOTH
async def test_the_tables_shown_are_what_the_engine_shows_to_spectators(
    report: Any, autojump_clock: trio.testing.MockClock
) -> None:
    stage = Stage(report)
    show = stage.shows[report.setup.match_id]
    async with halls(stage) as lobby, trio.open_nursery() as nursery:
        found = await lobby.match(report.setup.match_id)
        assert found is not None
        events: list[Told] = []

        async def look() -> None:
            events.extend(await heard(found))

        nursery.start_soon(look)
        await show.play(0.1)
    assert shown(events) == positions(report)
    assert [one.event for one in events[:1] + events[-1:]] == ["scene", "over"]
    outcome = report.outcome
    end = events[-1].json
    assert (end["ranks"], end["totals"]) == (list(outcome.ranks), list(outcome.totals))
    counts = [int(one.number) for one in events[:-1]]
    assert counts == sorted(counts)


@BOTH
async def test_whoever_joins_at_any_moment_sees_the_present(
    report: Any, autojump_clock: trio.testing.MockClock
) -> None:
    stage = Stage(report)
    show = stage.shows[report.setup.match_id]
    expected = positions(report)
    for moment, (decisions, position) in enumerate(expected[:-1]):
        async with halls(stage) as lobby:
            found = await lobby.match(report.setup.match_id)
            assert found is not None
            assert found.scene is not None
            told = found.scene.told()
            assert (told["start"], told["steps"], told["before"]) == (position, [], decisions)
            show.step()
            await trio.sleep(1)
            assert found.scene.position == expected[moment + 1][1]


def jumps(told: Any) -> Any:
    """Return what of a page's scene is there to be jumped to."""
    return {name: told[name] for name in ("marks", "faults", "auctions", "accounts") if name in told}


@BOTH
async def test_whoever_joins_late_is_told_what_was_revealed_so_far(
    report: Any, autojump_clock: trio.testing.MockClock
) -> None:
    """As much as those know who have been there from the first decision, by what was sent to either."""
    stage = Stage(report)
    show = stage.shows[report.setup.match_id]
    async with halls(stage) as lobby:
        first = await lobby.match(report.setup.match_id)
        assert first is not None
        with first.channel.listening() as listener:
            known = parsed(await listener.next() or b"")[0].json
            while show.step() and not show.is_over:
                await trio.sleep(0.3)
                while listener._queue:
                    for told in parsed(await listener.next() or b""):
                        for step in told.json:
                            for name in ("marks", "faults", "bands"):
                                known[name] += step.get(name, [])
                            for name, place, one in step.get("more", []):
                                known[name][place:] = [one]
                async with halls(stage) as another:
                    late = await another.match(report.setup.match_id)
                    assert late is not None
                    assert late.scene is not None
                    assert jumps(late.scene.told()) == jumps(known)
    assert len(known["marks"]) > 5
    assert [(one["at"], one["reason"]) for one in known["faults"]] == [(4, "timeout"), (8, "illegal")]
    assert known["bands"][0]["at"] == 1
    assert len({band["label"] for band in known["bands"]}) == len(known["bands"]) > 5


async def test_whoever_joins_late_is_told_nothing_hidden(autojump_clock: trio.testing.MockClock) -> None:
    rich = played_match(1, game=Rich(), seats=3, options=SHORT["container"], match_id="rich-1")
    stage = Stage(rich)
    show = stage.shows["rich-1"]
    while True:
        async with halls(stage) as lobby:
            found = await lobby.match("rich-1")
            assert found is not None
            assert found.scene is not None
            text = json.dumps(found.scene.told())
        if not show.ends:
            break
        assert AT_CANARY.findall(text) == []
        show.step()
    assert AT_CANARY.search(text)  # it would have been found: with the last decision all is open


async def test_an_auction_that_is_joined_is_told_to_its_end(autojump_clock: trio.testing.MockClock) -> None:
    stage = Stage(CONTAINER)
    show = stage.shows["container-1"]
    joined = 0
    expected = positions(CONTAINER)
    for moment, (_, position) in enumerate(expected[:-1]):
        if position["phase"] in ("bid", "extra_bid", "sale"):
            async with halls(stage) as lobby:
                found = await lobby.match("container-1")
                assert found is not None
                assert found.scene is not None
                auction = found.scene.told()["auctions"][-1]
                assert auction["seller"] == position["seat"]
                assert auction["lot"] == position["seats"][position["seat"]]["ship"]["cargo"]
                known = position["auction"]["bids"] if position["phase"] != "bid" else []
                assert [bid for bid in auction["bids"] if bid is not None] == [bid for bid in known if bid is not None]
                joined += 1
        show.step()
        assert moment < len(expected)
    assert joined > 3


def leaks(events: list[Told], report: Any) -> list[str]:
    """Return what spectators were told and may not know before the end, with which everything is open."""
    last = json.dumps(events[-2].json[-1], separators=(",", ":"), ensure_ascii=False)
    text = "".join(one.data for one in events)
    assert last in text
    text = text.replace(last, "")
    is_container = report.setup.game.name == "container"
    words = (report.setup.seed.hex(), *(('"card":"', '"cash":0') if is_container else ()))
    found = [f"{word} is told" for word in words if word in text]
    for decisions, position in shown(events)[:-1]:
        for number, seat in enumerate(position["seats"]):
            secret = {key: seat[key] for key in ("cash", "card") if is_container}
            found += [f"after {decisions} decisions: {key} of {number}" for key in secret if secret[key] is not None]
            found += [f"{one}" for one in seat.get("orders", ()) if one["hidden"] and one["card"] is not None]
        if isinstance(position.get("order_deck"), list):
            found.append("the deck")
    return found


async def all_told(report: Any) -> list[Told]:
    stage = Stage(report)
    events: list[Told] = []
    async with halls(stage) as lobby, trio.open_nursery() as nursery:
        found = await lobby.match(report.setup.match_id)
        assert found is not None

        async def look() -> None:
            events.extend(await heard(found))

        nursery.start_soon(look)
        await stage.shows[report.setup.match_id].play(0.3)
    return events


@BOTH
async def test_nothing_hidden_is_told_before_the_end(report: Any, autojump_clock: trio.testing.MockClock) -> None:
    assert leaks(await all_told(report), report) == []


async def test_what_is_hidden_would_be_found(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spectate, "SPECTATOR", 0)
    found = leaks(await all_told(CONTAINER), CONTAINER)
    assert "after 1 decisions: cash of 0" in found
    assert '"card":" is told' in found


async def test_a_slow_one_gets_the_present_and_keeps_nobody_waiting(autojump_clock: trio.testing.MockClock) -> None:
    stage = Stage(CONTAINER)
    show = stage.shows["container-1"]
    async with halls(stage) as lobby:
        found = await lobby.match("container-1")
        assert found is not None
        with found.channel.listening() as slow, found.channel.listening() as quick:
            first = parsed(await slow.next() or b"")
            quickly: list[Told] = parsed(await quick.next() or b"")
            while show.step():
                await trio.sleep(0.3)
                while quick._queue:
                    quickly += parsed(await quick.next() or b"")
            assert quick.times_behind == 0
            assert slow.times_behind == 1
            assert len(slow._queue) <= channel.MOST_QUEUED
            rest = b""
            while (told := await slow.next()) is not None:
                rest += told
            slowly = parsed(rest)
            while (told := await quick.next()) is not None:
                quickly += parsed(told)
    assert [one.event for one in first] == ["scene"]
    assert slowly[-1].event == "over"
    expected = positions(CONTAINER)
    assert shown(quickly) == expected
    told_late = shown(slowly)
    assert told_late == expected[-len(told_late) :]


async def test_a_snapshot_holds_the_latest_steps_alone(autojump_clock: trio.testing.MockClock) -> None:
    stage = Stage(CONTAINER)
    show = stage.shows["container-1"]
    async with halls(stage) as lobby:
        found = await lobby.match("container-1")
        await show.play(0.01)
        await trio.sleep(1)
        assert found is not None
        events = await heard(found)
    expected = positions(CONTAINER)
    assert len(expected) > KEPT + 1
    assert shown(events) == expected[-KEPT - 1 :]


async def test_a_pages_process_that_does_not_read_is_told_the_present_later(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The serving side gives up what is not taken; it never waits, and never holds more than so much."""
    monkeypatch.setattr(broadcast, "MOST_PENDING", 10)
    stage = Stage(CONTAINER)
    show = stage.shows["container-1"]
    one, other = trio.socket.socketpair()
    one.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_SNDBUF, 4096)
    async with trio.SocketStream(one) as serving, trio.SocketStream(other) as asking, trio.open_nursery() as nursery:
        told = Broadcast(stage)
        nursery.start_soon(told.run, serving)
        await other.send(wire.framed("container-1", wire.BEGIN))
        await trio.sleep(1)
        while show.ends:
            show.step()
            await trio.lowlevel.checkpoint()
            assert len(told._watched["container-1"].pending) <= 10
        assert told._watched["container-1"].is_behind
        lobby = hall.Hall(asking, str)
        found = lobby._matches["container-1"] = hall.LiveMatch("container-1")
        nursery.start_soon(lobby.run)
        await trio.sleep(1)
        assert found.scene is not None
        assert found.scene.position == positions(CONTAINER)[-1][1]
        show.end()
        await trio.sleep(1)
        assert found.over is not None
        nursery.cancel_scope.cancel()


async def test_a_match_costs_nothing_once_nobody_looks(autojump_clock: trio.testing.MockClock) -> None:
    stage = Stage(CONTAINER)
    feed = stage.shows["container-1"].feed
    async with halls(stage) as lobby:
        found = await lobby.match("container-1")
        assert found is not None
        with found.channel.listening():
            await trio.sleep(2 * hall.IDLE_S)
            assert len(feed._told) == 1
        await trio.sleep(2 * hall.IDLE_S)
        assert feed._told == []
        await lobby.rows()
        await trio.sleep(2 * hall.IDLE_S)
        assert not lobby._is_list_wanted
    assert await lobby_match_after_all(stage) is not None


async def lobby_match_after_all(stage: Stage) -> hall.LiveMatch | None:
    async with halls(stage) as lobby:
        return await lobby.match("container-1")


@pytest.mark.parametrize("match_id", ["", "m0", "x" * 10_000, "\0", "../..", "*"])
async def test_a_match_that_does_not_run_is_not_found(match_id: str, autojump_clock: trio.testing.MockClock) -> None:
    async with halls(Stage(CONTAINER)) as lobby:
        assert await lobby.match(match_id) is None
        assert lobby._matches == {}


async def test_a_match_that_just_ended_is_remembered_for_a_while(autojump_clock: trio.testing.MockClock) -> None:
    stage = Stage(CONTAINER)
    async with halls(stage) as lobby:
        found = await lobby.match("container-1")
        assert found is not None
        stage.shows["container-1"].end()
        await trio.sleep(1)
        assert await lobby.match("container-1") is found
        assert [one.event for one in await heard(found)] == ["scene", "over"]
        await trio.sleep(hall.ENDED_S)
        assert await lobby.match("container-1") is None


async def test_those_that_ended_make_room_for_those_that_run(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    monkeypatch.setattr(hall, "MOST_WATCHED", 1)
    other = replace(CONTAINER, setup=replace(CONTAINER.setup, match_id="other"))
    stage = Stage(CONTAINER, other)
    async with halls(stage) as lobby:
        found = await lobby.match("container-1")
        assert found is not None
        with pytest.raises(hall.FullError):
            await lobby.match("other")
        assert await lobby.match("nothing") is None
        stage.shows["container-1"].end()
        await trio.sleep(1)
        with found.channel.listening(), pytest.raises(hall.FullError):
            await lobby.match("other")
        assert await lobby.match("other") is not None


async def test_a_void_match_ends_as_such(autojump_clock: trio.testing.MockClock) -> None:
    stage = Stage(CONTAINER)
    async with halls(stage) as lobby:
        found = await lobby.match("container-1")
        assert found is not None
        stage.shows["container-1"].feed.end(None)
        await trio.sleep(1)
        assert (await heard(found))[-1].json == {"void": True}


async def test_what_cannot_be_read_costs_that_match_alone(autojump_clock: trio.testing.MockClock) -> None:
    other = replace(CONTAINER, setup=replace(CONTAINER.setup, match_id="other"))
    async with halls(Stage(CONTAINER, other)) as lobby:
        found, fine = await lobby.match("container-1"), await lobby.match("other")
        assert found is not None
        lobby._hear("container-1", b"\xff\xff junk")
        assert await lobby.match("other") is fine
        assert found.scene is None


async def test_the_list_is_told_anew_when_it_changes(autojump_clock: trio.testing.MockClock) -> None:
    stage = Stage(CONTAINER, SHIPPING)
    async with halls(stage) as lobby:
        assert [row.match_id for row in await lobby.rows()] == ["container-1", "shipping-1"]
        with lobby.list.listening() as listener:
            assert HOSTILE not in (first := (await listener.next() or b"").decode())
            assert "&lt;script&gt;" in first
            stage.shows["container-1"].step()
            assert "container-1" in (await listener.next() or b"").decode()
            stage.shows["container-1"].end()
            assert "container-1" not in (await listener.next() or b"").decode()
            assert await listener.next() == channel.HEARTBEAT


def test_a_message_keeps_to_its_lines() -> None:
    """What ends a line in a stream is CR, LF or both; of others a JSON text may have any."""
    assert message("x", "a\r\nb\rc\u2028d", 7) == "id: 7\nevent: x\ndata: a\ndata: b\ndata: c\u2028d\n\n".encode()


async def test_frames_come_whole_however_they_are_cut() -> None:
    send, receive = trio.testing.memory_stream_one_way_pair()
    whole = wire.framed("a", b"") + wire.framed("b" * 255, bytes(70_000)) + wire.framed("é", b"x")
    for place in range(0, len(whole), 7_000):
        await send.send_all(whole[place : place + 7_000])
    await send.aclose()
    assert [(topic, len(content)) async for topic, content in wire.frames(receive)] == [
        ("a", 0), ("b" * 255, 70_000), ("é", 1),
    ]  # fmt: skip
    with pytest.raises(ValueError, match="at most 255"):
        wire.framed("é" * 200, b"")


def test_places_are_counted_by_address_and_in_all() -> None:
    crowd = Crowd(3, 2)
    with crowd.place("a") as one, crowd.place("a") as two, crowd.place("a") as three:
        assert (one, two) == ("", "")
        assert "from this address" in three
        with crowd.place("b") as four, crowd.place("c") as five:
            assert four == ""
            assert "try again in a while" in five
        with crowd.place("c") as again:
            assert again == ""
    assert crowd._present == {}


async def test_who_is_one_too_many_is_told_so(tmp_path: Path) -> None:
    pages = Elsewhere(tmp_path)
    pages._crowd = Crowd(most_of_one=0)
    sent: list[Any] = []

    async def send(told: Any) -> None:
        sent.append(told)

    async def receive() -> Any:
        await trio.sleep_forever()

    scope = {"type": "http", "method": "GET", "path": "/live/stream", "client": ("10.0.0.1", 1), "headers": []}
    await pages(scope, receive, send)
    assert sent[0]["status"] == 429
    assert dict(sent[0]["headers"])[b"retry-after"] == b"30"
    assert b"from this address" in sent[1]["body"]


async def test_a_stream_ends_with_its_client(autojump_clock: trio.testing.MockClock) -> None:
    one = Channel(lambda: b"whole")
    sent: list[Any] = []
    gone = trio.Event()

    async def receive() -> Any:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(told: Any) -> None:
        sent.append(told)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(EventStream(one), {"type": "http", "method": "GET"}, receive, send)
        await trio.sleep(channel.HEARTBEAT_S + 1)
        gone.set()
    assert one.listeners == set()
    head, whole, beat, end = sent
    headers = dict(head["headers"])
    assert headers[b"content-type"].startswith(b"text/event-stream")
    assert headers[b"cache-control"] == b"no-store"
    assert (whole["body"], beat["body"], end["body"]) == (b"whole", channel.HEARTBEAT, b"")


def test_without_a_server_there_is_nothing_live(client: TestClient) -> None:
    assert '"/live"' not in client.get("/").text
    assert client.get("/live").status_code == client.get("/live/stream").status_code == 404
    assert client.get("/matches/container-0/stream").status_code == 404


def test_the_tables_of_the_games_are_told_by_their_own_rules() -> None:
    """Who is asked, by what a spectator sees, is who is to act by the rules."""
    for report in (CONTAINER, SHIPPING):
        game, setup = report.setup.game, report.setup
        state = game.initial_state(setup.options, setup.seed)
        table = TABLES[game.name](setup.options, ["a", "b", "c"], SPECTATOR)
        while acting := game.to_act(state):
            assert tuple(table.asked(game.observation(state, SPECTATOR))) == acting
            for seat in acting:
                game.apply_in_place(state, {seat: game.default(state, seat)}, None)
        assert not table.asked(game.observation(state, SPECTATOR))
