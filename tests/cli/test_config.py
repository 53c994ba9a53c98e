"""Tournament files: what they may say, and that all that is wrong is said at once."""

import tomllib
from pathlib import Path

import pytest
from gavelport_server import shipped
from gavelport_server.conduct.manifest import read_manifest
from gavelport_server.conduct.plan import make_plan
from gavelport_server.config import ConfigError, overridden, parse_seed, read_settings
from gavelport_server.referee.report import ClockSetting
from hypothesis import given
from hypothesis import strategies as st

LEAST = 'name = "Cup"\ngame = "container"\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "cup.toml"
    path.write_text(text)
    return path


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as refused:
        read_settings(written(folder, text))
    assert refused.value.source == str(folder / "cup.toml")
    return list(refused.value.problems)


def test_what_is_not_given_has_its_default(tmp_path: Path) -> None:
    settings = read_settings(written(tmp_path, LEAST))
    assert (settings.name, settings.game.id, settings.seats, settings.rounds) == ("Cup", "container@1", None, 100)
    assert (settings.seed, settings.bots, settings.options, settings.clock) == (None, None, {}, ClockSetting())


def test_a_format_can_be_given(tmp_path: Path) -> None:
    assert read_settings(written(tmp_path, LEAST)).format == "round_robin"
    assert read_settings(written(tmp_path, LEAST + 'format = "swiss"')).format == "swiss"
    gauntlet = read_settings(written(tmp_path, LEAST + 'format = "gauntlet"\nchallenger = "bob"'))
    assert (gauntlet.format, gauntlet.challenger) == ("gauntlet", "bob")


@pytest.mark.parametrize("path", shipped.ready_tournaments(), ids=lambda path: path.stem)
def test_every_ready_tournament_can_be_played_and_is_in_the_list(path: Path) -> None:
    settings = read_settings(path)
    bots = [bot for bot in map(read_manifest, shipped.sample_bots()) if settings.game.name in bot.games]
    plan = make_plan(settings, bots)
    assert plan.schedule(settings.rounds).matches >= settings.rounds
    listed = (path.parent / "README.md").read_text("utf-8")
    assert f"| `{path.stem}` | {settings.format.replace('_', ' ')} | {settings.seats} |" in listed


def test_everything_can_be_given(tmp_path: Path) -> None:
    settings = read_settings(
        written(
            tmp_path,
            LEAST + 'seats = 4\nrounds = 12\nseed = "C0ffee"\nbots = ["one", "sample:shipper"]\n'
            "[options]\nsupply_per_player = 3\n[clock]\nbank_ms = 1\nincrement_ms = 0\ncap_ms = 3\nallowance_ms = 4\n",
        )
    )
    assert (settings.seats, settings.rounds, settings.seed) == (4, 12, b"\xc0\xff\xee")
    assert settings.bots == (tmp_path / "one", shipped.sample_bot("shipper"))
    assert settings.options == {"supply_per_player": 3}
    assert settings.clock == ClockSetting(1, 0, 3, 4)


