"""`gavelport serve`'s settings: file, environment and flags, and that all that is wrong is said at once."""

import ipaddress
import tomllib
from pathlib import Path

import pytest
from gavelport_server.cli.serve import as_toml
from gavelport_server.conduct.service import house_manifests
from gavelport_server.config import ConfigError
from gavelport_server.serving import FLAGS, VARIABLES, ServeTable, TlsFiles, flag, read_serving, variable

SECRET = "hunter2-canary"
URL = f"postgresql://ladder:{SECRET}@db.example/gavelport"


def written(folder: Path, text: str) -> Path:
    path = folder / "serve.toml"
    path.write_text(text)
    return path


def problems(folder: Path, text: str, **environment: str) -> list[str]:
    with pytest.raises(ConfigError) as refused:
        read_serving(written(folder, text), environment=environment)
    assert refused.value.source == str(folder / "serve.toml")
    return list(refused.value.problems)


def test_without_anything_both_games_have_a_ladder_of_four_seats() -> None:
    settings = read_serving(None)
    assert (settings.listen, settings.http) == ("127.0.0.1:7878", "127.0.0.1:7879")
    assert [(one.name, one.game.name, one.seats) for one in settings.ladders] == [
        ("container", "container", 4),
        ("shipping", "shipping", 4),
    ]
    assert (settings.database, settings.tls, settings.sample_bots) == (None, None, ())


def test_everything_can_be_given_in_the_file(tmp_path: Path) -> None:
    for name in ("cert.pem", "key.pem", "ca.pem"):
        (tmp_path / name).write_text("PEM")
    settings = read_serving(
        written(
            tmp_path,
            f'data = "here"\nlisten = "0.0.0.0:1"\nhttp = "[::]:2"\ndatabase = "{URL}"\nsample_bots = ["shipper"]\n'
            'grace_s = 5\ndrain_s = 6.5\n[tls]\ncert = "cert.pem"\nkey = "key.pem"\nclient_ca = "ca.pem"\n'
            '[log]\nlevel = "warning"\nfile = "log/serve.log"\n'
            '[[ladder]]\nname = "five"\ngame = "container"\nseats = 5\n'
            "options = { supply_per_player = 3 }\nclock = { bank_ms = 1 }\nbot_per_hour = 600\npair_per_day = 1000\n",
        )
    )
    assert (settings.data, settings.log_file) == (tmp_path / "here", tmp_path / "log/serve.log")
    assert settings.tls == TlsFiles(tmp_path / "cert.pem", tmp_path / "key.pem", tmp_path / "ca.pem")
    assert (settings.database, settings.sample_bots) == (URL, ("shipper",))
    assert (settings.grace_s, settings.drain_s, settings.log_level) == (5, 6.5, "warning")
    (five,) = settings.ladders
    assert (five.bot_per_hour, five.pair_per_day) == (600, 1000)
    assert (five.name, five.seats, five.options, five.clock.bank_ms) == ("five", 5, {"supply_per_player": 3}, 1)


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, 'listen = "127.0.0.1:1"\nhttp = "127.0.0.1:1"\ngrace_s = 1\n')
    settings = read_serving(
        path,
        environment={
            "GAVELPORT_SERVE_HTTP": "127.0.0.1:2",
            "GAVELPORT_SERVE_GRACE_S": "2",
            "GAVELPORT_SERVE_SAMPLE_BOTS": "shipper, trader",
            "HOME": "/",
        },
        flags={("grace_s",): "3", ("log", "level"): "error"},
    )
    assert (settings.listen, settings.http, settings.grace_s) == ("127.0.0.1:1", "127.0.0.1:2", 3)
    assert (settings.sample_bots, settings.log_level) == (("shipper", "trader"), "error")


def test_all_sample_bots_are_those_that_can_play_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = written(tmp_path, 'sample_bots = "all"\n[[ladder]]\nname = "c"\ngame = "container"\nseats = 4\n')
    settings = read_serving(path)
    assert settings.sample_bots == "all"
    assert 'sample_bots = "all"' in as_toml(settings)
    names = {bot.name for bot in house_manifests(settings, pytest.fail)}
    assert {"shipper", "node_trader"} <= names
    assert not any(name.startswith("shipping_") for name in names)
    monkeypatch.setenv("PATH", str(tmp_path))  # where there is no node
    told: list[str] = []
    assert {bot.name for bot in house_manifests(settings, told.append)} == names - {"node_trader"}
    assert [line.partition(":")[0] for line in told] == ["node_trader is left out"]


