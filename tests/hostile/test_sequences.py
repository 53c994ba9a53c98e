"""Whatever bots do on the wire, in whatever order, each is told exactly what it must be, and every match ends."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from gavelport.v1 import referee_pb2 as pb
from gavelport_server.conduct import hub, match
from gavelport_server.conduct.session import Session
from gavelport_server.referee.clock import SeatClock
from gavelport_server.referee.core import MatchCore
from gavelport_server.referee.seat import Seat
from gavelport_server.referee.states import Duty, Verdict
from google.protobuf.message import DecodeError

from tests.hostile.sequences import SequenceFailed, play_in_processes, play_many
from tests.hostile.world import Log

if TYPE_CHECKING:
    from collections.abc import Callable

QUICK = 60
KINDS = {
    "legal", "illegal", "unreadable", "old", "strange_id", "foreign", "duplicate", "junk", "mutated", "heartbeat",
    "hello_twice", "wait", "deadline", "late", "lose", "come_back", "second_stream", "first_words", "intruder",
}  # fmt: skip


def test_some_sequences() -> None:
    done = play_many(range(QUICK))
    assert set(done) >= KINDS
    assert done["sealed"] > QUICK / 4


@pytest.mark.long
def test_twenty_thousand_sequences() -> None:
    began = time.perf_counter()
    done = play_in_processes(20_000, workers=2)
    print(f"20,000 sequences in {time.perf_counter() - began:.0f} s: {dict(done.most_common())}")
    assert min(done[kind] for kind in KINDS | {"leave", "flood", "sealed"}) > 500


def test_a_sequence_is_always_the_same() -> None:
    assert play_many(range(3)) == play_many(range(3))


# -- planted faults, each of which must be found


def an_old_decision_is_judged(patch: pytest.MonkeyPatch) -> None:
    verdict = Seat.verdict

    def planted(self: Seat, decision_id: int) -> Verdict:
        is_open = self.duty is Duty.ASKED and 0 < decision_id <= self.decision_id
        return Verdict.JUDGE if is_open else verdict(self, decision_id)

    patch.setattr(Seat, "verdict", planted)


def another_seats_answer_is_taken(patch: pytest.MonkeyPatch) -> None:
    """An answer is given to whoever is asked that decision of that match, whosever stream it came on."""
    received = hub.Hub.received

    def planted(self: Any, link: Any, message: bytes, at: float) -> None:
        mine = self._peers.get(link)
        for peer in list(self._peers.values()):
            for place in list(peer.session.places.values()) if mine is not None and peer is not mine else []:
                seat, core = place._seat, place._match.core
                request = _answer(message, place._match._setup.match_id)
                if request is not None and core.asks(seat, request) and not _is_asked(mine, place):
                    received(self, peer.link, message, at)
                    return
        received(self, link, message, at)

    patch.setattr(hub.Hub, "received", planted)


def _answer(message: bytes, match_id: str) -> int | None:
    try:
        answer = pb.PlayRequest.FromString(message).answer
    except DecodeError:
        return None
    return answer.decision_id if answer.match_id == match_id else None


def _is_asked(peer: Any, other: Any) -> bool:
    place = peer.session.places.get(other._match._setup.match_id)
    return place is not None and other._match.core._seats[place._seat].duty is Duty.ASKED


def bidders_hear_that_another_has_bid(patch: pytest.MonkeyPatch) -> None:
    answer = MatchCore.answer

    def planted(self: Any, seat: int, *args: Any) -> list[Any]:
        commands = answer(self, seat, *args)
        if not commands:  # a sealed answer that others are still waited for
            others = [each for each in self._acting if each.number != seat and each.presence.value == "here"]
            for other in others:
                self._tell(other, commands)
        return commands

    patch.setattr(MatchCore, "answer", planted)


def an_answer_at_the_very_deadline_is_taken(patch: pytest.MonkeyPatch) -> None:
    def planted(self: Any, seat: int, id_: int, action: object, note: str, now: float, arrived: float = 0.0) -> Any:
        return answer(self, seat, id_, action, note, now, min(arrived, self._deadline_s - 1e-9))

    answer = MatchCore.answer
    patch.setattr(MatchCore, "answer", planted)


def time_is_not_taken_off_the_bank(patch: pytest.MonkeyPatch) -> None:
    def planted(self: SeatClock) -> int:
        return self.limit_ms

    patch.setattr(SeatClock, "run_out", planted)


def a_refused_answer_costs_no_try(patch: pytest.MonkeyPatch) -> None:
    def planted(self: Any) -> None:
        self._refusals += 1

    patch.setattr(Seat, "refuse", planted)


def any_session_token_goes_on(patch: pytest.MonkeyPatch) -> None:
    connect = Session.connect

    def planted(self: Any, link: Any, hello: Any) -> bool:
        connect(self, link, hello)
        return bool(hello.session_token)

    patch.setattr(Session, "connect", planted)


def the_older_stream_stays(patch: pytest.MonkeyPatch) -> None:
    def planted(self: object, peer: object) -> None: ...

    patch.setattr(hub.Hub, "_fence", planted)


def a_void_match_for_junk(patch: pytest.MonkeyPatch) -> None:
    """A note that is too long raises, which voids the match."""
    patch.setattr(match, "Unreadable", None)


def an_input_is_not_logged(patch: pytest.MonkeyPatch) -> None:
    def planted(self: Log, entry: bytes) -> None:
        if len(self.inputs) != 12:
            self.inputs.append(entry)

    patch.setattr(Log, "put", planted)


PLANTED: list[Callable[[pytest.MonkeyPatch], None]] = [
    an_old_decision_is_judged,
    another_seats_answer_is_taken,
    bidders_hear_that_another_has_bid,
    an_answer_at_the_very_deadline_is_taken,
    time_is_not_taken_off_the_bank,
    a_refused_answer_costs_no_try,
    any_session_token_goes_on,
    the_older_stream_stays,
    a_void_match_for_junk,
    an_input_is_not_logged,
]


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_a_planted_fault_is_found(plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    with pytest.raises(SequenceFailed):
        play_many(range(2 * QUICK))