def test_all_problems_are_told_with_their_place(tmp_path: Path) -> None:
    told = problems(
        tmp_path,
        'game = "container"\ncolour = 1\nseats = 9\nrounds = 0\nseed = "abc"\nbots = ["sample:nobody", 3]\n'
        "[options]\nsupply_per_player = 0\nwings = true\n[clock]\nbank_ms = true\ncap = 4\n",
    )
    for place, words in (
        ("name", "is missing"),
        ("colour", "unknown key; there are: name, game, seats, rounds"),
        ("rounds", "should be greater than or equal to 1, not 0"),
        ("bots.1", "should be a text, not 3"),
        ("bots.0", 'no sample bot is named "nobody"; there are: '),
        ("seats", "container has 3 to 5 seats, not 9"),
        ("seed", 'should be an even number of hex digits (0-9, a-f), not "abc"'),
        ("clock.bank_ms", "should be a whole number, not True"),
        ("clock.cap", "unknown key; there are: bank_ms"),
        ("options", "supply_per_player"),
        ("options", "wings"),
    ):
        assert any(problem.startswith(f"{place}: ") and words in problem for problem in told), (place, words, told)
    assert len(told) == 11


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = ", "is not TOML: "),
        (LEAST + "name = 'twice'", "is not TOML: "),
        ('name = "Cup"\ngame = "chess"', 'game: no game is named "chess"; there are: container'),
        (LEAST + 'format = "ladder"', "format: should be 'round_robin', 'swiss' or 'gauntlet', not 'ladder'"),
        (
            LEAST + 'challenger = "bob"',
            'challenger: only a gauntlet has one; write format = "gauntlet" or leave it out',
        ),
        (LEAST + "[options]\nseats = 4", "options.seats: the seats stand beside the game"),
        (LEAST.replace('"Cup"', '""'), "name: "),
        ("game = 3\nname = 'Cup'", "game: should be a text, not 3"),
        (LEAST + "options = 3", "options: "),
    ],
)
def test_one_problem(tmp_path: Path, text: str, words: str) -> None:
    told = problems(tmp_path, text)
    assert len(told) == 1
    assert words in told[0]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone\.toml: cannot be read: No such file"):
        read_settings(tmp_path / "gone.toml")
    (tmp_path / "latin.toml").write_bytes(b"name = '\xe9'")
    with pytest.raises(ConfigError, match="it is not UTF-8 text"):
        read_settings(tmp_path / "latin.toml")


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("any") / "any.toml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ConfigError):
        read_settings(path)


def test_the_command_line_goes_before_the_file(tmp_path: Path) -> None:
    settings = read_settings(written(tmp_path, LEAST + 'seats = 4\nrounds = 12\nseed = "00"\n'))
    changed = overridden(settings, rounds=7, seats=5, seed="ff")
    assert (changed.rounds, changed.seats, changed.seed) == (7, 5, b"\xff")
    assert overridden(settings, rounds=None, seats=None, seed=None) == settings


@pytest.mark.parametrize(("seats", "seed", "words"), [(6, None, "--seats: container has"), (None, "0", "--seed: ")])
def test_what_the_command_line_gives_is_checked_too(
    tmp_path: Path, seats: int | None, seed: str | None, words: str
) -> None:
    settings = read_settings(written(tmp_path, LEAST))
    with pytest.raises(ConfigError, match=words):
        overridden(settings, rounds=None, seats=seats, seed=seed)


@given(st.binary(min_size=1, max_size=64))
def test_any_even_number_of_hex_digits_is_a_seed(seed: bytes) -> None:
    assert parse_seed(seed.hex()) == parse_seed(seed.hex().upper()) == seed


@pytest.mark.parametrize("text", ["", "0", "abc", "zz", "0x00", "00 11", "é0"])
def test_anything_else_is_no_seed(text: str) -> None:
    with pytest.raises(ValueError, match="even number of hex digits"):
        parse_seed(text)


@pytest.mark.parametrize("path", shipped.ready_tournaments(), ids=lambda path: path.stem)
def test_ready_tournaments_can_be_read(path: Path) -> None:
    assert read_settings(path).name == tomllib.loads(path.read_text())["name"]


def test_the_standard_tournament_is_shipped() -> None:
    assert shipped.ready_tournament("standard") in shipped.ready_tournaments()


def test_rounds_have_an_end(tmp_path: Path) -> None:
    settings = read_settings(written(tmp_path, LEAST + "rounds = 100_000\n"))
    with pytest.raises(ConfigError, match="--rounds: should be at most 100000, not 100001"):
        overridden(settings, rounds=100_001, seats=None, seed=None)
    with pytest.raises(ConfigError, match="rounds: should be less than or equal to 100000, not 100001"):
        read_settings(written(tmp_path, LEAST + "rounds = 100_001\n"))
