from __future__ import annotations

import pytest
import trio
from gavelport.v1 import referee_pb2 as pb
from gavelport_server.conduct.hub import HELLO_S, MALFORMED_MOST, Hub
from gavelport_server.conduct.match import conduct_match
from gavelport_server.conduct.peer import IDLE_BURST, IDLE_PER_S
from gavelport_server.conduct.session import SessionGoneError
from gavelport_server.referee.codes import Code
from gavelport_server.referee.core import MAX_FAULTS, TRIES
from gavelport_server.referee.report import SeatName
from gavelport_server.transport.link import StatusCode
from gavelport_server.transport.memory import MemoryClient, MemoryTransport, StreamEnded

from tests.conduct.bots import Table, hello, match_setup, receive


async def status_of(client: MemoryClient) -> tuple[StatusCode, str]:
    """How the stream ends, after whatever else comes."""
    try:
        while True:
            await client.receive()
    except StreamEnded as ended:
        return ended.status.code, ended.status.text


# -- who may come in


TOKENS: list[dict[str, str]] = [
    {},
    {"authorization": ""},
    {"authorization": "Bearer"},
    {"authorization": "Bearer wrong"},
    {"authorization": "Bearer token-00"},
    {"authorization": "Basic token-0"},
    {"authorization": "token-0"},
    {"authorization": "Bearer  token-0"},
    {"token": "token-0"},
]


@pytest.mark.parametrize("metadata", TOKENS)
async def test_one_text_for_all_that_can_be_wrong_with_a_token(metadata: dict[str, str]) -> None:
    table = Table()
    client = table.transport.connect(metadata)
    assert await status_of(client) == (
        StatusCode.UNAUTHENTICATED,
        "the token is missing or not valid here",
    )


async def test_welcome_says_the_limits() -> None:
    table = Table()
    welcome = await hello(table.connect(0), max_matches=3)
    assert welcome.session_token
    assert welcome.server.startswith("gavelport ")
    assert not welcome.resumed
    assert welcome.limits == pb.Limits(
        max_message_bytes=64 * 1024, max_note_bytes=1024, tries=TRIES, max_faults=MAX_FAULTS
    )
    assert table.sessions[0].connected
    assert table.sessions[0].max_matches == 3
    assert not table.sessions[1].connected


async def test_a_token_belongs_to_one_session() -> None:
    hub = Hub()
    hub.admit("t", SeatName("a", "1"))
    with pytest.raises(ValueError, match="a token of its own"):
        hub.admit("t", SeatName("b", "1"))


