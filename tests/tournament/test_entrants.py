"""Who is entered, who is left out with a notice, and who is refused."""

from pathlib import Path

import pytest
from gavelport_server import shipped
from gavelport_server.conduct.entrants import EntrantsError, gather

from tests.tournament.build import bot_folder, settings


def names(bots: object) -> list[str]:
    return [bot.name for bot in bots]  # type: ignore[attr-defined]


def test_all_sample_bots_play_and_added_ones_beside_them(tmp_path: Path) -> None:
    field = gather(settings(tmp_path), [bot_folder(tmp_path, "mine")])
    assert {"factory_owner", "random_legal", "shipper", "mine"} <= set(names(field.bots))


def test_bots_of_the_file_play_instead_of_the_sample_bots(tmp_path: Path) -> None:
    bot_folder(tmp_path, "own")
    field = gather(settings(tmp_path, 'bots = ["own-1", "sample:shipper"]'), [bot_folder(tmp_path, "mine")])
    assert names(field.bots) == ["own", "shipper", "mine"]
    assert field.notices == ()


def test_a_folder_named_twice_is_entered_once(tmp_path: Path) -> None:
    mine = bot_folder(tmp_path, "mine")
    assert names(gather(settings(tmp_path, "bots = []"), [mine, tmp_path / "mine-1"]).bots) == ["mine"]


def test_without_node_its_bots_are_left_out_with_a_notice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = tmp_path / "samples"
    folders = [bot_folder(samples, "python_bot"), bot_folder(samples, "node_bot", language="node")]
    monkeypatch.setattr(shipped, "sample_bots", lambda: folders)
    monkeypatch.setenv("PATH", str(tmp_path))
    field = gather(settings(tmp_path), [])
    assert names(field.bots) == ["python_bot"]
    assert field.notices == ("node_bot is left out: it runs on Node, and there is no `node` on PATH",)
    with pytest.raises(EntrantsError, match="node_bot cannot run: it runs on Node"):
        gather(settings(tmp_path), [bot_folder(tmp_path, "node_bot", language="node")])


def test_a_node_bot_whose_packages_are_missing_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = bot_folder(tmp_path, "node_bot", language="node")
    (folder / "package.json").write_text("{}")
    (tmp_path / "node").write_text("#!/bin/sh\n")
    (tmp_path / "node").chmod(0o755)
    monkeypatch.setattr(shipped, "sample_bots", lambda: [folder])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "run `npm install` in" in gather(settings(tmp_path), []).notices[0]
    (folder / "node_modules").mkdir()
    assert names(gather(settings(tmp_path), []).bots) == ["node_bot"]


def test_a_broken_sample_bot_is_left_out_unless_it_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [bot_folder(tmp_path / "samples", name) for name in ("sound", "broken")]
    (folders[1] / "bot.toml").write_text('name = "broken"\nversion = "1"\nlanguage = "python"\nentry = "main.py"\n')
    monkeypatch.setattr(shipped, "sample_bots", lambda: folders)
    field = gather(settings(tmp_path), [])
    assert names(field.bots) == ["sound"]
    (notice,) = field.notices
    assert notice.startswith(f"broken-1 is left out: {folders[1] / 'bot.toml'}: games: is missing; write e.g. games = ")
    with pytest.raises(EntrantsError, match=r"bot.toml: games: is missing"):
        gather(settings(tmp_path), [folders[1]])
    with pytest.raises(EntrantsError, match=r"bot.toml: games: is missing"):
        gather(settings(tmp_path, 'bots = ["sample:broken-1"]'), [])


def test_a_bot_of_another_game_is_told_what_it_plays(tmp_path: Path) -> None:
    folder = bot_folder(tmp_path, "sailor")
    manifest = folder / "bot.toml"
    manifest.write_text(manifest.read_text().replace('"container"', '"shipping", "shipping@1"'))
    with pytest.raises(EntrantsError, match=r"sailor does not play container@1: it plays shipping, shipping@1$"):
        gather(settings(tmp_path), [folder])


def test_every_problem_of_every_folder_is_told(tmp_path: Path) -> None:
    broken = bot_folder(tmp_path, "broken")
    (broken / "bot.toml").write_text('name = "broken"\nentry = "gone.py"\ncolour = "red"\n')
    with pytest.raises(EntrantsError) as refused:
        gather(settings(tmp_path), [broken, tmp_path / "nowhere"])
    told = "\n".join(refused.value.problems)
    for words in ("version: is missing", "colour: unknown key", "'gone.py'", "nowhere: is no folder"):
        assert words in told
