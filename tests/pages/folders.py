"""Data folders for tests of pages: a tournament of each game with bots that are called odd things."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

from gavelport_engine.registry import GAMES
from gavelport_server.archive.files import ReplayFolder
from gavelport_server.archive.fits import write_fit
from gavelport_server.archive.refit import ladder_fit
from gavelport_server.archive.replay import encode_replay
from gavelport_server.referee.report import FaultReason, MatchReport, Played, SeatName
from gavelport_server.storage.sql import SqlStore
from gavelport_server.storage.store import Entrant, Store, TournamentRecord

from tests.archive.folder import result_of
from tests.archive.play import played_match

HOSTILE = "<script>alert(1)</script>"
QUOTES = "\"'><img src=x onerror=alert(1)>"
NAMES = {"container": (HOSTILE, "bold/../trader", QUOTES), "shipping": ("north", "south", HOSTILE)}
OWNERS = ("north-quay", "house", "<b>two-tides</b>")
"""Of the bots of the ladder, the first game's; the last bot is withdrawn from it."""
IDENTITY = {"container": "c0ffee0123456789c0ffee0123456789", "shipping": "5417b0a75417b0a75417b0a75417b0a7"}
SHORT = {"container": {"supply_per_player": 2, "stall_rounds": 2}, "shipping": {"years": 3}}
SETTING = '{"clock":{},"format":"round_robin","options":{"seats":3},"seats":3}'
LADDER = "1adde40123456789"
MATCHES = 6
NOTE = "the note of a bot, for its owner"


def record(game: str) -> TournamentRecord:
    return TournamentRecord(
        identity=IDENTITY[game],
        name=f"Cup of {game} {HOSTILE}",
        game=f"{game}@1",
        options=SETTING,
        secret=b"secret",
        seats=3,
        entrants=tuple(Entrant(number, name, f"1.{number}", "") for number, name in enumerate(NAMES[game])),
        started_at="2030-01-01T10:00:00+00:00",
    )


def report_of(game: str, number: int, *, match_id: str = "") -> MatchReport:
    report = played_match(
        number,
        game=GAMES[game],
        seats=3,
        options=SHORT[game],
        match_id=match_id or f"{game}-{number}",
        faults={3: "timeout", 7: "illegal"},
        notes={0: NOTE, 2: NOTE},
    )
    names = tuple(SeatName(name, f"1.{seat}") for seat, name in enumerate(NAMES[game]))
    counts = [Counter[FaultReason]() for _ in names]
    for one in report.record:
        if isinstance(one, Played) and one.fault:
            counts[one.seat][one.fault] += 1
    figures = tuple(
        replace(one, faults=tuple(sorted(count.items()))) for one, count in zip(report.figures, counts, strict=True)
    )
    return replace(report, setup=replace(report.setup, seats=names), figures=figures)


def fill(data: Path, store: Store, game: str, matches: int = MATCHES, *, first: int = 0) -> None:
    """Play so many matches of a tournament, three to a block, from one on."""
    tournament = store.open_tournament(record(game))
    folder = ReplayFolder(data)
    for number in range(first, matches):
        report = report_of(game, number)
        stored = encode_replay(report)
        folder.put(report.setup.match_id, stored)
        result = replace(result_of(number, report, stored), block=number // 3, rotation=number % 3)
        store.add_result(tournament.identity, result)


def fill_ladder(data: Path, store: SqlStore) -> None:
    """Play a ladder between versions of three bots; one result is void, and the fit has not seen the last."""
    cup = record("container")
    ladder = store.open_tournament(replace(cup, identity=LADDER, name="Open ladder", kind="ladder", entrants=()))
    folder, names = ReplayFolder(data), NAMES["container"]
    for name, owner in zip(names, OWNERS, strict=True):
        store.add_owner(owner, is_house=owner == "house")
        store.add_bot(name, owner)
    store.set_status(QUOTES, "withdrawn", "for a test")
    for number in range(7):
        versions = [f"{1 + number // 4}", "1", "1"]
        entrants = [store.add_entrant(LADDER, name, version) for name, version in zip(names, versions, strict=True)]
        report = report_of("container", number, match_id=f"ladder-{number}")
        seats = tuple(SeatName(name, version) for name, version in zip(names, versions, strict=True))
        stored = encode_replay(replace(report, setup=replace(report.setup, seats=seats)))
        folder.put(report.setup.match_id, stored)
        result = result_of(number, report, stored)
        seated = tuple(replace(seat, entrant=entrant) for seat, entrant in zip(result.seats, entrants, strict=True))
        store.append_result(LADDER, replace(result, seats=seated))
        if number == 5:
            store.void_result("ladder-2", f"the bots were one: {HOSTILE}")
            full = next(one for one in store.tournaments() if one.identity == ladder.identity)
            fit = ladder_fit(full, store.results(LADDER), ())
            assert fit is not None
            write_fit(data, LADDER, fit)


def make(data: Path) -> Path:
    """Make a data folder with a tournament of each game, and a ladder."""
    store = SqlStore.in_folder(data, create=True)
    for game in NAMES:
        fill(data, store, game)
    fill_ladder(data, store)
    store.close()
    return data
