"""Actions by kind, as a replay's play frame holds them (docs/replay-format.md).

Works for any game whose action message is one `oneof`, which all of them are.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from gavelport.v1 import game_pb2, replay_pb2
from google.protobuf.message import DecodeError

from gavelport_server.archive.errors import ReplayError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def grouped(contents: Iterable[tuple[int, bytes]]) -> tuple[list[int], list[replay_pb2.ReplayActions]]:
    """Return each action's kind, and the actions by ascending kind; given `Codec.action_content` of each."""
    kinds: list[int] = []
    groups: dict[int, list[bytes]] = {}
    for kind, content in contents:
        kinds.append(kind)
        groups.setdefault(kind, []).append(content)
    return kinds, [replay_pb2.ReplayActions(kind=kind, actions=groups[kind]) for kind in sorted(groups)]


def ungrouped(
    game: str, kinds: Iterable[int], groups: Iterable[replay_pb2.ReplayActions]
) -> Iterator[game_pb2.GameAction]:
    """Yield the actions of a game (`container`) in their order.

    Raises ReplayError where kinds and groups do not fit together, or an action cannot be read.
    """
    groups = list(groups)
    waiting = {group.kind: iter(group.actions) for group in groups}
    counts, held = Counter(kinds), {group.kind: len(group.actions) for group in groups}
    if len(waiting) != len(groups) or counts != held:
        raise ReplayError(f"has {dict(sorted(counts.items()))} decisions by kind, but {held} actions by kind")
    for number, kind in enumerate(kinds, 1):
        envelope = game_pb2.GameAction()
        action: Any = getattr(envelope, game)
        field = action.DESCRIPTOR.fields_by_number.get(kind)
        if field is None:
            raise ReplayError(f"decision {number} has an action of kind {kind}, which {game} does not have")
        chosen = getattr(action, field.name)
        chosen.SetInParent()
        try:
            chosen.MergeFromString(next(waiting[kind]))
        except DecodeError as error:
            raise ReplayError(f"decision {number} ({field.name}) cannot be read") from error
        yield envelope
