"""Every sample bot has the form of a submission."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gavelport_server.conduct.manifest import read_manifest

from tests.sample_bots.bots import FOLDERS, SAMPLE_BOTS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_manifest_is_sound_and_named_as_its_folder(folder: Path) -> None:
    assert read_manifest(folder).name == folder.name


def test_no_folder_lacks_a_manifest() -> None:
    assert [path for path in SAMPLE_BOTS.iterdir() if path.is_dir() and path not in FOLDERS] == []
