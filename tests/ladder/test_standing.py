"""Who is let in and paired: versions, fencing, withdrawal, bans, revocation, probation, owners, the house."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import trio
from gavelport.v1 import referee_pb2 as pb
from gavelport_server.conduct.ladder.players import PROBATION_AFTER
from gavelport_server.pairing.ladder import SETTLED_MATCHES
from gavelport_server.referee.codes import Code
from gavelport_server.transport.link import StatusCode
from structlog.testing import capture_logs

from tests.ladder.world import World, held_match, settings

Clock = trio.testing.MockClock


def versions_of(world: World, bot: str) -> list[str]:
    return [one.version for one in world.store.versions(bot)]


# -- versions


async def test_a_new_version_takes_over_and_the_old_one_plays_its_match_to_the_end(
    world: World, autojump_clock: Clock
) -> None:
    clients = await held_match(world)
    newer = world.connect("a", "2")
    await world.until(lambda: clients["a"].notices)
    (notice,) = clients["a"].notices
    assert (notice.kind, notice.code) == (pb.NOTICE_KIND_SUPERSEDED, Code.SUPERSEDED)
    assert "`gavelport bots rollback a 1`" in notice.sentence
    assert clients["a"].ended != (StatusCode.OK, notice.sentence)
    await clients["a"].release()
    await world.until(lambda: clients["a"].ended)
    assert clients["a"].ended == (StatusCode.OK, notice.sentence)
    assert len(clients["a"].ends) == 1
    assert not clients["a"].ends[0].is_void
    await world.until(lambda: newer.ends)
    seats = [seat.version for seat in newer.messages("match_start")[0].seats if seat.bot == "a"]
    assert seats == ["2"]
    assert versions_of(world, "a") == ["1", "2"]
    entrants = {(one.bot, one.version): one.number for one in world.record().entrants}
    ratings = {one.entrant: one for one in world.store.standings(world.record().identity)}
    first, second = ratings[entrants["a", "1"]], ratings[entrants["a", "2"]]
    assert first.elo == second.elo
    assert (first.matches, second.matches >= 1) == (1, True)


async def test_an_old_version_is_refused_with_the_command_that_lifts_it(world: World, autojump_clock: Clock) -> None:
    world.connect("a", "1")
    await world.until(lambda: versions_of(world, "a") == ["1"])
    world.connect("a", "2")
    await world.until(lambda: versions_of(world, "a") == ["1", "2"])
    old = world.connect("a", "1")
    await world.until(lambda: old.ended)
    assert old.ended is not None
    code, text = old.ended
    assert code is StatusCode.FAILED_PRECONDITION
    assert "version 2 of a came after version 1" in text
    assert "`gavelport bots rollback a 1`" in text


async def test_an_old_version_may_come_back_to_its_match_and_is_let_go_after_it(
    world: World, autojump_clock: Clock
) -> None:
    clients = await held_match(world)
    clients["a"].client.cancel()
    world.connect("a", "2")
    await world.until(lambda: versions_of(world, "a") == ["1", "2"])
    again = world.connect("a", "1")
    await world.until(lambda: again.ended, within_s=4)
    assert again.ended == (StatusCode.OK, again.notices[-1].sentence)
    assert [end.is_void for end in again.ends] == [False]
    assert world.results()[0].seats[0].faults == ()


async def test_a_rollback_lets_the_pinned_version_alone_play(world: World, autojump_clock: Clock) -> None:
    clients = {name: world.connect(name) for name in "bcd"}
    world.connect("a", "1")
    await world.until(lambda: versions_of(world, "a") == ["1"])
    newer = world.connect("a", "2")
    await world.until(lambda: newer.ends)
    world.store.pin_version("a", "1")
    await world.service.refresh()
    await world.until(lambda: newer.ended)
    assert newer.notices[-1].code == Code.SUPERSEDED
    assert "`gavelport bots rollback --lift a`" in newer.notices[-1].sentence
    refused = world.connect("a", "3")
    await world.until(lambda: refused.ended)
    assert refused.ended is not None
    assert refused.ended[0] is StatusCode.FAILED_PRECONDITION
    assert versions_of(world, "a") == ["1", "2"]  # what is refused is not entered
    pinned = world.connect("a", "1")
    await world.until(lambda: pinned.ends)
    assert world.service.playing_version("a") == "1"
    world.store.pin_version("a", "")
    await world.until(lambda: pinned.ended)  # the newest plays again, as the poll of the store finds out
    assert clients["b"].ended is None


@pytest.mark.parametrize(("version", "said"), [("", "no bot_version"), ("a b", "the version 'a b'")])
async def test_hello_names_a_version(world: World, autojump_clock: Clock, version: str, said: str) -> None:
    client = world.connect("a", version)
    await world.until(lambda: client.ended)
    assert client.ended is not None
    assert client.ended[0] is StatusCode.FAILED_PRECONDITION
    assert said in client.ended[1]
    assert versions_of(world, "a") == []


async def test_a_bot_of_other_games_is_told_those_of_here(world: World, autojump_clock: Clock) -> None:
    client = world.connect("a", games=["chess@1"])
    await world.until(lambda: client.ended)
    assert client.ended == (
        StatusCode.FAILED_PRECONDITION,
        "the ladders here are of container@1, and a says that it plays chess@1",
    )


async def test_a_newer_stream_of_a_version_fences_the_older_and_goes_on_with_its_match(
    world: World, autojump_clock: Clock
) -> None:
    clients = await held_match(world)
    again = world.connect("a", "1")
    await world.until(lambda: again.ends, within_s=4)
    assert clients["a"].ended is not None
    assert clients["a"].ended[0] is StatusCode.ABORTED
    assert clients["a"].notices[-1].code == Code.FENCED
    (result,) = world.results()[:1]
    assert all(seat.faults == () for seat in result.seats)


# -- withdrawn, banned, revoked


async def test_a_withdrawn_bot_stays_but_is_not_paired(world: World, autojump_clock: Clock) -> None:
    clients = {name: world.connect(name) for name in "abcd"}
    await world.until(lambda: clients["a"].ends)
    world.store.set_status("a", "withdrawn", "holidays")
    await world.until(lambda: clients["a"].notices)
    notice = clients["a"].notices[-1]
    assert (notice.kind, notice.code) == (pb.NOTICE_KIND_LADDER, Code.NOT_PAIRED)
    assert (
        notice.sentence
        == "a is withdrawn (holidays) and gets no new matches; `gavelport bots reinstate a` puts it back"
    )
    before = len(clients["a"].ends)
    await trio.sleep(60)
    assert len(clients["a"].ends) == before
    assert clients["a"].ended is None
    assert len(clients["a"].notices) == 1
    again = world.connect("a")
    await world.until(lambda: again.notices)
    world.store.set_status("a", "active", "")
    await world.until(lambda: again.ends)


async def test_a_banned_bot_plays_its_match_to_the_end_and_gets_no_other(world: World, autojump_clock: Clock) -> None:
    clients = await held_match(world)
    world.store.set_status("a", "banned", "it shouts")
    await world.service.refresh()
    await clients["a"].release()
    await world.until(lambda: clients["a"].ended)
    assert clients["a"].ended is not None
    assert clients["a"].ended[0] is StatusCode.OK
    assert [end.is_void for end in clients["a"].ends] == [False]
    again = world.connect("a")
    await world.until(lambda: again.ended)
    assert again.ended == (
        StatusCode.PERMISSION_DENIED,
        "a is banned (it shouts); only whoever runs this server can lift that",
    )


async def test_a_revoked_token_cuts_the_stream_and_its_match_is_played_by_default(
    world: World, autojump_clock: Clock
) -> None:
    clients = await held_match(world)
    del world.gate.tokens["a"]
    world.hub.revoke("token of a")
    await world.until(lambda: clients["a"].ended)
    assert clients["a"].ended is not None
    assert clients["a"].ended[0] is StatusCode.UNAUTHENTICATED
    await world.until(lambda: clients["b"].ends)
    assert not clients["b"].ends[0].is_void
    (result,) = world.results()
    (lost,) = [seat for seat, bot in zip(result.seats, world.bots_of(result), strict=True) if bot == "a"]
    assert dict(lost.faults).keys() == {"disconnected"}


# -- crash loops


async def test_match_after_match_that_ends_retired_leads_to_probation_and_one_good_match_out_of_it(
    tmp_path: Path, nursery: trio.Nursery, autojump_clock: Clock
) -> None:
    world = World(tmp_path, nursery, (settings(max_rounds=12),))
    await world.start()
    clients = {name: world.connect(name) for name in "bcd"}
    silent = world.connect("a", holds=True)
    with capture_logs() as lines:
        await world.until(lambda: silent.notices)
    (rest,) = (line for line in lines if line["event"] == "bot_rests")
    assert (rest["bot"], rest["version"], rest["count"], rest["rest_s"]) == ("a", "1", PROBATION_AFTER, 60)
    assert re.fullmatch(
        r"a 1 rests until \d\d:\d\d UTC: its last 3 matches all ended with it retired; `gavelport logs a` tells what "
        "went wrong, and a new version need not wait",
        world.service.held_back("a"),
    )
    assert world.service.held_back("b") == ""
    (notice,) = silent.notices
    assert (notice.kind, notice.code) == (pb.NOTICE_KIND_LADDER, Code.PROBATION)
    assert len(silent.ends) == PROBATION_AFTER
    assert "waits for 60 s" in notice.sentence
    began = trio.current_time()
    await world.until(lambda: len(silent.ends) > PROBATION_AFTER)
    assert trio.current_time() - began > 60
    assert "waits for 120 s" in silent.notices[-1].sentence
    silent.holds = False
    told = len(silent.notices)
    await world.until(lambda: len(silent.ends) > PROBATION_AFTER + 3)
    assert len(silent.notices) == told
    assert world.service.held_back("a") == ""
    assert clients["b"].notices == []


# -- owners and the house


async def test_two_bots_of_one_owner_never_sit_at_a_rated_table(world: World, autojump_clock: Clock) -> None:
    for name in ("a1", "a2", "a3"):
        world.register(name, "ann")
        world.connect(name)
    others = [world.connect(name) for name in "bcd"]
    await world.until(lambda: len(world.results()) >= 12)
    seen = set()
    for result in world.results():
        anns = [bot for bot in world.bots_of(result) if bot.startswith("a")]
        assert len(anns) == 1
        seen.update(anns)
    assert seen == {"a1", "a2", "a3"}
    assert all(other.ends for other in others)


async def test_the_house_plays_itself_until_it_is_settled_and_then_waits_for_guests(
    world: World, autojump_clock: Clock
) -> None:
    for name in ("h1", "h2", "h3", "h4"):
        world.register(name, "house", is_house=True)
        world.connect(name)
    await world.until(lambda: len(world.results()) >= SETTLED_MATCHES)
    await trio.sleep(120)
    assert len(world.results()) == SETTLED_MATCHES
    guest = world.connect("guest")
    await world.until(lambda: len(guest.ends) >= 3)