async def test_a_bot_that_says_nothing_is_closed(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()
    client = table.connect(0)
    assert await status_of(client) == (StatusCode.DEADLINE_EXCEEDED, "no Hello within 5 s")
    assert trio.current_time() == pytest.approx(HELLO_S)


async def test_a_bot_that_said_hello_is_left_alone(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()
    await hello(table.connect(0))
    await trio.sleep(100 * HELLO_S)
    assert table.sessions[0].connected


@pytest.mark.parametrize("first", [pb.PlayRequest(heartbeat=pb.Heartbeat()), pb.PlayRequest(answer=pb.Answer())])
async def test_hello_comes_first(first: pb.PlayRequest) -> None:
    client = Table().connect(0)
    await client.send(first.SerializeToString())
    assert (await status_of(client))[0] is StatusCode.INVALID_ARGUMENT


async def test_another_protocol_version_is_named() -> None:
    client = Table().connect(0)
    await client.send(pb.PlayRequest(hello=pb.Hello(protocol_version=2)).SerializeToString())
    assert await status_of(client) == (
        StatusCode.FAILED_PRECONDITION,
        "the bot speaks protocol version 2, this server 1; use an SDK that fits",
    )


async def test_hello_is_said_once() -> None:
    client = Table().connect(0)
    await hello(client)
    await client.send(pb.PlayRequest(hello=pb.Hello(protocol_version=1)).SerializeToString())
    assert (await receive(client)).notice.code == Code.HELLO_TWICE


async def test_heartbeats_are_answered() -> None:
    client = Table().connect(0)
    await hello(client)
    await client.send(pb.PlayRequest(heartbeat=pb.Heartbeat(number=12)).SerializeToString())
    assert (await receive(client)).heartbeat.number == 12


# -- fencing and coming back


async def test_a_newer_connection_fences_the_older() -> None:
    table = Table()
    old = table.connect(0)
    await hello(old)
    new = table.connect(0)
    await hello(new)
    notice = (await receive(old)).notice
    assert (notice.kind, notice.code) == (pb.NOTICE_KIND_FENCED, Code.FENCED)
    assert (await status_of(old))[0] is StatusCode.ABORTED
    assert table.sessions[0].connected
    await new.send(pb.PlayRequest(heartbeat=pb.Heartbeat(number=1)).SerializeToString())
    assert (await receive(new)).heartbeat.number == 1


async def test_of_those_who_have_not_said_hello_only_the_newest_stays() -> None:
    table = Table()
    first, second = table.connect(0), table.connect(0)
    assert (await status_of(first))[0] is StatusCode.ABORTED
    await hello(second)


async def test_a_link_without_hello_takes_nothing_over() -> None:
    table = Table()
    old = table.connect(0)
    await hello(old)
    table.connect(0)
    await old.send(pb.PlayRequest(heartbeat=pb.Heartbeat(number=5)).SerializeToString())
    assert (await receive(old)).heartbeat.number == 5


async def test_a_session_goes_on_with_its_token_and_only_with_it() -> None:
    table = Table()
    client = table.connect(0)
    welcome = await hello(client)
    client.cancel()
    await trio.testing.wait_all_tasks_blocked()
    assert not table.sessions[0].connected
    other = await hello(table.connect(1), session_token=welcome.session_token)
    assert not other.resumed  # it is another bot's
    again = await hello(table.connect(0), session_token=welcome.session_token)
    assert again.resumed
    assert again.session_token != welcome.session_token
    stale = await hello(table.connect(0), session_token=welcome.session_token)
    assert not stale.resumed
    assert not (await hello(table.connect(2), session_token="")).resumed


async def test_a_match_that_nobody_knows_any_more_is_named_on_a_return() -> None:
    table = Table()
    client = table.connect(0)
    resume = [pb.Resume(match_id="of yore", last_event=7)]
    await hello(client, resume=resume)
    notice = (await receive(client)).notice
    assert (notice.code, notice.match_id) == (Code.UNKNOWN_MATCH, "of yore")


# -- sessions


async def test_waiting_for_a_bot(nursery: trio.Nursery) -> None:
    table = Table()
    seen: list[bool] = []

    async def wait() -> None:
        await table.sessions[0].wait_connected()
        seen.append(True)

    nursery.start_soon(wait)
    await trio.testing.wait_all_tasks_blocked()
    assert not seen
    await hello(table.connect(0))
    await trio.testing.wait_all_tasks_blocked()
    assert seen


async def test_a_bot_that_is_gone_is_not_waited_for(nursery: trio.Nursery) -> None:
    table = Table()

    async def wait() -> None:
        with pytest.raises(SessionGoneError, match="bot0: exit code 1"):
            await table.sessions[0].wait_connected()

    nursery.start_soon(wait)
    await trio.testing.wait_all_tasks_blocked()
    table.sessions[0].gone("exit code 1")
    table.sessions[0].gone("again")
    assert table.sessions[0].gone_reason == "exit code 1"
    assert (await status_of(table.connect(0)))[0] is StatusCode.UNAUTHENTICATED


async def test_nobody_takes_the_place_of_a_process_that_has_ended(nursery: trio.Nursery) -> None:
    """Not even on a stream that was open before: its Hello would have voided the match."""
    table = Table()
    for seat in range(4):
        await hello(table.connect(seat))
    second = table.connect(0)
    nursery.start_soon(lambda: conduct_match(match_setup(), table.sessions, reveal=True))
    await trio.testing.wait_all_tasks_blocked()
    table.sessions[0].gone("exit code 1")
    await second.send(pb.PlayRequest(hello=pb.Hello(protocol_version=1)).SerializeToString())
    assert (await status_of(second))[0] is StatusCode.UNAUTHENTICATED
    assert list(table.sessions[1].places) == ["match-1"]
    nursery.cancel_scope.cancel()


async def test_a_dismissed_bot_is_told_ok_and_its_token_is_worth_nothing() -> None:
    table = Table()
    client = table.connect(0)
    await hello(client)
    table.hub.dismiss(table.sessions[0])
    assert (await status_of(client))[0] is StatusCode.OK
    assert (await status_of(table.connect(0)))[0] is StatusCode.UNAUTHENTICATED
    table.hub.admit("token-0", SeatName("bot0", "2"))


async def test_the_transport_may_end_under_the_hub() -> None:
    table = Table()
    clients = [table.connect(0), table.connect(1)]
    await hello(clients[0])
    await table.transport.aclose()
    assert not table.sessions[0].connected
    assert table.hub._peers == {}


# -- junk and floods


@pytest.mark.parametrize("junk", [b"\xff", b"\x0a\x05", b"\x12\xff\xff\xff\xff\x0f", b"", b"\x7a\x00"])
async def test_junk_is_answered_and_counted_and_at_last_costs_the_link(junk: bytes) -> None:
    table = Table()
    client = table.connect(0)
    await hello(client)
    for _ in range(MALFORMED_MOST):
        await client.send(junk)
        notice = (await receive(client)).notice
        assert (notice.kind, notice.code) == (pb.NOTICE_KIND_PROTOCOL, Code.MALFORMED)
        assert table.sessions[0].complaint == f"malformed: {notice.sentence}"
    await client.send(junk)
    assert await status_of(client) == (StatusCode.INVALID_ARGUMENT, "too many messages that cannot be read")
    assert table.sessions[0].complaint == "too many messages that cannot be read"
    assert not table.sessions[0].connected


async def test_junk_before_hello_is_counted_too() -> None:
    client = Table().connect(0)
    await client.send(b"\xff")
    assert (await receive(client)).notice.code == Code.MALFORMED


async def test_a_flood_costs_the_link(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()
    client = table.connect(0)
    await hello(client)
    beat = pb.PlayRequest(heartbeat=pb.Heartbeat(number=1)).SerializeToString()
    for _ in range(int(IDLE_BURST)):
        await client.send(beat)
        assert (await receive(client)).heartbeat.number == 1
    await client.send(beat)
    assert (await status_of(client))[0] is StatusCode.RESOURCE_EXHAUSTED
    assert not table.sessions[0].connected


async def test_a_steady_stream_below_the_rate_is_no_flood(autojump_clock: trio.testing.MockClock) -> None:
    client = Table().connect(0)
    await hello(client)
    beat = pb.PlayRequest(heartbeat=pb.Heartbeat(number=1)).SerializeToString()
    for _ in range(2000):
        await client.send(beat)
        assert (await receive(client)).heartbeat.number == 1
        await trio.sleep(1 / IDLE_PER_S)


async def test_a_match_that_is_not_ones_own_is_unknown() -> None:
    client = Table().connect(0)
    await hello(client)
    await client.send(pb.PlayRequest(answer=pb.Answer(match_id="of others", decision_id=1)).SerializeToString())
    notice = (await receive(client)).notice
    assert (notice.code, notice.match_id) == (Code.UNKNOWN_MATCH, "of others")


async def test_nothing_is_heard_of_a_link_that_was_refused() -> None:
    hub = Hub()
    client = MemoryTransport(hub).connect({"authorization": "Bearer none"})
    hub.received(client.link, b"anything", 0.0)
    assert (await status_of(client))[0] is StatusCode.UNAUTHENTICATED
