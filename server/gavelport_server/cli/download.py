"""`gavelport replays download`, and `replays list --server`: matches of a server.

A download can be given again at any time: what is there already, whole and of the right match, is not fetched again. A
file appears under its name once it is whole.
"""

from __future__ import annotations

import os
import secrets
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import click
from gavelport.v1 import archive_pb2 as pb
from gavelport.v1 import ladder_pb2, lobby_pb2

from gavelport_server.archive.errors import ArchiveError, ReplayError
from gavelport_server.archive.files import SUFFIX, explained, path_in
from gavelport_server.archive.listing import Listed, ListedSeat
from gavelport_server.archive.replay import decode_replay
from gavelport_server.cli.data import counted, json_option
from gavelport_server.cli.paths import NamedPath
from gavelport_server.cli.remote import connected, end_with_server, print_json, server_option

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from gavelport_server.transport.client import Client

T = TypeVar("T")

ONE_BY_ONE = 30
"""Up to so many missing replays are asked for each by itself; more come as one stream."""
PATIENCE_S = 120.0
"""How long to wait in all for a server that says not so often."""
_PAGE = 500


@dataclass(slots=True)
class Tally:
    """What a download has done."""

    downloaded: int = 0
    present: int = 0
    sealed: int = 0
    gone: int = 0
    """Not kept any more by the server."""


def _moment(_: click.Context, param: click.Parameter, text: str) -> str:
    """Return a date or time as it was given. Fails as wrong usage for what is none."""
    if text:
        try:
            datetime.fromisoformat(text)
        except ValueError:
            said = f"{text!r} is no date or time; write it as 2026-03-01 or 2026-03-01T12:00:00Z"
            raise click.BadParameter(said, param=param) from None
    return text


@click.command("download")
@click.option("--to", type=NamedPath(), required=True, metavar="DIR", help="Where the files go: DIR/<match id>.zst.")
@click.option("--match", "match_id", default="", metavar="ID", help="This match alone.")
@click.option("--bot", default="", metavar="NAME", help="Only matches of this bot.")
@click.option("--version", "bot_version", default="", metavar="VERSION", help="With --bot: of this version.")
@click.option("--ladder", default="", metavar="NAME", help="Only matches of this ladder or tournament.")
@click.option("--game", default="", metavar="NAME", help="Only matches of this game.")
@click.option(
    "--since",
    default="",
    callback=_moment,
    metavar="DATE",
    help="Finished then or later: 2026-03-01, 2026-03-01T12:00Z.",
)
@click.option("--until", default="", callback=_moment, metavar="DATE", help="Finished earlier.")
@click.option("--unrated", is_flag=True, help="Practice and challenges too.")
@server_option
@json_option
def download(  # noqa: PLR0913 - options
    *,
    to: Path,
    match_id: str,
    bot: str,
    bot_version: str,
    ladder: str,
    game: str,
    since: str,
    until: str,
    server: str | None,
    unrated: bool,
    as_json: bool,
) -> None:
    """Download the replays of a server's matches; given again, also after Ctrl-C, what is still missing.

    Copies hold your own bots' notes; in others' place stand digests, and the files verify with `replays verify`.
    """
    if bot_version and not bot:
        raise click.UsageError("--version goes with --bot; name the bot too")
    wanted = pb.MatchFilter(
        bot=bot, version=bot_version, tournament=ladder, game=game, since=since, until=until, with_unrated=unrated
    )

    def run() -> int:
        with connected(server) as client:
            request = pb.ListMatchesRequest(match_id=match_id, filter=wanted, page_size=_PAGE)
            matches = list(_listed(client, request))
            if not matches:
                _require(client, bot, ladder)
            tally = _download(client, matches, to, None if match_id else wanted)
        _tell(tally, to, as_json=as_json)
        return 0

    end_with_server(run, server)


def listed_on(server: str | None, bot: str, limit: int | None) -> list[Listed]:
    """Return the matches of a server, newest first. Raises ServiceError."""
    with connected(server) as client:
        request = pb.ListMatchesRequest(
            filter=pb.MatchFilter(bot=bot, with_unrated=True), page_size=min(limit or _PAGE, _PAGE)
        )
        found = []
        for one in _listed(client, request):
            found.append(_as_listed(one))
            if limit is not None and len(found) == limit:
                break
    return found


def _require(client: Client, bot: str, ladder: str) -> None:
    """See that a bot and a ladder are there of which nothing was found. Raises ServiceError for one that is not."""
    from gavelport_server.transport.link import ServiceError, StatusCode  # noqa: PLC0415

    if ladder and not _has(client, pb.MatchFilter(tournament=ladder, with_unrated=True)):
        client.call(ladder_pb2.GetStandingsRequest(ladder=ladder, limit=1), ladder_pb2.GetStandingsResponse)
    if bot and not _has(client, pb.MatchFilter(bot=bot, with_unrated=True)) and bot not in _own(client):
        text = f'no bot "{bot}" has played here; `gavelport ladder` tells who has'
        raise ServiceError(StatusCode.NOT_FOUND, text)


def _has(client: Client, wanted: pb.MatchFilter) -> bool:
    """Return whether the server has any match of these."""
    return bool(client.call(pb.ListMatchesRequest(filter=wanted, page_size=1), pb.ListMatchesResponse).matches)


def _own(client: Client) -> list[str]:
    """Return the caller's own bots, which are known before they have played."""
    from gavelport_server.transport.link import ServiceError, StatusCode  # noqa: PLC0415

    try:
        return [bot.name for bot in client.call(lobby_pb2.ListBotsRequest(), lobby_pb2.ListBotsResponse).bots]
    except ServiceError as error:
        if error.code is StatusCode.PERMISSION_DENIED:  # a spectator has none
            return []
        raise


