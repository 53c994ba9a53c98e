"""Replays for pages: read, played again for the viewer, and kept packed while they are looked at."""

from __future__ import annotations

import gzip
import json
import threading
from collections import OrderedDict
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from gavelport_server.archive.errors import ArchiveError, ReplayError
from gavelport_server.archive.files import sha256_of
from gavelport_server.archive.replay import decode_replay
from gavelport_server.pages.errors import PageError
from gavelport_server.pages.scene import scene, view_of

if TYPE_CHECKING:
    from gavelport_server.archive.record import Replay
    from gavelport_server.pages.source import Source
    from gavelport_server.storage.store import FoundResult

KEPT = 64
"""So many scenes are kept; each has some 30 kB."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A scene as it is sent: JSON, by gzip."""

    body: bytes
    tag: str


class Replays:
    """The replays of a source. May be used by several threads."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], Packed] = OrderedDict()

    def result(self, match_id: str) -> FoundResult | None:
        """Return a match's result."""
        return self._source.result(match_id)

    def open_result(self, match_id: str) -> FoundResult | None:
        """Return a match's result where its replay may be seen. Raises PageError while that is sealed."""
        found = self._source.result(match_id)
        if found is not None and self._source.is_sealed(found):
            raise PageError(
                HTTPStatus.FORBIDDEN,
                "this replay is sealed",
                "Other matches of the same deal are still being played; it opens when the block is over.",
            )
        return found

    def stored(self, match_id: str) -> bytes:
        """Return a replay's bytes. Raises PageError where there are none, or while it is sealed."""
        found = self.open_result(match_id)
        try:
            return self._source.replay(match_id)
        except ArchiveError:
            if found is None:
                raise PageError.missing("no such match", "The link may be wrong, or of another server.") from None
            raise PageError(
                HTTPStatus.GONE, "the replay is not there", "The match has a result, but its replay is gone."
            ) from None

    def replay(self, match_id: str) -> Replay:
        """Return a replay. Raises PageError, also where it is damaged."""
        return _decoded(self.stored(match_id))

    def packed(self, match_id: str, view_name: str) -> Packed:
        """Return a match's scene for a view. Raises PageError."""
        stored = self.stored(match_id)
        digest = sha256_of(stored)
        key = (digest, view_name)
        with self._lock:
            if packed := self._kept.get(key):
                self._kept.move_to_end(key)
                return packed
        replay = _decoded(stored)
        view = view_of(view_name, len(replay.header.seats))
        if view is None:
            raise PageError.missing("no such view", "There are full, spectator, and the seats by number.")
        text = json.dumps(scene(replay, view), separators=(",", ":"), ensure_ascii=False)
        packed = Packed(gzip.compress(text.encode(), 6, mtime=0), f'"{digest[:16]}-{view_name}"')
        with self._lock:
            self._kept[key] = packed
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return packed


def _decoded(stored: bytes) -> Replay:
    try:
        return decode_replay(stored)
    except ReplayError as error:
        raise PageError(
            HTTPStatus.INTERNAL_SERVER_ERROR, "the stored replay is damaged", f"It cannot be shown: {error}."
        ) from error
