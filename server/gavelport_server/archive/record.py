"""A match as the archive keeps it, as a value, and the chained hash over all of it (docs/replay-format.md).

Only what does not follow from the rules is kept: whose turn it was, in which phase and what came of it is found by
playing the decisions again (`playback.py`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gavelport_engine.game import AnyGame, Json

    from gavelport_server.referee.report import ClockSetting, FaultReason, SeatName

FORMAT = 1
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


@dataclass(frozen=True, slots=True)
class Choice:
    """One decision as it took effect: the bot's action, or with a fault the default."""

    action: Any
    charged_ms: int
    fault: FaultReason | None
    note: str


@dataclass(frozen=True, slots=True)
class ReplayEnd:
    """How the match ended. All by seat, but `retired`, which lists seats; score lines follow from the position."""

    end: str
    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    retired: tuple[int, ...]
    refusals: tuple[int, ...]
    """Answers that were refused."""
    first_faults: tuple[str, ...]
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
        note = _text(choice.note) if choice.note else '""'
        known = f'"ms":{choice.charged_ms},"n":{number},"note":{note},"record":"decision"'
        yield f'{{"action":{action},"fault":{fault},{known}}}'
    for number, prefix in enumerate(replay.prefixes, 1):
        yield f'{{"fingerprint":"{prefix.hex()}","n":{number},"record":"checkpoint"}}'
    yield _text(_last_link(replay))


def _first_link(header: ReplayHeader) -> Json:
    return {
        "record": "header",
        "format": FORMAT,
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
        "first_faults": end.first_faults,
        "fingerprint": replay.fingerprint.hex(),
        "seed": replay.seed.hex(),
    }


def chain_of(replay: Replay) -> bytes:
    """Return the chained hash: from 32 zero bytes, SHA-256(hash so far ‖ canonical JSON of the next link)."""
    chained = bytes(32)
    for link in links(replay):
        chained = hashlib.sha256(chained + link.encode()).digest()
    return chained
