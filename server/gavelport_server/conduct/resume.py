"""A match's core as its past inputs make it: the way back from the journal (design 4, 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gavelport.v1 import game_pb2
from gavelport_codecs.registry import codec_for

from gavelport_server.archive.journal_entries import InputKind
from gavelport_server.referee.commands import Unreadable
from gavelport_server.referee.core import MatchCore

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gavelport_codecs.codec import Codec

    from gavelport_server.archive.journal_entries import PastInput
    from gavelport_server.referee.commands import Command
    from gavelport_server.referee.report import MatchSetup


def rebuilt(setup: MatchSetup, past: Iterable[PastInput]) -> MatchCore:
    """Return the core of a match after its inputs so far; what was told in consequence is not told again.

    Raises whatever the core raised when it was given the last of them, or CodecError for an action that this program
    cannot read: then the match is void.
    """
    core, codec = MatchCore(setup), codec_for(setup.game.id)
    for given in past:
        give(core, codec, given)
    return core


def give(core: MatchCore, codec: Codec, given: PastInput) -> list[Command]:
    """Give a core one input, and return the commands that follow."""
    seat, now = given.seat, given.now
    match given.kind:
        case InputKind.ANSWER:
            return core.answer(seat, given.decision_id, _action(codec, given), given.note, now, given.arrived)
        case InputKind.START:
            return core.start(now)
        case InputKind.TICK:
            return core.tick(now)
        case InputKind.LOST:
            return core.lost(seat, now)
        case InputKind.BACK:
            return core.back(seat, now, given.last_event)
        case InputKind.GONE:
            return core.gone(seat, now, given.sentence)


def _action(codec: Codec, given: PastInput) -> Any:
    if given.code:
        return Unreadable(given.code, given.sentence)
    return codec.decode_action(game_pb2.GameAction.FromString(given.action))
