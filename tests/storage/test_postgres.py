"""PostgreSQL itself: what goes wrong with it is told in words, without the password, and nothing is half-written."""

import logging
import socket
import threading
import traceback
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from secrets import token_hex

import psycopg
import pytest
from gavelport_server.storage import sql
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.postgres import PostgresBackend
from gavelport_server.storage.sql import SqlStore, open_store
from sqlalchemy import make_url, text
from sqlalchemy.exc import DBAPIError

from tests.storage.build import result, schedule, tournament
from tests.storage.conftest import emptied

PASSWORD = "hunter2"
SECRET = "not to be told"


@pytest.fixture
def url(shared_url: str) -> str:
    return emptied(shared_url)


@pytest.fixture
def store(url: str) -> Iterator[SqlStore]:
    """A store with a ladder and three results, whose writes wait but a moment for others."""
    opened = SqlStore(url, busy_s=0.2)
    opened.open_tournament(tournament("l1", kind="ladder"))
    for one in schedule(3):
        opened.append_result("l1", one)
    yield opened
    opened.close()


def is_as_before(store: SqlStore) -> bool:
    return list(store.results("l1")) == schedule(3) and len(store.rating_changes("l1")) == 9


def test_commits_are_durable_and_readers_see_one_state(store: SqlStore) -> None:
    with store._writing() as connection:
        assert connection.scalar(text("SHOW synchronous_commit")) == "on"
        assert connection.scalar(text("SHOW transaction_isolation")) == "read committed"
    with store._reading() as connection:
        assert connection.scalar(text("SHOW transaction_isolation")) == "repeatable read"
        assert connection.scalar(text("SHOW transaction_read_only")) == "on"


def test_a_url_opens_it(url: str) -> None:
    for one in (
        url,
        url.replace("postgresql://", "postgres://"),
        url.replace("postgresql://", "postgresql+psycopg://"),
    ):
        with closing(open_store(one)) as opened:
            assert list(opened.tournaments()) == []


def test_a_write_waits_for_another_but_not_for_ever(store: SqlStore, url: str) -> None:
    with psycopg.connect(url) as other:
        other.execute("SELECT * FROM tournament FOR UPDATE")
        with pytest.raises(StoreError, match="is in use by another process; let that finish or stop it, then"):
            store.append_result("l1", result(3))
        assert is_as_before(store)  # readers go on
    assert store.append_result("l1", result(3))


def test_a_full_disk_in_the_midst_of_a_write(store: SqlStore, url: str) -> None:
    with psycopg.connect(url) as other:
        other.execute(
            "CREATE FUNCTION planted() RETURNS trigger LANGUAGE plpgsql AS "
            "$$BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END$$"
        )
        other.execute("CREATE TRIGGER planted BEFORE INSERT ON rating_change EXECUTE FUNCTION planted()")
    try:
        with pytest.raises(StoreError, match="cannot grow: no space is left; what was not yet acknowledged"):
            store.append_result("l1", result(3))
        assert is_as_before(store)
    finally:
        with psycopg.connect(url) as other:
            other.execute("DROP FUNCTION planted CASCADE")
    assert store.append_result("l1", result(3))


def test_connections_cut_by_the_server_are_made_anew(store: SqlStore, url: str) -> None:
    name = f"gavelport_{token_hex(4)}"  # other tests may run on the same server
    with closing(SqlStore(f"{url}&application_name={name}")) as cut, psycopg.connect(url, autocommit=True) as other:
        with pytest.raises(StoreError, match="cannot be reached"), cut._writing() as connection:  # noqa: PT012
            connection.execute(text("UPDATE tournament SET counted = 77"))
            other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s", (name,))
            connection.execute(text("SELECT 1"))
        assert is_as_before(store)
        assert cut.append_result("l1", result(3))


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        with pytest.raises(StoreError, match=rf"^postgresql://ann@127.0.0.1:{port}/db cannot be reached .*check that"):
            SqlStore(f"postgresql://ann:{PASSWORD}@127.0.0.1:{port}/db")


