"""A data folder belongs to one process at a time; a log that cannot be written costs only itself."""

import json
from pathlib import Path

import pytest
import structlog
from gavelport_server.conduct.folder import FolderError, open_folder
from gavelport_server.log import log_to


def test_a_folder_is_made_and_locked_and_set_free(tmp_path: Path) -> None:
    data = tmp_path / "deep" / "data"
    with open_folder(data) as folder:
        assert folder.store.tournaments() == []
        said = r"another run-tournament or serve \(process \d+\) plays in"
        with pytest.raises(FolderError, match=said), open_folder(data):
            pass
    with open_folder(data):
        assert (data / "gavelport.db").exists()


def test_leftovers_of_a_killed_run_are_swept_under_the_lock(tmp_path: Path) -> None:
    left = tmp_path / "replays" / ".m2.0123456789abcdef.new"
    left.parent.mkdir()
    left.write_bytes(b"half")
    with open_folder(tmp_path):
        assert not left.exists()
        left.write_bytes(b"being written")
        with pytest.raises(FolderError), open_folder(tmp_path):
            pass
        assert left.exists(), "of the run that has the lock"


def test_what_cannot_be_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(FolderError, match="data is a file; give a folder"), open_folder(tmp_path / "data"):
        pass
    below = tmp_path / "data" / "below"
    with pytest.raises(FolderError, match="cannot be used as data folder: Not a directory"), open_folder(below):
        pass


def test_the_log_goes_to_a_file_and_nowhere_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[str] = []
    with log_to(tmp_path / "logs", told.append):
        structlog.get_logger("x").info("bot_connected", bot="ann")
    line = json.loads((tmp_path / "logs" / "server.log").read_text())
    assert (line["event"], line["bot"], line["level"]) == ("bot_connected", "ann", "info")
    assert (told, capsys.readouterr()) == ([], ("", ""))


def test_a_log_that_cannot_be_written_is_told_once(tmp_path: Path) -> None:
    told: list[str] = []
    (tmp_path / "server.log").symlink_to("/dev/full")
    with log_to(tmp_path, told.append):
        structlog.get_logger("x").info("one")
        structlog.get_logger("x").info("two")
    assert len(told) == 1
    assert "server.log cannot be written (No space left on device)" in told[0]
