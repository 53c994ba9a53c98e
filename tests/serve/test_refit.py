"""The whole-history ratings of a ladder: computed in another process, kept as a file, when they are due."""

import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import structlog
import trio
from gavelport_server.archive.fits import BotFit, LadderFit, fit_path, read_fit, write_fit
from gavelport_server.archive.refit import ladder_fit, refit, repetitions
from gavelport_server.conduct import refit as refitting
from gavelport_server.conduct.refit import Refitter
from gavelport_server.storage.sql import SqlStore
from gavelport_server.storage.store import Entrant, Result, SeatResult, TournamentRecord
from trio.testing import MockClock

LADDER = "ab" * 16
NOW = datetime.now(UTC).isoformat(timespec="seconds")


def seat(entrant: int, rank: int) -> SeatResult:
    return SeatResult(entrant, rank, 0, False, 1, 1, 1, 0, (), "")


def result(number: int, entrants: list[int], *, void_reason: str = "") -> Result:
    """A match that the entrants ended in this order."""
    seats = tuple(seat(entrant, rank) for rank, entrant in enumerate(entrants, 1))
    return Result(f"m{number}", number, number, number, 0, 0, "normal", seats, "0" * 64, 1.0, NOW, void_reason)


def record(*entrants: tuple[str, str]) -> TournamentRecord:
    numbered = tuple(Entrant(number, bot, version, "") for number, (bot, version) in enumerate(entrants))
    return TournamentRecord(LADDER, "container", "container@1", "{}", b"s", 3, numbered, NOW, "ladder")


def drawn(matches: int, entrants: int) -> list[Result]:
    """Matches in which a lower number is better."""
    rng = random.Random(1)
    found = []
    for number in range(matches):
        table = sorted(rng.sample(range(entrants), 3), key=lambda entrant: entrant + rng.gauss(0, 2))
        found.append(result(number, table))
    return found


def test_the_best_is_first_with_its_interval() -> None:
    fit = ladder_fit(record(("a", "1"), ("b", "1"), ("c", "1"), ("d", "1")), drawn(60, 4), away=())
    assert fit is not None
    assert (fit.matches, fit.repetitions, fit.bots[0].bot) == (60, 1000, "a")
    first = fit.bots[0]
    assert first.low < first.rating < first.high
    assert (first.rank_low, first.rank_high <= 4) == (1, True)
    assert fit.leaders == tuple(one.bot for one in fit.bots)
    assert fit.chance("a", "d") > 0.5 > fit.chance("d", "a")
    assert fit.chance("a", "nobody") == 0.0
    low, high = fit.span("a", "d")
    assert 0 < low < fit.chance("a", "d") < high < 1
    assert fit.span("d", "a") == pytest.approx((1 - high, 1 - low))
    assert fit.of("nobody") is None


def test_a_bot_is_its_version_of_today_and_the_away_have_no_place() -> None:
    entrants = record(("a", "1"), ("b", "1"), ("c", "1"), ("a", "2"))
    matches = [result(number, [0, 1, 2]) for number in range(10)]
    matches += [result(number, [1, 2, 3]) for number in range(10, 20)]  # the new version is worse
    fit = ladder_fit(entrants, matches, away=())
    assert fit is not None
    a = fit.of("a")
    assert a is not None
    assert (a.version, a.matches, [one.bot for one in fit.bots]) == ("2", 10, ["b", "c", "a"])
    rolled_back = ladder_fit(entrants, [*matches, result(20, [0, 1, 2])], away=())
    assert rolled_back is not None
    back = rolled_back.of("a")
    assert back is not None
    assert (back.version, back.matches) == ("1", 11)
    without = ladder_fit(entrants, matches, away={"b"})
    assert without is not None
    assert [one.bot for one in without.bots] == ["c", "a"]
    assert {one.rank_high for one in without.bots} <= {1, 2}


def test_results_that_count_no_more_are_left_out() -> None:
    matches = drawn(10, 3)
    voided = [*matches, result(10, [2, 1, 0], void_reason="planted")]
    first, second = (
        ladder_fit(record(("a", "1"), ("b", "1"), ("c", "1")), each, away=()) for each in (matches, voided)
    )
    assert first is not None
    assert second is not None
    assert (first.matches, first.bots) == (second.matches, second.bots)
    assert ladder_fit(record(("a", "1")), [], away=()) is None


