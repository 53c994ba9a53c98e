"""docs/cli.md says of `bot.toml` what is read in it."""

import re
from pathlib import Path
from typing import get_args

from gavelport_engine.registry import GAMES
from gavelport_server.conduct.manifest import FILE, Language, _File, read_manifest

from tests.architecture.sources import ROOT

DOCUMENT = (ROOT / "docs" / "cli.md").read_text("utf-8").partition("## `bot.toml`\n")[2].partition("\n## ")[0]


def rows(section: str) -> dict[str, str]:
    """Return what the table says of each key."""
    return dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.MULTILINE))


def test_every_key_is_in_the_table_and_no_other() -> None:
    assert list(rows(DOCUMENT)) == list(_File.model_fields)
    assert all(field.is_required() for field in _File.model_fields.values()), "the document says so"


def test_what_languages_and_games_there_are() -> None:
    said = rows(DOCUMENT)
    assert said["language"].startswith(" or ".join(f"`{one}`" for one in get_args(Language)) + ":")
    assert [name for name in GAMES if f'`"{name}"`' not in said["games"]] == []


def test_the_example_is_read(tmp_path: Path) -> None:
    example = re.search(r"```toml\n(.*?)```", DOCUMENT, re.DOTALL)
    assert example is not None
    (tmp_path / FILE).write_text(example[1], "utf-8")
    (tmp_path / "main.py").write_text("", "utf-8")
    manifest = read_manifest(tmp_path)
    assert (manifest.name, manifest.version, manifest.games) == ("my_bot", "0.1.0", ("container",))
