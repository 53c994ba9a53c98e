"""Packages and their files in the data folder."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NoReturn

import pytest
from gavelport_server.lobby.package import packed
from gavelport_server.lobby.packages import Packages


def test_what_is_unpacked_is_made_anew_after_a_start(tmp_path: Path) -> None:
    packages = Packages(tmp_path)
    source = tmp_path / "source"
    source.mkdir()
    (source / "main.py").write_text("pass")
    with packages.incoming() as folder:
        package, files = folder / "bot.zip", folder / "bot"
        package.write_bytes(packed(source))
        shutil.copytree(source, files)
        packages.keep(package, files, "c0ffee")
    assert packages.size("c0ffee") > 0
    assert packages.size("f00") == 0
    (packages.folder("c0ffee") / "main.py").write_text("damaged since")
    packages.sweep()
    assert (packages.folder("c0ffee") / "main.py").read_text() == "pass"


def test_files_are_removed_all_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is killed meanwhile leaves nothing that would pass for the same bot when it comes again."""
    packages, files = Packages(tmp_path), tmp_path / "bots" / "c0ffee"
    files.mkdir(parents=True)
    (files / "main.py").write_text("pass")

    def killed(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            packages.remove("c0ffee")
    assert not files.exists()
    packages.sweep()
    packages.remove("c0ffee")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
