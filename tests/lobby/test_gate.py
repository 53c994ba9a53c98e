"""Who gets in: tokens made, read, revoked, expired, and presented by the thousand."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest
import trio
from gavelport_server.lobby import gate as gate_room
from gavelport_server.lobby.door import CALLS, FAILURES, NO_TOKEN, SPARING, Door
from gavelport_server.lobby.gate import Caller, Gate
from gavelport_server.lobby.limits import Buckets, Rate
from gavelport_server.lobby.tokens import is_open, make, parse
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.memory import MemoryStore
from gavelport_server.transport.link import ServiceError
from gavelport_server.transport.services import Call

NOW = datetime(2026, 3, 1, 12, 0, 30, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = NOW
        self.s = 0.0

    def __call__(self) -> datetime:
        return self.now

    def seconds(self) -> float:
        return self.s


class CountedStore(MemoryStore):
    """Counts how often it is looked into, and may be out of reach."""

    looks = 0
    is_broken = False

    def members_revision(self) -> int:
        self.looks += 1
        if self.is_broken:
            raise StoreError("the database is out of reach")
        return super().members_revision()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store() -> CountedStore:
    made = CountedStore()
    made.add_owner("ann")
    made.add_bot("ant", "ann")
    return made


def token(store: MemoryStore, **settings: int) -> str:
    text, record = make("bot", owner="ann", bot="ant", now=NOW, expires_in=timedelta(**settings) if settings else None)
    store.add_token(record)
    return text


def test_a_token_holds_an_id_and_256_bits_and_is_kept_as_a_hash() -> None:
    text, record = make("owner", owner="ann", note="laptop", now=NOW)
    kind, token_id, secret = text.split("_", 2)
    assert (kind, token_id, len(secret)) == ("gp", record.id, 43)
    presented = parse(text)
    assert presented is not None
    assert (presented.id, presented.digest) == (record.id, record.digest)
    assert secret not in repr(record)
    assert secret not in repr(presented)
    assert record.created_at == "2026-03-01T12:00:30+00:00"


@pytest.mark.parametrize(
    "text", ["", "gp_", "gp_0123456789abcdef_short", "GP_0123456789ABCDEF_" + "a" * 43, "x" * 100_000, "gp_☂", "\0"]
)
def test_what_is_no_token_is_none(text: str) -> None:
    assert parse(text) is None


def test_tokens_are_never_alike() -> None:
    assert len({make("bot", now=NOW)[0] for _ in range(1000)}) == 1000


def test_a_token_is_open_until_its_time_is_over() -> None:
    _, record = make("bot", now=NOW, expires_in=timedelta(days=1))
    assert [is_open(record, NOW + timedelta(hours=hours)) for hours in (0, 23, 24)] == [True, True, False]


async def test_only_the_whole_token_opens(store: CountedStore, clock: Clock) -> None:
    text, other = token(store), token(store)
    gate = Gate(store, now=clock)
    assert gate.caller(text) is None, "not before the table is filled"
    await gate.refresh()
    caller = gate.caller(text)
    assert caller is not None
    assert (caller.scope, caller.owner, caller.bot) == ("bot", "ann", "ant")
    mixed = text[:20] + other[20:]
    changed = text[:-2] + ("A" if text[-2] != "A" else "B") + text[-1]
    unknown, _ = make("admin", now=NOW)
    assert [gate.caller(one) for one in (mixed, changed, unknown, text + "x", text[:-1], "")] == [None] * 6


async def test_listeners_are_told_once_of_revoked_and_expired_tokens(store: CountedStore, clock: Clock) -> None:
    revoked, expiring, lasting = token(store), token(store, minutes=1), token(store)
    gate = Gate(store, now=clock)
    told: list[str] = []
    gate.on_revoked(told.append)
    await gate.refresh()
    assert told == []
    store.revoke_token(revoked[3:19], "2026-03-01T12:00:31+00:00")
    await gate.refresh()
    assert told == [revoked[3:19]]
    clock.now += timedelta(minutes=1)
    assert gate.caller(expiring) is None, "without waiting for the next look"
    await gate.refresh()
    await gate.refresh()
    assert told == [revoked[3:19], expiring[3:19]]
    assert gate.caller(revoked) is None
    assert gate.caller(lasting) is not None
    assert [gate.is_open(text[3:19]) for text in (revoked, expiring, lasting)] == [False, False, True]


async def run_while(gate: Gate, act: Callable[[], Awaitable[None]]) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(gate.run)
        await act()
        nursery.cancel_scope.cancel()


async def test_a_running_gate_finds_new_tokens_at_once_and_revoked_ones_within_a_second(
    store: CountedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate_room, "SOONEST_S", 0.02)
    gate = Gate(store)

    async def act() -> None:
        text = token(store)
        with trio.fail_after(0.9):
            assert await gate.caller_after_refresh(text) is not None
        revoked = trio.Event()
        gate.on_revoked(lambda _: revoked.set())
        store.revoke_token(text[3:19], "2026-03-01T12:00:31+00:00")
        with trio.fail_after(1.5):
            await revoked.wait()
        assert await gate.caller_after_refresh(text) is None

    await run_while(gate, act)


async def test_a_flood_of_unknown_tokens_looks_into_the_database_a_few_times(store: CountedStore) -> None:
    gate = Gate(store)

    async def act() -> None:
        await trio.sleep(0.05)
        before = store.looks
        async with trio.open_nursery() as nursery:
            for _ in range(1000):
                nursery.start_soon(gate.caller_after_refresh, make("bot", now=NOW)[0])
            nursery.start_soon(gate.caller_after_refresh, "no token at all")
        assert store.looks - before <= 2

    await run_while(gate, act)


async def test_a_database_out_of_reach_leaves_the_table_as_it_was(store: CountedStore) -> None:
    text = token(store)
    gate = Gate(store)

    async def act() -> None:
        assert await gate.caller_after_refresh(text) is not None
        store.is_broken = True
        assert await gate.caller_after_refresh(make("bot", now=NOW)[0]) is None
        assert gate.caller(text) is not None
        store.is_broken = False
        assert await gate.caller_after_refresh(token(store)) is not None

    await run_while(gate, act)


async def test_the_last_use_is_written_once_a_minute(store: CountedStore) -> None:
    text = token(store)
    gate = Gate(store, now=lambda: NOW)
    revision = store.members_revision()

    async def act() -> None:
        await gate.caller_after_refresh(text)
        for _ in range(2):
            await gate.caller_after_refresh(make("bot", now=NOW)[0])

    await run_while(gate, act)
    (kept,) = store.tokens()
    assert kept.last_used_at == "2026-03-01T12:00:00+00:00"
    assert store.members_revision() == revision, "a use is no change"


# -- the door


def call(text: str, rpc: str = "ListBots", scopes: tuple[str, ...] = ("bot",), host: str = "192.0.2.1") -> Call:
    return Call(rpc, frozenset(scopes), f"Bearer {text}" if text else "", host)


async def refusal(door: Door, shown: Call) -> tuple[str, str]:
    with pytest.raises(ServiceError) as refused:
        await door.admit(shown)
    return refused.value.code.name, refused.value.text


class StillGate(Gate):
    """Does not look again."""

    async def caller_after_refresh(self, token_text: str) -> Caller | None:
        await trio.lowlevel.checkpoint()
        return None


@pytest.fixture
async def door(store: CountedStore, clock: Clock) -> Door:
    gate = StillGate(store, now=clock)
    await gate.refresh()
    return Door(gate, clock.seconds)


async def test_all_that_can_be_wrong_with_a_token_has_one_text(store: CountedStore, clock: Clock) -> None:
    good, gone, old = token(store), token(store), token(store, seconds=-1)
    store.revoke_token(gone[3:19], "2026-03-01T12:00:00+00:00")
    gate = StillGate(store, now=clock)
    await gate.refresh()
    door = Door(gate, clock.seconds)
    assert (await door.admit(call(good))).bot == "ant"
    shown = [call(""), call("x"), call(gone), call(old), call(good[:-3] + "AAA"), call(make("bot", now=NOW)[0])]
    shown.append(Call("ListBots", frozenset({"bot"}), f"Basic {good}", ""))
    assert {await refusal(door, one) for one in shown} == {("UNAUTHENTICATED", NO_TOKEN)}


async def test_a_scope_that_does_not_fit_is_told_with_those_that_do(store: CountedStore, clock: Clock) -> None:
    text = token(store)
    gate = Gate(store, now=clock)
    await gate.refresh()
    assert await refusal(Door(gate, clock.seconds), call(text, "SetBanned", ("owner", "admin"))) == (
        "PERMISSION_DENIED",
        "this takes a token of scope admin, owner; this one is of scope bot",
    )


async def test_who_guesses_is_slowed_and_who_has_a_token_is_not(store: CountedStore, clock: Clock, door: Door) -> None:
    codes = [(await refusal(door, call("gp_nonsense")))[0] for _ in range(25)]
    assert codes == ["UNAUTHENTICATED"] * 20 + ["RESOURCE_EXHAUSTED"] * 5
    assert (await refusal(door, call("gp_nonsense", host="192.0.2.2")))[0] == "UNAUTHENTICATED"
    text = token(store)
    await door._gate.refresh()
    assert (await door.admit(call(text))).bot == "ant", "from the same address"
    clock.s += 6 / FAILURES.per_s
    codes = [(await refusal(door, call("gp_nonsense")))[0] for _ in range(7)]
    assert codes == ["UNAUTHENTICATED"] * 6 + ["RESOURCE_EXHAUSTED"]


async def test_a_token_calls_no_oftener_than_it_may(store: CountedStore, clock: Clock) -> None:
    one, other = token(store), token(store)
    gate = Gate(store, now=clock)
    await gate.refresh()
    door = Door(gate, clock.seconds)
    for _ in range(int(CALLS.burst)):
        await door.admit(call(one))
    with pytest.raises(ServiceError, match=r"too many calls with this token; try again in 0\.1 s") as refused:
        await door.admit(call(one))
    assert refused.value.retry_s == 0.1
    await door.admit(call(other))
    clock.s += 1
    for _ in range(int(CALLS.per_s)):
        await door.admit(call(one))
    for _ in range(int(SPARING["Challenge"].burst)):
        await door.admit(call(other, "Challenge"))
    with pytest.raises(ServiceError, match=r"too many calls of this kind with this token; try again in 30\.0 s"):
        await door.admit(call(other, "Challenge"))


def test_a_bucket_fills_and_full_ones_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gavelport_server.lobby.limits._MOST_KEYS", 3)
    buckets = Buckets(Rate(burst=2, per_s=0.5))
    assert [buckets.take("a", 0) for _ in range(3)] == [0, 0, 2]
    assert [buckets.take("a", at) for at in (1, 2, 2)] == [1, 0, 2]
    for key in range(10):
        buckets.take(key, 100 + 2 * key)
    assert len(buckets._left) <= 3
