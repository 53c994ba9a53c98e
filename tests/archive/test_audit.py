"""The audit of a data folder finds every planted fault."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from gavelport_server.archive import audit as audit_module
from gavelport_server.archive.audit import Problem, audit, check_files, check_ratings
from gavelport_server.archive.files import ReplayFolder
from gavelport_server.archive.replay import encode_replay
from gavelport_server.storage.sql import FILE, SqlStore

from tests.archive.folder import fill, short_match
from tests.archive.play import played_match

MATCHES = 5


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("played")
    with closing(SqlStore.in_folder(data, create=True)) as store:
        fill(store, data, MATCHES)
    return data


@pytest.fixture
def data(played: Path, tmp_path: Path) -> Path:
    """A copy of a true data folder, for faults to be planted in."""
    return shutil.copytree(played, tmp_path / "data")


def problems(data: Path) -> list[str]:
    with closing(SqlStore.in_folder(data, create=False)) as store:
        found = [one for one in audit(store, ReplayFolder(data)) if isinstance(one, Problem)]
    return [f"{Path(one.where).name}: {one.what}" for one in found]


def rating_problems(data: Path) -> list[str]:
    with closing(SqlStore.in_folder(data, create=False)) as store:
        found = [one for one in check_ratings(store, ReplayFolder(data)) if isinstance(one, Problem)]
    return [one.what for one in found]


def sql(data: Path, statement: str) -> None:
    with closing(sqlite3.connect(data / FILE)) as connection, connection:
        assert connection.execute(statement).rowcount > 0


def test_a_true_folder_has_no_problem(data: Path) -> None:
    assert problems(data) == []
    assert rating_problems(data) == []
    with closing(SqlStore.in_folder(data, create=False)) as store:
        assert len(list(audit(store, ReplayFolder(data)))) == MATCHES


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE seat_result SET rank = 4 - rank WHERE match_id = 'match-2'", "match-2.zst: ranks: ["),
        ("UPDATE seat_result SET total = 99 WHERE match_id = 'match-2' AND seat = 1", "match-2.zst: totals: ["),
        (
            "UPDATE seat_result SET retired = 1 WHERE match_id = 'match-2' AND seat = 1",
            "retired seats: []",
        ),
        ("UPDATE seat_result SET decisions = 0 WHERE match_id = 'match-2' AND seat = 1", "decisions of seat 1: "),
        ("UPDATE seat_result SET charged_ms = -1 WHERE match_id = 'match-2' AND seat = 1", "charged ms of seat 1: "),
        ("UPDATE seat_result SET slowest_ms = -1 WHERE match_id = 'match-2' AND seat = 1", "slowest decision in ms"),
        ("UPDATE seat_result SET refusals = 7 WHERE match_id = 'match-2' AND seat = 1", "refusals: [0, 0, 0] by the"),
        (
            "UPDATE seat_result SET first_fault = 'none' WHERE match_id = 'match-2' AND seat = 1",
            "first faults: ['', '', ''] by the replay, ['', 'none', ''] in",
        ),
        (
            "INSERT INTO seat_fault VALUES ('match-2', 1, 'timeout', 2)",
            "faults of seat 1: {} by the replay, {'time",
        ),
        ("UPDATE result SET \"end\" = 'two' WHERE match_id = 'match-2'", "match-2.zst: end: "),
        (
            "UPDATE result SET replay_sha256 = 'ab' WHERE match_id = 'match-2'",
            "the database says ab: it is ",
        ),
        ("UPDATE tournament SET game = 'container@2'", "game: container@1 by the replay, container@2 in the database"),
        (
            "UPDATE entrant SET bot = 'x' WHERE number = 1",
            "bots: ['bot_a 1.0', 'bot_b 1.1', 'bot_c 1.2'] by",
        ),
        ("UPDATE standing SET elo = elo + 0.000001 WHERE entrant = 1", "Elo of bot_b 1.1 is "),
        ("UPDATE standing SET matches = 4 WHERE entrant = 1", "after 5 matches by the replays, "),
    ],
)
def test_the_database_must_agree(data: Path, statement: str, said: str) -> None:
    sql(data, statement)
    found = problems(data)
    assert any(said in one for one in found), found
    if "UPDATE standing" in statement:
        assert len(found) == 1


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE result SET block = 1 WHERE match_id = 'match-2'", "by the replays, with 5 deals, and "),
        ("UPDATE standing SET elo = elo + 0.000001 WHERE entrant = 1", "Elo of bot_b 1.1 is "),
        ("UPDATE seat_result SET rank = 4 - rank WHERE match_id = 'match-2'", "ranks: ["),
    ],
)
def test_ratings_must_be_those_of_the_replays(data: Path, statement: str, said: str) -> None:
    sql(data, statement)
    (found,) = rating_problems(data)
    assert said in found


def exchange(folder: ReplayFolder) -> None:
    one, other = folder.path("match-1"), folder.path("match-3")
    kept = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(kept)


def change_a_byte(folder: ReplayFolder) -> None:
    stored = bytearray(folder.get("match-1"))
    stored[200] ^= 4
    folder.path("match-1").write_bytes(bytes(stored))


def replay_another_way(folder: ReplayFolder) -> None:
    """A true replay of the same deal, but not the one that was stored."""
    report = played_match(1, seats=3, options={"supply_per_player": 1, "stall_rounds": 2}, faults={0: "timeout"})
    folder.path("match-1").write_bytes(encode_replay(report))


@pytest.mark.parametrize(
    ("plant", "said"),
    [
        (lambda f: f.path("match-1").unlink(), "match-1.zst: is not there, though match match-1 has a result; put"),
        (lambda f: f.put("match-77", encode_replay(short_match(77))), "match-77.zst: has no result in the database"),
        (exchange, "match-1.zst: is the replay of match match-3"),
        (change_a_byte, "match-1.zst: is not as it was written"),
        (replay_another_way, "match-1.zst: file has SHA-256 "),
        (lambda f: f.path("match-1").write_bytes(b""), "match-1.zst: is not as it was written"),
    ],
)
def test_the_archive_must_agree(data: Path, plant: Callable[[ReplayFolder], object], said: str) -> None:
    plant(ReplayFolder(data))
    assert any(said in one for one in problems(data)), problems(data)


def test_a_damaged_replay_stops_the_rebuild_in_words(data: Path) -> None:
    change_a_byte(ReplayFolder(data))
    assert any("Elo cannot be rebuilt beyond 1 matches: the replay of match match-1" in one for one in problems(data))
    assert "is not as it was written" in rating_problems(data)[0]


def test_ratings_follow_the_replays_and_not_the_results(data: Path) -> None:
    # Whoever changes ranks and standings together, as if the match had gone the other way, is found out.
    sql(data, "UPDATE seat_result SET rank = 4 - rank WHERE match_id = 'match-4'")
    assert "ranks: " in rating_problems(data)[0]
    sql(data, "UPDATE seat_result SET rank = 4 - rank WHERE match_id = 'match-4'")
    assert rating_problems(data) == []
    sql(data, "UPDATE standing SET elo = 1500.0 WHERE entrant = 2")
    assert "Elo of bot_c 1.2 is " in rating_problems(data)[0]


def test_matches_after_a_gap_wait(tmp_path: Path) -> None:
    with closing(SqlStore.in_folder(tmp_path, create=True)) as store:
        fill(store, tmp_path, 4)
    for table in ("seat_fault", "seat_result", "result"):
        with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
            connection.execute(f"DELETE FROM {table} WHERE match_id = 'match-2'")
    # The stored Elo has all four matches, the rebuild stops before the third.
    assert "after 2 matches by the replays" in rating_problems(tmp_path)[0]


def test_many_files_are_shared_out_and_come_in_order(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = ReplayFolder(data)
    change_a_byte(folder)
    paths = [folder.path(match_id) for match_id in folder.list()]
    alone = list(check_files(paths))
    monkeypatch.setattr(audit_module, "ALONE", 1)
    assert list(check_files(paths)) == alone
    assert [checked.record is None for checked in alone] == [False, True, False, False, False]
