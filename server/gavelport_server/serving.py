"""The settings of `gavelport serve`: a TOML file, the environment, flags; checked whole (design 3, 8, 9).

Flags win over the environment, the environment over the file. A setting has the same name everywhere: `tls.cert` of
the file is `GAVELPORT_SERVE_TLS_CERT` and `--tls-cert`. The database's URL may hold a password, so that it is no flag,
and is shown nowhere.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from gavelport_engine.registry import GAMES
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from gavelport_server.config import ClockTable, ConfigError, in_words, read_toml
from gavelport_server.launcher.limits import MOST_SLOTS
from gavelport_server.pairing.ladder import HOUR_MOST, PAIR_MOST
from gavelport_server.referee.report import ClockSetting
from gavelport_server.serving_problems import problems_beyond_types

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gavelport_engine.game import AnyGame
    from pydantic_core import ErrorDetails

ENVIRONMENT = "GAVELPORT_SERVE_"
CONFIG = f"{ENVIRONMENT}CONFIG"
"""Names the file, as `--config` does."""
ALL = "all"
LEVELS = ("debug", "info", "warning", "error")
_ONE_DAY_S = 86_400.0

Level: TypeAlias = Literal["debug", "info", "warning", "error"]
Place: TypeAlias = tuple[str | int, ...]
Seconds = Annotated[float, Field(ge=0, le=_ONE_DAY_S)]


@dataclass(frozen=True, slots=True)
class LadderSettings:
    """A ladder that is to be kept."""

    name: str
    game: AnyGame
    options: Mapping[str, object]
    """The game's options as given, without the seats."""
    seats: int
    clock: ClockSetting
    bot_per_hour: int = HOUR_MOST
    """So many rated matches a bot plays in an hour."""
    pair_per_day: int = PAIR_MOST
    """So often a pair of bots meets in 24 hours."""


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """Certificate and key in PEM, and whose certificates clients must show, where they must."""

    cert: Path
    key: Path
    client_ca: Path | None


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """All that a server is told before it starts."""

    data: Path
    listen: str
    """gRPC: `HOST:PORT`, or `unix:PATH`."""
    http: str
    """`HOST:PORT` of health, metrics, JSON and pages."""
    trusted_proxy: ipaddress.IPv4Network | ipaddress.IPv6Network | None
    """Where a proxy is that may say whose requests it passes on; None: nobody may."""
    database: str | None = field(repr=False)
    """A URL, which may hold a password; None: SQLite in the data folder."""
    tls: TlsFiles | None
    ladders: tuple[LadderSettings, ...]
    sample_bots: tuple[str, ...] | Literal["all"]
    """Those that the server starts as house bots, by name; or all that can run here and play on one of the ladders."""
    grace_s: float
    """So long after a start the bots of interrupted matches are waited for."""
    drain_s: float
    """So long after SIGTERM running matches may still take."""
    hosting: bool
    """Whether submitted bots are taken, and run in sandboxes."""
    user: str | None
    """Who the server is once the launcher of the sandboxes was started as root."""
    memory_mib: int
    """Of each hosted process."""
    hosted_processes: int | None
    """At the same time; None: as many as fit the machine."""
    log_level: Level
    log_file: Path | None
    """None: stderr."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Tls(_Table):
    cert: str
    key: str
    client_ca: str | None = None


class _Log(_Table):
    level: Level = "info"
    file: str | None = None


class _Ladder(_Table):
    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
    game: str
    seats: int
    options: dict[str, Any] = {}
    clock: ClockTable = ClockTable()
    bot_per_hour: Annotated[int, Field(ge=1)] = HOUR_MOST
    pair_per_day: Annotated[int, Field(ge=1)] = PAIR_MOST


def _usual_ladders() -> list[_Ladder]:
    """Return the ladders of a server that names none: one for each game, at tables of four."""
    return [_Ladder(name=name, game=name, seats=4) for name in GAMES]


class ServeTable(_Table):
    """The file's tables and keys."""

    data: str = ".gavelport-data"
    listen: str = "127.0.0.1:7878"
    http: str = "127.0.0.1:7879"
    trusted_proxy: str | None = None
    database: SecretStr | None = None
    sample_bots: list[str] | Literal["all"] = []
    grace_s: Seconds = 60.0
    drain_s: Seconds = 60.0
    hosting: bool = False
    user: Annotated[str, Field(min_length=1)] | None = None
    memory_mib: Annotated[int, Field(ge=64)] = 512
    hosted_processes: Annotated[int, Field(ge=1, le=MOST_SLOTS)] | None = None
    tls: _Tls | None = None
    log: _Log = _Log()
    ladder: Annotated[list[_Ladder], Field(default_factory=_usual_ladders, min_length=1)]


FLAGS: tuple[Place, ...] = (
    ("data",),
    ("listen",),
    ("http",),
    ("trusted_proxy",),
    ("sample_bots",),
    ("grace_s",),
    ("drain_s",),
    ("hosting",),
    ("user",),
    ("memory_mib",),
    ("hosted_processes",),
    ("tls", "cert"),
    ("tls", "key"),
    ("tls", "client_ca"),
    ("log", "level"),
    ("log", "file"),
)
"""What flags may give."""
VARIABLES: tuple[Place, ...] = (*FLAGS, ("database",))
"""What the environment may give."""
_PATHS: tuple[Place, ...] = (("data",), ("tls", "cert"), ("tls", "key"), ("tls", "client_ca"), ("log", "file"))
_NUMBERS: tuple[Place, ...] = (("grace_s",), ("drain_s",))
_WHOLE_NUMBERS: tuple[Place, ...] = (("memory_mib",), ("hosted_processes",))
_TRUTHS = {"true": True, "false": False}


