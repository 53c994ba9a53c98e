"""Copies of replays for whoever is not the owner of all its bots (design 7)."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING

from gavelport_server.archive.playback import Playback
from gavelport_server.archive.private import KEY_BYTES, NO_SALTS, Salts, Withheld, fault_label, note_label
from gavelport_server.archive.record import FORMAT, OPEN_FORMAT, chain_of
from gavelport_server.archive.replay import decode_replay, encode

if TYPE_CHECKING:
    from collections.abc import Collection

    from gavelport_server.archive.private import PrivateText
    from gavelport_server.archive.record import Replay


def public_copy(stored: bytes, seats: Collection[int] = ()) -> bytes:
    """Return a copy of a stored replay that keeps the private texts of those seats alone.

    In place of the others' notes and first faults stand their digests. The copy has the chained hash of the original
    and verifies as it does; where nothing is private it is the original, byte for byte. Given a copy, what is withheld
    there stays so.

    A replay of format 1 that holds texts of others becomes one of format 2 with a chained hash of its own, as its own
    one runs over the texts.

    Raises ReplayError where the replay cannot be read, Difference where it cannot be played (only with seats).
    """
    replay = decode_replay(stored)
    if not replay.has_private:
        return stored
    keyed = _keyed(replay)
    deciders = [step.seat for step in Playback(keyed)] if seats else [None] * len(keyed.choices)
    own: dict[str, bytes] = {}

    def kept(label: str, text: PrivateText, seat: int | None) -> PrivateText:
        if not text or isinstance(text, Withheld):
            return text
        if seat in seats:
            own[label] = keyed.salts.of(label)
            return text
        return Withheld(keyed.salts.digest(label, text))

    choices = tuple(
        replace(choice, note=kept(note_label(number), choice.note, seat)) if choice.note else choice
        for number, (choice, seat) in enumerate(zip(keyed.choices, deciders, strict=True), 1)
    )
    first_faults = tuple(kept(fault_label(seat), words, seat) for seat, words in enumerate(keyed.end.first_faults))
    end = replace(keyed.end, first_faults=first_faults)
    return encode(replace(keyed, choices=choices, end=end, salts=Salts(own=own) if own else NO_SALTS))


def _keyed(replay: Replay) -> Replay:
    """Return a replay whose chained hash runs over digests, made anew where it ran over texts."""
    if replay.header.format != OPEN_FORMAT:
        return replay
    header = replace(replay.header, format=FORMAT)
    keyed = replace(replay, header=header, salts=Salts(secrets.token_bytes(KEY_BYTES)))
    return replace(keyed, chain=chain_of(keyed))
