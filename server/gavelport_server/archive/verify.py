"""Whether a replay is true: everything that can be derived again is, and compared (design 7)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gavelport_engine.rng import commitment

from gavelport_server.archive.errors import ReplayError
from gavelport_server.archive.playback import Difference, Playback
from gavelport_server.archive.private import Withheld
from gavelport_server.archive.record import PREFIX_BYTES, chain_of
from gavelport_server.archive.replay import decode_replay

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gavelport_engine.game import Checkpoint

    from gavelport_server.archive.playback import Step
    from gavelport_server.archive.record import Replay


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """What a replay's decisions say of one seat; retired seats' decisions are not asked, and not counted."""

    decisions: int
    charged_ms: int
    slowest_ms: int
    faults: tuple[tuple[str, int], ...]
    """By reason, ascending; `retired` left out."""


def verify(replay: Replay) -> tuple[SeatRecord, ...]:
    """Play a replay again and compare; return what its decisions say, by seat.

    Raises Difference with the first difference, see `verified_steps`.
    """
    return seat_records(list(verified_steps(Playback(replay))), len(replay.header.seats))


def verify_stored(stored: bytes) -> tuple[Replay, tuple[SeatRecord, ...]]:
    """Decode and verify a replay. Raises Difference, also where it cannot be read."""
    try:
        replay = decode_replay(stored)
    except ReplayError as error:
        raise Difference(str(error)) from error
    return replay, verify(replay)


def verified_steps(playback: Playback) -> Iterator[Step]:
    """Yield every decision once it was found right; after the last, the result and all else was found right, too.

    Checked, in this order: the seed against the commitment; each decision's legality and the fingerprints on the way;
    who was at fault and retired; the result with totals, ranks and score lines; the chained hash over everything.
    Raises Difference with the first difference.
    """
    replay = playback.replay
    _verify_commitment(replay)
    fingerprints, faults = _Fingerprints(replay), _Faults()
    for checkpoint in playback.opening.checkpoints:
        fingerprints.take(checkpoint, "the beginning")
    for step in playback:
        faults.take(step)
        for checkpoint in step.checkpoints:
            fingerprints.take(checkpoint, step.place)
        yield step
    fingerprints.finish()
    faults.finish(replay)
    _verify_end(replay, playback.state)
    if (chain := chain_of(replay)) != replay.chain:
        raise Difference(
            "header, decisions, times, faults, notes and result have the chained hash "
            f"{chain.hex()}; the replay says {replay.chain.hex()}"
        )


def seat_records(steps: list[Step], seats: int) -> tuple[SeatRecord, ...]:
    """Return what decisions say of each seat."""
    records = []
    for seat in range(seats):
        asked = [step.choice for step in steps if step.seat == seat and step.choice.fault != "retired"]
        charged = [choice.charged_ms for choice in asked]
        faults = Counter(choice.fault for choice in asked if choice.fault is not None)
        records.append(SeatRecord(len(asked), sum(charged), max(charged, default=0), tuple(sorted(faults.items()))))
    return tuple(records)


def _verify_commitment(replay: Replay) -> None:
    header = replay.header
    published = commitment(replay.seed, header.match_id)
    if published != header.commitment:
        raise Difference(
            f"commitment to the seed for match {header.match_id} is {published}, the replay says {header.commitment}"
        )


class _Fingerprints:
    """Compares the checkpoints that are passed with those of the replay, one after the other."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._passed: list[Checkpoint] = []

    def take(self, checkpoint: Checkpoint, place: str) -> None:
        """Compare one checkpoint; `place` is the decision that led to it."""
        number, prefixes = len(self._passed), self._replay.prefixes
        name = " ".join(str(value) for value in checkpoint.record.values())
        if number >= len(prefixes):
            raise Difference(f"{place}: leads past {name}, for which the replay has no fingerprint")
        prefix, said = checkpoint.fingerprint[:PREFIX_BYTES], prefixes[number]
        if prefix != said:
            raise Difference(f"{place}: fingerprint after {name} begins {prefix.hex()}, the replay says {said.hex()}")
        self._passed.append(checkpoint)

    def finish(self) -> None:
        """Compare the last fingerprint, and how many there are."""
        passed, prefixes = self._passed, self._replay.prefixes
        if len(passed) != len(prefixes):
            raise Difference(f"the match has {len(passed)} checkpoints, the replay {len(prefixes)} fingerprints")
        whole, said = passed[-1].fingerprint, self._replay.fingerprint
        if whole != said:
            raise Difference(f"fingerprint of the final position is {whole.hex()}, the replay says {said.hex()}")


class _Faults:
    """Follows who was at fault: only seats with faults are retired, and then for good."""

    def __init__(self) -> None:
        self._asked: Counter[int] = Counter()
        self._first: dict[int, str] = {}
        """How the words of a seat's first fault must begin."""
        self._retired: dict[int, str] = {}

    def take(self, step: Step) -> None:
        """Look at one decision."""
        fault = step.choice.fault
        if step.seat in self._retired and fault != "retired":
            raise Difference(f"{step.place}: the seat plays on, though retired since {self._retired[step.seat]}")
        self._asked[step.seat] += 1
        if fault == "retired":
            if step.seat not in self._first:
                raise Difference(f"{step.place}: the seat is said to be retired, but was never at fault")
            self._retired.setdefault(step.seat, step.place)
        elif fault is not None:
            self._first.setdefault(step.seat, f"decision {self._asked[step.seat]}: {fault}: ")

    def finish(self, replay: Replay) -> None:
        """Compare with the result's list; a seat may be retired by its last decision, too."""
        said = replay.end.retired
        if list(said) != sorted(set(said)):
            raise Difference(f"result: retired seats {list(said)} do not ascend")
        if missing := sorted(set(self._retired) - set(said)):
            raise Difference(f"result: retired seats are {list(said)}, but seats {missing} were retired in the match")
        if others := sorted(set(said) - set(self._first)):
            raise Difference(f"result: retired seats are {list(said)}, but seats {others} were never at fault")
        for seat, words in enumerate(replay.end.first_faults):
            begins = self._first.get(seat, "")
            fits = bool(begins) if isinstance(words, Withheld) else words.startswith(begins)
            if not fits or (words and not begins):
                told = "withheld" if isinstance(words, Withheld) else f'"{words}"'
                raise Difference(f'result: first fault of seat {seat} is {told}; by the decisions: "{begins}"')


def _verify_end(replay: Replay, state: Any) -> None:
    game, end = replay.header.game, replay.end
    outcome = game.outcome(state, end.retired)
    for name, what in (("end", "end"), ("totals", game.total_unit), ("ranks", "ranks")):
        ours, theirs = getattr(outcome, name), getattr(end, name)
        if ours != theirs:
            raise Difference(f"result: {what} by the rules: {_shown(ours)}; the replay says {_shown(theirs)}")


def _shown(value: Any) -> str:
    return str(list(value)) if isinstance(value, tuple) else str(value)