def _listed(client: Client, request: pb.ListMatchesRequest) -> Iterator[pb.MatchSummary]:
    while True:
        page = _patient(partial(client.call, request, pb.ListMatchesResponse))
        yield from page.matches
        if not page.next_page_token:
            return
        request.page_token = page.next_page_token


def _download(client: Client, matches: Sequence[pb.MatchSummary], to: Path, wanted: pb.MatchFilter | None) -> Tally:
    tally = Tally()
    missing: dict[str, pb.MatchSummary] = {}
    for match in reversed(matches):
        if match.sealed:
            tally.sealed += 1
        elif _is_there(path_in(to, match.match_id, SUFFIX), match.match_id):
            tally.present += 1
        else:
            missing[match.match_id] = match
    if not missing:
        return tally
    try:
        to.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArchiveError(explained(error, to)) from error
    with _progress(len(missing)) as advance:
        for match_id, stored in _replays(client, missing, wanted):
            # What the server sends beside, and what it may send unasked, is left out.
            if match_id in missing:
                _put(to, match_id, stored)
                del missing[match_id]
                tally.downloaded += 1
                advance()
            if not missing:
                break
    tally.gone = len(missing)
    return tally


def _replays(
    client: Client, missing: dict[str, pb.MatchSummary], wanted: pb.MatchFilter | None
) -> Iterator[tuple[str, bytes]]:
    """Yield replays; what is missing last may be left out. With a filter, many may come as one stream."""
    if len(missing) > ONE_BY_ONE and wanted is not None:
        request = pb.DownloadReplaysRequest(filter=wanted)
        request.filter.since = next(iter(missing.values())).finished_at
        yield from _whole(client.stream(request, pb.DownloadReplaysResponse))
        return
    for match_id in list(missing):
        yield from _patient(partial(_if_kept, client, pb.DownloadReplaysRequest(match_id=match_id)))


def _if_kept(client: Client, request: pb.DownloadReplaysRequest) -> list[tuple[str, bytes]]:
    from gavelport_server.transport.link import ServiceError, StatusCode  # noqa: PLC0415

    try:
        return list(_whole(client.stream(request, pb.DownloadReplaysResponse)))
    except ServiceError as error:
        if error.code is StatusCode.NOT_FOUND:
            return []
        raise


def _whole(chunks: Iterator[pb.DownloadReplaysResponse]) -> Iterator[tuple[str, bytes]]:
    parts: list[bytes] = []
    for chunk in chunks:
        parts.append(chunk.data)
        if chunk.is_last:
            yield chunk.match_id, b"".join(parts)
            parts.clear()


def _patient(call: Callable[[], T]) -> T:
    """Return what a call returns, made again when the server says that it may be."""
    from gavelport_server.transport.link import ServiceError  # noqa: PLC0415

    waited_s = 0.0
    while True:
        try:
            return call()
        except ServiceError as error:
            if error.retry_s is None or waited_s + error.retry_s > PATIENCE_S:
                raise
            waited_s += error.retry_s
            time.sleep(error.retry_s)


def _is_there(path: Path, match_id: str) -> bool:
    """Return whether a file is a whole replay of the match."""
    try:
        return decode_replay(path.read_bytes()).header.match_id == match_id
    except (OSError, ReplayError):
        return False


def _put(to: Path, match_id: str, stored: bytes) -> None:
    path = path_in(to, match_id, SUFFIX)
    new = path.with_name(f".{match_id[:100]}.{secrets.token_hex(8)}.new")
    try:
        decoded = decode_replay(stored)
    except ReplayError as error:
        raise ArchiveError(f"what the server sent for match {match_id} {error}; nothing of it was kept") from error
    if decoded.header.match_id != match_id:
        raise ArchiveError(f"what the server sent for match {match_id} is another match; nothing of it was kept")
    try:
        new.write_bytes(stored)
        os.replace(new, path)  # noqa: PTH105  named after what it does
    except OSError as error:
        raise ArchiveError(explained(error, path)) from error
    finally:
        new.unlink(missing_ok=True)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    """Show on stderr how far it is, where that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (BarColumn(bar_width=None), MofNCompleteColumn(), TextColumn("replays"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, expand=True) as progress:
        task = progress.add_task("", total=total)
        yield lambda: progress.advance(task)


def _tell(tally: Tally, to: Path, *, as_json: bool) -> None:
    if as_json:
        told = {name: getattr(tally, name) for name in ("downloaded", "present", "sealed", "gone")}
        print_json({**told, "to": str(to)})
        return
    said = f"{counted(tally.downloaded, 'replay', 'replays')} downloaded to {to}"
    more = [
        f"{tally.present} there already" if tally.present else "",
        f"{tally.sealed} sealed until their deal is over" if tally.sealed else "",
        f"{tally.gone} not kept by the server any more" if tally.gone else "",
    ]
    click.echo(", ".join([said, *filter(None, more)]))


def _as_listed(one: pb.MatchSummary) -> Listed:
    seats = [ListedSeat(seat.bot, seat.version, seat.rank, seat.total) for seat in one.seats]
    return Listed(
        match_id=one.match_id,
        finished_at=one.finished_at,
        tournament=one.tournament,
        game=one.game,
        seats=tuple(sorted(seats, key=lambda seat: seat.rank)),
        end=one.end,
        decisions=one.decisions,
        sandbox=one.sandbox,
    )