def test_a_server_that_talks_something_else() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]

        def answer() -> None:
            connection, _ = other.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        answering = threading.Thread(target=answer)
        answering.start()
        with pytest.raises(StoreError, match="cannot be reached"):
            SqlStore(f"postgresql://ann:{PASSWORD}@127.0.0.1:{port}/db?sslmode=disable")
        answering.join()


def test_a_missing_database_and_a_missing_user(url: str) -> None:
    base = make_url(url)
    missing = base.set(database="gavelport_none").render_as_string(hide_password=False)
    with pytest.raises(StoreError, match=r"gavelport_none is not there .*; create the database first"):
        SqlStore(missing)
    stranger = base.set(username="gavelport_nobody", password=PASSWORD).render_as_string(hide_password=False)
    with pytest.raises(StoreError, match="refuses this user or password") as caught:
        SqlStore(stranger)
    assert PASSWORD not in str(caught.value)


def test_a_schema_that_is_missing(url: str) -> None:
    with pytest.raises(StoreError, match="has no schema to keep tables in"):
        SqlStore(url.replace("search_path%3D", "search_path%3Dnone_"))


@pytest.mark.parametrize(
    "bad",
    [
        f"postgresql://ann:{PASSWORD}@host:{PASSWORD}/db",
        f"postgresql://ann:pass@{PASSWORD}:x@host/db",
        f"postgresql://ann:pass@{PASSWORD}@host/db",
    ],
)
def test_a_url_that_cannot_be_read_is_not_repeated(bad: str) -> None:
    with pytest.raises(StoreError, match=r"the database's URL cannot be read; write postgresql://user") as caught:
        SqlStore(bad)
    assert PASSWORD not in "".join(traceback.format_exception(caught.value))


def test_no_password_or_value_reaches_errors_and_logs(url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    base = make_url(url)
    said = []
    full = base.set(password=PASSWORD).render_as_string(hide_password=False)
    for one in (full, f"postgresql://ann:{PASSWORD}@127.0.0.1:1/db?sslpassword={PASSWORD}&connect_timeout=2"):
        try:
            with closing(SqlStore(one)) as opened:
                assert PASSWORD not in opened.where
                assert PASSWORD not in repr(opened)
                opened.open_tournament(replace(tournament(), name="\0", options=SECRET))
        except StoreError as error:
            said.append("".join(traceback.format_exception(error)))
    assert len(said) == 2
    assert "failed: " in said[0]
    assert "cannot be reached" in said[1]
    for one in (PASSWORD, SECRET):
        assert one not in "".join(said) + caplog.text


def test_without_the_driver(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise ImportError("no", name="psycopg")

    monkeypatch.setattr("gavelport_server.storage.postgres.create_engine", missing)
    with pytest.raises(StoreError, match=r"not installed \(psycopg\); pip install 'gavelport\[postgres\]'"):
        SqlStore(url)


class Planted(psycopg.Error):
    """An error of the server with any SQLSTATE."""

    def __init__(self, state: str) -> None:
        super().__init__(f"planted {PASSWORD}")
        self.sqlstate = state


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("28P01", "refuses this user or password"),
        ("53100", "no space is left"),
        ("53300", "takes no more connections"),
        ("40P01", "is in use by another process"),
        ("40001", "is in use by another process"),
        ("57P01", "cannot be reached"),
        ("57P03", "cannot be reached"),
        ("25006", "may not be written to"),
        ("42501", "may not be written to"),
        ("23505", "refuses a record that contradicts another"),
        ("XX001", "is damaged (planted ***); put back a backup"),
        ("22021", "failed: planted ***"),
    ],
)
def test_every_error_says_where_and_what_to_do(state: str, said: str) -> None:
    backend = PostgresBackend(f"postgresql://ann:{PASSWORD}@host/db", sql.BUSY_S)
    told = str(backend.explained(DBAPIError("", None, Planted(state))))
    assert told.startswith("postgresql://ann@host/db ")
    assert said in told
    assert PASSWORD not in told
