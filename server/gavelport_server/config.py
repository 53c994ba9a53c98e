"""The settings of a tournament: a TOML file, checked whole, and what the command line changes in it (design 5).

What every file of settings needs, `serving.py` uses too: `read_toml`, `in_words`, `game_problems`, `ClockTable`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_args

from gavelport_engine.errors import OptionsError
from gavelport_engine.registry import GAMES
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gavelport_server import shipped
from gavelport_server.referee.report import ClockSetting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gavelport_engine.game import AnyGame
    from pydantic_core import ErrorDetails

DEFAULT_ROUNDS = 100
MOST_ROUNDS = 100_000
"""The schedule of so many is drawn in seconds; to play them takes days."""
FormatName: TypeAlias = Literal["round_robin", "swiss", "gauntlet"]
SAMPLE = "sample:"
"""`bots = ["sample:NAME"]` enters a sample bot by name, wherever it is installed."""

_MOST_MS = 24 * 3600 * 1000
_CLOCK = ClockSetting()


class ConfigError(ValueError):
    """Settings that describe no tournament; `problems` lists every one that was found, each with its place."""

    def __init__(self, source: str, problems: Sequence[str]) -> None:
        super().__init__(f"{source}: {'; '.join(problems)}")
        self.source = source
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Settings:
    """A tournament before its entrants are known."""

    source: str
    """What messages name: the file, or its replacement."""
    name: str
    game: AnyGame
    options: dict[str, object]
    """The game's options as given, without the seats."""
    clock: ClockSetting
    seats: int | None
    """None: all entrants, up to the game's most and five (design 5)."""
    rounds: int
    seed: bytes | None
    """The secret that deals are derived from; None draws one."""
    bots: tuple[Path, ...] | None
    """Folders of the entrants; None: all sample bots that play the game."""
    format: FormatName
    challenger: str | None
    """Of a gauntlet: a bot's name, with or without its version."""


Millis = Annotated[int, Field(ge=0, le=_MOST_MS)]


class ClockTable(BaseModel):
    """Each bot's clock in a match, in milliseconds."""

    model_config = ConfigDict(extra="forbid", strict=True)
    bank_ms: Millis = _CLOCK.bank_ms
    increment_ms: Millis = _CLOCK.increment_ms
    cap_ms: Annotated[int, Field(ge=1, le=_MOST_MS)] = _CLOCK.cap_ms
    allowance_ms: Millis = _CLOCK.allowance_ms


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    name: Annotated[str, Field(min_length=1, max_length=100)]
    game: str
    seats: int | None = None
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] = DEFAULT_ROUNDS
    seed: str | None = None
    bots: list[str] | None = None
    format: FormatName = "round_robin"
    challenger: str | None = None
    options: dict[str, Any] = {}
    clock: ClockTable = ClockTable()


def read_toml(path: Path) -> dict[str, Any]:
    """Return what a TOML file holds. Raises ConfigError where it cannot be read or is no TOML."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be read: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise ConfigError(str(path), ["cannot be read: it is not UTF-8 text"]) from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(str(path), [f"is not TOML: {error}"]) from error


def read_settings(path: Path) -> Settings:
    """Return the settings in a TOML file. Raises ConfigError with every problem that is found in it."""
    source, given = str(path), read_toml(path)
    try:
        file = _File.model_validate(given)
    except ValidationError as error:
        problems = [in_words(detail, _File) for detail in error.errors()]
        raise ConfigError(source, problems + _more_problems(given)) from error
    if problems := _more_problems(given):
        raise ConfigError(source, problems)
    return Settings(
        source=source,
        name=file.name,
        game=GAMES[file.game],
        options=file.options,
        clock=ClockSetting(**file.clock.model_dump()),
        seats=file.seats,
        rounds=file.rounds,
        seed=None if file.seed is None else parse_seed(file.seed),
        bots=None if file.bots is None else tuple(_bot_folder(bot, path.parent) for bot in file.bots),
        format=file.format,
        challenger=file.challenger,
    )


def overridden(settings: Settings, *, rounds: int | None, seats: int | None, seed: str | None) -> Settings:
    """Return the settings with what the command line gives in place of the file's. Raises ConfigError."""
    if seats is not None and (problem := _seats_problem(seats, settings.game)):
        raise ConfigError("--seats", [problem])
    if rounds is not None and rounds > MOST_ROUNDS:
        raise ConfigError("--rounds", [f"should be at most {MOST_ROUNDS}, not {rounds}"])
    try:
        parsed = settings.seed if seed is None else parse_seed(seed)
    except ValueError as error:
        raise ConfigError("--seed", [str(error)]) from error
    return replace(
        settings,
        rounds=settings.rounds if rounds is None else rounds,
        seats=settings.seats if seats is None else seats,
        seed=parsed,
    )


