"""Replays as they are handed out: open to all, notes to their owners only, sealed while a deal is still played."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from gavelport.v1 import archive_pb2 as pb
from gavelport_server.archive.replay import decode_replay, encode_replay
from gavelport_server.archive.verify import verify_stored
from gavelport_server.lobby import archive_desk
from gavelport_server.lobby.gate import Caller
from gavelport_server.storage.store import Entrant
from gavelport_server.transport.link import ServiceError

from tests.lobby.world import ADMIN, ANN, ANT, BOB, NOTES, VISITOR, House, ladder, report_of, result_of

TABLE = ["ant", "bee", "cow"]


async def listed(house: House, caller: Caller = VISITOR, **fields: Any) -> pb.ListMatchesResponse:
    answer = await house.ask("ReplayService", "list_matches", caller, pb.ListMatchesRequest(**fields))
    assert isinstance(answer, pb.ListMatchesResponse)
    return answer


async def downloaded(house: House, caller: Caller = VISITOR, **fields: Any) -> dict[str, bytes]:
    """Replays by match, in the order in which they came."""
    found: dict[str, bytes] = {}
    is_last = True
    for chunk in await house.ask("ReplayService", "download_replays", caller, pb.DownloadReplaysRequest(**fields)):
        assert (chunk.match_id not in found) == is_last
        assert 0 < len(chunk.data) <= 64 * 1024
        found[chunk.match_id] = found.get(chunk.match_id, b"") + chunk.data
        is_last = chunk.is_last
    assert is_last
    return found


async def seen(house: House, caller: Caller, match_id: str, seat: int) -> list[Any]:
    request = pb.GetSeatViewRequest(match_id=match_id, seat=seat)
    return [json.loads(one.line) for one in await house.ask("ReplayService", "get_seat_view", caller, request)]


async def refusal(call: Any) -> tuple[str, str]:
    with pytest.raises(ServiceError) as refused:
        await call
    return refused.value.code.name, refused.value.text


@pytest.fixture
def full(house: House) -> House:
    """Five rated matches and one of practice, an hour apart."""
    for number in range(5):
        house.play(f"m{number}", TABLE if number % 2 else ["asp", "bee", "cow"], ago=timedelta(hours=10 - number))
    house.play("p0", TABLE, identity="p1", ago=timedelta(hours=1))
    return house


async def test_matches_are_listed_latest_first_with_their_seats(full: House) -> None:
    matches = (await listed(full)).matches
    assert [one.match_id for one in matches] == ["m4", "m3", "m2", "m1", "m0"]
    assert [(seat.bot, seat.version) for seat in matches[1].seats] == [(bot, "1") for bot in TABLE]
    assert (matches[0].tournament, matches[0].game, matches[0].rated, matches[0].sealed) == (
        "main", "container@1", True, False,
    )  # fmt: skip
    everything = (await listed(full, filter=pb.MatchFilter(with_unrated=True))).matches
    assert (everything[0].match_id, everything[0].rated) == ("p0", False)
    assert [one.match_id for one in (await listed(full, match_id="m2")).matches] == ["m2"]
    assert (await refusal(listed(full, match_id="../m2")))[0] == "NOT_FOUND"


async def test_filters_choose(full: House) -> None:
    async def ids(**fields: Any) -> list[str]:
        return [one.match_id for one in (await listed(full, filter=pb.MatchFilter(**fields))).matches]

    since = datetime.now(UTC) - timedelta(hours=7.5)
    assert await ids(bot="ant") == ["m3", "m1"]
    assert await ids(bot="ant", version="2") == []
    assert await ids(game="container@1", tournament="main", bot="asp") == ["m4", "m2", "m0"]
    assert await ids(since=since.isoformat()) == ["m4", "m3"]
    assert await ids(since=since.astimezone(None).isoformat()) == ["m4", "m3"], "in another zone"
    assert await ids(until=since.strftime("%Y-%m-%dT%H:%M:%SZ")) == ["m2", "m1", "m0"]
    assert await ids(since="2020-01-01") == ["m4", "m3", "m2", "m1", "m0"]
    assert await ids(bot="'; drop table result; --") == []


async def test_pages_go_on_where_the_one_before_ended(full: House) -> None:
    found, token = [], ""
    for size in (2, 2, 2):
        page = await listed(full, page_size=size, page_token=token)
        found.append([one.match_id for one in page.matches])
        token = page.next_page_token
    assert found == [["m4", "m3"], ["m2", "m1"], ["m0"]]
    assert token == ""
    assert len((await listed(full, page_size=2**32 - 1)).matches) == 5


@pytest.mark.parametrize(
    "token",
    [
        "x",
        "☂",
        "\0",
        "A" * 10_000,
        *(
            base64.b64encode(t).decode()
            for t in (b"{}", b"[1, 2]", b'["a"]', rb'["\ud800", "m"]', rb'["\0", ""]', b"[" * 9000)
        ),
    ],
)
async def test_a_page_token_that_is_none_is_refused(full: House, token: str) -> None:
    code, text = await refusal(listed(full, page_token=token))
    assert (code, len(text) < 200) == ("INVALID_ARGUMENT", True)


@pytest.mark.parametrize(
    "text", ["yesterday", "2026-13-01", "2026-01-01T00:00:00+99:00", "0001-01-01T00:00+14:00", "☂"]
)
async def test_a_time_that_is_none_is_refused(full: House, text: str) -> None:
    for field, asked in (("since", pb.MatchFilter(since=text)), ("until", pb.MatchFilter(until=text))):
        code, said = await refusal(listed(full, filter=asked))
        assert (code, f"filter.{field} should be a date or a time" in said) == ("INVALID_ARGUMENT", True)
    assert (await refusal(listed(full, filter=pb.MatchFilter(version="1"))))[0] == "INVALID_ARGUMENT"


async def test_replays_come_oldest_first_and_verify(full: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_desk, "_PAGE", 2)
    monkeypatch.setattr(archive_desk, "CHUNK_BYTES", 700)
    replays = await downloaded(full)
    assert list(replays) == ["m0", "m1", "m2", "m3", "m4"]
    for copy in replays.values():
        verify_stored(copy)
    assert list(await downloaded(full, match_id="p0")) == ["p0"]
    assert list(await downloaded(full, filter=pb.MatchFilter(bot="ant"))) == ["m1", "m3"]


def notes(copy: bytes) -> list[str]:
    return [choice.note for choice in decode_replay(copy).choices if isinstance(choice.note, str) and choice.note]


async def test_notes_and_faults_are_in_the_owner_s_copies_only(full: House) -> None:
    original = full.replays.get("m1")
    every = notes(original)
    assert len(every) == NOTES
    copies = {name: (await downloaded(full, caller, match_id="m1"))["m1"] for name, caller in CALLERS.items()}
    assert notes(copies["ann"]) == notes(copies["ant"])
    own = {name: notes(copy) for name, copy in copies.items()}
    assert 0 < len(own["ann"]) < NOTES
    assert 0 < len(own["bob"]) < NOTES
    assert not set(own["ann"]) & set(own["bob"])
    assert own["visitor"] == own["admin"] == own["elsewhere"] == []
    for name in ("visitor", "admin", "elsewhere"):
        assert b"planted" not in copies[name]
        first_faults = decode_replay(copies[name]).end.first_faults
        assert not any(isinstance(one, str) and one for one in first_faults)
    for copy in copies.values():
        verify_stored(copy)


CALLERS = {
    "ann": ANN,
    "ant": ANT,
    "bob": BOB,
    "visitor": VISITOR,
    "admin": ADMIN,
    "elsewhere": Caller("e", "owner", "eve", ""),
}


async def test_what_is_not_kept_any_more_is_passed_over_or_not_found(full: House) -> None:
    full.replays.path("m1").unlink()
    assert list(await downloaded(full)) == ["m0", "m2", "m3", "m4"]
    assert await refusal(downloaded(full, match_id="m1")) == (
        "NOT_FOUND",
        "the replay of m1 is not kept any more",
    )
    assert (await refusal(downloaded(full, match_id="../../etc/passwd")))[0] == "NOT_FOUND"
    assert (await refusal(downloaded(full, match_id="r1")))[0] == "NOT_FOUND", "it still runs"


def keep_tournament(house: House, matches: int, first: int = 0) -> None:
    """A local tournament of the same folder, whose bots have the names of ladder bots: one block of three matches."""
    entrants = tuple(Entrant(number, bot, "1", "") for number, bot in enumerate(TABLE))
    record = replace(ladder("t1", "cup", "tournament"), entrants=entrants)
    house.store.open_tournament(record)
    for number in range(first, matches):
        report = report_of(f"t{number}", tuple(TABLE), number)
        stored = encode_replay(report)
        house.replays.put(f"t{number}", stored)
        result = replace(result_of(report, [0, 1, 2], stored, "2030-01-01T10:00:00+00:00"), number=number)
        house.store.add_result("t1", result)


async def test_a_replay_is_sealed_until_its_block_is_over(house: House) -> None:
    keep_tournament(house, 2)
    assert [one.sealed for one in (await listed(house)).matches] == [True, True]
    assert await downloaded(house) == {}
    code, text = await refusal(downloaded(house, match_id="t0"))
    assert (code, text) == ("FAILED_PRECONDITION", "the replay of t0 is sealed until all matches of its deal are over")
    keep_tournament(house, 3, first=2)
    assert [one.sealed for one in (await listed(house)).matches] == [False] * 3
    assert list(await downloaded(house)) == ["t0", "t1", "t2"]


async def test_a_local_tournament_s_bots_are_nobody_s(house: House) -> None:
    keep_tournament(house, 3)
    assert notes((await downloaded(house, ANN, match_id="t0"))["t0"]) == []
    assert (await refusal(seen(house, ANN, "t0", 0)))[0] == "PERMISSION_DENIED"


async def test_an_owner_sees_what_its_own_bot_saw(full: House) -> None:
    lines = await seen(full, ANT, "m1", 0)
    assert lines[0]["record"] == "header"
    assert lines[-1]["record"] == "end"
    assert any(line.get("note") for line in lines)
    assert await seen(full, ANN, "m1", 0) == lines == await seen(full, ADMIN, "m1", 0)
    for caller, seat in ((ANN, 1), (BOB, 0), (ANT, 2)):
        code, text = await refusal(seen(full, caller, "m1", seat))
        assert (code, "is no bot of yours" in text) == ("PERMISSION_DENIED", True)
    assert (await refusal(seen(full, ANN, "m1", 3))) == ("INVALID_ARGUMENT", "match m1 has seats 0 to 2")
    assert (await refusal(seen(full, ANN, "r1", 0)))[0] == "NOT_FOUND"
