"""Replays as bytes: protobuf frames in zstd (docs/replay-format.md)."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gavelport.v1 import referee_pb2, replay_pb2
from gavelport_codecs.errors import CodecError
from gavelport_codecs.registry import codec_for
from gavelport_engine.game import Checkpoint
from gavelport_engine.rng import commitment
from google.protobuf.message import DecodeError

from gavelport_server.archive.actions import grouped, ungrouped
from gavelport_server.archive.errors import ReplayError
from gavelport_server.archive.packing import pack, unpack
from gavelport_server.archive.private import (
    DIGEST_BYTES,
    KEY_BYTES,
    SALT_BYTES,
    Salts,
    Withheld,
    fault_label,
    note_label,
)
from gavelport_server.archive.record import (
    FORMAT,
    OPEN_FORMAT,
    PREFIX_BYTES,
    Choice,
    Replay,
    ReplayEnd,
    ReplayHeader,
    chain_of,
)
from gavelport_server.referee.report import ClockSetting, Played, SeatName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_codecs.codec import Codec

    from gavelport_server.archive.private import PrivateText
    from gavelport_server.referee.report import FaultReason, MatchReport

SEED_BYTES = 32
HASH_BYTES = 32
FAULTS: tuple[FaultReason, ...] = ("timeout", "illegal", "unreadable", "disconnected", "retired")
"""By their number in the message, from 1."""


FRAMES = ["header", "play", "end", "proof"]


def replay_of(report: MatchReport, private_key: bytes | None = None) -> Replay:
    """Return what the archive keeps of a finished match.

    Args:
        report: What the match left behind.
        private_key: 16 random bytes from which the salts of private texts come, see `private.py`. By default drawn
            where there is such a text; whoever may have to write the same replay again keeps and gives one.
    """
    setup = report.setup
    choices = [
        Choice(one.action, one.charged_ms, one.fault, one.note) for one in report.record if isinstance(one, Played)
    ]
    checkpoints = [one for one in report.record if isinstance(one, Checkpoint)]
    if not checkpoints:
        raise ValueError(f"match {setup.match_id}: a finished match passes a checkpoint at its end")
    outcome = report.outcome
    unchained = Replay(
        header=ReplayHeader(
            match_id=setup.match_id,
            game=setup.game,
            options=setup.options,
            commitment=commitment(setup.seed, setup.match_id),
            seats=setup.seats,
            clock=setup.clock,
        ),
        choices=tuple(choices),
        prefixes=tuple(one.fingerprint[:PREFIX_BYTES] for one in checkpoints),
        fingerprint=checkpoints[-1].fingerprint,
        end=ReplayEnd(
            end=outcome.end,
            totals=outcome.totals,
            ranks=outcome.ranks,
            retired=report.retired,
            refusals=tuple(each.refusals for each in report.figures),
            first_faults=tuple(each.first_fault for each in report.figures),
        ),
        seed=setup.seed,
        chain=b"",
    )
    if unchained.has_private:
        key = secrets.token_bytes(KEY_BYTES) if private_key is None else private_key
        unchained = replace(unchained, salts=Salts(key))
    return replace(unchained, chain=chain_of(unchained))


def encode_replay(report: MatchReport, private_key: bytes | None = None) -> bytes:
    """Return a finished match as the archive stores it; for the key see `replay_of`."""
    return encode(replay_of(report, private_key))


def encode(replay: Replay) -> bytes:
    """Return a replay as the archive stores it; the chain is written as it stands."""
    codec = codec_for(replay.header.game.id)
    header, play, end, proof = (
        frame.SerializeToString(deterministic=True)
        for frame in (
            replay_pb2.ReplayFrame(header=_header(replay, codec)),
            replay_pb2.ReplayFrame(play=_play(replay, codec)),
            replay_pb2.ReplayFrame(end=_end(replay)),
            replay_pb2.ReplayFrame(proof=_proof(replay)),
        )
    )
    return pack([header, play, end], incompressible=proof)


def decode_replay(stored: bytes) -> Replay:
    """Return a stored replay. Whether it holds what really happened is `verify`'s matter.

    Raises ReplayError where it cannot be read: cut short, changed, of another format or of an unknown game.
    """
    try:
        frames = [replay_pb2.ReplayFrame.FromString(payload) for payload in unpack(stored)]
    except DecodeError as error:
        raise ReplayError(f"is no replay: a frame cannot be read ({error})") from error
    return decode_frames(frames)


def decode_frames(frames: Sequence[replay_pb2.ReplayFrame]) -> Replay:
    """Return the replay that frames hold. Raises ReplayError where they do not fit together."""
    kinds = [frame.WhichOneof("frame") for frame in frames]
    if kinds != FRAMES:
        raise ReplayError(f"is no replay: it has frames {kinds} where {FRAMES} are expected")
    header, play, end, proof = frames[0].header, frames[1].play, frames[2].end, frames[3].proof
    if header.format not in {OPEN_FORMAT, FORMAT}:
        raise ReplayError(f"is of replay format {header.format}; this program reads formats {OPEN_FORMAT} and {FORMAT}")
    try:
        codec = codec_for(header.game)
        options = codec.decode_options(header.options)
        actions = []
        for number, action in enumerate(ungrouped(codec.game.name, play.kinds, play.groups), 1):
            try:
                actions.append(codec.decode_action(action))
            except CodecError as error:
                raise ReplayError(f"decision {number} cannot be read: {error}") from error
    except CodecError as error:
        raise ReplayError(f"header cannot be read: {error}") from error
    clock, seats = header.clock, codec.game.seats(options)
    _check_lengths(seats, header, end, proof)
    if end.open_first_faults if header.format == FORMAT else end.first_faults:
        raise ReplayError(f"has first faults in a form that format {header.format} does not have")
    texts = _Texts(header.format, proof.private_key)
    choices, first_faults = _choices(play, actions, texts), _first_faults(end, seats, texts)
    return Replay(
        header=ReplayHeader(
            match_id=header.match_id,
            game=codec.game,
            options=options,
            commitment=proof.commitment.hex(),
            seats=tuple(SeatName(seat.bot, seat.version) for seat in header.seats),
            clock=ClockSetting(clock.bank_ms, clock.increment_ms, clock.cap_ms, clock.allowance_ms),
            format=header.format,
        ),
        choices=choices,
        prefixes=_prefixes(proof.fingerprints),
        fingerprint=proof.fingerprint,
        end=ReplayEnd(
            end=end.end,
            totals=tuple(end.totals),
            ranks=tuple(end.ranks),
            retired=tuple(end.retired),
            refusals=tuple(end.refusals) or (0,) * seats,
            first_faults=first_faults,
        ),
        seed=proof.seed,
        chain=proof.chain,
        salts=texts.salts(),
    )


# -- writing


def _header(replay: Replay, codec: Codec) -> replay_pb2.ReplayHeader:
    header, clock = replay.header, replay.header.clock
    return replay_pb2.ReplayHeader(
        format=header.format,
        match_id=header.match_id,
        game=header.game.id,
        options=codec.options(header.options),
        seats=[referee_pb2.Seat(bot=seat.bot, version=seat.version) for seat in header.seats],
        clock=referee_pb2.Clock(
            bank_ms=clock.bank_ms,
            increment_ms=clock.increment_ms,
            cap_ms=clock.cap_ms,
            allowance_ms=clock.allowance_ms,
        ),
    )


def _play(replay: Replay, codec: Codec) -> replay_pb2.ReplayPlay:
    kinds, groups = grouped([codec.action_content(choice.action) for choice in replay.choices])
    return replay_pb2.ReplayPlay(
        kinds=kinds,
        groups=groups,
        charged_ms=[choice.charged_ms for choice in replay.choices],
        faults=[
            replay_pb2.ReplayFaultAt(
                decision=number, fault=replay_pb2.ReplayFault.ValueType(FAULTS.index(choice.fault) + 1)
            )
            for number, choice in enumerate(replay.choices)
            if choice.fault is not None
        ],
        notes=[
            replay_pb2.ReplayNote(decision=number, **_private(replay, note_label(number + 1), choice.note))
            for number, choice in enumerate(replay.choices)
            if choice.note
        ],
    )


def _end(replay: Replay) -> replay_pb2.ReplayEnd:
    end = replay.end
    message = replay_pb2.ReplayEnd(
        end=end.end,
        totals=end.totals,
        ranks=end.ranks,
        retired=end.retired,
        refusals=end.refusals if any(end.refusals) else (),
    )
    if replay.header.format == OPEN_FORMAT:
        message.open_first_faults.extend(str(words) for words in end.first_faults if any(end.first_faults))
        return message
    for seat, words in enumerate(end.first_faults):
        if words:
            message.first_faults.add(seat=seat, **_private(replay, fault_label(seat), words))
    return message


def _private(replay: Replay, label: str, text: PrivateText) -> dict[str, Any]:
    """Return what a message holds of a private text; the salt only where no key gives it."""
    if isinstance(text, Withheld):
        return {"digest": text.digest}
    has_salt = replay.header.format != OPEN_FORMAT and not replay.salts.key
    return {"text": text, "salt": replay.salts.of(label)} if has_salt else {"text": text}


def _proof(replay: Replay) -> replay_pb2.ReplayProof:
    return replay_pb2.ReplayProof(
        commitment=bytes.fromhex(replay.header.commitment),
        seed=replay.seed,
        fingerprints=b"".join(replay.prefixes),
        fingerprint=replay.fingerprint,
        chain=replay.chain,
        private_key=replay.salts.key,
    )


# -- reading


class _Texts:
    """Reads private texts, all of one replay, and gathers their salts."""

    def __init__(self, replay_format: int, key: bytes) -> None:
        if key and (len(key) != KEY_BYTES or replay_format == OPEN_FORMAT):
            raise ReplayError(f"has a private key of {len(key)} bytes, which format {replay_format} does not have")
        self.are_open, self._key = replay_format == OPEN_FORMAT, key
        self._own: dict[str, bytes] = {}
        self._count = 0

    def read(self, label: str, message: replay_pb2.ReplayNote | replay_pb2.ReplayFirstFault) -> PrivateText:
        """Return a text, or its digest where the copy holds no more."""
        self._count += 1
        sizes = len(message.salt), len(message.digest)
        if self.are_open or self._key:
            if not message.text or any(sizes):
                raise ReplayError(f"has no text of its {label}, or more than that, though it is no copy")
        elif not message.text:
            if sizes != (0, DIGEST_BYTES):
                raise ReplayError(f"has neither text nor digest of its {label}")
            return Withheld(message.digest)
        elif sizes != (SALT_BYTES, 0):
            raise ReplayError(f"has the text of its {label} without its salt, or with a digest")
        else:
            self._own[label] = message.salt
        return message.text

    def salts(self) -> Salts:
        """Return the salts, once all texts were read."""
        if self._key and not self._count:
            raise ReplayError("has a private key, but no private text")
        return Salts(self._key, self._own or None)


def _first_faults(end: replay_pb2.ReplayEnd, seats: int, texts: _Texts) -> tuple[PrivateText, ...]:
    if texts.are_open:
        return tuple(end.open_first_faults) or ("",) * seats
    words: list[PrivateText] = [""] * seats
    for message in end.first_faults:
        if message.seat >= seats or words[message.seat]:
            raise ReplayError(f"has a first fault of seat {message.seat} twice, or for a seat that it does not have")
        words[message.seat] = texts.read(fault_label(message.seat), message)
    return tuple(words)


def _choices(play: replay_pb2.ReplayPlay, actions: list[Any], texts: _Texts) -> tuple[Choice, ...]:
    if len(play.charged_ms) != len(actions):
        raise ReplayError(f"has {len(actions)} decisions, but charged times for {len(play.charged_ms)}")
    faults: dict[int, FaultReason] = {}
    for fault in play.faults:
        if not 1 <= fault.fault <= len(FAULTS):
            raise ReplayError(f"decision {fault.decision + 1} has a fault without a known reason ({fault.fault})")
        faults[fault.decision] = FAULTS[fault.fault - 1]
    notes = {note.decision: texts.read(note_label(note.decision + 1), note) for note in play.notes}
    for kind, given, marked in (("fault", play.faults, faults), ("note", play.notes, notes)):
        if len(given) != len(marked) or any(number >= len(actions) for number in marked):
            raise ReplayError(f"has a {kind} twice, or for a decision that it does not have")
    return tuple(
        Choice(action, charged_ms, faults.get(number), notes.get(number, ""))
        for number, (action, charged_ms) in enumerate(zip(actions, play.charged_ms, strict=True))
    )


def _check_lengths(
    seats: int, header: replay_pb2.ReplayHeader, end: replay_pb2.ReplayEnd, proof: replay_pb2.ReplayProof
) -> None:
    for what, given in (
        ("bots", header.seats),
        ("totals", end.totals),
        ("ranks", end.ranks),
        ("refusals", end.refusals or range(seats)),
        ("first faults", end.open_first_faults or range(seats)),
    ):
        if len(given) != seats:
            raise ReplayError(f"has {len(given)} {what} for {seats} seats")
    for what, value, size in (
        ("seed", proof.seed, SEED_BYTES),
        ("fingerprint", proof.fingerprint, HASH_BYTES),
        ("chained hash", proof.chain, HASH_BYTES),
        ("commitment", proof.commitment, HASH_BYTES),
    ):
        if len(value) != size:
            raise ReplayError(f"has a {what} of {len(value)} bytes, not {size}")


def _prefixes(joined: bytes) -> tuple[bytes, ...]:
    if len(joined) % PREFIX_BYTES:
        raise ReplayError(f"has {len(joined)} bytes of fingerprints, which is no multiple of {PREFIX_BYTES}")
    return tuple(joined[place : place + PREFIX_BYTES] for place in range(0, len(joined), PREFIX_BYTES))
