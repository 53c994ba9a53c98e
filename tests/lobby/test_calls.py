"""Every RPC on a real socket: each scope, each kind of wrong token, and requests full of nonsense."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
import trio
from gavelport.v1 import archive_pb2
from gavelport_server.lobby import door
from gavelport_server.lobby.desks import SERVICES
from gavelport_server.lobby.door import NO_TOKEN
from gavelport_server.lobby.limits import Rate
from gavelport_server.lobby.tokens import make
from gavelport_server.scaffold import NAME
from gavelport_server.storage.sql import SqlStore
from gavelport_server.transport.home import run as run_as_guest
from gavelport_server.transport.methods import scopes_of
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from structlog.testing import capture_logs

from tests.lobby.world import House, serving

METHODS: list[MethodDescriptor] = [method for service in SERVICES.values() for method in service.methods]
PATIENCE_S = 20
OK = "OK"


class Caller:
    """A connection for many calls."""

    def __init__(self, target: str) -> None:
        self.channel = grpc.insecure_channel(target)

    def code(self, method: MethodDescriptor, request: bytes, token: str | None) -> tuple[str, str]:
        """How a call ends; of a stream, how its first answers do."""
        path = f"/{method.containing_service.full_name}/{method.name}"
        metadata = () if token is None else (("authorization", f"Bearer {token}"),)
        try:
            if method.server_streaming:
                stream: Any = self.channel.unary_stream(path)
                call = stream(request, metadata=metadata, timeout=PATIENCE_S)
                for _ in call:
                    call.cancel()
                    break
            else:
                unary: Any = self.channel.unary_unary(path)
                unary(request, metadata=metadata, timeout=PATIENCE_S)
        except grpc.RpcError as error:
            found: Any = error
            return found.code().name, found.details()
        return OK, ""


def on_socket(house: House, act: Callable[[Caller], Any], run: Callable[..., Any] = trio.run) -> Any:
    async def main() -> Any:
        async with serving(house) as target:
            caller = Caller(target)
            try:
                return await trio.to_thread.run_sync(act, caller)
            finally:
                caller.channel.close()

    return run(main)


@pytest.fixture(params=["memory", "postgres"])
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """A house over the forgiving store and over the strict one."""
    if request.param == "memory":
        yield House(tmp_path)
    else:
        with closing(SqlStore(request.getfixturevalue("postgres_url"))) as store:
            yield House(tmp_path, store)


@pytest.fixture
def full(stored: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """A house with two matches, where nobody is slowed down."""
    house = stored
    house.play("m0", ["ant", "bee", "cow"])
    house.play("m1", ["cow", "asp", "bee"])
    plenty = Rate(burst=1e9, per_s=1e9)
    monkeypatch.setattr(door, "CALLS", plenty)
    monkeypatch.setattr(door, "FAILURES", plenty)
    monkeypatch.setattr(door, "SPARING", {})
    return house


def tokens(house: House) -> dict[str, str]:
    """A token of each scope."""
    return {
        "bot": house.token("bot", owner="ann", bot="ant"),
        "owner": house.token("owner", owner="ann"),
        "spectator": house.token("spectator"),
        "admin": house.token("admin"),
    }


@pytest.mark.parametrize("run", [trio.run, run_as_guest], ids=["thread", "guest"])
def test_each_rpc_takes_the_scopes_that_it_declares_and_no_others(full: House, run: Callable[..., Any]) -> None:
    given = tokens(full)

    def act(caller: Caller) -> dict[tuple[str, str], str]:
        return {
            (method.name, scope): caller.code(method, b"", given[scope])[0] for method in METHODS for scope in given
        }

    codes = on_socket(full, act, run)
    for method in METHODS:
        for scope in given:
            code = codes[method.name, scope]
            if scope in scopes_of(method):
                assert code not in ("PERMISSION_DENIED", "UNAUTHENTICATED", "INTERNAL", "UNKNOWN"), (method.name, scope)
            else:
                assert code == "PERMISSION_DENIED", (method.name, scope, code)


def test_whatever_is_wrong_with_a_token_is_told_in_the_same_words(full: House) -> None:
    good = tokens(full)["admin"]
    revoked = full.token("admin")
    full.store.revoke_token(revoked[3:19], "2030-01-01T10:00:00+00:00")
    wrong = {
        "none": None,
        "empty": "",
        "nonsense": "x" * 3000,
        "unknown": make("admin", now=datetime.now(UTC))[0],
        "forged": good[:-4] + ("AAAA" if good[-4:] != "AAAA" else "BBBB"),
        "expired": full.token("admin", expires_in=timedelta(seconds=-1)),
        "revoked": revoked,
    }

    def act(caller: Caller) -> set[tuple[str, str]]:
        kinds = [method for method in METHODS if method.name in ("ListBots", "DownloadReplays", "Watch", "GetStatus")]
        return {caller.code(method, b"", token) for token in wrong.values() for method in kinds}

    assert on_socket(full, act) == {("UNAUTHENTICATED", NO_TOKEN)}


TEXTS = [
    "", "ant", "main", "m0", "container", "..", "/etc/passwd", "'; drop table bot; --", "%", "_", "\0", "\n", "☂",
    "\u202e", "a" * 5000, "2026-01-01", "9" * 400, "e30=", "gp_", "-1", "NaN", "{}", "\U0010ffff",
]  # fmt: skip
NUMBERS = [0, 1, 2, 100, 501, 2**31 - 1, 2**32 - 1]


def nonsense(rng: random.Random, message: Message) -> Message:
    """A message with anything in its fields."""
    for field in message.DESCRIPTOR.fields:
        if rng.random() < 0.3:
            continue
        if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
            nonsense(rng, getattr(message, field.name))
        elif field.is_repeated:
            getattr(message, field.name).extend(rng.choice(TEXTS) for _ in range(rng.choice((1, 3, 40))))
        else:
            setattr(message, field.name, value(rng, field))
    return message


def value(rng: random.Random, field: Any) -> object:
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_STRING:
            text = rng.choice(TEXTS)
            return text.encode() if field.type == FieldDescriptor.TYPE_BYTES else text
        case FieldDescriptor.CPPTYPE_BOOL:
            return rng.random() < 0.5
        case FieldDescriptor.CPPTYPE_ENUM:
            return rng.choice((0, 1, 2, 3, 4, 99))
        case _:
            return rng.choice(NUMBERS)


def requests(rounds: int) -> Iterator[tuple[MethodDescriptor, bytes]]:
    for method in METHODS:
        rng = random.Random(f"nonsense of {method.name}")  # so that a new method changes nothing for the others
        for _ in range(rounds):
            request = GetMessageClass(method.input_type)()
            yield method, nonsense(rng, request).SerializeToString()


def test_nonsense_is_answered_or_refused_and_breaks_nothing(full: House) -> None:
    given = tokens(full)

    def act(caller: Caller) -> list[tuple[str, str, str]]:
        return [
            (method.name, *caller.code(method, request, given[scope]))
            for method, request in requests(12)
            for scope in sorted(scopes_of(method) & {"owner", "admin", "bot"})[:2]
        ]

    with capture_logs() as logs:
        ended = on_socket(full, act)
    assert [entry for entry in logs if entry["log_level"] == "error"] == []
    assert {code for _, code, _ in ended} <= {
        OK, "INVALID_ARGUMENT", "NOT_FOUND", "PERMISSION_DENIED", "FAILED_PRECONDITION", "ALREADY_EXISTS",
        "RESOURCE_EXHAUSTED",
    }  # fmt: skip
    assert {name for name, code, _ in ended if code == OK} > {"ListBots", "ListTokens", "ListMatches"}
    longest = max((text for *_, text in ended), key=len)
    assert len(longest) < 400, f"what came from outside is not told back at length: {longest}"
    assert all(NAME.fullmatch(bot.name) for bot in full.store.bots()), "and no name of nonsense was taken"


def test_a_text_with_a_nul_is_refused_and_its_field_named(full: House) -> None:
    admin = tokens(full)["admin"]
    listing = SERVICES["ReplayService"].methods_by_name["ListMatches"]
    request = archive_pb2.ListMatchesRequest(filter=archive_pb2.MatchFilter(bot="be\0e"))

    def act(caller: Caller) -> tuple[str, str]:
        return caller.code(listing, request.SerializeToString(), admin)

    assert on_socket(full, act) == ("INVALID_ARGUMENT", "filter.bot has the sign NUL (\\0) in it; leave it out")


def test_bytes_that_are_no_request_are_refused(full: House) -> None:
    rng = random.Random(2)
    admin = tokens(full)["admin"]
    junk = [rng.randbytes(rng.choice((1, 5, 50, 500))) for _ in range(10)] + [b"\xff" * 60_000]

    def act(caller: Caller) -> set[str]:
        return {caller.code(method, each, admin)[0] for method in METHODS for each in junk}

    assert "INTERNAL" not in on_socket(full, act)


def test_a_flood_of_one_token_is_told_when_to_come_back_and_spares_others(house: House) -> None:
    given = tokens(house)
    listing = SERVICES["LobbyService"].methods_by_name["ListBots"]

    def act(caller: Caller) -> tuple[list[str], str]:
        flood = [caller.code(listing, b"", given["owner"]) for _ in range(200)]
        return [code for code, _ in flood], caller.code(listing, b"", given["admin"])[0]

    codes, other = on_socket(house, act)
    assert codes[:60] == [OK] * 60
    assert set(codes) == {OK, "RESOURCE_EXHAUSTED"}
    assert other == OK
