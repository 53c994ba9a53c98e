"""What an append costs does not grow with what is kept."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from gavelport_server.storage import schema
from gavelport_server.storage.sql import SqlStore
from gavelport_server.storage.store import ResultFilter
from sqlalchemy import Connection, event

from tests.storage.build import result, schedule, tournament

GROWING_TABLES = ("result", "seat_result", "seat_fault", "rating_change", "void")


@contextmanager
def statements(store: SqlStore) -> Iterator[list[tuple[str, object]]]:
    """What is asked of the database meanwhile."""
    asked: list[tuple[str, object]] = []

    def note(_: Connection, __: object, statement: str, parameters: object, ___: object, many: bool) -> None:
        asked.append((statement, parameters[0] if many else parameters))  # type: ignore[index]

    event.listen(store._backend.reading, "before_cursor_execute", note)
    yield asked
    event.remove(store._backend.reading, "before_cursor_execute", note)


def scanned(path: Path, asked: list[tuple[str, object]]) -> list[str]:
    """Statements for which SQLite reads a growing table from its beginning to its end."""
    found = []
    with closing(sqlite3.connect(path)) as connection:
        for statement, parameters in asked:
            if statement.startswith(("SELECT", "UPDATE", "DELETE")):
                plan = connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)  # type: ignore[arg-type]
                steps = [row[3] for row in plan]
                if any(re.match(rf"SCAN ({'|'.join(GROWING_TABLES)})\b(?! USING INDEX)", step) for step in steps):
                    found.append(statement)
    return found


@pytest.fixture
def path(empty_file: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "x.db"
    copy.write_bytes(empty_file.read_bytes())
    with closing(SqlStore(copy)) as store:
        store.open_tournament(tournament("l1", kind="ladder"))
        for one in schedule(60):
            store.append_result("l1", one)
    return copy


def test_an_append_asks_as_much_of_a_long_ladder_as_of_a_new_one(path: Path) -> None:
    with closing(SqlStore(path)) as store:
        store.open_tournament(tournament("l2", kind="ladder"))
        asked = []
        for identity, match_id in (("l1", "long"), ("l2", "new")):
            with statements(store) as noted:
                assert store.append_result(identity, result(0, match_id=match_id))
            asked.append(noted)
    assert [statement for statement, _ in asked[0]] == [statement for statement, _ in asked[1]]
    assert len(asked[0]) < 30
    assert scanned(path, asked[0]) == []


def test_a_page_of_results_reads_no_table_whole(path: Path) -> None:
    with closing(SqlStore(path)) as store, statements(store) as asked:
        store.find_results(ResultFilter(), limit=10)
        store.find_results(ResultFilter(bot="bot0"), limit=10)
        store.result("m0001")
        store.rating_changes("l1", "bot0", 10)
    assert scanned(path, asked) == []


def test_what_counts_no_more_is_found_by_its_index(path: Path) -> None:
    with closing(SqlStore(path)) as store:
        assert store.void_result("m0007", "by hand")
        with statements(store) as asked:
            assert list(store.voided("l1")) == [7]
    (statement, parameters), *_ = [one for one in asked if "void_reason" in one[0]]
    with closing(sqlite3.connect(path)) as connection:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)  # type: ignore[arg-type]
        assert "ix_result_voided" in str(plan.fetchall())


def test_changes_of_ratings_are_found_match_by_match(path: Path) -> None:
    """Not entrant by entrant, each in every match: a thousand bots made that ten seconds."""
    with closing(SqlStore(path)) as store, statements(store) as asked:
        for bot, limit in ((None, None), (None, 5), ("bot0", 5)):
            store.rating_changes("l1", bot, limit)
    for statement, parameters in asked:
        if "rating_change" in statement:
            with closing(sqlite3.connect(path)) as connection:
                plan = connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)  # type: ignore[arg-type]
                assert "entrant_match_id (entrant=? AND match_id=?)" not in str(plan.fetchall())


def test_a_scan_is_caught(path: Path) -> None:
    assert scanned(path, [("SELECT * FROM result WHERE round = 3", ())]) != []
    assert all(name in schema.metadata.tables for name in GROWING_TABLES)
