"""A backup, taken whenever, is a ladder equal to the one that it was taken of."""

import io
import json
import os
import shutil
import sqlite3
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from gavelport_server.archive.audit import Problem, audit, check_ratings
from gavelport_server.archive.backup import back_up
from gavelport_server.archive.errors import ArchiveError
from gavelport_server.archive.files import ReplayFolder, sha256_of
from gavelport_server.archive.restore import restore
from gavelport_server.conduct.folder import locked
from gavelport_server.main import gavelport
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.members import ActionRecord, TokenRecord
from gavelport_server.storage.schema import HEAD
from gavelport_server.storage.sql import FILE, SqlStore, open_store
from gavelport_server.storage.store import VoidRecord

from tests.archive.folder import fill, fill_ladder
from tests.storage.build import result, tournament

NOON = "2030-01-01T12:00:00+00:00"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with something of everything."""
    data = tmp_path_factory.mktemp("played")
    with closing(open_store(data)) as store:
        fill(store, data, 2)
        fill_ladder(store, data, 3)
        fill_ladder(store, data, 1, kind="practice")
        store.void_result("match-101", "two of one owner")
        store.add_void("fedcba98", VoidRecord("lost", "server fault", NOON))
        store.add_owner("ann")
        store.add_bot("walker", "ann")
        store.add_version("walker", "1.0")
        store.add_version("walker", "1.1", "ab" * 32)
        store.add_submission("walker", "1.2", "cd" * 32, "ann", NOON)
        store.add_token(TokenRecord("00ff" * 4, bytes(range(32)), "bot", "ann", "walker", "", NOON, "", "", ""))
        store.log_action(ActionRecord(NOON, "local", "void", "match-101", "two of one owner"))
        store.claim("one")
    (data / "journal").mkdir()
    (data / "journal" / "00000007.log").write_bytes(b"whatever runs")
    (data / "packages" / ".incoming").mkdir(parents=True)
    (data / "packages" / f"{'ab' * 32}.zip").write_bytes(b"a submitted bot")
    (data / "packages" / f"{'cd' * 32}.zip").write_bytes(b"one that is not admitted yet, and may go at any time")
    (data / "fits").mkdir()
    return data


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, played: Path, tmp_path: Path) -> Path | str:
    """Where the database of a copy of that folder is; the folder is `tmp_path/data`."""
    data = shutil.copytree(played, tmp_path / "data")
    if request.param == "sqlite":
        return data
    url = str(request.getfixturevalue("postgres_url"))
    with closing(open_store(url)) as store:
        store.replace_by(data / FILE)
    (data / FILE).unlink()
    return url


def everything(place: Path | str) -> dict[str, object]:
    with closing(open_store(place, create=False)) as store:
        events = store.tournaments()
        return {
            "tournaments": list(events),
            "results": [list(store.results(one.identity)) for one in events],
            "standings": [list(store.standings(one.identity)) for one in events],
            "changes": list(store.rating_changes("fedcba98")),
            "voids": list(store.voids("fedcba98")),
            "members": [list(store.owners()), list(store.bots()), list(store.versions()), list(store.tokens())],
            "actions": list(store.actions(9)),
            "revision": store.members_revision(),
        }


def problems(place: Path | str, data: Path) -> list[str]:
    with closing(open_store(place, create=False)) as store:
        found = [*audit(store, ReplayFolder(data)), *check_ratings(store, ReplayFolder(data))]
    return [one.what for one in found if isinstance(one, Problem)]


def backed_up(place: Path | str, data: Path, to: Path) -> Path:
    with closing(open_store(place, create=False)) as store:
        back_up(store, data, to)
    return to


@pytest.fixture
def backup(played: Path, tmp_path: Path) -> Path:
    return backed_up(played, played, tmp_path / "b.tar")


def test_what_is_restored_is_equal(place: Path | str, tmp_path: Path) -> None:
    data, new = tmp_path / "data", tmp_path / "new"
    file = backed_up(place, data, tmp_path / "b.tar")
    assert file.stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.tar", "data"]
    new.mkdir()
    restored = restore(file, new)
    assert (restored.replays, restored.segments, restored.missing) == (6, 1, ())
    assert everything(new) == everything(place)
    assert problems(new, new) == []
    assert (new / "journal" / "00000007.log").read_bytes() == b"whatever runs"
    assert [path.read_bytes() for path in (new / "packages").iterdir()] == [b"a submitted bot"]
    assert sorted(path.name for path in new.iterdir() if path.suffix not in (".db-wal", ".db-shm")) == [
        "gavelport.db", "journal", "packages", "replays",
    ]  # fmt: skip


def test_a_backup_goes_into_postgres_and_counting_goes_on(backup: Path, tmp_path: Path, postgres_url: str) -> None:
    new = tmp_path / "new"
    new.mkdir()
    with closing(open_store(postgres_url)) as store:
        restore(backup, new, store)
        with pytest.raises(ArchiveError, match="holds data already"):
            restore(backup, tmp_path / "other", store)
    assert not (new / FILE).exists()
    assert problems(postgres_url, new) == []
    with closing(open_store(postgres_url)) as store:
        assert store.claim("two") > 1
        store.open_tournament(tournament("next", kind="ladder"))
        assert store.append_result("next", result(0))
        store.log_action(ActionRecord(NOON, "local", "pause", "", ""))
        assert [one.action for one in store.actions(2)] == ["pause", "void"]


def test_nothing_is_replaced_without_force(backup: Path, tmp_path: Path, played: Path) -> None:
    data = tmp_path / "data"
    with closing(open_store(data)) as store:
        store.add_owner("somebody")
    (data / "fits").mkdir()
    with pytest.raises(ArchiveError, match=r"data holds data already; give another place, or --force to replace it"):
        restore(backup, data)
    with closing(open_store(data)) as store:
        assert [one.name for one in store.owners()] == ["somebody"]
    restore(backup, data, force=True)
    assert everything(data) == everything(played)
    assert not (data / "fits").exists()
    assert not [path for path in data.iterdir() if path.name.startswith(".")]
    with pytest.raises(ArchiveError, match="is there already; give another name, a backup replaces nothing"):
        backed_up(data, data, backup)


def changed(backup: Path, plant: Callable[[tarfile.TarFile, list[tuple[tarfile.TarInfo, bytes]]], None]) -> Path:
    """Return a backup made anew with other files."""
    with tarfile.open(backup) as tar:
        files = [(one, (tar.extractfile(one) or io.BytesIO()).read()) for one in tar]
    made = backup.with_name("changed.tar")
    with tarfile.open(made, "w") as tar:
        plant(tar, files)
        for described, content in files:
            described.size = len(content)
            tar.addfile(described, io.BytesIO(content))
    return made


def with_content(name: str, change: Callable[[bytes], bytes]) -> Callable[..., None]:
    def plant(_: object, files: list[tuple[tarfile.TarInfo, bytes]]) -> None:
        (index,) = [index for index, (one, _) in enumerate(files) if one.name == name]
        files[index] = (files[index][0], change(files[index][1]))

    return plant


def with_manifest(**values: object) -> Callable[..., None]:
    return with_content("backup.json", lambda held: json.dumps({**json.loads(held), **values}).encode())


def with_file(name: str, kind: bytes = tarfile.REGTYPE) -> Callable[..., None]:
    def plant(_: object, files: list[tuple[tarfile.TarInfo, bytes]]) -> None:
        described = tarfile.TarInfo(name)
        described.type, described.linkname = kind, "/etc/passwd"
        files.append((described, b""))

    return plant


def without(name: str) -> Callable[..., None]:
    def plant(_: object, files: list[tuple[tarfile.TarInfo, bytes]]) -> None:
        files[:] = [one for one in files if one[0].name != name]

    return plant


@pytest.mark.parametrize(
    ("plant", "said"),
    [
        (with_content("gavelport.db", lambda held: held[:-1] + b"\1"), r"gavelport.db has another hash\)"),
        (with_content("journal/00000007.log", lambda held: held + b"x"), r"journal/00000007.log has another hash\)"),
        (with_content("replays/match-0.zst", lambda held: held + b"x"), "replay of match match-0 is not as it was"),
        (with_file("../x"), "has a file '../x', which belongs in no backup"),
        (with_file("/tmp/x"), "which belongs in no backup"),
        (with_file("replays/../../x.zst"), "which belongs in no backup"),
        (with_file("replays/x.zst", tarfile.SYMTYPE), "which belongs in no backup"),
        (with_file("replays/x.zst", tarfile.FIFOTYPE), "which belongs in no backup"),
        (with_file("replays/match-0.zst"), "has a file twice"),
        (without("gavelport.db"), r"is not whole; take another backup \(gavelport.db is not there\)"),
        (without("backup.json"), "is no backup of gavelport"),
        (with_manifest(format=2), "was made by a newer Gavelport"),
        (with_manifest(sha256={"gavelport.db": "", "journal/../x": ""}), "which belongs in no backup"),
        (with_manifest(sha256={"gavelport.db": "", "packages/../x": ""}), "which belongs in no backup"),
        (with_content(f"packages/{'ab' * 32}.zip", lambda held: held + b"x"), r"zip has another hash\)"),
        (with_manifest(sha256=[]), "is no backup of gavelport"),
        (with_manifest(made_at=1), "is no backup of gavelport"),
    ],
)
def test_a_backup_that_is_not_as_it_was_made_replaces_nothing(
    backup: Path, tmp_path: Path, played: Path, plant: Callable[..., None], said: str
) -> None:
    data = shutil.copytree(played, tmp_path / "data")
    with pytest.raises(ArchiveError, match=said):
        restore(changed(backup, plant), data, force=True)
    assert everything(data) == everything(played)
    assert not [path for path in data.iterdir() if path.name.startswith(".")]
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("size", [0, 100, 5000, 60_000, -5000])
def test_a_backup_cut_short_is_no_backup(backup: Path, tmp_path: Path, size: int) -> None:
    held = backup.read_bytes()
    backup.write_bytes(held[:size])
    (tmp_path / "new").mkdir()
    try:
        restored = restore(backup, tmp_path / "new")
    except ArchiveError as error:
        assert "take another backup" in str(error) or "is no backup" in str(error)  # noqa: PT017
        assert list((tmp_path / "new").iterdir()) == []
    else:
        assert size < 0  # nothing but the padding, or the last replays, which are told
        assert restored.missing or restored.replays == 6


def test_a_database_of_a_newer_schema_is_refused(played: Path, tmp_path: Path) -> None:
    data = shutil.copytree(played, tmp_path / "data")
    with closing(open_store(data)) as store:
        with closing(sqlite3.connect(data / FILE)) as other, other:
            other.execute("UPDATE alembic_version SET version_num = '0099'")
        with pytest.raises(StoreError, match="newer Gavelport"):
            back_up(store, data, tmp_path / "b.tar")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


class Serving(threading.Thread):
    """What a server does to a data folder: journal, replay, result, end in the journal; one match after another."""

    def __init__(self, place: Path | str, data: Path) -> None:
        super().__init__()
        self._place, self._data = place, data
        self.counted: list[str] = []
        self.stop = False
        self.problem: BaseException | None = None

    def run(self) -> None:
        try:
            with closing(open_store(self._place)) as store:
                for number in range(100_000):
                    if self.stop:
                        break
                    self._play(store, f"live-{number}", number)
        except BaseException as error:  # noqa: BLE001  told by the test
            self.problem = error

    def _play(self, store: SqlStore, match_id: str, number: int) -> None:
        journal = self._data / "journal" / f"{number // 5 + 8:08}.log"
        with journal.open("a") as file:
            file.write(f"begin {match_id}\n")
        stored = f"replay of {match_id}".encode()
        ReplayFolder(self._data).put(match_id, stored)
        one = replace(result(0), match_id=match_id, replay_sha256=sha256_of(stored))
        assert store.append_result("fedcba98", one)
        self.counted.append(match_id)
        with journal.open("a") as file:
            file.write(f"end {match_id}\n")
        if number % 5 == 4:  # all of its matches have ended
            journal.unlink()


@pytest.fixture
def serving(place: Path | str, tmp_path: Path) -> Iterator[Serving]:
    thread = Serving(place, tmp_path / "data")
    thread.start()
    yield thread
    thread.stop = True
    thread.join(30)
    assert thread.problem is None


def test_a_backup_taken_while_a_server_counts(place: Path | str, serving: Serving, tmp_path: Path) -> None:
    for number in range(3):
        before = list(serving.counted)
        file = backed_up(place, tmp_path / "data", tmp_path / f"{number}.tar")
        new = tmp_path / f"new{number}"
        new.mkdir()
        restored = restore(file, new)
        assert restored.missing == ()
        with closing(open_store(new)) as store:
            counted = {one.match_id for one in store.results("fedcba98")}
            found = [one for one in check_ratings(store, ReplayFolder(new)) if isinstance(one, Problem)]
        assert set(before) <= counted
        assert [one.what for one in found if "Elo" in one.what] == []
        lines = [line for path in (new / "journal").glob("*.log") for line in path.read_text().split("\n")]
        began, ended = ({line.split()[1] for line in lines if line.startswith(f"{word} ")} for word in ("begin", "end"))
        # What the journal's copy takes to be over was counted; all that it takes to run began in it.
        assert ended <= counted
        assert ended <= began
    assert len(serving.counted) > 3


def invoke(*args: object, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(gavelport, [str(one) for one in args], env=env)


def test_the_commands(place: Path | str, tmp_path: Path) -> None:
    data, new = tmp_path / "data", tmp_path / "new"
    env = {"GAVELPORT_SERVE_DATABASE": place} if isinstance(place, str) else {}
    upgraded = invoke("db", "upgrade", "--data", data, env=env)
    assert (upgraded.exit_code, upgraded.output.endswith(f"has schema {HEAD}\n")) == (0, True)
    checked = invoke("rate", "--check", "--data", data, env=env)
    assert checked.exit_code == 0, checked.output
    done = invoke("db", "backup", "--data", data, "--to", tmp_path / "b.tar", env=env)
    assert (done.exit_code, done.output) == (
        0,
        f"backed up to {tmp_path / 'b.tar'}: database, 6 replays, 1 segment of the journal\n",
    )
    assert "error: " in invoke("db", "backup", "--data", data, "--to", tmp_path / "b.tar", env=env).output
    restored = invoke("db", "restore", tmp_path / "b.tar", "--data", new, "--json")
    assert restored.exit_code == 0, restored.output
    assert json.loads(restored.output)["replays"] == 6
    assert invoke("rate", "--check", "--data", new).output == checked.output
    refused = invoke("db", "restore", tmp_path / "b.tar", "--data", new)
    assert (refused.exit_code, "holds data already" in refused.output) == (1, True)
    assert invoke("db", "restore", tmp_path / "b.tar", "--data", data, "--force", env=env).exit_code == 0


def test_a_folder_in_use_is_not_restored_into(backup: Path, tmp_path: Path) -> None:
    lock = locked(tmp_path / "new")
    refused = invoke("db", "restore", backup, "--data", tmp_path / "new")
    assert (refused.exit_code, "plays in" in refused.output) == (1, True)
    os.close(lock)
    assert invoke("db", "restore", backup, "--data", tmp_path / "new").exit_code == 0


def test_a_database_that_is_served_is_not_restored_into(backup: Path, tmp_path: Path, postgres_url: str) -> None:
    with closing(open_store(postgres_url)) as store:
        store.claim("one")
        refused = invoke(
            "db",
            "restore",
            backup,
            "--data",
            tmp_path / "new",
            "--force",
            env={"GAVELPORT_SERVE_DATABASE": postgres_url},
        )
        assert (refused.exit_code, "is served by another process" in refused.output) == (1, True)
        assert list(store.tournaments()) == []


def test_missing_replays_are_told(played: Path, tmp_path: Path) -> None:
    data = shutil.copytree(played, tmp_path / "data")
    ReplayFolder(data).path("match-102").unlink()
    for command in (("backup", "--to", tmp_path / "b.tar"), ("restore", tmp_path / "b.tar", "--force")):
        told = invoke("db", command[0], "--data", data, *command[1:])
        assert told.exit_code == 1
        assert "error: 1 replay is missing: match-102" in told.output


def test_wrong_settings_are_told(tmp_path: Path) -> None:
    told = invoke("db", "upgrade", env={"GAVELPORT_SERVE_DATABASE": "mysql://ann:hunter2@host/db"})
    assert (told.exit_code, "postgresql://" in told.output, "hunter2" in told.output) == (2, True, False)
    told = invoke("db", "upgrade", "--data", tmp_path)
    assert (told.exit_code, "holds no tournament data" in told.output) == (1, True)
