"""What admins do is done, and kept with who and why."""

from __future__ import annotations

from typing import Any

import pytest
from gavelport.v1 import admin_pb2 as pb
from gavelport_server.transport.link import ServiceError

from tests.lobby.test_archive_desk import keep_tournament
from tests.lobby.world import ADMIN, House

TABLE = ["ant", "bee", "cow"]


async def ask(house: House, method: str, **fields: Any) -> Any:
    name = "".join(word.capitalize() for word in method.split("_")) + "Request"
    return await house.ask("AdminService", method, ADMIN, getattr(pb, name)(**fields))


async def refusal(house: House, method: str, **fields: Any) -> tuple[str, str]:
    with pytest.raises(ServiceError) as refused:
        await ask(house, method, **fields)
    return refused.value.code.name, refused.value.text


async def kept(house: House) -> list[tuple[str, str, str, str]]:
    actions = (await ask(house, "list_actions")).actions
    return [(one.actor, one.action, one.subject, one.reason) for one in actions]


async def test_the_status_is_that_of_the_ladders(house: House) -> None:
    await ask(house, "set_paused", paused=True, reason="a new disk")
    status = await ask(house, "get_status")
    assert (status.paused, status.draining, status.running, status.connected, status.epoch) == (True, False, 1, 2, 3)
    assert status.hosting == "hosting is off"
    await ask(house, "set_paused", paused=False)
    assert not (await ask(house, "get_status")).paused
    assert await kept(house) == [("admin-token", "resume", "", ""), ("admin-token", "pause", "", "a new disk")]


async def test_draining_is_asked_for_once_it_is_kept(house: House) -> None:
    await ask(house, "drain", reason="new version")
    assert house.drained == 1
    assert await kept(house) == [("admin-token", "drain", "", "new version")]


async def test_a_ban_needs_a_reason_and_can_be_lifted(house: House) -> None:
    assert await refusal(house, "set_banned", bot="ant", banned=True) == (
        "INVALID_ARGUMENT",
        "reason is missing; it is kept with what is done",
    )
    await ask(house, "set_banned", bot="ant", banned=True, reason="stalls")
    ant = next(bot for bot in house.store.bots() if bot.name == "ant")
    assert (ant.status, ant.status_reason) == ("banned", "stalls")
    await ask(house, "set_banned", bot="ant", banned=False, reason="mended")
    assert next(bot for bot in house.store.bots() if bot.name == "ant").status == "active"
    assert house.live.refreshed == 2
    assert (await refusal(house, "set_banned", bot="ant", banned=False, reason="x"))[0] == "FAILED_PRECONDITION"
    assert (await refusal(house, "set_banned", bot="nobody", banned=True, reason="x"))[0] == "NOT_FOUND"
    assert [action[1:3] for action in await kept(house)] == [("unban", "ant"), ("ban", "ant")]


async def test_a_running_match_is_ended(house: House) -> None:
    house.live.requests.running.add("r1")
    await ask(house, "void_match", match_id="r1", reason="a fault of the server")
    assert house.live.requests.asked == [("void", "r1", "a fault of the server")]
    assert await kept(house) == [("admin-token", "void", "r1", "a fault of the server")]


async def test_a_finished_match_is_taken_out_of_the_ratings(house: House) -> None:
    house.play("m0", TABLE)
    await ask(house, "void_match", match_id="m0", reason="a bug")
    found = house.store.result("m0")
    assert found is not None
    assert found.result.void_reason == "a bug"
    assert {one.elo for one in house.store.standings("l1")} == {1500.0}
    assert house.live.requests.asked[-1] == ("known", "m0", "main", *TABLE, True)
    assert await refusal(house, "void_match", match_id="m0", reason="again") == (
        "FAILED_PRECONDITION",
        "match m0 is void already: a bug",
    )
    assert (await ask(house, "rerun_match", match_id="m0", reason="a bug")).match_id == "again"
    assert (await kept(house))[0] == ("admin-token", "rerun", "m0 as again", "a bug")


async def test_a_result_that_an_earlier_server_took_out_is_played_again_once(house: House) -> None:
    house.play("m0", TABLE)
    house.play("m1", TABLE)
    house.store.void_result("m0", "a bug")
    assert (await ask(house, "rerun_match", match_id="m0")).match_id == "again"
    assert (await refusal(house, "rerun_match", match_id="m0"))[0] == "NOT_FOUND"
    assert (await refusal(house, "rerun_match", match_id="m1"))[0] == "NOT_FOUND", "its result counts"


async def test_what_cannot_be_void_is_refused_and_not_kept(house: House) -> None:
    keep_tournament(house, 1)
    assert (await refusal(house, "void_match", match_id="t0", reason="x"))[0] == "FAILED_PRECONDITION"
    assert (await refusal(house, "void_match", match_id="nothing", reason="x"))[0] == "NOT_FOUND"
    assert (await refusal(house, "void_match", match_id="m0", reason="two\nlines"))[0] == "INVALID_ARGUMENT"
    assert (await refusal(house, "rerun_match", match_id="nothing"))[0] == "NOT_FOUND"
    assert await kept(house) == []


async def test_actions_come_latest_first_and_no_more_than_asked(house: House) -> None:
    for number in range(3):
        await ask(house, "set_paused", paused=True, reason=str(number))
    assert [one.reason for one in (await ask(house, "list_actions", limit=2)).actions] == ["2", "1"]
    assert len((await ask(house, "list_actions", limit=2**32 - 1)).actions) == 3
