"""`gavelport submit`: a bot's folder sent to a server, which examines it and then runs it."""

from __future__ import annotations

import hashlib
import time
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click
from gavelport.v1 import lobby_pb2 as pb
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

from gavelport_server.cli.check import print_finding
from gavelport_server.cli.data import console, counted, json_option
from gavelport_server.cli.paths import NamedPath
from gavelport_server.cli.remote import as_dict, connected, end_with_server, print_json, server_option
from gavelport_server.conduct.checks.finding import Finding, Verdict
from gavelport_server.conduct.checks.run import check_files
from gavelport_server.conduct.manifest import ManifestError, bot_files, read_manifest
from gavelport_server.conduct.results import printable
from gavelport_server.lobby.package import PackageError, packed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.console import Console

    from gavelport_server.conduct.manifest import BotManifest
    from gavelport_server.transport.client import Client

CHUNK_BYTES = 32 * 1024
LOOK_S = 1.0
OPEN = ("received", "checking")
FAILED, REFUSED = 1, 2


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 admitted, or with --no-wait received; 1 refused, or the server out of reach; 2 wrong usage "
    "or bot.toml; 130 stopped by Ctrl-C, while the examination goes on.",
)
@click.argument("folder", type=NamedPath(), metavar="DIR")
@server_option
@click.option(
    "--wait/--no-wait", "waits", default=True, show_default=True, help="Stay until it is admitted or refused."
)
@json_option
def submit(folder: Path, server: str | None, *, waits: bool, as_json: bool) -> None:
    """Send the bot in DIR to a server, which examines it in a sandbox, as `check` does, and then runs it.

    The name in its bot.toml is taken for you where it is free. A version never changes: raise `version` for the next
    one. What is hidden, node_modules and __pycache__ are left out.
    """

    def run() -> int:
        package = _packed(folder, as_json=as_json)
        if isinstance(package, int):
            return package
        manifest, data = package
        with connected(server) as client:
            submission = _sent(client, data, is_quiet=as_json)
            if not as_json:
                click.echo(f"{_name(submission)} is submission {submission.id}.", err=True)
            if waits:
                submission = _decided(client, submission, is_quiet=as_json)
            bot = _bot(client, manifest.name) if submission.status == "admitted" else pb.Bot()
        if as_json:
            print_json(as_dict(submission))
        else:
            click.echo(what_next(submission, bot), err=True)
        return FAILED if submission.status == "refused" else 0

    end_with_server(run, server)


def what_next(submission: pb.Submission, bot: pb.Bot) -> str:
    """Return what has become of a submission, and what to do, in words."""
    name, version = submission.bot, submission.version
    if submission.status == "refused":
        return (
            f"{name} {version} is refused. Mend it and submit it again, under the same version if you like; "
            "`gavelport check DIR` examines it here."
        )
    if submission.status in OPEN:
        return f"It is examined as soon as the server comes to it; `gavelport status {name}` tells what became of it."
    if bot.status == "withdrawn":
        return f"{name} {version} is admitted, but {name} is withdrawn: `gavelport bots reinstate {name}` lets it play."
    if bot.pinned_version not in ("", version):
        lift = f"`gavelport bots rollback --lift {name}` lets the newest play"
        return f"{name} {version} is admitted, but {name} was rolled back to {bot.pinned_version}: {lift}."
    if bot.version not in ("", version):
        return f"{name} {version} is admitted, but {bot.version} came after it and plays in its place."
    return f"{name} {version} is admitted and plays from now on; `gavelport status {name}` tells how it stands."


def finding_of(told: pb.CheckFinding) -> Finding:
    """Return a finding as it is printed: what the bot printed, of which its texts may tell too, may hold anything."""
    what, where, remedy = (printable(text, "\t") for text in (told.what, told.where, told.remedy))
    return Finding(
        told.check, Verdict(told.verdict), what, where, remedy, tuple(printable(line, "\t") for line in told.printed)
    )


def _packed(folder: Path, *, as_json: bool) -> tuple[BotManifest, bytes] | int:
    """Return what is to be sent, or the exit code once what is wrong with the folder is told."""
    try:
        manifest = read_manifest(folder)
        files = check_files(manifest)
        if files.verdict is Verdict.FAILED:
            print_finding(console(), files)
            return FAILED
        data = packed(manifest.folder)
    except (ManifestError, PackageError) as error:
        for problem in error.problems:
            click.echo(f"error: {problem}", err=True)
        return REFUSED if isinstance(error, ManifestError) else FAILED
    if not as_json:
        count = counted(sum(1 for _ in bot_files(manifest.folder)), "file", "files")
        click.echo(f"{manifest.name} {manifest.version}: {count}, {len(data) / 1024:,.0f} KiB zipped", err=True)
    return manifest, data


def _sent(client: Client, data: bytes, *, is_quiet: bool) -> pb.Submission:
    screen = _err()
    columns = (TextColumn("sending"), BarColumn(), DownloadColumn(binary_units=True))
    with Progress(*columns, console=screen, transient=True, disable=is_quiet or not screen.is_terminal) as bar:
        task = bar.add_task("", total=len(data))

        def requests() -> Iterator[pb.SubmitRequest]:
            header = pb.SubmitHeader(size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
            yield pb.SubmitRequest(header=header)
            for start in range(0, len(data), CHUNK_BYTES):
                yield pb.SubmitRequest(chunk=data[start : start + CHUNK_BYTES])
                bar.update(task, completed=min(len(data), start + CHUNK_BYTES))

        return client.upload(requests(), pb.SubmitRequest, pb.SubmitResponse).submission


def _decided(client: Client, submission: pb.Submission, *, is_quiet: bool) -> pb.Submission:
    """Return a submission once it is admitted or refused, with its findings printed as they come."""
    screen, shown = console(), 0
    waiting = _err()
    with nullcontext() if is_quiet or not waiting.is_terminal else waiting.status("the server examines it"):
        while True:
            if not is_quiet:
                for told in submission.findings[shown:]:
                    print_finding(screen, finding_of(told))
            shown = max(shown, len(submission.findings))
            if submission.status not in OPEN:
                return submission
            time.sleep(LOOK_S)
            request = pb.GetSubmissionRequest(id=submission.id)
            submission = client.call(request, pb.GetSubmissionResponse).submission


def _bot(client: Client, name: str) -> pb.Bot:
    bots = client.call(pb.ListBotsRequest(), pb.ListBotsResponse).bots
    return next((bot for bot in bots if bot.name == name), pb.Bot())


def _name(submission: pb.Submission) -> str:
    return f"{submission.bot} {submission.version}"


def _err() -> Console:
    screen = console()
    screen.stderr = True
    return screen
