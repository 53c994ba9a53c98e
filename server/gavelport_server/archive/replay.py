"""Replays as bytes: protobuf frames in zstd (docs/replay-format.md)."""

from __future__ import annotations

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
from gavelport_server.archive.record import (
    FORMAT,
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

    from gavelport_server.referee.report import FaultReason, MatchReport

SEED_BYTES = 32
HASH_BYTES = 32
FAULTS: tuple[FaultReason, ...] = ("timeout", "illegal", "unreadable", "disconnected", "retired")
"""By their number in the message, from 1."""


FRAMES = ["header", "play", "end", "proof"]


def replay_of(report: MatchReport) -> Replay:
    """Return what the archive keeps of a finished match."""
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
    return replace(unchained, chain=chain_of(unchained))


def encode_replay(report: MatchReport) -> bytes:
    """Return a finished match as the archive stores it."""
    return encode(replay_of(report))


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
    if header.format != FORMAT:
        raise ReplayError(f"is of replay format {header.format}; this program reads format {FORMAT}")
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
    return Replay(
        header=ReplayHeader(
            match_id=header.match_id,
            game=codec.game,
            options=options,
            commitment=proof.commitment.hex(),
            seats=tuple(SeatName(seat.bot, seat.version) for seat in header.seats),
            clock=ClockSetting(clock.bank_ms, clock.increment_ms, clock.cap_ms, clock.allowance_ms),
        ),
        choices=_choices(play, actions),
        prefixes=_prefixes(proof.fingerprints),
        fingerprint=proof.fingerprint,
        end=ReplayEnd(
            end=end.end,
            totals=tuple(end.totals),
            ranks=tuple(end.ranks),
            retired=tuple(end.retired),
            refusals=tuple(end.refusals) or (0,) * seats,
            first_faults=tuple(end.first_faults) or ("",) * seats,
        ),
        seed=proof.seed,
        chain=proof.chain,
    )


# -- writing


def _header(replay: Replay, codec: Codec) -> replay_pb2.ReplayHeader:
    header, clock = replay.header, replay.header.clock
    return replay_pb2.ReplayHeader(
        format=FORMAT,
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
            replay_pb2.ReplayNote(decision=number, text=choice.note)
            for number, choice in enumerate(replay.choices)
            if choice.note
        ],
    )


def _end(replay: Replay) -> replay_pb2.ReplayEnd:
    end = replay.end
    return replay_pb2.ReplayEnd(
        end=end.end,
        totals=end.totals,
        ranks=end.ranks,
        retired=end.retired,
        refusals=end.refusals if any(end.refusals) else (),
        first_faults=end.first_faults if any(end.first_faults) else (),
    )


def _proof(replay: Replay) -> replay_pb2.ReplayProof:
    return replay_pb2.ReplayProof(
        commitment=bytes.fromhex(replay.header.commitment),
        seed=replay.seed,
        fingerprints=b"".join(replay.prefixes),
        fingerprint=replay.fingerprint,
        chain=replay.chain,
    )


# -- reading


def _choices(play: replay_pb2.ReplayPlay, actions: list[Any]) -> tuple[Choice, ...]:
    if len(play.charged_ms) != len(actions):
        raise ReplayError(f"has {len(actions)} decisions, but charged times for {len(play.charged_ms)}")
    faults: dict[int, FaultReason] = {}
    for fault in play.faults:
        if not 1 <= fault.fault <= len(FAULTS):
            raise ReplayError(f"decision {fault.decision + 1} has a fault without a known reason ({fault.fault})")
        faults[fault.decision] = FAULTS[fault.fault - 1]
    notes = {note.decision: note.text for note in play.notes}
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
        ("first faults", end.first_faults or range(seats)),
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
