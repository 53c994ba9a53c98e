"""The audit of ladders and practice finds every planted fault."""

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from gavelport_server.archive.audit import MatchRecord, Problem, RatedTruly, audit, check_ratings
from gavelport_server.archive.files import ReplayFolder
from gavelport_server.archive.replay import encode_replay
from gavelport_server.cli.rate import rate
from gavelport_server.storage.sql import FILE, SqlStore
from gavelport_server.storage.store import Result

from tests.archive.folder import fill_ladder, result_of, short_match

MATCHES = 4


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder of which one result counts no more, and practice."""
    data = tmp_path_factory.mktemp("played")
    with closing(SqlStore.in_folder(data, create=True)) as store:
        fill_ladder(store, data, MATCHES)
        fill_ladder(store, data, 2, kind="practice")
        store.void_result("match-101", "two of one owner")
    return data


@pytest.fixture
def data(played: Path, tmp_path: Path) -> Path:
    """A copy, for faults to be planted in."""
    return shutil.copytree(played, tmp_path / "data")


def found_in(data: Path) -> tuple[list[str], list[str]]:
    """Return the problems of the audit, and of the check of ratings."""
    with closing(SqlStore.in_folder(data, create=False)) as store:
        folder = ReplayFolder(data)
        return (
            [one.what for one in audit(store, folder) if isinstance(one, Problem)],
            [one.what for one in check_ratings(store, folder) if isinstance(one, Problem)],
        )


def test_a_true_ladder_has_no_problem(data: Path) -> None:
    assert found_in(data) == ([], [])
    with closing(SqlStore.in_folder(data, create=False)) as store:
        (right,) = [one for one in check_ratings(store, ReplayFolder(data)) if isinstance(one, RatedTruly)]
    assert (right.tournament.kind, right.matches) == ("ladder", MATCHES)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE standing SET elo = elo + 0.000001 WHERE tournament_id = 1 AND entrant = 3", "Elo of bot_a 2.0 is "),
        ("UPDATE standing SET matches = 2 WHERE tournament_id = 1 AND entrant = 3", "after 1 matches by the replays, "),
        (
            "UPDATE rating_change SET after = after + 1 WHERE match_id = 'match-102' AND seat = 1",
            "changed the rating of",
        ),
        ("UPDATE rating_change SET k = 16 WHERE match_id = 'match-100' AND seat = 0", "with K 16 in the database"),
        ("DELETE FROM rating_change WHERE match_id = 'match-103' AND seat = 2", "by the replays, not at all in the"),
        (
            "INSERT INTO rating_change VALUES ('match-101', 0, 1500, 1500, 32)",
            "match-101 counts for nothing and has a change",
        ),
        ("UPDATE result SET void_reason = '' WHERE match_id = 'match-101'", "after 3 matches by the replays, "),
        ("UPDATE result SET void_reason = 'x' WHERE match_id = 'match-102'", "Elo of bot_a 1.0 is "),
        ("UPDATE result SET number = 9 WHERE match_id = 'match-103'", "numbered 0 to 2, and then 9: some are missing"),
        ("UPDATE standing SET elo = 1501 WHERE tournament_id = 2 AND entrant = 0", "Elo of bot_a 1.0 is 1500.000000"),
    ],
)
def test_a_planted_fault_is_found(data: Path, statement: str, said: str) -> None:
    with closing(sqlite3.connect(data / FILE)) as connection, connection:
        assert connection.execute(statement).rowcount > 0
    for found in found_in(data):
        assert len(found) == 1
        assert said in found[0]


def test_practice_keeps_no_changes_and_its_replays_are_looked_at(data: Path) -> None:
    ReplayFolder(data).path("match-201").write_bytes(b"")
    assert [len(found) for found in found_in(data)] == [1, 1]


def test_rate_tells_of_ladders_and_not_of_practice(data: Path) -> None:
    shown = CliRunner().invoke(rate, ["--data", str(data)])
    assert shown.exit_code == 0, shown.output
    assert shown.output.count("container@1") == 1
    checked = CliRunner().invoke(rate, ["--check", "--data", str(data)])
    assert checked.exit_code == 0
    assert "1 tournament rated as the replays say, 0 failures" in checked.output
    again = CliRunner().invoke(rate, ["--check", "--data", str(data)])
    assert again.output == checked.output


class Busy(SqlStore):
    """A store in which a server counts another match, of a new bot, while the audit reads."""

    to_come: tuple[Result, ...] = ()
    """What comes as soon as somebody asks for results."""

    def results(self, identity: str, *, first: int = 0, limit: int | None = None) -> Sequence[Result]:
        if identity == "fedcba98" and self.to_come:
            self.add_entrant(identity, "late", "1")
            for one in self.to_come:
                assert self.append_result(identity, one)
            self.to_come = ()
        return super().results(identity, first=first, limit=limit)


def test_a_server_may_count_on_meanwhile(data: Path) -> None:
    report = short_match(150)
    stored = encode_replay(report)
    for check in (check_ratings, audit):
        with closing(Busy.in_folder(data, create=False)) as store:
            assert isinstance(store, Busy)
            found = check(store, ReplayFolder(data))
            if check is audit:
                report = short_match(151)
                stored = encode_replay(report)
            store.to_come = (result_of(0, report, stored),)
            first = [next(found)] if check is audit else []  # the list of replays is made before this one comes
            ReplayFolder(data).put(report.setup.match_id, stored)
            assert not [one for one in [*first, *found] if isinstance(one, Problem)]
            if check is audit:
                assert store.result("match-151") is not None
    with closing(SqlStore.in_folder(data, create=False)) as store:
        assert len([one for one in audit(store, ReplayFolder(data)) if isinstance(one, MatchRecord)]) == MATCHES + 4