def test_a_file_is_what_was_written_and_damage_is_none(tmp_path: Path) -> None:
    fit = LadderFit(
        NOW, 3, 200, 0.5, (BotFit("a", "1", 1500.0, 1400.0, 1600.0, 1, 2, 3),), ("a",), ((0.5,),), (((0.5, 0.5),),)
    )
    assert read_fit(tmp_path, LADDER) is None
    write_fit(tmp_path, LADDER, fit)
    assert read_fit(tmp_path, LADDER) == fit
    for damage in ("", "[]", "{}", '{"bots": [1]}'):
        fit_path(tmp_path, LADDER).write_text(damage)
        assert read_fit(tmp_path, LADDER) is None


def kept(folder: Path, matches: int) -> None:
    """A ladder of three bots in a data folder."""
    store = SqlStore.in_folder(folder, create=True)
    store.add_owner("me")
    store.open_tournament(record())
    for bot in "abc":
        store.add_bot(bot, "me")
        store.add_version(bot, "1")
        store.add_entrant(LADDER, bot, "1")
    store.seen(["a", "b"], NOW)
    store.seen(["c"], (datetime.now(UTC) - timedelta(days=15)).isoformat(timespec="seconds"))
    for number in range(matches):
        store.append_result(LADDER, result(number, random.Random(number).sample(range(3), 3)))
    store.close()


async def test_another_process_computes_what_is_due(tmp_path: Path) -> None:
    kept(tmp_path, 12)
    refitter = Refitter(tmp_path, None, lambda: {LADDER: 12})
    assert refitter.due() == [LADDER]
    with structlog.testing.capture_logs() as logs:
        await refitter._compute(LADDER)
    assert [(line["event"], line["matches"]) for line in logs] == [("refitted", 12)]
    fit = read_fit(tmp_path, LADDER)
    assert fit is not None
    assert (fit.matches, {one.bot for one in fit.bots}) == (12, {"a", "b"})  # c was away for too long
    assert refitter.due() == []
    assert refit(tmp_path, None, "cd" * 16) is None


async def test_a_computation_that_fails_is_logged_and_tried_again_later(tmp_path: Path) -> None:
    refitter = Refitter(tmp_path, None, lambda: {LADDER: 12})
    assert refitter.due() == [LADDER]
    with structlog.testing.capture_logs() as logs:
        await refitter._compute(LADDER)
    assert [line["event"] for line in logs] == ["refit_failed"]
    assert "holds no tournament data" in logs[0]["text"]
    assert refitter.due() == []


async def test_it_is_due_when_enough_is_new_or_time_has_passed(tmp_path: Path, autojump_clock: MockClock) -> None:
    counts = {LADDER: 0}
    refitter = Refitter(tmp_path, None, lambda: counts)

    def computed() -> None:
        refitter._ladders[LADDER].fitted, refitter._ladders[LADDER].at = counts[LADDER], trio.current_time()

    assert refitter.due() == []
    counts[LADDER] = refitting.FIRST - 1
    assert refitter.due() == []
    counts[LADDER] = refitting.FIRST
    assert refitter.due() == [LADDER]
    computed()
    counts[LADDER] += refitting.SOON - 1
    assert refitter.due() == []
    await trio.sleep(refitting.LATEST_S)
    assert refitter.due() == [LADDER]
    computed()
    await trio.sleep(2 * refitting.LATEST_S)
    assert refitter.due() == []  # nothing is new
    counts[LADDER] = 10_000
    computed()
    counts[LADDER] += 999
    assert refitter.due() == []
    counts[LADDER] += 1
    assert refitter.due() == [LADDER]


def test_many_bots_mean_fewer_repetitions() -> None:
    assert [repetitions(number) for number in (3, 100, 101, 300, 301, 1000)] == [1000, 1000, 400, 400, 200, 200]


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_a_thousand_bots_and_a_hundred_thousand_matches_take_minutes(capsys: pytest.CaptureFixture[str]) -> None:
    rng = random.Random(1)
    matches = []
    for number in range(100_000):
        table = sorted(rng.sample(range(1000), 4), key=lambda entrant: entrant / 150 + rng.gauss(0, 1))
        matches.append(result(number, table))
    numbered = tuple(Entrant(number, f"bot{number}", "1", "") for number in range(1000))
    of = TournamentRecord(LADDER, "container", "container@1", "{}", b"s", 4, numbered, NOW, "ladder")
    fit = ladder_fit(of, matches, away=())
    assert fit is not None
    with capsys.disabled():
        print(f"\n1,000 bots, 100,000 matches, {fit.repetitions} repetitions: {fit.seconds:.0f} s")
    assert len(fit.bots) == 1000
    assert fit.seconds < 900
    assert json.loads(json.dumps(fit.leaders))[0] in {f"bot{number}" for number in range(30)}
