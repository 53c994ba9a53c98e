"""What the journal holds of a match: how it was set up, and every input of its core, as bytes and back (design 7).

The inputs, with their times, are all that a core needs to be what it was. Times are the core's, in seconds; they are
kept as doubles, so that clocks and deadlines come out the same to the last bit.
"""

from __future__ import annotations

import enum
import json
import struct
from typing import NamedTuple

from gavelport_engine.registry import GAMES
from gavelport_engine.rng import commitment

from gavelport_server.archive.errors import JournalError
from gavelport_server.archive.record import canonical
from gavelport_server.referee.report import ClockSetting, MatchSetup, SeatName

_HEAD = struct.Struct("<BBd")
_BACK = struct.Struct("<I")
_ANSWER = struct.Struct("<dQHB")
_IS_READ, _IS_UNREADABLE = 0, 1


class InputKind(enum.IntEnum):
    """Which input of the core it was."""

    START = 1
    ANSWER = 2
    TICK = 3
    LOST = 4
    BACK = 5
    GONE = 6


class PastInput(NamedTuple):
    """One input of a match's core."""

    kind: InputKind
    now: float
    seat: int = 0
    last_event: int = 0
    """Of BACK: the last event that the bot has seen."""
    arrived: float = 0.0
    """Of ANSWER, as all that follows."""
    decision_id: int = 0
    note: str = ""
    action: bytes = b""
    """The GameAction as it came over the wire; with a code it is left out."""
    code: str = ""
    """Why the answer has no action that can be judged; empty where it has."""
    sentence: str = ""
    """Beside a code; and of GONE how the process ended, in words."""


class MatchEntry(NamedTuple):
    """A match that is entered into the journal before it begins."""

    setup: MatchSetup
    ladder: str
    """Identity of the ladder's record in the store."""
    queue: str
    """What the match is played for, in the words of whoever enters it: `rated`, `practice`."""
    private_key: bytes
    """Of its replay (`private.py`): kept here, so that a replay that is made twice is the same twice."""
    sandbox: str = ""
    """Which seats' bots this machine runs, and what holds them; empty without any."""


def input_bytes(given: PastInput) -> bytes:
    """Return an input as the journal holds it."""
    head = _HEAD.pack(given.kind, given.seat, given.now)
    if given.kind is InputKind.ANSWER:
        note = given.note.encode()
        if given.code:
            how, rest = _IS_UNREADABLE, f"{given.code}\0{given.sentence}".encode()
            note = b""  # of an answer that is not taken no note is kept
        else:
            how, rest = _IS_READ, given.action
        return b"".join((head, _ANSWER.pack(given.arrived, given.decision_id, len(note), how), note, rest))
    if given.kind is InputKind.BACK:
        return head + _BACK.pack(given.last_event)
    return head + given.sentence.encode() if given.kind is InputKind.GONE else head


def input_of(stored: bytes) -> PastInput:
    """Return an input that the journal held. Raises JournalError for bytes that are none."""
    try:
        number, seat, now = _HEAD.unpack_from(stored)
        kind = InputKind(number)
        if kind is InputKind.BACK:
            (last_event,) = _BACK.unpack_from(stored, _HEAD.size)
            return PastInput(kind, now, seat, last_event)
        if kind is InputKind.GONE:
            return PastInput(kind, now, seat, sentence=stored[_HEAD.size :].decode())
        if kind is not InputKind.ANSWER:
            return PastInput(kind, now, seat)
        arrived, decision_id, note_bytes, how = _ANSWER.unpack_from(stored, _HEAD.size)
        begin = _HEAD.size + _ANSWER.size
        note, rest = stored[begin : begin + note_bytes].decode(), stored[begin + note_bytes :]
        if how == _IS_READ:
            return PastInput(kind, now, seat, 0, arrived, decision_id, note, rest)
        code, _, sentence = rest.decode().partition("\0")
        return PastInput(kind, now, seat, 0, arrived, decision_id, note, b"", code, sentence)
    except (struct.error, ValueError) as error:
        raise JournalError(f"an input of {len(stored)} bytes cannot be read ({error})") from error


def entry_bytes(entry: MatchEntry) -> bytes:
    """Return a match's setup as the journal holds it: all that it takes to begin it anew, the seed included."""
    setup = entry.setup
    clock = setup.clock
    return canonical(
        {
            "match": setup.match_id,
            "ladder": entry.ladder,
            "queue": entry.queue,
            "private_key": entry.private_key.hex(),
            "sandbox": entry.sandbox,
            "game": setup.game.id,
            "options": setup.game.options_to_notation(setup.options),
            "seats": [[seat.bot, seat.version] for seat in setup.seats],
            "clock": [clock.bank_ms, clock.increment_ms, clock.cap_ms, clock.allowance_ms],
            "seed": setup.seed.hex(),
            "commitment": commitment(setup.seed, setup.match_id),
        }
    )


def entry_of(stored: bytes) -> MatchEntry:
    """Return a match that the journal held.

    Raises JournalError for bytes that are none, and for a game that this program does not play, or at another version.
    """
    try:
        held = json.loads(stored)
        match_id = str(held["match"])
        name, _, _ = held["game"].partition("@")
        game = GAMES.get(name)
        if game is None or game.id != held["game"]:
            there = ", ".join(each.id for each in GAMES.values())
            raise JournalError(
                f"match {match_id} is of {held['game']}, and this program plays {there}; start the one that was "
                "running before, let its matches end, then upgrade"
            )
        setup = MatchSetup(
            match_id=match_id,
            game=game,
            options=game.options(held["options"]),
            seed=bytes.fromhex(held["seed"]),
            seats=tuple(SeatName(bot, version) for bot, version in held["seats"]),
            clock=ClockSetting(*held["clock"]),
        )
        if commitment(setup.seed, match_id) != held["commitment"]:
            raise JournalError(f"match {match_id}: its seed is not the one that was committed to")
        key = bytes.fromhex(held["private_key"])
        return MatchEntry(setup, held["ladder"], held["queue"], key, held.get("sandbox", ""))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise JournalError(f"a match's setup cannot be read ({type(error).__name__})") from error
