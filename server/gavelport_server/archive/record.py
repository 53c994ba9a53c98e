"""A match as the archive keeps it, as a value, and the chained hash over all of it (docs/replay-format.md).

Only what does not follow from the rules is kept: whose turn it was, in which phase and what came of it is found by
playing the decisions again (`playback.py`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gavelport_server.archive.private import NO_SALTS, Withheld, fault_label, note_label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gavelport_engine.game import AnyGame, Json

    from gavelport_server.archive.private import PrivateText, Salts
    from gavelport_server.referee.report import ClockSetting, FaultReason, SeatName

FORMAT = 2
"""What is written."""
OPEN_FORMAT = 1
"""An older one, in which the chained hash runs over private texts themselves."""
PREFIX_BYTES = 4
"""So much of the fingerprint is kept at each checkpoint but the last."""


@dataclass(frozen=True, slots=True)
class ReplayHeader:
    """What was fixed before the match began; `options` is the game's own typed value, `commitment` hex."""

    match_id: str
    game: AnyGame
    options: Any
    commitment: str
    seats: tuple[SeatName, ...]
    clock: ClockSetting
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class Choice:
    """One decision as it took effect: the bot's action, or with a fault the default."""

    action: Any
    charged_ms: int
    fault: FaultReason | None
    note: PrivateText


@dataclass(frozen=True, slots=True)
class ReplayEnd:
    """How the match ended. All by seat, but `retired`, which lists seats; score lines follow from the position."""

    end: str
    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    retired: tuple[int, ...]
    refusals: tuple[int, ...]
    """Answers that were refused."""
    first_faults: tuple[PrivateText, ...]
    """What first went wrong, in words; empty without a fault. Tells what a bot printed: for its owner, as notes are."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A whole match."""

    header: ReplayHeader
    choices: tuple[Choice, ...]
    """In the order in which they took effect; those of one simultaneous phase by ascending seat."""
    prefixes: tuple[bytes, ...]
    """The first 4 bytes of the fingerprint at each checkpoint, the last one included."""
    fingerprint: bytes
    """Of the final position, whole."""
    end: ReplayEnd
    seed: bytes
    chain: bytes
    """What `chain_of` gave when the replay was written."""
    salts: Salts = NO_SALTS
    """Of the private texts."""

    @property
    def has_private(self) -> bool:
        """Whether there is a private text at all, here or withheld."""
        return any(choice.note for choice in self.choices) or any(self.end.first_faults)

    @property
    def is_withholding(self) -> bool:
        """Whether it is a copy without some of the private texts."""
        texts = (*(choice.note for choice in self.choices), *self.end.first_faults)
        return any(isinstance(text, Withheld) for text in texts)


_text = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def canonical(value: object) -> bytes:
    """Return JSON with keys sorted and no white space, in UTF-8."""
    return _text(value).encode()


def links(replay: Replay) -> Iterator[str]:
    """Yield what the chain runs over: header, decisions, checkpoints and end, as canonical JSON."""
    yield _text(_first_link(replay.header))
    to_notation = replay.header.game.action_to_notation
    for number, choice in enumerate(replay.choices, 1):
        # The many are put together by hand: this runs in the referee's process.
        action = _text(to_notation(choice.action))
        fault = f'"{choice.fault}"' if choice.fault else "null"
        note = _text(_chained(replay, note_label(number), choice.note)) if choice.note else '""'
        known = f'"ms":{choice.charged_ms},"n":{number},"note":{note},"record":"decision"'
        yield f'{{"action":{action},"fault":{fault},{known}}}'
    for number, prefix in enumerate(replay.prefixes, 1):
        yield f'{{"fingerprint":"{prefix.hex()}","n":{number},"record":"checkpoint"}}'
    yield _text(_last_link(replay))


def _chained(replay: Replay, label: str, text: PrivateText) -> str:
    """Return what stands for a private text in the chain: its digest in hex, empty for no text."""
    if replay.header.format == OPEN_FORMAT:
        assert isinstance(text, str)
        return text
    return replay.salts.digest(label, text).hex()


def _first_link(header: ReplayHeader) -> Json:
    return {
        "record": "header",
        "format": header.format,
        "match": header.match_id,
        "game": header.game.id,
        "options": header.game.options_to_notation(header.options),
        "commitment": header.commitment,
        "seats": [{"bot": seat.bot, "version": seat.version} for seat in header.seats],
        "clock": {
            "bank_ms": header.clock.bank_ms,
            "increment_ms": header.clock.increment_ms,
            "cap_ms": header.clock.cap_ms,
            "allowance_ms": header.clock.allowance_ms,
        },
    }


def _last_link(replay: Replay) -> Json:
    end = replay.end
    return {
        "record": "end",
        "end": end.end,
        "totals": end.totals,
        "ranks": end.ranks,
        "retired": end.retired,
        "refusals": end.refusals,
        "first_faults": [_chained(replay, fault_label(seat), words) for seat, words in enumerate(end.first_faults)],
        "fingerprint": replay.fingerprint.hex(),
        "seed": replay.seed.hex(),
    }


def chain_of(replay: Replay) -> bytes:
    """Return the chained hash: from 32 zero bytes, SHA-256(hash so far ‖ canonical JSON of the next link)."""
    chained = bytes(32)
    for link in links(replay):
        chained = hashlib.sha256(chained + link.encode()).digest()
    return chained
