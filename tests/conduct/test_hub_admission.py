"""The hub in front of a ladder: tokens that are looked up, sessions by bot and version, and what may come how often."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
import trio
from gavelport.v1 import referee_pb2 as pb
from gavelport_server.conduct.admission import Refusal
from gavelport_server.conduct.hub import HELLO_S, TOKEN_STREAMS, Hub
from gavelport_server.conduct.session import Session
from gavelport_server.lobby.gate import Caller
from gavelport_server.referee.codes import Code
from gavelport_server.referee.report import SeatName
from gavelport_server.transport.link import StatusCode, remote_host
from gavelport_server.transport.memory import MemoryClient, MemoryTransport

from tests.conduct.bots import hello, receive
from tests.conduct.test_hub import status_of

NO_TOKEN = (StatusCode.UNAUTHENTICATED, "the token is missing or not valid here")


@dataclass
class Doorkeeper:
    """An admission with a table of tokens, another that is found by looking, and no rules of its own."""

    table: dict[str, Caller] = field(default_factory=dict)
    findable: dict[str, Caller] = field(default_factory=dict)
    sessions: dict[SeatName, Session] = field(default_factory=dict)
    looked: list[str] = field(default_factory=list)
    answer: trio.Event = field(default_factory=trio.Event)
    refusal: Refusal | None = None
    failure: Exception | None = None

    def known(self, token: str) -> Caller | None:
        return self.table.get(token)

    async def looked_up(self, token: str) -> Caller | None:
        self.looked.append(token)
        await self.answer.wait()
        if self.failure is not None:
            raise self.failure
        return self.findable.get(token)

    def hello(self, caller: Caller, hello: pb.Hello) -> Session | Refusal:
        name = SeatName(caller.bot, hello.bot_version)
        return self.refusal or self.sessions.setdefault(name, Session(name))


class House:
    """A hub with a doorkeeper and the transport to it."""

    def __init__(self) -> None:
        self.keeper = Doorkeeper()
        for bot in ("ann", "ben"):
            self.keeper.table[f"token of {bot}"] = Caller(f"id of {bot}", "bot", bot, bot)
        self.hub = Hub(admission=self.keeper)
        self.transport = MemoryTransport(self.hub)

    def connect(self, token: str = "token of ann", peer: str = "") -> MemoryClient:
        return self.transport.connect({"authorization": f"Bearer {token}"}, peer)


async def test_a_known_token_is_let_in_at_once_and_its_version_finds_the_session() -> None:
    house = House()
    await hello(house.connect(), bot_version="1")
    await hello(house.connect(), bot_version="2")
    assert [session.connected for session in house.keeper.sessions.values()] == [True, True]
    assert list(house.keeper.sessions) == [SeatName("ann", "1"), SeatName("ann", "2")]
    assert house.keeper.looked == []


async def test_the_same_version_fences_and_another_does_not() -> None:
    house = House()
    first, other = house.connect(), house.connect()
    await hello(first, bot_version="1")
    await hello(other, bot_version="2")
    await hello(house.connect(), bot_version="1")
    notice = (await receive(first)).notice
    assert (notice.kind, notice.code) == (pb.NOTICE_KIND_FENCED, Code.FENCED)
    assert await status_of(first) == (
        StatusCode.ABORTED,
        "a newer connection of the same bot and version took over",
    )
    assert house.keeper.sessions[SeatName("ann", "2")].connected


async def test_a_token_that_is_not_known_yet_is_looked_up_while_hello_waits() -> None:
    house = House()
    house.keeper.findable["new"] = Caller("id", "bot", "cat", "cat")
    client = house.connect("new")
    said = pb.Hello(protocol_version=1, bot_version="7")
    await client.send(pb.PlayRequest(hello=said).SerializeToString())
    await trio.testing.wait_all_tasks_blocked()
    assert house.keeper.looked == ["new"]
    house.keeper.answer.set()
    assert (await receive(client)).WhichOneof("message") == "welcome"
    assert list(house.keeper.sessions) == [SeatName("cat", "7")]


async def test_hello_may_come_after_the_look_up_too() -> None:
    house = House()
    house.keeper.findable["new"] = Caller("id", "bot", "cat", "cat")
    house.keeper.answer.set()
    client = house.connect("new")
    await trio.testing.wait_all_tasks_blocked()
    assert (await hello(client, bot_version="7")).session_token


@pytest.mark.parametrize("token", ["", "wrong", "token of ann "])
async def test_a_token_that_is_not_found_is_refused_with_the_one_text(token: str) -> None:
    house = House()
    house.keeper.answer.set()
    client = house.connect(token)
    assert await status_of(client) == NO_TOKEN
    assert house.hub._peers == {}


async def test_nothing_but_hello_is_kept_meanwhile() -> None:
    house = House()
    client = house.connect("new")
    beat = pb.PlayRequest(heartbeat=pb.Heartbeat(number=1)).SerializeToString()
    await client.send(beat)
    await client.send(beat)
    assert (await status_of(client))[0] is StatusCode.INVALID_ARGUMENT
    house.keeper.answer.set()
    await trio.testing.wait_all_tasks_blocked()
    assert house.hub._peers == {}


async def test_a_link_that_is_lost_meanwhile_is_forgotten() -> None:
    house = House()
    house.keeper.findable["new"] = Caller("id", "bot", "cat", "cat")
    client = house.connect("new")
    client.cancel()
    await trio.testing.wait_all_tasks_blocked()
    house.keeper.answer.set()
    await trio.testing.wait_all_tasks_blocked()
    assert house.hub._peers == {}


async def test_a_look_up_that_fails_costs_that_link_only() -> None:
    house = House()
    house.keeper.failure = RuntimeError("no such table: secrets")
    house.keeper.answer.set()
    code, text = await status_of(house.connect("new"))
    assert code is StatusCode.UNAVAILABLE
    assert "secrets" not in text
    await hello(house.connect(), bot_version="1")


async def test_a_guest_that_says_nothing_is_closed(autojump_clock: trio.testing.MockClock) -> None:
    client = House().connect()
    assert (await status_of(client))[0] is StatusCode.DEADLINE_EXCEEDED
    assert trio.current_time() == pytest.approx(HELLO_S)


async def test_only_tokens_of_bots_play() -> None:
    house = House()
    house.keeper.table["admin"] = Caller("id", "admin", "", "")
    assert await status_of(house.connect("admin")) == (
        StatusCode.PERMISSION_DENIED,
        "a bot's token is needed to play, not one of scope admin",
    )


async def test_a_refusal_is_told() -> None:
    house = House()
    house.keeper.refusal = Refusal(StatusCode.FAILED_PRECONDITION, "not today")
    client = house.connect()
    await client.send(pb.PlayRequest(hello=pb.Hello(protocol_version=1)).SerializeToString())
    assert await status_of(client) == (StatusCode.FAILED_PRECONDITION, "not today")
    assert house.hub._peers == {}


async def test_revocation_cuts_the_streams_of_that_token() -> None:
    house = House()
    house.keeper.table["another of ann"] = replace(house.keeper.table["token of ann"], token_id="another")
    ann, silent, other = house.connect(), house.connect(), house.connect("another of ann")
    ben = house.connect("token of ben")
    await hello(ann, bot_version="1")
    await hello(other, bot_version="2")
    await hello(ben, bot_version="1")
    house.hub.revoke("id of ann")
    assert await status_of(ann) == NO_TOKEN
    assert await status_of(silent) == NO_TOKEN
    connected = [name.bot + name.version for name, session in house.keeper.sessions.items() if session.connected]
    assert connected == ["ann2", "ben1"]


async def test_a_token_has_so_many_streams() -> None:
    house = House()
    clients = [house.connect() for _ in range(TOKEN_STREAMS)]
    assert (await status_of(house.connect()))[0] is StatusCode.RESOURCE_EXHAUSTED
    await hello(house.connect("token of ben"), bot_version="1")
    clients[0].cancel()
    await trio.testing.wait_all_tasks_blocked()
    await hello(house.connect(), bot_version="1")


async def test_a_bot_connects_so_often(autojump_clock: trio.testing.MockClock) -> None:
    house = House()

    async def come_and_go() -> None:
        client = house.connect()
        await hello(client, bot_version="1")
        client.cancel()
        await trio.testing.wait_all_tasks_blocked()

    for _ in range(20):
        await come_and_go()
    client = house.connect()
    await client.send(pb.PlayRequest(hello=pb.Hello(protocol_version=1, bot_version="1")).SerializeToString())
    assert await status_of(client) == (
        StatusCode.RESOURCE_EXHAUSTED,
        "ann connects too often; try again in 3 s",
    )
    await hello(house.connect("token of ben"), bot_version="1")
    await trio.sleep(3.1)
    await come_and_go()


async def test_unknown_tokens_from_one_address_are_refused_unseen_after_ten(
    autojump_clock: trio.testing.MockClock,
) -> None:
    house = House()
    house.keeper.answer.set()
    for number in range(10):
        assert await status_of(house.connect("guess", f"ipv4:10.0.0.1:{number}")) == NO_TOKEN
    code, text = await status_of(house.connect("guess", "ipv4:10.0.0.1:99"))
    assert (code, text) == (
        StatusCode.RESOURCE_EXHAUSTED,
        "too many unknown tokens from this address; try again in 6 s",
    )
    assert len(house.keeper.looked) == 10
    # Neither other addresses, nor this machine's own, nor who has a token there.
    assert await status_of(house.connect("guess", "ipv4:10.0.0.2:1")) == NO_TOKEN
    for number in range(20):
        assert await status_of(house.connect("guess", f"ipv4:127.0.0.1:{number}")) == NO_TOKEN
    await hello(house.connect("token of ann", "ipv4:10.0.0.1:100"), bot_version="1")
    await trio.sleep(6.1)
    assert await status_of(house.connect("guess", "ipv4:10.0.0.1:101")) == NO_TOKEN


@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("ipv4:10.0.0.1:80", "10.0.0.1"),
        ("ipv4:127.0.0.1:80", ""),
        ("ipv6:%5B2001:db8::1%5D:80", "2001:db8::1"),
        ("ipv6:[::1]:80", ""),
        ("unix:", ""),
        ("memory:1", ""),
    ],
)
def test_the_address_of_a_peer(peer: str, host: str) -> None:
    assert remote_host(peer) == host


async def test_tokens_of_tournaments_work_beside_it() -> None:
    house = House()
    session = house.hub.admit("process", SeatName("x", "1"))
    await hello(house.connect("process"))
    assert session.connected
    assert house.keeper.looked == []
