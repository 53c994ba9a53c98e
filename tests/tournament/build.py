"""Manifests, settings and results for tests of tournaments, with no process behind them."""

from collections.abc import Sequence
from pathlib import Path

from gavelport_server.conduct.manifest import BotManifest
from gavelport_server.config import Settings, read_settings
from gavelport_server.storage.store import Entrant, Result, SeatResult, Standing, TournamentRecord

BOT = 'name = "{name}"\nversion = "{version}"\nlanguage = "{language}"\nentry = "{entry}"\ngames = ["container"]\n'


def bot_folder(inside: Path, name: str, *, version: str = "1", language: str = "python", text: str = "") -> Path:
    folder = inside / f"{name}-{version}"
    folder.mkdir(parents=True)
    entry = "main.py" if language == "python" else "main.js"
    (folder / entry).write_text(text)
    (folder / "bot.toml").write_text(BOT.format(name=name, version=version, language=language, entry=entry))
    return folder


def manifest(name: str, version: str = "1", content_hash: str = "00") -> BotManifest:
    folder = Path(name) / version / content_hash
    return BotManifest(name, version, "python", "main.py", ("container",), folder, content_hash)


def settings(folder: Path, text: str = "") -> Settings:
    path = folder / "tournament.toml"
    path.write_text('name = "Test"\ngame = "container"\n' + text)
    return read_settings(path)


def record(bots: Sequence[str], seats: int = 3) -> TournamentRecord:
    entrants = tuple(Entrant(number, bot, "1", "00") for number, bot in enumerate(bots))
    return TournamentRecord("id", "Test", "container@1", "{}", b"secret", seats, entrants, "2026-01-01T00:00:00+00:00")


def seat(entrant: int, rank: int, total: int = 0, **more: object) -> SeatResult:
    values = {
        "retired": False,
        "decisions": 10,
        "charged_ms": 20,
        "slowest_ms": 5,
        "refusals": 0,
        "faults": (),
        "first_fault": "",
    }
    return SeatResult(entrant=entrant, rank=rank, total=total, **{**values, **more})  # type: ignore[arg-type]


def result(number: int, seats: Sequence[SeatResult], *, block: int = 0, rotation: int = 0, table: int = 0) -> Result:
    return Result(
        match_id=f"match{number}",
        number=number,
        round=number,
        block=block,
        rotation=rotation,
        table=table,
        end="supply",
        seats=tuple(seats),
        replay_sha256="00",
        seconds=1.5,
        finished_at="2026-01-01T00:00:00+00:00",
    )


def standings(elos: Sequence[float]) -> list[Standing]:
    return [Standing(number, elo, 1) for number, elo in enumerate(elos)]
