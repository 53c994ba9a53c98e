"""`gavelport serve`: its options; `conduct/service.py` does the work."""

from __future__ import annotations

import json
import os
import resource
import sys
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from gavelport_server.cli.paths import NamedPath
from gavelport_server.config import ConfigError
from gavelport_server.log import log_lines
from gavelport_server.serving import CONFIG, LEVELS, ServeSettings, read_serving

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gavelport_server.conduct.manifest import BotManifest
    from gavelport_server.conduct.sandboxes import Sandboxes
    from gavelport_server.conduct.service import Serving

FAILED, REFUSED, BY_SIGNAL = 1, 2, 128


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Every option but --dev is a variable too (GAVELPORT_SERVE_LISTEN) and a key of the file; options win over "
    "variables, variables over the file. The database's URL, which may hold a password, is GAVELPORT_SERVE_DATABASE or "
    "the file's key `database`. Exit codes: 0 drained and stopped; 1 the data folder, the database or an address "
    "failed; 2 wrong usage or settings; 130 or 143 stopped at once by a second signal.",
)
@click.option("--config", type=NamedPath(), envvar=CONFIG, metavar="FILE", help="Settings in TOML.")
@click.option("--data", metavar="DIR", help="The data folder. Default: .gavelport-data")
@click.option("--listen", metavar="ADDRESS", help="Where bots connect. Default: 127.0.0.1:7878")
@click.option("--http", metavar="ADDRESS", help="Pages, health, metrics and JSON. Default: 127.0.0.1:7879")
@click.option("--trusted-proxy", metavar="ADDRESS", help="Whose X-Forwarded-For is believed. Default: nobody's")
@click.option("--sample-bots", metavar="NAMES", help="Sample bots to start, by name, with commas; or all.")
@click.option("--grace-s", metavar="S", help="How long interrupted matches wait for their bots. Default: 60")
@click.option("--drain-s", metavar="S", help="How long running matches may take once it is stopped. Default: 60")
@click.option("--hosting", metavar="BOOL", help="true runs submitted bots, in sandboxes; needs root. Default: false")
@click.option("--user", metavar="NAME", help="Who the server is once the sandboxes' launcher runs as root.")
@click.option("--memory-mib", metavar="MIB", help="Memory of each hosted process. Default: 512")
@click.option("--hosted-processes", metavar="N", help="So many at the same time. Default: as the machine has room")
@click.option("--tls-cert", metavar="FILE", help="The server's certificate, PEM; off loopback it needs one.")
@click.option("--tls-key", metavar="FILE", help="Its key, PEM.")
@click.option("--tls-client-ca", metavar="FILE", help="Whose certificates clients must show; default: none.")
@click.option("--log-level", metavar="LEVEL", help=f"{', '.join(LEVELS)}. Default: info")
@click.option("--log-file", metavar="FILE", help="Where the log goes. Default: stderr")
@click.option("--dev", is_flag=True, help="Let gRPC's reflection service tell which services there are.")
@click.option("--print-config", is_flag=True, help="Print the settings that are in force, as TOML, and end.")
def serve(config: Path | None, *, dev: bool, print_config: bool, **flags: str | None) -> None:
    """Run ladders: bots connect, are matched and rated, until it is stopped.

    SIGTERM or Ctrl-C begins no more matches and ends once those that run are over; the second ends at once. Matches
    that are not over go on at the next start.
    """
    try:
        settings = read_serving(config, environment=os.environ, flags=_given(flags))
    except ConfigError as error:
        click.echo(f"error: {error.source}:", err=True)
        for problem in error.problems:
            click.echo(f"  {problem}", err=True)
        sys.exit(REFUSED)
    if print_config:
        click.echo(as_toml(settings), nl=False)
        return
    sys.exit(_run(settings, is_dev=dev))


