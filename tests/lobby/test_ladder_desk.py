"""Who is how good, and why: tables, histories that explain themselves, meetings."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from gavelport.v1 import admin_pb2
from gavelport.v1 import ladder_pb2 as pb
from gavelport_server.archive.fits import BotFit, LadderFit, write_fit
from gavelport_server.lobby import board
from gavelport_server.ratings.elo import expected_score, k_factor
from gavelport_server.storage.sql import SqlStore
from gavelport_server.transport.link import ServiceError

from tests.lobby.world import ADMIN, VISITOR, House, ladder

TABLE = ["ant", "bee", "cow"]


async def ask(house: House, method: str, **fields: Any) -> Any:
    name = "".join(word.capitalize() for word in method.split("_")) + "Request"
    return await house.ask("LadderService", method, VISITOR, getattr(pb, name)(**fields))


async def refusal(house: House, method: str, **fields: Any) -> tuple[str, str]:
    with pytest.raises(ServiceError) as refused:
        await ask(house, method, **fields)
    return refused.value.code.name, refused.value.text


@pytest.fixture(params=["memory", "sqlite"])
def house(request: pytest.FixtureRequest, tmp_path: Any) -> House:
    """A ladder with four matches of four bots, in either store."""
    store = SqlStore.in_folder(tmp_path, create=True) if request.param == "sqlite" else None
    made = House(tmp_path, store)
    for number, bots in enumerate((TABLE, TABLE, ["bee", "asp", "ant"], ["cow", "bee", "ant"])):
        made.play(f"m{number}", bots, ago=timedelta(hours=40 - 13 * number), number=number)
    made.play("p0", TABLE, identity="p1")
    return made


async def test_ladders_are_listed_without_their_practice(house: House) -> None:
    (found,) = (await ask(house, "list_ladders")).ladders
    assert (found.name, found.game, found.seats, found.matches, found.bots, found.running) == (
        "main", "container@1", 3, 4, 4, 1,
    )  # fmt: skip
    assert found.options == '{"seats": 3}'


async def test_the_table_is_that_of_the_results(house: House) -> None:
    answer = await ask(house, "get_standings", ladder="main", with_inactive=True)
    results = house.store.results("l1")
    entrants = {one.number: one.bot for one in house.store.tournaments()[0].entrants}
    assert [row.rank for row in answer.standings] == [1, 2, 3, 4]
    assert [row.elo for row in answer.standings] == sorted((row.elo for row in answer.standings), reverse=True)
    for row in answer.standings:
        own = [(seat, one) for one in results for seat in one.seats if entrants[seat.entrant] == row.bot]
        firsts = sum(1 / [each.rank for each in one.seats].count(1) for seat, one in own if seat.rank == 1)
        assert row.matches == len(own)
        assert row.first_share == pytest.approx(firsts / len(own))
        assert row.mean_total == pytest.approx(sum(seat.total for seat, _ in own) / len(own))
        assert row.faults == sum(count for seat, _ in own for _, count in seat.faults)
        assert (row.provisional, row.inactive) == (True, False)
        assert row.connected == (row.bot in ("ant", "bee"))
        assert not row.HasField("fit")
    assert (answer.total, answer.fitted_at) == (4, "")


async def test_the_day_s_change_is_what_the_last_24_hours_did(house: House) -> None:
    changes = house.store.rating_changes("l1")
    old = {one.bot: one.after for one in reversed(changes) if one.match_id in ("m0", "m1")}
    for row in (await ask(house, "get_standings", ladder="main")).standings:
        assert row.day_change == pytest.approx(row.elo - old.get(row.bot, 1500.0), abs=1e-5)


async def test_later_results_are_counted_and_voided_ones_are_not(house: House) -> None:
    before = {row.bot: row.matches for row in (await ask(house, "get_standings", ladder="main")).standings}
    house.play("m9", TABLE)
    after = {row.bot: row.matches for row in (await ask(house, "get_standings", ladder="main")).standings}
    assert after == before | {bot: before[bot] + 1 for bot in TABLE}
    await house.ask("AdminService", "void_match", ADMIN, admin_pb2.VoidMatchRequest(match_id="m9", reason="a test"))
    rows = (await ask(house, "get_standings", ladder="main")).standings
    assert {row.bot: row.matches for row in rows} == before


async def test_bots_that_were_long_away_or_are_withdrawn_are_unranked(house: House) -> None:
    house.store.seen(["asp"], "2020-01-01T00:00:00+00:00")
    house.store.set_status("cow", "withdrawn", "")
    house.store.seen(["ant"], "2020-01-01T00:00:00+00:00")
    answer = await ask(house, "get_standings", ladder="main")
    assert ({row.bot for row in answer.standings}, answer.total) == ({"ant", "bee"}, 2)
    everybody = await ask(house, "get_standings", ladder="main", with_inactive=True)
    assert {row.bot for row in everybody.standings[2:]} == {"asp", "cow"}
    assert [(row.rank, row.inactive) for row in everybody.standings[2:]] == [(0, True)] * 2


async def test_the_table_comes_in_parts(house: House) -> None:
    rows = [(await ask(house, "get_standings", ladder="main", offset=offset, limit=1)).standings for offset in range(6)]
    assert [len(one) for one in rows] == [1, 1, 1, 1, 0, 0]
    assert [one[0].rank for one in rows[:4]] == [1, 2, 3, 4]
    assert len((await ask(house, "get_standings", ladder="main", limit=2**32 - 1)).standings) == 4
    assert len((await ask(house, "get_standings", ladder="main", offset=2**32 - 1)).standings) == 0


async def test_bots_of_equal_elo_share_a_rank(house: House) -> None:
    house.store.open_tournament(ladder("l3", "fresh"))
    house.play("f0", TABLE, identity="l3")
    house.store.void_result("f0", "a test")
    house.play("f1", ["ant", "asp", "shipper"], identity="l3")
    rows = (await ask(house, "get_standings", ladder="fresh")).standings
    assert {row.bot for row in rows} == {"ant", "asp", "shipper"}, "who has no match that counts is not in it"


async def test_fits_are_told_with_the_time_they_are_of(house: House) -> None:
    fit = LadderFit(
        fitted_at="2030-01-01T10:00:00+00:00",
        matches=4,
        repetitions=100,
        seconds=0.1,
        bots=(
            BotFit("bee", "1", 1600.0, 1500.0, 1700.0, 1, 2, 4),
            BotFit("ant", "1", 1500.0, 1400.0, 1600.0, 1, 3, 4),
            BotFit("cow", "1", 1400.0, 1300.0, 1500.0, 2, 3, 3),
        ),
        leaders=("bee", "ant"),
        beats=((0.5, 0.7), (0.3, 0.5)),
        spans=(((0.5, 0.5), (0.6, 0.8)), ((0.2, 0.4), (0.5, 0.5))),
    )
    write_fit(house.data, "l1", fit)
    answer = await ask(house, "get_standings", ladder="main")
    assert (answer.fitted_at, answer.fitted_matches) == ("2030-01-01T10:00:00+00:00", 4)
    fits = {row.bot: row.fit for row in answer.standings if row.HasField("fit")}
    assert fits.keys() == {"ant", "bee", "cow"}
    assert fits["ant"] == pb.RatingFit(rating=1500, low=1400, high=1600, rank_low=1, rank_high=3)
    pairs = (await ask(house, "get_head_to_head", ladder="main", bots=["ant", "bee", "cow", "asp"])).pairs
    chances = {(pair.bot, pair.other): pair.beats for pair in pairs}
    assert (chances["bee", "ant"], chances["ant", "bee"]) == (0.7, 0.3)
    assert chances["ant", "cow"] == pytest.approx(expected_score(1500.0, 1400.0)), "by the ratings, where none is kept"
    assert chances["ant", "asp"] == 0.0


async def test_every_change_of_a_rating_is_explained(house: House) -> None:
    changes = (await ask(house, "get_history", ladder="main", bot="ant")).changes
    assert [one.match_id for one in changes] == ["m3", "m2", "m1", "m0"]
    assert [one.number for one in changes] == [3, 2, 1, 0]
    for place, one in enumerate(changes):
        surplus = sum(pair.scored - pair.expected for pair in one.pairs)
        assert one.after - one.before == pytest.approx(one.k / (len(one.pairs)) * surplus, abs=2e-6)
        assert one.k == k_factor(0)
        assert one.before == (changes[place + 1].after if place < 3 else 1500.0)
        assert [pair.seat for pair in one.pairs] == [seat for seat in range(3) if seat != one.seat]
    assert len((await ask(house, "get_history", ladder="main", bot="ant", limit=2)).changes) == 2
    assert len((await ask(house, "get_history", ladder="main", bot="ant", limit=2**32 - 1)).changes) == 4


async def test_meetings_are_told_from_both_sides(house: House) -> None:
    pairs = (await ask(house, "get_head_to_head", ladder="main")).pairs
    told = {(pair.bot, pair.other): pair for pair in pairs}
    assert len(told) == 10, "asp and cow never met"
    for (bot, other), pair in told.items():
        back = told[other, bot]
        assert pair.matches == back.matches == pair.better + back.better + pair.equal
    assert {
        (pair.bot, pair.other) for pair in (await ask(house, "get_head_to_head", ladder="main", bots=["ant"])).pairs
    } == set()


async def test_running_matches_are_listed(house: House) -> None:
    (one,) = (await ask(house, "list_running")).matches
    assert (one.match_id, list(one.bots), one.rated, one.decisions) == ("r1", TABLE, True, 7)
    assert len((await ask(house, "list_running", ladder="main")).matches) == 1


@pytest.mark.parametrize("name", ["", "MAIN", "main-practice", "x" * 10_000, "'; --", "\0", "☂"])
async def test_unknown_ladders_and_bots_are_not_found(house: House, name: str) -> None:
    for method, fields in (("get_standings", {}), ("get_history", {"bot": "ant"}), ("get_head_to_head", {})):
        code, text = await refusal(house, method, ladder=name, **fields)
        assert (code, text.endswith("there are: main"), len(text) < 200) == ("NOT_FOUND", True, True)
    if name:
        assert (await refusal(house, "list_running", ladder=name))[0] == "NOT_FOUND"
    code, text = await refusal(house, "get_history", ladder="main", bot=name)
    assert (code, len(text) < 200) == ("NOT_FOUND", True)
    assert (await refusal(house, "get_head_to_head", ladder="main", bots=["ant", name]))[0] == "NOT_FOUND"
    many = [f"{name}{number}" for number in range(500)]
    assert (await refusal(house, "get_head_to_head", ladder="main", bots=many))[0] == "INVALID_ARGUMENT"


async def test_sums_are_made_in_parts(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = await ask(house, "get_standings", ladder="main")
    monkeypatch.setattr(board, "AT_ONCE", 3)
    house.desks.boards.forget("l1")
    house.desks.boards.warm()
    assert await ask(house, "get_standings", ladder="main") == whole


async def test_who_asks_before_all_is_summed_up_is_not_kept_waiting(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = await ask(house, "get_standings", ladder="main")
    monkeypatch.setattr(board, "AT_ONCE", 1)
    monkeypatch.setattr(board, "PATIENCE_S", 0.0)
    house.desks.boards.forget("l1")
    parts = [await ask(house, "get_standings", ladder="main") for _ in range(5)]
    told = [[(row.bot, row.elo, row.matches) for row in one.standings] for one in (whole, *parts)]
    assert all(one == told[0] for one in told)
    assert parts[0] != whole
    assert parts[-1] == whole
    with house.desks.boards._of("l1").lock:
        assert await ask(house, "get_standings", ladder="main") == whole, "somebody else is at it"


async def test_a_bot_that_has_just_come_is_not_long_away(house: House) -> None:
    house.live.connected = []
    with pytest.MonkeyPatch.context() as patched:
        bots = [replace(bot, last_seen_at="") for bot in house.store.bots()]
        patched.setattr(house.store, "bots", lambda: bots)
        rows = (await ask(house, "get_standings", ladder="main")).standings
    assert len(rows) == 4
    assert {row.inactive for row in rows} == {False}
