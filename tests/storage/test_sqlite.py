"""The SQLite file itself: what goes wrong with it is told in words, and what was acknowledged stays."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.sql import FILE, SqlStore
from gavelport_server.storage.sqlite import explained
from sqlalchemy.exc import DBAPIError

from tests.storage.build import result, schedule, tournament


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with one tournament and three results."""
    path = tmp_path / "data"
    store = SqlStore.in_folder(path, create=True)
    store.open_tournament(tournament())
    for one in schedule(3):
        store.add_result("t1", one)
    store.close()
    return path


@pytest.fixture
def store(folder: Path) -> Iterator[SqlStore]:
    opened = SqlStore.in_folder(folder, create=False, busy_s=0.05)
    yield opened
    opened.close()


def reopened(folder: Path) -> SqlStore:
    return SqlStore.in_folder(folder, create=False)


def test_what_was_added_is_there_after_a_reopening(store: SqlStore) -> None:
    assert list(store.results("t1")) == schedule(3)
    assert list(store.tournaments()) == [tournament()]
    store.check()


def test_commits_are_durable_and_keys_enforced(store: SqlStore) -> None:
    with store._reading() as connection:
        settings = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


def test_a_missing_folder_is_not_made_for_a_reader(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"holds no tournament data \(there is no gavelport.db\)"):
        SqlStore.in_folder(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    with pytest.raises(StoreError, match="x is not a folder; give a folder for the data"):
        SqlStore.in_folder(tmp_path / "x", create=True)
    with pytest.raises(StoreError, match="cannot be made"):
        SqlStore.in_folder(tmp_path / "x" / "y", create=True)


def test_a_folder_in_the_place_of_the_database(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    for create in (True, False):
        with pytest.raises(StoreError, match=r"gavelport\.db is a folder, and the database is a file; move it away"):
            SqlStore.in_folder(tmp_path, create=create)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"not a database, but long enough to be looked at " * 40)
    with pytest.raises(StoreError, match=r"gavelport.db is damaged \(file is not a database\); put back a copy"):
        reopened(tmp_path)


def test_a_database_of_another_program(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("CREATE TABLE recipe (name TEXT)")
    connection.close()
    with pytest.raises(StoreError, match="not one of Gavelport"):
        reopened(tmp_path)


def test_a_damaged_page_is_found(folder: Path) -> None:
    path = folder / FILE
    with closing(sqlite3.connect(path)) as connection:
        roots = connection.execute("SELECT rootpage FROM sqlite_master WHERE tbl_name LIKE '%result'").fetchall()
    with path.open("r+b") as file:
        for (page,) in roots:
            file.seek((page - 1) * 4096)
            file.write(b"\xff" * 512)
    store = reopened(folder)
    with pytest.raises(StoreError, match="is damaged"):
        store.check()
    with pytest.raises(StoreError, match=r"is damaged .*replays are files of their own"):
        store.results("t1")
    store.close()


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "UPDATE seat_result SET entrant = 77 WHERE match_id = 'm0001' AND seat = 1",
            "m0001 seats entrants [1, 77, 3]",
        ),
        ("UPDATE seat_result SET entrant = 1 WHERE match_id = 'm0001' AND seat = 2", "m0001 seats entrants [1, 2, 1]"),
        ("DELETE FROM seat_result WHERE match_id = 'm0001' AND seat = 0", "seats of match m0001 are numbered [1, 2]"),
        ("UPDATE seat_result SET total = 'x' WHERE seat = 1", "'x' stands in table seat_result as total"),
        ("DELETE FROM standing WHERE entrant = 1", "standings are numbered [0, 2, 3]"),
        ("UPDATE entrant SET number = 9 WHERE number = 1", "entrants are numbered [0, 2, 3, 9]"),
        ("UPDATE tournament SET secret = 'text'", "'text' stands in table tournament as secret"),
        ("UPDATE result SET \"end\" = CAST(x'ff41' AS TEXT)", "not decode to UTF-8"),
    ],
)
def test_rows_that_were_never_written_so(folder: Path, statement: str, said: str) -> None:
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute(statement)
    connection.close()
    store = reopened(folder)
    with pytest.raises(StoreError) as caught:
        [(store.results(one.identity), store.standings(one.identity)) for one in store.tournaments()]
    store.close()
    assert said in str(caught.value)