def _run(settings: ServeSettings, *, is_dev: bool) -> int:
    """Serve, and return the exit code."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # its lines are no JSON; what matters is raised, or logged by ours
    # What only a server needs: --help and --print-config do without.
    from gavelport_server.archive.errors import ArchiveError, JournalError  # noqa: PLC0415
    from gavelport_server.conduct.entrants import EntrantsError  # noqa: PLC0415
    from gavelport_server.conduct.folder import FolderError, open_folder  # noqa: PLC0415
    from gavelport_server.conduct.sandboxes import UserError, become, require_user, sandboxes  # noqa: PLC0415
    from gavelport_server.conduct.service import house_manifests, run_service  # noqa: PLC0415
    from gavelport_server.storage.errors import StoreError  # noqa: PLC0415
    from gavelport_server.transport import home  # noqa: PLC0415

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # each bot takes a file or two
    try:
        require_user(settings)
        boxes = sandboxes(settings)  # before there are any threads, and while this is still root
        become(settings)
        house = house_manifests(settings, lambda text: click.echo(f"notice: {text}", err=True))
    except UserError as error:
        click.echo(f"error: {error}", err=True)
        return REFUSED
    except EntrantsError as error:
        for problem in error.problems:
            click.echo(f"error: {problem}", err=True)
        return REFUSED
    try:
        with (
            closing(boxes),
            log_lines(settings.log_file, settings.log_level, lambda text: click.echo(f"notice: {text}", err=True)),
            open_folder(settings.data, settings.database) as folder,
        ):
            signal = home.run(
                partial(run_service, reflects=is_dev),
                settings,
                folder,
                house,
                boxes,
                partial(_tell, settings, house, boxes),
            )
    except home.AddressError as error:
        option = "--http" if error.address == settings.http else "--listen"
        click.echo(f"error: {error}; give another with {option}", err=True)
        return FAILED
    except (FolderError, StoreError, ArchiveError, JournalError, home.TransportError) as error:
        click.echo(f"error: {error}", err=True)
        return FAILED
    return 0 if signal is None else BY_SIGNAL + signal


def _tell(settings: ServeSettings, house: Sequence[BotManifest], boxes: Sandboxes, serving: Serving) -> None:
    """Say where the server is reached, and what to do next."""
    ladders = ", ".join(f"{one.name} ({one.game.id}, {one.seats} seats)" for one in settings.ladders)
    click.echo(f"Gavelport serves {settings.data}")
    click.echo(f"  bots         {serving.target}")
    click.echo(f"  web          {serving.url}/, with /health, /metrics and /api/v1/ladders")
    click.echo(f"  ladders      {ladders}")
    if house:
        click.echo(f"  sample bots  {', '.join(bot.name for bot in house)}")
    if boxes.process is not None:
        click.echo(f"  hosted bots  up to {boxes.most} processes; {boxes.words}")
    elif settings.hosting:
        click.echo(f"  hosted bots  none: {boxes.why_not}")
    for notice in serving.notices:
        click.echo(f"notice: {notice}", err=True)
    click.echo("To let a bot in, make a token for it:")
    click.echo(f"  gavelport token create --data {settings.data} --owner NAME --bot NAME")
    if boxes.process is not None:
        click.echo("To let an author submit bots, which run here:")
        click.echo(f"  gavelport token create --data {settings.data} --scope owner --owner NAME")
    sys.stdout.flush()


def _given(flags: Mapping[str, str | None]) -> dict[tuple[str | int, ...], str]:
    """Return what the command line gives, by its place in the settings."""
    tables = ("tls", "log")
    found: dict[tuple[str | int, ...], str] = {}
    for name, text in flags.items():
        if text is not None:
            table, _, key = name.partition("_")
            found[(table, key) if table in tables else (name,)] = text
    return found


def as_toml(settings: ServeSettings) -> str:
    """Return the settings as a file that says the same, but for the database's password."""
    bots = settings.sample_bots
    lines = [
        f"data = {_toml(str(settings.data))}",
        f"listen = {_toml(settings.listen)}",
        f"http = {_toml(settings.http)}",
        *([f"trusted_proxy = {_toml(str(settings.trusted_proxy))}"] if settings.trusted_proxy is not None else []),
        f"sample_bots = {_toml(bots if isinstance(bots, str) else list(bots))}",
        f"grace_s = {_toml(settings.grace_s)}",
        f"drain_s = {_toml(settings.drain_s)}",
        f"hosting = {_toml(settings.hosting)}",
        *([f"user = {_toml(settings.user)}"] if settings.user is not None else []),
        f"memory_mib = {settings.memory_mib}",
        *([f"hosted_processes = {settings.hosted_processes}"] if settings.hosted_processes is not None else []),
    ]
    if settings.database is not None:
        from sqlalchemy import make_url  # noqa: PLC0415  quick help needs none of it

        lines.insert(3, f"database = {_toml(make_url(settings.database).render_as_string(hide_password=True))}")
    if settings.tls is not None:
        lines += ["", "[tls]", f"cert = {_toml(str(settings.tls.cert))}", f"key = {_toml(str(settings.tls.key))}"]
        if settings.tls.client_ca is not None:
            lines.append(f"client_ca = {_toml(str(settings.tls.client_ca))}")
    lines += ["", "[log]", f"level = {_toml(settings.log_level)}"]
    if settings.log_file is not None:
        lines.append(f"file = {_toml(str(settings.log_file))}")
    for one in settings.ladders:
        clock = {name: getattr(one.clock, name) for name in ("bank_ms", "increment_ms", "cap_ms", "allowance_ms")}
        lines += ["", "[[ladder]]", f"name = {_toml(one.name)}", f"game = {_toml(one.game.name)}"]
        lines += [f"seats = {one.seats}", f"options = {_toml(dict(one.options))}", f"clock = {_toml(clock)}"]
        lines += [f"bot_per_hour = {one.bot_per_hour}", f"pair_per_day = {one.pair_per_day}"]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    """Return a value as TOML writes it; texts are as in JSON, but for what no address or name holds."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }" if value else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)