def parse_seed(text: str) -> bytes:
    """Return the bytes of a seed. Raises ValueError unless it is an even number of hex digits, at least two."""
    # bytes.fromhex alone would also take blanks between the digits.
    if not text or len(text) % 2 or not set(text) <= set("0123456789abcdefABCDEF"):
        raise ValueError(f'should be an even number of hex digits (0-9, a-f), not "{text}"')
    return bytes.fromhex(text)


def _more_problems(given: dict[str, Any]) -> list[str]:
    """Return what is wrong beyond the types, looking only at keys whose types are right."""
    problems = game_problems(given)
    seed, bots = given.get("seed"), given.get("bots")
    if isinstance(seed, str):
        try:
            parse_seed(seed)
        except ValueError as error:
            problems.append(f"seed: {error}")
    if isinstance(bots, list):
        problems += [
            f'bots.{at}: no sample bot is named "{bot.removeprefix(SAMPLE)}"; '
            f"there are: {', '.join(folder.name for folder in shipped.sample_bots())}"
            for at, bot in enumerate(bots)
            if isinstance(bot, str) and bot.startswith(SAMPLE) and not shipped.sample_bot(bot.removeprefix(SAMPLE))
        ]
    if "challenger" in given and given.get("format") != "gauntlet":
        problems.append('challenger: only a gauntlet has one; write format = "gauntlet" or leave it out')
    return problems


def game_problems(given: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with `game`, `seats` and `options` of a table, looking only at those of the right type."""
    problems: list[str] = []
    name, seats, options = (given.get(key) for key in ("game", "seats", "options"))
    game = GAMES.get(name) if isinstance(name, str) else None
    if isinstance(name, str) and game is None:
        problems.append(f'game: no game is named "{name}"; there are: {", ".join(sorted(GAMES))}')
    if game and type(seats) is int and (problem := _seats_problem(seats, game)):
        problems.append(f"seats: {problem}")
    if game and isinstance(options, dict):
        if "seats" in options:
            problems.append("options.seats: the seats stand beside the game, not among the options")
        try:
            game.options({key: value for key, value in options.items() if key != "seats"})
        except OptionsError as error:
            problems += [f"options: {problem}" for problem in error.problems]
    return problems


def _seats_problem(seats: int, game: AnyGame) -> str | None:
    if game.least_seats <= seats <= game.most_seats:
        return None
    return f"{game.name} has {game.least_seats} to {game.most_seats} seats, not {seats}"


def _bot_folder(bot: str, beside: Path) -> Path:
    """Return the folder of an entrant; a relative one counts from the file's own folder."""
    if bot.startswith(SAMPLE):
        found = shipped.sample_bot(bot.removeprefix(SAMPLE))
        assert found is not None  # `_more_problems` has looked
        return found
    return beside / Path(bot).expanduser()


def split_address(address: str) -> tuple[str, int]:
    """Return host and port of `HOST:PORT`, an IPv6 host without its brackets. Raises ValueError where it is none."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65_535:
        raise ValueError(f'should be HOST:PORT, as 127.0.0.1:7878, not "{address}"')
    return host.strip("[]"), int(port)


def in_words(detail: ErrorDetails, model: type[BaseModel]) -> str:
    """Return one of pydantic's findings in a model as a sentence that says where, what and what to do instead."""
    place = ".".join(str(part) for part in detail["loc"])
    kind = detail["type"]
    if kind == "missing":
        return f"{place}: is missing"
    if kind == "extra_forbidden":
        return f"{place}: unknown key; there are: {', '.join(_keys_beside(detail['loc'], model))}"
    message = detail["msg"].replace("Input should be", "should be").replace("valid integer", "whole number")
    message = message.replace("valid string", "text").replace("a valid", "a")
    return f"{place}: {message[0].lower()}{message[1:]}, not {detail['input']!r}"


def _keys_beside(place: Sequence[int | str], model: type[BaseModel]) -> list[str]:
    """Return the keys that there may be where an unknown one stands: the table's own, or those of a table within."""
    for part in place[:-1]:
        if isinstance(part, str):
            within = model.model_fields[part].annotation
            for one in (within, *get_args(within)):
                if isinstance(one, type) and issubclass(one, BaseModel):
                    model = one
    return [field.alias or name for name, field in model.model_fields.items()]