def test_a_changed_bit_anywhere_is_told_in_words_or_harmless(folder: Path) -> None:
    written = (folder / FILE).read_bytes()
    rng = Random(8)
    told = []
    for place in rng.sample([place for place, byte in enumerate(written) if byte], 150):
        changed = bytearray(written)
        changed[place] ^= 1 << rng.randrange(8)
        (folder / FILE).write_bytes(changed)
        try:
            with closing(reopened(folder)) as store:
                store.check()
                for one in store.tournaments():
                    assert all(len(result.seats) == one.seats for result in store.results(one.identity))
                    assert len(store.standings(one.identity)) == len(one.entrants)
        except StoreError as error:
            told.append(str(error))
    assert len(told) > 50
    assert not any("\n" in one for one in told)


def test_a_newer_schema_is_refused_and_left_alone(folder: Path) -> None:
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0007'")
    connection.close()
    with pytest.raises(
        StoreError, match=r"newer Gavelport \(schema 0007; this one knows up to \d+\); upgrade gavelport"
    ):
        reopened(folder)


def test_a_locked_database_is_told_after_the_wait(folder: Path, store: SqlStore) -> None:
    other = sqlite3.connect(folder / FILE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="is in use by another process"):
        store.add_result("t1", result(3))
    assert len(store.results("t1")) == 3  # readers go on
    other.execute("ROLLBACK")
    other.close()
    assert store.add_result("t1", result(3))


def test_a_full_database_loses_nothing(folder: Path, store: SqlStore) -> None:
    with store._reading() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    store._backend.reading.dispose()
    added = 0
    with pytest.raises(StoreError, match="no space is left"):  # noqa: PT012  the loop runs into the wall
        for number in range(3, 500):
            with store._reading() as connection:
                connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
            store.add_result("t1", result(number))
            added += 1
    store.close()
    again = reopened(folder)
    assert len(again.results("t1")) == 3 + added
    assert sum(one.matches for one in again.standings("t1")) == 3 * (3 + added)
    again.check()
    again.close()


FILL = """
import resource, signal, sys
from pathlib import Path
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.sql import SqlStore
from tests.storage.build import result

store = SqlStore.in_folder(Path(sys.argv[1]), create=False)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
number = 3
try:
    while True:
        store.add_result("t1", result(number))
        number += 1
except StoreError as error:
    print(number, error)
"""


def test_a_file_that_cannot_grow(folder: Path) -> None:
    run = subprocess.run([sys.executable, "-c", FILL, folder], capture_output=True, text=True, check=True, timeout=60)
    number, _, said = run.stdout.partition(" ")
    assert "check the disk and its free space" in said or "no space is left" in said
    store = reopened(folder)
    assert len(store.results("t1")) == int(number) > 3
    store.check()
    store.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to(folder: Path) -> None:
    (folder / FILE).chmod(0o400)
    store = reopened(folder)
    with pytest.raises(StoreError, match="may not be written to"):
        store.add_result("t1", result(3))
    store.close()


def test_a_database_in_a_folder_that_may_only_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # which root would be granted
    before = sorted(folder.iterdir())
    store = reopened(folder)
    assert list(store.results("t1")) == schedule(3)
    store.check()
    assert sorted(folder.iterdir()) == before
    with pytest.raises(StoreError, match="may not be written to"):
        store.add_result("t1", result(3))
    store.close()


def test_threads_share_a_store(folder: Path) -> None:
    store = reopened(folder)
    added = schedule(43)[3:]
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(store.add_result, ["t1"] * len(added), added))
    assert list(store.results("t1")) == schedule(43)
    store.close()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("SQLITE_BUSY_SNAPSHOT", "is in use by another process"),
        ("SQLITE_FULL", "no space is left"),
        ("SQLITE_CORRUPT_INDEX", "is damaged"),
        ("SQLITE_READONLY_DIRECTORY", "may not be written to; check the permissions"),
        ("SQLITE_CANTOPEN_ISDIR", "cannot be opened; check that its folder"),
        ("SQLITE_IOERR_FSYNC", "check the disk and its free space"),
        ("SQLITE_CONSTRAINT_FOREIGNKEY", "contradicts another one"),
        ("SQLITE_TOOBIG", "failed: planted"),
    ],
)
def test_every_error_says_where_and_what_to_do(name: str, said: str) -> None:
    planted = sqlite3.OperationalError("planted")
    planted.sqlite_errorname = name
    text = str(explained(DBAPIError("", None, planted), "d/gavelport.db"))
    assert text.startswith("d/gavelport.db ")
    assert said in text