def test_all_problems_are_told_at_once_with_their_places(tmp_path: Path) -> None:
    told = problems(
        tmp_path,
        'colour = 1\nlisten = "0.0.0.0:7878"\ndrain_s = -1\nsample_bots = ["nobody"]\n[tls2]\n'
        '[[ladder]]\nname = "A b"\ngame = "container"\nseats = 9\nsize = 3\n[ladder.clock]\nbank = 1\n'
        '[[ladder]]\nname = "x"\ngame = "chess"\nseats = 4\n[[ladder]]\nname = "x"\ngame = "shipping"\n'
        "seats = 4\noptions = { wings = 1 }\n[[ladder]]\n",
        GAVELPORT_SERVE_HTTP="nowhere",
        GAVELPORT_SERVE_GRACE_S="soon",
        GAVELPORT_SERVE_COLOUR="red",
    )
    for place, words in (
        ("colour", "unknown key; there are: data, listen, http"),
        ("listen", "0.0.0.0:7878 can be reached from elsewhere, which needs TLS"),
        ("drain_s", "should be greater than or equal to 0, not -1"),
        ("sample_bots", 'no sample bot is named "nobody"; there are: '),
        ("tls2", "unknown key"),
        ("ladder.0.name", "should be 1 to 40 lower-case letters"),
        ("ladder.0.seats", "container has 3 to 5 seats, not 9"),
        ("ladder.0.size", "unknown key; there are: name, game, seats, options, clock, bot_per_hour, pair_per_day"),
        ("ladder.0.clock.bank", "unknown key; there are: bank_ms, increment_ms"),
        ("ladder.1.game", 'no game is named "chess"; there are: container, shipping'),
        ("ladder.2.name", 'ladder.1 is named "x" too'),
        ("ladder.2.options", "wings"),
        ("ladder.3.name", "is missing"),
        ("ladder.3.game", "is missing"),
        ("GAVELPORT_SERVE_HTTP", 'should be HOST:PORT, as 127.0.0.1:7878, not "nowhere"'),
        ("GAVELPORT_SERVE_GRACE_S", "should be a number, not 'soon'"),
        ("GAVELPORT_SERVE_COLOUR", "unknown variable; there are: GAVELPORT_SERVE_CONFIG, "),
    ):
        assert any(line.startswith(f"{place}: ") and words in line for line in told), (place, told)
    assert len(told) == 18  # one more: seats are missing too


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('http = "10.0.0.1:80"', "http: 10.0.0.1:80 can be reached from elsewhere, which needs TLS"),
        ('listen = "unix:"', "listen: names no path after unix:"),
        ('listen = "localhost:99999"', "listen: should be HOST:PORT"),
        ('tls = { cert = "gone.pem" }', "tls.key: is missing"),
        ("ladder = []", "ladder: "),
        ("sample_bots = 3", 'sample_bots: should be "all" or a list of names of sample bots'),
        (
            'trusted_proxy = "proxy.example"',
            "trusted_proxy: should be an address or a network, as 10.0.0.5 or 10.0.0.0/24",
        ),
        (
            'trusted_proxy = "10.0.0.5/24"',
            "trusted_proxy: 10.0.0.5/24 is an address within a network; write 10.0.0.0/24",
        ),
        ('trusted_proxy = "0.0.0.0/0"', "trusted_proxy: 0.0.0.0/0 is everybody"),
        ("trusted_proxy = true", "trusted_proxy: should be a text"),
        ('[log]\nlevel = "loud"', "log.level: should be 'debug', 'info', 'warning' or 'error', not 'loud'"),
    ],
)
def test_one_problem(tmp_path: Path, text: str, words: str) -> None:
    assert any(line.startswith(words) for line in problems(tmp_path, text))


def test_a_file_of_tls_that_is_not_there_is_named(tmp_path: Path) -> None:
    told = problems(tmp_path, 'tls = { cert = "gone.pem", key = "serve.toml" }')
    assert told == [f"tls.cert: {tmp_path / 'gone.pem'} cannot be read; name a file in PEM"]


@pytest.mark.parametrize("url", [URL.replace("postgresql", "mysql"), f"{SECRET} is no URL"])
def test_the_databases_url_is_never_told(tmp_path: Path, url: str) -> None:
    told = problems(tmp_path, f'database = "{url}"\ncolour = 1')
    assert any(line.startswith("database: should begin with postgresql://") for line in told)
    assert SECRET not in str(told)
    assert SECRET not in str(problems(tmp_path, f'database = ["{url}"]'))
    assert SECRET not in str(problems(tmp_path, "colour = 1", GAVELPORT_SERVE_DATABASE=url))
    assert SECRET not in repr(read_serving(None, environment={"GAVELPORT_SERVE_DATABASE": URL}))


def test_a_proxy_is_trusted_by_address_or_network(tmp_path: Path) -> None:
    assert read_serving(None).trusted_proxy is None
    one = read_serving(written(tmp_path, 'trusted_proxy = "10.0.0.5"')).trusted_proxy
    assert one == ipaddress.ip_network("10.0.0.5/32")
    assert read_serving(None, flags={("trusted_proxy",): "10.1.0.0/16"}).trusted_proxy == ipaddress.ip_network(
        "10.1.0.0/16"
    )


def test_what_is_printed_is_a_configuration_that_says_the_same(tmp_path: Path) -> None:
    text = (
        'sample_bots = ["shipper"]\ndata = "data"\ntrusted_proxy = "fd00::/64"\n'
        '[[ladder]]\nname = "five"\ngame = "container"\nseats = 5\n'
        'options = { domestic_sale = true, seized_to = "supply" }\n'
        '[[ladder]]\nname = "s"\ngame = "shipping"\nseats = 2\n'
    )
    settings = read_serving(written(tmp_path, text))
    printed = as_toml(settings)
    assert read_serving(written(tmp_path, printed)) == settings
    assert tomllib.loads(printed).keys() <= ServeTable.model_fields.keys()


def test_what_is_printed_hides_the_password() -> None:
    printed = as_toml(read_serving(None, environment={"GAVELPORT_SERVE_DATABASE": URL}))
    assert "postgresql://ladder:***@db.example/gavelport" in printed
    assert SECRET not in printed


def test_every_flag_is_a_variable_too_and_the_database_is_a_variable_only() -> None:
    assert set(VARIABLES) - set(FLAGS) == {("database",)}
    assert (flag(("tls", "client_ca")), variable(("tls", "client_ca"))) == (
        "--tls-client-ca",
        "GAVELPORT_SERVE_TLS_CLIENT_CA",
    )
