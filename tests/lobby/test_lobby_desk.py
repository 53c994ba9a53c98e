"""An owner's side: bots, versions, tokens, challenges, faults; and that foreign bots look like unknown ones."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from gavelport.v1 import access_pb2, lobby_pb2
from gavelport_server.lobby import registration, token_desk
from gavelport_server.lobby.gate import Caller
from gavelport_server.lobby.own import quoted
from gavelport_server.lobby.tokens import parse
from gavelport_server.transport.link import ServiceError

from tests.lobby.world import ADMIN, ANN, ANT, BOB, House

EVIL = ["", "A", "a" * 41, "../x", "a b", "ä", "a\0", "'; drop table bot; --", "\u202ea", "☂", "x\n", " ant"]


async def ask(house: House, method: str, caller: Caller, **fields: Any) -> Any:
    name = "".join(word.capitalize() for word in method.split("_")) + "Request"
    return await house.ask("LobbyService", method, caller, getattr(lobby_pb2, name)(**fields))


async def refusal(house: House, method: str, caller: Caller, **fields: Any) -> tuple[str, str]:
    with pytest.raises(ServiceError) as refused:
        await ask(house, method, caller, **fields)
    return refused.value.code.name, refused.value.text


async def test_an_owner_registers_a_bot_once_and_again(house: House) -> None:
    first = await ask(house, "register_bot", ANN, name="wasp")
    assert (first.bot.name, first.bot.owner, first.bot.status) == ("wasp", "ann", "active")
    assert await ask(house, "register_bot", ANN, name="wasp") == first
    assert house.live.refreshed == 2


@pytest.mark.parametrize("name", EVIL)
async def test_a_name_that_is_none_is_refused(house: House, name: str) -> None:
    code, text = await refusal(house, "register_bot", ANN, name=name)
    assert code == "INVALID_ARGUMENT"
    assert "is no name of a bot: 1 to 40 lower-case letters, digits, _ or -, the first a letter" in text
    assert name not in {bot.name for bot in house.store.bots()}


async def test_a_name_that_is_taken_or_a_sample_bot_s_is_refused(house: House) -> None:
    assert await refusal(house, "register_bot", ANN, name="bee") == (
        "ALREADY_EXISTS",
        "the name bee is taken; choose another",
    )
    code, text = await refusal(house, "register_bot", ANN, name="trader")
    assert (code, "sample bot" in text) == ("ALREADY_EXISTS", True)


async def test_an_owner_has_no_more_bots_than_the_most(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registration, "MAX_BOTS", 3)
    await ask(house, "register_bot", ANN, name="wasp")
    assert (await refusal(house, "register_bot", ANN, name="moth"))[0] == "RESOURCE_EXHAUSTED"


async def test_only_an_admin_registers_for_others(house: House) -> None:
    assert (await refusal(house, "register_bot", ANN, name="wasp", owner="bob"))[0] == "PERMISSION_DENIED"
    assert (await ask(house, "register_bot", ADMIN, name="wasp", owner="dora")).bot.owner == "dora"
    assert (await refusal(house, "register_bot", ADMIN, name="moth"))[0] == "INVALID_ARGUMENT"


async def test_bots_are_listed_for_their_owners(house: House) -> None:
    house.store.add_version("ant", "2")
    house.store.pin_version("ant", "1")

    async def names(caller: Caller) -> list[str]:
        return [bot.name for bot in (await ask(house, "list_bots", caller)).bots]

    assert [await names(caller) for caller in (ANN, BOB, ANT)] == [["ant", "asp"], ["bee"], ["ant"]]
    assert len(await names(ADMIN)) == 5
    ant, asp = (await ask(house, "list_bots", ANN)).bots
    assert (ant.version, ant.pinned_version, list(ant.versions), ant.connected) == ("1", "1", ["1", "2"], True)
    assert (asp.version, asp.pinned_version, asp.connected) == ("1", "", False)


FOREIGN = [
    ("set_withdrawn", {"withdrawn": True}),
    ("set_version", {"version": "1"}),
    ("challenge", {"opponents": ["cow"], "ladder": "main"}),
    ("list_faults", {}),
    ("create_token", {"scope": access_pb2.SCOPE_BOT}),
]


@pytest.mark.parametrize(("method", "fields"), FOREIGN)
async def test_a_foreign_bot_looks_like_an_unknown_one(house: House, method: str, fields: dict[str, Any]) -> None:
    told = {
        name: (code, text.replace(name, "…"))
        for name in ("bee", "nobody")
        for code, text in [await refusal(house, method, ANN, bot=name, **fields)]
    }
    assert told["bee"] == told["nobody"]
    assert told["bee"][0] == "NOT_FOUND"
    assert 'you have no bot "…"' in told["bee"][1]


async def test_a_bot_s_token_is_for_that_bot_alone(house: House) -> None:
    assert (await refusal(house, "list_faults", ANT, bot="asp"))[0] == "NOT_FOUND"
    assert (await ask(house, "list_faults", ANT, bot="ant")).faults == []


async def test_a_bot_is_withdrawn_and_put_back_but_not_out_of_a_ban(house: House) -> None:
    bot = (await ask(house, "set_withdrawn", ANN, bot="ant", withdrawn=True)).bot
    assert (bot.status, bot.reason) == ("withdrawn", "withdrawn by its owner")
    bot = (await ask(house, "set_withdrawn", ANN, bot="ant", withdrawn=False)).bot
    assert (bot.status, bot.reason) == ("active", "")
    house.store.set_status("ant", "banned", "stalls")
    assert await refusal(house, "set_withdrawn", ANN, bot="ant", withdrawn=False) == (
        "FAILED_PRECONDITION",
        "ant is banned; only whoever runs this server can lift that",
    )


async def test_a_bot_is_rolled_back_to_a_version_that_it_has(house: House) -> None:
    house.store.add_version("ant", "2")
    assert (await ask(house, "set_version", ANN, bot="ant", version="1")).bot.version == "1"
    assert (await ask(house, "set_version", ANN, bot="ant", version="")).bot.version == "2"
    assert await refusal(house, "set_version", ANN, bot="ant", version="3") == (
        "NOT_FOUND",
        'ant has no version "3"; there are: 1, 2',
    )


async def test_a_challenge_goes_to_the_ladder(house: House) -> None:
    answer = await ask(house, "challenge", ANT, bot="ant", opponents=["bee"], ladder="main")
    assert answer.match_id == "c0ffee"
    assert house.live.requests.asked == [("challenge", "ant", "bee", "main")]
    assert (await refusal(house, "challenge", ANN, bot="ant", opponents=["nobody"], ladder="main"))[0] == "NOT_FOUND"
    many = [f"bot{number}" for number in range(100)]
    assert (await refusal(house, "challenge", ANN, bot="ant", opponents=many, ladder="main"))[0] == "INVALID_ARGUMENT"


async def test_faults_are_told_to_the_owner_latest_first(house: House) -> None:
    report = house.play("m1", ["ant", "bee", "cow"])
    faulty = next(seat for seat, figures in enumerate(report.figures) if figures.faults)
    bot = ("ant", "bee", "cow")[faulty]
    house.play("m2", ["ant", "bee", "cow"], identity="p1")
    house.play("m3", ["ant", "bee", "cow"], has_notes=False)
    faults = (await ask(house, "list_faults", ADMIN, bot=bot)).faults
    assert {one.match_id for one in faults} == {"m1", "m2"}
    assert {(one.seat, one.version, dict(one.faults)["illegal"]) for one in faults} == {(faulty, "1", 1)}
    assert all("illegal" in one.first_fault for one in faults)
    assert len((await ask(house, "list_faults", ADMIN, bot=bot, limit=1)).faults) == 1
    others = {"ant", "bee", "cow"} - {bot}
    assert [len((await ask(house, "list_faults", ADMIN, bot=other)).faults) for other in others] == [0, 0]


def test_texts_from_outside_are_told_short_and_plain() -> None:
    assert quoted("a\x1b[2J\n\u202eb☂") == '"a\ufffd[2J\ufffd\ufffdb☂"'
    assert quoted("x" * 100) == '"' + "x" * 64 + '…"'


# -- tokens


async def test_a_token_is_shown_once_and_kept_as_its_hash(house: House) -> None:
    made = await ask(house, "create_token", ANN, scope=access_pb2.SCOPE_BOT, bot="ant", note="laptop")
    presented = parse(made.secret)
    assert presented is not None
    (kept,) = house.store.tokens()
    assert (kept.id, kept.digest, kept.scope, kept.owner, kept.bot, kept.note) == (
        presented.id, presented.digest, "bot", "ann", "ant", "laptop",
    )  # fmt: skip
    listed = await ask(house, "list_tokens", ANN)
    assert list(listed.tokens) == [made.token]
    assert made.secret[20:] not in str(listed)
    assert list((await ask(house, "list_tokens", BOB)).tokens) == []
    assert list((await ask(house, "list_tokens", ADMIN)).tokens) == [made.token]


@pytest.mark.parametrize("scope", ["OWNER", "SPECTATOR", "ADMIN"])
async def test_an_owner_makes_tokens_for_bots_only(house: House, scope: str) -> None:
    number = access_pb2.Scope.Value(f"SCOPE_{scope}")
    assert (await refusal(house, "create_token", ANN, scope=number))[0] == "PERMISSION_DENIED"
    made = await ask(house, "create_token", ADMIN, scope=number, owner="ann" if scope == "OWNER" else "")
    assert (made.token.scope, made.token.owner) == (number, "ann" if scope == "OWNER" else "")


@pytest.mark.parametrize(
    ("fields", "code", "words"),
    [
        ({}, "INVALID_ARGUMENT", "scope is missing"),
        ({"scope": 77}, "INVALID_ARGUMENT", "scope is missing"),
        ({"scope": access_pb2.SCOPE_OWNER}, "INVALID_ARGUMENT", '"" is no name of an owner'),
        ({"scope": access_pb2.SCOPE_ADMIN, "bot": "ant"}, "INVALID_ARGUMENT", "is for no bot"),
        ({"scope": access_pb2.SCOPE_BOT}, "NOT_FOUND", 'there is no bot ""'),
        ({"scope": access_pb2.SCOPE_ADMIN, "expires_in_days": 10**6}, "INVALID_ARGUMENT", "for at most 3650 days"),
        ({"scope": access_pb2.SCOPE_ADMIN, "note": "x" * 201}, "INVALID_ARGUMENT", "up to 200 letters on one line"),
        ({"scope": access_pb2.SCOPE_ADMIN, "note": "a\x1b[2J"}, "INVALID_ARGUMENT", "up to 200 letters on one line"),
    ],
)
async def test_a_token_that_makes_no_sense_is_refused(
    house: House, fields: dict[str, Any], code: str, words: str
) -> None:
    found, text = await refusal(house, "create_token", ADMIN, **fields)
    assert (found, words in text) == (code, True), text
    assert list(house.store.tokens()) == []


async def test_an_owner_has_no_more_open_tokens_than_the_most(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_desk, "MAX_OPEN_TOKENS", 2)
    create = partial(ask, house, "create_token", ANN, scope=access_pb2.SCOPE_BOT, bot="ant")
    first, _ = await create(), await create()
    with pytest.raises(ServiceError, match="ann has 2 tokens that are open"):
        await create()
    await ask(house, "revoke_token", ANN, id=first.token.id)
    await create()


async def test_a_token_expires_when_it_was_said(house: House) -> None:
    made = await ask(house, "create_token", ANN, scope=access_pb2.SCOPE_BOT, bot="ant", expires_in_days=7)
    left = datetime.fromisoformat(made.token.expires_at) - datetime.now(UTC)
    assert 6.99 < left.total_seconds() / 86_400 <= 7


async def test_an_owner_revokes_own_tokens_only(house: House) -> None:
    made = await ask(house, "create_token", ANN, scope=access_pb2.SCOPE_BOT, bot="ant")
    foreign = await refusal(house, "revoke_token", BOB, id=made.token.id)
    unknown = await refusal(house, "revoke_token", BOB, id="0" * 16)
    assert foreign[0] == unknown[0] == "NOT_FOUND"
    assert house.store.tokens()[0].revoked_at == ""
    await ask(house, "revoke_token", ANN, id=made.token.id)
    assert house.store.tokens()[0].revoked_at
    assert (await ask(house, "list_tokens", ANN)).tokens[0].revoked_at
