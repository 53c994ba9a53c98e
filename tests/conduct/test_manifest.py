from pathlib import Path

import pytest
from gavelport_server.conduct.manifest import ManifestError, content_hash, read_manifest

GOOD = """
name = "my_bot"
version = "1.2"
language = "python"
entry = "main.py"
games = ["container"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    bot = tmp_path / "my_bot"
    bot.mkdir()
    (bot / "main.py").write_text("print()\n")
    (bot / "bot.toml").write_text(GOOD)
    return bot


def problems(folder: Path, text: str | None = None) -> list[str]:
    if text is not None:
        (folder / "bot.toml").write_text(text)
    with pytest.raises(ManifestError) as error:
        read_manifest(folder)
    assert str(error.value) == "\n".join(error.value.problems)
    return [problem.removeprefix(f"{folder / 'bot.toml'}: ") for problem in error.value.problems]


def test_a_manifest_is_read(folder: Path) -> None:
    manifest = read_manifest(folder)
    assert (manifest.name, manifest.version, manifest.language) == ("my_bot", "1.2", "python")
    assert (manifest.entry, manifest.games, manifest.folder) == ("main.py", ("container",), folder)
    assert manifest.content_hash == content_hash(folder)


@pytest.mark.parametrize("games", ['["container@1"]', '["container", "container@1"]'])
def test_games_by_name_or_by_version(folder: Path, games: str) -> None:
    (folder / "bot.toml").write_text(GOOD.replace('["container"]', games))
    assert read_manifest(folder).games


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('name = "my_bot"', "", 'name: is missing; write e.g. name = "my_bot"'),
        ('name = "my_bot"', "name = 3", "name: Input should be a valid string, not 3"),
        ('name = "my_bot"', 'name = "../x"', "name: use 1 to 64 letters"),
        ('name = "my_bot"', 'name = ""', "name: use 1 to 64 letters"),
        (
            'version = "1.2"',
            "version = 1.2",
            'version: Input should be a valid string, not 1.2; write e.g. version = "1"',
        ),
        ('"python"', '"ruby"', "language: Input should be 'python' or 'node', not 'ruby'"),
        ('"main.py"', '"nowhere.py"', "entry: there is no file 'nowhere.py' in the bot's folder"),
        ('"main.py"', '"a\\u0000b"', "entry: 'a\\x00b' can be no path; name the file that is started"),
        ('"main.py"', f'"{"a/" * 5000}"', f"entry: '{'a/' * 39}a… can be no path"),
        ('"1.2"', "9" * 5000, "cannot be read as TOML in UTF-8: Exceeds the limit"),
        ('"1.2"', "0x" + "f" * 5000, "version: Input should be a valid string, not such a number"),
        ('"1.2"', "[" * 5000, "cannot be read as TOML in UTF-8: maximum recursion depth exceeded"),
        ('"main.py"', '"../../secret"', "entry: '../../secret' is outside the bot's folder"),
        ('"main.py"', '""', "entry: "),
        ('["container"]', "[]", "games: "),
        ('["container"]', '["chess"]', 'games.0: \'chess\' is not played here; use "container" (or "container@1")'),
        ('["container"]', '["container@7"]', "games.0: 'container@7' is not played here"),
        ('["container"]', '"container"', "games: Input should be a valid list"),
        ("version", "colour = 1\nversion", "colour: unknown key; take it out"),
        ("name = ", "name == ", "cannot be read as TOML in UTF-8"),
    ],
)
def test_what_is_wrong_is_named_with_file_key_and_remedy(folder: Path, before: str, after: str, said: str) -> None:
    (problem,) = problems(folder, GOOD.replace(before, after, 1))
    assert problem.startswith(said)


def test_all_that_is_wrong_is_said_at_once(folder: Path) -> None:
    found = problems(folder, 'name = "a b"\nlanguage = "go"\nentry = "no.py"\nspeed = 9\n')
    assert [problem.partition(":")[0] for problem in found] == [
        "name",
        "version",
        "language",
        "games",
        "speed",
        "entry",
    ]


def test_bytes_that_are_no_text(folder: Path) -> None:
    (folder / "bot.toml").write_bytes(b"name = '\xff'")
    (problem,) = problems(folder)
    assert problem.startswith("cannot be read as TOML in UTF-8")


def test_no_manifest(folder: Path) -> None:
    (folder / "bot.toml").unlink()
    (problem,) = problems(folder)
    assert problem.startswith('is missing; make it with: name = "my_bot"; version = "1"')


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="is no folder"):
        read_manifest(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(ManifestError, match="is no folder"):
        read_manifest(tmp_path / "file")


def test_links_that_lead_in_circles_or_nowhere_are_left_alone(folder: Path) -> None:
    first = content_hash(folder)
    (folder / "loop").symlink_to(folder)
    (folder / "dangling").symlink_to(folder / "nowhere")
    assert read_manifest(folder).content_hash == first


def test_a_file_that_cannot_be_read_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(ManifestError, match=r"bot\.toml'; every file of the bot must be readable"):
        read_manifest(folder)


# -- the content's hash


def test_the_hash_follows_contents_and_names(folder: Path) -> None:
    first = content_hash(folder)
    assert content_hash(folder) == first
    (folder / "main.py").write_text("print(1)\n")
    second = content_hash(folder)
    (folder / "main.py").rename(folder / "other.py")
    third = content_hash(folder)
    (folder / "empty.txt").write_text("")
    assert len({first, second, third, content_hash(folder)}) == 4


def test_what_is_made_and_what_is_hidden_does_not_count(folder: Path) -> None:
    first = content_hash(folder)
    for name in ("node_modules/x/index.js", "__pycache__/main.pyc", ".git/HEAD", ".secret", "sub/__pycache__/a.pyc"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    assert content_hash(folder) == first
    (folder / "sub" / "a.py").write_text("x")
    assert content_hash(folder) != first


def test_names_and_contents_cannot_be_moved_into_each_other(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder, name, text in ((one, "a", "bc"), (two, "ab", "c")):
        folder.mkdir()
        (folder / name).write_text(text)
    assert content_hash(one) != content_hash(two)