def variable(place: Place) -> str:
    """Return the environment's name of a setting."""
    return ENVIRONMENT + "_".join(map(str, place)).upper()


def flag(place: Place) -> str:
    """Return the command line's name of a setting."""
    return "--" + "-".join(map(str, place)).replace("_", "-")


def read_serving(
    path: Path | None, *, environment: Mapping[str, str] | None = None, flags: Mapping[Place, str] | None = None
) -> ServeSettings:
    """Return the settings out of all three sources.

    Args:
        path: the TOML file; None for none.
        environment: the process's.
        flags: what the command line gives, by place.

    Raises:
        ConfigError: with every problem that was found, each with its place: key of the file, variable or flag.
    """
    given: dict[str, Any] = {} if path is None else read_toml(path)
    source = "settings" if path is None else str(path)
    sources: dict[Place, str] = {}
    problems: list[str] = []
    if path is not None:
        _anchor(given, path.parent)
    for place, text, name in _texts(environment or {}, flags or {}):
        if not _put(given, place, _value(place, text)):
            problems.append(f"{place[0]}: should be a table")
        sources[place] = name
    problems += _unknown_variables(environment or {})
    try:
        table = ServeTable.model_validate(given)
    except ValidationError as error:
        told = [_told(detail, sources) for detail in error.errors()]
        raise ConfigError(
            source, list(dict.fromkeys(problems + told)) + problems_beyond_types(given, sources)
        ) from None
    if problems := problems + problems_beyond_types(given, sources):
        raise ConfigError(source, problems)
    return _settings(table)


def _settings(table: ServeTable) -> ServeSettings:
    return ServeSettings(
        data=Path(table.data),
        listen=table.listen,
        http=table.http,
        trusted_proxy=None if table.trusted_proxy is None else ipaddress.ip_network(table.trusted_proxy),
        database=None if table.database is None else table.database.get_secret_value(),
        tls=None
        if table.tls is None
        else TlsFiles(
            Path(table.tls.cert), Path(table.tls.key), Path(table.tls.client_ca) if table.tls.client_ca else None
        ),
        ladders=tuple(
            LadderSettings(
                one.name,
                GAMES[one.game],
                one.options,
                one.seats,
                ClockSetting(**one.clock.model_dump()),
                one.bot_per_hour,
                one.pair_per_day,
            )
            for one in table.ladder
        ),
        sample_bots=table.sample_bots if isinstance(table.sample_bots, str) else tuple(table.sample_bots),
        grace_s=table.grace_s,
        drain_s=table.drain_s,
        hosting=table.hosting,
        user=table.user,
        memory_mib=table.memory_mib,
        hosted_processes=table.hosted_processes,
        log_level=table.log.level,
        log_file=None if table.log.file is None else Path(table.log.file),
    )


# -- sources


def _texts(environment: Mapping[str, str], flags: Mapping[Place, str]) -> Iterator[tuple[Place, str, str]]:
    """Yield what environment and flags give: place, text, and where it stands; what comes later wins."""
    for place in VARIABLES:
        if text := environment.get(variable(place)):
            yield place, text, variable(place)
    for place, text in flags.items():
        yield place, text, flag(place)


def _unknown_variables(environment: Mapping[str, str]) -> list[str]:
    known = {CONFIG, *map(variable, VARIABLES)}
    return [
        f"{name}: unknown variable; there are: {', '.join(sorted(known))}"
        for name in sorted(environment)
        if name.startswith(ENVIRONMENT) and name not in known
    ]


def _value(place: Place, text: str) -> object:
    """Return what a text of environment or command line means; one that means nothing is left for the check."""
    if place in _NUMBERS:
        try:
            return float(text)
        except ValueError:
            return text
    if place in _WHOLE_NUMBERS and text.isdecimal():
        return int(text)
    if place == ("hosting",):
        return _TRUTHS.get(text, text)
    if place == ("sample_bots",) and text != ALL:
        return [name.strip() for name in text.split(",") if name.strip()]
    if place in _PATHS:
        return str(Path(text).expanduser())
    return text


def _put(given: dict[str, Any], place: Place, value: object) -> bool:
    """Set a value in nested tables; return False where something else stands in the way."""
    table: Any = given
    for part in place[:-1]:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            return False
    table[place[-1]] = value
    return True


def _anchor(given: dict[str, Any], beside: Path) -> None:
    """Let relative paths of the file count from its own folder."""
    for place in _PATHS:
        table: Any = given
        for part in place[:-1]:
            table = table.get(part) if isinstance(table, dict) else None
        if isinstance(table, dict) and isinstance(table.get(place[-1]), str) and table[place[-1]]:
            table[place[-1]] = str(beside / Path(table[place[-1]]).expanduser())


# -- problems


def _told(detail: ErrorDetails, sources: Mapping[Place, str]) -> str:
    """Return one of pydantic's findings in words, with the place as whoever wrote it knows it."""
    place = tuple(detail["loc"])
    if place and place[0] == "database":
        return f"{sources.get(('database',), 'database')}: should be a URL as text"
    if place and place[0] == "sample_bots":
        where = ".".join(str(part) for part in place if isinstance(part, int) or part == "sample_bots")
        where = sources.get(("sample_bots",), where)
        return f'{where}: should be "{ALL}" or a list of names of sample bots'
    if detail["type"] == "string_pattern_mismatch":
        return (
            f"{'.'.join(map(str, place))}: should be 1 to 40 lower-case letters, digits, _ or -, "
            f"the first no sign, not {detail['input']!r}"
        )
    words = in_words(detail, ServeTable)
    _, colon, rest = words.partition(": ")
    return f"{sources[place]}{colon}{rest}" if place in sources else words
