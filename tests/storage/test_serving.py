"""One server writes to a database; another that takes over shuts the first one out."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from gavelport_server.storage.errors import FencedError, StoreError
from gavelport_server.storage.memory import MemoryStore
from gavelport_server.storage.sql import SqlStore
from gavelport_server.storage.store import Standing

from tests.storage.build import result, schedule, tournament
from tests.storage.test_ladder import BOTS, folded


@pytest.fixture
def stolen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A database whose advisory lock holds nobody back, as if its connection had been cut unseen."""
    monkeypatch.setattr("gavelport_server.storage.postgres.PostgresBackend.hold", lambda _: None)


def writes(store: SqlStore) -> list[Callable[[], object]]:
    return [
        lambda: store.open_tournament(tournament("l2", kind="ladder")),
        lambda: store.append_result("l1", result(7)),
        lambda: store.add_entrant("l1", "bot9", "1"),
        lambda: store.void_result("m0000", "no"),
        lambda: store.add_owner("eve"),
        lambda: store.seen(["bot0"], ""),
    ]


@pytest.mark.usefixtures("stolen")
def test_the_second_server_fences_the_first(place: Path | str) -> None:
    with closing(SqlStore(place)) as first, closing(SqlStore(place)) as second, closing(SqlStore(place)) as command:
        assert first.claim("one") == 1
        first.open_tournament(tournament("l1", kind="ladder"))
        assert first.append_result("l1", result(0))
        assert second.claim("two") == 2
        for write in writes(first):
            with pytest.raises(FencedError, match=r"another server has taken over this database .* epoch 2 of two"):
                write()
        assert list(first.results("l1")) == [result(0)]  # it may still read
        assert second.append_result("l1", result(1))
        command.add_owner("ann")  # a command never claims, and is not checked
        assert [one.name for one in second.owners()] == ["ann"]
        with pytest.raises(FencedError):  # nor does it get back in: what it knows of running matches is old
            first.claim("one")
        assert [one.number for one in second.results("l1")] == [0, 1]


def test_one_server_holds_postgres(postgres_url: str) -> None:
    with closing(SqlStore(postgres_url)) as first, closing(SqlStore(postgres_url)) as second:
        assert first.claim("one") == 1
        with pytest.raises(StoreError, match=r"is served by another process \(connection \d+ from .* since 20"):
            second.claim("two")
        first.add_owner("ann")
        first.close()
        assert second.claim("two") == 2


def cut_the_lock(postgres_url: str) -> None:
    """End the connection of the server's lock, as a network or a restart of the database does."""
    with psycopg.connect(postgres_url, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted "
            "AND objid = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
        )


def test_a_lost_lock_is_taken_anew(postgres_url: str) -> None:
    with closing(SqlStore(postgres_url)) as store, closing(SqlStore(postgres_url)) as second:
        store.claim("one")
        store.open_tournament(tournament("l1", kind="ladder"))
        cut_the_lock(postgres_url)
        assert store.append_result("l1", result(0))
        with pytest.raises(StoreError, match="is served by another process"):
            second.claim("two")


def test_who_took_a_lost_lock_fences_once_it_claims(postgres_url: str) -> None:
    with closing(SqlStore(postgres_url)) as first, closing(SqlStore(postgres_url)) as second:
        first.claim("one")
        first.open_tournament(tournament("l1", kind="ladder"))
        cut_the_lock(postgres_url)
        second._backend.hold()
        with pytest.raises(StoreError, match="is served by another process") as refused:
            first.append_result("l1", result(0))
        assert not isinstance(refused.value, FencedError), "it may still have to give way, and tries again"
        assert second.claim("two") == 2
        with pytest.raises(FencedError, match="another server has taken over this database"):
            first.append_result("l1", result(0))
        assert list(first.results("l1")) == []


def test_a_fenced_store_in_memory() -> None:
    store = MemoryStore()
    assert store.claim("one") == 1
    store.open_tournament(tournament("l1", kind="ladder"))
    store.fence()
    with pytest.raises(FencedError, match="another server has taken over"):
        store.append_result("l1", result(0))


def test_appends_at_once_are_all_counted_one_after_the_other(place: Path | str) -> None:
    with closing(SqlStore(place)) as store, closing(SqlStore(place)) as other:
        store.claim("one")
        store.open_tournament(tournament("l1", kind="ladder"))
        added = schedule(40)
        with ThreadPoolExecutor(8) as pool:
            appended = list(pool.map(lambda one: (store, other)[one.number % 2].append_result("l1", one), added * 2))
        assert sum(one is not None for one in appended) == 40
        stored = store.results("l1")
        assert [one.number for one in stored] == list(range(40))
        assert {one.match_id for one in stored} == {one.match_id for one in added}
        assert list(store.standings("l1")) == folded(list(stored), BOTS)[0]


def test_versions_that_come_at_once_are_added_once(place: Path | str) -> None:
    with closing(SqlStore(place)) as store:
        store.open_tournament(tournament("l1", kind="ladder"))
        store.add_owner("ann")
        store.add_bot("ant", "ann")
        with ThreadPoolExecutor(8) as pool:
            numbers = list(pool.map(lambda one: store.add_entrant("l1", "ant", str(one % 5)), range(20)))
            versions = list(pool.map(lambda one: store.add_version("ant", str(one % 5)).number, range(20)))
        assert sorted(set(numbers)) == [4, 5, 6, 7, 8]
        assert sorted(set(versions)) == [1, 2, 3, 4, 5]
        assert list(store.standings("l1")) == [Standing(number, 1500.0, 0) for number in range(9)]
